/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Detects programs that spin on remote memory by small gets: a get of the same
 * place whose answers do not change. Where a simulator shares the processors with
 * its ranks, such a get can yield to work of other ranks (device.h, `patience`),
 * which is mostly what its rank waits for. One thread at a time.
 */
#ifndef FSH_FPGA_ASKED_H
#define FSH_FPGA_ASKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FSH_FPGA_ASKED_GETS 16u  /* remembered, the oldest is forgotten */
#define FSH_FPGA_ASKED_BYTES 64u /* longer ones are no flags */
#define FSH_FPGA_NOT_ASKED UINT8_MAX

struct fsh_fpga_asked {
    struct {
        uint64_t where;  /* hash of node, offset, length */
        uint64_t answer; /* hash of the last answer */
        unsigned same;   /* answers in a row that equal the one before */
    } get[FSH_FPGA_ASKED_GETS];
    unsigned next;
};

/* A get is about to be sent. Returns its number for the answer, or
 * FSH_FPGA_NOT_ASKED; *again: the last two answers were the same. */
uint8_t fsh_fpga_ask(struct fsh_fpga_asked *asked, uint32_t node,
                     uint64_t offset, size_t n, bool *again);
/* Its answer is there. */
void fsh_fpga_answered(struct fsh_fpga_asked *asked, uint8_t number,
                       const void *data, size_t n);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which small gets merely ask again: programs that spin on a get, whose answer is
 * the same time after time. Where a simulator shares the processors with its
 * ranks, such a get can wait for work of other ranks (device.h, `patience`), for
 * which its rank mostly waits too. One thread at a time.
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
        uint64_t where;  /* node, offset, length */
        uint64_t answer; /* of the last get, in short */
        unsigned same;   /* answers on end that were like the one before */
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

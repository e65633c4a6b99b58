/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Detects programs that spin on remote memory with small gets: repeated gets of one
 * location whose answers do not change. Where a simulator shares the processors with
 * its ranks, such a get can yield to the work of other ranks (device.h, `patience`),
 * which is usually what its rank is waiting for. One thread at a time.
 */
#ifndef FSH_FPGA_ASKED_H
#define FSH_FPGA_ASKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FSH_FPGA_ASKED_GETS 16u  /* remembered; the oldest is replaced */
#define FSH_FPGA_ASKED_BYTES 64u /* longer gets are not flags */
#define FSH_FPGA_NOT_ASKED UINT8_MAX

struct fsh_fpga_asked {
    struct {
        uint64_t where;  /* hash of node, offset, length */
        uint64_t answer; /* hash of the last answer */
        unsigned same;   /* consecutive equal answers */
    } get[FSH_FPGA_ASKED_GETS];
    unsigned next;
};

/* Call before sending a get. Returns a number for fsh_fpga_answered, or
 * FSH_FPGA_NOT_ASKED; *again: the last two answers were equal. */
uint8_t fsh_fpga_ask(struct fsh_fpga_asked *asked, uint32_t node,
                     uint64_t offset, size_t n, bool *again);
/* Call when its answer has arrived. */
void fsh_fpga_answered(struct fsh_fpga_asked *asked, uint8_t number,
                       const void *data, size_t n);

#endif

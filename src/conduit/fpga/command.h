/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Building commands: from a description to the 64-byte entries of a submission
 * window. Pure functions; used by the conduit, its tools and tests.
 */
#ifndef FSH_FPGA_COMMAND_H
#define FSH_FPGA_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fsh_spec.h"

#define FSH_ENTRY_WORDS (FSH_ENTRY_BYTES / 8)

/* A command before encoding; field meanings as in the reference of formats. */
struct fsh_fpga_desc {
    uint8_t opcode;
    uint8_t category; /* FSH_CAT_ */
    bool reply;
    bool ack;
    bool ordered;
    uint8_t rspace; /* FSH_SPACE_ */
    uint8_t lspace;
    uint8_t node;
    uint16_t tag; /* or slot */
    uint8_t nargs;
    uint64_t raddr;
    uint64_t laddr; /* not with FSH_SPACE_INLINE */
    uint32_t length;
    const int32_t *args;
    const void *data; /* length bytes, with FSH_SPACE_INLINE only */
    bool patient;     /* for the device, see device.h */
};

struct fsh_fpga_command {
    uint64_t words[FSH_MAX_ENTRIES * FSH_ENTRY_WORDS];
    unsigned entries;
    unsigned used; /* words that the device reads, whole rows */
    bool patient;
};

/* Encode. Inline data must fit (fsh_fpga_fits_inline). */
void fsh_fpga_encode(struct fsh_fpga_command *cmd,
                     const struct fsh_fpga_desc *desc);

/* May n bytes for address raddr ride in a command with nargs arguments? They
 * must fit its entries, and one packet. */
bool fsh_fpga_fits_inline(unsigned nargs, uint64_t raddr, size_t n,
                          unsigned packet);

/* Names of the specification, "?" if there is none. */
const char *fsh_fpga_status_name(unsigned status);
const char *fsh_fpga_status_text(unsigned status); /* what it means */
const char *fsh_fpga_op_name(unsigned opcode);

#endif

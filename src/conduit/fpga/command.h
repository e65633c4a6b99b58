/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Encodes commands: from a description to the 64-byte entries of a submission
 * window. Pure functions, used by the conduit, its tools and tests.
 */
#ifndef FSH_FPGA_COMMAND_H
#define FSH_FPGA_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fsh_spec.h"

#define FSH_ENTRY_WORDS (FSH_ENTRY_BYTES / 8)

/* A command before encoding; docs/02_reference/formats.md defines the
 * fields. */
struct fsh_fpga_desc {
    uint8_t opcode;
    uint8_t category; /* FSH_CAT_* */
    bool reply;
    bool ack;
    bool ordered;
    uint8_t rspace; /* FSH_SPACE_* */
    uint8_t lspace;
    uint8_t node;
    uint16_t tag; /* or slot */
    uint8_t nargs;
    uint64_t raddr;
    uint64_t laddr; /* unused with FSH_SPACE_INLINE */
    uint32_t length;
    const int32_t *args;
    const void *data; /* length bytes, with FSH_SPACE_INLINE only */
    bool patient;     /* hint to the device, see device.h */
};

struct fsh_fpga_command {
    uint64_t words[FSH_MAX_ENTRIES * FSH_ENTRY_WORDS];
    unsigned entries;
    unsigned used; /* words that the device reads, in whole rows */
    bool patient;
};

/* Encodes a command. Inline data must fit (fsh_fpga_fits_inline). */
void fsh_fpga_encode(struct fsh_fpga_command *cmd,
                     const struct fsh_fpga_desc *desc);

/* Whether n bytes for address raddr can travel in a command with nargs
 * arguments: they must fit its entries and one packet. */
bool fsh_fpga_fits_inline(unsigned nargs, uint64_t raddr, size_t n,
                          unsigned packet);

/* The name in the specification, or "?". */
const char *fsh_fpga_status_name(unsigned status);
const char *fsh_fpga_status_text(unsigned status); /* a description */
const char *fsh_fpga_op_name(unsigned opcode);

#endif

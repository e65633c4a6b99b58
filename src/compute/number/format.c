/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which block floating-point formats there are; see format.h.
 */
#include "compute/number/format.h"

enum fsh_bfp_status fsh_bfp_check(const struct fsh_bfp_format *format)
{
    unsigned block = format->block;

    if (block < 8 || block > FSH_BFP_MAX_BLOCK || (block & (block - 1)) != 0)
        return FSH_BFP_BAD_BLOCK;
    if (format->exponent < 2 || format->exponent > 8)
        return FSH_BFP_BAD_EXPONENT;
    if (format->mantissa < 2 || format->mantissa > 15)
        return FSH_BFP_BAD_MANTISSA;
    return FSH_BFP_OK;
}

const char *fsh_bfp_status_text(enum fsh_bfp_status status)
{
    switch (status) {
    case FSH_BFP_OK:
        return "the format is valid";
    case FSH_BFP_BAD_BLOCK:
        return "the block size must be a power of two from 8 to 256";
    case FSH_BFP_BAD_EXPONENT:
        return "the exponent must have 2 to 8 bits";
    case FSH_BFP_BAD_MANTISSA:
        return "the mantissa must have 2 to 15 bits";
    }
    return "unknown status";
}

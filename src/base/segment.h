/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The upper limit of a segment's size, independent of available memory, defined only
 * here. It follows from the narrowest address, that of a compute core's RUN and
 * operands: 32 bits in units of 64 bytes, or 256 GiB, of which 1 GiB is reserved for
 * the library's area behind the segment (conduit.h). Packets and device commands
 * carry 40-bit byte addresses; conduit smp uses 64 bits. tests/unit/segment.c puts
 * the highest address into each.
 */
#ifndef FSH_SEGMENT_LIMIT_H
#define FSH_SEGMENT_LIMIT_H

#include <stddef.h>

#define FSH_SEGMENT_MOST ((size_t)255 << 30)
#define FSH_SEGMENT_REASON \
    "commands of a compute core have addresses below 256 GiB"

#endif

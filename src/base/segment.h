/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How large a segment can be, whatever memory there is: the one place that knows.
 * The narrowest of all addresses are those in commands of a compute core, in
 * RUN and in the operands: 32 bits of 64 bytes, 256 GiB of segment and, behind
 * it, the library's area (conduit.h), for which 1 GiB is left. Packets and device
 * commands have 40 bits of bytes, addresses on conduit smp 64.
 * tests/unit/segment.c puts the last address of all into each of them.
 */
#ifndef FSH_SEGMENT_LIMIT_H
#define FSH_SEGMENT_LIMIT_H

#include <stddef.h>

#define FSH_SEGMENT_MOST ((size_t)255 << 30)
#define FSH_SEGMENT_REASON \
    "commands of a compute core have addresses below 256 GiB"

#endif

// SPDX-License-Identifier: BSD-3-Clause
// A packet that is written, as receivers tell the completion unit
// (fsh_fn_pkg::evt_t).
#ifndef FSH_TB_EVENT_H
#define FSH_TB_EVENT_H

#include <cstdint>
#include "fsh_spec.h"

// fsh_fn_pkg::units: units of a packet of `bytes` that begins at `addr`.
inline unsigned units_of(bool first, uint64_t addr, unsigned bytes,
                         unsigned total)
{
    const unsigned unit = FSH_MIN_PACKET;
    unsigned lane = (unsigned)(addr % unit);
    unsigned own = bytes ? (lane + bytes + unit - 1) / unit : 0;

    if (first)
        own += 3 - (lane + total % unit + unit - 1) / unit;
    return own % 16;
}

struct Event {
    unsigned units, multi, reply, ack, status, opcode, src, tag, bytes, total;

    uint64_t pack() const
    {
        uint64_t w = units;

        w = w << 1 | multi;
        w = w << 1 | reply;
        w = w << 1 | ack;
        w = w << 4 | status;
        w = w << 8 | opcode;
        w = w << 6 | src;
        w = w << 6 | tag;
        w = w << 11 | bytes;
        return w << 17 | total / FSH_MIN_PACKET;
    }
};

#endif

// SPDX-License-Identifier: BSD-3-Clause
// A packet that is written, as receivers tell the completion unit
// (fsh_fn_pkg::evt_t).
#ifndef FSH_TB_EVENT_H
#define FSH_TB_EVENT_H

#include <cstdint>

struct Event {
    unsigned multi, reply, ack, status, opcode, src, tag, bytes, total;

    uint64_t pack() const
    {
        uint64_t w = multi;

        w = w << 1 | reply;
        w = w << 1 | ack;
        w = w << 4 | status;
        w = w << 8 | opcode;
        w = w << 6 | src;
        w = w << 6 | tag;
        w = w << 11 | bytes;
        return w << 24 | total;
    }
};

#endif

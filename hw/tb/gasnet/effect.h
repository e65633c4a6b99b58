// SPDX-License-Identifier: BSD-3-Clause
// Model of the completion unit: messages that know how many of their packets are
// still to come, and what is to be seen when they are complete.
#ifndef FSH_TB_EFFECT_H
#define FSH_TB_EFFECT_H

#include <memory>
#include <vector>
#include "event.h"
#include "packet.h"

struct Message {
    Event event; // of any packet, but what the pieces say and status
    struct Part {
        unsigned units, bytes;
    };
    std::vector<Part> parts;
    unsigned left; // packets that the block has not taken
    bool broken;   // never complete
    unsigned key;
};

struct Piece {
    std::shared_ptr<Message> message;
    Event event;
};

// What is to be seen of a packet, in one cycle.
struct Effect {
    unsigned release = 0;
    int tag = -1, done = -1, ring = -1;
    Beat entry = {};

    bool operator==(const Effect &e) const
    {
        return release == e.release && tag == e.tag && done == e.done &&
               ring == e.ring && entry == e.entry;
    }

    bool seen() const
    {
        return release || tag >= 0 || done >= 0 || ring >= 0;
    }

    // Of the last packet of a message that wants no ack.
    void finish(const Event &e)
    {
        bool to_host = e.opcode >= FSH_OP_LIBRARY;
        bool mine =
            e.ack || e.opcode == FSH_OP_GET_REPLY || e.opcode == FSH_OP_PUT_ACK;

        if (mine)
            tag = (int)e.tag;
        if (mine && e.tag >= FSH_HOST_TAGS) {
            done = (int)(e.tag << 4 | e.status);
            return;
        }
        if (!mine && !to_host)
            return;
        ring = !to_host ? 0 : e.reply ? 2 : 1;
        uint64_t *w = entry.data();
        fsh_ring_set_kind(w, to_host ? FSH_CPL_MESSAGE : FSH_CPL_TAGGED);
        fsh_ring_set_reply(w, e.reply);
        fsh_ring_set_status(w, e.status);
        fsh_ring_set_opcode(w, e.opcode);
        fsh_ring_set_node(w, e.src);
        fsh_ring_set_tag(w, e.tag);
    }
};

struct Ack {
    Beat header;
    unsigned port, receiver;
};

// Each port in turn, from the one behind that of the last on.
class Turn
{
  public:
    unsigned next(unsigned ports)
    {
        do
            last_ = (last_ + 1) % FSH_MAX_PORTS;
        while (!(ports >> last_ & 1));
        return last_;
    }

  private:
    unsigned last_ = FSH_MAX_PORTS - 1;
};

// What a PUT of another node is answered with.
inline Beat ack_header(const Event &e, unsigned node, unsigned vc)
{
    Beat header = {};
    uint64_t *w = header.data();

    fsh_hdr_set_opcode(w, FSH_OP_PUT_ACK);
    fsh_hdr_set_category(w, FSH_CAT_SHORT);
    fsh_hdr_set_reply(w, 1);
    fsh_hdr_set_vc(w, vc);
    fsh_hdr_set_first(w, 1);
    fsh_hdr_set_dst(w, e.src);
    fsh_hdr_set_src(w, node);
    fsh_hdr_set_tag(w, e.tag);
    fsh_hdr_set_status(w, e.status);
    return header;
}

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Model of the receiver, from what architecture.md says that a packet can do:
// what is to become of a header, and what is to be written of a packet.
#ifndef FSH_TB_RECEIVE_H
#define FSH_TB_RECEIVE_H

#include <algorithm>
#include <vector>
#include "event.h"
#include "get.h"
#include "path.h"

// What a tag of the node was given for (fsh_fn_pkg::tag_t).
struct Tag {
    bool live, get;
    unsigned node;
    bool host;
    uint64_t addr, limit;
};

struct Header {
    unsigned opcode, category, reply, first, space, dst, src, nargs;
    unsigned bytes, tag, ack, status, total;
    uint64_t addr;

    Beat pack() const
    {
        Beat beat = {};
        uint64_t *w = beat.data();

        fsh_hdr_set_opcode(w, opcode);
        fsh_hdr_set_category(w, category);
        fsh_hdr_set_reply(w, reply);
        fsh_hdr_set_first(w, first);
        fsh_hdr_set_space(w, space);
        fsh_hdr_set_dst(w, dst);
        fsh_hdr_set_src(w, src);
        fsh_hdr_set_nargs(w, nargs);
        fsh_hdr_set_bytes(w, bytes);
        fsh_hdr_set_tag(w, tag);
        fsh_hdr_set_ack(w, ack);
        fsh_hdr_set_status(w, status);
        fsh_hdr_set_addr(w, addr);
        fsh_hdr_set_total(w, total);
        return beat;
    }

    // Beats of arguments and of payload, as the fields of the wire count them:
    // of more arguments or bytes than a packet may have, modulo 8 and 128.
    unsigned arg_beats() const
    {
        return first ? (nargs + 3) / 4 % 8 : 0;
    }

    unsigned payload_beats() const
    {
        return bytes ? (addr % 16 + bytes + 15) / 16 % 128 : 0;
    }

    bool to_host() const
    {
        return opcode >= FSH_OP_LIBRARY;
    }

    bool answer() const
    {
        return opcode == FSH_OP_PUT_ACK || opcode == FSH_OP_GET_REPLY;
    }

    // One of several packets: not the first, or without all bytes; a GET has none, nor
    // are packets of the collective engine counted.
    bool multi() const
    {
        return (!first || bytes != total) && opcode != FSH_OP_GET &&
               space != FSH_SPACE_COLLECTIVE;
    }

    // To an engine.
    bool message() const
    {
        return opcode == FSH_OP_COMPUTE || opcode == FSH_OP_COLLECTIVE;
    }

    // A packet of the collective engine.
    bool coll() const
    {
        return opcode == FSH_OP_PUT && space == FSH_SPACE_COLLECTIVE && !ack &&
               !reply;
    }

    bool unit() const
    {
        return to_host() || answer() || opcode == FSH_OP_PUT ||
               opcode == FSH_OP_GET || message();
    }
};

struct Node {
    unsigned node, nodes, packet;
    unsigned exist, ports; // masks: of the node, in use
    Routes routes;
    uint64_t seg_base, seg_size, slot_hdr, slot_pay;
};

struct Write {
    bool host;
    uint64_t addr; // of the first beat
    std::vector<Beat> data;
    std::vector<unsigned> strobes;

    // How many beats are what was written, where there are strobes.
    size_t same(const std::vector<Beat> &written) const
    {
        size_t i = 0;

        for (; i < data.size(); i++)
            for (unsigned b = 0; b < 16; b++)
                if (strobes[i] >> b & 1 &&
                    (written[i][b / 8] ^ data[i][b / 8]) >> b % 8 * 8 & 0xff)
                    return i;
        return i;
    }
};

struct Outcome {
    bool drop = false, refuse = false, served = false;
    Event event = {};
    std::vector<Write> writes;
    Get get = {}; // if served
};

// A packet that is told of, with the writes that it waits for.
struct Pending {
    Event event;
    unsigned writes[2], waits[2]; // to device memory, the host; unanswered
    bool error;
};

// What is counted of packets.
struct Count {
    unsigned long long packets = 0, bytes = 0;

    void add(unsigned n)
    {
        packets++;
        bytes += n;
    }

    bool operator!=(const Count &other) const
    {
        return packets != other.packets || bytes != other.bytes;
    }
};

// A burst to come, and whose it is.
struct Due {
    Write write;
    unsigned long long pending; // the number of its packet
};

class Receive
{
  public:
    Receive(const Node &node, const Header &h, const Packet &packet,
            const Tag &tag, bool loop)
        : node_(node), h_(h), packet_(packet), tag_(tag), loop_(loop)
    {
    }

    Outcome outcome() const
    {
        Outcome o;

        o.drop = dropped();
        if (o.drop)
            return o;
        unsigned status = refusal();
        o.refuse = status != FSH_STATUS_OK;
        if (!o.refuse)
            status = h_.status;
        o.served = !o.refuse && (h_.opcode == FSH_OP_GET || h_.message());
        if (o.served)
            o.get = get();
        unsigned units = units_of(h_.first, h_.addr, h_.bytes, h_.total);
        o.event = {units,     h_.multi(),   h_.reply,     asked(),  status,
                   h_.opcode, h_.src % 64u, h_.tag % 64u, h_.bytes, h_.total};
        if (h_.to_host() && h_.first)
            o.writes.push_back(slot_header(status));
        if (h_.bytes && !o.refuse && !h_.coll())
            o.writes.push_back(payload());
        return o;
    }

  private:
    bool mine() const
    {
        return h_.dst == node_.node;
    }

    // Answered by its tag.
    bool asked() const
    {
        return !h_.to_host() && !h_.answer() &&
               (h_.ack || h_.opcode == FSH_OP_GET);
    }

    // What no node sends, or nobody asked for, or nobody could be told of.
    bool dropped() const
    {
        if (h_.src >= node_.nodes || h_.tag >= FSH_NUM_TAGS)
            return true;
        if (mine() && (h_.src == node_.node) != loop_)
            return true;
        if (h_.to_host())
            return dropped_message();
        if (h_.answer())
            return dropped_answer();
        return dropped_request();
    }

    bool dropped_message() const
    {
        bool none = h_.category == FSH_CAT_SHORT && h_.bytes;

        return !mine() || h_.tag >= FSH_SLOTS_PER_PEER ||
               h_.nargs > FSH_MAX_ARGS || h_.bytes > FSH_MAX_PACKET ||
               h_.category > FSH_CAT_LONG || none;
    }

    bool dropped_answer() const
    {
        bool get = h_.opcode == FSH_OP_GET_REPLY;
        bool bare = !h_.bytes && h_.status != FSH_STATUS_OK;

        if (!mine() || !h_.reply || !tag_.live || (!get && h_.bytes))
            return true;
        // A bare error may come from where a request ran dead.
        return !bare && (h_.src != tag_.node || get != tag_.get);
    }

    bool dropped_request() const
    {
        bool served = h_.opcode == FSH_OP_GET || h_.message();

        if (h_.reply && (asked() || h_.opcode != FSH_OP_PUT))
            return true;
        if ((!mine() || !h_.unit()) && !asked())
            return true;
        if (!mine() && h_.message() && h_.src == node_.node)
            return true;
        return served && (!h_.first || h_.bytes || h_.arg_beats() != 1);
    }

    unsigned refusal() const
    {
        if (!mine())
            return FSH_STATUS_BAD_NODE;
        if (!h_.unit())
            return FSH_STATUS_UNSUPPORTED;
        return in_range() ? FSH_STATUS_OK : FSH_STATUS_REMOTE_RANGE;
    }

    bool in_range() const
    {
        uint64_t n = h_.opcode == FSH_OP_GET ? h_.total : h_.bytes;
        uint64_t end = h_.addr + n;

        if (n == 0 || h_.coll())
            return true;
        if (h_.opcode == FSH_OP_GET)
            return h_.space == FSH_SPACE_SEGMENT && end <= node_.seg_size;
        // One burst, of a packet's size.
        if (n > FSH_MAX_PACKET || h_.addr >> 12 != (end - 1) >> 12)
            return false;
        if (h_.opcode == FSH_OP_GET_REPLY)
            return h_.space ==
                       (tag_.host ? FSH_SPACE_HOST : FSH_SPACE_SEGMENT) &&
                   h_.addr >= tag_.addr && end <= tag_.limit;
        if (medium())
            return end <= FSH_MAX_MEDIUM;
        if (h_.opcode == FSH_OP_PUT && h_.space == FSH_SPACE_HOST)
            return end <= FSH_BEAT_BYTES;
        return h_.space == FSH_SPACE_SEGMENT && end <= node_.seg_size;
    }

    bool medium() const
    {
        return h_.to_host() && h_.category == FSH_CAT_MEDIUM;
    }

    unsigned slot() const
    {
        return (h_.reply * FSH_MAX_NODES + h_.src) * FSH_SLOTS_PER_PEER +
               h_.tag % FSH_SLOTS_PER_PEER;
    }

    Write slot_header(unsigned status) const
    {
        Header h = h_;
        Write w = {
            true, node_.slot_hdr + slot() * FSH_SLOT_HEADER_BYTES, {}, {}};

        h.status = status;
        Beat header = h.pack();
        for (unsigned i = 0; i < 2; i++)
            header[i] |= packet_[0][i] & way()[i];
        w.data.push_back(header);
        for (unsigned i = 0; i < h_.arg_beats(); i++)
            w.data.push_back(packet_[1 + i]);
        w.strobes.assign(w.data.size(), 0xffff);
        return w;
    }

    // The fields that the links wrote.
    static Beat way()
    {
        Beat beat = {};

        fsh_hdr_set_vc(beat.data(), 1);
        fsh_hdr_set_hops(beat.data(), FSH_MAX_HOPS);
        return beat;
    }

    Write payload() const
    {
        bool segment = h_.space == FSH_SPACE_SEGMENT && !medium();
        uint64_t addr = h_.addr;

        if (segment)
            addr = node_.seg_base + h_.addr;
        else if (medium())
            addr = node_.slot_pay + slot() * FSH_MAX_MEDIUM + h_.addr;
        else if (h_.opcode == FSH_OP_PUT)
            addr = node_.slot_hdr + slot() * FSH_SLOT_HEADER_BYTES +
                   FSH_SLOT_LINE + h_.addr;
        Write w = {!segment, addr & ~15ull, {}, {}};
        for (unsigned i = 0; i < h_.payload_beats(); i++) {
            w.data.push_back(packet_[1 + h_.arg_beats() + i]);
            w.strobes.push_back(0);
        }
        for (unsigned i = 0; i < h_.bytes; i++)
            w.strobes[(addr % 16 + i) / 16] |= 1u << (addr + i) % 16;
        return w;
    }

    Get get() const
    {
        bool message = h_.message();
        unsigned sink = message * GET_SINK << (h_.opcode == FSH_OP_COLLECTIVE);
        const Beat &arg = packet_[1];
        uint64_t raddr = arg[0] & 0xff'ffff'ffff;
        uint64_t laddr = message ? arg[0] >> 40 : h_.addr;
        uint64_t flag = message ? h_.ack : arg[0] >> 40 & 1;
        unsigned total = message ? 0 : h_.total;
        Path path = node_.routes[h_.src].of(node_.exist, node_.ports);

        if (path.ports == 0)
            path.ports = 1;
        if (h_.src == node_.node)
            path.ports = 0;
        return {raddr << 24 | total,
                laddr | (uint64_t)h_.tag << 40 | (uint64_t)h_.src << 46 |
                    (uint64_t)path.pack() << 52,
                sink | flag * GET_FLAG | (total > node_.packet) * GET_BULK};
    }

    const Node &node_;
    const Header &h_;
    const Packet &packet_;
    const Tag &tag_;
    bool loop_;
};

#endif

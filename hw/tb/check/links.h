// SPDX-License-Identifier: BSD-3-Clause
// A node and its neighbour for fsh_check_link, which keep to the rules and break one.
#ifndef FSH_TB_LINKS_H
#define FSH_TB_LINKS_H

#include <memory>
#include "Vfsh_check_link.h"
#include "broken.h"
#include "fsh_spec.h"

class Links
{
  public:
    static constexpr unsigned NODE = 3, NODES = 8, PEER = 5;
    static constexpr unsigned PACKET = 1 + FSH_MAX_PACKET / FSH_BEAT_BYTES;

    struct Beat {
        uint64_t word[2];
    };

    explicit Links(tb::Test &test)
        : test_(test), context_(test.context()),
          dut_(std::make_unique<Vfsh_check_link>(context_.get()))
    {
        dut_->node_i = NODE;
        dut_->nodes_i = NODES;
        dut_->tx_valid_i = dut_->rx_valid_i = 0;
        tb::reset(test_, *dut_);
    }

    ~Links()
    {
        dut_->final();
    }

    // A PUT of so many bytes, on channel 0 of the requests.
    static Beat header(unsigned src, unsigned bytes)
    {
        Beat h = {};
        fsh_hdr_set_opcode(h.word, FSH_OP_PUT);
        fsh_hdr_set_category(h.word, FSH_CAT_LONG);
        fsh_hdr_set_src(h.word, src);
        fsh_hdr_set_dst(h.word, src == NODE ? PEER : NODE);
        fsh_hdr_set_bytes(h.word, bytes);
        fsh_hdr_set_total(h.word, bytes);
        return h;
    }

    static Beat freed(unsigned beats, bool poison = false)
    {
        Beat b = {};
        fsh_bound_set_credit0(b.word, beats & 0xffff);
        fsh_bound_set_poison(b.word, poison);
        return b;
    }

    void tx(const Beat &beat, bool bound = false)
    {
        dut_->tx_valid_i = 1;
        dut_->tx_bound_i = bound;
        place(dut_->tx_data_i, beat);
        cycle();
    }

    void rx(const Beat &beat, bool bound = false)
    {
        dut_->rx_valid_i = 1;
        dut_->rx_bound_i = bound;
        place(dut_->rx_data_i, beat);
        cycle();
    }

    void send(unsigned bytes)
    {
        tx(header(NODE, bytes));
        for (unsigned i = 0; i < (bytes + 15) / 16; i++)
            tx(Beat{{test_.bits(), test_.bits()}});
    }

    void get(unsigned bytes)
    {
        rx(header(PEER, bytes));
        for (unsigned i = 0; i < (bytes + 15) / 16; i++)
            rx(Beat{{test_.bits(), test_.bits()}});
    }

    // Packets both ways, each given back before there is no more room.
    unsigned long long legal(unsigned packets)
    {
        for (unsigned i = 0; i < packets; i++) {
            unsigned bytes = test_.below(FSH_MAX_PACKET + 1);

            send(bytes);
            get(bytes);
            beats += 1 + (bytes + 15) / 16;
            if (test_.below(2) || beats - told_ > FSH_VC_BEATS - PACKET) {
                tx(freed(beats), true);
                rx(freed(beats), true);
                told_ = beats;
            }
        }
        return packets;
    }

    unsigned beats = 0; // each way

  private:
    template <class Wide> static void place(Wide &to, const Beat &beat)
    {
        for (unsigned i = 0; i < 4; i++)
            to[i] = (uint32_t)(beat.word[i / 2] >> (i % 2 * 32));
    }

    void cycle()
    {
        dut_->eval();
        tb::edge(test_, *dut_);
        dut_->tx_valid_i = dut_->rx_valid_i = 0;
    }

    tb::Test &test_;
    std::unique_ptr<VerilatedContext> context_;
    std::unique_ptr<Vfsh_check_link> dut_;
    unsigned told_ = 0;
};

// A header of the node's own with one field more.
#define FSH_TB_HEADER(field, value)          \
    [](Links &x) {                           \
        Links::Beat h = x.header(x.NODE, 0); \
        fsh_hdr_set_##field(h.word, value);  \
        x.tx(h);                             \
    }
#define FSH_TB_BOUND(field)               \
    [](Links &x) {                        \
        Links::Beat b = x.freed(x.beats); \
        fsh_bound_set_##field(b.word, 1); \
        x.tx(b, true);                    \
    }

static const struct {
    const char *rule, *what;
    void (*act)(Links &link);
} broken_links[] = {
    {"tx_credit", "packets without credit",
     [](Links &x) {
         for (unsigned i = 0; i <= FSH_LINK_BEATS / x.PACKET; i++)
             x.send(FSH_MAX_PACKET);
     }},
    {"rx_credit", "packets for which there is no room",
     [](Links &x) {
         for (unsigned i = 0; i <= FSH_LINK_BEATS / x.PACKET; i++)
             x.get(FSH_MAX_PACKET);
     }},
    {"tx_freed", "more given back than came",
     [](Links &x) { x.tx(x.freed(x.beats + 1), true); }},
    {"rx_freed", "more taken back than was sent",
     [](Links &x) { x.rx(x.freed(x.beats + 1), true); }},
    {"tx_reserved", "a number of a frame", FSH_TB_BOUND(seq)},
    {"tx_reserved", "an acknowledged frame", FSH_TB_BOUND(ack)},
    {"tx_reserved", "a check", FSH_TB_BOUND(check)},
    {"tx_reserved", "a CRC", FSH_TB_BOUND(crc)},
    {"tx_poison", "poison before a header",
     [](Links &x) { x.tx(x.freed(x.beats, true), true), x.send(0); }},
    {"tx_poison", "poison before a beat that is not the last",
     [](Links &x) {
         x.tx(x.header(x.NODE, 32));
         x.tx(x.freed(x.beats, true), true);
         x.tx(Links::Beat{{1, 2}});
     }},
    {"tx_poison", "poison, and then another boundary beat",
     [](Links &x) {
         x.tx(x.header(x.NODE, 16));
         x.tx(x.freed(x.beats, true), true);
         x.tx(x.freed(x.beats), true);
     }},
    {"hdr_ends", "a destination that is not there", FSH_TB_HEADER(dst, 8)},
    {"hdr_kind", "a category that there is not", FSH_TB_HEADER(category, 3)},
    {"hdr_kind", "a tag that there is not", FSH_TB_HEADER(tag, 64)},
    {"hdr_length", "too many arguments", FSH_TB_HEADER(nargs, 17)},
    {"hdr_length", "more bytes than the message has", FSH_TB_HEADER(bytes, 1)},
    {"hdr_page", "a packet over 4 KiB",
     [](Links &x) {
         Links::Beat h = x.header(x.NODE, 64);
         fsh_hdr_set_addr(h.word, 4096 - 16);
         x.tx(h);
     }},
    {"hdr_ack", "a reply that wants an answer",
     [](Links &x) {
         Links::Beat h = x.header(x.NODE, 0);
         fsh_hdr_set_reply(h.word, 1);
         fsh_hdr_set_ack(h.word, 1);
         x.tx(h);
     }},
};

static unsigned long long links(tb::Test &test)
{
    unsigned long long count = 0;

    for (unsigned i = 0; i < 4; i++) {
        Links link(test);
        count += link.legal(3000);
    }
    for (const auto &broken : broken_links) {
        tb::breaks(test, broken.rule, broken.what, [&] {
            Links link(test);
            link.legal(test.below(100));
            link.tx(link.freed(link.beats), true);
            link.rx(link.freed(link.beats), true);
            broken.act(link);
        });
        count++;
    }
    return count;
}

#endif

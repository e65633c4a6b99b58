// SPDX-License-Identifier: BSD-3-Clause
// That an engine is an entry in the node's vectors: two nodes, joined by both links,
// each with two engines (tb_fsh_engines.sv; the package is generated of spec/ and
// toy.toml). Hosts send PUTs, messages to both engines and commands that are to be
// refused; the testbench plays the commands of engine 0, the first of them while
// fsh_tracker still clears its words. Every addend of a TOY message is another number,
// so that the counter tells which one was counted.
#include "rank.h"

// Cycles after reset until fsh_tracker has cleared its words and ended all tags.
static const unsigned CLEAR =
    FSH_MAX_NODES * (FSH_NUM_TAGS + 2 * FSH_SLOTS_PER_PEER);
static const unsigned OPERATIONS = 1500; // of a host
// In the segments, by tag: what hosts and engine 0 send, where it goes by sender;
// values of the toy.
static const unsigned FROM = 0x10000, TO = 0x20000, CORE_FROM = 0x40000,
                      CORE_TO = 0x50000, PIECE = 256, VALUES = 0x80000;

class Bench
{
  public:
    explicit Bench(tb::Test &test)
        : test_(test), context_(test.context()), a_(test, context_.get(), 0),
          b_(test, context_.get(), 1), rank_{&a_, &b_}, line_{
                                                            {Line(7), Line(9)},
                                                            {Line(8), Line(11)}}
    {
        for (Rank *r : rank_) {
            std::memset(&r->card.segment[0], 0, Card::SEGMENT);
            clear(r->card.node);
            tb::reset(test_, r->card.node);
            r->program();
        }
    }

    ~Bench()
    {
        for (Rank *r : rank_)
            r->card.node.final();
    }

    void run()
    {
        while (!a_.writes.empty() || !b_.writes.empty() || !ready_) {
            ready_ = a_.writes.empty() && b_.writes.empty();
            step();
        }
        while (!over()) {
            if (test_.cycle > 2000000)
                test_.fail(
                    "operations do not end: %u and %u, %u and %u of engine 0",
                    a_.busy, b_.busy, a_.core_busy, b_.core_busy);
            step();
        }
        for (unsigned i = 0; i < 2000; i++)
            step();
        finish();
    }

    unsigned toys = 0, passed = 0, refused = 0, unsupported = 0, busy = 0,
             puts = 0, early = 0;

  private:
    static void clear(Node &n)
    {
        n.cycle_i = 0;
        n.s_axil_wvalid_i = n.core_valid_i = 0;
        n.m_host_awready_i = n.m_host_wready_i = n.m_host_bvalid_i = 0;
        n.m_mem_awready_i = n.m_mem_wready_i = n.m_mem_arready_i = 0;
        n.m_mem_bvalid_i = n.m_mem_rvalid_i = 0;
        n.link_rx_valid_i = n.link_rx_bound_i = 0;
    }

    bool over() const
    {
        for (const Rank *r : rank_)
            if (r->started < OPERATIONS || r->busy || r->core_busy ||
                !r->cookies.empty())
                return false;
        return true;
    }

    void step()
    {
        for (Rank *r : rank_) {
            Node &n = r->card.node;
            n.cycle_i = test_.cycle;
            counted(*r);
            r->card.memories();
            registers(*r);
            core(*r);
            ring(*r);
            if (r->writes.empty() && r->started < OPERATIONS &&
                test_.below(8) == 0)
                host(*r);
        }
        links();
        for (Rank *r : rank_) {
            r->card.node.eval();
            if (r->card.node.core_valid_i && r->card.node.core_ready_o)
                taken(*r);
        }
        for (Rank *r : rank_) {
            tb::edge(test_, r->card.node);
            test_.cycle--;
        }
        test_.cycle++;
    }

    void links()
    {
        // Port p of a node is joined with the other port of the other one.
        for (unsigned from = 0; from < 2; from++) {
            Node &tx = rank_[from]->card.node, &rx = rank_[1 - from]->card.node;
            unsigned valid = 0, bound = 0;
            for (unsigned p = 0; p < 2; p++) {
                Line::Word in = {(tx.link_tx_valid_o >> p & 1) != 0,
                                 (tx.link_tx_bound_o >> p & 1) != 0,
                                 {}};
                std::memcpy(in.data, &tx.link_tx_data_o[4 * p], 16);
                Line::Word out = line_[from][p].pass(in);
                unsigned q = 1 - p;
                valid |= (unsigned)out.valid << q;
                bound |= (unsigned)out.bound << q;
                std::memcpy(&rx.link_rx_data_i[4 * q], out.data, 16);
            }
            rx.link_rx_valid_i = (uint8_t)valid;
            rx.link_rx_bound_i = (uint8_t)bound;
        }
    }

    void registers(Rank &r)
    {
        Node &n = r.card.node;

        n.s_axil_wvalid_i = !r.writes.empty();
        if (r.writes.empty())
            return;
        n.s_axil_awaddr_i = (uint16_t)r.writes.front().first;
        n.s_axil_wdata_i = r.writes.front().second;
        r.writes.pop_front();
    }

    // --- what is sent ------------------------------------------------------

    static void command(uint64_t *w, unsigned opcode, unsigned category,
                        unsigned dst, unsigned tag)
    {
        fsh_cmd_set_opcode(w, opcode);
        fsh_cmd_set_category(w, category);
        fsh_cmd_set_dst(w, dst);
        fsh_cmd_set_tag(w, tag);
        fsh_cmd_set_check(w, FSH_CMD_CHECK);
    }

    void host(Rank &r)
    {
        unsigned tag = test_.below(FSH_HOST_TAGS), dst = test_.below(2);
        Operation &o = r.op[tag];

        if (o.kind != Operation::None)
            return;
        o.dst = dst;
        switch (test_.below(8)) {
        case 0:
        case 1:
        case 2:
            put(r, o, tag);
            break;
        case 3:
            compute(r, o, tag);
            break;
        case 4:
            refuse(r, o, tag);
            break;
        default:
            toy(r, o, tag);
        }
        r.started++;
        r.busy++;
    }

    void put(Rank &r, Operation &o, unsigned tag)
    {
        uint64_t w[4] = {};

        o.kind = Operation::Put;
        o.bytes = 1 + test_.below(PIECE);
        r.fill(FROM + tag * PIECE, o.bytes);
        command(w, FSH_OP_PUT, FSH_CAT_LONG, o.dst, tag);
        fsh_cmd_set_ack(w, 1);
        fsh_cmd_set_laddr(w, FROM + tag * PIECE);
        fsh_cmd_set_raddr(w, TO + r.card.number * 0x8000 + tag * PIECE);
        fsh_cmd_set_length(w, o.bytes);
        r.submit(w, 4);
    }

    void message(Rank &r, unsigned opcode, unsigned dst, unsigned tag,
                 uint64_t args)
    {
        uint64_t w[5] = {};

        command(w, opcode, FSH_CAT_SHORT, dst, tag);
        fsh_cmd_set_nargs(w, 2);
        w[4] = args;
        r.submit(w, 5);
    }

    // No compute core is there.
    void compute(Rank &r, Operation &o, unsigned tag)
    {
        uint64_t args = 0;

        o.kind = Operation::Compute;
        fsh_crun_set_op(&args, FSH_CMSG_RUN);
        fsh_crun_set_count(&args, 1);
        message(r, FSH_OP_COMPUTE, o.dst, tag, args);
    }

    // An opcode that nobody takes, or a tag of an engine.
    void refuse(Rank &r, Operation &o, unsigned tag)
    {
        uint64_t w[4] = {};
        bool by_tag = test_.below(2) && refused_tag_[r.card.number] == NONE;

        o.kind = Operation::Refused;
        if (by_tag)
            refused_tag_[r.card.number] = tag;
        command(w, by_tag ? FSH_OP_GET : FSH_OP_ATOMIC, FSH_CAT_SHORT,
                o.dst, by_tag ? FSH_HOST_TAGS : tag);
        r.submit(w, 4);
    }

    void toy(Rank &r, Operation &o, unsigned tag)
    {
        uint64_t args = 0;
        bool none = test_.below(16) == 0;

        o.kind = Operation::Toy;
        o.add = none ? 0 : ++last_add_;
        fsh_toy_set_add(&args, o.add);
        fsh_toy_set_addr(&args, VALUES / 64 + o.add);
        Message m = {r.card.number, o.dst, test_.below(2), o.add};
        m.pass = test_.below(3) == 0;
        fsh_toy_set_pass(&args, m.pass);
        fsh_toy_set_next(&args, m.next);
        if (!none)
            message_[o.add] = m;
        message(r, FSH_OP_TOY, o.dst, tag, args);
    }

    // Engine 0: PUTs, and COMPLETEs for either host.
    void core(Rank &r)
    {
        Node &n = r.card.node;
        unsigned number = r.card.number;

        if (n.core_ack_o)
            core_done(r, n.core_tag_o, n.core_status_o);
        if (took_[number])
            n.core_valid_i = took_[number] = false;
        if (n.core_valid_i || !ready_ || r.started >= OPERATIONS ||
            test_.below(test_.cycle < CLEAR ? 4 : 16))
            return;
        uint64_t w[2] = {};
        unsigned tag = test_.below(FSH_COMPUTE_TAGS), dst = test_.below(2);
        fsh_ecmd_set_dst(w, dst);
        if (test_.below(4) == 0) {
            unsigned cookie = test_.below(1024) | number << 10;
            uint64_t args = 0;
            if (!rank_[dst]->cookies.insert(cookie).second)
                return;
            fsh_ccomplete_set_op(&args, FSH_CMSG_COMPLETE);
            fsh_ccomplete_set_cookie(&args, cookie);
            fsh_ecmd_set_kind(w, FSH_EKIND_MESSAGE);
            fsh_ecmd_set_laddr(w, args);
        } else {
            if (r.core_bytes[tag])
                return;
            r.core_bytes[tag] = 1 + test_.below(PIECE);
            r.core_dst[tag] = dst;
            r.core_busy++;
            r.fill(CORE_FROM + tag * PIECE, r.core_bytes[tag]);
            fsh_ecmd_set_kind(w, FSH_EKIND_PUT);
            fsh_ecmd_set_tag(w, tag | test_.below(4)
                                          << 4); // the rest is not looked at
            fsh_ecmd_set_laddr(w, CORE_FROM + tag * PIECE);
            fsh_ecmd_set_raddr(w, CORE_TO + number * 0x4000 + tag * PIECE);
            fsh_ecmd_set_length(w, r.core_bytes[tag]);
        }
        n.core_valid_i = 1;
        std::memcpy(&n.core_cmd_i[0], w, sizeof w);
    }

    void taken(Rank &r)
    {
        uint64_t w[2];

        std::memcpy(w, &r.card.node.core_cmd_i[0], sizeof w);
        took_[r.card.number] = true;
        early += fsh_ecmd_kind(w) == FSH_EKIND_PUT && test_.cycle < CLEAR;
    }

    // --- what comes of it ----------------------------------------------------

    void same(const Rank &r, unsigned from, unsigned dst, unsigned to,
              unsigned bytes, const char *what)
    {
        if (std::memcmp(&r.card.segment[from], &rank_[dst]->card.segment[to],
                        bytes))
            test_.fail("%s of node %u: not what was sent to %u", what,
                       r.card.number, dst);
        puts++;
    }

    void core_done(Rank &r, unsigned tag, unsigned status)
    {
        if (tag >= FSH_COMPUTE_TAGS || !r.core_bytes[tag] || status)
            test_.fail("engine 0 of node %u: ack of tag %u, status %u",
                       r.card.number, tag, status);
        same(r, CORE_FROM + tag * PIECE, r.core_dst[tag],
             CORE_TO + r.card.number * 0x4000 + tag * PIECE, r.core_bytes[tag],
             "PUT of engine 0");
        r.core_bytes[tag] = 0;
        r.core_busy--;
    }

    // The toy writes its counter: by how much it is more tells what was counted.
    void counted(Rank &r)
    {
        const Node &n = r.card.node;

        if (!n.toy_write_o)
            return;
        unsigned add = (unsigned)(n.toy_data_o - r.count);
        Message *m = to_count(message_, add, r.card.number);
        if (!m)
            m = to_count(onward_, add, r.card.number);
        if (!m)
            test_.fail("node %u counts %u, not sent to it", r.card.number, add);
        m->counted = true;
        passed += m->onward;
        if (m->pass) // the toy sends it on, from this node, and wants no answer
            onward_[add] = {r.card.number, m->next, 0, add, false, false, true};
        r.count = n.toy_data_o;
        r.at[(unsigned)r.count & 0x7ff] = m;
        toys++;
    }

    static Message *to_count(std::map<unsigned, Message> &in, unsigned add,
                             unsigned node)
    {
        auto found = in.find(add);

        if (found == in.end() || found->second.dst != node ||
            found->second.counted)
            return nullptr;
        return &found->second;
    }

    void ring(Rank &r)
    {
        uint64_t w[2];

        std::memcpy(w, &r.card.host[RING + 16 * r.taken], sizeof w);
        if (!fsh_ring_phase(w))
            return;
        if (++r.taken >= FSH_RING_ENTRIES * 3 / 4)
            test_.fail("more entries than the ring has room for");
        if (fsh_ring_kind(w) == FSH_CPL_TAGGED &&
            fsh_ring_opcode(w) == FSH_OP_TOY)
            told(r, w);
        else if (fsh_ring_kind(w) == FSH_CPL_TAGGED &&
                 fsh_ring_opcode(w) == FSH_OP_COMPUTE)
            completed(r, (unsigned)fsh_ring_tag(w));
        else
            ended(r, w);
    }

    void completed(Rank &r, unsigned cookie)
    {
        if (!r.cookies.erase(cookie))
            test_.fail("node %u: COMPLETE of %u, sent by nobody", r.card.number,
                       cookie);
    }

    // An entry of the toy: the value is where the message wanted it.
    void told(Rank &r, const uint64_t *w)
    {
        auto low = r.at.find((unsigned)fsh_ring_tag(w));

        if (low == r.at.end() || fsh_ring_status(w))
            test_.fail("node %u: the toy tells of %llx, status %llu",
                       r.card.number, (unsigned long long)fsh_ring_tag(w),
                       (unsigned long long)fsh_ring_status(w));
        const Message &m = *low->second;
        if (m.src != fsh_ring_node(w))
            test_.fail("node %u: the toy tells of %u, of node %llu",
                       r.card.number, m.add,
                       (unsigned long long)fsh_ring_node(w));
        r.at.erase(low);
        if (m.pass) // the value may have been replaced by that of the next node
            return;
        uint64_t value;
        std::memcpy(&value, &rank_[m.src]->card.segment[VALUES + 64 * m.add],
                    8);
        if ((value & 0x7ff) != fsh_ring_tag(w))
            test_.fail("the value of %u at node %u is %llx", m.add, m.src,
                       (unsigned long long)value);
    }

    void ended(Rank &r, const uint64_t *w)
    {
        unsigned tag = (unsigned)fsh_ring_tag(w);
        unsigned status = (unsigned)fsh_ring_status(w);
        bool cut = fsh_ring_kind(w) == FSH_CPL_REFUSED;

        if (cut && tag == FSH_HOST_TAGS) {
            tag = refused_tag_[r.card.number];
            refused_tag_[r.card.number] = NONE;
        }
        if (tag >= FSH_HOST_TAGS || r.op[tag].kind == Operation::None)
            test_.fail("node %u: tag %u ends", r.card.number, tag);
        Operation &o = r.op[tag];
        check(r, o, tag, status, cut);
        o.kind = Operation::None;
        r.busy--;
    }

    void check(Rank &r, const Operation &o, unsigned tag, unsigned status,
               bool cut)
    {
        unsigned wanted = FSH_STATUS_OK;

        if (o.kind == Operation::Refused)
            wanted = FSH_STATUS_BAD_COMMAND;
        if (o.kind == Operation::Compute)
            wanted = FSH_STATUS_UNSUPPORTED;
        if (o.kind == Operation::Toy && status == FSH_STATUS_BUSY)
            wanted = status;
        else if (o.kind == Operation::Toy && !o.add)
            wanted = FSH_STATUS_UNSUPPORTED;
        if (status != wanted || cut != (o.kind == Operation::Refused))
            test_.fail("node %u: tag %u ends with %u instead of %u",
                       r.card.number, tag, status, wanted);
        refused += cut;
        unsupported += status == FSH_STATUS_UNSUPPORTED;
        busy += status == FSH_STATUS_BUSY;
        if (o.kind == Operation::Put)
            same(r, FROM + tag * PIECE, o.dst,
                 TO + r.card.number * 0x8000 + tag * PIECE, o.bytes, "PUT");
        bool ok = status == FSH_STATUS_OK;
        if (o.kind == Operation::Toy && o.add &&
            ok != message_.at(o.add).counted)
            test_.fail("message %u is answered %s", o.add,
                       ok ? "and not counted" : "BUSY and counted");
    }

    // Everything has come to rest.
    void finish()
    {
        for (Rank *r : rank_)
            if (!r->at.empty() || !r->card.node.idle_o)
                test_.fail("node %u: %zu values nobody was told of, idle %d",
                           r->card.number, r->at.size(), r->card.node.idle_o);
    }

    static const unsigned NONE = ~0u;
    tb::Test &test_;
    std::unique_ptr<VerilatedContext> context_;
    Rank a_, b_;
    Rank *rank_[2];
    Line line_[2][2];
    std::map<unsigned, Message> message_, onward_; // by addend
    unsigned last_add_ = 0;
    unsigned refused_tag_[2] = {NONE, NONE};
    bool took_[2] = {}, ready_ = false; // the registers are programmed
};

int main(int argc, char **argv)
{
    tb::Test test("tb_fsh_engines", argc, argv);
    Bench bench(test);

    bench.run();
    if (!bench.passed || !bench.refused || !bench.unsupported || !bench.busy ||
        !bench.puts || !bench.early)
        test.fail("%u passed on, %u refused, %u unsupported, %u busy, %u PUTs, "
                  "%u early",
                  bench.passed, bench.refused, bench.unsupported, bench.busy,
                  bench.puts, bench.early);
    return test.pass(bench.toys, "messages counted");
}

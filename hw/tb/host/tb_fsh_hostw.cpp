// SPDX-License-Identifier: BSD-3-Clause
// fsh_hostw against a host: rings in its memory that it reads by their phases,
// promptly or so late that they fill, and bursts of receivers (and the collective
// engine, which is one of them here) that must come through whole, in order, with
// their answers, errors and all, to the receiver that asked. An entry is lost if its ring is full, and only then;
// none overwrites another that the host has not read. The status line says how
// far the heads were when it was written, and in the end where they are; none is
// written while the block is not enabled. Who waits is passed by each other
// source once at most. Without stalls an entry takes two cycles.
#include <array>
#include <memory>
#include "rings.h"
#include "Vfsh_hostw.h"

static const unsigned SOURCES = 6; // of entries
static const unsigned RINGS = 3;
static const unsigned STATUS = RINGS; // kinds of burst: rings, then these
static const unsigned RECEIVER = RINGS + 1;
static const unsigned RECEIVERS = 3;
static const uint64_t RING_BYTES = FSH_RING_ENTRIES * FSH_RING_ENTRY_BYTES;
static const unsigned CHUNK = 40000; // cycles for which a host stays as it is
static const unsigned DRAIN = 20000;

class Bench
{
  public:
    explicit Bench(tb::Test &test)
        : test_(test), context_(test.context()), dut_(context_.get()),
          memory_(test, 60), receivers_{Receiver(test), Receiver(test),
                                        Receiver(test)}
    {
        for (unsigned i = 0; i < SOURCES; i++)
            sources_.emplace_back(test);
    }

    ~Bench()
    {
        dut_.final();
    }

    void round(unsigned cycles, bool stalls)
    {
        begin(!stalls);
        loading_ = true;
        for (unsigned i = 0; i < cycles; i++) {
            if (stalls && i % CHUNK == 0)
                change(i / CHUNK);
            cycle();
        }
        loading_ = false;
        drain();
        if (!stalls && 2 * kept_ + 40 < cycles)
            test_.fail("%llu entries in %u cycles", kept_, cycles);
        if (stalls && (lost_ == 0 || silenced_ == 0))
            test_.fail("no ring was ever full, or no head moved unsaid");
    }

    unsigned long long bursts = 0;

  private:
    void begin(bool hurry)
    {
        hurry_ = hurry;
        place();
        memory_.clear();
        memory_.hurry = hurry;
        memory_.errors = hurry ? 0 : 6;
        for (Receiver &r : receivers_) {
            r.addresses.clear();
            r.datas.clear();
            r.expected.clear();
            r.passed = 0;
        }
        for (auto &source : sources_) {
            source.clear();
            source.hurry = hurry;
        }
        passed_ = {};
        heads_ = {{0, 0}};
        silent_ = {false};
        enabled_ = true;
        silenced_ = 0;
        told_ = 0;
        lost_ = kept_ = 0;
        idle();
        tb::reset(test_, dut_);
    }

    // Rings, receivers and the status line stand where a burst's address tells
    // them apart.
    void place()
    {
        host_base_ = test_.bits() & 0x3fff'ffff'f000;
        dut_.host_base_i = host_base_;
        uint64_t bases[RINGS];
        for (unsigned i = 0; i < RINGS; i++) {
            bases[i] = (i * 8 + test_.below(8)) * RING_BYTES;
            rings_[i] = Ring();
            rings_[i].base = bases[i];
            rings_[i].memory.assign(FSH_RING_ENTRIES, Beat{});
        }
        dut_.cpl_base_i = bases[0];
        dut_.req_base_i = bases[1];
        dut_.rep_base_i = bases[2];
        dut_.status_addr_i = (24 * RING_BYTES) + test_.below(4096) * 16;
    }

    void idle()
    {
        dut_.enable_i = 0;
        dut_.rx_awvalid_i = dut_.rx_wvalid_i = 0;
        dut_.entry_valid_i = 0;
        dut_.bvalid_i = 0;
        dut_.req_head_i = dut_.rep_head_i = 0;
    }

    // The kind of burst that goes to an address.
    unsigned kind(uint64_t addr)
    {
        uint64_t offset = addr - host_base_;

        for (unsigned i = 0; i < RINGS; i++)
            if (offset - rings_[i].base < RING_BYTES)
                return i;
        if (offset == dut_.status_addr_i)
            return STATUS;
        if (offset >> 32 < 1 || offset >> 32 > RECEIVERS)
            test_.fail("a burst to %llx", (unsigned long long)offset);
        return RECEIVER + (unsigned)(offset >> 32) - 1;
    }

    // Which rings the host leaves alone, one at least, and whether receivers
    // have bursts, which leaves little to entries.
    void change(unsigned chunk)
    {
        if (chunk % 4 == 0)
            favourite_ = test_.below(RINGS);
        for (Ring &ring : rings_)
            ring.asleep = &ring == &rings_[favourite_] || test_.below(3) == 0;
        bursty_ = chunk % 4 == 0 || chunk % 4 == 3;
    }

    void generate()
    {
        if (!loading_)
            return;
        for (unsigned r = 0; r < RECEIVERS && bursty_ && !hurry_; r++)
            if (receivers_[r].addresses.waiting.size() < 3)
                burst(r);
        for (auto &source : sources_) {
            if (source.waiting.size() > 2)
                continue;
            Entry entry = {test_.below(RINGS), {test_.bits(), test_.bits()}};
            if (test_.below(2) && !hurry_)
                entry.ring = favourite_;
            leave_out(entry.beat);
            source.waiting.push_back(entry);
        }
        if (hurry_)
            return;
        if (test_.below(50) == 0)
            move_heads();
        // Mostly on; off for long enough that heads move several times.
        if (test_.below(enabled_ ? 4000 : 400) == 0)
            enable(!enabled_);
    }

    // By some entries, or anywhere: all 32 bits count.
    void move_heads()
    {
        move_head(test_.below(2),
                  test_.below(8) ? test_.below(200) : (uint32_t)test_.bits());
    }

    void move_head(unsigned which, uint32_t by)
    {
        auto heads = heads_.back();

        heads[which] += by;
        if (by == 0)
            return;
        heads_.push_back(heads);
        silent_.push_back(!enabled_ && test_.cycle - since_ > 1);
    }

    // What the heads were only while it was off, no status line says.
    void enable(bool on)
    {
        enabled_ = on;
        since_ = test_.cycle;
        if (on)
            silent_.back() = false;
    }

    void burst(unsigned r)
    {
        unsigned at = test_.below(256);
        unsigned beats = 1 + test_.below(test_.below(2) ? 64 : 3);
        uint64_t offset = (uint64_t)(r + 1) << 32 | (test_.bits() & 0xffff000);
        tb::Burst burst = {offset | at * 16, 0, false, {}, {}};

        burst.beats = std::min(beats, 256 - at);
        for (unsigned i = 0; i < burst.beats; i++) {
            burst.data.push_back({test_.bits(), test_.bits()});
            burst.strobes.push_back(test_.below(0x10000));
            receivers_[r].datas.waiting.push_back({burst.data.back(),
                                                   burst.strobes.back(),
                                                   i + 1 == burst.beats});
        }
        receivers_[r].addresses.waiting.push_back(burst);
    }

    void cycle()
    {
        generate();
        drive();
        take_receivers();
        take_entries();
        take_bus();
        for (Ring &ring : rings_) {
            ring.taken_before = ring.taken;
            read(ring);
        }
        tb::edge(test_, dut_);
    }

    void drive()
    {
        dut_.enable_i = enabled_;
        dut_.cycle_i = test_.cycle + 0x1234'5600'0000;
        dut_.req_head_i = heads_.back()[0];
        dut_.rep_head_i = heads_.back()[1];
        dut_.taken_i = 0;
        for (unsigned i = 0; i < RINGS; i++)
            dut_.taken_i |= (rings_[i].taken & 0x3fff) << i * 14;
        drive_receivers();
        dut_.entry_valid_i = 0;
        for (unsigned i = 0; i < SOURCES; i++) {
            if (!sources_[i].offer())
                continue;
            const Entry &entry = sources_[i].front();
            dut_.entry_valid_i |= 1 << i;
            dut_.entry_ring_i &= (uint16_t) ~(3 << 2 * i);
            dut_.entry_ring_i |= (uint16_t)(entry.ring << 2 * i);
            store(dut_.entry_i, entry.beat, i);
        }
        dut_.awready_i = memory_.address_ready();
        dut_.wready_i = memory_.data_ready();
        dut_.bvalid_i = memory_.answers.due(test_.cycle);
        dut_.berr_i = dut_.bvalid_i ? memory_.answers.front().error
                                    : (uint8_t)test_.below(2);
        dut_.eval();
    }

    void drive_receivers()
    {
        dut_.rx_awvalid_i = dut_.rx_wvalid_i = 0;
        dut_.rx_awlen_i = 0;
        for (unsigned r = 0; r < RECEIVERS; r++) {
            Receiver &receiver = receivers_[r];
            if (receiver.addresses.offer()) {
                const tb::Burst &burst = receiver.addresses.front();
                dut_.rx_awvalid_i |= 1 << r;
                dut_.rx_awlen_i |= (burst.beats - 1) << 8 * r;
                for (unsigned bit = 0; bit < 40; bit++)
                    set_bit(dut_.rx_awaddr_i, 40 * r + bit,
                            burst.addr >> bit & 1);
            }
            if (receiver.datas.offer()) {
                const Data &data = receiver.datas.front();
                dut_.rx_wvalid_i |= 1 << r;
                store(dut_.rx_wdata_i, data.beat, r);
                dut_.rx_wstrb_i &= ~(UINT64_C(0xffff) << 16 * r);
                dut_.rx_wstrb_i |= (uint64_t)data.strobes << 16 * r;
                dut_.rx_wlast_i &= (uint8_t) ~(1 << r);
                dut_.rx_wlast_i |= (uint8_t)(data.last << r);
            }
        }
    }

    void take_receivers()
    {
        unsigned taken = dut_.rx_awvalid_i & dut_.rx_awready_o;

        for (unsigned r = 0; r < RECEIVERS; r++) {
            Receiver &receiver = receivers_[r];
            if (taken >> r & 1) {
                receiver.expected.push_back(receiver.addresses.front());
                receiver.addresses.taken();
                receiver.passed = 0;
            } else if (taken && dut_.rx_awvalid_i >> r & 1 &&
                       ++receiver.passed >= RECEIVERS) {
                test_.fail("receiver %u is passed by", r);
            }
            if (dut_.rx_wvalid_i & dut_.rx_wready_o & 1 << r)
                receiver.datas.taken();
        }
        if (taken & (taken - 1))
            test_.fail("two bursts begin at once");
    }

    void take_entries()
    {
        unsigned taken = dut_.entry_valid_i & dut_.entry_ready_o;

        if (dut_.lost_o + dut_.perf_entry_o != (taken != 0))
            test_.fail("an entry taken is neither lost nor kept, or both");
        if (!taken)
            return;
        unsigned at = (unsigned)__builtin_ctz(taken);
        if (taken != 1u << at)
            test_.fail("two entries taken at once");
        for (unsigned i = 0; i < SOURCES; i++) {
            bool waits = i != at && dut_.entry_valid_i >> i & 1;
            passed_[i] = waits ? passed_[i] + 1 : 0;
            if (passed_[i] >= SOURCES)
                test_.fail("source %u of entries is passed by", i);
        }
        keep(sources_[at].front());
        sources_[at].taken();
    }

    void keep(const Entry &entry)
    {
        Ring &ring = rings_[entry.ring];
        bool full = ring.kept - ring.taken == FSH_RING_ENTRIES;
        bool was = ring.kept - ring.taken_before == FSH_RING_ENTRIES;

        if ((full && !dut_.lost_o) || (!was && dut_.lost_o))
            test_.fail("ring %u has %u entries, and one is %s", entry.ring,
                       (unsigned)(ring.kept - ring.taken),
                       dut_.lost_o ? "lost" : "kept");
        lost_ += dut_.lost_o;
        if (dut_.lost_o)
            return;
        Beat beat = entry.beat;
        fsh_ring_set_phase(beat.data(), !(ring.kept / FSH_RING_ENTRIES & 1));
        fsh_ring_set_cycle(beat.data(), dut_.cycle_i);
        ring.expected.push_back(beat);
        ring.kept++;
        kept_++;
    }

    void take_bus()
    {
        if (dut_.bvalid_i) {
            const tb::Burst &burst = memory_.answers.front();
            unsigned to = kind(burst.addr);
            unsigned told = to >= RECEIVER ? 1u << (to - RECEIVER) : 0;
            if (dut_.rx_bvalid_o != told ||
                (told && dut_.rx_berr_o != burst.error))
                test_.fail("an answer (error %d) of %u goes to %u as %d",
                           burst.error, told, dut_.rx_bvalid_o, dut_.rx_berr_o);
            memory_.answers.pop();
        } else if (dut_.rx_bvalid_o) {
            test_.fail("an answer without one");
        }
        if (!dut_.busy_o && !memory_.empty())
            test_.fail("not busy with a burst under way");
        if (dut_.awvalid_o && dut_.awready_i)
            memory_.address(dut_.awaddr_o, dut_.awlen_o);
        if (dut_.wvalid_o && dut_.wready_i)
            memory_.data(load(dut_.wdata_o), dut_.wstrb_o, dut_.wlast_o);
        for (; !memory_.done.empty(); memory_.done.pop_front())
            written(memory_.done.front());
    }

    // A burst is in the host's memory.
    void written(const tb::Burst &burst)
    {
        unsigned from = kind(burst.addr);

        bursts++;
        if (from >= RECEIVER) {
            auto &expected = receivers_[from - RECEIVER].expected;
            if (expected.empty() ||
                expected.front().addr != burst.addr - host_base_ ||
                expected.front().data != burst.data ||
                expected.front().strobes != burst.strobes)
                test_.fail("a burst of receiver %u is another",
                           from - RECEIVER);
            expected.pop_front();
            return;
        }
        if (burst.beats != 1 || burst.strobes[0] != 0xffff)
            test_.fail("an entry or status line is not one whole beat");
        if (from == STATUS) {
            status(burst.data[0]);
            return;
        }
        uint64_t at = burst.addr - host_base_ - rings_[from].base;
        rings_[from].memory[at / FSH_RING_ENTRY_BYTES] = burst.data[0];
    }

    void status(const Beat &line)
    {
        std::array<uint32_t, 2> heads = {
            (uint32_t)fsh_status_req_head(line.data()),
            (uint32_t)fsh_status_rep_head(line.data())};

        for (told_++; told_ < heads_.size(); told_++) {
            if (heads_[told_] == heads && !silent_[told_])
                return;
            silenced_ += silent_[told_];
        }
        test_.fail("status line says %u %u", heads[0], heads[1]);
    }

    // The host: reads what its phase says is new, and says so in its own time.
    void read(Ring &ring)
    {
        bool odd = ring.read / FSH_RING_ENTRIES & 1;
        const Beat &beat = ring.memory[ring.read % FSH_RING_ENTRIES];

        if (test_.below(32) == 0 || hurry_)
            ring.taken = ring.read;
        if (ring.asleep || fsh_ring_phase(beat.data()) == odd)
            return;
        if (ring.expected.empty() || ring.expected.front() != beat)
            test_.fail("an entry at %llx is %016llx, not %016llx",
                       (unsigned long long)ring.base,
                       (unsigned long long)beat[0],
                       ring.expected.empty()
                           ? 0
                           : (unsigned long long)ring.expected.front()[0]);
        ring.expected.pop_front();
        ring.read++;
    }

    bool left()
    {
        for (const Ring &ring : rings_)
            if (!ring.expected.empty())
                return true;
        for (const auto &source : sources_)
            if (!source.waiting.empty())
                return true;
        for (const Receiver &r : receivers_)
            if (!r.datas.waiting.empty() || !r.expected.empty())
                return true;
        return !memory_.empty() || dut_.busy_o;
    }

    void drain()
    {
        for (Ring &ring : rings_)
            ring.asleep = false;
        enable(true);
        settle();
        for (unsigned bit = 0; bit < 64; bit++) { // each is seen by itself
            move_head(bit % 2, 1u << bit / 2);
            cycle(); // the block sees it
            settle();
        }
    }

    void settle()
    {
        test_.until(
            "what was given to leave", DRAIN, [this] { return !left(); },
            [this] { cycle(); });
        if (told_ + 1 != heads_.size())
            test_.fail("the last heads are not in the status line");
    }

    tb::Test &test_;
    std::unique_ptr<VerilatedContext> context_;
    Vfsh_hostw dut_;
    tb::WriteMemory memory_;
    Receiver receivers_[RECEIVERS];
    std::vector<tb::Feed<Entry>> sources_;
    std::array<unsigned, SOURCES> passed_ = {};
    Ring rings_[RINGS];
    uint64_t host_base_ = 0;
    bool hurry_ = false, loading_ = false, bursty_ = false;
    unsigned favourite_ = 0;                     // ring
    std::vector<std::array<uint32_t, 2>> heads_; // so far; told_: last written
    std::vector<bool> silent_; // those that no status line may say
    size_t told_ = 0;
    bool enabled_ = true;
    uint64_t since_ = 0; // the cycle in which that changed
    unsigned long long silenced_ = 0;
    unsigned long long lost_ = 0, kept_ = 0;
};

int main(int argc, char **argv)
{
    tb::Test test("tb_fsh_hostw", argc, argv);
    Bench bench(test);

    for (int i = 0; i < 2; i++) {
        bench.round(20 * CHUNK, true);
        bench.round(60000, false);
    }
    return test.pass(bench.bursts, "bursts");
}

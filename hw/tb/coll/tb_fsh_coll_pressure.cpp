// SPDX-License-Identifier: BSD-3-Clause
// The packet buffer under pressure: jobs with more data than it holds. Four nodes; a job is a
// stream of all-reduces of doubles by Rabenseifner's algorithm, of which a host starts some
// at a time, all hosts in the same order. How much of the buffer is in use, and how fast data
// goes; nothing may be lost, and all sums are compared. With the product's fsh_hashbuf, or with
// a fixed partition of the same slots in its place (partition/fsh_hashbuf.sv).
// Arguments: seed, then loads as jobs:shares:times:most:each:packets[:least[:rate]]. shares: how
// the data is divided, equal, harmonic (1, 1/2, 1/3 ...) or half (one job has as much as
// all others); times: what a node receives, in contents of the buffer; most, each:
// all-reduces at a node at once, of all jobs and of one; packets: of a step, at most;
// least: per cent of the table's slots that must be in use on average; rate: bytes a cycle
// that a node must receive at least. Without loads: short ones.
#include "fabric.h"
#include "Vfsh_coll___024root.h"

namespace
{

const unsigned nodes = 4, contexts = 32;
const unsigned teams = 32; // VPs of jobs begin here
const double slots = TABLE + RESERVE;

struct Load {
    unsigned jobs;
    char shares[16];
    double times;
    unsigned most, each, packets, least;
    double rate;
};

// Slots are means over cycles and nodes.
struct Result {
    double kib, rate; // received by a node; bytes a cycle
    double table, all,
        full; // in use but for the reserve, in use, with whole packets
    unsigned peak;
};

class Streams : public coll::Fabric
{
  public:
    Streams(tb::Test &test, const Load &load)
        : Fabric(test, nodes, SIZE_MAX, 24 << 20), load_(load), waits_(nodes),
          running_(nodes, std::vector<unsigned>(load.jobs))
    {
        std::vector<std::pair<double, unsigned>> order;
        double sum = 0;

        links = true;
        for (unsigned j = 0; j < load.jobs; j++)
            sum += share(j);
        // A node receives n - 1 blocks to reduce, and n - 1 of the result.
        size_t each = 2 * (nodes - 1) * block();
        for (unsigned j = 0; j < load.jobs; j++) {
            double all = load.times * slots * coll::packet_bytes;
            size_t count = (size_t)(all * share(j) / sum / (double)each);
            count = std::max<size_t>(1, count);
            for (size_t k = 0; k < count; k++)
                order.push_back({((double)k + 0.5) / (double)count, j});
            bytes_ += count * each;
        }
        std::stable_sort(order.begin(), order.end());
        std::vector<unsigned> next(load.jobs);
        for (auto &o : order)
            make(o.second, next[o.second]++);
    }

    Result stream()
    {
        auto want = prepare(true);
        uint64_t from = test_.cycle;
        size_t left = jobs_.size() * nodes;
        Result r = {};

        for (unsigned n = 0; n < nodes; n++)
            feed(n);
        test_.until(
            "the ends of all sequences", 2000 * left + 20000,
            [&] { return left == 0; },
            [&] {
                cycle();
                for (unsigned n = 0; n < nodes; n++) {
                    coll::Engine &e = *engines_[n];
                    bool ended = !e.ends.empty();
                    for (; !e.ends.empty(); e.ends.pop_front(), left--) {
                        check(e.ends.front());
                        running_[n][e.ends.front().cookie]--;
                    }
                    if (ended)
                        feed(n);
                    sample(e, r);
                }
            });
        uint64_t took = test_.cycle - from;
        compare(want);
        r.kib = (double)bytes_ / 1024;
        r.rate = (double)bytes_ / (double)took;
        for (double *mean : {&r.table, &r.all, &r.full})
            *mean /= (double)took * nodes;
        return r;
    }

  private:
    double share(unsigned j) const
    {
        if (std::strcmp(load_.shares, "harmonic") == 0)
            return 1.0 / (j + 1);
        if (std::strcmp(load_.shares, "half") == 0 && load_.jobs > 1)
            return j ? 1.0 / (load_.jobs - 1) : 1.0;
        return 1.0;
    }

    // Half of the blocks go in the largest step.
    size_t block() const
    {
        return load_.packets * coll::packet_bytes / (nodes / 2);
    }

    void make(unsigned j, unsigned k)
    {
        coll::Job job = {};

        job.number = k % 256;
        job.team = teams + j;
        job.cookie = (int)j;
        job.type = FSH_FOLD_DOUBLE;
        job.algorithm = fsh_program_named("rabenseifner");
        job.shape.call = FSH_PROGRAM_ALLREDUCE;
        job.shape.size = nodes;
        job.block = block();
        for (unsigned n = 0; n < nodes; n++) {
            job.nodes.push_back(n);
            waits_[n].push_back({j, jobs_.size()});
        }
        if (!add(job))
            test_.fail("no room for a job");
    }

    // The host of a node starts what may run.
    void feed(unsigned n)
    {
        unsigned running = 0;

        for (unsigned r : running_[n])
            running += r;
        for (auto w = waits_[n].begin();
             w != waits_[n].end() && running < load_.most;) {
            if (running_[n][w->first] == load_.each) {
                ++w;
                continue;
            }
            running++;
            running_[n][w->first]++;
            engines_[n]->start(jobs_[w->second].ranks[n].list);
            w = waits_[n].erase(w);
        }
    }

    static void sample(coll::Engine &e, Result &r)
    {
        const auto &used =
            e.model().rootp->fsh_coll__DOT__i_keys__DOT__i_keys__DOT__used_q;
        unsigned count = 0;

        for (unsigned i = 0; i < TABLE; i++)
            count += used[i / 32] >> i % 32 & 1;
        r.table += count;
        r.all += e.used();
        r.full += e.fates[coll::KEPT] - e.fates[coll::GONE];
        r.peak = std::max(r.peak, e.used());
    }

    Load load_;
    size_t bytes_ = 0; // that a node receives
    // Of a node: those to start, job and number; how many run, of a job.
    std::vector<std::vector<std::pair<unsigned, size_t>>> waits_;
    std::vector<std::vector<unsigned>> running_;
};

Load parse(tb::Test &test, const char *text)
{
    Load load = {};

    if (std::sscanf(text, "%u:%15[a-z]:%lf:%u:%u:%u:%u:%lf", &load.jobs,
                    load.shares, &load.times, &load.most, &load.each,
                    &load.packets, &load.least, &load.rate) < 6 ||
        load.jobs < 1 || load.jobs > teams || load.most > contexts)
        test.fail("%s: not jobs:shares:times:most:each:packets[:least[:rate]], "
                  "up to %u jobs",
                  text, teams);
    return load;
}

} // namespace

int main(int argc, char **argv)
{
    tb::Test test("tb_fsh_coll_pressure", argc, argv);
    std::vector<const char *> loads(argv + std::min(argc, 2), argv + argc);

    if (loads.empty())
        loads = SHORT;
    std::printf("%u slots and %u in reserve. In use, on average: T of the "
                "slots without the reserve, A of all, W with whole packets\n",
                TABLE, RESERVE);
    for (const char *text : loads) {
        Load load = parse(test, text);
        Result r = Streams(test, load).stream();
        std::printf("%-26s %6.0f KiB  T %5.1f %%  A %5.1f %%  W %5.1f %%  peak "
                    "%3u  %6.2f B/cycle\n",
                    text, r.kib, 100 * r.table / TABLE, 100 * r.all / slots,
                    100 * r.full / slots, r.peak, r.rate);
        std::fflush(stdout);
        if (100 * r.table < (double)load.least * TABLE)
            test.fail("%s: %.1f %% of the table in use, not %u %%", text,
                      100 * r.table / TABLE, load.least);
        if (r.rate < load.rate)
            test.fail("%s: %.2f bytes a cycle, not %.2f", text, r.rate,
                      load.rate);
    }
    return test.pass(loads.size(), "loads");
}

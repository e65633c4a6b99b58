/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The collective engines of simulated nodes: hand-written sequences in segments, RUN
 * by each host, ends in the completion rings, values in memory. Barriers, broadcasts
 * and all-reduces (eager and not, one packet and many, any packet size, with random
 * stalls), several at once in different orders, and invalid ones. Prints the cycles
 * of an operation from the first doorbell to the last end, and holds a barrier to the
 * sum of the hops of its critical path, measured one by one. Arguments: case names.
 * Environment: SIM_WAVES=FILE.fst.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bed.h"
#include "check.h"

#define LIMIT 400000u /* cycles */
#define SEGMENT (1u << 20)
#define FLOAT 4u /* FSHMEM_FLOAT, FSHMEM_SUM: as in fshmem_coll.h */
#define SUM 0u
#define OWN 0x40000u /* offsets in each segment */
#define RESULT 0x80000u
#define SEQUENCES 0x1000u
#define POSTED 0xc00000u /* in each host's DMA window */
#define NODES 4u
#define MOST_NODES 32u
#define LEVEL 30u /* cycles of the engine, at most, beside those of a Short */
#define UNITS 2u  /* of an engine */

static struct fsh_bed bed;
static uint32_t message_tag = 7; /* of the next message */
static const char ring[] = "ring", line[] = "line";
static const char *topology = ring;

static void open_bed(uint32_t nodes, uint32_t packet, uint64_t stall)
{
    struct fsh_fabric_config config;
    struct fsh_bed_options options = {
        .packet = packet, .ports = 3, .seg_size = SEGMENT};
    char err[512];

    fsh_fabric_defaults(&config);
    config.nodes = nodes;
    config.topology = fsh_bed_topology(topology, nodes);
    config.dram_bytes = 2 * SEGMENT;
    config.waves = getenv("SIM_WAVES");
    config.stall = stall != 0;
    config.stall_seed = stall;
    CHECK(fsh_bed_open(&bed, &config, &options, err, sizeof err), "%s", err);
    CHECK(fsh_fabric_run(bed.fab, LIMIT), "not idle after reset");
}

static void close_bed(void)
{
    uint64_t entry[2];

    CHECK(fsh_fabric_run(bed.fab, LIMIT), "the nodes do not become idle: %s",
          fsh_fabric_error(bed.fab) ? fsh_fabric_error(bed.fab) : "no error");
    for (uint32_t n = 0; n < bed.nodes; n++)
        CHECK(!fsh_bed_take(&bed, n, FSH_BED_RING_CPL, entry),
              "node %u: an entry too many: %016" PRIx64, n, entry[0]);
    CHECK(fsh_bed_close(&bed), "close");
}

/* A step of which little is said; the rest by setters. */
struct step {
    uint64_t word[FSH_COLLDESC_WORDS];
};

static struct step make_step(uint32_t job, uint32_t seq, uint32_t bytes)
{
    struct step s = {{0}};

    fsh_colldesc_set_job(s.word, job);
    fsh_colldesc_set_vp(s.word, 1);
    fsh_colldesc_set_dest_vp(s.word, 1);
    fsh_colldesc_set_seq(s.word, seq);
    fsh_colldesc_set_bytes(s.word, bytes);
    fsh_colldesc_set_cookie(s.word, 100 + job);
    fsh_colldesc_set_kind(s.word, FLOAT);
    fsh_colldesc_set_op(s.word, SUM);
    return s;
}

static void send_to(struct step *s, uint32_t node, uint32_t seq, bool eager)
{
    fsh_colldesc_set_send(s->word, 1);
    fsh_colldesc_set_dest(s->word, node);
    fsh_colldesc_set_dest_seq(s->word, seq);
    fsh_colldesc_set_eager(s->word, eager);
}

static void await_from(struct step *s, uint32_t node)
{
    uint64_t at = fsh_colldesc_count(s->word);

    fsh_colldesc_set_sources0(s->word, (uint64_t)node << 8 * at);
    s->word[0] &= ~(UINT64_C(31) << 35);
    fsh_colldesc_set_count(s->word, at + 1);
}

/* Sequence `slot` of a node: its head and tail are set here. */
static uint32_t place(uint32_t node, uint32_t slot, struct step *steps,
                      uint32_t count)
{
    uint32_t at = SEQUENCES + slot * 0x400;

    fsh_colldesc_set_head(steps[0].word, 1);
    fsh_colldesc_set_tail(steps[count - 1].word, 1);
    for (uint32_t i = 0; i < count; i++)
        memcpy(fsh_fabric_dram(bed.fab, node) + at + i * 64, steps[i].word, 64);
    return at / 64;
}

static void send_message(uint32_t from, uint32_t dst, uint32_t op,
                         uint32_t addr)
{
    struct fsh_bed_command cmd;
    uint64_t two = 0;
    uint32_t args[4] = {0};

    fsh_collrun_set_op(&two, op);
    fsh_collrun_set_addr(&two, addr);
    args[0] = (uint32_t)two;
    args[1] = (uint32_t)(two >> 32);
    fsh_bed_command(&cmd, FSH_OP_COLLECTIVE, FSH_CAT_SHORT, dst, message_tag);
    fsh_bed_attach(&cmd, args, 2, NULL, 0);
    CHECK(fsh_bed_submit(&bed, from, &cmd), "window full");
}

static void next_entry(uint32_t node, uint64_t entry[2])
{
    CHECK(fsh_bed_await(&bed, node, FSH_BED_RING_CPL, LIMIT, entry),
          "node %u: no entry; %s", node,
          fsh_fabric_error(bed.fab) ? fsh_fabric_error(bed.fab) : "no error");
}

/* The answer to a message, or a sequence's end. */
static void expect_answer(uint32_t node, uint32_t status)
{
    uint64_t entry[2];

    next_entry(node, entry);
    CHECK(fsh_ring_opcode(entry) == FSH_OP_PUT_ACK &&
              fsh_ring_tag(entry) == message_tag &&
              fsh_ring_status(entry) == status,
          "node %u: %016" PRIx64 " is no answer with status %u", node, entry[0],
          status);
}

static uint64_t expect_end(uint32_t node, uint32_t job, uint32_t status)
{
    uint64_t entry[2];

    next_entry(node, entry);
    CHECK(fsh_ring_opcode(entry) == FSH_OP_COLLECTIVE &&
              fsh_ring_kind(entry) == FSH_CPL_TAGGED &&
              fsh_ring_tag(entry) == 100 + job &&
              fsh_ring_status(entry) == status && fsh_ring_node(entry) == node,
          "node %u: %016" PRIx64 " is no end of job %u with status %u", node,
          entry[0], job, status);
    return entry[0];
}

static void run(uint32_t node, uint32_t addr)
{
    send_message(node, node, FSH_COLLMSG_RUN, addr);
    expect_answer(node, FSH_STATUS_OK);
}

static float *floats(uint32_t node, uint32_t at)
{
    return (float *)(void *)(fsh_fabric_dram(bed.fab, node) + at);
}

/* --- programs ------------------------------------------------------------ */

static uint32_t make_barrier(uint32_t node, uint32_t job, uint32_t slot,
                             bool eager)
{
    struct step steps[8];
    uint32_t count = 0, n = bed.nodes;

    for (uint32_t d = 1; d < n; d *= 2) {
        steps[count] = make_step(job, d, 0);
        send_to(&steps[count++], (node + d) % n, d, eager);
        steps[count] = make_step(job, d, 0);
        await_from(&steps[count++], (node + n - d) % n);
    }
    return place(node, slot, steps, count);
}

/* From node 0, along the ring. */
static uint32_t make_broadcast(uint32_t node, uint32_t job, uint32_t slot,
                               uint32_t bytes, bool eager)
{
    struct step s = make_step(job, 1, bytes);

    if (node == 0) {
        fsh_colldesc_set_own(s.word, 1);
        fsh_colldesc_set_own_addr(s.word, OWN / 64);
    } else {
        await_from(&s, node - 1);
        fsh_colldesc_set_store(s.word, 1);
        fsh_colldesc_set_store_addr(s.word, RESULT / 64);
    }
    if (node + 1 < bed.nodes)
        send_to(&s, node + 1, 1, eager);
    return place(node, slot, &s, 1);
}

/* By doubling, of 2 or 4 nodes: the value of a level is stored, sent at the next. */
static uint32_t make_allreduce(uint32_t node, uint32_t job, uint32_t slot,
                               uint32_t bytes, bool eager)
{
    struct step steps[8];
    uint32_t count = 0;

    for (uint32_t d = 1; d < bed.nodes; d *= 2) {
        uint32_t at = d == 1 ? OWN : RESULT;

        steps[count] = make_step(job, 0, bytes);
        fsh_colldesc_set_own(steps[count].word, 1);
        fsh_colldesc_set_own_addr(steps[count].word, at / 64);
        send_to(&steps[count++], node ^ d, d, eager);
        steps[count] = make_step(job, d, bytes);
        fsh_colldesc_set_own(steps[count].word, 1);
        fsh_colldesc_set_own_addr(steps[count].word, at / 64);
        fsh_colldesc_set_reduce(steps[count].word, 1);
        await_from(&steps[count], node ^ d);
        fsh_colldesc_set_store(steps[count].word, 1);
        fsh_colldesc_set_store_addr(steps[count++].word, RESULT / 64);
    }
    return place(node, slot, steps, count);
}

static void fill(uint32_t bytes)
{
    for (uint32_t n = 0; n < bed.nodes; n++) {
        memset(fsh_fabric_dram(bed.fab, n) + RESULT, 0xee, bytes + 64);
        for (uint32_t i = 0; i < bytes / 4; i++)
            floats(n, OWN)[i] = (float)(i + 1) * (float)(n + 1);
    }
}

static void check_result(uint32_t bytes, bool broadcast)
{
    float sum = 0;

    for (uint32_t n = 0; n < bed.nodes; n++)
        sum += (float)(n + 1);
    for (uint32_t n = broadcast; n < bed.nodes; n++) {
        for (uint32_t i = 0; i < bytes / 4; i++) {
            float want = (float)(i + 1) * (broadcast ? 1.0f : sum);

            CHECK(floats(n, RESULT)[i] == want, "node %u: [%u] is %g, not %g",
                  n, i, (double)floats(n, RESULT)[i], (double)want);
        }
        CHECK(fsh_fabric_dram(bed.fab, n)[RESULT + bytes] == 0xee,
              "node %u: more is written", n);
    }
}

/* RUN at all nodes that have a sequence (not 0) at once, and all ends. Returns cycles. */
static uint64_t run_all(const uint32_t addr[MOST_NODES], uint32_t job)
{
    uint64_t begin = fsh_fabric_cycle(bed.fab), cycles;

    for (uint32_t n = 0; n < bed.nodes; n++)
        if (addr[n])
            send_message(n, n, FSH_COLLMSG_RUN, addr[n]);
    for (uint32_t n = 0; n < bed.nodes; n++)
        if (addr[n]) {
            expect_answer(n, FSH_STATUS_OK);
            expect_end(n, job, FSH_STATUS_OK);
        }
    cycles = fsh_fabric_cycle(bed.fab) - begin;
    return cycles;
}

static void do_barrier(uint32_t job, bool eager)
{
    uint32_t addr[MOST_NODES] = {0};

    for (uint32_t n = 0; n < bed.nodes; n++)
        addr[n] = make_barrier(n, job, 0, eager);
    printf("  barrier, %u nodes%s: %" PRIu64 " cycles\n", bed.nodes,
           eager ? ", eager" : "", run_all(addr, job));
}

static void do_broadcast(uint32_t job, uint32_t bytes, bool eager)
{
    uint32_t addr[MOST_NODES] = {0};

    fill(bytes);
    for (uint32_t n = 0; n < bed.nodes; n++)
        addr[n] = make_broadcast(n, job, 0, bytes, eager);
    printf("  broadcast of %u bytes, %u nodes%s: %" PRIu64 " cycles\n", bytes,
           bed.nodes, eager ? ", eager" : "", run_all(addr, job));
    check_result(bytes, true);
}

static void do_allreduce(uint32_t job, uint32_t bytes, bool eager)
{
    uint32_t addr[MOST_NODES] = {0};

    fill(bytes);
    for (uint32_t n = 0; n < bed.nodes; n++)
        addr[n] = make_allreduce(n, job, 0, bytes, eager);
    printf("  all-reduce of %u bytes, %u nodes%s: %" PRIu64 " cycles\n", bytes,
           bed.nodes, eager ? ", eager" : "", run_all(addr, job));
    check_result(bytes, false);
}

/* Values of both nodes' memory to the host of each, in and beside its own memory, by steps
 * that send, too: there before the end is told. */
static void do_posted(uint32_t job, uint32_t bytes, bool store)
{
    uint64_t entry[2];

    fill(bytes);
    for (uint32_t n = 0; n < bed.nodes; n++) {
        struct step steps[2] = {make_step(job, 1, bytes),
                                make_step(job, 2, bytes)};

        memset(fsh_fabric_dma(bed.fab, n) + POSTED, 0xee, bytes + 128);
        fsh_colldesc_set_own(steps[0].word, 1);
        fsh_colldesc_set_own_addr(steps[0].word, OWN / 64);
        send_to(&steps[0], 1 - n, 2, true);
        await_from(&steps[1], 1 - n);
        fsh_colldesc_set_store(steps[1].word, store);
        fsh_colldesc_set_store_addr(steps[1].word, store ? RESULT / 64 : 0);
        fsh_colldesc_set_post(steps[1].word, 1);
        fsh_colldesc_set_post_addr(steps[1].word, POSTED / 64);
        send_message(n, n, FSH_COLLMSG_RUN, place(n, 0, steps, 2));
    }
    for (uint32_t n = 0; n < bed.nodes; n++) {
        const unsigned char *posted = fsh_fabric_dma(bed.fab, n) + POSTED;

        next_entry(n, entry);
        expect_end(n, job, FSH_STATUS_OK);
        CHECK(memcmp(posted, floats(1 - n, OWN), bytes) == 0 &&
                  posted[(bytes + 63) / 64 * 64] == 0xee,
              "node %u: job %u: host memory has something else", n, job);
        CHECK((memcmp(floats(n, RESULT), floats(1 - n, OWN), bytes) == 0) ==
                  store,
              "node %u: job %u: it is stored, or not", n, job);
    }
}

/* --- cases --------------------------------------------------------------- */

static void case_barrier(void)
{
    for (uint32_t nodes = 2; nodes <= NODES; nodes += 2) {
        open_bed(nodes, 1024, 0);
        for (uint32_t job = 0; job < 6; job++)
            do_barrier(job, job < 3);
        close_bed();
    }
}

/* As the library has it: the step that hears of a level tells the next one. */
static uint64_t pass_barrier(uint32_t job)
{
    uint32_t addr[MOST_NODES] = {0}, n = bed.nodes;

    CHECK(fsh_fabric_run(bed.fab, LIMIT), "not idle");
    for (uint32_t node = 0; node < n; node++) {
        struct step steps[8] = {make_step(job, 0, 0)};
        uint32_t count = 1;

        for (uint32_t d = 1; d < n; d *= 2) {
            send_to(&steps[count - 1], (node + d) % n, d, true);
            steps[count] = make_step(job, d, 0);
            await_from(&steps[count++], (node + n - d) % n);
        }
        addr[node] = place(node, 0, steps, count);
    }
    return run_all(addr, job);
}

/* A token from a node on, one hop of a distance, or two: nothing else is under way, and
 * what is told of an earlier one's packets has come to their senders. */
static uint64_t pass_token(uint32_t from, uint32_t distance, uint32_t hops,
                           uint32_t job)
{
    const uint32_t to = (from + distance) % bed.nodes;
    const uint32_t last = (to + distance) % bed.nodes;
    struct step first[2] = {make_step(job, 0, 0)},
                middle = make_step(job, 1, 0);
    struct step end = make_step(job, 2, 0);
    uint32_t addr[MOST_NODES] = {0}, count = 1;

    CHECK(fsh_fabric_run(bed.fab, LIMIT), "not idle");
    send_to(&first[0], to, 1, true);
    await_from(&middle, from);
    await_from(&end, to);
    if (hops == 2)
        send_to(&middle, last, 2, true);
    if (hops == 2 && last == from)
        first[count++] = end;
    else if (hops == 2)
        addr[last] = place(last, 0, &end, 1);
    addr[from] = place(from, 0, first, count);
    addr[to] = place(to, 0, &middle, 1);
    return run_all(addr, job);
}

/* Of a Short: from accepted to its header received. */
static uint64_t short_cycles(uint32_t from, uint32_t distance)
{
    struct fsh_bed_command cmd;
    struct fsh_bed_perf accept, header;
    uint64_t entry[2];
    uint32_t to = (from + distance) % bed.nodes;

    fsh_bed_put(&cmd, to, message_tag, 0, 0, 0);
    CHECK(fsh_bed_submit(&bed, from, &cmd), "window full");
    next_entry(from, entry);
    CHECK(fsh_bed_perf(&bed, from, FSH_PERF_ACCEPT, &accept) &&
              fsh_bed_perf(&bed, to, FSH_PERF_REQ_HDR, &header),
          "counters");
    return header.last - accept.last;
}

/* Cycles from a node to the one that is so much further: those of the second hop of a
 * token. What it takes beside a Short is the engine's; of tokens whose hops are not equally
 * long, the ends differ by 13 cycles, too. */
static uint64_t measure_hop(uint32_t node, uint32_t distance, uint32_t job)
{
    uint32_t from = (node + bed.nodes - distance) % bed.nodes;
    uint64_t one = pass_token(from, distance, 1, job);
    uint64_t hop = pass_token(from, distance, 2, job + 1) - one;
    uint64_t most = topology == ring ? LEVEL : LEVEL + 13;
    uint64_t brief = short_cycles(node, distance);

    CHECK(hop > brief && hop <= brief + most,
          "%u nodes: %" PRIu64 " cycles from %u to the node %u further, of a "
          "Short %" PRIu64,
          bed.nodes, hop, node, distance, brief);
    return hop;
}

/* The longest way through the levels of a barrier, by hops that are measured alone. */
static uint64_t critical_path(uint32_t *job)
{
    uint64_t at[MOST_NODES] = {0}, next[MOST_NODES], most = 0;

    for (uint32_t d = 1; d < bed.nodes; d *= 2) {
        for (uint32_t n = 0; n < bed.nodes; n++, *job = (*job + 2) % 128) {
            uint32_t to = (n + d) % bed.nodes;
            uint64_t heard = at[n] + measure_hop(n, d, *job);

            next[to] = heard > at[to] ? heard : at[to];
            most = next[to] > most ? next[to] : most;
        }
        memcpy(at, next, sizeof at);
    }
    return most;
}

/* A barrier takes no more than its start and end and 15 % more than the sum of the
 * hops of its critical path. */
static void check_hops(uint32_t nodes)
{
    uint32_t job = 0;
    uint64_t path, ends, cycles;

    open_bed(nodes, 1024, 0);
    path = critical_path(&job);
    ends = pass_token(0, 1, 1, job);
    ends -= measure_hop(0, 1, job + 1);
    cycles = pass_barrier(job + 3) - ends;
    printf("  barrier, %u nodes, %s: %" PRIu64 " cycles, and %" PRIu64
           " for start and end; hops %" PRIu64 "\n",
           bed.nodes, topology, cycles, ends, path);
    CHECK(100 * cycles <= 115 * path, "%u nodes, %s: %" PRIu64 " of %" PRIu64,
          bed.nodes, topology, cycles, path);
    close_bed();
}

static void case_hops(void)
{
    static const uint32_t sizes[] = {2, 3, 4, 8, MOST_NODES};

    for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        check_hops(sizes[i]);
    topology = line;
    for (uint32_t i = 1; i < sizeof sizes / sizeof *sizes; i++)
        check_hops(sizes[i]);
    topology = ring;
}

static void case_broadcast(void)
{
    for (uint32_t nodes = 2; nodes <= NODES; nodes += 2) {
        open_bed(nodes, 1024, 0);
        do_broadcast(1, 64, true);
        do_broadcast(2, 1024, false);
        do_broadcast(3, 4, true);
        do_broadcast(4, 65536, true);
        do_broadcast(5, 5000, false);
        close_bed();
    }
}

static void case_allreduce(void)
{
    for (uint32_t nodes = 2; nodes <= NODES; nodes += 2) {
        open_bed(nodes, 1024, 0);
        do_allreduce(1, 64, true);
        do_allreduce(2, 1024, true);
        do_allreduce(3, 1024, false);
        do_allreduce(4, 8192, true);
        do_allreduce(5, 16384, false);
        close_bed();
    }
}

/* Packets of the fabric that are smaller than those of the engine. */
static void case_pieces(void)
{
    for (uint32_t packet = 128; packet <= 512; packet *= 2) {
        open_bed(2, packet, 0);
        do_broadcast(1, 1024, true);
        do_allreduce(2, 3000, true);
        do_allreduce(3, 4000, false);
        close_bed();
    }
}

static void case_posted(void)
{
    for (uint64_t seed = 0; seed <= 3; seed++) {
        open_bed(2, 1024, seed);
        do_posted(1, 64, true);
        do_posted(2, 256, false);
        do_posted(3, 5000, true);
        do_posted(4, 3000, false);
        close_bed();
    }
}

static void case_stalls(void)
{
    for (uint64_t seed = 1; seed <= 6; seed++) {
        open_bed(NODES, seed % 2 ? 1024 : 256, seed);
        do_barrier(1, true);
        do_allreduce(2, 2000, true);
        do_broadcast(3, 6000, false);
        do_allreduce(4, 4096, false);
        close_bed();
    }
}

/* So many entries, answers or ends; among them that of each job of a mask, once. */
static void expect_ends(uint32_t node, uint32_t entries, uint32_t jobs)
{
    uint32_t seen = 0;

    for (uint32_t k = 0; k < entries; k++) {
        uint64_t entry[2];
        uint32_t job;

        next_entry(node, entry);
        CHECK(fsh_ring_status(entry) == 0, "node %u: %016" PRIx64, node,
              entry[0]);
        if (fsh_ring_opcode(entry) != FSH_OP_COLLECTIVE)
            continue;
        job = (uint32_t)fsh_ring_tag(entry) - 100;
        CHECK((seen >> job & 1) == 0, "node %u: job %u ends twice", node, job);
        seen |= 1u << job;
    }
    CHECK(seen == jobs, "node %u: ends %x", node, seen);
}

/* Jobs of all nodes, each begun in another order by each. */
static void case_orders(void)
{
    const uint32_t jobs = 8;

    open_bed(NODES, 1024, 0);
    for (uint32_t k = 0; k < jobs; k++)
        for (uint32_t n = 0; n < NODES; n++) {
            uint32_t job = n % 2 ? jobs - 1 - k : k;

            message_tag = 7 + k;
            send_message(n, n, FSH_COLLMSG_RUN,
                         make_barrier(n, job, job, job % 2));
        }
    message_tag = 7;
    for (uint32_t n = 0; n < NODES; n++)
        expect_ends(n, 2 * jobs, (1u << jobs) - 1);
    close_bed();
}

/* Sequences that wait in the queue, of a node in which nothing else happens: each is
 * begun once. */
static void case_queued(void)
{
    const uint32_t jobs = 5, bytes = 65536;

    open_bed(2, 1024, 0);
    fill(bytes);
    for (uint32_t job = 0; job < jobs; job++) {
        /* The first keep the units at work until long after the last is queued. */
        struct step s = make_step(job, 1, job < UNITS ? bytes : 64);

        fsh_colldesc_set_own(s.word, 1);
        fsh_colldesc_set_own_addr(s.word, OWN / 64);
        fsh_colldesc_set_store(s.word, 1);
        fsh_colldesc_set_store_addr(s.word, RESULT / 64);
        run(0, place(0, job, &s, 1));
    }
    expect_ends(0, jobs, (1u << jobs) - 1);
    CHECK(memcmp(floats(0, RESULT), floats(0, OWN), bytes) == 0,
          "the copy differs");
    close_bed();
}

/* One that says nothing: its peer gives up, and goes on with the next. */
static void case_missing(void)
{
    struct step s;
    uint64_t end;

    open_bed(2, 1024, 0);
    s = make_step(9, 3, 64);
    await_from(&s, 1);
    run(0, place(0, 0, &s, 1));
    CHECK(fsh_fabric_run(bed.fab, LIMIT), "a node that waits is not idle");
    for (int i = 0; i < 3; i++) {
        send_message(0, 0, FSH_COLLMSG_TICK, 0);
        expect_answer(0, FSH_STATUS_OK);
    }
    end = expect_end(0, 9, FSH_STATUS_TIMEOUT);
    CHECK(fsh_ring_source(&end) == 1 && fsh_ring_step(&end) == 3, "%016" PRIx64,
          end);
    send_message(1, 0, FSH_COLLMSG_TICK, 0);
    expect_answer(1, FSH_STATUS_UNSUPPORTED);
    do_barrier(10, true);
    do_allreduce(11, 64, true);
    close_bed();
}

static void case_refused(void)
{
    struct step s;
    static const struct {
        uint32_t word;
        uint64_t bits;
        uint32_t status;
    } wrong[] = {
        {0, UINT64_C(1) << 47, FSH_STATUS_BAD_COMMAND}, /* reserved */
        {0, UINT64_C(1) << 3, FSH_STATUS_BAD_COMMAND},  /* given, too */
        {6, SEGMENT / 64, FSH_STATUS_MEMORY},           /* operand outside */
        {6, (uint64_t)(SEGMENT / 64) << 32, FSH_STATUS_MEMORY},
        {7, UINT64_C(0xffffffff), FSH_STATUS_MEMORY}, /* of host memory */
    };

    open_bed(2, 1024, 0);
    for (uint32_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        s = make_step(i, 1, 64);
        fsh_colldesc_set_own(s.word, 1);
        fsh_colldesc_set_store(s.word, 1);
        s.word[wrong[i].word] |= wrong[i].bits;
        fsh_colldesc_set_post(s.word, wrong[i].word == 7);
        run(0, place(0, 0, &s, 1));
        expect_end(0, i, wrong[i].status);
    }
    send_message(0, 1, FSH_COLLMSG_GRANT, 0); /* of an engine only */
    expect_answer(0, FSH_STATUS_UNSUPPORTED);
    send_message(0, 1, 9, 0);
    expect_answer(0, FSH_STATUS_UNSUPPORTED);
    do_allreduce(7, 256, true);
    close_bed();
}

/* A queue that is full says so. */
static void case_busy(void)
{
    const uint32_t most = FSH_COLL_SEQUENCES + FSH_COLL_QUEUE;
    uint32_t addr, busy = 0;
    struct step s = make_step(5, 3, 0);

    open_bed(2, 1024, 0);
    await_from(&s, 1);
    addr = place(0, 0, &s, 1);
    for (uint32_t i = 0; i < most + 2; i++) {
        uint64_t entry[2];

        send_message(0, 0, FSH_COLLMSG_RUN, addr);
        next_entry(0, entry);
        busy += fsh_ring_status(entry) == FSH_STATUS_BUSY;
        CHECK(i < most || fsh_ring_status(entry) == FSH_STATUS_BUSY,
              "RUN %u is taken", i);
    }
    CHECK(busy >= 2 && busy <= 3, "%u are busy", busy);
    CHECK(fsh_fabric_run(bed.fab, LIMIT), "not idle");
    CHECK(fsh_bed_close(&bed), "close");
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {{"barrier", case_barrier},     {"hops", case_hops},
                 {"broadcast", case_broadcast}, {"allreduce", case_allreduce},
                 {"pieces", case_pieces},       {"posted", case_posted},
                 {"stalls", case_stalls},       {"orders", case_orders},
                 {"queued", case_queued},       {"missing", case_missing},
                 {"refused", case_refused},     {"busy", case_busy}};

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool wanted = argc == 1;

        for (int k = 1; k < argc; k++)
            wanted |= strcmp(argv[k], cases[i].name) == 0;
        if (!wanted)
            continue;
        printf("%s\n", cases[i].name);
        fflush(stdout);
        cases[i].run();
    }
    printf("sim_collective: ok\n");
    return 0;
}

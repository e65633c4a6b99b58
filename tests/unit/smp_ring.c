/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rings, pools, ready bits and sleep of conduit smp with all ranks as threads of one
 * process, so that a thread sanitizer sees both sides. Random requests of every
 * category and size between all ranks; handlers reply with the same payload and
 * check theirs again afterwards; nothing may be lost, duplicated or changed. Inline
 * payloads consist of values that look like slot stamps. usage: smp_ring [seed]
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cpu.h"
#include "base/wait.h"
#include "conduit/conduit.h"
#include "conduit/smp/send.h"
#include "check.h"
#include "random.h"

#define TIME_LIMIT_NS (60 * UINT64_C(1000000000))
#define MAX_ACTIVE 4
#define SLEEP_NS (20 * UINT64_C(1000000000))

struct world {
    struct fsh_smp_layout layout;
    void *base;
    unsigned active, threads, messages;
    uint32_t rank[MAX_ACTIVE]; /* ranks that take part */
    struct fsh_smp_port *port[MAX_ACTIVE];
    atomic_uint answered[MAX_ACTIVE]; /* replies run at that rank */
    atomic_uint finished;             /* threads with all answers */
    uint64_t deadline;
};

struct party {
    struct world *world;
    unsigned index; /* in world.rank */
    bool later;     /* not the first thread of its rank */
    uint64_t random;
    pthread_t thread;
};

/* Word i of the payload of message `id`: a plausible stamp. */
static uint32_t payload_word(uint32_t id, size_t i)
{
    return UINT32_C(0x80000000) | ((id + (uint32_t)i) & 63);
}

static void fill_payload(unsigned char *buf, size_t n, uint32_t id)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t w = payload_word(id, i / 4);
        buf[i] = (unsigned char)(w >> (i % 4 * 8));
    }
}

static void check_payload(const unsigned char *buf, size_t n, uint32_t id)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t w = payload_word(id, i / 4);
        CHECK(buf[i] == (unsigned char)(w >> (i % 4 * 8)),
              "byte %zu of %zu of message %u changed", i, n, id);
    }
}

static void check_args(const struct fsh_token *in)
{
    CHECK(in->nargs >= 1, "%u arguments", in->nargs);
    for (unsigned i = 1; i < in->nargs; i++)
        CHECK(in->args[i] == (int32_t)((unsigned)in->args[0] * 31 + i),
              "argument %u of message %d", i, in->args[0]);
}

static void deliver(struct fsh_token *in, void *arg);

static void send(struct party *p, uint8_t channel, const struct fsh_am *am,
                 bool replies)
{
    struct fsh_smp_port *port = p->world->port[p->index];
    unsigned idle = 0;

    /* As the conduit does. */
    while ((am->category == FSH_AM_MEDIUM ||
            !fsh_smp_send_lean(
                port, channel, am->node, fsh_short_what(am->handler, am->nargs),
                am->args, am->category == FSH_AM_LONG ? am : NULL, false)) &&
           fsh_smp_port_send(port, channel, am->node, am) != FSH_SMP_SENT) {
        if (replies ? fsh_smp_port_poll_replies(port, deliver, p)
                    : fsh_smp_port_poll(port, deliver, p))
            continue;
        CHECK(fsh_time_ns() < p->world->deadline,
              "rank %u stuck sending on channel %u to %u",
              p->world->rank[p->index], channel, am->node);
        if (++idle % 64 == 0)
            sched_yield();
    }
}

static void send_message(struct party *p, uint32_t dest, uint8_t channel,
                         uint32_t id, unsigned nargs, uint8_t category,
                         void *src, size_t nbytes)
{
    int32_t args[16];
    struct fsh_am am = {
        .node = dest,
        .handler = (uint8_t)(128 + id % 100),
        .category = category,
        .nargs = (uint8_t)nargs,
        .args = args,
        .src = src,
        .nbytes = nbytes,
        .dst = (void *)~(uintptr_t)id,
    };

    args[0] = (int32_t)id;
    for (unsigned i = 1; i < nargs; i++)
        args[i] = (int32_t)(id * 31 + i);
    send(p, channel, &am, channel == FSH_SMP_REPLY);
}

static void deliver(struct fsh_token *in, void *arg)
{
    struct party *p = arg;
    uint32_t id = (uint32_t)in->args[0];

    check_args(in);
    CHECK(in->handler == 128 + id % 100, "handler %u", in->handler);
    if (in->category == FSH_AM_LONG)
        CHECK((uint64_t)(uintptr_t)in->buf == ~(uint64_t)id, "address");
    if (in->category == FSH_AM_MEDIUM) {
        CHECK((uintptr_t)in->buf % 16 == 0, "payload at %p", in->buf);
        check_payload(in->buf, in->nbytes, id);
    }
    if (!in->is_request) {
        atomic_fetch_add(&p->world->answered[p->index], 1);
        return;
    }
    send_message(p, in->source, FSH_SMP_REPLY, id, in->nargs,
                 (uint8_t)in->category, in->buf, in->nbytes);
    if (in->category == FSH_AM_MEDIUM)
        check_payload(in->buf, in->nbytes, id);
}

static size_t random_size(uint64_t r)
{
    switch (r % 4) {
    case 0:
        return r / 4 % 64;
    case 1:
        return r / 4 % (FSH_SMP_MAX_INLINE + 1);
    case 2:
        return r / 4 % (FSH_SMP_SMALL_BYTES + 1);
    default:
        return r / 4 % 16 ? 0 : r / 64 % (FSH_SMP_MAX_MEDIUM + 1);
    }
}

static void *party_main(void *arg)
{
    struct party *p = arg;
    struct world *w = p->world;
    unsigned char *buf = malloc(FSH_SMP_MAX_MEDIUM);
    unsigned all = w->active * w->threads;

    CHECK(buf, "no memory");
    /* The first thread of a rank has begun alone. */
    if (p->later)
        fsh_smp_port_share(w->port[p->index]);
    for (unsigned m = 0; m < w->messages; m++) {
        uint64_t r = random_next(&p->random);
        uint32_t id = (uint32_t)(r >> 32);
        uint8_t category = (uint8_t)(r % 3);
        size_t n = category == FSH_AM_MEDIUM
                       ? random_size(random_next(&p->random))
                       : 0;
        fill_payload(buf, n, id);
        send_message(p, w->rank[r / 3 % w->active], FSH_SMP_REQUEST, id,
                     (unsigned)(1 + r / 64 % 16), category, n ? buf : NULL, n);
    }
    bool counted = false;
    while (atomic_load(&w->finished) < all) {
        if (!counted &&
            atomic_load(&w->answered[p->index]) == w->threads * w->messages) {
            atomic_fetch_add(&w->finished, 1);
            counted = true;
        }
        if (!fsh_smp_port_poll(w->port[p->index], deliver, p))
            fsh_smp_port_sleep(w->port[p->index], 1000000, false);
        CHECK(fsh_time_ns() < w->deadline, "rank %u has %u of %u answers",
              w->rank[p->index], atomic_load(&w->answered[p->index]),
              w->threads * w->messages);
    }
    free(buf);
    return NULL;
}

static void make_world(struct world *w, uint32_t ranks, unsigned active,
                       unsigned threads)
{
    memset(w, 0, sizeof *w);
    w->layout = fsh_smp_layout(ranks, 0);
    w->base = mmap(NULL, w->layout.total, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(w->base != MAP_FAILED, "mmap of %zu bytes", w->layout.total);
    w->active = active;
    w->threads = threads;
    w->deadline = fsh_time_ns() + TIME_LIMIT_NS;
    for (unsigned i = 0; i < active; i++) {
        /* Spread, so that beyond 64 ranks several ready words are in use. */
        w->rank[i] = active == 1 ? 0 : i * (ranks - 1) / (active - 1);
        w->port[i] =
            fsh_smp_port_new(w->base, &w->layout, w->rank[i], threads > 1);
        CHECK(w->port[i], "no memory");
    }
}

static void free_world(struct world *w)
{
    for (unsigned i = 0; i < w->active; i++)
        fsh_smp_port_free(w->port[i]);
    munmap(w->base, w->layout.total);
}

static void run_traffic(uint32_t ranks, unsigned active, unsigned threads,
                        unsigned messages, uint64_t seed)
{
    struct world w;
    struct party party[MAX_ACTIVE * 3];

    make_world(&w, ranks, active, threads);
    w.messages = messages;
    for (unsigned i = 0; i < active * threads; i++) {
        party[i] = (struct party){.world = &w,
                                  .index = i % active,
                                  .later = i >= active,
                                  .random = seed * 1000003 + i + 1};
        CHECK(pthread_create(&party[i].thread, NULL, party_main, &party[i]) ==
                  0,
              "pthread_create");
    }
    for (unsigned i = 0; i < active * threads; i++)
        pthread_join(party[i].thread, NULL);
    for (unsigned i = 0; i < active; i++) {
        CHECK(atomic_load(&w.answered[i]) == threads * messages,
              "rank %u: %u answers", w.rank[i], atomic_load(&w.answered[i]));
        for (unsigned c = 0; c < FSH_SMP_CHANNELS; c++)
            CHECK(fsh_smp_port_blocks(w.port[i], c) == 0,
                  "rank %u lost payload blocks", w.rank[i]);
    }
    free_world(&w);
}

static enum fsh_smp_result send_to_1(struct world *w, unsigned channel,
                                     const struct fsh_am *am)
{
    return fsh_smp_port_send(w->port[0], channel, 1, am);
}

/* Full request rings and pools must not keep replies from being sent. */
static void run_full(void)
{
    struct world w;
    static unsigned char buf[FSH_SMP_MAX_MEDIUM];
    int32_t arg = 0;
    unsigned sent = 0;

    make_world(&w, 3, 3, 1);
    struct fsh_am am = {.node = 1,
                        .handler = 128,
                        .category = FSH_AM_MEDIUM,
                        .nargs = 1,
                        .args = &arg,
                        .src = buf,
                        .nbytes = sizeof buf};
    while (send_to_1(&w, FSH_SMP_REQUEST, &am) == FSH_SMP_SENT)
        sent++;
    CHECK(sent == FSH_SMP_LARGE_BLOCKS, "%u large blocks", sent);
    CHECK(send_to_1(&w, FSH_SMP_REQUEST, &am) == FSH_SMP_NO_BLOCK, "blocks");
    am.nbytes = 0;
    while (send_to_1(&w, FSH_SMP_REQUEST, &am) == FSH_SMP_SENT)
        sent++;
    CHECK(sent >= FSH_SMP_SLOTS - 16, "only %u messages fit", sent);
    CHECK(send_to_1(&w, FSH_SMP_REQUEST, &am) == FSH_SMP_NO_SLOT, "slots");
    am.nbytes = sizeof buf;
    CHECK(send_to_1(&w, FSH_SMP_REPLY, &am) == FSH_SMP_SENT,
          "a reply waited for requests");
    free_world(&w);
}

static bool send_one(struct fsh_smp_port *port, uint32_t dest,
                     const struct fsh_am *am)
{
    return fsh_smp_port_send(port, FSH_SMP_REQUEST, dest, am) == FSH_SMP_SENT;
}

struct pinger {
    struct world *world;
    unsigned index, rounds, got;
};

static void on_ping(struct fsh_token *in, void *arg)
{
    struct pinger *p = arg;

    CHECK((unsigned)in->args[0] == p->got, "ping %d, not %u", in->args[0],
          p->got);
    p->got++;
}

/* Ping-pong that sleeps at every turn: a lost wake-up sleeps to the end. */
static void *ping_main(void *arg)
{
    struct pinger *p = arg;
    struct world *w = p->world;
    struct fsh_smp_port *port = w->port[p->index];

    for (unsigned i = 0; i < p->rounds; i++) {
        int32_t a = (int32_t)i;
        struct fsh_am am = {
            .handler = 128, .category = FSH_AM_SHORT, .nargs = 1, .args = &a};
        if (p->index == 0)
            CHECK(send_one(port, w->rank[1], &am), "send");
        while (p->got <= i) {
            uint64_t start = fsh_time_ns();
            fsh_smp_port_sleep(port, SLEEP_NS, false);
            CHECK(fsh_time_ns() - start < SLEEP_NS, "lost wake-up in round %u",
                  i);
            fsh_smp_port_poll(port, on_ping, p);
        }
        if (p->index == 1)
            CHECK(send_one(port, w->rank[0], &am), "send");
    }
    return NULL;
}

/* The same with words in memory: poke instead of a message. The stores are
 * sequentially consistent, so that none may be missed. */
static _Atomic uint32_t word[2];

static void *poke_main(void *arg)
{
    struct pinger *p = arg;
    struct world *w = p->world;
    struct fsh_smp_port *port = w->port[p->index];
    uint32_t peer = w->rank[1 - p->index];

    for (unsigned i = 1; i <= p->rounds; i++) {
        if (p->index == 0) {
            atomic_store(&word[1], i);
            fsh_smp_port_poke(port, peer);
        }
        while (atomic_load(&word[p->index]) != i) {
            uint64_t start = fsh_time_ns();
            fsh_smp_port_sleep(port, SLEEP_NS, true);
            CHECK(fsh_time_ns() - start < SLEEP_NS, "lost poke in round %u", i);
        }
        if (p->index == 1) {
            atomic_store(&word[0], i);
            fsh_smp_port_poke(port, peer);
        }
    }
    return NULL;
}

static void run_sleep(uint32_t ranks, unsigned rounds, void *(*body)(void *))
{
    struct world w;
    pthread_t thread[2];
    struct pinger pinger[2];

    make_world(&w, ranks, 2, 1);
    for (unsigned i = 0; i < 2; i++) {
        pinger[i] = (struct pinger){&w, i, rounds, 0};
        CHECK(pthread_create(&thread[i], NULL, body, &pinger[i]) == 0,
              "pthread_create");
    }
    for (unsigned i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    free_world(&w);
}

struct racer {
    struct world *world;
    atomic_uint got;
    atomic_bool stop;
};

static void on_race(struct fsh_token *in, void *arg)
{
    struct racer *r = arg;

    (void)in;
    atomic_fetch_add(&r->got, 1);
}

static void *race_main(void *arg)
{
    struct racer *r = arg;

    /* Now and then sleep for an instant, which withdraws the attention, and
     * yield: both threads may have one processor. */
    for (unsigned idle = 1; !atomic_load(&r->stop); idle++) {
        if (fsh_smp_port_poll(r->world->port[2], on_race, r))
            idle = 0;
        else if (idle % 256 == 0)
            sched_yield();
        else if (idle % 16 == 0)
            fsh_smp_port_sleep(r->world->port[2], 1, false);
    }
    return NULL;
}

/* Two messages a random instant apart, from one rank or two, to a rank that
 * polls all the time, the second often just as it withdraws its attention from
 * an empty ring: a message that is lost then is not found by a third one. */
static void run_race(uint32_t ranks, unsigned rounds, uint64_t seed)
{
    struct world w;
    struct racer racer = {.world = &w};
    pthread_t thread;

    make_world(&w, ranks, 3, 1);
    struct fsh_am am = {.handler = 128, .category = FSH_AM_SHORT};

    CHECK(pthread_create(&thread, NULL, race_main, &racer) == 0,
          "pthread_create");
    for (unsigned i = 0; i < rounds; i++) {
        CHECK(send_one(w.port[0], w.rank[2], &am), "send");
        for (uint64_t d = random_next(&seed) % 128; d != 0; d--)
            atomic_signal_fence(memory_order_seq_cst);
        CHECK(send_one(w.port[i & 1], w.rank[2], &am), "send");
        for (unsigned n = 1; atomic_load(&racer.got) != 2 * (i + 1); n++) {
            CHECK(fsh_time_ns() < w.deadline, "lost a message of round %u", i);
            if (n % 256 == 0)
                sched_yield();
        }
    }
    atomic_store(&racer.stop, true);
    pthread_join(thread, NULL);
    free_world(&w);
}

/* ---- a fence that missed a sender ---- */

/* What a sender does whose processor was passed over (base/membarrier.h): it saw
 * the owner's attention before that was withdrawn, and its message comes after
 * the owner's look at the ring. */
static void send_unseen(struct world *w, unsigned from, unsigned to)
{
    struct fsh_smp_port *port = w->port[from];
    struct fsh_smp_tx *tx = &port->tx[FSH_SMP_REQUEST][w->rank[to]];

    fsh_smp_lock(port, &tx->lock, "a test", to);
    CHECK(fsh_smp_has_room(tx, 2), "room");
    fsh_smp_publish(tx, fsh_smp_what(128, FSH_AM_SHORT, 0), 1);
    fsh_smp_unlock(port, &tx->lock);
}

static void on_any(struct fsh_token *in, void *arg)
{
    atomic_uint *got = arg;

    atomic_fetch_add(&got[in->source], 1);
}

/* Polls until rank `from` is heard; the owner may have others to listen to. */
static void poll_until_heard(struct world *w, unsigned from, bool busy)
{
    const struct fsh_am am = {.handler = 128, .category = FSH_AM_SHORT};
    atomic_uint got[130] = {0};
    unsigned polls = 0;

    while (atomic_load(&got[w->rank[from]]) == 0) {
        CHECK(++polls <= 2 * FSH_SMP_LATE_POLLS,
              "message not found by %u polls (%s)", polls,
              busy ? "busy" : "idle");
        if (busy)
            CHECK(send_one(w->port[2], w->rank[0], &am), "send");
        fsh_smp_port_poll(w->port[0], on_any, got);
    }
}

/* A rank that only polls finds a message that its withdrawal missed. withdraw:
 * by polling in vain for long, or by falling asleep. */
static void run_missed(uint32_t ranks, bool asleep, bool busy)
{
    struct world w;
    const struct fsh_am am = {.handler = 128, .category = FSH_AM_SHORT};
    atomic_uint got[130] = {0};

    make_world(&w, ranks, 4, 1);
    /* The owner attends to three ranks, more than it does for nothing. */
    for (unsigned i = 1; i < 4; i++)
        CHECK(send_one(w.port[i], w.rank[0], &am), "send");
    while (fsh_smp_port_poll(w.port[0], on_any, got))
        continue;
    if (asleep)
        fsh_smp_port_sleep(w.port[0], 1, false);
    for (unsigned i = 0; !asleep && i < FSH_SMP_LATE_POLLS; i++)
        fsh_smp_port_poll(w.port[0], on_any, got);
    CHECK(!fsh_smp_attended(w.port[1], &w.port[1]->tx[FSH_SMP_REQUEST][0],
                            FSH_SMP_REQUEST),
          "attention was not withdrawn");
    send_unseen(&w, 1, 0);
    poll_until_heard(&w, 1, busy);
    free_world(&w);
}

/* ---- waits for room ---- */

/* Sends without end, and naps when there is no room. */
static void *flood_main(void *arg)
{
    struct pinger *p = arg;
    struct fsh_smp_port *port = p->world->port[0];
    static unsigned char buf[FSH_SMP_MAX_MEDIUM];
    struct fsh_am am = {.handler = 128, .src = buf};

    for (unsigned i = 0; i < p->rounds; i++) {
        /* Of one slot, or with a block. */
        am.category = p->index == 0 ? FSH_AM_SHORT : FSH_AM_MEDIUM;
        am.nbytes = p->index == 0 ? 0 : sizeof buf;
        while (!send_one(port, p->world->rank[1], &am)) {
            uint32_t armed = fsh_smp_port_arm(port);
            uint64_t start = fsh_time_ns();

            if (send_one(port, p->world->rank[1], &am)) {
                fsh_smp_port_disarm(port);
                break;
            }
            fsh_smp_port_nap(port, armed, SLEEP_NS);
            CHECK(fsh_time_ns() - start < SLEEP_NS,
                  "message %u: freeing woke nobody", i);
        }
    }
    CHECK(atomic_load(&port->own->blocked) == 0, "blocked");
    CHECK(atomic_load(&port->own->sleepers) == 0, "sleepers");
    return NULL;
}

/* pooled: short of blocks, not of slots. */
static void run_room(bool pooled, unsigned messages, uint64_t seed)
{
    struct world w;
    pthread_t thread;
    atomic_uint got[2] = {0};
    struct pinger flood = {&w, pooled, messages, 0};

    make_world(&w, 2, 2, 1);
    CHECK(pthread_create(&thread, NULL, flood_main, &flood) == 0,
          "pthread_create");
    for (unsigned n = 0; atomic_load(&got[0]) < messages; n++) {
        CHECK(fsh_time_ns() < w.deadline, "%u messages", atomic_load(&got[0]));
        if (random_next(&seed) % 64 == 0)
            sched_yield();
        fsh_smp_port_poll(w.port[1], on_any, got);
    }
    pthread_join(thread, NULL);
    free_world(&w);
}

/* ---- waits for a lock ---- */

static struct fsh_smp_lock *stuck;
static unsigned asked;

static bool let_go(const char **why)
{
    (void)why;
    asked++;
    atomic_store(&stuck->held, 0);
    return true;
}

/* Whoever waits for a lock that is not given back looks whether the job is
 * alive. */
static void run_locks(void)
{
    static unsigned char buf[FSH_SMP_MAX_MEDIUM];
    const struct fsh_am am = {.handler = 128,
                              .category = FSH_AM_MEDIUM,
                              .src = buf,
                              .nbytes = sizeof buf};
    struct world w;
    static const struct fsh_wait_job job = {.alive = let_go};
    struct fsh_smp_port *port;

    make_world(&w, 2, 2, 2);
    port = w.port[0];
    fsh_smp_port_share(port);
    fsh_wait_watch(&job);
    for (unsigned i = 0; i < 2; i++) {
        stuck = i == 0 ? &port->tx[FSH_SMP_REQUEST][1].lock
                       : &port->pool_lock[FSH_SMP_REQUEST];
        atomic_store(&stuck->held, 1);
        CHECK(send_one(port, 1, &am), "send");
        CHECK(asked == i + 1, "asked %u times", asked);
    }
    fsh_wait_watch(NULL);
    free_world(&w);
}

int main(int argc, char **argv)
{
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    uint64_t last = argc > 1 ? first : 3;

    run_full();
    run_locks();
    for (unsigned i = 0; i < 8; i++)
        run_missed(i & 1 ? 130 : 4, i & 2, i & 4);
    run_sleep(2, 2000, ping_main);
    run_sleep(130, 2000, ping_main);
    run_sleep(2, 2000, poke_main);
    for (uint64_t seed = first; seed <= last; seed++) {
        printf("seed %llu\n", (unsigned long long)seed);
        run_room(false, 100000, seed);
        run_room(true, 2000, seed);
        run_race(3, 40000, seed);
        /* Ranks 0 and 32 share a ready word. */
        run_race(65, 40000, seed);
        run_traffic(1, 1, 1, 500, seed);
        run_traffic(2, 2, 1, 2000, seed);
        run_traffic(4, 4, 1, 1000, seed);
        run_traffic(2, 2, 3, 700, seed);
        run_traffic(130, 4, 2, 500, seed);
    }
    puts("smp_ring: passed");
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Progress of conduit ofi: what the provider has completed, messages that have come
 * and are run where they lie in their buffer, which goes back when the last of them has
 * ended; and sleep.
 */
#include <limits.h>
#include <string.h>

#include "base/assertion.h"
#include "base/cpu.h"
#include "base/log.h"
#include "conduit/ofi/state.h"

#define ROUNDS 64u /* of completions in a poll, at most */
/* What boot gets to find out and say why a peer is gone. */
#define FAILURE_NS UINT64_C(4000000000)
#define DRAIN_NS UINT64_C(500000000)
/* Sleeps: with something queued, which finds room without a sign; while another thread
 * has the completion queue. */
#define QUEUED_NS UINT64_C(200000)
#define BUSY_NS UINT64_C(50000)
/* Of the completion queue; see look_away and rest. */
#define SILENT_NS UINT64_C(50000)
#define MOST_SILENT_NS UINT64_C(200000)
#define MOST_LOOKS 8u
#define LEAST_LOOKS 2u
#define MOST_STEP 1023u

/* ---- receive buffers; with the lock ---- */

static void post_buffer(struct fsh_ofi_buffer *buffer)
{
    struct iovec all = {buffer->memory, FSH_OFI_BUFFER_BYTES};
    void *desc = buffer->mr != NULL ? fi_mr_desc(buffer->mr) : NULL;
    const struct fi_msg msg = {.msg_iov = &all,
                               .desc = &desc,
                               .iov_count = 1,
                               .addr = FI_ADDR_UNSPEC,
                               .context = &buffer->op};
    ssize_t rc;

    buffer->released = false;
    buffer->op.kind = FSH_OFI_OP_RECEIVE;
    buffer->op.node = fsh_ofi.rank;
    rc = fi_recvmsg(fsh_ofi.network.ep, &msg, FI_MULTI_RECV);
    if (rc != 0)
        fsh_ofi_check((int)-rc, "a receive buffer");
}

void fsh_ofi_post_buffers(void)
{
    for (unsigned i = 0; i < FSH_OFI_BUFFERS; i++)
        post_buffer(&fsh_ofi.buffer[i]);
}

static void settle(struct fsh_ofi_buffer *buffer)
{
    if (buffer->released && buffer->users == 0)
        post_buffer(buffer);
}

/* ---- completions; with the lock ---- */

static void finish(struct fsh_ofi_op *op)
{
    fsh_ofi.posted--;
    /* After the data; partner: whoever waits for 0. */
    if (op->event != NULL)
        atomic_fetch_sub_explicit(&op->event->pending, 1, memory_order_release);
    if (op->second != NULL)
        atomic_fetch_sub_explicit(&op->second->pending, 1,
                                  memory_order_release);
    fsh_ofi_op_free(op);
}

/* Behind what a stranger has sent a message may begin anywhere. It moves down, over
 * bytes that nobody uses: the stranger's, or those that the message before it has left
 * in the same way. */
static const struct fsh_ofi_head *align(unsigned char *message, size_t bytes)
{
    size_t off = (uintptr_t)message % FSH_OFI_ALIGN;

    if (off != 0)
        memmove(message - off, message, bytes);
    return (const struct fsh_ofi_head *)(message - off);
}

/* A message without a handler; whether its source may have sent it. */
static bool serve(const struct fsh_ofi_head *head)
{
    switch (head->kind) {
    case FSH_OFI_CREDIT:
        return true;
    case FSH_OFI_HELLO:
        fsh_ofi.greeted++;
        return true;
    case FSH_OFI_MEET:
        return fsh_ofi_meet_came(head);
    default:
        return fsh_ofi_piece_came(head);
    }
}

static void arrive(struct fsh_ofi_buffer *buffer, void *message, size_t bytes)
{
    const struct fsh_ofi_head *head;

    if (!fsh_ofi_is_ours(&fsh_ofi.expect, message, bytes)) {
        fsh_ofi.counters.strangers++;
        return;
    }
    head = align(message, bytes);
    fsh_ofi.peers[head->source].window += head->credit;
    if (head->kind >= FSH_OFI_CREDIT && !serve(head))
        fsh_ofi.counters.strangers++;
    fsh_ofi_pieces_flush(head->source);
    if (head->kind >= FSH_OFI_CREDIT)
        return;
    buffer->users++;
    fsh_ofi.arrivals[fsh_ofi.arrived++] =
        (struct fsh_ofi_arrival){.buffer = buffer, .head = head};
}

static void complete(const struct fi_cq_data_entry *entry)
{
    struct fsh_ofi_op *op = entry->op_context;
    struct fsh_ofi_buffer *buffer;

    if (op->kind != FSH_OFI_OP_RECEIVE) {
        finish(op);
        return;
    }
    buffer = (struct fsh_ofi_buffer *)op;
    if (entry->flags & FI_RECV)
        arrive(buffer, entry->buf, entry->len);
    if (entry->flags & FI_MULTI_RECV)
        buffer->released = true;
    settle(buffer);
}

/* A message too long for us is a stranger's. The op of what has failed is never
 * used again; nor does its event come. */
static void complete_failed(void)
{
    struct fi_cq_err_entry error = {0};
    struct fsh_ofi_op *op;

    if (fi_cq_readerr(fsh_ofi.network.cq, &error, 0) <= 0)
        return;
    op = error.op_context;
    if (op == NULL)
        return;
    if (op->kind == FSH_OFI_OP_RECEIVE) {
        if (error.err == FI_ETRUNC)
            fsh_ofi.counters.strangers++;
        if (error.flags & FI_MULTI_RECV)
            ((struct fsh_ofi_buffer *)op)->released = true;
        settle((struct fsh_ofi_buffer *)op);
        return;
    }
    fsh_ofi.posted--;
    fsh_ofi_failed(op, error.err);
}

/* All arrivals have been taken. */
static bool read_completions(void)
{
    struct fi_cq_data_entry entry[FSH_OFI_BATCH];
    ssize_t n = fi_cq_read(fsh_ofi.network.cq, entry, FSH_OFI_BATCH);

    fsh_ofi.arrived = fsh_ofi.taken = 0;
    if (n == -FI_EAVAIL)
        complete_failed();
    for (ssize_t i = 0; i < n; i++)
        complete(&entry[i]);
    return n > 0 || n == -FI_EAVAIL;
}

/* ---- messages ---- */

/* With the lock, but not while it runs. */
static void run(const struct fsh_ofi_arrival *a)
{
    uint32_t source = a->head->source, credit;

    pthread_mutex_unlock(&fsh_ofi.lock);
    credit = fsh_ofi_run(a->head);
    pthread_mutex_lock(&fsh_ofi.lock);
    a->buffer->users--;
    settle(a->buffer);
    fsh_ofi.peers[source].owed += credit;
    fsh_ofi_give_back(source);
}

/* Boot has had its time and the job goes on without what has failed. */
static void check_failure(void)
{
    if (fsh_ofi.failed_ns != 0 &&
        fsh_time_ns() - fsh_ofi.failed_ns > FAILURE_NS)
        fsh_fatal("%s", fsh_ofi.failure);
}

/* What ranks that are not here have sent. */
static bool poll_away(void)
{
    bool any;

    /* Never waits; and who leaves by a signal handler may have it already. */
    if (pthread_mutex_trylock(&fsh_ofi.lock) != 0)
        return false;
    /* What peers put and get here is served without a completion. Who was woken for
     * something stays awake for more of it. */
    any = atomic_load_explicit(&fsh_ofi.woken, memory_order_relaxed);
    if (any)
        atomic_store_explicit(&fsh_ofi.woken, false, memory_order_relaxed);
    any |= fsh_ofi_flush();
    for (unsigned i = 0; i < ROUNDS; i++) {
        /* Another thread may have come while a handler ran here. */
        bool more = fsh_ofi.taken == fsh_ofi.arrived && read_completions();

        while (fsh_ofi.taken < fsh_ofi.arrived) {
            const struct fsh_ofi_arrival a = fsh_ofi.arrivals[fsh_ofi.taken++];

            run(&a);
            more = true;
        }
        any |= more;
        if (!more)
            break;
    }
    if (fsh_ofi.longs != NULL)
        any |= fsh_ofi_longs_flush();
    if (any || fsh_ofi.posted != 0 || fsh_ofi.queued != 0)
        fsh_ofi_expect_completion();
    pthread_mutex_unlock(&fsh_ofi.lock);
    if (__builtin_expect(fsh_ofi.failed_ns != 0, 0))
        check_failure();
    return any;
}

/* Spins until the next look at the clock: so that there are some MOST_LOOKS of them in
 * ns, the queue's rest, whatever else a rank does between its polls. */
static void pace(uint64_t now, uint64_t ns)
{
    uint64_t took =
        now - atomic_load_explicit(&fsh_ofi.looked_ns, memory_order_relaxed);
    unsigned step = atomic_load_explicit(&fsh_ofi.step, memory_order_relaxed);

    if (took < ns / MOST_LOOKS && step < MOST_STEP)
        step = 2 * step + 1;
    else if (took > ns)
        step = 0;
    else if (took > ns / LEAST_LOOKS)
        step /= 2;
    atomic_store_explicit(&fsh_ofi.step, step, memory_order_relaxed);
    atomic_store_explicit(&fsh_ofi.until, step, memory_order_relaxed);
    atomic_store_explicit(&fsh_ofi.looked_ns, now, memory_order_relaxed);
}

/* From one read to the next: a quarter of the silence before it, so that this is what a
 * first message waits at most, within SILENT_NS and MOST_SILENT_NS. */
static uint64_t rest(void)
{
    return SILENT_NS +
           atomic_load_explicit(&fsh_ofi.extra_ns, memory_order_relaxed);
}

static void set_rest(uint64_t ns)
{
    if (ns > MOST_SILENT_NS)
        ns = MOST_SILENT_NS;
    atomic_store_explicit(&fsh_ofi.extra_ns, ns - SILENT_NS,
                          memory_order_relaxed);
}

static bool is_time(void)
{
    uint64_t now = fsh_time_ns(), ns = rest();

    pace(now, ns);
    if (now - atomic_load_explicit(&fsh_ofi.read_ns, memory_order_relaxed) < ns)
        return false;
    atomic_store_explicit(&fsh_ofi.read_ns, now, memory_order_relaxed);
    set_rest(ns + ns / 4);
    return true;
}

/* The completion queue costs more to read than a message from here. While the network is
 * in use every poll reads it; while it is silent some polls look at the clock (pace), and
 * one reads it when that has had its rest, which bounds how long a first message waits.
 * Threads may lose counts. */
static bool look_away(void)
{
    unsigned eager = atomic_load_explicit(&fsh_ofi.eager, memory_order_relaxed);

    if (fsh_ofi.away == 0) {
        atomic_store_explicit(&fsh_ofi.until, UINT_MAX, memory_order_relaxed);
        return false;
    }
    if (eager != 0) {
        set_rest(SILENT_NS);
        atomic_store_explicit(&fsh_ofi.eager, eager - 1, memory_order_relaxed);
        return poll_away();
    }
    return is_time() && poll_away();
}

static __attribute__((noinline)) bool poll_both(void)
{
    bool any = fsh_local_poll();

    return look_away() || any;
}

/* Ends in a tail call, so that a silent network costs a poll of this host two instructions
 * of memory and no frame. */
static inline __attribute__((always_inline)) bool count_down(unsigned spins)
{
    unsigned until = atomic_load_explicit(&fsh_ofi.until, memory_order_relaxed);

    if (__builtin_expect(until < spins, 0))
        return poll_both();
    atomic_store_explicit(&fsh_ofi.until, until - spins, memory_order_relaxed);
    return fsh_local_poll();
}

FSH_HOT bool fsh_ofi_poll(void)
{
    return count_down(FSH_OFI_POLL_SPINS);
}

FSH_HOT bool fsh_ofi_spin(void)
{
    return count_down(1);
}

/* ---- sleep ---- */

/* The poll after this finds what is new. */
void fsh_ofi_nap(uint64_t max_ns)
{
    bool rung = false;

    if (fsh_network_nap(&fsh_ofi.network, fsh_ofi.bell, max_ns, &rung))
        atomic_store_explicit(&fsh_ofi.woken, true, memory_order_relaxed);
    if (rung)
        fsh_local_hush();
}

/* A put's data is the provider's work, which its descriptor tells of, too. */
void fsh_ofi_wait(uint64_t max_ns, bool memory)
{
    uint64_t ns = max_ns;
    bool idle;

    if (fsh_ofi.away == 0) {
        fsh_local_wait(ns, memory);
        return;
    }
    fsh_ofi_look_for(1); /* whoever wakes looks there first */
    if (pthread_mutex_trylock(&fsh_ofi.lock) != 0) {
        fsh_local_wait(ns < BUSY_NS ? ns : BUSY_NS, memory);
        return;
    }
    idle = fsh_ofi.taken == fsh_ofi.arrived &&
           fsh_network_may_nap(&fsh_ofi.network);
    if (fsh_ofi.queued != 0 && ns > QUEUED_NS)
        ns = QUEUED_NS;
    pthread_mutex_unlock(&fsh_ofi.lock);
    if (idle)
        fsh_local_wait(ns, memory);
}

/* What stays away: whoever leaves has no more use for it. */
static void drain_posted(size_t left, uint64_t end)
{
    while ((fsh_ofi.queued != 0 || fsh_ofi.posted > left ||
            fsh_ofi.longs != NULL) &&
           fsh_time_ns() < end) {
        fsh_ofi_flush();
        fsh_ofi_longs_flush();
        read_completions();
    }
}

/* What is injected tells of no end, but a message behind it does. Without malloc: it
 * may be a signal handler that leaves. */
void fsh_ofi_drain(void)
{
    const uint64_t end = fsh_time_ns() + DRAIN_NS;
    const struct fsh_ofi_head head = {.job = fsh_ofi.expect.job,
                                      .source = fsh_ofi.rank,
                                      .kind = FSH_OFI_CREDIT};

    drain_posted(0, end);
    for (uint32_t r = 0; r < fsh_ofi.ranks; r++) {
        struct fsh_ofi_op *op = fsh_ofi.free_small;
        size_t posted = fsh_ofi.posted;

        if (!fsh_ofi.peers[r].talked || fsh_ofi_gone(r) || op == NULL)
            continue;
        op = fsh_ofi_op_take(sizeof head, true);
        op->kind = FSH_OFI_OP_SEND;
        op->node = r;
        op->bytes = fsh_ofi_pack(fsh_ofi_op_data(op), &head, NULL);
        fsh_ofi_post(op);
        drain_posted(posted, end);
    }
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles, implicit counters, access regions and values over a conduit that
 * completes nothing by itself: puts and gets are queued and executed in an order
 * chosen by the test, one a poll once `open` is set. Runs as a job of one rank; the
 * conduit is replaced after gasnet_attach.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gasnet/internal.h"
#include "check.h"

#define MANY 70000u /* more than the 65535 that must be possible */
#define SEGMENT (1u << 20)

struct op {
    char *dst;
    const char *src;
    size_t n;
    struct fsh_event *event;
    unsigned char copy[8]; /* of a source that need not stay */
};

static struct op queue[MANY + 16];
static unsigned head, tail; /* head: next to finish in order */
static bool open_gate;      /* polls finish operations */
static bool backwards;      /* last first */
static unsigned polls;

static struct fsh_conduit_ops ops;
static char *seg;

static void push(struct op op)
{
    CHECK(tail < sizeof queue / sizeof queue[0]);
    atomic_fetch_add(&op.event->pending, 1);
    queue[tail] = op;
    if (op.src == NULL)
        queue[tail].src = (char *)queue[tail].copy;
    tail++;
}

static void put(uint32_t node, void *dst, const void *src, size_t n,
                struct fsh_event *local, struct fsh_event *event)
{
    struct op op = {.dst = dst, .src = src, .n = n, .event = event};

    CHECK(node == 0);
    CHECK(local == NULL || local == event);
    if (local == NULL) {
        CHECK(n <= sizeof op.copy);
        memcpy(op.copy, src, n);
        op.src = NULL;
    }
    push(op);
}

static void get(void *dst, uint32_t node, const void *src, size_t n,
                struct fsh_event *event)
{
    CHECK(node == 0);
    push((struct op){.dst = dst, .src = src, .n = n, .event = event});
}

static void finish_one(void)
{
    struct op *op = backwards ? &queue[--tail] : &queue[head++];

    memcpy(op->dst, op->src, op->n);
    atomic_fetch_sub(&op->event->pending, 1);
    if (head == tail)
        head = tail = 0;
}

static bool poll_double(void)
{
    polls++;
    if (!open_gate || head == tail)
        return false;
    finish_one();
    return true;
}

static void wait_double(uint64_t max_ns, bool memory)
{
    /* Polls of this test always find what a wait waits for. */
    CHECK(max_ns == 0 && memory);
}

static void finish_all(void)
{
    while (head != tail)
        finish_one();
}

/* ---- explicit ---- */

static void try_polls_and_reports(void)
{
    char a = 1;
    gasnet_handle_t h = gasnet_put_nb_bulk(0, seg, &a, 1);
    unsigned before = polls;

    CHECK(h != GASNET_INVALID_HANDLE);
    CHECK(gasnet_try_syncnb(h) == GASNET_ERR_NOT_READY);
    CHECK(polls > before);
    before = polls;
    CHECK(gasnet_try_syncnb_nopoll(h) == GASNET_ERR_NOT_READY);
    CHECK(polls == before);
    a = 2; /* a bulk source is read later */
    open_gate = true;
    CHECK(gasnet_try_syncnb(h) == GASNET_OK);
    open_gate = false;
    CHECK(seg[0] == 2);
}

static void stale_is_complete(void)
{
    char a = 1;
    gasnet_handle_t first = gasnet_put_nb(0, seg, &a, 1), second;

    finish_all();
    gasnet_wait_syncnb(first);
    second = gasnet_put_nb(0, seg, &a, 1);
    CHECK(second != first); /* though it is the same slot */
    gasnet_wait_syncnb(first);
    CHECK(gasnet_try_syncnb(first) == GASNET_OK);
    CHECK(gasnet_try_syncnb(second) == GASNET_ERR_NOT_READY);
    finish_all();
    gasnet_wait_syncnb(second);
}

static void source_of_nonbulk_is_free(void)
{
    char a = 5;
    gasnet_handle_t h = gasnet_put_nb(0, seg, &a, 1);

    a = 6;
    finish_all();
    gasnet_wait_syncnb(h);
    CHECK(seg[0] == 5);
}

static void lists(void)
{
    char a = 1;
    gasnet_handle_t h[5];

    for (int i = 0; i < 5; i++)
        h[i] = i == 2 ? GASNET_INVALID_HANDLE : gasnet_put_nb(0, seg, &a, 1);
    CHECK(gasnet_try_syncnb_some(h, 5) == GASNET_ERR_NOT_READY);
    backwards = true;
    finish_one(); /* h[4] */
    CHECK(gasnet_try_syncnb_all(h, 5) == GASNET_ERR_NOT_READY);
    CHECK(h[4] == GASNET_INVALID_HANDLE && h[3] != GASNET_INVALID_HANDLE);
    CHECK(gasnet_try_syncnb_some_nopoll(h, 5) == GASNET_ERR_NOT_READY);
    open_gate = true;
    gasnet_wait_syncnb_some(h, 5);
    open_gate = false;
    CHECK(h[3] == GASNET_INVALID_HANDLE && h[1] != GASNET_INVALID_HANDLE);
    open_gate = true;
    gasnet_wait_syncnb_all(h, 5);
    open_gate = backwards = false;
    for (int i = 0; i < 5; i++)
        CHECK(h[i] == GASNET_INVALID_HANDLE);
    CHECK(gasnet_try_syncnb_some(h, 5) == GASNET_OK);
    gasnet_wait_syncnb_some(h, 0);
}

static void many_outstanding(void)
{
    gasnet_handle_t *h = malloc(MANY * sizeof *h);
    unsigned char *seen = calloc(MANY + 2048, 1);

    CHECK(h != NULL && seen != NULL);
    for (unsigned i = 0; i < MANY; i++) {
        unsigned slot;
        char a = (char)i;

        h[i] = gasnet_put_nb(0, seg + i, &a, 1);
        slot = (unsigned)(uintptr_t)h[i];
        CHECK(slot < MANY + 2048 && !seen[slot]);
        seen[slot] = 1;
    }
    open_gate = backwards = true;
    gasnet_wait_syncnb_all(h, MANY);
    open_gate = backwards = false;
    for (unsigned i = 0; i < MANY; i++)
        CHECK(seg[i] == (char)i);
    free(h);
    free(seen);
}

/* ---- implicit ---- */

static void gets_and_puts_apart(void)
{
    char a = 7, b = 0;

    gasnet_put_nbi(0, seg, &a, 1);
    gasnet_get_nbi(&b, 0, seg + 1, 1);
    CHECK(gasnet_try_syncnbi_puts() == GASNET_ERR_NOT_READY);
    CHECK(gasnet_try_syncnbi_gets() == GASNET_ERR_NOT_READY);
    finish_one();
    CHECK(gasnet_try_syncnbi_puts() == GASNET_OK);
    CHECK(gasnet_try_syncnbi_gets() == GASNET_ERR_NOT_READY);
    CHECK(gasnet_try_syncnbi_all() == GASNET_ERR_NOT_READY);
    open_gate = true;
    gasnet_wait_syncnbi_gets();
    gasnet_wait_syncnbi_all();
    open_gate = false;
}

static void region(void)
{
    char a = 7, b = 0;
    gasnet_handle_t inside, explicit_one;

    gasnet_put_nbi(0, seg, &a, 1); /* before: not of the region */
    gasnet_begin_nbi_accessregion();
    gasnet_put_nbi(0, seg + 1, &a, 1);
    explicit_one = gasnet_put_nb(0, seg + 2, &a, 1);
    gasnet_get_nbi(&b, 0, seg + 3, 1);
    inside = gasnet_end_nbi_accessregion();
    finish_one();
    CHECK(gasnet_try_syncnbi_all() == GASNET_OK);
    CHECK(gasnet_try_syncnb(inside) == GASNET_ERR_NOT_READY);
    finish_one();
    finish_one();
    CHECK(gasnet_try_syncnb(explicit_one) == GASNET_OK);
    CHECK(gasnet_try_syncnb(inside) == GASNET_ERR_NOT_READY);
    finish_one();
    CHECK(gasnet_try_syncnb(inside) == GASNET_OK);
    gasnet_begin_nbi_accessregion();
    CHECK(gasnet_end_nbi_accessregion() == GASNET_INVALID_HANDLE);
}

static void values(void)
{
    gasnet_valget_handle_t v[2];
    gasnet_handle_t h;

    memcpy(seg, "\1\2\3\4\5\6\7\10", 8);
    v[0] = gasnet_get_nb_val(0, seg, 3);
    v[1] = gasnet_get_nb_val(0, seg + 1, 1);
    open_gate = true;
    CHECK(gasnet_wait_syncnb_valget(v[1]) == 2);
    CHECK(gasnet_wait_syncnb_valget(v[0]) == 0x030201);
    CHECK(gasnet_get_val(0, seg, 8) == 0x0807060504030201);
    gasnet_put_val(0, seg, 0x1122334455, 5);
    CHECK(seg[4] == 0x11 && seg[5] == 6);
    open_gate = false;
    h = gasnet_put_nb_val(0, seg, 0x99, 1);
    finish_all();
    gasnet_wait_syncnb(h);
    CHECK(seg[0] == (char)0x99 && seg[1] == 0x44);
}

/* ---- threads ---- */

static gasnet_threadinfo_t info[2];
static char from_thread = 9;

static void *leave_work_behind(void *arg)
{
    *(gasnet_threadinfo_t *)arg = GASNET_GET_THREADINFO();
    gasnet_put_nbi_bulk(0, seg, &from_thread, 1);
    return NULL;
}

static void *look(void *arg)
{
    *(gasnet_threadinfo_t *)arg = GASNET_GET_THREADINFO();
    CHECK(gasnet_try_syncnbi_all() == GASNET_OK);
    return NULL;
}

static void run_thread(void *(*body)(void *), void *arg)
{
    pthread_t thread;

    CHECK(pthread_create(&thread, NULL, body, arg) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
}

/* A thread's counters are used again only when nothing counts on them. */
static void exit_with_operations(void)
{
    gasnet_threadinfo_t next;

    run_thread(leave_work_behind, &info[0]);
    run_thread(look, &info[1]);
    CHECK(info[1] != info[0] && info[0] != GASNET_GET_THREADINFO());
    finish_all();
    run_thread(look, &next);
    run_thread(look, &next);
    CHECK(next == info[0] || next == info[1]);
    CHECK(fsh_thread_count() == 1);
}

static void *sync_foreign(void *handle)
{
    gasnet_wait_syncnb(handle);
    return NULL;
}

static void handles_belong_to_no_thread(void)
{
    char a = 1;
    gasnet_handle_t h = gasnet_put_nb(0, seg, &a, 1);

    finish_all();
    run_thread(sync_foreign, h);
    CHECK(gasnet_try_syncnb(h) == GASNET_OK);
}

int main(int argc, char **argv)
{
    gasnet_seginfo_t info_mine;

    CHECK(gasnet_init(&argc, &argv) == GASNET_OK);
    CHECK(gasnet_attach(NULL, 0, SEGMENT, 0) == GASNET_OK);
    CHECK(gasnet_getSegmentInfo(&info_mine, 1) == GASNET_OK);
    seg = info_mine.addr;
    ops = *fsh_gasnet.ops;
    ops.put = put;
    ops.get = get;
    ops.poll = ops.spin = poll_double;
    ops.wait = wait_double;
    fsh_gasnet.ops = &ops;
    try_polls_and_reports();
    stale_is_complete();
    fsh_gasnet.threaded = false; /* as in GASNET_SEQ: without atomics */
    stale_is_complete();
    fsh_gasnet.threaded = true;
    source_of_nonbulk_is_free();
    lists();
    many_outstanding();
    gets_and_puts_apart();
    region();
    values();
    exit_with_operations();
    handles_belong_to_no_thread();
    puts("gasnet_async: pass");
    return 0;
}

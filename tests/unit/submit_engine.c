/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists of commands over a conduit that replies when the test says so: slow writes,
 * replies and completions in any order, BUSY, refusals. Commands of a queue are
 * accepted in order, every list ends once, slots and cookies are returned.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "compute/submit/chunk.h"
#include "compute/submit/submit.h"
#include "number_model.h"

enum { NODES = 3, SEGMENT = 4096, ROUNDS = 300, MOST = 2000 };

static unsigned char area[NODES][SEGMENT + NODES * 16384];
static struct fsh_segment segs[NODES];

/* What is under way: writes, questions, commands that run. */
static struct fsh_event *writes[NODES * 2];
static unsigned num_writes;
static struct question {
    struct fsh_answer *answer;
    uint64_t message;
    uint32_t node;
    bool accepted; /* the answer is on its way */
} questions[NODES * 2];
static unsigned num_questions;
static struct running {
    unsigned cookie, tag;
    const unsigned char *at; /* where it stands, and what it is */
    uint64_t words[FSH_CCMD_WORDS];
} running[4096];
static unsigned num_running;

static unsigned full;               /* compute_send has no room, so often */
static unsigned busy;               /* one answer in so many is BUSY; 0: none */
static unsigned expected[NODES][2]; /* tag of the next command accepted */
static unsigned next_tag[NODES][2];

static void put(uint32_t node, void *dst, const void *src, size_t n,
                struct fsh_event *local, struct fsh_event *ev)
{
    CHECK(local == NULL && n % 128 == 0);
    CHECK((unsigned char *)dst >= area[node] + SEGMENT);
    memcpy(dst, src, n);
    atomic_fetch_add(&ev->pending, 1);
    writes[num_writes++] = ev;
}

static bool compute_send(uint32_t node, const uint64_t *message,
                         struct fsh_answer *answer)
{
    if (full > 0) {
        full--;
        return false;
    }
    CHECK(num_questions < NODES * 2);
    questions[num_questions++] =
        (struct question){answer, *message, node, false};
    return true;
}

static const struct fsh_compute_ops compute = {.send = compute_send};
static const struct fsh_conduit_ops ops = {.put = put, .compute = &compute};

/* The core takes a list: its commands are there, and in order. */
static void accept(const struct question *q)
{
    unsigned queue = (unsigned)fsh_crun_mover(&q->message);
    const unsigned char *at = area[q->node] + fsh_crun_addr(&q->message) * 64;

    for (unsigned i = 0; i < fsh_crun_count(&q->message); i++) {
        uint64_t w[FSH_CCMD_WORDS];

        memcpy(w, at + i * 128, sizeof w);
        CHECK(fsh_ccmd_m(w) == expected[q->node][queue]++, "order");
        CHECK(fsh_ccmd_complete(w) && fsh_ccmd_complete_node(w) == 1);
        struct running *r = &running[num_running++];
        r->cookie = (unsigned)fsh_ccmd_cookie(w);
        r->tag = (unsigned)fsh_ccmd_k(w);
        r->at = at + i * 128;
        memcpy(r->words, w, sizeof w);
    }
}

/* A command ends; until then its place is its own: the core may fetch late. */
static void end_command(unsigned i)
{
    struct running r = running[i];

    CHECK(memcmp(r.at, r.words, sizeof r.words) == 0, "overwritten");
    running[i] = running[--num_running];
    fsh_compute_completed(r.cookie, r.tag);
}

/* The core looks at a list, or its answer arrives; commands may end between. */
static void answer_question(unsigned i)
{
    struct question *q = &questions[i];

    if (!q->accepted && busy > 0 && model_below(busy) == 0) {
        struct question gone = *q;

        *q = questions[--num_questions];
        gone.answer->fn(gone.answer, FSH_STATUS_BUSY);
    } else if (!q->accepted) {
        accept(q);
        q->accepted = true;
        while (num_running > 0 && model_below(40) != 0)
            end_command(num_running - 1);
    } else {
        struct question gone = *q;

        *q = questions[--num_questions];
        gone.answer->fn(gone.answer, FSH_STATUS_OK);
    }
}

/* Let one thing happen, at random. */
static void happen(void)
{
    unsigned what = model_below(num_writes + num_questions + num_running + 1);

    if (what < num_writes) {
        atomic_fetch_sub(&writes[what]->pending, 1);
        writes[what] = writes[--num_writes];
    } else if (what < num_writes + num_questions) {
        answer_question(what - num_writes);
    } else if (num_running > 0) {
        end_command(model_below(num_running));
    }
}

/* ---- lists ---------------------------------------------------------------- */

struct expectation {
    unsigned status; /* what the list's commands end with; 0 all, or some */
    bool mixed;
    unsigned calls;
};

static void on_done(void *arg, unsigned status)
{
    struct expectation *e = arg;

    e->calls++;
    CHECK(e->mixed ? status != FSH_STATUS_OK : status == e->status);
}

static struct fsh_command_list *make_list(uint32_t node, unsigned queue,
                                          uint32_t count, struct expectation *e)
{
    struct fsh_command_list *list = fsh_command_list_new(node, queue, count);

    CHECK(list != NULL);
    for (uint32_t i = 0; i < count; i++) {
        fsh_ccmd_set_m(list->words[i], next_tag[node][queue]++);
        /* k: the status it will end with. */
        if (e->mixed ? i % 3 == count % 3 || i == 0 : e->status != 0)
            fsh_ccmd_set_k(list->words[i], 1 + i % 5);
    }
    if (!e->mixed && e->status != 0)
        for (uint32_t i = 0; i < count; i++) {
            list->words[i][7] = 0;
            fsh_ccmd_set_k(list->words[i], e->status);
        }
    list->done = on_done;
    list->arg = e;
    return list;
}

static void settle(void)
{
    for (unsigned i = 0; atomic_load(&fsh_command_active) != 0; i++) {
        CHECK(i < 1000000, "does not come to an end");
        happen();
        fsh_command_kick();
    }
    CHECK(num_running == 0 && num_questions == 0 && num_writes == 0);
    CHECK(fsh_chunk_room() == FSH_COMMANDS_IN_FLIGHT);
}

static void many_lists(void)
{
    static struct expectation e[ROUNDS];

    memset(e, 0, sizeof e);
    for (unsigned i = 0; i < ROUNDS; i++) {
        e[i].status = model_below(4) == 0 ? 1 + model_below(7) : 0;
        e[i].mixed = model_below(4) == 0;
        fsh_command_submit(make_list(model_below(NODES), model_below(2),
                                     1 + model_below(1 << model_below(8)),
                                     &e[i]));
        full = model_below(3);
        for (unsigned j = model_below(6); j > 0; j--) {
            happen();
            fsh_command_kick();
        }
    }
    settle();
    for (unsigned i = 0; i < ROUNDS; i++)
        CHECK(e[i].calls == 1);
}

/* One list longer than all slots. */
static void long_list(void)
{
    struct expectation e = {0};

    fsh_command_submit(make_list(2, 1, MOST, &e));
    settle();
    CHECK(e.calls == 1);
}

static void answer(unsigned status)
{
    while (num_writes > 0)
        atomic_fetch_sub(&writes[--num_writes]->pending, 1);
    fsh_command_kick();
    CHECK(num_questions == 1);
    struct question q = questions[--num_questions];
    if (status == FSH_STATUS_OK)
        accept(&q);
    q.answer->fn(q.answer, status);
    fsh_command_kick();
}

static void once(void)
{
    struct expectation e = {0}, other = {0};
    atomic_uint verdict = FSH_ONCE_OPEN;
    struct fsh_command_list *list = make_list(0, 0, 5, &e);

    list->once = &verdict;
    fsh_command_submit(list);
    CHECK(atomic_load(&verdict) == FSH_ONCE_OPEN);
    answer(FSH_STATUS_BUSY);
    CHECK(atomic_load(&verdict) == FSH_ONCE_REFUSED && e.calls == 0);
    CHECK(atomic_load(&fsh_command_active) == 0);
    next_tag[0][0] -= 5;

    /* Behind another it waits for that one's answer; BUSY is for both. */
    fsh_command_submit(make_list(0, 0, 1, &other));
    atomic_store(&verdict, FSH_ONCE_OPEN);
    list = make_list(0, 0, 5, &e);
    list->once = &verdict;
    fsh_command_submit(list);
    CHECK(atomic_load(&verdict) == FSH_ONCE_OPEN);
    answer(FSH_STATUS_BUSY);
    CHECK(atomic_load(&verdict) == FSH_ONCE_REFUSED);
    next_tag[0][0] -= 5;
    /* Behind one that was refused it is refused unasked. */
    atomic_store(&verdict, FSH_ONCE_OPEN);
    list = make_list(0, 0, 5, &e);
    list->once = &verdict;
    fsh_command_submit(list);
    CHECK(atomic_load(&verdict) == FSH_ONCE_REFUSED);
    next_tag[0][0] -= 5;
    settle();
    CHECK(other.calls == 1 && e.calls == 0);

    atomic_store(&verdict, FSH_ONCE_OPEN);
    list = make_list(0, 0, 32, &e);
    list->once = &verdict;
    fsh_command_submit(list);
    answer(FSH_STATUS_OK);
    CHECK(atomic_load(&verdict) == FSH_ONCE_TAKEN);
    settle();
    CHECK(e.calls == 1);
}

/* A core that is not there after all: the list fails, and the next one too. */
static void refused(void)
{
    struct expectation e[2] = {{.status = FSH_STATUS_UNSUPPORTED},
                               {.status = FSH_STATUS_UNSUPPORTED}};

    fsh_command_submit(make_list(0, 0, 40, &e[0]));
    fsh_command_submit(make_list(0, 0, 1, &e[1]));
    answer(FSH_STATUS_UNSUPPORTED);
    answer(FSH_STATUS_UNSUPPORTED);
    answer(FSH_STATUS_UNSUPPORTED);
    CHECK(e[0].calls == 1 && e[1].calls == 1);
    next_tag[0][0] = expected[0][0];
    settle();
}

/* The client's own commands, in line with the library's. */
static void messages(void)
{
    struct expectation e[3] = {{0}};
    struct fsh_command_list *list = fsh_command_list_new(0, 0, 1);

    fsh_command_submit(make_list(0, 0, 3, &e[0]));
    CHECK(list != NULL);
    list->is_message = true;
    list->message = 0x1230000001f0; /* RUN of 31 commands somewhere */
    list->done = on_done;
    list->arg = &e[1];
    fsh_command_submit(list);
    fsh_command_submit(make_list(0, 0, 3, &e[2]));
    answer(FSH_STATUS_OK);
    CHECK(num_questions == 1 && questions[0].message == 0x1230000001f0);
    struct question q = questions[--num_questions];
    q.answer->fn(q.answer, FSH_STATUS_BUSY);
    CHECK(!fsh_command_kick()); /* is no progress */
    while (num_questions == 0)
        CHECK(!fsh_command_kick());
    CHECK(num_questions == 1 && questions[0].message == 0x1230000001f0);
    q = questions[--num_questions];
    q.answer->fn(q.answer, FSH_STATUS_OK);
    fsh_command_kick();
    CHECK(e[1].calls == 1 && e[2].calls == 0);
    settle();
    CHECK(e[0].calls == 1 && e[2].calls == 1);
}

static void fit(void)
{
    unsigned first = 99;

    CHECK(fsh_chunk_fit(UINT64_MAX, 4, &first) == 0);
    CHECK(fsh_chunk_fit(0, 64, &first) == 64 && first == 0);
    CHECK(fsh_chunk_fit(0, 3, &first) == 3 && first == 0);
    CHECK(fsh_chunk_fit(0x5, 3, &first) == 3 && first == 3);
    CHECK(fsh_chunk_fit(UINT64_MAX >> 2, 3, &first) == 2 && first == 62);
    CHECK(fsh_chunk_fit(~UINT64_C(0x18010), 4, &first) == 2 && first == 15);
}

/* Cookies of nobody do nothing. */
static void strangers(void)
{
    fsh_compute_completed(2047, FSH_STATUS_OK);
    fsh_compute_completed(FSH_CHUNKS - 1, FSH_STATUS_OK);
    fsh_compute_completed(0, FSH_STATUS_OK);
    CHECK(fsh_chunk_finished() < 0);
}

int main(int argc, char **argv)
{
    model_seed(argc, argv);
    for (unsigned n = 0; n < NODES; n++)
        segs[n] = (struct fsh_segment){area[n], SEGMENT};
    CHECK(fsh_area_bytes(NODES) == sizeof area[0] - SEGMENT);
    CHECK(fsh_command_start(&ops, 1, NODES, segs));
    fit();
    strangers();
    once();
    refused();
    messages();
    long_list();
    for (unsigned i = 0; i < 20; i++) {
        busy = i % 4 == 0 ? 0 : 1 + i % 4;
        many_lists();
    }
    return 0;
}

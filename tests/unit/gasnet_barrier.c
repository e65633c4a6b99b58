/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Barriers as seen by one node of four: what the engine of messages sends and when,
 * completion for every order of arrivals, and the consensus. The conduit records
 * what is sent; arrivals are injected. Then the same with a barrier of the conduit,
 * with two images on this node, and the reported reason of a wait. Runs as a job of
 * one rank that is told it is rank 1 of 4.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/kick.h"
#include "base/log.h"
#include "gasnet/run.h"
#include "check.h"
#include "child.h"

enum { ME = 1, NODES = 4, ROUNDS = 2 };
enum { ANONYMOUS = FSH_ANONYMOUS, NAMED = FSH_NAMED, MISMATCH = FSH_MISMATCH };

struct message {
    uint32_t node;
    int32_t phase, round, kind, id;
};

static struct message sent[16];
static unsigned sent_count;
static struct fsh_conduit_ops ops;
static int32_t phase;

static bool no_room; /* in the conduit */
static unsigned refused;

static bool am_try_request(const struct fsh_am *am)
{
    if (no_room) {
        refused++;
        return false;
    }
    CHECK(am->handler == FSH_HANDLER_RUN_SHORT && am->nargs == 8);
    CHECK(am->args[0] == 0); /* eager; nothing to agree on, no credits back */
    CHECK(am->args[1] == INT32_MIN); /* barriers of the team of all */
    CHECK(am->args[3] >> 16 == ME && am->args[7] == 8);
    CHECK(am->category == FSH_AM_SHORT && sent_count < 16);
    sent[sent_count++] =
        (struct message){am->node, am->args[2] + 1, am->args[3] & 0xffff,
                         am->args[4], am->args[5]};
    return true;
}

/* What a barrier sends, it sends from polls, too. */
static void may_block(const struct fsh_am *am)
{
    CHECK(false, "handler %u: a call that may block", am->handler);
}

static bool nothing_arrives(void)
{
    return false;
}

static void arrive(int32_t in_phase, int32_t round, int32_t kind, int32_t id)
{
    uint32_t from = (ME + NODES - (1u << round)) % NODES;
    const int32_t args[] = {
        0, INT32_MIN, in_phase - 1, (int32_t)(from << 16) | round, kind, id,
        0, 8};
    struct fsh_token token = {.source = from,
                              .handler = FSH_HANDLER_RUN_SHORT,
                              .nargs = 8,
                              .is_request = true,
                              .args = args};

    fsh_am_deliver(&token);
}

static void notify(int id, int flags)
{
    phase++;
    sent_count = 0;
    gasnet_barrier_notify(id, flags);
    CHECK(sent_count >= 1 && sent[0].node == 2 && sent[0].phase == phase &&
          sent[0].round == 0);
}

/* The rounds in order, with a poll between. */
static void in_order(void)
{
    notify(7, 0);
    CHECK(sent[0].kind == NAMED && sent[0].id == 7);
    CHECK(gasnet_barrier_try(7, 0) == GASNET_ERR_NOT_READY);
    arrive(phase, 0, ANONYMOUS, 0);
    CHECK(gasnet_barrier_try(7, 0) == GASNET_ERR_NOT_READY);
    CHECK(sent_count == 2 && sent[1].node == 3 && sent[1].round == 1);
    CHECK(sent[1].kind == NAMED && sent[1].id == 7);
    arrive(phase, 1, NAMED, 7);
    CHECK(gasnet_barrier_try(7, 0) == GASNET_OK);
}

/* Messages may overtake each other, and a fast node may be one barrier ahead
 * before this one has notified at all. */
static void out_of_order(void)
{
    arrive(phase + 1, 1, NAMED, 3);
    arrive(phase + 1, 0, NAMED, 3);
    notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    CHECK(sent_count == 2 && sent[1].kind == NAMED && sent[1].id == 3);
    arrive(phase + 1, 0, NAMED, 4);
    CHECK(gasnet_barrier_try(3, 0) == GASNET_OK);
    notify(4, 0);
    CHECK(sent_count == 2); /* round 0 had arrived */
    arrive(phase, 1, NAMED, 4);
    CHECK(gasnet_barrier_try(4, 0) == GASNET_OK);
}

/* A kick by any poll goes on with the barrier: peers must not have to wait
 * until this node comes to its own wait. */
static void other_polls_progress(void)
{
    notify(1, 0);
    arrive(phase, 0, NAMED, 1);
    gasnet_AMPoll();
    CHECK(sent_count == 2);
    arrive(phase, 1, NAMED, 1);
    CHECK(gasnet_barrier_wait(1, 0) == GASNET_OK);
}

/* No room for a message: whoever polls goes on, and tries again. */
static void full_conduit(void)
{
    no_room = true;
    phase++;
    sent_count = 0;
    gasnet_barrier_notify(2, 0);
    arrive(phase, 0, NAMED, 2);
    arrive(phase, 1, NAMED, 2);
    for (unsigned before = refused, i = 1; i <= 5; i++) {
        gasnet_AMPoll();
        CHECK(refused >= before + i && sent_count == 0);
    }
    CHECK(gasnet_barrier_try(2, 0) == GASNET_ERR_NOT_READY);
    no_room = false;
    CHECK(gasnet_barrier_try(2, 0) == GASNET_OK);
    CHECK(sent_count == 2 && sent[0].round == 0 && sent[1].round == 1);
}

struct consensus {
    int id, flags;             /* mine at notify */
    int32_t kind[2], other[2]; /* arriving */
    int wait_id, wait_flags;
    int result;
    int anonymous, agreed; /* of gasnet_barrier_result, if OK */
};

static const struct consensus cases[] = {
    {0, 1, {ANONYMOUS, ANONYMOUS}, {0, 0}, 0, 1, GASNET_OK, 1, 0},
    {0, 1, {ANONYMOUS, ANONYMOUS}, {0, 0}, 9, 0, GASNET_OK, 1, 0},
    {0, 1, {ANONYMOUS, NAMED}, {0, 5}, 5, 0, GASNET_OK, 0, 5},
    {0, 1, {ANONYMOUS, NAMED}, {0, 5}, 6, 0, GASNET_ERR_BARRIER_MISMATCH, 0, 0},
    {0, 1, {NAMED, ANONYMOUS}, {5, 0}, 0, 1, GASNET_OK, 0, 5},
    {5, 0, {NAMED, NAMED}, {5, 5}, 0, 1, GASNET_OK, 0, 5},
    {5, 0, {NAMED, NAMED}, {5, 5}, 6, 0, GASNET_ERR_BARRIER_MISMATCH, 0, 0},
    {5, 0, {NAMED, NAMED}, {5, 6}, 5, 0, GASNET_ERR_BARRIER_MISMATCH, 0, 0},
    {0, 1, {NAMED, NAMED}, {5, 6}, 0, 1, GASNET_ERR_BARRIER_MISMATCH, 0, 0},
    {5, 0, {MISMATCH, NAMED}, {0, 5}, 5, 0, GASNET_ERR_BARRIER_MISMATCH, 0, 0},
    {5,
     0,
     {ANONYMOUS, MISMATCH},
     {0, 0},
     5,
     0,
     GASNET_ERR_BARRIER_MISMATCH,
     0,
     0},
    {0,
     2,
     {ANONYMOUS, ANONYMOUS},
     {0, 0},
     0,
     2,
     GASNET_ERR_BARRIER_MISMATCH,
     0,
     0},
    {(int)0xcafef00d,
     0,
     {NAMED, NAMED},
     {(int)0xcafef00d, (int)0xcafef00d},
     (int)0xcafef00d,
     0,
     GASNET_OK,
     0,
     (int)0xcafef00d},
    {0,
     GASNET_BARRIERFLAG_UNNAMED,
     {ANONYMOUS, ANONYMOUS},
     {0, 0},
     0,
     GASNET_BARRIERFLAG_UNNAMED,
     GASNET_OK,
     1,
     0},
};

static void consensus(const struct consensus *c, size_t number)
{
    int id = 0, anonymous, result;

    notify(c->id, c->flags);
    arrive(phase, 0, c->kind[0], c->other[0]);
    arrive(phase, 1, c->kind[1], c->other[1]);
    result = gasnet_barrier_wait(c->wait_id, c->wait_flags);
    anonymous = gasnet_barrier_result(&id);
    if (result != c->result ||
        (result == GASNET_OK &&
         (anonymous != c->anonymous || (!anonymous && id != c->agreed)))) {
        fprintf(stderr, "case %zu: result %d, anonymous %d, id %d\n", number,
                result, anonymous, id);
        _Exit(1);
    }
}

/* Polls are told whether a barrier got further, and asked while it may. */
static void kicks(void)
{
    CHECK(!fsh_run_kick() && atomic_load(&fsh_kicks_active) == 0);
    notify(3, 0);
    CHECK(!fsh_run_kick() && atomic_load(&fsh_kicks_active) == 0);
    arrive(phase, 0, NAMED, 3);
    CHECK(atomic_load(&fsh_kicks_active) == 1);
    CHECK(fsh_run_kick() && !fsh_run_kick());
    CHECK(sent_count == 2);
    arrive(phase, 1, NAMED, 3);
    CHECK(fsh_run_kick() && !fsh_run_kick());
    CHECK(atomic_load(&fsh_kicks_active) == 0);
    CHECK(gasnet_barrier_wait(3, 0) == GASNET_OK);
}

/* ---- what a wait says ---- */

static char reported[256];

static bool job_lives(const char **why)
{
    (void)why;
    return true;
}

static void job_ends(const char *why)
{
    CHECK(false, "%s", why);
}

static void note(const char *text)
{
    if (text[0] != '\0')
        snprintf(reported, sizeof reported, "%s", text);
}

static int32_t awaited; /* round in which nobody comes before that is said */

static bool arrives_late(void)
{
    if (reported[0] == '\0' || awaited < 0)
        return false;
    arrive(phase, awaited, NAMED, 8);
    awaited = -1; /* once */
    return true;
}

static void waits_for(int32_t round, const char *who)
{
    static struct fsh_wait_job watch = {
        .alive = job_lives, .leave = job_ends, .report = note};

    fsh_wait_watch(&watch);
    reported[0] = '\0';
    awaited = round;
    notify(8, 0);
    arrive(phase, 1 - round, NAMED, 8);
    ops.poll = ops.spin = arrives_late;
    CHECK(gasnet_barrier_wait(8, 0) == GASNET_OK);
    CHECK(strstr(reported, who) != NULL, "'%s', want %s", reported, who);
    ops.poll = ops.spin = nothing_arrives;
}

/* ---- a barrier of the conduit's ---- */

static uint32_t direct_phase;
static uint64_t direct_word;
static fsh_merge_fn direct_merge;
static bool direct_over;

static uint64_t word(int32_t kind, int id)
{
    return (uint64_t)(uint32_t)kind << 32 | (uint32_t)id;
}

static bool direct_present(void)
{
    return true;
}

static void direct_arrive(uint32_t p, uint64_t opinion, fsh_merge_fn merge)
{
    CHECK(p == direct_phase + 1 || direct_phase == 0, "phase %u", p);
    direct_phase = p;
    direct_word = opinion;
    direct_merge = merge;
    direct_over = false;
}

static bool direct_arrived(uint64_t *opinion, uint32_t *missing)
{
    *missing = 2;
    if (direct_over)
        *opinion = direct_word;
    return direct_over;
}

static bool direct_late(void)
{
    direct_over = reported[0] != '\0';
    return direct_over;
}

static void merges(void)
{
    fsh_merge_fn m = direct_merge;
    uint64_t five = word(NAMED, 5), six = word(NAMED, 6);
    uint64_t any = word(ANONYMOUS, 0), wrong = word(MISMATCH, 0);

    CHECK(m(five, five) == five && m(five, six) == wrong);
    CHECK(m(any, five) == five && m(five, any) == five && m(any, any) == any);
    CHECK(m(wrong, five) == wrong && m(five, wrong) == wrong);
    CHECK(m(wrong, any) == wrong && m(any, wrong) == wrong);
}

static void direct_barrier(void)
{
    static const struct fsh_barrier_ops barrier = {
        direct_present, direct_arrive, direct_arrived};
    int id = 0;

    ops.barrier = &barrier;
    sent_count = 0;
    gasnet_barrier_notify(5, 0);
    phase++;
    CHECK(sent_count == 0 && direct_word == word(NAMED, 5));
    merges();
    CHECK(gasnet_barrier_try(5, 0) == GASNET_ERR_NOT_READY);
    CHECK(!fsh_run_meet_kick());
    direct_over = true;
    CHECK(fsh_run_meet_kick() && gasnet_barrier_try(5, 0) == GASNET_OK);
    CHECK(gasnet_barrier_result(&id) == 0 && id == 5);
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    phase++;
    direct_word = word(MISMATCH, 0);
    reported[0] = '\0';
    ops.poll = ops.spin = direct_late;
    CHECK(gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS) ==
          GASNET_ERR_BARRIER_MISMATCH);
    CHECK(strstr(reported, "node 2") != NULL, "%s", reported);
    ops.poll = ops.spin = nothing_arrives;
    ops.barrier = NULL;
}

/* ---- two images on this node ---- */

enum { IMAGES = GASNET_BARRIERFLAG_IMAGES };

static void be(uint32_t image)
{
    fsh_thread_self()->image = image + 1;
}

static void image_notify(uint32_t image, int id)
{
    be(image);
    gasnet_coll_barrier_notify(GASNET_TEAM_ALL, id, IMAGES);
}

static int image_try(uint32_t image, int id)
{
    be(image);
    return gasnet_coll_barrier_try(GASNET_TEAM_ALL, id, IMAGES);
}

static void image_round(int first, int second, int expected)
{
    int id = 0;

    sent_count = 0;
    phase++;
    image_notify(1, first);
    CHECK(sent_count == 0, "one of two images");
    CHECK(image_try(1, first) == GASNET_ERR_NOT_READY);
    image_notify(2, second);
    CHECK(sent_count == 1 && sent[0].phase == phase);
    CHECK(sent[0].kind == (first == second ? NAMED : MISMATCH));
    arrive(phase, 0, NAMED, first);
    CHECK(image_try(2, second) == GASNET_ERR_NOT_READY);
    arrive(phase, 1, NAMED, first);
    CHECK(image_try(2, second) == expected);
    be(1);
    CHECK(gasnet_coll_barrier_wait(GASNET_TEAM_ALL, first, IMAGES) == expected);
    if (expected == GASNET_OK)
        CHECK(gasnet_coll_barrier_result(GASNET_TEAM_ALL, &id) == 0 &&
              id == first);
}

static bool both_arrive(void)
{
    arrive(phase, 0, NAMED, 4);
    arrive(phase, 1, NAMED, 4);
    ops.poll = ops.spin = nothing_arrives; /* once */
    return true;
}

/* An image's wait waits. */
static void image_waits(void)
{
    phase++;
    image_notify(1, 4);
    image_notify(2, 4);
    ops.poll = ops.spin = both_arrive;
    CHECK(gasnet_coll_barrier_wait(GASNET_TEAM_ALL, 4, IMAGES) == GASNET_OK);
    ops.poll = ops.spin = nothing_arrives;
    CHECK(image_try(1, 4) == GASNET_OK);
}

static void image_twice(void)
{
    image_notify(1, 4);
    image_notify(1, 4);
}

static void image_unnotified(void)
{
    image_notify(1, 4);
    image_try(2, 4);
}

/* New teams; those before live on, as teams do. */
static void register_again(void)
{
    static struct fsh_team *volatile before[8];
    static unsigned n;

    before[n++] = fsh_team_all;
    before[n++] = fsh_team_images;
    CHECK(n <= sizeof before / sizeof *before);
    fsh_team_register();
}

static void two_images(void)
{
    static const uint32_t first[NODES + 1] = {0, 1, 3, 4, 5};
    static uint32_t target[2];
    static const struct child_case wrong[] = {
        {image_twice, "gasnet_coll_barrier_notify: called twice without "
                      "gasnet_coll_barrier_wait or a successful "
                      "gasnet_coll_barrier_try"},
        {image_unnotified, "gasnet_coll_barrier_try: called without "
                           "gasnet_coll_barrier_notify"}};
    struct fsh_team *team;

    phase = 0;
    register_again();
    team = fsh_team_all;
    memcpy(team->view[FSH_VIEW_IMAGES].first, first, sizeof first);
    team->view[FSH_VIEW_IMAGES].mine = 2;
    free(team->barrier.target);
    team->barrier.target = target;
    image_round(4, 4, GASNET_OK);
    image_round(6, 6, GASNET_OK);
    image_round(4, 5, GASNET_ERR_BARRIER_MISMATCH);
    image_waits();
    child_check(wrong, sizeof wrong / sizeof *wrong);
}

/* ---- calls out of turn ---- */

static void twice(void)
{
    gasnet_barrier_notify(1, 0);
    gasnet_barrier_notify(1, 0);
}

static void after_notify(void)
{
    gasnet_barrier_notify(1, 0);
    gasnet_barrier(1, 0);
}

static void unnotified(void)
{
    gasnet_barrier_wait(1, 0);
}

static void try_unnotified(void)
{
    gasnet_barrier_try(1, 0);
}

static void early_notify(void)
{
    fsh_gasnet.attached = false;
    gasnet_barrier_notify(1, 0);
}

static void early_wait(void)
{
    fsh_gasnet.attached = false;
    gasnet_barrier_wait(1, 0);
}

static void early_try(void)
{
    fsh_gasnet.attached = false;
    gasnet_barrier_try(1, 0);
}

static void early_result(void)
{
    int id;

    fsh_gasnet.attached = false;
    gasnet_barrier_result(&id);
}

static void out_of_turn(void)
{
    static const struct child_case wrong[] = {
        {twice, "gasnet_barrier_notify: called twice without "
                "gasnet_barrier_wait or a successful gasnet_barrier_try"},
        {after_notify, "gasnet_barrier: called after a notify without "
                       "gasnet_barrier_wait"},
        {unnotified, "gasnet_barrier_wait: called without "
                     "gasnet_barrier_notify"},
        {try_unnotified, "gasnet_barrier_try: called without "
                         "gasnet_barrier_notify"},
        {early_notify, "gasnet_barrier_notify: called before gasnet_attach"},
        {early_wait, "gasnet_barrier_wait: called before gasnet_attach"},
        {early_try, "gasnet_barrier_try: called before gasnet_attach"},
        {early_result, "gasnet_barrier_result: called before gasnet_attach"}};

    child_check(wrong, sizeof wrong / sizeof *wrong);
}

static void abort_on_fatal(int code, const char *reason)
{
    (void)code;
    (void)reason;
    abort();
}

int main(int argc, char **argv)
{
    CHECK(gasnet_init(&argc, &argv) == GASNET_OK);
    CHECK(gasnet_attach(NULL, 0, 0, 0) == GASNET_OK);
    ops = *fsh_gasnet.ops;
    ops.am_request = may_block;
    ops.am_try_request = am_try_request;
    ops.barrier = NULL; /* by messages */
    ops.poll = ops.spin = nothing_arrives;
    fsh_gasnet.ops = &ops;
    fsh_gasnet.rank = ME;
    fsh_gasnet.nodes = NODES;
    register_again(); /* of the new nodes */
    in_order();
    out_of_order();
    other_polls_progress();
    full_conduit();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        consensus(&cases[i], i);
    kicks();
    waits_for(1, "node 3");
    register_again(); /* one that has no messages */
    direct_barrier();
    fsh_log_on_fatal(abort_on_fatal);
    out_of_turn();
    two_images();
    fsh_gasnet.rank = 0;
    fsh_gasnet.nodes = 1;
    puts("gasnet_barrier: pass");
    return 0;
}

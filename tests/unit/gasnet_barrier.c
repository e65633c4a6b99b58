/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The barrier's protocol as one node of four sees it: what it sends when, in
 * which order of arrivals it finishes, and what consensus it comes to. The
 * conduit records what is sent; arrivals are made by hand. Runs as a job of
 * one rank that is told it is rank 1 of 4.
 */
#include <stdio.h>
#include <stdlib.h>

#include "gasnet/team.h"
#include "check.h"

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
    CHECK(am->handler == FSH_HANDLER_BARRIER && am->nargs == 5);
    CHECK(am->args[4] == 0); /* the team of all */
    CHECK(am->category == FSH_AM_SHORT && sent_count < 16);
    sent[sent_count++] = (struct message){am->node, am->args[0], am->args[1],
                                          am->args[2], am->args[3]};
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
    const int32_t args[] = {in_phase, round, kind, id, 0};
    struct fsh_token token = {.source = (ME + NODES - (1u << round)) % NODES,
                              .handler = FSH_HANDLER_BARRIER,
                              .nargs = 5,
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

static struct fsh_team *volatile of_the_job; /* lives on, as teams do */

int main(int argc, char **argv)
{
    CHECK(gasnet_init(&argc, &argv) == GASNET_OK);
    CHECK(gasnet_attach(NULL, 0, 0, 0) == GASNET_OK);
    ops = *fsh_gasnet.ops;
    ops.am_request = may_block;
    ops.am_try_request = am_try_request;
    ops.barrier = NULL; /* by messages */
    ops.poll = nothing_arrives;
    fsh_gasnet.ops = &ops;
    fsh_gasnet.rank = ME;
    fsh_gasnet.nodes = NODES;
    of_the_job = fsh_team_all;
    fsh_team_register(); /* of the new nodes */
    in_order();
    out_of_order();
    other_polls_progress();
    full_conduit();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        consensus(&cases[i], i);
    fsh_gasnet.rank = 0;
    fsh_gasnet.nodes = 1;
    puts("gasnet_barrier: pass");
    return 0;
}

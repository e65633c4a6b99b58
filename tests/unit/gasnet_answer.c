/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replies of library handlers to a conduit without room: the poll that runs the
 * handlers does not block; the replies are queued in order and leave once each, as
 * requests, in polls that find room. Runs as a job of one rank.
 */
#include <stdio.h>

#include "base/kick.h"
#include "gasnet/internal.h"
#include "check.h"

enum { MANY = 1000, OTHER = 5 };

static struct fsh_conduit_ops ops;
static unsigned room; /* for so many messages */
static unsigned replies, requests;
static unsigned char memory[MANY];

static void check_answer(const struct fsh_am *am, unsigned number)
{
    CHECK(am->handler == FSH_HANDLER_MEMSET_DONE && am->nargs == 2 &&
          am->category == FSH_AM_SHORT && am->node == OTHER);
    CHECK(am->args[0] == (int32_t)number && am->args[1] == 77,
          "answer %d, want %u", am->args[0], number);
}

static bool try_reply(struct fsh_token *token, const struct fsh_am *am)
{
    if (room == 0)
        return false;
    room--;
    token->replied = true;
    check_answer(am, replies + requests);
    replies++;
    return true;
}

static bool try_request(const struct fsh_am *am)
{
    if (room == 0)
        return false;
    room--;
    check_answer(am, replies + requests);
    requests++;
    return true;
}

static void blocks(struct fsh_token *token, const struct fsh_am *am)
{
    (void)token;
    CHECK(false, "handler %u: a reply that may block", am->handler);
}

static bool nothing_arrives(void)
{
    return false;
}

/* A memset of one byte, whose answer has this number. */
static void memset_arrives(unsigned number)
{
    const int32_t args[] = {fsh_high_ptr(&memory[number]),
                            fsh_low_ptr(&memory[number]),
                            0,
                            1,
                            3,
                            (int32_t)number,
                            77};
    struct fsh_token token = {.source = OTHER,
                              .handler = FSH_HANDLER_MEMSET,
                              .nargs = 7,
                              .is_request = true,
                              .args = args};
    unsigned had = room;

    fsh_am_deliver(&token);
    CHECK(memory[number] == 3 && token.replied == (had != 0));
}

int main(int argc, char **argv)
{
    const struct fsh_conduit_ops *own;

    CHECK(gasnet_init(&argc, &argv) == GASNET_OK);
    CHECK(gasnet_attach(NULL, 0, 0, 0) == GASNET_OK);
    own = fsh_gasnet.ops;
    ops = *own;
    ops.am_reply = blocks;
    ops.am_try_reply = try_reply;
    ops.am_try_request = try_request;
    ops.poll = ops.spin = nothing_arrives;
    fsh_gasnet.ops = &ops;
    room = 2;
    for (unsigned i = 0; i < MANY; i++)
        memset_arrives(i);
    CHECK(replies == 2 && requests == 0);
    for (unsigned i = 0; i < 10; i++)
        gasnet_AMPoll();
    CHECK(requests == 0);
    room = 3;
    gasnet_AMPoll();
    CHECK(requests == 3 && room == 0);
    room = MANY;
    gasnet_AMPoll();
    CHECK(replies + requests == MANY, "%u answers are lost",
          MANY - replies - requests);
    gasnet_AMPoll();
    CHECK(replies + requests == MANY && atomic_load(&fsh_kicks_active) == 0);
    fsh_gasnet.ops = own;
    puts("gasnet_answer: pass");
    return 0;
}

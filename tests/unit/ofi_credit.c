/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Room at a peer of conduit ofi comes back whole: after a random mix of messages of all
 * kinds, Longs that are put first among them, puts and gets, by messages too (in
 * ofi_credit_messages), a barrier leaves both of two ranks with the whole window.
 * usage: ofi_credit [seed]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "check.h"
#include "conduit/ofi/state.h"
#include "gasnet.h" /* SEQ by CMakeLists.txt */
#include "random.h"

enum { H_ASK = 200, H_ANSWER, H_TAKE };
enum { ROUNDS = 20, EACH = 40, MOST = 200000, SEGMENT = 1 << 20 };

static int answers;
static unsigned char payload[MOST];
static gasnet_seginfo_t segment[2];
static int me;

/* Each rank's half of the other's segment. */
static unsigned char *there(void)
{
    return (unsigned char *)segment[1 - me].addr + me * (SEGMENT / 2);
}

static void answer(gasnet_token_t token, void *buf, size_t n)
{
    (void)token;
    (void)buf;
    (void)n;
    answers++;
}

static void take(gasnet_token_t token, void *buf, size_t n)
{
    (void)token;
    (void)buf;
    (void)n;
}

/* Sends back so many bytes as it is told. */
static void ask(gasnet_token_t token, int bytes)
{
    gasnet_AMReplyLong0(token, H_ANSWER, payload, (size_t)bytes, there());
}

static void one(uint64_t *random, int *asked)
{
    size_t n = random_next(random) % (random_next(random) % 4 ? 2000 : MOST);
    uint32_t other = (uint32_t)(1 - me);

    switch (random_next(random) % 5) {
    case 0:
        gasnet_AMRequestShort1(other, H_ASK, (int)n);
        (*asked)++;
        break;
    case 1:
        gasnet_AMRequestMedium0(other, H_TAKE, payload,
                                n % (gasnet_AMMaxMedium() + 1));
        break;
    case 2:
        gasnet_AMRequestLong0(other, H_TAKE, payload, n, there());
        break;
    case 3:
        gasnet_put_nbi_bulk(other, there(), payload, n);
        break;
    default:
        gasnet_get_nbi_bulk(payload, other, there(), n);
    }
}

static void meet(void)
{
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    CHECK(gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS) == GASNET_OK);
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {{H_ASK, (void (*)())ask},
                                     {H_ANSWER, (void (*)())answer},
                                     {H_TAKE, (void (*)())take}};
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : fsh_time_ns() | 1;
    uint64_t random;
    int asked = 0;

    setenv("FSHMEM_CONDUIT", "ofi", 1);
    setenv("FSHMEM_OFI_LOCAL", "0", 1);
    setenv("GASNET_PSHM_NODES", "2", 1);
    CHECK(gasnet_init(&argc, &argv) == GASNET_OK);
    CHECK(gasnet_attach(table, 3, SEGMENT, 0) == GASNET_OK);
    me = (int)gasnet_mynode();
    CHECK(gasnet_nodes() == 2);
    CHECK(gasnet_getSegmentInfo(segment, 2) == GASNET_OK);
    if (me == 0)
        printf("seed %llu\n", (unsigned long long)seed);
    random = seed + (unsigned)me;
    for (unsigned i = 0; i < ROUNDS; i++) {
        for (unsigned n = 0; n < EACH; n++)
            one(&random, &asked);
        gasnet_wait_syncnbi_all();
        GASNET_BLOCKUNTIL(answers == asked);
        meet(); /* all requests have been handled by the next one */
        meet();
        meet();
        CHECK(fsh_ofi.peers[1 - me].window == FSH_OFI_WINDOW,
              "rank %d, round %u: %u of %u bytes", me, i,
              fsh_ofi.peers[1 - me].window, FSH_OFI_WINDOW);
        meet();
    }
    gasnet_exit(0);
}

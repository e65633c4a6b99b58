/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls a handler through the type it was defined with: a token, for Medium and
 * Long a buffer and its size, then exactly nargs ints. One macro generates the
 * call for each count. Called by fsh_am_deliver on any thread.
 */
#include "base/log.h"
#include "gasnet/internal.h"

/* clang-format off */
#define T0
#define T1 , int32_t
#define T2 T1 T1
#define T3 T2 T1
#define T4 T3 T1
#define T5 T4 T1
#define T6 T5 T1
#define T7 T6 T1
#define T8 T7 T1
#define T9 T8 T1
#define T10 T9 T1
#define T11 T10 T1
#define T12 T11 T1
#define T13 T12 T1
#define T14 T13 T1
#define T15 T14 T1
#define T16 T15 T1

#define V0
#define V1 , a[0]
#define V2 V1, a[1]
#define V3 V2, a[2]
#define V4 V3, a[3]
#define V5 V4, a[4]
#define V6 V5, a[5]
#define V7 V6, a[6]
#define V8 V7, a[7]
#define V9 V8, a[8]
#define V10 V9, a[9]
#define V11 V10, a[10]
#define V12 V11, a[11]
#define V13 V12, a[12]
#define V14 V13, a[13]
#define V15 V14, a[14]
#define V16 V15, a[15]

#define EACH(X) \
    X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) \
    X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16)

#define SHORT_CASE(N) \
    case N: ((void (*)(void * T##N))fn)(name V##N); return;
#define BUFFER_CASE(N) \
    case N: ((void (*)(void *, void *, size_t T##N))fn)(name, buf, nbytes \
                                                        V##N); return;
#define UP_TO_8(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8)
#define NEXT_CASE(N) \
    case N: ((void (*)(void * T##N))fn)(token V##N); break;
/* clang-format on */

/* Senders check the count, so the message has been corrupted. */
static __attribute__((noinline, cold)) _Noreturn void bad_count(uint32_t source,
                                                                unsigned nargs)
{
    fsh_fatal("an active message from node %u has %u arguments, but at most "
              "16 are possible: it was corrupted in transit",
              source, nargs);
}

void fsh_dispatch(fsh_handler_fn fn, void *name, const struct fsh_token *token)
{
    const int32_t *a = token->args;
    void *buf = token->buf;
    size_t nbytes = token->nbytes;

    if (token->category == FSH_AM_SHORT) {
        switch (token->nargs) {
            EACH(SHORT_CASE)
        }
    } else {
        switch (token->nargs) {
            EACH(BUFFER_CASE)
        }
    }
    bad_count(token->source, token->nargs);
}

_Static_assert(FSH_SHORT_ARGS == 8, "cases");

void fsh_dispatch_shorts(struct fsh_token *token, const struct fsh_short *m,
                         unsigned n)
{
    for (const struct fsh_short *end = m + n; m != end; m++) {
        const int32_t *a = m->args;
        unsigned index = m->what & 0xff, nargs = m->what >> 16;
        fsh_handler_fn fn = fsh_gasnet.handler[index];

        if (__builtin_expect(fn == NULL, 0))
            fsh_bad_handler(token->source, index);
        token->replied = false;
        switch (nargs) {
            UP_TO_8(NEXT_CASE)
        default:
            bad_count(token->source, nargs);
        }
    }
}

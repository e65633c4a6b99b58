/* SPDX-License-Identifier: BSD-3-Clause */
/* Built to fail: fatal_error <scenario> makes one mistake that GASNet calls
 * erroneous. The job must end with a nonzero code and a message that names
 * the mistake (the runner checks it). Reaching the end is code 0, which
 * the runner does not accept. The last rank makes the mistake, the others are
 * in a barrier. */
#include "mistakes.h"

#include <gasnet_tools.h>
#include <gasnet_vis.h>

enum {
    H_NOTHING = 128,
    H_REPLY_TWICE,
    H_LONG_REPLY,
    H_MEDIUM_REPLY,
    H_PING,
    H_PONG,
    UNREGISTERED = 250
};

static int answered;

static void nothing(gasnet_token_t token)
{
    (void)token;
}

static void reply_twice(gasnet_token_t token)
{
    gasnet_AMReplyShort0(token, H_NOTHING);
    gasnet_AMReplyShort0(token, H_NOTHING);
}

/* A reply that misses the requester's segment. */
static void long_reply(gasnet_token_t token)
{
    gasnet_node_t from;
    char byte = 1;
    OK(gasnet_AMGetMsgSource(token, &from));
    gasnet_AMReplyLong0(token, H_NOTHING, &byte, 1,
                        conf_addr(from) + conf.seg[from].size);
}

static void *big(size_t n)
{
    void *p = malloc(n);
    CHECK(p != NULL, "malloc of %zu", n);
    return p;
}

/* A reply longer than a Medium may be. */
static void medium_reply(gasnet_token_t token)
{
    const size_t n = gasnet_AMMaxMedium() + 1;
    gasnet_AMReplyMedium0(token, H_NOTHING, big(n), n);
}

static void ping(gasnet_token_t token)
{
    gasnet_AMReplyShort0(token, H_PONG);
}

static void pong(gasnet_token_t token)
{
    (void)token;
    conf_add(&answered, 1);
}

static gasnet_handlerentry_t table[] = {{H_NOTHING, nothing},
                                        {H_REPLY_TWICE, reply_twice},
                                        {H_LONG_REPLY, long_reply},
                                        {H_MEDIUM_REPLY, medium_reply},
                                        {H_PING, ping},
                                        {H_PONG, pong}};

static gasnet_node_t to; /* who suffers: rank 0 */
static unsigned char buf[64];

static unsigned char *end(void)
{
    return conf_addr(to) + conf.seg[to].size;
}

static void unregistered(void)
{
    gasnet_AMRequestShort0(to, UNREGISTERED);
}
static void unregistered_medium(void)
{
    gasnet_AMRequestMedium0(to, UNREGISTERED, buf, sizeof buf);
}
static void index_of_library(void)
{
    gasnet_AMRequestShort0(to, 70);
}
static void compute_medium(void)
{
    gasnet_AMRequestMedium2(to, 5, buf, sizeof buf, 0, 0);
}
static void compute_arguments(void)
{
    gasnet_AMRequestShort1(to, 5, 0);
}
static void compute_operation(void)
{
    gasnet_AMRequestShort2(to, 5, 9, 0);
}
static void index_too_large(void)
{
    gasnet_AMRequestShort(to, 256, 0);
}
static void too_many_args(void)
{
    gasnet_AMRequestShort(to, H_NOTHING, 17, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
                          12, 13, 14, 15, 16);
}
static void negative_args(void)
{
    gasnet_AMRequestShort(to, H_NOTHING, -1);
}
static void medium_reply_too_long(void)
{
    gasnet_AMRequestShort0(to, H_MEDIUM_REPLY);
    conf_barrier();
}
static void medium_too_long(void)
{
    const size_t n = gasnet_AMMaxMedium() + 1;
    gasnet_AMRequestMedium0(to, H_NOTHING, big(n), n);
}
static void long_too_long(void)
{
    const size_t n = gasnet_AMMaxLongRequest() + 1;
    gasnet_AMRequestLong0(to, H_NOTHING, buf, n, conf_addr(to));
}
static void long_outside(void)
{
    gasnet_AMRequestLong0(to, H_NOTHING, buf, 2, end() - 1);
}
static void long_reply_outside(void)
{
    gasnet_AMRequestShort0(to, H_LONG_REPLY);
    conf_barrier();
}
static void request_to_nobody(void)
{
    gasnet_AMRequestShort0(conf.n, H_NOTHING);
}
static void put_to_nobody(void)
{
    gasnet_put(conf.n, conf_addr(to), buf, 8);
}
static void put_behind(void)
{
    gasnet_put(to, end(), buf, 1);
}
static void put_across_end(void)
{
    gasnet_put(to, end() - 7, buf, 8);
}
static void put_before(void)
{
    gasnet_put(to, conf_addr(to) - 1, buf, 8);
}
static void put_wrapping(void)
{
    gasnet_put_bulk(to, conf_addr(to) + 8, buf, ~(size_t)0 - 3);
}
static void put_nbi_behind(void)
{
    gasnet_put_nbi(to, end(), buf, 1);
    gasnet_wait_syncnbi_puts();
}
static void put_val_behind(void)
{
    gasnet_put_val(to, end() - 1, 1, 2);
}
static void get_behind(void)
{
    gasnet_get(buf, to, end() - 3, 4);
}
static void get_nb_before(void)
{
    gasnet_wait_syncnb(gasnet_get_nb(buf, to, conf_addr(to) - 8, 8));
}
static void memset_behind(void)
{
    gasnet_memset(to, end() - 1, 0, 2);
}
/* In pieces: two of 4 bytes at buf, and others. */
static gasnet_memvec_t two[2] = {{buf, 4}, {buf + 8, 4}};
static void *list[2] = {buf, buf + 8};
static size_t eight[1] = {8};
static size_t down[1] = {(size_t)-8};
static size_t huge[1] = {SIZE_MAX / 2 - 7};
static size_t section[2] = {4, 3};

static void putv_lengths(void)
{
    gasnet_memvec_t nine[1];
    nine[0].addr = conf_addr(to);
    nine[0].len = 9;
    gasnet_putv_bulk(to, 1, nine, 2, two);
}
static void geti_lengths(void)
{
    void *far[1];
    far[0] = conf_addr(to);
    gasnet_wait_syncnb(gasnet_geti_nb_bulk(2, list, 4, to, 1, far, 12));
}
static void putv_behind(void)
{
    gasnet_memvec_t far[2];
    far[0].addr = conf_addr(to);
    far[1].addr = end() - 3;
    far[0].len = far[1].len = 4;
    gasnet_putv_nbi_bulk(to, 2, far, 2, two);
}
static void geti_before(void)
{
    void *far[2];
    far[0] = conf_addr(to);
    far[1] = conf_addr(to) - 1;
    gasnet_geti_bulk(2, list, 4, to, 2, far, 4);
}
static void puts_behind(void)
{
    gasnet_puts_bulk(to, end() - 19, eight, buf, eight, section, 1);
}
static void gets_down(void)
{
    gasnet_gets_bulk(buf, eight, to, conf_addr(to) + 15, down, section, 1);
}
static void gets_far(void)
{
    gasnet_gets_bulk(buf, eight, to, conf_addr(to), huge, section, 1);
}
static void puts_to_nobody(void)
{
    gasnet_puts_bulk(conf.n, conf_addr(to), eight, buf, eight, section, 1);
}
static void two_replies(void)
{
    gasnet_AMRequestShort0(to, H_REPLY_TWICE);
    conf_barrier();
}

static void tools_fatal(void)
{
    gasnett_fatalerror("the words %d", 7);
}
/* Evaluated once; without GASNET_DEBUG, the other not at all. */
static void tools_assert(void)
{
    int count = 0;
    gasneti_assert_always(++count == 1);
#ifdef GASNET_NDEBUG
    gasneti_assert(++count == 7);
#endif
    gasneti_assert_always(count != 1);
}
static void tools_fatal_nopos(void)
{
    gasnett_fatalerror_nopos("the words %s", "alone");
}
/* A setting that is read on the way out says nothing of its own. */
static void tools_fatal_frozen(void)
{
    gasnett_setenv("GASNET_FREEZE_ON_ERROR", "perhaps");
    tools_fatal_nopos();
}
static void tools_number(void)
{
    gasnett_parse_int("12 apples", 1024);
}
static void tools_range(void)
{
    gasnett_parse_int("16777216 TB", 1);
}
static void tools_setting(void)
{
    gasnett_setenv("TOOLS_SWITCH", "perhaps");
    gasnett_getenv_yesno_withdefault("TOOLS_SWITCH", 1);
}
static void tools_double(void)
{
    gasnett_setenv("TOOLS_DOUBLE", "3/0");
    gasnett_getenv_dbl_withdefault("TOOLS_DOUBLE", 1);
}
static void tools_wait_alone(void)
{
    gasnett_mutex_t mutex = GASNETT_MUTEX_INITIALIZER;
    gasnett_cond_t cond = GASNETT_COND_INITIALIZER;
    gasnett_mutex_lock(&mutex);
    gasnett_cond_wait(&cond, &mutex);
}

/* Collectives; the other rank is in one too, or never comes to it. */
enum {
    SYNC = GASNET_COLL_LOCAL | GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC
};

static void coll_root(void)
{
    gasnet_coll_broadcast(GASNET_TEAM_ALL, buf, conf.n, buf, 8, SYNC);
}
static void sum(void *results, size_t count, const void *left,
                size_t left_count, const void *right, size_t elem_size,
                int flags, int arg)
{
    (void)results, (void)count, (void)left, (void)left_count, (void)right;
    (void)elem_size, (void)flags, (void)arg;
}
static void coll_function(void)
{
    gasnet_coll_fn_entry_t functions[1] = {{sum, 0}};
    gasnet_coll_init(NULL, 0, functions, 1, 0);
    gasnet_coll_wait_sync(gasnet_coll_reduce_nb(GASNET_TEAM_ALL, 0, buf, buf, 0,
                                                0, 4, 1, 1, 0, SYNC));
}
static void coll_kinds(void)
{
    if (conf.me == 0) {
        gasnet_coll_gather(GASNET_TEAM_ALL, 1, NULL, buf, 8, SYNC);
    } else {
        gasnet_coll_scatter(GASNET_TEAM_ALL, buf, 0, NULL, 8, SYNC);
    }
}
static void coll_lengths(void)
{
    gasnet_coll_broadcast(GASNET_TEAM_ALL, buf, 0, buf, 8 + conf.me, SYNC);
}
/* One side has nothing to send or to get. */
static void coll_empty_source(void) /* by both, as the next three */
{
    gasnet_coll_scatter(GASNET_TEAM_ALL, buf, 0, buf, conf.me * 8, SYNC);
}
static void coll_empty_sink(void)
{
    gasnet_coll_gather(GASNET_TEAM_ALL, 0, buf, buf, conf.me * 8, SYNC);
}
static void coll_empty_operand(void)
{
    gasnet_coll_fn_entry_t functions[1] = {{sum, 0}};
    gasnet_coll_init(NULL, 0, functions, 1, 0);
    gasnet_coll_reduce(GASNET_TEAM_ALL, 1, buf, buf, 0, 0, 4, conf.me, 0, 0,
                       SYNC);
}
/* Rank 1, the root for itself, has its block; rank 0 asks it for another. */
static void coll_roots(void)
{
    gasnet_coll_gather(GASNET_TEAM_ALL, conf.me, buf, buf, 0, SYNC);
    conf_barrier();
}
static void coll_notify_twice(void)
{
    gasnet_coll_barrier_notify(GASNET_TEAM_ALL, 0, 0);
    gasnet_coll_barrier_notify(GASNET_TEAM_ALL, 0, 0);
}
static void coll_wait_unnotified(void)
{
    gasnet_coll_barrier_wait(GASNET_TEAM_ALL, 0, 0);
}
static void team_rank(void)
{
    gasnet_coll_team_rank2node(GASNET_TEAM_ALL, (int)conf.n);
}

static const struct mistake by_one[] = {
    {"unregistered", unregistered},
    {"unregistered-medium", unregistered_medium},
    {"index-of-library", index_of_library},
    {"compute-medium", compute_medium},
    {"compute-arguments", compute_arguments},
    {"compute-operation", compute_operation},
    {"index-too-large", index_too_large},
    {"too-many-args", too_many_args},
    {"negative-args", negative_args},
    {"medium-too-long", medium_too_long},
    {"medium-reply-too-long", medium_reply_too_long},
    {"long-too-long", long_too_long},
    {"long-outside", long_outside},
    {"long-reply-outside", long_reply_outside},
    {"request-to-nobody", request_to_nobody},
    {"put-to-nobody", put_to_nobody},
    {"put-behind", put_behind},
    {"put-across-end", put_across_end},
    {"put-before", put_before},
    {"put-wrapping", put_wrapping},
    {"put-nbi-behind", put_nbi_behind},
    {"put-val-behind", put_val_behind},
    {"get-behind", get_behind},
    {"get-nb-before", get_nb_before},
    {"memset-behind", memset_behind},
    {"putv-lengths", putv_lengths},
    {"geti-lengths", geti_lengths},
    {"putv-behind", putv_behind},
    {"geti-before", geti_before},
    {"puts-behind", puts_behind},
    {"gets-down", gets_down},
    {"gets-far", gets_far},
    {"puts-to-nobody", puts_to_nobody},
    {"notify-twice", notify_twice},
    {"wait-unnotified", wait_unnotified},
    {"try-unnotified", try_unnotified},
    {"two-replies", two_replies},
    {"tools-fatal", tools_fatal},
    {"tools-fatal-nopos", tools_fatal_nopos},
    {"tools-fatal-frozen", tools_fatal_frozen},
    {"tools-assert", tools_assert},
    {"tools-number", tools_number},
    {"tools-range", tools_range},
    {"tools-setting", tools_setting},
    {"tools-double", tools_double},
    {"tools-wait-alone", tools_wait_alone},
    {"coll-root", coll_root},
    {"coll-function", coll_function},
    {"coll-notify-twice", coll_notify_twice},
    {"coll-wait-unnotified", coll_wait_unnotified},
    {"team-rank", team_rank},
};

/* Those that take two: all ranks make them. */
static const struct mistake by_all[] = {
    {"coll-kinds", coll_kinds},
    {"coll-lengths", coll_lengths},
    {"coll-empty-source", coll_empty_source},
    {"coll-empty-sink", coll_empty_sink},
    {"coll-empty-operand", coll_empty_operand},
    {"coll-roots", coll_roots},
};

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "none";
    conf_start("fatal_error", &argc, &argv, table, CONF_COUNT(table), 8192);
    if (conf.me == conf.n - 1) {
        MAKE_MISTAKE(by_one, name);
        /* A barrier delivers no messages: what comes after a wrong one was
         * answered, so that one has met its handler, or none. */
        gasnet_AMRequestShort0(to, H_PING);
        GASNET_BLOCKUNTIL(conf_load(&answered) == 1);
    }
    MAKE_MISTAKE(by_all, name);
    conf_pass(); /* "none", or the mistake went unnoticed */
}

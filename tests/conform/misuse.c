/* SPDX-License-Identifier: BSD-3-Clause */
/* Mistakes that a debug library must detect, beyond those of fatal_error.c:
 * misuse <scenario> makes one, and the job must end with a nonzero code and a
 * line that names the call and the mistake (the runner checks it).
 * The last rank makes the mistake, the others are in a barrier. Thread
 * mistakes need the thread mode in which they are mistakes: flavours.cmake. */
#include "conform_threads.h"
#include "mistakes.h"

enum {
    H_NOTHING = 128,
    H_REQUEST,      /* sends a request */
    H_PUT,          /* puts */
    H_GET_VALUE,    /* gets a value */
    H_SYNC,         /* synchronises nothing */
    H_NOTIFY,       /* starts a barrier */
    H_POLL,         /* polls */
    H_REPLY,        /* replies to the handler it is told */
    H_BAD_REPLY,    /* a reply handler that replies */
    H_KEEP,         /* keeps its token */
    H_USE_KEPT,     /* replies with the token that was kept */
    H_REPLY_LOCKED, /* replies while holding a lock */
    H_RETURN_LOCKED /* returns while holding a lock */
};

static gasnet_hsl_t lock = GASNET_HSL_INITIALIZER;
static gasnet_hsl_t second = GASNET_HSL_INITIALIZER;
static gasnet_token_t kept;
static int kept_one;
static unsigned char buf[64];

static unsigned char *there(void)
{
    return conf_addr(0);
}

/* ---- handlers ---------------------------------------------------------- */

static void nothing(gasnet_token_t token)
{
    (void)token;
}
static void requests(gasnet_token_t token)
{
    (void)token;
    gasnet_AMRequestShort0(0, H_NOTHING);
}
static void puts_there(gasnet_token_t token)
{
    (void)token;
    gasnet_put(0, there(), buf, 8);
}
static void gets_value(gasnet_token_t token)
{
    (void)token;
    gasnet_get_val(0, there(), 4);
}
static void syncs(gasnet_token_t token)
{
    (void)token;
    gasnet_wait_syncnbi_all();
}
static void notifies(gasnet_token_t token)
{
    (void)token;
    gasnet_barrier_notify(1, 0);
}
static void polls(gasnet_token_t token)
{
    (void)token;
    gasnet_AMPoll();
}
static void replies(gasnet_token_t token, int index)
{
    gasnet_AMReplyShort0(token, (gasnet_handler_t)index);
}
static void bad_reply(gasnet_token_t token)
{
    gasnet_AMReplyShort0(token, H_NOTHING);
}
static void keeps(gasnet_token_t token)
{
    kept = token;
    conf_add(&kept_one, 1);
}
static void uses_kept(gasnet_token_t token)
{
    (void)token;
    gasnet_AMReplyShort0(kept, H_NOTHING);
    conf_add(&kept_one, 1);
}
static void replies_locked(gasnet_token_t token)
{
    gasnet_hsl_lock(&lock);
    gasnet_AMReplyShort0(token, H_NOTHING);
    gasnet_hsl_unlock(&lock);
}
static void returns_locked(gasnet_token_t token)
{
    (void)token;
    gasnet_hsl_lock(&lock);
}

static gasnet_handlerentry_t table[] = {{H_NOTHING, nothing},
                                        {H_REQUEST, requests},
                                        {H_PUT, puts_there},
                                        {H_GET_VALUE, gets_value},
                                        {H_SYNC, syncs},
                                        {H_NOTIFY, notifies},
                                        {H_POLL, polls},
                                        {H_REPLY, replies},
                                        {H_BAD_REPLY, bad_reply},
                                        {H_KEEP, keeps},
                                        {H_USE_KEPT, uses_kept},
                                        {H_REPLY_LOCKED, replies_locked},
                                        {H_RETURN_LOCKED, returns_locked}};

/* Have a handler run on this rank, and wait for what comes of it. */
static void run_here(int handler)
{
    gasnet_AMRequestShort0(conf.me, (gasnet_handler_t)handler);
    conf_barrier();
}

/* By polls, so that handlers that follow each other run at the same depth. */
static void poll_until_kept(int want)
{
    while (conf_load(&kept_one) < want) {
        gasnet_AMPoll();
    }
}

static void keep_token(void)
{
    gasnet_AMRequestShort0(conf.me, H_KEEP);
    poll_until_kept(1);
}

/* ---- before attach ------------------------------------------------------ */

static void mynode_before_init(void)
{
    gasnet_mynode();
}
static void nodes_before_init(void)
{
    gasnet_nodes();
}
static void getenv_before_init(void)
{
    gasnet_getenv("PATH");
}
static void put_before_attach(void)
{
    gasnet_put(0, buf, buf + 8, 8);
}
static void poll_before_attach(void)
{
    gasnet_AMPoll();
}
static void request_before_attach(void)
{
    gasnet_AMRequestShort0(0, H_NOTHING);
}
static void notify_before_attach(void)
{
    gasnet_barrier_notify(0, 0);
}
static void sync_before_attach(void)
{
    gasnet_wait_syncnb(GASNET_INVALID_HANDLE);
}
static void region_before_attach(void)
{
    gasnet_begin_nbi_accessregion();
}

/* ---- active messages ---------------------------------------------------- */

static void request_in_handler(void)
{
    run_here(H_REQUEST);
}
static void request_in_reply_handler(void)
{
    gasnet_AMRequestShort1(conf.me, H_REPLY, H_REQUEST);
    conf_barrier();
}
static void reply_in_reply_handler(void)
{
    gasnet_AMRequestShort1(conf.me, H_REPLY, H_BAD_REPLY);
    conf_barrier();
}
static void reply_unregistered(void)
{
    gasnet_AMRequestShort1(conf.me, H_REPLY, 251);
    conf_barrier();
}
static void reply_library_index(void)
{
    gasnet_AMRequestShort1(conf.me, H_REPLY, 64);
    conf_barrier();
}
static void reply_dead_token(void)
{
    keep_token();
    gasnet_AMReplyShort0(kept, H_NOTHING);
}
/* The next handler may well have its token at the same address. */
static void reply_token_of_another(void)
{
    gasnet_AMRequestShort0(conf.me, H_KEEP);
    poll_until_kept(1);
    gasnet_AMRequestShort0(conf.me, H_USE_KEPT);
    poll_until_kept(2);
}
static void reply_null_token(void)
{
    gasnet_AMReplyShort0(NULL, H_NOTHING);
}
static void source_of_dead_token(void)
{
    gasnet_node_t from;
    keep_token();
    gasnet_AMGetMsgSource(kept, &from);
}
static void request_locked(void)
{
    gasnet_hsl_lock(&lock);
    gasnet_AMRequestShort0(0, H_NOTHING);
}
static void request_held(void)
{
    gasnet_hold_interrupts();
    gasnet_AMRequestShort0(0, H_NOTHING);
}
static void reply_locked(void)
{
    run_here(H_REPLY_LOCKED);
}
static void medium_null(void)
{
    gasnet_AMRequestMedium0(0, H_NOTHING, NULL, 8);
}
static void long_null(void)
{
    gasnet_AMRequestLong0(0, H_NOTHING, NULL, 8, there());
}
static void poll_in_handler(void)
{
    run_here(H_POLL);
}

/* ---- locks -------------------------------------------------------------- */

static void unlock_unlocked(void)
{
    gasnet_hsl_unlock(&lock);
}
static void unlock_out_of_order(void)
{
    gasnet_hsl_lock(&lock);
    gasnet_hsl_lock(&second);
    gasnet_hsl_unlock(&lock);
}
static void lock_twice(void)
{
    gasnet_hsl_lock(&lock);
    gasnet_hsl_lock(&lock);
}
static void trylock_twice(void)
{
    gasnet_hsl_lock(&lock);
    gasnet_hsl_trylock(&lock);
}
static void lock_uninitialised(void)
{
    gasnet_hsl_t *fresh = (gasnet_hsl_t *)calloc(1, sizeof *fresh);
    gasnet_hsl_lock(fresh);
}
static void lock_destroyed(void)
{
    gasnet_hsl_destroy(&lock);
    gasnet_hsl_lock(&lock);
}
static void lock_null(void)
{
    gasnet_hsl_lock(NULL);
}
static void init_twice(void)
{
    gasnet_hsl_t local;
    memset(&local, 0, sizeof local);
    gasnet_hsl_init(&local);
    gasnet_hsl_init(&local);
}
static void init_static(void)
{
    gasnet_hsl_init(&lock);
}
static void destroy_twice(void)
{
    gasnet_hsl_destroy(&lock);
    gasnet_hsl_destroy(&lock);
}
static void destroy_locked(void)
{
    gasnet_hsl_lock(&lock);
    gasnet_hsl_destroy(&lock);
}
static void poll_locked(void)
{
    gasnet_hsl_lock(&lock);
    gasnet_AMPoll();
}
static void put_locked(void)
{
    gasnet_hsl_lock(&lock);
    gasnet_put(0, there(), buf, 8);
}
static void barrier_locked(void)
{
    gasnet_hsl_lock(&lock);
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
}
static void blockuntil_locked(void)
{
    gasnet_hsl_lock(&lock);
    GASNET_BLOCKUNTIL(conf_load(&kept_one) > 0);
}
static void sync_locked(void)
{
    gasnet_hsl_lock(&lock);
    gasnet_try_syncnbi_all();
}
static void return_locked(void)
{
    run_here(H_RETURN_LOCKED);
}
static void hold_twice(void)
{
    gasnet_hold_interrupts();
    gasnet_hold_interrupts();
}
static void resume_unheld(void)
{
    gasnet_resume_interrupts();
}
static void poll_held(void)
{
    gasnet_hold_interrupts();
    gasnet_AMPoll();
}

/* ---- put and get -------------------------------------------------------- */

static void put_null(void)
{
    gasnet_put(0, there(), NULL, 8);
}
static void get_null(void)
{
    gasnet_get_nbi(NULL, 0, there(), 8);
}
static void put_across_end(void)
{
    gasnet_put_bulk(0, there() + conf.seg[0].size - 7, buf, 8);
}
static void get_before(void)
{
    gasnet_get(buf, 0, there() - 1, 1);
}
static void memset_nobody(void)
{
    gasnet_memset_nbi(conf.n, there(), 0, 1);
}
static void value_empty(void)
{
    gasnet_put_val(0, there(), 1, 0);
}
static void value_too_long(void)
{
    gasnet_get_val(0, there(), SIZEOF_GASNET_REGISTER_VALUE_T + 1);
}
static void put_in_handler(void)
{
    run_here(H_PUT);
}
static void value_in_handler(void)
{
    run_here(H_GET_VALUE);
}
static void sync_in_handler(void)
{
    run_here(H_SYNC);
}

/* A handle that is certainly one: of an operation that is still under way. */
static gasnet_handle_t handle_of_memset(void)
{
    gasnet_handle_t handle = gasnet_memset_nb(0, there(), 1, 64);
    CHECK(handle != GASNET_INVALID_HANDLE, "a memset without a message");
    return handle;
}
static void handle_twice(void)
{
    gasnet_handle_t handle = handle_of_memset();
    gasnet_wait_syncnb(handle);
    gasnet_wait_syncnb(handle);
}
static void handle_twice_in_list(void)
{
    gasnet_handle_t list[2];
    list[0] = list[1] = handle_of_memset();
    gasnet_wait_syncnb_all(list, 2);
}
static void handle_made_up(void)
{
    handle_of_memset();
    gasnet_wait_syncnb((gasnet_handle_t)(uintptr_t)&lock);
}
static void handle_of_nothing(void)
{
    gasnet_handle_t handle = handle_of_memset();
    gasnet_try_syncnb((gasnet_handle_t)((uintptr_t)handle + 1));
}
static void handle_of_value(void)
{
    gasnet_wait_syncnb((gasnet_handle_t)gasnet_get_nb_val(0, there(), 4));
}
static void value_twice(void)
{
    gasnet_valget_handle_t handle = gasnet_get_nb_val(0, there(), 4);
    gasnet_wait_syncnb_valget(handle);
    gasnet_wait_syncnb_valget(handle);
}
static void value_of_handle(void)
{
    gasnet_wait_syncnb_valget((gasnet_valget_handle_t)handle_of_memset());
}
static void list_null(void)
{
    gasnet_try_syncnb_some(NULL, 2);
}
static void region_nested(void)
{
    gasnet_begin_nbi_accessregion();
    gasnet_begin_nbi_accessregion();
}
static void region_sync(void)
{
    gasnet_begin_nbi_accessregion();
    gasnet_wait_syncnbi_puts();
}
static void region_try(void)
{
    gasnet_begin_nbi_accessregion();
    gasnet_try_syncnbi_all();
}
static void region_end_alone(void)
{
    gasnet_end_nbi_accessregion();
}

/* ---- barrier ------------------------------------------------------------ */

static void notify_in_handler(void)
{
    run_here(H_NOTIFY);
}
static void result_null(void)
{
    gasnet_barrier_result(NULL);
}

/* ---- threads ------------------------------------------------------------ */

static void in_thread(void *(*run)(void *))
{
    struct conf_crew crew;
    conf_crew_start(&crew, 1, run);
    conf_crew_join(&crew);
}

static void *poll_once(void *arg)
{
    gasnet_AMPoll();
    return arg;
}
static void *lock_once(void *arg)
{
    gasnet_hsl_lock(&lock);
    return arg;
}
static void *unlock_once(void *arg)
{
    gasnet_hsl_unlock(&lock);
    return arg;
}
static gasnet_handle_t foreign;
static void *sync_foreign(void *arg)
{
    gasnet_wait_syncnb(foreign);
    return arg;
}
static void second_thread(void)
{
    in_thread(poll_once);
}
static void second_thread_lock(void)
{
    in_thread(lock_once);
}
static void unlock_of_another(void)
{
    gasnet_hsl_lock(&lock);
    in_thread(unlock_once);
}
static void foreign_handle(void)
{
    foreign = handle_of_memset();
    in_thread(sync_foreign);
}
/* Two threads that wait for what nobody does, until they meet. */
static void *wait_for_ever(void *arg)
{
    GASNET_BLOCKUNTIL(conf_load(&kept_one) > 0);
    return arg;
}
static void concurrent_calls(void)
{
    struct conf_crew crew;
    conf_crew_start(&crew, 2, wait_for_ever);
    conf_crew_join(&crew);
}

/* Not a mistake with the library, but it finds it. */
static void assert_false(void)
{
    gasneti_assert(gasneti_nodes == 0);
}

static const struct mistake before_init[] = {
    {"mynode-before-init", mynode_before_init},
    {"nodes-before-init", nodes_before_init},
    {"getenv-before-init", getenv_before_init},
};

static const struct mistake before_attach[] = {
    {"put-before-attach", put_before_attach},
    {"poll-before-attach", poll_before_attach},
    {"request-before-attach", request_before_attach},
    {"notify-before-attach", notify_before_attach},
    {"sync-before-attach", sync_before_attach},
    {"region-before-attach", region_before_attach},
};

static const struct mistake running[] = {
    {"request-in-handler", request_in_handler},
    {"request-in-reply-handler", request_in_reply_handler},
    {"reply-in-reply-handler", reply_in_reply_handler},
    {"reply-unregistered", reply_unregistered},
    {"reply-library-index", reply_library_index},
    {"reply-dead-token", reply_dead_token},
    {"reply-token-of-another", reply_token_of_another},
    {"reply-null-token", reply_null_token},
    {"source-of-dead-token", source_of_dead_token},
    {"request-locked", request_locked},
    {"request-held", request_held},
    {"reply-locked", reply_locked},
    {"medium-null", medium_null},
    {"long-null", long_null},
    {"poll-in-handler", poll_in_handler},
    {"unlock-unlocked", unlock_unlocked},
    {"unlock-out-of-order", unlock_out_of_order},
    {"lock-twice", lock_twice},
    {"trylock-twice", trylock_twice},
    {"lock-uninitialised", lock_uninitialised},
    {"lock-destroyed", lock_destroyed},
    {"lock-null", lock_null},
    {"init-twice", init_twice},
    {"init-static", init_static},
    {"destroy-twice", destroy_twice},
    {"destroy-locked", destroy_locked},
    {"poll-locked", poll_locked},
    {"put-locked", put_locked},
    {"barrier-locked", barrier_locked},
    {"blockuntil-locked", blockuntil_locked},
    {"sync-locked", sync_locked},
    {"return-locked", return_locked},
    {"hold-twice", hold_twice},
    {"resume-unheld", resume_unheld},
    {"poll-held", poll_held},
    {"put-null", put_null},
    {"get-null", get_null},
    {"put-across-end", put_across_end},
    {"get-before", get_before},
    {"memset-nobody", memset_nobody},
    {"value-empty", value_empty},
    {"value-too-long", value_too_long},
    {"put-in-handler", put_in_handler},
    {"value-in-handler", value_in_handler},
    {"sync-in-handler", sync_in_handler},
    {"handle-twice", handle_twice},
    {"handle-twice-in-list", handle_twice_in_list},
    {"handle-made-up", handle_made_up},
    {"handle-of-nothing", handle_of_nothing},
    {"handle-of-value", handle_of_value},
    {"value-twice", value_twice},
    {"value-of-handle", value_of_handle},
    {"list-null", list_null},
    {"region-nested", region_nested},
    {"region-sync", region_sync},
    {"region-try", region_try},
    {"region-end-alone", region_end_alone},
    {"notify-twice", notify_twice},
    {"wait-unnotified", wait_unnotified},
    {"try-unnotified", try_unnotified},
    {"notify-in-handler", notify_in_handler},
    {"result-null", result_null},
    {"second-thread", second_thread},
    {"second-thread-lock", second_thread_lock},
    {"unlock-of-another", unlock_of_another},
    {"foreign-handle", foreign_handle},
    {"concurrent-calls", concurrent_calls},
    {"assert", assert_false},
};

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "none";
    MAKE_MISTAKE(before_init, name);
    conf_init("misuse", &argc, &argv);
    if (conf.me == conf.n - 1) {
        MAKE_MISTAKE(before_attach, name);
    }
    conf_attach(table, CONF_COUNT(table), 8192);
    conf_barrier();
    if (conf.me == conf.n - 1) {
        MAKE_MISTAKE(running, name);
    }
    conf_pass(); /* "none", or the mistake went unnoticed */
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls of gasnet_coll.h: they build the description of a collective from their
 * arguments. A handle is that of an ordinary explicit operation. Client threads only.
 */
#include "base/log.h"
#include "gasnet/coll.h"

/* A call by this image: the part all images agree on, and its own buffers. */
struct request {
    struct fsh_team *team;
    struct fsh_coll_call call;
    char *dst;
    const char *src;
};

static bool one_of(int flags, int choices)
{
    flags &= choices;
    return flags != 0 && (flags & (flags - 1)) == 0;
}

/* Debug: checks the flags that have no default. */
static void check_flags(const char *call, int flags)
{
    if (!one_of(flags, GASNET_COLL_IN_NOSYNC | GASNET_COLL_IN_MYSYNC |
                           GASNET_COLL_IN_ALLSYNC))
        fsh_fatal("%s: flags are %#x, without exactly one GASNET_COLL_IN_ flag",
                  call, (unsigned)flags);
    if (!one_of(flags, GASNET_COLL_OUT_NOSYNC | GASNET_COLL_OUT_MYSYNC |
                           GASNET_COLL_OUT_ALLSYNC))
        fsh_fatal(
            "%s: flags are %#x, without exactly one GASNET_COLL_OUT_ flag",
            call, (unsigned)flags);
    if (!one_of(flags, GASNET_COLL_LOCAL | GASNET_COLL_SINGLE))
        fsh_fatal("%s: flags are %#x, without exactly one of GASNET_COLL_LOCAL "
                  "and GASNET_COLL_SINGLE",
                  call, (unsigned)flags);
}

static unsigned view_of(int flags)
{
    return (flags & GASNET_COLL_NO_IMAGES) != 0 ? FSH_VIEW_NODES
                                                : FSH_VIEW_IMAGES;
}

static struct request begin(const char *call, gasnet_team_handle_t team,
                            enum fsh_coll_kind kind, size_t nbytes, int flags)
{
    struct request r = {
        .team = fsh_team_of(team, call),
        .call = {.name = call, .kind = kind, .flags = flags, .nbytes = nbytes}};

    if (FSH_GASNET_DEBUG)
        check_flags(call, flags);
    return r;
}

static void set_root(struct request *r, gasnet_image_t image, const char *name)
{
    const struct fsh_view *view = &r->team->view[view_of(r->call.flags)];

    if (image >= view->first[r->team->size])
        fsh_fatal("%s: %s is %u, but images are 0 to %u", r->call.name, name,
                  image, view->first[r->team->size] - 1);
    r->call.root = image;
}

static void set_function(struct request *r, size_t elem_size, size_t elem_count,
                         gasnet_coll_fn_handle_t func, int func_arg)
{
    (void)fsh_team_function(r->call.name, func);
    r->call.elem_size = elem_size;
    r->call.elem_count = elem_count;
    r->call.func = func;
    r->call.func_arg = func_arg;
    if (r->call.kind == FSH_COLL_SCAN &&
        !one_of(r->call.flags,
                GASNET_COLL_INCLUSIVE_SCAN | GASNET_COLL_EXCLUSIVE_SCAN))
        fsh_fatal("%s: flags are %#x, without exactly one of "
                  "GASNET_COLL_INCLUSIVE_SCAN and GASNET_COLL_EXCLUSIVE_SCAN",
                  r->call.name, (unsigned)r->call.flags);
}

/* This image's entry in a list of buffers. */
static void *pick(const struct request *r, void *const list[])
{
    unsigned index = view_of(r->call.flags);
    uint32_t image = fsh_team_image(r->team, index, r->call.name);

    if (r->call.flags & GASNET_COLL_SINGLE)
        image += r->team->view[index].first[r->team->rank];
    return list[image];
}

static void run(const struct request *r)
{
    fsh_coll_run(r->team, &r->call, r->dst, r->src);
}

static gasnet_coll_handle_t run_nb(const struct request *r)
{
    struct fsh_thread *self = fsh_thread_self();
    uint32_t slot = fsh_slot_take(self);

    fsh_coll_start(r->team, &r->call, r->dst, r->src,
                   &fsh_slot_at(slot)->event);
    return fsh_slot_close(self, slot);
}

/* Defines the blocking and non-blocking forms of a call; FILL completes request
 * r. */
#define FORMS(NAME, KIND, NBYTES, PARAMS, FILL)                                \
    void gasnet_coll_##NAME PARAMS                                             \
    {                                                                          \
        FSH_CALL("gasnet_coll_" #NAME);                                        \
        struct request r =                                                     \
            begin("gasnet_coll_" #NAME, team, FSH_COLL_##KIND, NBYTES, flags); \
                                                                               \
        FILL;                                                                  \
        run(&r);                                                               \
    }                                                                          \
    gasnet_coll_handle_t gasnet_coll_##NAME##_nb PARAMS                        \
    {                                                                          \
        FSH_CALL("gasnet_coll_" #NAME "_nb");                                  \
        struct request r = begin("gasnet_coll_" #NAME "_nb", team,             \
                                 FSH_COLL_##KIND, NBYTES, flags);              \
                                                                               \
        FILL;                                                                  \
        return run_nb(&r);                                                     \
    }

/* clang-format off */
#define ONE_TO_ALL   set_root(&r, srcimage, "srcimage"); r.dst = dst; r.src = src
#define ONE_TO_ALL_M set_root(&r, srcimage, "srcimage"); \
                     r.dst = pick(&r, dstlist); r.src = src
#define ALL_TO_ONE   set_root(&r, dstimage, "dstimage"); r.dst = dst; r.src = src
#define ALL_TO_ONE_M set_root(&r, dstimage, "dstimage"); \
                     r.dst = dst; r.src = pick(&r, srclist)
#define ALL_TO_ALL   r.dst = dst; r.src = src
#define ALL_TO_ALL_M r.dst = pick(&r, dstlist); r.src = pick(&r, srclist)
#define FUNCTION     set_function(&r, elem_size, elem_count, func, func_arg)
#define UNUSED_SRC   (void)src_blksz; (void)src_offset
#define UNUSED_BOTH  (void)dst_blksz; (void)dst_offset; UNUSED_SRC
/* clang-format on */

FORMS(broadcast, BROADCAST, nbytes,
      (gasnet_team_handle_t team, void *dst, gasnet_image_t srcimage,
       const void *src, size_t nbytes, int flags),
      ONE_TO_ALL)
FORMS(broadcastM, BROADCAST, nbytes,
      (gasnet_team_handle_t team, void *const dstlist[],
       gasnet_image_t srcimage, const void *src, size_t nbytes, int flags),
      ONE_TO_ALL_M)

FORMS(scatter, SCATTER, nbytes,
      (gasnet_team_handle_t team, void *dst, gasnet_image_t srcimage,
       const void *src, size_t nbytes, int flags),
      ONE_TO_ALL)
FORMS(scatterM, SCATTER, nbytes,
      (gasnet_team_handle_t team, void *const dstlist[],
       gasnet_image_t srcimage, const void *src, size_t nbytes, int flags),
      ONE_TO_ALL_M)

FORMS(gather, GATHER, nbytes,
      (gasnet_team_handle_t team, gasnet_image_t dstimage, void *dst,
       const void *src, size_t nbytes, int flags),
      ALL_TO_ONE)
FORMS(gatherM, GATHER, nbytes,
      (gasnet_team_handle_t team, gasnet_image_t dstimage, void *dst,
       void *const srclist[], size_t nbytes, int flags),
      ALL_TO_ONE_M)

FORMS(gather_all, GATHER_ALL, nbytes,
      (gasnet_team_handle_t team, void *dst, const void *src, size_t nbytes,
       int flags),
      ALL_TO_ALL)
FORMS(gather_allM, GATHER_ALL, nbytes,
      (gasnet_team_handle_t team, void *const dstlist[], void *const srclist[],
       size_t nbytes, int flags),
      ALL_TO_ALL_M)

FORMS(exchange, EXCHANGE, nbytes,
      (gasnet_team_handle_t team, void *dst, const void *src, size_t nbytes,
       int flags),
      ALL_TO_ALL)
FORMS(exchangeM, EXCHANGE, nbytes,
      (gasnet_team_handle_t team, void *const dstlist[], void *const srclist[],
       size_t nbytes, int flags),
      ALL_TO_ALL_M)

FORMS(reduce, REDUCE, elem_size *elem_count,
      (gasnet_team_handle_t team, gasnet_image_t dstimage, void *dst,
       const void *src, size_t src_blksz, size_t src_offset, size_t elem_size,
       size_t elem_count, gasnet_coll_fn_handle_t func, int func_arg,
       int flags),
      ALL_TO_ONE;
      FUNCTION; UNUSED_SRC)
FORMS(reduceM, REDUCE, elem_size *elem_count,
      (gasnet_team_handle_t team, gasnet_image_t dstimage, void *dst,
       void *const srclist[], size_t src_blksz, size_t src_offset,
       size_t elem_size, size_t elem_count, gasnet_coll_fn_handle_t func,
       int func_arg, int flags),
      ALL_TO_ONE_M;
      FUNCTION; UNUSED_SRC)

FORMS(scan, SCAN, elem_size *elem_count,
      (gasnet_team_handle_t team, void *dst, size_t dst_blksz,
       size_t dst_offset, const void *src, size_t src_blksz, size_t src_offset,
       size_t elem_size, size_t elem_count, gasnet_coll_fn_handle_t func,
       int func_arg, int flags),
      ALL_TO_ALL;
      FUNCTION; UNUSED_BOTH)
FORMS(scanM, SCAN, elem_size *elem_count,
      (gasnet_team_handle_t team, void *const dstlist[], size_t dst_blksz,
       size_t dst_offset, void *const srclist[], size_t src_blksz,
       size_t src_offset, size_t elem_size, size_t elem_count,
       gasnet_coll_fn_handle_t func, int func_arg, int flags),
      ALL_TO_ALL_M;
      FUNCTION; UNUSED_BOTH)

/* ---- synchronisation ---- */

void gasnet_coll_wait_sync(gasnet_coll_handle_t handle)
{
    fsh_sync_wait(handle, "gasnet_coll_wait_sync");
}

void gasnet_coll_wait_sync_some(gasnet_coll_handle_t *handles, size_t n)
{
    fsh_sync_wait_some(handles, n, "gasnet_coll_wait_sync_some");
}

void gasnet_coll_wait_sync_all(gasnet_coll_handle_t *handles, size_t n)
{
    fsh_sync_wait_all(handles, n, "gasnet_coll_wait_sync_all");
}

int gasnet_coll_try_sync(gasnet_coll_handle_t handle)
{
    FSH_CALL("gasnet_coll_try_sync");
    fsh_gasnet_poll_once("gasnet_coll_try_sync");
    return fsh_slot_finish(handle, "gasnet_coll_try_sync")
               ? GASNET_OK
               : GASNET_ERR_NOT_READY;
}

int gasnet_coll_try_sync_some(gasnet_coll_handle_t *handles, size_t n)
{
    FSH_CALL("gasnet_coll_try_sync_some");
    fsh_gasnet_poll_once("gasnet_coll_try_sync_some");
    return fsh_sync_try_some(handles, n, "gasnet_coll_try_sync_some");
}

int gasnet_coll_try_sync_all(gasnet_coll_handle_t *handles, size_t n)
{
    FSH_CALL("gasnet_coll_try_sync_all");
    fsh_gasnet_poll_once("gasnet_coll_try_sync_all");
    return fsh_sync_try_all(handles, n, "gasnet_coll_try_sync_all");
}

/* ---- tuning ---- */

void gasnet_coll_loadTuningState(char *filename, gasnet_team_handle_t team)
{
    (void)filename;
    (void)team;
}

void gasnet_coll_dumpTuningState(char *filename, gasnet_team_handle_t team)
{
    (void)filename;
    (void)team;
}

void gasnet_coll_dumpProfile(char *filename, gasnet_team_handle_t team)
{
    (void)filename;
    (void)team;
}

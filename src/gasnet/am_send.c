/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Outgoing active messages of the client and the library, and the queries of their
 * limits. Any thread. While a message waits for room, the conduit polls and the
 * library's protocols progress (fsh_am_waits in am.c).
 */
#include <stdarg.h>

#include "base/log.h"
#include "gasnet/internal.h"

#define MAX_ARGS 16

/* Categories as the header passes them: FSH_AM_*, plus one. */
enum { LONG_ASYNC = 3 };

static const char *const request_names[] = {
    "gasnet_AMRequestShort", "gasnet_AMRequestMedium", "gasnet_AMRequestLong",
    "gasnet_AMRequestLongAsync"};
static const char *const reply_names[] = {
    "gasnet_AMReplyShort", "gasnet_AMReplyMedium", "gasnet_AMReplyLong"};

size_t gasnet_AMMaxArgs(void)
{
    return MAX_ARGS;
}

static const struct fsh_limits *limits(const char *call)
{
    if (fsh_gasnet.ops == NULL)
        fsh_bad_call(call);
    return &fsh_gasnet.limits;
}

size_t gasnet_AMMaxMedium(void)
{
    return limits("gasnet_AMMaxMedium")->am_max_medium;
}

size_t gasnet_AMMaxLongRequest(void)
{
    return limits("gasnet_AMMaxLongRequest")->am_max_long_request;
}

size_t gasnet_AMMaxLongReply(void)
{
    return limits("gasnet_AMMaxLongReply")->am_max_long_reply;
}

int gasnet_AMGetMsgSource(gasnet_token_t token, gasnet_node_t *srcindex)
{
    if (token == NULL || srcindex == NULL)
        return GASNET_ERR_BAD_ARG;
    if (FSH_GASNET_DEBUG)
        token = fsh_check_token("gasnet_AMGetMsgSource", token);
    *srcindex = ((const struct fsh_token *)token)->source;
    return GASNET_OK;
}

static void check_handler(const char *call, int handler)
{
    if (__builtin_expect(
            handler < FSH_HANDLER_CLIENT || handler >= FSH_HANDLER_COUNT, 0))
        fsh_fatal("%s: handler index is %d, but the client's are %d to %d",
                  call, handler, FSH_HANDLER_CLIENT, FSH_HANDLER_COUNT - 1);
}

static void check_nargs(const char *call, int nargs)
{
    if (__builtin_expect(nargs < 0 || nargs > MAX_ARGS, 0))
        fsh_fatal("%s: %d arguments, but 0 to %d are possible "
                  "(gasnet_AMMaxArgs)",
                  call, nargs, MAX_ARGS);
}

/* Reads the variable arguments of a call. */
static void read_args(const char *call, int nargs, va_list list, int32_t *args)
{
    check_nargs(call, nargs);
    for (int i = 0; i < nargs; i++)
        args[i] = va_arg(list, int32_t);
}

/* Checks the payload against the limit and, for a Long, against node's
 * segment. */
static void check_payload(const char *call, const struct fsh_am *am,
                          size_t long_limit, const char *long_query)
{
    bool is_long = am->category == FSH_AM_LONG;
    size_t limit = is_long ? long_limit : fsh_gasnet.limits.am_max_medium;

    if (am->category == FSH_AM_SHORT || am->nbytes == 0)
        return;
    if (FSH_GASNET_DEBUG)
        fsh_check_pointer(call, "src", am->src, am->nbytes);
    if (__builtin_expect(am->nbytes > limit, 0))
        fsh_fatal("%s: %zu bytes of payload, but at most %zu are possible "
                  "(%s)",
                  call, am->nbytes, limit,
                  is_long ? long_query : "gasnet_AMMaxMedium");
    if (is_long)
        fsh_check_range(call, am->node, am->dst, am->nbytes);
}

static struct fsh_am make_am(unsigned what, int handler, const int32_t *args,
                             const void *src, size_t nbytes, void *dst)
{
    unsigned category = what >> 8;

    return (struct fsh_am){
        .handler = (uint8_t)handler,
        .category = (uint8_t)(category == LONG_ASYNC ? FSH_AM_LONG : category),
        .nargs = (uint8_t)what,
        .src_stable = category == LONG_ASYNC,
        .args = args,
        .src = src,
        .nbytes = nbytes,
        .dst = dst};
}

int fsh_gasnet_am_request(unsigned what, gasnet_node_t node, int handler,
                          const gasnet_handlerarg_t *args, const void *src,
                          size_t nbytes, void *dst)
{
    const char *call = request_names[what >> 8];
    struct fsh_am am = make_am(what, handler, args, src, nbytes, dst);

    if (__builtin_expect(!fsh_gasnet.attached, 0))
        fsh_bad_call(call);
    if (__builtin_expect(fsh_thread_self()->in_handler > 0, 0))
        fsh_fatal("%s: called from inside an active message handler; a "
                  "request handler may only reply",
                  call);
    FSH_CALL(call);
    fsh_call_about(node, nbytes);
    if (handler != FSH_OP_COMPUTE)
        check_handler(call, handler);
    if (__builtin_expect(node >= fsh_gasnet.nodes, 0))
        fsh_bad_range(call, node, dst, nbytes);
    am.node = node;
    if (__builtin_expect(handler == FSH_OP_COMPUTE, 0)) {
        fsh_gasnet_compute_am(call, &am);
        return GASNET_OK;
    }
    check_payload(call, &am, fsh_gasnet.limits.am_max_long_request,
                  "gasnet_AMMaxLongRequest");
    fsh_gasnet.ops->am_request(&am);
    fsh_call_done(call, nbytes);
    return GASNET_OK;
}

/* Checks that this thread may reply with this token now. */
static void check_token(const char *call, const struct fsh_token *token)
{
    const struct fsh_thread *self = fsh_thread_self();

    if (token == NULL || token != self->token)
        fsh_fatal("%s: token %p is not that of a handler running on this "
                  "thread (a token ends with its handler)",
                  call, (const void *)token);
    if (!token->is_request)
        fsh_fatal("%s: called from a reply handler; only request handlers may "
                  "reply",
                  call);
    if (token->replied)
        fsh_fatal("%s: second reply to one request", call);
    if (FSH_GASNET_DEBUG && self->held != NULL)
        fsh_fatal("%s: called while holding the HSL at %p", call,
                  (void *)self->held);
}

int fsh_gasnet_am_reply(unsigned what, gasnet_token_t client_token, int handler,
                        const gasnet_handlerarg_t *args, const void *src,
                        size_t nbytes, void *dst)
{
    const char *call = reply_names[what >> 8];
    struct fsh_token *token =
        FSH_GASNET_DEBUG ? fsh_check_token(call, client_token) : client_token;
    struct fsh_am am = make_am(what, handler, args, src, nbytes, dst);

    FSH_CALL_REPLY(call);
    check_token(call, token);
    check_handler(call, handler);
    am.node = token->source;
    fsh_call_about(am.node, nbytes);
    check_payload(call, &am, fsh_gasnet.limits.am_max_long_reply,
                  "gasnet_AMMaxLongReply");
    fsh_gasnet.ops->am_reply(token, &am);
    token->replied = true;
    return GASNET_OK;
}

/* Fast path of Shorts, ending in a tail call into the conduit. It makes the checks of
 * the functions above that the header has not made, without a diagnosis. If one fails,
 * or a poll is due, those functions are the slow path. */
int fsh_gasnet_short_request(gasnet_node_t node, unsigned what,
                             const gasnet_handlerarg_t *args)
{
    const struct fsh_thread *self = fsh_thread_current;

    if (__builtin_expect(node < fsh_gasnet.short_nodes, 1) &&
        __builtin_expect(self != NULL && self->in_handler == 0, 1) &&
        __builtin_expect((fsh_gasnet_until_poll -= FSH_GASNET_QUIET_CALL) >= 0,
                         1))
        return fsh_gasnet.shorts->request(node, what, args);
    return fsh_gasnet_am_request(fsh_short_nargs(what), node,
                                 fsh_short_handler(what), args, NULL, 0, NULL);
}

int fsh_gasnet_short_reply(gasnet_token_t client_token, unsigned what,
                           const gasnet_handlerarg_t *args)
{
    const struct fsh_thread *self = fsh_thread_current;
    struct fsh_token *token = client_token;

    if (__builtin_expect(fsh_gasnet.short_nodes != 0, 1) &&
        __builtin_expect(token != NULL && self != NULL && token == self->token,
                         1) &&
        __builtin_expect(token->is_request && !token->replied, 1)) {
        token->replied = true;
        return fsh_gasnet.shorts->reply(token, what, args);
    }
    return fsh_gasnet_am_reply(fsh_short_nargs(what), client_token,
                               fsh_short_handler(what), args, NULL, 0, NULL);
}

int fsh_gasnet_am_request_va(unsigned category, gasnet_node_t node, int handler,
                             const void *src, size_t nbytes, void *dst,
                             int nargs, ...)
{
    int32_t args[MAX_ARGS] = {0};
    va_list list;

    va_start(list, nargs);
    read_args(request_names[category], nargs, list, args);
    va_end(list);
    return fsh_gasnet_am_request(category << 8 | (unsigned)nargs, node, handler,
                                 args, src, nbytes, dst);
}

int fsh_gasnet_am_reply_va(unsigned category, gasnet_token_t token, int handler,
                           const void *src, size_t nbytes, void *dst, int nargs,
                           ...)
{
    int32_t args[MAX_ARGS] = {0};
    va_list list;

    va_start(list, nargs);
    read_args(reply_names[category], nargs, list, args);
    va_end(list);
    return fsh_gasnet_am_reply(category << 8 | (unsigned)nargs, token, handler,
                               args, src, nbytes, dst);
}

struct fsh_am fsh_library_am(uint32_t node, enum fsh_handler handler,
                             const int32_t *args, unsigned nargs,
                             const void *src, size_t nbytes)
{
    FSH_ASSERT(nargs <= MAX_ARGS);
    FSH_ASSERT(fsh_gasnet.handler[handler] != NULL);
    FSH_ASSERT(nbytes == 0 || src != NULL);
    return (struct fsh_am){.node = node,
                           .handler = (uint8_t)handler,
                           .category =
                               src == NULL ? FSH_AM_SHORT : FSH_AM_MEDIUM,
                           .nargs = (uint8_t)nargs,
                           .args = args,
                           .src = src,
                           .nbytes = nbytes};
}

void fsh_gasnet_send(uint32_t node, enum fsh_handler handler,
                     const int32_t *args, unsigned nargs, const void *src,
                     size_t nbytes)
{
    const struct fsh_am am =
        fsh_library_am(node, handler, args, nargs, src, nbytes);

    FSH_ASSERT(node < fsh_gasnet.nodes);
    FSH_ASSERT(fsh_thread_self()->in_handler == 0); /* it may block */
    fsh_gasnet.ops->am_request(&am);
}

bool fsh_gasnet_try_send(uint32_t node, enum fsh_handler handler,
                         const int32_t *args, unsigned nargs, const void *src,
                         size_t nbytes)
{
    const struct fsh_am am =
        fsh_library_am(node, handler, args, nargs, src, nbytes);

    return fsh_gasnet.ops->am_try_request(&am);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Active messages: gasnet_AM{Request,Reply}{Short,Medium,Long}M and
 * gasnet_AMRequestLongAsyncM for M = 0..16, and the same without a number, which take
 * the argument count first. Included by gasnet.h. The macros cast every argument to
 * gasnet_handlerarg_t, store the arguments in an array and pass it to one library
 * function for requests, one for replies.
 *
 * Requests may block, and poll while they do; they must not be called from handlers.
 * Replies may be called from request handlers only, at most once; they may block, and
 * run reply handlers while they do. Both return GASNET_OK; misuse is fatal with one
 * line that names call, argument and limit. Arguments and source buffers may be
 * reused on return, except the source of a LongAsync. The payload of a Medium belongs
 * to its handler until the handler returns. Handlers run inside calls that poll, on
 * any thread. For every call: [R-AM-06, R-AM-13, R-AM-14, R-AM-15].
 */
#ifndef GASNET_AM_H
#define GASNET_AM_H

#ifndef GASNET_H
#error Include gasnet.h
#endif

/* C89 lacks variadic macros but its compilers accept them; silences
 * -pedantic. */
#if !defined(__cplusplus) && \
    (!defined(__STDC_VERSION__) || __STDC_VERSION__ < 199901L)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wvariadic-macros"
#define FSH_AM_C89
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Limits, the same on all nodes. [handler] Never block.
 * [R-AM-01, R-AM-15, R-JOB-02] */
size_t gasnet_AMMaxArgs(void);        /* 16 */
size_t gasnet_AMMaxMedium(void);      /* bytes; constant from gasnet_init on */
size_t gasnet_AMMaxLongRequest(void); /* bytes */
size_t gasnet_AMMaxLongReply(void);   /* bytes */

/* The node that sent the request or reply whose handler is running. [handler]
 * only. Never blocks. Returns GASNET_OK, or GASNET_ERR_BAD_ARG for a null
 * pointer.
 * [R-AM-04, R-AM-15] */
int gasnet_AMGetMsgSource(gasnet_token_t token, gasnet_node_t *srcindex);

/* `what`: the category (0 Short, 1 Medium, 2 Long, 3 LongAsync) times 256 plus
 * the number of arguments. The _va forms take the arguments as int after their
 * count. */
int fsh_gasnet_am_request(unsigned what, gasnet_node_t node, int handler,
                          const gasnet_handlerarg_t *args, const void *src,
                          size_t nbytes, void *dst);
int fsh_gasnet_am_reply(unsigned what, gasnet_token_t token, int handler,
                        const gasnet_handlerarg_t *args, const void *src,
                        size_t nbytes, void *dst);
/* Fast path for Short messages with at most 8 arguments to a client handler. `what`:
 * the handler index plus 65536 times the number of arguments. */
int fsh_gasnet_short_request(gasnet_node_t node, unsigned what,
                             const gasnet_handlerarg_t *args);
int fsh_gasnet_short_reply(gasnet_token_t token, unsigned what,
                           const gasnet_handlerarg_t *args);
#define FSH_GASNET_IS_SHORT(nargs, handler) \
    ((nargs) <= 8 && (unsigned)(handler)-128u < 128u)
#define FSH_GASNET_SHORT(nargs, handler) \
    ((unsigned)(handler) | (unsigned)(nargs) << 16)
int fsh_gasnet_am_request_va(unsigned category, gasnet_node_t node, int handler,
                             const void *src, size_t nbytes, void *dst,
                             int nargs, ...);
int fsh_gasnet_am_reply_va(unsigned category, gasnet_token_t token, int handler,
                           const void *src, size_t nbytes, void *dst, int nargs,
                           ...);

/* clang-format off */
#define FSH_AM_P0
#define FSH_AM_P1 , gasnet_handlerarg_t a0
#define FSH_AM_P2 FSH_AM_P1, gasnet_handlerarg_t a1
#define FSH_AM_P3 FSH_AM_P2, gasnet_handlerarg_t a2
#define FSH_AM_P4 FSH_AM_P3, gasnet_handlerarg_t a3
#define FSH_AM_P5 FSH_AM_P4, gasnet_handlerarg_t a4
#define FSH_AM_P6 FSH_AM_P5, gasnet_handlerarg_t a5
#define FSH_AM_P7 FSH_AM_P6, gasnet_handlerarg_t a6
#define FSH_AM_P8 FSH_AM_P7, gasnet_handlerarg_t a7
#define FSH_AM_P9 FSH_AM_P8, gasnet_handlerarg_t a8
#define FSH_AM_P10 FSH_AM_P9, gasnet_handlerarg_t a9
#define FSH_AM_P11 FSH_AM_P10, gasnet_handlerarg_t a10
#define FSH_AM_P12 FSH_AM_P11, gasnet_handlerarg_t a11
#define FSH_AM_P13 FSH_AM_P12, gasnet_handlerarg_t a12
#define FSH_AM_P14 FSH_AM_P13, gasnet_handlerarg_t a13
#define FSH_AM_P15 FSH_AM_P14, gasnet_handlerarg_t a14
#define FSH_AM_P16 FSH_AM_P15, gasnet_handlerarg_t a15
#define FSH_AM_S1 args[0] = a0;
#define FSH_AM_S2 FSH_AM_S1 args[1] = a1;
#define FSH_AM_S3 FSH_AM_S2 args[2] = a2;
#define FSH_AM_S4 FSH_AM_S3 args[3] = a3;
#define FSH_AM_S5 FSH_AM_S4 args[4] = a4;
#define FSH_AM_S6 FSH_AM_S5 args[5] = a5;
#define FSH_AM_S7 FSH_AM_S6 args[6] = a6;
#define FSH_AM_S8 FSH_AM_S7 args[7] = a7;
#define FSH_AM_S9 FSH_AM_S8 args[8] = a8;
#define FSH_AM_S10 FSH_AM_S9 args[9] = a9;
#define FSH_AM_S11 FSH_AM_S10 args[10] = a10;
#define FSH_AM_S12 FSH_AM_S11 args[11] = a11;
#define FSH_AM_S13 FSH_AM_S12 args[12] = a12;
#define FSH_AM_S14 FSH_AM_S13 args[13] = a13;
#define FSH_AM_S15 FSH_AM_S14 args[14] = a14;
#define FSH_AM_S16 FSH_AM_S15 args[15] = a15;
#define FSH_AM_A0 const gasnet_handlerarg_t *const args = 0;
#define FSH_AM_A1 gasnet_handlerarg_t args[1]; FSH_AM_S1
#define FSH_AM_A2 gasnet_handlerarg_t args[2]; FSH_AM_S2
#define FSH_AM_A3 gasnet_handlerarg_t args[3]; FSH_AM_S3
#define FSH_AM_A4 gasnet_handlerarg_t args[4]; FSH_AM_S4
#define FSH_AM_A5 gasnet_handlerarg_t args[5]; FSH_AM_S5
#define FSH_AM_A6 gasnet_handlerarg_t args[6]; FSH_AM_S6
#define FSH_AM_A7 gasnet_handlerarg_t args[7]; FSH_AM_S7
#define FSH_AM_A8 gasnet_handlerarg_t args[8]; FSH_AM_S8
#define FSH_AM_A9 gasnet_handlerarg_t args[9]; FSH_AM_S9
#define FSH_AM_A10 gasnet_handlerarg_t args[10]; FSH_AM_S10
#define FSH_AM_A11 gasnet_handlerarg_t args[11]; FSH_AM_S11
#define FSH_AM_A12 gasnet_handlerarg_t args[12]; FSH_AM_S12
#define FSH_AM_A13 gasnet_handlerarg_t args[13]; FSH_AM_S13
#define FSH_AM_A14 gasnet_handlerarg_t args[14]; FSH_AM_S14
#define FSH_AM_A15 gasnet_handlerarg_t args[15]; FSH_AM_S15
#define FSH_AM_A16 gasnet_handlerarg_t args[16]; FSH_AM_S16
#define FSH_AM_C1(a) (gasnet_handlerarg_t)(a)
#define FSH_AM_C2(a, ...) FSH_AM_C1(a), FSH_AM_C1(__VA_ARGS__)
#define FSH_AM_C3(a, ...) FSH_AM_C1(a), FSH_AM_C2(__VA_ARGS__)
#define FSH_AM_C4(a, ...) FSH_AM_C1(a), FSH_AM_C3(__VA_ARGS__)
#define FSH_AM_C5(a, ...) FSH_AM_C1(a), FSH_AM_C4(__VA_ARGS__)
#define FSH_AM_C6(a, ...) FSH_AM_C1(a), FSH_AM_C5(__VA_ARGS__)
#define FSH_AM_C7(a, ...) FSH_AM_C1(a), FSH_AM_C6(__VA_ARGS__)
#define FSH_AM_C8(a, ...) FSH_AM_C1(a), FSH_AM_C7(__VA_ARGS__)
#define FSH_AM_C9(a, ...) FSH_AM_C1(a), FSH_AM_C8(__VA_ARGS__)
#define FSH_AM_C10(a, ...) FSH_AM_C1(a), FSH_AM_C9(__VA_ARGS__)
#define FSH_AM_C11(a, ...) FSH_AM_C1(a), FSH_AM_C10(__VA_ARGS__)
#define FSH_AM_C12(a, ...) FSH_AM_C1(a), FSH_AM_C11(__VA_ARGS__)
#define FSH_AM_C13(a, ...) FSH_AM_C1(a), FSH_AM_C12(__VA_ARGS__)
#define FSH_AM_C14(a, ...) FSH_AM_C1(a), FSH_AM_C13(__VA_ARGS__)
#define FSH_AM_C15(a, ...) FSH_AM_C1(a), FSH_AM_C14(__VA_ARGS__)
#define FSH_AM_C16(a, ...) FSH_AM_C1(a), FSH_AM_C15(__VA_ARGS__)
#define FSH_AM_C17(a, ...) FSH_AM_C1(a), FSH_AM_C16(__VA_ARGS__)

/* The seven initiators for M arguments. */
#define FSH_AM_DEFINE(M) \
    static __inline__ int fsh_gasnet_AMRequestShort##M( \
        gasnet_node_t node, int handler FSH_AM_P##M) \
    { \
        FSH_AM_A##M if (FSH_GASNET_IS_SHORT(M, handler)) \
            return fsh_gasnet_short_request( \
                node, FSH_GASNET_SHORT(M, handler), args); \
        return fsh_gasnet_am_request(M, node, handler, args, 0, 0, 0); \
    } \
    static __inline__ int fsh_gasnet_AMRequestMedium##M( \
        gasnet_node_t node, int handler, const void *src, \
        size_t nbytes FSH_AM_P##M) \
    { \
        FSH_AM_A##M return fsh_gasnet_am_request( \
            256 + M, node, handler, args, src, nbytes, 0); \
    } \
    static __inline__ int fsh_gasnet_AMRequestLong##M( \
        gasnet_node_t node, int handler, const void *src, size_t nbytes, \
        void *dst FSH_AM_P##M) \
    { \
        FSH_AM_A##M return fsh_gasnet_am_request( \
            512 + M, node, handler, args, src, nbytes, dst); \
    } \
    static __inline__ int fsh_gasnet_AMRequestLongAsync##M( \
        gasnet_node_t node, int handler, const void *src, size_t nbytes, \
        void *dst FSH_AM_P##M) \
    { \
        FSH_AM_A##M return fsh_gasnet_am_request( \
            768 + M, node, handler, args, src, nbytes, dst); \
    } \
    static __inline__ int fsh_gasnet_AMReplyShort##M( \
        gasnet_token_t token, int handler FSH_AM_P##M) \
    { \
        FSH_AM_A##M if (FSH_GASNET_IS_SHORT(M, handler)) \
            return fsh_gasnet_short_reply( \
                token, FSH_GASNET_SHORT(M, handler), args); \
        return fsh_gasnet_am_reply(M, token, handler, args, 0, 0, 0); \
    } \
    static __inline__ int fsh_gasnet_AMReplyMedium##M( \
        gasnet_token_t token, int handler, const void *src, \
        size_t nbytes FSH_AM_P##M) \
    { \
        FSH_AM_A##M return fsh_gasnet_am_reply( \
            256 + M, token, handler, args, src, nbytes, 0); \
    } \
    static __inline__ int fsh_gasnet_AMReplyLong##M( \
        gasnet_token_t token, int handler, const void *src, size_t nbytes, \
        void *dst FSH_AM_P##M) \
    { \
        FSH_AM_A##M return fsh_gasnet_am_reply( \
            512 + M, token, handler, args, src, nbytes, dst); \
    }

FSH_AM_DEFINE(0)
FSH_AM_DEFINE(1)
FSH_AM_DEFINE(2)
FSH_AM_DEFINE(3)
FSH_AM_DEFINE(4)
FSH_AM_DEFINE(5)
FSH_AM_DEFINE(6)
FSH_AM_DEFINE(7)
FSH_AM_DEFINE(8)
FSH_AM_DEFINE(9)
FSH_AM_DEFINE(10)
FSH_AM_DEFINE(11)
FSH_AM_DEFINE(12)
FSH_AM_DEFINE(13)
FSH_AM_DEFINE(14)
FSH_AM_DEFINE(15)
FSH_AM_DEFINE(16)

/* Cast the arguments that follow the fixed ones. A wrong count does not
 * compile. */
#define FSH_AM_2(F, M, a, b, ...) \
    fsh_gasnet_AM##F##M(a, b, FSH_AM_C##M(__VA_ARGS__))
#define FSH_AM_4(F, M, a, b, c, d, ...) \
    fsh_gasnet_AM##F##M(a, b, c, d, FSH_AM_C##M(__VA_ARGS__))
#define FSH_AM_5(F, M, a, b, c, d, e, ...) \
    fsh_gasnet_AM##F##M(a, b, c, d, e, FSH_AM_C##M(__VA_ARGS__))

/* The initiators: (node or token, handler, [source, bytes, [destination,]]
 * arguments). [R-AM-02, R-AM-03, R-AM-05, R-AM-07, R-AM-08, R-AM-09, R-AM-10,
 * R-AM-11, R-AM-12, R-AM-17, R-AM-18, R-AM-23] */
#define gasnet_AMRequestShort0(a, b) fsh_gasnet_AMRequestShort0(a, b)
#define gasnet_AMRequestShort1(...) FSH_AM_2(RequestShort, 1, __VA_ARGS__)
#define gasnet_AMRequestShort2(...) FSH_AM_2(RequestShort, 2, __VA_ARGS__)
#define gasnet_AMRequestShort3(...) FSH_AM_2(RequestShort, 3, __VA_ARGS__)
#define gasnet_AMRequestShort4(...) FSH_AM_2(RequestShort, 4, __VA_ARGS__)
#define gasnet_AMRequestShort5(...) FSH_AM_2(RequestShort, 5, __VA_ARGS__)
#define gasnet_AMRequestShort6(...) FSH_AM_2(RequestShort, 6, __VA_ARGS__)
#define gasnet_AMRequestShort7(...) FSH_AM_2(RequestShort, 7, __VA_ARGS__)
#define gasnet_AMRequestShort8(...) FSH_AM_2(RequestShort, 8, __VA_ARGS__)
#define gasnet_AMRequestShort9(...) FSH_AM_2(RequestShort, 9, __VA_ARGS__)
#define gasnet_AMRequestShort10(...) FSH_AM_2(RequestShort, 10, __VA_ARGS__)
#define gasnet_AMRequestShort11(...) FSH_AM_2(RequestShort, 11, __VA_ARGS__)
#define gasnet_AMRequestShort12(...) FSH_AM_2(RequestShort, 12, __VA_ARGS__)
#define gasnet_AMRequestShort13(...) FSH_AM_2(RequestShort, 13, __VA_ARGS__)
#define gasnet_AMRequestShort14(...) FSH_AM_2(RequestShort, 14, __VA_ARGS__)
#define gasnet_AMRequestShort15(...) FSH_AM_2(RequestShort, 15, __VA_ARGS__)
#define gasnet_AMRequestShort16(...) FSH_AM_2(RequestShort, 16, __VA_ARGS__)
#define gasnet_AMRequestMedium0(a, b, c, d) \
    fsh_gasnet_AMRequestMedium0(a, b, c, d)
#define gasnet_AMRequestMedium1(...) FSH_AM_4(RequestMedium, 1, __VA_ARGS__)
#define gasnet_AMRequestMedium2(...) FSH_AM_4(RequestMedium, 2, __VA_ARGS__)
#define gasnet_AMRequestMedium3(...) FSH_AM_4(RequestMedium, 3, __VA_ARGS__)
#define gasnet_AMRequestMedium4(...) FSH_AM_4(RequestMedium, 4, __VA_ARGS__)
#define gasnet_AMRequestMedium5(...) FSH_AM_4(RequestMedium, 5, __VA_ARGS__)
#define gasnet_AMRequestMedium6(...) FSH_AM_4(RequestMedium, 6, __VA_ARGS__)
#define gasnet_AMRequestMedium7(...) FSH_AM_4(RequestMedium, 7, __VA_ARGS__)
#define gasnet_AMRequestMedium8(...) FSH_AM_4(RequestMedium, 8, __VA_ARGS__)
#define gasnet_AMRequestMedium9(...) FSH_AM_4(RequestMedium, 9, __VA_ARGS__)
#define gasnet_AMRequestMedium10(...) FSH_AM_4(RequestMedium, 10, __VA_ARGS__)
#define gasnet_AMRequestMedium11(...) FSH_AM_4(RequestMedium, 11, __VA_ARGS__)
#define gasnet_AMRequestMedium12(...) FSH_AM_4(RequestMedium, 12, __VA_ARGS__)
#define gasnet_AMRequestMedium13(...) FSH_AM_4(RequestMedium, 13, __VA_ARGS__)
#define gasnet_AMRequestMedium14(...) FSH_AM_4(RequestMedium, 14, __VA_ARGS__)
#define gasnet_AMRequestMedium15(...) FSH_AM_4(RequestMedium, 15, __VA_ARGS__)
#define gasnet_AMRequestMedium16(...) FSH_AM_4(RequestMedium, 16, __VA_ARGS__)
#define gasnet_AMRequestLong0(a, b, c, d, e) \
    fsh_gasnet_AMRequestLong0(a, b, c, d, e)
#define gasnet_AMRequestLong1(...) FSH_AM_5(RequestLong, 1, __VA_ARGS__)
#define gasnet_AMRequestLong2(...) FSH_AM_5(RequestLong, 2, __VA_ARGS__)
#define gasnet_AMRequestLong3(...) FSH_AM_5(RequestLong, 3, __VA_ARGS__)
#define gasnet_AMRequestLong4(...) FSH_AM_5(RequestLong, 4, __VA_ARGS__)
#define gasnet_AMRequestLong5(...) FSH_AM_5(RequestLong, 5, __VA_ARGS__)
#define gasnet_AMRequestLong6(...) FSH_AM_5(RequestLong, 6, __VA_ARGS__)
#define gasnet_AMRequestLong7(...) FSH_AM_5(RequestLong, 7, __VA_ARGS__)
#define gasnet_AMRequestLong8(...) FSH_AM_5(RequestLong, 8, __VA_ARGS__)
#define gasnet_AMRequestLong9(...) FSH_AM_5(RequestLong, 9, __VA_ARGS__)
#define gasnet_AMRequestLong10(...) FSH_AM_5(RequestLong, 10, __VA_ARGS__)
#define gasnet_AMRequestLong11(...) FSH_AM_5(RequestLong, 11, __VA_ARGS__)
#define gasnet_AMRequestLong12(...) FSH_AM_5(RequestLong, 12, __VA_ARGS__)
#define gasnet_AMRequestLong13(...) FSH_AM_5(RequestLong, 13, __VA_ARGS__)
#define gasnet_AMRequestLong14(...) FSH_AM_5(RequestLong, 14, __VA_ARGS__)
#define gasnet_AMRequestLong15(...) FSH_AM_5(RequestLong, 15, __VA_ARGS__)
#define gasnet_AMRequestLong16(...) FSH_AM_5(RequestLong, 16, __VA_ARGS__)
#define gasnet_AMRequestLongAsync0(a, b, c, d, e) \
    fsh_gasnet_AMRequestLongAsync0(a, b, c, d, e)
#define gasnet_AMRequestLongAsync1(...) \
    FSH_AM_5(RequestLongAsync, 1, __VA_ARGS__)
#define gasnet_AMRequestLongAsync2(...) \
    FSH_AM_5(RequestLongAsync, 2, __VA_ARGS__)
#define gasnet_AMRequestLongAsync3(...) \
    FSH_AM_5(RequestLongAsync, 3, __VA_ARGS__)
#define gasnet_AMRequestLongAsync4(...) \
    FSH_AM_5(RequestLongAsync, 4, __VA_ARGS__)
#define gasnet_AMRequestLongAsync5(...) \
    FSH_AM_5(RequestLongAsync, 5, __VA_ARGS__)
#define gasnet_AMRequestLongAsync6(...) \
    FSH_AM_5(RequestLongAsync, 6, __VA_ARGS__)
#define gasnet_AMRequestLongAsync7(...) \
    FSH_AM_5(RequestLongAsync, 7, __VA_ARGS__)
#define gasnet_AMRequestLongAsync8(...) \
    FSH_AM_5(RequestLongAsync, 8, __VA_ARGS__)
#define gasnet_AMRequestLongAsync9(...) \
    FSH_AM_5(RequestLongAsync, 9, __VA_ARGS__)
#define gasnet_AMRequestLongAsync10(...) \
    FSH_AM_5(RequestLongAsync, 10, __VA_ARGS__)
#define gasnet_AMRequestLongAsync11(...) \
    FSH_AM_5(RequestLongAsync, 11, __VA_ARGS__)
#define gasnet_AMRequestLongAsync12(...) \
    FSH_AM_5(RequestLongAsync, 12, __VA_ARGS__)
#define gasnet_AMRequestLongAsync13(...) \
    FSH_AM_5(RequestLongAsync, 13, __VA_ARGS__)
#define gasnet_AMRequestLongAsync14(...) \
    FSH_AM_5(RequestLongAsync, 14, __VA_ARGS__)
#define gasnet_AMRequestLongAsync15(...) \
    FSH_AM_5(RequestLongAsync, 15, __VA_ARGS__)
#define gasnet_AMRequestLongAsync16(...) \
    FSH_AM_5(RequestLongAsync, 16, __VA_ARGS__)
#define gasnet_AMReplyShort0(a, b) fsh_gasnet_AMReplyShort0(a, b)
#define gasnet_AMReplyShort1(...) FSH_AM_2(ReplyShort, 1, __VA_ARGS__)
#define gasnet_AMReplyShort2(...) FSH_AM_2(ReplyShort, 2, __VA_ARGS__)
#define gasnet_AMReplyShort3(...) FSH_AM_2(ReplyShort, 3, __VA_ARGS__)
#define gasnet_AMReplyShort4(...) FSH_AM_2(ReplyShort, 4, __VA_ARGS__)
#define gasnet_AMReplyShort5(...) FSH_AM_2(ReplyShort, 5, __VA_ARGS__)
#define gasnet_AMReplyShort6(...) FSH_AM_2(ReplyShort, 6, __VA_ARGS__)
#define gasnet_AMReplyShort7(...) FSH_AM_2(ReplyShort, 7, __VA_ARGS__)
#define gasnet_AMReplyShort8(...) FSH_AM_2(ReplyShort, 8, __VA_ARGS__)
#define gasnet_AMReplyShort9(...) FSH_AM_2(ReplyShort, 9, __VA_ARGS__)
#define gasnet_AMReplyShort10(...) FSH_AM_2(ReplyShort, 10, __VA_ARGS__)
#define gasnet_AMReplyShort11(...) FSH_AM_2(ReplyShort, 11, __VA_ARGS__)
#define gasnet_AMReplyShort12(...) FSH_AM_2(ReplyShort, 12, __VA_ARGS__)
#define gasnet_AMReplyShort13(...) FSH_AM_2(ReplyShort, 13, __VA_ARGS__)
#define gasnet_AMReplyShort14(...) FSH_AM_2(ReplyShort, 14, __VA_ARGS__)
#define gasnet_AMReplyShort15(...) FSH_AM_2(ReplyShort, 15, __VA_ARGS__)
#define gasnet_AMReplyShort16(...) FSH_AM_2(ReplyShort, 16, __VA_ARGS__)
#define gasnet_AMReplyMedium0(a, b, c, d) fsh_gasnet_AMReplyMedium0(a, b, c, d)
#define gasnet_AMReplyMedium1(...) FSH_AM_4(ReplyMedium, 1, __VA_ARGS__)
#define gasnet_AMReplyMedium2(...) FSH_AM_4(ReplyMedium, 2, __VA_ARGS__)
#define gasnet_AMReplyMedium3(...) FSH_AM_4(ReplyMedium, 3, __VA_ARGS__)
#define gasnet_AMReplyMedium4(...) FSH_AM_4(ReplyMedium, 4, __VA_ARGS__)
#define gasnet_AMReplyMedium5(...) FSH_AM_4(ReplyMedium, 5, __VA_ARGS__)
#define gasnet_AMReplyMedium6(...) FSH_AM_4(ReplyMedium, 6, __VA_ARGS__)
#define gasnet_AMReplyMedium7(...) FSH_AM_4(ReplyMedium, 7, __VA_ARGS__)
#define gasnet_AMReplyMedium8(...) FSH_AM_4(ReplyMedium, 8, __VA_ARGS__)
#define gasnet_AMReplyMedium9(...) FSH_AM_4(ReplyMedium, 9, __VA_ARGS__)
#define gasnet_AMReplyMedium10(...) FSH_AM_4(ReplyMedium, 10, __VA_ARGS__)
#define gasnet_AMReplyMedium11(...) FSH_AM_4(ReplyMedium, 11, __VA_ARGS__)
#define gasnet_AMReplyMedium12(...) FSH_AM_4(ReplyMedium, 12, __VA_ARGS__)
#define gasnet_AMReplyMedium13(...) FSH_AM_4(ReplyMedium, 13, __VA_ARGS__)
#define gasnet_AMReplyMedium14(...) FSH_AM_4(ReplyMedium, 14, __VA_ARGS__)
#define gasnet_AMReplyMedium15(...) FSH_AM_4(ReplyMedium, 15, __VA_ARGS__)
#define gasnet_AMReplyMedium16(...) FSH_AM_4(ReplyMedium, 16, __VA_ARGS__)
#define gasnet_AMReplyLong0(a, b, c, d, e) \
    fsh_gasnet_AMReplyLong0(a, b, c, d, e)
#define gasnet_AMReplyLong1(...) FSH_AM_5(ReplyLong, 1, __VA_ARGS__)
#define gasnet_AMReplyLong2(...) FSH_AM_5(ReplyLong, 2, __VA_ARGS__)
#define gasnet_AMReplyLong3(...) FSH_AM_5(ReplyLong, 3, __VA_ARGS__)
#define gasnet_AMReplyLong4(...) FSH_AM_5(ReplyLong, 4, __VA_ARGS__)
#define gasnet_AMReplyLong5(...) FSH_AM_5(ReplyLong, 5, __VA_ARGS__)
#define gasnet_AMReplyLong6(...) FSH_AM_5(ReplyLong, 6, __VA_ARGS__)
#define gasnet_AMReplyLong7(...) FSH_AM_5(ReplyLong, 7, __VA_ARGS__)
#define gasnet_AMReplyLong8(...) FSH_AM_5(ReplyLong, 8, __VA_ARGS__)
#define gasnet_AMReplyLong9(...) FSH_AM_5(ReplyLong, 9, __VA_ARGS__)
#define gasnet_AMReplyLong10(...) FSH_AM_5(ReplyLong, 10, __VA_ARGS__)
#define gasnet_AMReplyLong11(...) FSH_AM_5(ReplyLong, 11, __VA_ARGS__)
#define gasnet_AMReplyLong12(...) FSH_AM_5(ReplyLong, 12, __VA_ARGS__)
#define gasnet_AMReplyLong13(...) FSH_AM_5(ReplyLong, 13, __VA_ARGS__)
#define gasnet_AMReplyLong14(...) FSH_AM_5(ReplyLong, 14, __VA_ARGS__)
#define gasnet_AMReplyLong15(...) FSH_AM_5(ReplyLong, 15, __VA_ARGS__)
#define gasnet_AMReplyLong16(...) FSH_AM_5(ReplyLong, 16, __VA_ARGS__)

/* The count comes first: gasnet_AMRequestShort(node, handler, 2, a0, a1).
 * [R-AM-21] */
#define FSH_AM_COUNT(...) \
    FSH_AM_COUNT_(__VA_ARGS__, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, \
                  5, 4, 3, 2, 1, 0)
#define FSH_AM_COUNT_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, \
                      count, ...) count
#define FSH_AM_ALL(...) \
    _CONCAT(FSH_AM_C, FSH_AM_COUNT(__VA_ARGS__))(__VA_ARGS__)
#define gasnet_AMRequestShort(a, b, ...) \
    fsh_gasnet_am_request_va(0, a, b, 0, 0, 0, FSH_AM_ALL(__VA_ARGS__))
#define gasnet_AMRequestMedium(a, b, c, d, ...) \
    fsh_gasnet_am_request_va(1, a, b, c, d, 0, FSH_AM_ALL(__VA_ARGS__))
#define gasnet_AMRequestLong(a, b, c, d, e, ...) \
    fsh_gasnet_am_request_va(2, a, b, c, d, e, FSH_AM_ALL(__VA_ARGS__))
#define gasnet_AMRequestLongAsync(a, b, c, d, e, ...) \
    fsh_gasnet_am_request_va(3, a, b, c, d, e, FSH_AM_ALL(__VA_ARGS__))
#define gasnet_AMReplyShort(a, b, ...) \
    fsh_gasnet_am_reply_va(0, a, b, 0, 0, 0, FSH_AM_ALL(__VA_ARGS__))
#define gasnet_AMReplyMedium(a, b, c, d, ...) \
    fsh_gasnet_am_reply_va(1, a, b, c, d, 0, FSH_AM_ALL(__VA_ARGS__))
#define gasnet_AMReplyLong(a, b, c, d, e, ...) \
    fsh_gasnet_am_reply_va(2, a, b, c, d, e, FSH_AM_ALL(__VA_ARGS__))
/* clang-format on */

#ifdef __cplusplus
}
#endif

#ifdef FSH_AM_C89
#undef FSH_AM_C89
#pragma GCC diagnostic pop
#endif

#endif

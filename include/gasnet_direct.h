/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inline puts and gets by plain copies, for segments that are mapped into this
 * process (conduit smp): a library call would cost more than copying a few
 * bytes. Included by gasnet_extended.h. The copy completes the operation
 * globally, so the non-blocking forms leave nothing to synchronise. All other
 * cases (other conduits, a range outside the segment, a debug library) fall
 * back to the library functions. The macros evaluate each argument once; the
 * functions can still have their address taken.
 */
#ifndef GASNET_DIRECT_H
#define GASNET_DIRECT_H

#ifndef GASNET_H
#error Include gasnet.h
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The segment of a node as mapped into this process. */
typedef struct {
    uintptr_t base;           /* address in its owner's process */
    uintptr_t size;           /* bytes */
    char *here;               /* address in this process */
    const uint32_t *watching; /* non-zero: the owner is asleep until a put */
} fsh_gasnet_mapped_t;

/* The segments of nodes 0 to count - 1; valid from gasnet_attach on. The fields are
 * kept away from the start of a page: a load stalls behind a store to the same offset
 * in another page (4 KiB aliasing), and programs often put to the start of a page. */
extern struct fsh_gasnet_mapped {
    char begins_page[3584];
    gasnet_node_t count; /* 0: nothing is mapped */
    fsh_gasnet_mapped_t *segment;
} __attribute__((__aligned__(4096))) fsh_gasnet_mapped;

/* Wakes the owner of a segment after a put to it, if it sleeps. */
void fsh_gasnet_poke(gasnet_node_t node);
/* Calls that complete at once must still poll now and then, so that a loop of them that
 * waits for a peer also serves that peer. fsh_gasnet_until_poll counts down to the next
 * poll: an inline put or wait subtracts 1, an inline get or a library call 16. Below 0
 * (a subtraction and a branch on the sign) a call takes the slow path, the library
 * function, which polls. So does any transfer large enough to make the cost of a poll
 * negligible. */
#define FSH_GASNET_QUIET 1023
#define FSH_GASNET_QUIET_CALL 16
#define FSH_GASNET_QUIET_BYTES 131072u
extern __thread long fsh_gasnet_until_poll
    __attribute__((__tls_model__("initial-exec")));

#ifndef FSH_GASNET_LIBRARY

/* Charges `cost` for a call that moves n bytes. Returns whether a poll is
 * due. */
static __inline__ __attribute__((__always_inline__, __unused__)) int
fsh_gasnet_is_due(long cost, size_t n)
{
    if (__builtin_expect(n >= FSH_GASNET_QUIET_BYTES, 0))
        return 1;
    fsh_gasnet_until_poll -= cost;
    return __builtin_expect(fsh_gasnet_until_poll < 0, 0) != 0;
}

/* The mapped segment of node if it contains n bytes at addr, else null. */
static __inline__ __attribute__((__always_inline__, __unused__))
const fsh_gasnet_mapped_t *
fsh_gasnet_mapped_of(gasnet_node_t node, const void *addr, size_t n)
{
    const fsh_gasnet_mapped_t *w;
    uintptr_t offset;

    if (__builtin_expect(node >= fsh_gasnet_mapped.count, 0))
        return NULL;
    /* No segment is that large; avoids compiler warnings about the copy. */
    if (__builtin_constant_p(n) && n > PTRDIFF_MAX)
        return NULL;
    w = &fsh_gasnet_mapped.segment[node];
    offset = (uintptr_t)addr - w->base;
    if (__builtin_expect(offset > w->size || n > w->size - offset, 0))
        return NULL;
    return w;
}

/* Translates an address to this process. */
static __inline__ __attribute__((__always_inline__, __unused__)) char *
fsh_gasnet_here(const fsh_gasnet_mapped_t *w, const void *addr)
{
    return w->here + ((uintptr_t)addr - w->base);
}

/* memcpy, inlined for 8 to 64 bytes, where the call would take as long as the copy: two
 * possibly overlapping power-of-two pieces, one from each end. */
static __inline__ __attribute__((__always_inline__, __unused__)) void
fsh_gasnet_copy(void *dest, const void *src, size_t n)
{
    char *to = (char *)dest;
    const char *from = (const char *)src;
    char head[16], next[16], last[16], tail[16];

    if (__builtin_constant_p(n)) {
        memcpy(to, from, n);
    } else if (n - 8 <= 8) {
        memcpy(head, from, 8);
        memcpy(tail, from + n - 8, 8);
        memcpy(to, head, 8);
        memcpy(to + n - 8, tail, 8);
    } else if (n - 16 <= 16) {
        memcpy(head, from, 16);
        memcpy(tail, from + n - 16, 16);
        memcpy(to, head, 16);
        memcpy(to + n - 16, tail, 16);
    } else if (n - 32 <= 32) {
        memcpy(head, from, 16);
        memcpy(next, from + 16, 16);
        memcpy(last, from + n - 32, 16);
        memcpy(tail, from + n - 16, 16);
        memcpy(to, head, 16);
        memcpy(to + 16, next, 16);
        memcpy(to + n - 32, last, 16);
        memcpy(to + n - 16, tail, 16);
    } else {
        memcpy(to, from, n);
    }
}

/* Copy n bytes now and return 1, or do nothing and return 0: the caller then
 * calls the library function. Never block or poll. */
static __inline__ __attribute__((__always_inline__, __unused__)) int
fsh_gasnet_put_here(gasnet_node_t node, void *dest, const void *src, size_t n)
{
    const fsh_gasnet_mapped_t *w;

    if (fsh_gasnet_is_due(1, n))
        return 0;
    w = fsh_gasnet_mapped_of(node, dest, n);
    if (__builtin_expect(w == NULL, 0))
        return 0;
    fsh_gasnet_copy(fsh_gasnet_here(w, dest), src, n);
    /* Orders the copy before anything this thread signals next. */
    GASNETI_RELEASE();
    if (__builtin_expect(__atomic_load_n(w->watching, __ATOMIC_RELAXED) != 0,
                         0))
        fsh_gasnet_poke(node);
    return 1;
}

/* As fsh_gasnet_put_here. */
static __inline__ __attribute__((__always_inline__, __unused__)) int
fsh_gasnet_get_here(void *dest, gasnet_node_t node, const void *src, size_t n)
{
    const fsh_gasnet_mapped_t *w;

    if (fsh_gasnet_is_due(FSH_GASNET_QUIET_CALL, n))
        return 0;
    w = fsh_gasnet_mapped_of(node, src, n);
    if (__builtin_expect(w == NULL, 0))
        return 0;
    fsh_gasnet_copy(dest, fsh_gasnet_here(w, src), n);
    GASNETI_ACQUIRE();
    return 1;
}

/* The inline form of each call; falls back to the library function of the same
 * name, which also reports misuse. */

#define FSH_GASNET_PUT(call)                                       \
    static __inline__ __attribute__((__unused__)) void fsh_##call( \
        gasnet_node_t node, void *dest, const void *src, size_t n) \
    {                                                              \
        if (!fsh_gasnet_put_here(node, dest, src, n))              \
            call(node, dest, src, n);                              \
    }
#define FSH_GASNET_PUT_NB(call)                                               \
    static __inline__ __attribute__((__unused__)) gasnet_handle_t fsh_##call( \
        gasnet_node_t node, void *dest, const void *src, size_t n)            \
    {                                                                         \
        if (fsh_gasnet_put_here(node, dest, src, n))                          \
            return GASNET_INVALID_HANDLE;                                     \
        return call(node, dest, src, n);                                      \
    }
#define FSH_GASNET_GET(call)                                       \
    static __inline__ __attribute__((__unused__)) void fsh_##call( \
        void *dest, gasnet_node_t node, const void *src, size_t n) \
    {                                                              \
        if (!fsh_gasnet_get_here(dest, node, src, n))              \
            call(dest, node, src, n);                              \
    }
#define FSH_GASNET_GET_NB(call)                                               \
    static __inline__ __attribute__((__unused__)) gasnet_handle_t fsh_##call( \
        void *dest, gasnet_node_t node, const void *src, size_t n)            \
    {                                                                         \
        if (fsh_gasnet_get_here(dest, node, src, n))                          \
            return GASNET_INVALID_HANDLE;                                     \
        return call(dest, node, src, n);                                      \
    }

FSH_GASNET_PUT(gasnet_put)
FSH_GASNET_PUT(gasnet_put_bulk)
FSH_GASNET_PUT(gasnet_put_nbi)
FSH_GASNET_PUT(gasnet_put_nbi_bulk)
FSH_GASNET_PUT_NB(gasnet_put_nb)
FSH_GASNET_PUT_NB(gasnet_put_nb_bulk)
FSH_GASNET_GET(gasnet_get)
FSH_GASNET_GET(gasnet_get_bulk)
FSH_GASNET_GET(gasnet_get_nbi)
FSH_GASNET_GET(gasnet_get_nbi_bulk)
FSH_GASNET_GET_NB(gasnet_get_nb)
FSH_GASNET_GET_NB(gasnet_get_nb_bulk)

/* The calls of gasnet_extended.h, with its rules. */
#define gasnet_put(node, dest, src, n) fsh_gasnet_put(node, dest, src, n)
#define gasnet_put_bulk(node, dest, src, n) \
    fsh_gasnet_put_bulk(node, dest, src, n)
#define gasnet_put_nbi(node, dest, src, n) \
    fsh_gasnet_put_nbi(node, dest, src, n)
#define gasnet_put_nbi_bulk(node, dest, src, n) \
    fsh_gasnet_put_nbi_bulk(node, dest, src, n)
#define gasnet_put_nb(node, dest, src, n) fsh_gasnet_put_nb(node, dest, src, n)
#define gasnet_put_nb_bulk(node, dest, src, n) \
    fsh_gasnet_put_nb_bulk(node, dest, src, n)
#define gasnet_get(dest, node, src, n) fsh_gasnet_get(dest, node, src, n)
#define gasnet_get_bulk(dest, node, src, n) \
    fsh_gasnet_get_bulk(dest, node, src, n)
#define gasnet_get_nbi(dest, node, src, n) \
    fsh_gasnet_get_nbi(dest, node, src, n)
#define gasnet_get_nbi_bulk(dest, node, src, n) \
    fsh_gasnet_get_nbi_bulk(dest, node, src, n)
#define gasnet_get_nb(dest, node, src, n) fsh_gasnet_get_nb(dest, node, src, n)
#define gasnet_get_nb_bulk(dest, node, src, n) \
    fsh_gasnet_get_nb_bulk(dest, node, src, n)

/* gasnet_wait_syncnb: no-op for operations that completed at once. */
static __inline__ __attribute__((__unused__)) void fsh_gasnet_wait_syncnb(
    gasnet_handle_t handle)
{
    if (handle != GASNET_INVALID_HANDLE || fsh_gasnet_mapped.count == 0 ||
        fsh_gasnet_is_due(1, 0))
        gasnet_wait_syncnb(handle);
}
#define gasnet_wait_syncnb(handle) fsh_gasnet_wait_syncnb(handle)

/* ---- values: little-endian only, where the low bytes come first ---- */

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

/* 1 to sizeof(gasnet_register_value_t); 0 wraps. */
static __inline__ __attribute__((__unused__)) int fsh_gasnet_is_value(
    size_t nbytes)
{
    return nbytes - 1 < sizeof(gasnet_register_value_t);
}

/* gasnet_put_val and gasnet_get_val, as the calls above. */
static __inline__ __attribute__((__unused__)) void fsh_gasnet_put_val(
    gasnet_node_t node, void *dest, gasnet_register_value_t value,
    size_t nbytes)
{
    if (!fsh_gasnet_is_value(nbytes) ||
        !fsh_gasnet_put_here(node, dest, &value, nbytes))
        gasnet_put_val(node, dest, value, nbytes);
}

/* As fsh_gasnet_put_val. */
static __inline__ __attribute__((__unused__)) gasnet_register_value_t
fsh_gasnet_get_val(gasnet_node_t node, const void *src, size_t nbytes)
{
    gasnet_register_value_t value = 0;

    if (!fsh_gasnet_is_value(nbytes) ||
        !fsh_gasnet_get_here(&value, node, src, nbytes))
        value = gasnet_get_val(node, src, nbytes);
    return value;
}

/* The calls of gasnet_extended.h, with its rules. */
#define gasnet_put_val(node, dest, value, nbytes) \
    fsh_gasnet_put_val(node, dest, value, nbytes)
#define gasnet_get_val(node, src, nbytes) fsh_gasnet_get_val(node, src, nbytes)

#endif

#endif /* FSH_GASNET_LIBRARY */

#ifdef __cplusplus
}
#endif

#endif

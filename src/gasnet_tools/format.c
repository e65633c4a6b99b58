/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Formats transfer lists for messages. Writes at most the bytes that the _bufsz
 * functions return, which are upper bounds, not lengths.
 */
#include "gasnet_tools.h"

/* As gasnet_memvec_t, which would need gasnet_vis.h. */
struct memvec {
    void *addr;
    size_t len;
};

enum { HEAD = 160, ITEM = 48 }; /* bytes: "{0x...16 digits, ...20 digits}, " */

size_t gasnett_format_memveclist_bufsz(size_t count)
{
    return HEAD + count * ITEM;
}

/* Totals of a list, for its heading. */
struct span {
    size_t total;
    uintptr_t first, end;
};

static void widen(struct span *span, const void *addr, size_t len)
{
    uintptr_t at = (uintptr_t)addr;

    if (len == 0)
        return;
    if (span->total == 0 || at < span->first)
        span->first = at;
    if (span->total == 0 || at + len > span->end)
        span->end = at + len;
    span->total += len;
}

static char *put_head(char *p, size_t count, const struct span *span)
{
    return p + sprintf(p, "%zu entries, %zu bytes, within [%#zx, %#zx), list=[",
                       count, span->total, (size_t)span->first,
                       (size_t)span->end);
}

void gasnett_format_memveclist(char *buf, size_t count, const void *list)
{
    const struct memvec *vec = list;
    struct span span = {0, 0, 0};
    char *p;

    for (size_t i = 0; i < count; i++)
        widen(&span, vec[i].addr, vec[i].len);
    p = put_head(buf, count, &span);
    for (size_t i = 0; i < count; i++)
        p += sprintf(p, "%s{%p, %zu}", i ? ", " : "", vec[i].addr, vec[i].len);
    strcpy(p, "]");
}

size_t gasnett_format_addrlist_bufsz(size_t count)
{
    return HEAD + count * ITEM;
}

void gasnett_format_addrlist(char *buf, size_t count, void *const *list,
                             size_t len)
{
    struct span span = {0, 0, 0};
    char *p;

    for (size_t i = 0; i < count; i++)
        widen(&span, list[i], len);
    p = put_head(buf, count, &span);
    for (size_t i = 0; i < count; i++)
        p += sprintf(p, "%s%p", i ? ", " : "", list[i]);
    sprintf(p, "] of %zu bytes each", len);
}

size_t gasnett_format_strides_bufsz(size_t count)
{
    return 8 + count * ITEM;
}

void gasnett_format_strides(char *buf, size_t count, const size_t *list)
{
    char *p = buf;

    *p++ = '[';
    for (size_t i = 0; i < count; i++)
        p += sprintf(p, "%s%zu", i ? ", " : "", list[i]);
    strcpy(p, "]");
}

size_t gasnett_format_putvgetv_bufsz(size_t dstcount, size_t srccount)
{
    return HEAD + gasnett_format_memveclist_bufsz(dstcount) +
           gasnett_format_memveclist_bufsz(srccount);
}

size_t gasnett_format_putvgetv(char *buf, uint32_t node, size_t dstcount,
                               const void *dstlist, size_t srccount,
                               const void *srclist)
{
    const struct memvec *dst = dstlist;
    size_t total = 0;
    char *p;

    for (size_t i = 0; i < dstcount; i++)
        total += dst[i].len;
    p = buf +
        sprintf(buf, "(%zu data bytes) node=%" PRIu32 "\ndst: ", total, node);
    gasnett_format_memveclist(p, dstcount, dstlist);
    p += strlen(p);
    p += sprintf(p, "\nsrc: ");
    gasnett_format_memveclist(p, srccount, srclist);
    return total;
}

size_t gasnett_format_putigeti_bufsz(size_t dstcount, size_t srccount)
{
    return HEAD + gasnett_format_addrlist_bufsz(dstcount) +
           gasnett_format_addrlist_bufsz(srccount);
}

size_t gasnett_format_putigeti(char *buf, uint32_t node, size_t dstcount,
                               void *const *dstlist, size_t dstlen,
                               size_t srccount, void *const *srclist,
                               size_t srclen)
{
    size_t total = dstcount * dstlen;
    char *p =
        buf +
        sprintf(buf, "(%zu data bytes) node=%" PRIu32 "\ndst: ", total, node);

    gasnett_format_addrlist(p, dstcount, dstlist, dstlen);
    p += strlen(p);
    p += sprintf(p, "\nsrc: ");
    gasnett_format_addrlist(p, srccount, srclist, srclen);
    return total;
}

size_t gasnett_format_putsgets_bufsz(size_t stridelevels)
{
    return 2 * HEAD + 3 * gasnett_format_strides_bufsz(stridelevels + 1);
}

size_t gasnett_format_putsgets(char *buf, void *stats, uint32_t node,
                               const void *dstaddr, const size_t dststrides[],
                               const void *srcaddr, const size_t srcstrides[],
                               const size_t count[], size_t stridelevels)
{
    size_t total = 1;
    char *p;

    (void)stats;
    for (size_t i = 0; i <= stridelevels; i++)
        total *= count[i];
    p = buf + sprintf(buf,
                      "(%zu data bytes) node=%" PRIu32
                      " stridelevels=%zu count=",
                      total, node, stridelevels);
    gasnett_format_strides(p, stridelevels + 1, count);
    p += strlen(p);
    p += sprintf(p, "\ndst: addr=%p strides=", dstaddr);
    gasnett_format_strides(p, stridelevels, dststrides);
    p += strlen(p);
    p += sprintf(p, "\nsrc: addr=%p strides=", srcaddr);
    gasnett_format_strides(p, stridelevels, srcstrides);
    return total;
}

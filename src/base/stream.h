/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Non-temporal copy, for memory that another processor reads next and this one wrote
 * before. With ordinary stores each cache line must first be fetched, one after the
 * other, from the reader that had it last; a pipeline between two processors would
 * spend most of its time on that.
 */
#ifndef FSH_STREAM_H
#define FSH_STREAM_H

#include <stdint.h>
#include <string.h>

/* Sanitizers do not see non-temporal stores. */
#if defined(__SSE2__) && !defined(__SANITIZE_THREAD__) && \
    !defined(__SANITIZE_ADDRESS__)
#include <emmintrin.h>
#define FSH_STREAMS 1
#else
#define FSH_STREAMS 0
#endif

/* memcpy whose stores are complete before any later store of the caller. */
static inline void fsh_stream_copy(void *dst, const void *src, size_t bytes)
{
#if FSH_STREAMS
    unsigned char *to = dst;
    const unsigned char *from = src;
    size_t head = -(uintptr_t)to & 63;

    if (bytes < head + 64) {
        memcpy(to, from, bytes);
        return;
    }
    memcpy(to, from, head);
    to += head;
    from += head;
    bytes -= head;
    for (; bytes >= 64; to += 64, from += 64, bytes -= 64)
        for (size_t i = 0; i < 64; i += 16)
            _mm_stream_si128(
                (__m128i *)(void *)(to + i),
                _mm_loadu_si128((const __m128i *)(const void *)(from + i)));
    memcpy(to, from, bytes);
    _mm_sfence();
#else
    memcpy(dst, src, bytes);
#endif
}

#endif

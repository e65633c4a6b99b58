/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Text of the file of --trace, byte by byte: events are written while the job runs, on
 * a processor that it may need, and printf takes ten times as long. Every function
 * writes from `to` on, where there is room, and returns the end. Some write up to
 * TRACE_BLOCK bytes past it: copies of a known size take a few instructions.
 */
#ifndef FSHRUN_TRACE_TEXT_H
#define FSHRUN_TRACE_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TRACE_BLOCK 32u

/* A string literal. */
#define trace_text(to, literal) \
    trace_text_bytes(to, "" literal, sizeof(literal) - 1)
static inline char *trace_text_bytes(char *to, const char *from, size_t n)
{
    memcpy(to, from, n);
    return to + n;
}

/* Of a table. */
struct trace_word {
    char text[TRACE_BLOCK - 1];
    uint8_t bytes;
};
#define TRACE_WORD(literal)          \
    {                                \
        literal, sizeof(literal) - 1 \
    }
static inline char *trace_text_word(char *to, const struct trace_word *word)
{
    memcpy(to, word, TRACE_BLOCK);
    return to + word->bytes;
}

/* So many bytes, kept in whole blocks. */
static inline char *trace_text_blocks(char *to, const char *from, size_t n)
{
    for (size_t i = 0; i < n; i += TRACE_BLOCK)
        memcpy(to + i, from + i, TRACE_BLOCK);
    return to + n;
}

/* Two digits of n, below 100. */
static inline void trace_text_pair(char *to, unsigned n)
{
    static const char pairs[] =
        "00010203040506070809101112131415161718192021222324"
        "25262728293031323334353637383940414243444546474849"
        "50515253545556575859606162636465666768697071727374"
        "75767778798081828384858687888990919293949596979899";

    memcpy(to, pairs + (size_t)2 * n, 2);
}

/* In decimal. */
static inline char *trace_text_number(char *to, uint64_t value)
{
    uint64_t rest = value;
    char *end;

    if (value < 10) { /* most of them */
        *to = (char)('0' + value);
        return to + 1;
    }
    for (to += 2; rest >= 10000; rest /= 10000)
        to += 4;
    to += rest >= 1000 ? 2 : rest >= 100 ? 1 : rest >= 10 ? 0 : -1;
    for (end = to; value >= 100; value /= 100)
        trace_text_pair(to -= 2, (unsigned)(value % 100));
    if (value >= 10)
        trace_text_pair(to - 2, (unsigned)value);
    else
        to[-1] = (char)('0' + value);
    return end;
}

/* ns in us, with three digits. */
static inline char *trace_text_us(char *to, uint64_t ns)
{
    unsigned rest = (unsigned)(ns % 1000);

    to = trace_text_number(to, ns / 1000);
    to[0] = '.';
    to[1] = (char)('0' + rest / 100);
    trace_text_pair(to + 2, rest % 100);
    return to + 4;
}

/* In hexadecimal, small letters. */
static inline char *trace_text_hex(char *to, uint64_t value)
{
    unsigned bits = value != 0 ? 64 - (unsigned)__builtin_clzll(value) : 1;

    for (unsigned at = (bits + 3) / 4; at-- > 0;)
        *to++ = "0123456789abcdef"[value >> 4 * at & 15];
    return to;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * memcpy that is single-copy atomic for 2, 4 and 8 aligned bytes, for memory that
 * another thread or process reads concurrently without a lock: a word that a peer
 * spins on, a counter in a segment. Longer copies have memcpy's (absence of)
 * ordering.
 */
#ifndef FSH_WORDS_H
#define FSH_WORDS_H

#include <string.h>

/* A single load and store for n of 2, 4 or 8, where the compiler would call
 * memcpy, which may split a word. */
static inline void fsh_copy_words(void *dst, const void *src, size_t n)
{
    switch (n) {
    case 2:
        memcpy(dst, src, 2);
        break;
    case 4:
        memcpy(dst, src, 4);
        break;
    case 8:
        memcpy(dst, src, 8);
        break;
    default:
        memcpy(dst, src, n);
    }
}

#endif

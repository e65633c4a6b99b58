/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * memcpy that is single-copy atomic for 2, 4 and 8 aligned bytes, for memory that
 * another thread or process reads meanwhile without a lock: a word that a peer
 * spins on, a counter in a segment. Longer copies have memcpy's order, which is
 * none.
 */
#ifndef FSH_WORDS_H
#define FSH_WORDS_H

#include <string.h>

/* One load and one store for n of 2, 4 or 8, where compilers would call memcpy,
 * which may move a word in pieces. */
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

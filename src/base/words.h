/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies that others look at while they are made.
 */
#ifndef FSH_WORDS_H
#define FSH_WORDS_H

#include <string.h>

/* memcpy that stores and loads words by single instructions: somebody may be
 * waiting for them. */
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

/* SPDX-License-Identifier: BSD-3-Clause */
/* Counting zero bytes, checksums. Pure functions. */
#include "gasnet_tools.h"

size_t gasnett_count0s(const void *src, size_t nbytes)
{
    const unsigned char *p = src;
    size_t zeros = 0, i = 0;
    uint64_t word;

    for (; i + sizeof word <= nbytes; i += sizeof word) {
        memcpy(&word, p + i, sizeof word);
        zeros += (size_t)gasnett_count0s_uint64_t(word);
    }
    for (; i < nbytes; i++)
        zeros += p[i] == 0;
    return zeros;
}

size_t gasnett_count0s_copy(void *GASNETT_RESTRICT dst,
                            const void *GASNETT_RESTRICT src, size_t nbytes)
{
    /* In pieces that stay in the L1 cache between the two passes. */
    enum { PIECE = 8192 };
    size_t zeros = 0;

    for (size_t at = 0; at < nbytes; at += PIECE) {
        size_t n = nbytes - at < PIECE ? nbytes - at : PIECE;

        memcpy((char *)dst + at, (const char *)src + at, n);
        zeros += gasnett_count0s((const char *)src + at, n);
    }
    return zeros;
}

/* FNV-1a over words; includes the length, so trailing zeros count. */
uint64_t gasnett_checksum(const void *p, int nbytes)
{
    const uint64_t prime = UINT64_C(0x100000001b3);
    uint64_t sum = UINT64_C(0xcbf29ce484222325) ^ (uint64_t)nbytes, word;
    const unsigned char *byte = p;
    int i = 0;

    for (; i + (int)sizeof word <= nbytes; i += (int)sizeof word) {
        memcpy(&word, byte + i, sizeof word);
        sum = (sum ^ word) * prime;
        sum ^= sum >> 32;
    }
    for (; i < nbytes; i++)
        sum = (sum ^ byte[i]) * prime;
    return sum;
}

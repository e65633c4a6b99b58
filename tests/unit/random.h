/* SPDX-License-Identifier: BSD-3-Clause */
/* Random numbers (xorshift) for tests that print or fix their seed. */
#ifndef UNIT_RANDOM_H
#define UNIT_RANDOM_H

#include <stdint.h>

/* The next of *state, which is not 0. */
static inline uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Random numbers (xorshift) for tests that print or fix their seed. */
#ifndef UNIT_RANDOM_H
#define UNIT_RANDOM_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

/* The next of *state, which is not 0. */
static inline uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* The seed of a test, argv[1] or a random one, which it prints. Never 0. */
static inline uint64_t random_seed(int argc, char **argv, const char *test)
{
    uint64_t seed;

    if (argc > 1)
        seed = strtoull(argv[1], NULL, 0);
    else if (getrandom(&seed, sizeof seed, 0) != (ssize_t)sizeof seed)
        abort();
    seed |= 1;
    printf("%s: seed %llu\n", test, (unsigned long long)seed);
    fflush(stdout);
    return seed;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* See nearest.h. */
#include "base/nearest.h"

#include <stddef.h>
#include <string.h>

/* Edit distance of two names of at most 63 characters: insertions, deletions,
 * substitutions and transpositions of neighbours. */
static unsigned distance(const char *a, const char *b)
{
    unsigned rows[3][64], *old = rows[0], *last = rows[1], *now = rows[2];
    size_t na = strlen(a), nb = strlen(b);

    if (na > 63 || nb > 63)
        return 64;
    for (unsigned j = 0; j <= nb; j++)
        last[j] = j;
    for (unsigned i = 1; i <= na; i++) {
        unsigned *spare = old;

        now[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            unsigned best = last[j - 1] + (a[i - 1] != b[j - 1]);

            if (last[j] + 1 < best)
                best = last[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
                a[i - 2] == b[j - 1] && old[j - 2] + 1 < best)
                best = old[j - 2] + 1;
            now[j] = best;
        }
        old = last;
        last = now;
        now = spare;
    }
    return last[nb];
}

void fsh_nearest_begin(struct fsh_nearest *n, const char *word, unsigned prefix)
{
    size_t len = strlen(word);

    n->word = word;
    n->best = NULL;
    n->limit = 1 + (unsigned)(len > prefix ? len - prefix : 0) / 3;
}

void fsh_nearest_try(struct fsh_nearest *n, const char *name)
{
    unsigned d = distance(n->word, name);

    if (d < n->limit || (d == n->limit && !n->best)) {
        n->limit = d;
        n->best = name;
    }
}

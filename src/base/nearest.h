/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "Did you mean ...?": finds the candidate name closest to a mistyped word. One
 * thread each.
 */
#ifndef FSH_NEAREST_H
#define FSH_NEAREST_H

struct fsh_nearest {
    const char *word;
    const char *best; /* NULL: none is close enough */
    unsigned limit;   /* maximum edit distance */
};

/* prefix: number of leading letters common to all names, which are ignored. One
 * edit is allowed per three remaining letters, and at least one. */
void fsh_nearest_begin(struct fsh_nearest *n, const char *word,
                       unsigned prefix);

/* Adds a candidate; the name is kept, not copied. */
void fsh_nearest_try(struct fsh_nearest *n, const char *name);

#endif

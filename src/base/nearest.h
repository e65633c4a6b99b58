/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "Did you mean ...?": of the names that are tried, the one that a word was
 * probably meant to be. One thread each.
 */
#ifndef FSH_NEAREST_H
#define FSH_NEAREST_H

struct fsh_nearest {
    const char *word;
    const char *best; /* NULL: none is near enough */
    unsigned limit;   /* more slips than this are another word */
};

/* prefix: leading letters that all names share, which count for nothing; each
 * three of the others may hide one slip, and any word one. */
void fsh_nearest_begin(struct fsh_nearest *n, const char *word,
                       unsigned prefix);

/* name is kept, not copied. */
void fsh_nearest_try(struct fsh_nearest *n, const char *name);

#endif

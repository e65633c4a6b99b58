/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Settings by environment variable: one table (name, type, default, help) that
 * the library, the tools, fshinfo and the manual share. A value that cannot be
 * read is a fatal error naming the variable, the value and what was expected.
 * Reads the environment on each call, so not for hot paths. Any thread, as
 * getenv allows.
 */
#ifndef FSH_OPTION_H
#define FSH_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fsh_option_type {
    FSH_OPTION_STR,
    FSH_OPTION_CHOICE,   /* one of a list */
    FSH_OPTION_CPUS,     /* one of a list, or processors: 0-3,8 */
    FSH_OPTION_TOPOLOGY, /* a name of base/topology.h */
    FSH_OPTION_TIMES,    /* one of two words, the second also times: cpu:1.5 */
    FSH_OPTION_BOOL,     /* 0/1, yes/no, true/false, on/off, y/n */
    FSH_OPTION_INT,      /* decimal or 0x */
    FSH_OPTION_SIZE, /* bytes with K, M, G, T (powers of 1024), may be 1.5G */
    FSH_OPTION_SECONDS, /* decimal fraction */
};

/* A row of the table as fshinfo shows it. */
struct fsh_option_info {
    const char *name;
    enum fsh_option_type type;
    const char *type_name; /* "size"; for a choice the list: "ring|line" */
    const char *preset;    /* default, as text; "" is unset */
    const char *value;     /* in effect, as text */
    const char *source;    /* "default" or "environment" */
    const char *help;
    bool valid;  /* the value can be read as its type */
    bool effect; /* false: only accepted, for GASNet programs */
};

/* The value, or the default if the variable is unset or empty, of a name of the
 * table; fatal if it cannot be read. Strings and choices: never NULL, valid until
 * the variable changes. Sizes are bytes, seconds seconds. */
const char *fsh_option_str(const char *name);
bool fsh_option_bool(const char *name);
int64_t fsh_option_int(const char *name);
size_t fsh_option_size(const char *name);
double fsh_option_seconds(const char *name);
/* Of two words (none|cpu): 0 for the first, 1 for the second, else how many times. */
double fsh_option_times(const char *name);

/* Is it in the environment (and not empty)? */
bool fsh_option_given(const char *name);

/* Set what an option of a command line stands for. False if the value cannot be
 * read: err names the option as it was typed, not the setting, and what was
 * expected. */
bool fsh_option_typed(const char *name, const char *typed, const char *value,
                      char *err, size_t errlen);

/* Is text one of the words of "a|b|c"? */
bool fsh_option_among(const char *text, const char *choices);

/* Call cb for every row of the table. */
void fsh_option_each(void (*cb)(void *arg, const struct fsh_option_info *info),
                     void *arg);

/* Warn of every FSHMEM_ variable that the table does not know, with the
 * nearest name it does know, and of files that nobody writes. Returns how many
 * are unknown. One process a job calls it. */
unsigned fsh_option_check(void);

/* The known name that this one probably was meant to be, or NULL. */
const char *fsh_option_nearest(const char *name);

/* Read bytes with an optional suffix; false if text is not a size, and *bytes is
 * left alone. */
bool fsh_option_parse_size(const char *text, size_t *bytes);

#endif

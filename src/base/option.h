/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Settings by environment variable, from one table (name, type, default, help)
 * shared by the library, the tools, fshinfo and the manual. A malformed value
 * is a fatal error that names the variable, the value and the expected format.
 * Reads the environment on each call, so not for hot paths. Any thread, with
 * getenv's restrictions.
 */
#ifndef FSH_OPTION_H
#define FSH_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fsh_option_type {
    FSH_OPTION_STR,
    FSH_OPTION_CHOICE,   /* one word of a list */
    FSH_OPTION_CPUS,     /* one word of a list, or processors: 0-3,8 */
    FSH_OPTION_TOPOLOGY, /* a name of base/topology.h */
    FSH_OPTION_TIMES,    /* one of two words, the second with an optional
                            factor: cpu:1.5 */
    FSH_OPTION_BOOL,     /* 0/1, yes/no, true/false, on/off, y/n */
    FSH_OPTION_INT,      /* decimal or 0x */
    FSH_OPTION_SIZE, /* bytes with K, M, G, T (powers of 1024), may be 1.5G */
    FSH_OPTION_SECONDS, /* decimal fraction */
};

/* A row of the table as fshinfo displays it. */
struct fsh_option_info {
    const char *name;
    enum fsh_option_type type;
    const char *type_name; /* "size"; for a choice the words: "ring|line" */
    const char *preset;    /* default, as text; "": unset */
    const char *value;     /* current value, as text */
    const char *source;    /* "default" or "environment" */
    const char *help;
    bool valid;  /* the value has the right format */
    bool effect; /* false: accepted for GASNet programs but ignored */
};

/* The value of a setting in the table, or its default if the variable is unset or
 * empty; a malformed value is fatal. Strings and choices are never NULL and stay valid
 * until the variable changes. Sizes are in bytes. */
const char *fsh_option_str(const char *name);
bool fsh_option_bool(const char *name);
int64_t fsh_option_int(const char *name);
size_t fsh_option_size(const char *name);
double fsh_option_seconds(const char *name);
/* For a choice of two words (none|cpu): 0 for the first, 1 for the second, else the
 * factor. */
double fsh_option_times(const char *name);

/* Whether the variable is set and not empty. */
bool fsh_option_given(const char *name);

/* Sets the variable behind a command-line option. False if the value is
 * malformed: err names the option as typed, not the setting, and the expected
 * format. */
bool fsh_option_typed(const char *name, const char *typed, const char *value,
                      char *err, size_t errlen);

/* Whether text is one of the words of "a|b|c". */
bool fsh_option_among(const char *text, const char *choices);

/* Calls cb for every row of the table. */
void fsh_option_each(void (*cb)(void *arg, const struct fsh_option_info *info),
                     void *arg);

/* Warns about every FSHMEM_ variable that is not in the table, with the closest
 * known name, and about files that FSHMEM does not write. Returns the number of
 * unknown variables. Called by one process of the job. */
unsigned fsh_option_check(void);

/* The closest known name, or NULL. */
const char *fsh_option_nearest(const char *name);

/* Parses bytes with an optional suffix. False if text is not a size; *bytes is then
 * unchanged. */
bool fsh_option_parse_size(const char *text, size_t *bytes);

#endif

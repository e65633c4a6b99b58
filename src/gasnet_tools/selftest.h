/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tools' part of gasnett_run_diagnostics: run-time checks of a built
 * library on the current machine, whose compiler, processor and kernel may
 * differ from those it was tested on.
 */
#ifndef FSH_GASNET_TOOLS_SELFTEST_H
#define FSH_GASNET_TOOLS_SELFTEST_H

#include <stdbool.h>

struct fsh_selftest {
    char section; /* the letter that selects it */
    const char *what;
    /* Reports failures through fsh_selftest_check. */
    void (*run)(int iterations, int threads);
};

/* Terminated by an entry whose section is 0. */
extern const struct fsh_selftest fsh_selftests[];

/* Counts and prints a failed check. Any thread. */
void fsh_selftest_check(bool ok, const char *what, const char *file, int line);
#define FSH_SELFTEST(cond) fsh_selftest_check(cond, #cond, __FILE__, __LINE__)

/* The number of failures since the last call. */
int fsh_selftest_failures(void);

/* The multi-threaded ones (selftest_threads.c). */
void fsh_selftest_atomic_threads(int iterations, int threads);
void fsh_selftest_mutex(int iterations, int threads);
void fsh_selftest_rwlock(int iterations, int threads);
void fsh_selftest_cond(int iterations, int threads);
void fsh_selftest_key(int iterations, int threads);

#endif

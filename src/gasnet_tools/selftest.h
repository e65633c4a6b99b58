/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tools' part of gasnett_run_diagnostics: checks that a built library can
 * run on the machine it is on, where the compiler, the processor and the kernel
 * differ from the ones it was tested on.
 */
#ifndef FSH_GASNET_TOOLS_SELFTEST_H
#define FSH_GASNET_TOOLS_SELFTEST_H

#include <stdbool.h>

struct fsh_selftest {
    char section; /* letter that asks for it */
    const char *what;
    /* Report what fails through fsh_selftest_check. */
    void (*run)(int iterations, int threads);
};

/* Ends with an entry whose section is 0. */
extern const struct fsh_selftest fsh_selftests[];

/* Count and print a check that fails. Any thread. */
void fsh_selftest_check(bool ok, const char *what, const char *file, int line);
#define FSH_SELFTEST(cond) fsh_selftest_check(cond, #cond, __FILE__, __LINE__)

/* How many have failed since the last call. */
int fsh_selftest_failures(void);

/* Those with threads of their own (selftest_threads.c). */
void fsh_selftest_atomic_threads(int iterations, int threads);
void fsh_selftest_mutex(int iterations, int threads);
void fsh_selftest_rwlock(int iterations, int threads);
void fsh_selftest_cond(int iterations, int threads);
void fsh_selftest_key(int iterations, int threads);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * FSH_ASSERT: what a protocol rests on, said where it can be seen to hold. Checked in
 * debug libraries (<prefix>/debug); elsewhere it is compiled, for its types, and
 * leaves no code. What users get wrong is no assertion but a message of its own;
 * what costs nothing beside what it stands in may be a plain assert.
 */
#ifndef FSH_ASSERTION_H
#define FSH_ASSERTION_H

#ifndef FSH_CONFIG_DEBUG
#define FSH_CONFIG_DEBUG 0
#endif

/* Is this a file of a debug library? */
enum { FSH_BASE_DEBUG = FSH_CONFIG_DEBUG };

/* Say what does not hold, where, and end the job. Any thread. */
_Noreturn void fsh_assert_failed(const char *what, const char *file, int line);

/* Atomics in it are read and nothing is written: it is not always evaluated. */
#define FSH_ASSERT(what)                                    \
    do {                                                    \
        if (FSH_BASE_DEBUG && __builtin_expect(!(what), 0)) \
            fsh_assert_failed(#what, __FILE__, __LINE__);   \
    } while (0)

#endif

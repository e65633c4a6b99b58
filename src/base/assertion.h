/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * FSH_ASSERT: checks an invariant of the library. Evaluated in debug libraries
 * (<prefix>/debug); elsewhere it is compiled but generates no code. User errors are
 * never asserted; they get a message that names the mistake. A check off the hot path
 * may be a plain assert, which release libraries evaluate too.
 */
#ifndef FSH_ASSERTION_H
#define FSH_ASSERTION_H

#ifndef FSH_CONFIG_DEBUG
#define FSH_CONFIG_DEBUG 0
#endif

/* Whether this file belongs to a debug library. */
enum { FSH_BASE_DEBUG = FSH_CONFIG_DEBUG };

/* Reports the failed assertion and its location, and ends the job. Any
 * thread. */
_Noreturn void fsh_assert_failed(const char *what, const char *file, int line);

/* `what` must not have side effects, since it is not always evaluated, and must not
 * compare two atomics that other threads change: the two loads are not one snapshot. */
#define FSH_ASSERT(what)                                    \
    do {                                                    \
        if (FSH_BASE_DEBUG && __builtin_expect(!(what), 0)) \
            fsh_assert_failed(#what, __FILE__, __LINE__);   \
    } while (0)

#endif

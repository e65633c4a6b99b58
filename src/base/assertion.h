/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * FSH_ASSERT: an invariant of the library. Checked in debug libraries
 * (<prefix>/debug); in other libraries it is compiled but leaves no code. Mistakes of
 * users are not asserted but reported by a message that names them. A check whose cost
 * does not matter may be a plain assert, which release libraries check as well.
 */
#ifndef FSH_ASSERTION_H
#define FSH_ASSERTION_H

#ifndef FSH_CONFIG_DEBUG
#define FSH_CONFIG_DEBUG 0
#endif

/* Is this a file of a debug library? */
enum { FSH_BASE_DEBUG = FSH_CONFIG_DEBUG };

/* Say which assertion failed, where, and end the job. Any thread. */
_Noreturn void fsh_assert_failed(const char *what, const char *file, int line);

/* `what` has no side effects, since it is not always evaluated. It must not compare
 * two atomics that other threads change: they are not read at the same time. */
#define FSH_ASSERT(what)                                    \
    do {                                                    \
        if (FSH_BASE_DEBUG && __builtin_expect(!(what), 0)) \
            fsh_assert_failed(#what, __FILE__, __LINE__);   \
    } while (0)

#endif

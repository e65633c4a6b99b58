/* SPDX-License-Identifier: BSD-3-Clause */
/* CHECK(condition) or CHECK(condition, format, ...): where a unit test fails it
 * says so and ends, whatever other threads and exit hooks there are. EXPECT does
 * not end it but returns false, for functions whose caller has more to say. */
#ifndef UNIT_CHECK_H
#define UNIT_CHECK_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* The blank: a format must not be empty. */
#define CHECK(cond, ...)                                            \
    do {                                                            \
        if (!(cond)) {                                              \
            check_said(__FILE__, __LINE__, #cond, " " __VA_ARGS__); \
            _Exit(1);                                               \
        }                                                           \
    } while (0)

#define EXPECT(cond, ...)                                           \
    do {                                                            \
        if (!(cond)) {                                              \
            check_said(__FILE__, __LINE__, #cond, " " __VA_ARGS__); \
            return false;                                           \
        }                                                           \
    } while (0)

__attribute__((format(printf, 4, 5))) static inline void check_said(
    const char *file, int line, const char *cond, const char *format, ...)
{
    va_list list;

    fprintf(stderr, "%s:%d: %s:", file, line, cond);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
}

#endif

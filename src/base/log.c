/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages and fatal errors. The settings are written during start-up, before
 * other threads exist, and are read-only afterwards.
 */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 1200 };

static const char *program = "fshmem";
static int shown_rank = -1;
static void (*fatal_hook)(int code, const char *reason);
static bool (*is_ending)(void);

void fsh_log_program(const char *name)
{
    program = name;
}

void fsh_log_rank(int rank)
{
    shown_rank = rank;
}

void fsh_log_on_fatal(void (*hook)(int code, const char *reason))
{
    fatal_hook = hook;
}

void fsh_log_mute_when(bool (*ending)(void))
{
    is_ending = ending;
}

static void print_line(const char *text)
{
    char line[LINE_MAX_BYTES + 64];
    size_t len, done = 0;
    ssize_t n;

    if (shown_rank >= 0)
        snprintf(line, sizeof(line) - 1, "%s: rank %d: %s", program, shown_rank,
                 text);
    else
        snprintf(line, sizeof(line) - 1, "%s: %s", program, text);
    len = strlen(line);
    line[len++] = '\n';
    while (done < len) {
        n = write(STDERR_FILENO, line + done, len - done);
        if (n <= 0)
            return;
        done += (size_t)n;
    }
}

void fsh_warn(const char *fmt, ...)
{
    char text[LINE_MAX_BYTES];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    print_line(text);
}

static _Noreturn void fatal(int code, const char *fmt, va_list ap)
{
    static _Thread_local char text[LINE_MAX_BYTES];

    vsnprintf(text, sizeof(text), fmt, ap);
    if (!is_ending || !is_ending())
        print_line(text);
    if (fatal_hook)
        fatal_hook(code, text);
    exit(code);
}

void fsh_fatal(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    fatal(1, fmt, ap);
}

void fsh_fatal_code(int code, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    fatal(code, fmt, ap);
}

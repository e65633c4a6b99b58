/* SPDX-License-Identifier: BSD-3-Clause */
/* See options.h. */
#include "options.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arguments.h"
#include "base/log.h"

enum { ROWS_MOST = 32 };

__attribute__((format(printf, 2, 3))) static _Noreturn void refuse(
    const struct kit_options *options, const char *format, ...)
{
    char text[640];
    va_list list;

    va_start(list, format);
    vsnprintf(text, sizeof(text), format, list);
    va_end(list);
    if (options->command)
        fsh_fatal_code(2, "%s: %s", options->command, text);
    fsh_fatal_code(2, "%s", text);
}

static void set_number(const struct kit_options *options,
                       const struct kit_option *row, const char *value)
{
    char *end;
    unsigned long long number = strtoull(value, &end, 0);

    if (end == value || *end || strchr(value, '-') || number > row->most)
        refuse(options, "%s %s: expected a number from 0 to %u", row->name,
               value, row->most);
    *row->number = (unsigned)number;
}

/* Is it one of "one|two|three"? */
static bool is_choice(const char *choices, const char *value)
{
    size_t length = strlen(value), n;

    for (const char *c = choices; *c; c += n + (c[n] == '|')) {
        n = strcspn(c, "|");
        if (n == length && memcmp(c, value, n) == 0)
            return true;
    }
    return false;
}

static void set(const struct kit_options *options, const struct kit_option *row,
                const char *value)
{
    if (row->flag) {
        *row->flag = true;
    } else if (row->number) {
        set_number(options, row, value);
    } else {
        if (row->choices && !is_choice(row->choices, value))
            refuse(options, "%s %s: expected one of %s", row->name, value,
                   row->choices);
        *row->text = value;
    }
}

/* What getopt_long gives for a row: its letter, or a number that is none. */
static int value_of(const struct kit_options *options, size_t i)
{
    return options->rows[i].letter ? options->rows[i].letter : 256 + (int)i;
}

/* The table as getopt_long has it. */
static void list(const struct kit_options *options,
                 struct option longs[ROWS_MOST + 1],
                 char shorts[2 * ROWS_MOST + 3])
{
    size_t n = (size_t)sprintf(shorts, "+:");

    if (options->count > ROWS_MOST)
        fsh_fatal("internal error: %s has too many options", options->tool);
    for (size_t i = 0; i < options->count; i++) {
        const struct kit_option *row = &options->rows[i];

        longs[i] = (struct option){
            .name = row->name + strlen("--"),
            .has_arg = row->flag ? no_argument : required_argument,
            .val = value_of(options, i),
        };
        if (row->letter)
            n += (size_t)sprintf(shorts + n, "%c%s", row->letter,
                                 row->flag ? "" : ":");
    }
    longs[options->count] = (struct option){0};
}

void kit_options_read(const struct kit_options *options, int argc, char **argv)
{
    struct option longs[ROWS_MOST + 1];
    char shorts[2 * ROWS_MOST + 3], err[512];
    int c;

    list(options, longs, shorts);
    while ((c = fsh_arguments_read(options->tool, argc, argv, shorts, longs,
                                   err, sizeof(err))) != -1) {
        if (c == '?')
            refuse(options, "%s", err);
        for (size_t i = 0; i < options->count; i++) {
            const struct kit_option *row = &options->rows[i];

            if (c == ':' && value_of(options, i) == optopt)
                refuse(options, "%s: %s %s", err, row->name, row->value);
            if (value_of(options, i) == c)
                set(options, row, optarg);
        }
    }
    if (optind < argc)
        refuse(options, "unexpected argument '%s'; try '%s --help'",
               argv[optind], options->tool);
}

/* ---- help ---- */

void kit_print_lines(FILE *out, unsigned indent, const char *text)
{
    for (; *text; text++) {
        putc(*text, out);
        if (*text == '\n')
            fprintf(out, "%*s", (int)indent, "");
    }
}

static void print_row(FILE *out, const struct kit_option *row, bool letters,
                      unsigned indent, unsigned column)
{
    char name[96], letter[8] = "";

    if (letters)
        snprintf(letter, sizeof(letter), row->letter ? "-%c, " : "    ",
                 row->letter);
    snprintf(name, sizeof(name), "%*s%s%s%s%s", (int)indent, "", letter,
             row->name, row->value ? " " : "", row->value ? row->value : "");
    fprintf(out, "%-*s ", (int)column - 1, name);
    kit_print_lines(out, column, row->help);
    if (row->choices)
        fprintf(out, ": %s", row->choices);
    if (row->number)
        fprintf(out, " (%u)", *row->number);
    else if (row->text && *row->text)
        fprintf(out, " (%s)", *row->text);
    putc('\n', out);
}

void kit_options_print(FILE *out, const struct kit_options *options,
                       unsigned indent, unsigned column)
{
    bool letters = false;

    for (size_t i = 0; i < options->count; i++)
        letters |= options->rows[i].letter != 0;
    for (size_t i = 0; i < options->count; i++)
        print_row(out, &options->rows[i], letters, indent, column);
}

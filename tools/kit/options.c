/* SPDX-License-Identifier: BSD-3-Clause */
/* See options.h. */
#include "options.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/arguments.h"
#include "base/log.h"
#include "base/option.h"

enum { ROWS_MOST = 40, NAME_BYTES = 96 };

/* Where a mistake is described. */
struct message {
    char *text;
    size_t len;
};

/* As a message names it: "--file", or "-x" of a row without a name. */
static const char *name_of(const struct kit_option *row, char name[3])
{
    if (row->name)
        return row->name;
    snprintf(name, 3, "-%c", row->letter);
    return name;
}

/* ---- values ---- */

static bool read_number(const struct kit_option *row, const char *text,
                        uint64_t most, uint64_t *number, struct message m)
{
    unsigned long long value;
    char *end, name[3];

    errno = 0;
    value = strtoull(text, &end, 0);
    if (end != text && !*end && !strchr(text, '-') && errno == 0 &&
        value <= most) {
        *number = value;
        return true;
    }
    snprintf(m.text, m.len, "%s %s: expected a number from 0 to %" PRIu64,
             name_of(row, name), text, most);
    return false;
}

static bool set_number(const struct kit_option *row, const char *text,
                       struct message m)
{
    uint64_t value = 0;

    if (row->wide)
        return read_number(row, text, UINT64_MAX, row->wide, m);
    if (!read_number(row, text, row->most, &value, m))
        return false;
    *row->number = (unsigned)value;
    return true;
}

static bool set_text(const struct kit_option *row, const char *value,
                     struct message m)
{
    char name[3];

    if (row->choices && !fsh_option_among(value, row->choices)) {
        snprintf(m.text, m.len, "%s %s: expected one of %s", name_of(row, name),
                 value, row->choices);
        return false;
    }
    *row->text = value;
    return true;
}

static bool set(const struct kit_option *row, const char *value,
                struct message m)
{
    char name[3];

    if (row->take && !row->take(row, value, m.text, m.len))
        return false;
    if ((row->number || row->wide) && !set_number(row, value, m))
        return false;
    if (row->text && !set_text(row, value, m))
        return false;
    if (row->setting && !fsh_option_typed(row->setting, name_of(row, name),
                                          value, m.text, m.len))
        return false;
    if (row->flag)
        *row->flag = true;
    if (row->unset)
        *row->unset = false;
    return true;
}

/* ---- the command line ---- */

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
    size_t n = (size_t)sprintf(shorts, "+:"), names = 0;

    if (options->count > ROWS_MOST)
        fsh_fatal("internal error: %s has too many options", options->tool);
    for (size_t i = 0; i < options->count; i++) {
        const struct kit_option *row = &options->rows[i];

        if (row->name)
            longs[names++] = (struct option){
                .name = row->name + strlen("--"),
                .has_arg = row->value ? required_argument : no_argument,
                .val = value_of(options, i),
            };
        if (row->letter)
            n += (size_t)sprintf(shorts + n, "%c%s", row->letter,
                                 row->value ? ":" : "");
    }
    longs[names] = (struct option){0};
}

/* getopt takes -np for -n with the value "p": have it read the long name. */
static void replace_alias(const struct kit_options *options, char **word)
{
    for (size_t i = 0; *word && i < options->count; i++)
        if (options->rows[i].alias &&
            strcmp(*word, options->rows[i].alias) == 0)
            *word = (char *)(uintptr_t)options->rows[i].name;
}

static bool obey(const struct kit_options *options, int c, struct message m,
                 bool *ends)
{
    char name[3];
    size_t used;

    for (size_t i = 0; i < options->count; i++) {
        const struct kit_option *row = &options->rows[i];

        if (c == ':' && value_of(options, i) == optopt) {
            used = strlen(m.text);
            snprintf(m.text + used, m.len - used, ": %s %s", name_of(row, name),
                     row->value);
        }
        if (value_of(options, i) == c) {
            *ends = row->ends;
            return set(row, optarg, m);
        }
    }
    return false; /* '?' or ':', which has been described */
}

bool kit_options_try(const struct kit_options *options, int argc, char **argv,
                     char *err, size_t errlen)
{
    struct option longs[ROWS_MOST + 1];
    char shorts[2 * ROWS_MOST + 3];
    bool ends = false;
    int c;

    list(options, longs, shorts);
    while (!ends) {
        replace_alias(options, argv + optind);
        c = fsh_arguments_read(options->tool, argc, argv, shorts, longs, err,
                               errlen);
        if (c == -1)
            break;
        if (!obey(options, c, (struct message){err, errlen}, &ends))
            return false;
    }
    if (ends || optind == argc || options->rest)
        return true;
    snprintf(err, errlen, "unexpected argument '%s'; try '%s --help'",
             argv[optind], options->tool);
    return false;
}

void kit_options_read(const struct kit_options *options, int argc, char **argv)
{
    char text[PATH_MAX + 640];

    if (kit_options_try(options, argc, argv, text, sizeof(text)))
        return;
    if (options->command)
        fsh_fatal_code(2, "%s: %s", options->command, text);
    fsh_fatal_code(2, "%s", text);
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

static void print_default(FILE *out, const struct kit_option *row)
{
    /* With a flag the number is not in effect before it is given. */
    if (row->number)
        fprintf(out, " (%u)", *row->number);
    else if (row->wide && !row->flag)
        fprintf(out, " (%" PRIu64 ")", *row->wide);
    else if (row->text && *row->text)
        fprintf(out, " (%s)", *row->text);
}

/* "-n, -np, --np N" */
static void join_names(char name[NAME_BYTES], const struct kit_option *row,
                       bool letters)
{
    size_t n = 0;

    if (row->letter)
        n = (size_t)snprintf(name, NAME_BYTES, "-%c%s", row->letter,
                             row->name ? ", " : "");
    else if (letters)
        n = (size_t)snprintf(name, NAME_BYTES, "    ");
    snprintf(name + n, NAME_BYTES - n, "%s%s%s%s%s",
             row->alias ? row->alias : "", row->alias ? ", " : "",
             row->name ? row->name : "", row->value ? " " : "",
             row->value ? row->value : "");
}

static void print_row(FILE *out, const struct kit_option *row, bool letters,
                      unsigned indent, unsigned column)
{
    char name[NAME_BYTES];

    join_names(name, row, letters);
    fprintf(out, "%*s%s", (int)indent, "", name);
    if (indent + strlen(name) + 2 > column)
        fprintf(out, "\n%*s", (int)column, "");
    else
        fprintf(out, "%*s", (int)(column - indent - strlen(name)), "");
    kit_print_lines(out, column, row->help);
    if (row->choices)
        fprintf(out, ": %s", row->choices);
    print_default(out, row);
    putc('\n', out);
}

void kit_options_print(FILE *out, const struct kit_options *options,
                       unsigned indent, unsigned column)
{
    bool letters = false;

    for (size_t i = 0; i < options->count; i++)
        letters |= options->rows[i].letter != 0;
    for (size_t i = 0; i < options->count; i++)
        if (options->rows[i].help)
            print_row(out, &options->rows[i], letters, indent, column);
}

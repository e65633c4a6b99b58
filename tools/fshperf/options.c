/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of the commands of fshperf; see options.h. */
#include "options.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/nearest.h"

static const struct perf_option *find(const struct perf_command *command,
                                      const char *name)
{
    for (size_t i = 0; i < command->count; ++i) {
        if (strcmp(command->options[i].name, name) == 0) {
            return &command->options[i];
        }
    }
    return NULL;
}

static _Noreturn void refuse_unknown(const struct perf_command *command,
                                     const char *arg)
{
    struct fsh_nearest near;
    char names[256] = "";
    size_t used = 0;

    fsh_nearest_begin(&near, arg, (unsigned)strspn(arg, "-"));
    for (size_t i = 0; i < command->count && used < sizeof(names); ++i) {
        fsh_nearest_try(&near, command->options[i].name);
        used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
                                 i ? ", " : "", command->options[i].name);
    }
    if (near.best) {
        fsh_fatal_code(2, "%s: %s: unknown option; did you mean %s?",
                       command->name, arg, near.best);
    }
    fsh_fatal_code(2, "%s: %s: unknown option; %s%s; see fshperf --help",
                   command->name, arg, used ? "there are " : "there are none",
                   names);
}

static void set_number(const struct perf_command *command,
                       const struct perf_option *option, const char *value)
{
    char *end;
    unsigned long long number = strtoull(value, &end, 0);

    if (end == value || *end || strchr(value, '-') || number > option->most) {
        fsh_fatal_code(2, "%s: %s %s: expected a number from 0 to %u",
                       command->name, option->name, value, option->most);
    }
    *option->number = (unsigned)number;
}

/* Is it one of "one|two|three"? */
static bool is_choice(const char *choices, const char *value)
{
    size_t length = strlen(value);

    for (const char *c = choices; *c; c += *c == '|') {
        size_t n = strcspn(c, "|");

        if (n == length && memcmp(c, value, n) == 0) {
            return true;
        }
        c += n;
    }
    return false;
}

static void set_text(const struct perf_command *command,
                     const struct perf_option *option, const char *value)
{
    if (option->choices && !is_choice(option->choices, value)) {
        fsh_fatal_code(2, "%s: %s %s: expected one of %s", command->name,
                       option->name, value, option->choices);
    }
    *option->text = value;
}

void perf_read_options(const struct perf_command *command, int argc,
                       char **argv)
{
    for (int i = 1; i < argc; ++i) {
        const struct perf_option *option = find(command, argv[i]);

        if (!option) {
            refuse_unknown(command, argv[i]);
        }
        if (option->flag) {
            *option->flag = true;
            continue;
        }
        if (++i == argc) {
            fsh_fatal_code(2, "%s: %s: its value is missing: %s %s",
                           command->name, option->name, option->name,
                           option->value);
        }
        if (option->number) {
            set_number(command, option, argv[i]);
        } else {
            set_text(command, option, argv[i]);
        }
    }
}

/* ---- help ---- */

static void print_lines(FILE *out, int indent, const char *text)
{
    for (; *text; ++text) {
        putc(*text, out);
        if (*text == '\n') {
            fprintf(out, "%*s", indent, "");
        }
    }
}

static void print_option(FILE *out, const struct perf_option *option)
{
    char name[64];

    snprintf(name, sizeof(name), "%s%s%s", option->name,
             option->value ? " " : "", option->value ? option->value : "");
    fprintf(out, "    %-17s ", name);
    print_lines(out, 22, option->help);
    if (option->choices) {
        fprintf(out, ": %s", option->choices);
    }
    if (option->number) {
        fprintf(out, " (%u)", *option->number);
    } else if (option->text && *option->text) {
        fprintf(out, " (%s)", *option->text);
    }
    putc('\n', out);
}

void perf_print_help(FILE *out, const struct perf_command *command)
{
    fprintf(out, "  %-11s ", command->name);
    print_lines(out, 14, command->help);
    putc('\n', out);
    for (size_t i = 0; i < command->count; ++i) {
        print_option(out, &command->options[i]);
    }
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* See arguments.h. */
#include "base/arguments.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cpu_list.h"
#include "base/fsh_spec.h"
#include "base/nearest.h"

/* The long option with this value, or NULL if it is a short option. */
static const struct option *by_value(const struct option *longs, int value)
{
    for (; longs->name; longs++)
        if (longs->val == value)
            return longs;
    return NULL;
}

/* Counts the long options with this prefix and lists their names,
 * comma-separated. */
static unsigned beginning(const struct option *longs, const char *word,
                          size_t len, char *names, size_t room)
{
    unsigned count = 0;
    size_t used = 0;

    names[0] = '\0';
    for (; longs->name; longs++) {
        if (strncmp(longs->name, word, len) != 0 || used >= room)
            continue;
        used += (size_t)snprintf(names + used, room - used, "%s--%s",
                                 count ? ", " : "", longs->name);
        count++;
    }
    return count;
}

/* A tool with at most this many options lists them all when nothing resembles the
 * unknown one. */
#define FEW 8u

/* Buffer for the error message. */
struct message {
    char *text;
    size_t len;
};

static void unknown(struct message m, const char *tool, const char *word,
                    const struct option *longs)
{
    size_t dashes = strspn(word, "-");
    int len = (int)strcspn(word, "=");
    struct fsh_nearest near;
    char name[64], names[256];
    unsigned count = beginning(longs, "", 0, names, sizeof(names));

    snprintf(name, sizeof(name), "%.*s", len - (int)dashes, word + dashes);
    fsh_nearest_begin(&near, name, 0);
    for (; longs->name; longs++)
        fsh_nearest_try(&near, longs->name);
    if (near.best)
        snprintf(m.text, m.len, "%.*s: unknown option; did you mean --%s?", len,
                 word, near.best);
    else if (count == 0)
        snprintf(m.text, m.len, "%.*s: unknown option; there are none", len,
                 word);
    else if (count <= FEW)
        snprintf(m.text, m.len,
                 "%.*s: unknown option; there are %s; %s --help lists them",
                 len, word, names, tool);
    else
        snprintf(m.text, m.len, "%.*s: unknown option; %s --help lists them",
                 len, word, tool);
}

/* Reports an unknown or ambiguous word after "--"; returns '?'. */
static void wrong_long(struct message m, const char *tool, const char *word,
                       const struct option *longs)
{
    const struct option *taken = optopt ? by_value(longs, optopt) : NULL;
    size_t len = strcspn(word + 2, "=");
    char names[256];

    if (taken)
        snprintf(m.text, m.len, "--%s takes no value", taken->name);
    else if (len > 0 &&
             beginning(longs, word + 2, len, names, sizeof(names)) > 1)
        snprintf(m.text, m.len, "%.*s: ambiguous; one of %s?", (int)len + 2,
                 word, names);
    else
        unknown(m, tool, word, longs);
}

/* Reports an unknown letter; returns '?'. For `-timeout` it suggests two
 * dashes. */
static void wrong_short(struct message m, const char *tool, const char *word,
                        const struct option *longs)
{
    struct fsh_nearest near;

    fsh_nearest_begin(&near, word + 1, 0);
    for (const struct option *o = longs; o->name; o++)
        fsh_nearest_try(&near, o->name);
    if (near.best && word[2])
        unknown(m, tool, word, longs);
    else
        snprintf(m.text, m.len, "%s: unknown option -%c; %s --help lists them",
                 word, optopt, tool);
}

int fsh_arguments_read(const char *tool, int argc, char **argv,
                       const char *shorts, const struct option *longs,
                       char *err, size_t errlen)
{
    struct message m = {err, errlen};
    int at = optind, value;
    const struct option *option;
    const char *word;

    opterr = 0;
    value = getopt_long(argc, argv, shorts, longs, NULL);
    if (value != '?' && value != ':')
        return value;
    word = argv[at];
    option = by_value(longs, optopt);
    if (value == ':' && strncmp(word, "--", 2) == 0 && option)
        snprintf(err, errlen, "--%s: its value is missing", option->name);
    else if (value == ':')
        snprintf(err, errlen, "-%c: its value is missing", optopt);
    else if (strncmp(word, "--", 2) == 0)
        wrong_long(m, tool, word, longs);
    else
        wrong_short(m, tool, word, longs);
    return value;
}

bool fsh_arguments_waves(const char *file, char *err, size_t errlen)
{
    const char *dot = strrchr(file, '.');

    if (!dot || strcasecmp(dot, ".vcd") != 0)
        return true;
    snprintf(err, errlen,
             "--waves %s: waveforms are written as FST, not VCD; name the file "
             "%.*s.fst (fst2vcd of GTKWave makes a VCD of it)",
             file, (int)(dot - file), file);
    return false;
}

/* Parses a number at *text and advances *text past it. False if there is
 * none. */
static bool read_cycle(const char **text, uint64_t *cycle)
{
    char *end;

    if (**text < '0' || **text > '9')
        return false;
    errno = 0;
    *cycle = strtoull(*text, &end, 10);
    *text = end;
    return errno == 0;
}

bool fsh_arguments_waves_cycles(const char *text, uint64_t *from, uint64_t *to,
                                char *err, size_t errlen)
{
    const char *at = text;
    uint64_t first = 0, last = UINT64_MAX;
    bool begins = read_cycle(&at, &first), ends = false;

    if (*at == ':') {
        at++;
        ends = read_cycle(&at, &last);
        if ((begins || ends) && !*at && first <= last) {
            *from = first;
            *to = last;
            return true;
        }
    }
    snprintf(err, errlen,
             "--waves-cycles %s: expected the first and the last cycle as "
             "FROM:TO, FROM: or :TO",
             text);
    return false;
}

bool fsh_arguments_waves_nodes(const char *text, uint64_t *nodes, char *err,
                               size_t errlen)
{
    const char *at = text;
    unsigned first, last, most = 0;
    uint64_t bits = 0;

    while (fsh_cpu_list_next(&at, &first, &last)) {
        most = last > most ? last : most;
        for (unsigned i = first; i <= last && i < FSH_MAX_NODES; i++)
            bits |= UINT64_C(1) << i;
    }
    if (most < FSH_MAX_NODES && fsh_cpu_list_valid(text)) {
        *nodes = bits;
        return true;
    }
    snprintf(err, errlen,
             "--waves-nodes %s: expected nodes, from 0 to %u at most, such as "
             "0,2-3",
             text, FSH_MAX_NODES - 1);
    return false;
}

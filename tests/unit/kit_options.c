/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A table of options: valid arguments are parsed, wrong ones end with code 2 and a
 * message that names the limit, and help has a line for each.
 */
#include <getopt.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "options.h"

static bool quick, slow, stall, help;
static const char *file, *way;
static unsigned rounds;
static uint64_t seed, stall_seed;
static char taken[32];

static bool take(const struct kit_option *row, const char *value, char *err,
                 size_t errlen)
{
    CHECK(row->letter == 'x');
    snprintf(taken, sizeof taken, "%s", value);
    snprintf(err, errlen, "-x %s: expected right", value);
    return strcmp(value, "wrong") != 0;
}

static const struct kit_option rows[] = {
    {"--quick", .help = "less of it", .flag = &quick, .unset = &slow,
     .letter = 'q'},
    {"--file", "FILE", "what to write\nand where", .text = &file},
    {"--way", "WAY", "how", .text = &way, .choices = "up|down"},
    {"--rounds", "N", "how often", .number = &rounds, .most = 9, .letter = 'r',
     .alias = "-ro"},
    {"--seed", "N", "of all", .wide = &seed},
    {"--stall-at-random", "N", "of that", .wide = &stall_seed, .flag = &stall},
    {"--packet", "B", "bytes", .setting = "FSHMEM_PACKET"},
    {NULL, "X", "the rest", .take = take, .letter = 'x'},
    {.flag = &quick, .letter = 'k'}, /* not listed */
    {"--help", .flag = &help, .letter = 'h', .ends = true},
};
static struct kit_options table = {.tool = "tool go",
                                   .command = "go",
                                   .rows = rows,
                                   .count = sizeof rows / sizeof *rows};

static char **words; /* ends with NULL */

/* As in a new process: a word may have been left half read. */
static void forget_getopt(void)
{
    char *none[] = {(char[]){"tool"}, NULL};

    optind = 0;
    CHECK(getopt(1, none, "+") == -1 && optind == 1);
}

static void read_words(void)
{
    int n = 0;

    while (words[n])
        n++;
    forget_getopt();
    quick = stall = help = false;
    slow = true;
    file = NULL;
    way = "up";
    rounds = 5;
    seed = 1;
    kit_options_read(&table, n, words);
}

/* In no block of its own: what is read points into these words. */
#define READ(...) \
    (words = (char *[]){(char[]){"tool"}, __VA_ARGS__ NULL}, read_words())
#define W(text) (char[]){text},
#define REFUSED(says, ...)                                              \
    do {                                                                \
        char *list[] = {(char[]){"tool"}, __VA_ARGS__ NULL}, out[1024]; \
        int status;                                                     \
        words = list;                                                   \
        status = child_run(read_words, out, sizeof out);                \
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 2 &&          \
                  strstr(out, "go: " says),                             \
              "%#x '%s'", (unsigned)status, out);                       \
    } while (0)

static void check_read(void)
{
    READ();
    CHECK(!quick && !file && rounds == 5 && strcmp(way, "up") == 0);
    READ(W("-q") W("--file") W("a b") W("--way=down") W("-r9"));
    CHECK(quick && strcmp(file, "a b") == 0 && strcmp(way, "down") == 0 &&
          rounds == 9);
    READ(W("--rounds") W("0x7") W("--qui"));
    CHECK(rounds == 7 && quick && !slow);
    READ(W("--seed") W("18446744073709551615"));
    CHECK(seed == UINT64_MAX && !stall && slow);
    READ(W("--stall-at") W("3") W("-xone") W("--packet") W("256"));
    CHECK(stall && stall_seed == 3 && strcmp(taken, "one") == 0);
    CHECK(strcmp(getenv("FSHMEM_PACKET"), "256") == 0);
}

/* A letter's value may look like another spelling; where an option is expected it
 * is one. */
static void check_alias(void)
{
    READ(W("-q") W("-ro") W("4") W("--file") W("-ro"));
    CHECK(rounds == 4 && quick && strcmp(file, "-ro") == 0);
    READ(W("-x") W("-ro"));
    CHECK(rounds == 5 && strcmp(taken, "-ro") == 0);
}

/* What follows --help is not looked at, be it a letter behind it. */
static void check_end(void)
{
    READ(W("-q") W("--help") W("--nonsense"));
    CHECK(help && quick);
    READ(W("-help"));
    CHECK(help && !quick);
    REFUSED("--nonsense: unknown option", W("--nonsense") W("--help"));
}

/* What follows the options is left alone. */
static void check_rest(void)
{
    table.rest = true;
    READ(W("-q") W("program") W("-ro") W("--nonsense"));
    CHECK(quick && optind == 2 && strcmp(words[2], "program") == 0 &&
          strcmp(words[3], "-ro") == 0);
    READ(W("--") W("-ro"));
    CHECK(optind == 2 && strcmp(words[2], "-ro") == 0);
    READ();
    CHECK(optind == 1);
    table.rest = false;
}

/* One who does not end by himself gets the message. */
static void check_try(void)
{
    char err[256] = "", *bad[] = {(char[]){"tool"}, (char[]){"-r99"}, NULL};

    forget_getopt();
    CHECK(!kit_options_try(&table, 2, bad, err, sizeof err));
    CHECK(strcmp(err, "--rounds 99: expected a number from 0 to 9") == 0, "%s",
          err);
}

static void check_refused(void)
{
    REFUSED("--fiel: unknown option; did you mean --file?", W("--fiel"));
    REFUSED("--xyzzy: unknown option; there are --quick, --file, --way, "
            "--rounds, --seed, --stall-at-random, --packet, --help; tool go "
            "--help lists",
            W("--xyzzy"));
    REFUSED("-z: unknown option -z", W("-z"));
    REFUSED("--file: its value is missing: --file", W("--file"));
    REFUSED("-r: its value is missing: --rounds N", W("-r"));
    REFUSED("-x: its value is missing: -x X", W("-x"));
    REFUSED("--rounds: its value is missing", W("-ro"));
    REFUSED("-x wrong: expected right", W("-x") W("wrong"));
    REFUSED("--packet 100: expected one of 128|256|512|1024",
            W("--packet") W("100"));
    REFUSED("--seed 18446744073709551616: expected a number from 0 to "
            "18446744073709551615",
            W("--seed") W("18446744073709551616"));
    REFUSED("--quick takes no value", W("--quick=1"));
    REFUSED("--rounds 10: expected a number from 0 to 9", W("-r") W("10"));
    REFUSED("--rounds -1: expected", W("-r") W("-1"));
    REFUSED("--rounds -18446744073709551615: expected",
            W("-r") W("-18446744073709551615"));
    REFUSED("--rounds 1x: expected", W("--rounds") W("1x"));
    REFUSED("--rounds : expected", W("--rounds") W(""));
    REFUSED("--way : expected one of up|down", W("--way") W(""));
    REFUSED("--way up|down: expected", W("--way") W("up|down"));
    REFUSED("--way dow: expected", W("--way") W("dow"));
    REFUSED("unexpected argument 'there'", W("-q") W("there"));
}

static void check_help(void)
{
    char text[640] = "";
    FILE *out = fmemopen(text, sizeof text, "w");

    rounds = 5;
    way = "up";
    file = NULL;
    seed = 1;
    CHECK(out != NULL);
    kit_options_print(out, &table, 2, 24);
    fclose(out);
    CHECK(strcmp(text, "  -q, --quick           less of it\n"
                       "      --file FILE       what to write\n"
                       "                        and where\n"
                       "      --way WAY         how: up|down (up)\n"
                       "  -r, -ro, --rounds N   how often (5)\n"
                       "      --seed N          of all (1)\n"
                       "      --stall-at-random N\n"
                       "                        of that\n"
                       "      --packet B        bytes\n"
                       "  -x X                  the rest\n") == 0,
          "%s", text);
}

int main(void)
{
    check_read();
    check_alias();
    check_rest();
    check_end();
    check_try();
    check_refused();
    check_help();
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A table of options: what is typed arrives, what is wrong ends with code 2 and is
 * named with its limit, and help has a line for each.
 */
#include <getopt.h>
#include <string.h>

#include "child.h"
#include "options.h"

static bool quick;
static const char *file, *way;
static unsigned rounds;

static const struct kit_option rows[] = {
    {"--quick", .help = "less of it", .flag = &quick, .letter = 'q'},
    {"--file", "FILE", "what to write\nand where", .text = &file},
    {"--way", "WAY", "how", .text = &way, .choices = "up|down"},
    {"--rounds", "N", "how often", .number = &rounds, .most = 9, .letter = 'r'},
};
static const struct kit_options table = {"tool go", "go", rows, 4};

static char **words; /* ends with NULL */

static void read_words(void)
{
    int n = 0;

    while (words[n])
        n++;
    optind = 1;
    quick = false;
    file = NULL;
    way = "up";
    rounds = 5;
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
    CHECK(rounds == 7 && quick);
}

static void check_refused(void)
{
    REFUSED("--fiel: unknown option; did you mean --file?", W("--fiel"));
    REFUSED("--xyzzy: unknown option; there are --quick, --file, --way, "
            "--rounds; tool go --help lists",
            W("--xyzzy"));
    REFUSED("-z: no option is named -z", W("-z"));
    REFUSED("--file: its value is missing: --file", W("--file"));
    REFUSED("-r: its value is missing", W("-r"));
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
    char text[512] = "";
    FILE *out = fmemopen(text, sizeof text, "w");

    rounds = 5;
    way = "up";
    file = NULL;
    CHECK(out != NULL);
    kit_options_print(out, &table, 2, 22);
    fclose(out);
    CHECK(strcmp(text, "  -q, --quick         less of it\n"
                       "      --file FILE     what to write\n"
                       "                      and where\n"
                       "      --way WAY       how: up|down (up)\n"
                       "  -r, --rounds N      how often (5)\n") == 0,
          "%s", text);
}

int main(void)
{
    check_read();
    check_refused();
    check_help();
    return 0;
}

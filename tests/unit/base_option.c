/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Settings: sizes, booleans, choices, ranges; an invalid value is fatal and names
 * variable and value; an unknown name gets the nearest known one.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cpu_list.h"
#include "base/option.h"
#include "child.h"

static void check_size(const char *text, bool valid, size_t expected)
{
    size_t bytes = 77;
    bool ok = fsh_option_parse_size(text, &bytes);

    CHECK(ok == valid && (!valid || bytes == expected),
          "size '%s': %s %zu, expected %s %zu", text, ok ? "read" : "refused",
          bytes, valid ? "read" : "refused", expected);
}

static void check_sizes(void)
{
    check_size("0", true, 0);
    check_size("4096", true, 4096);
    check_size("4k", true, 4096);
    check_size("4K", true, 4096);
    check_size("4KB", true, 4096);
    check_size("4KiB", true, 4096);
    check_size("12B", true, 12);
    check_size("1.5G", true, (size_t)3 << 29);
    check_size("2M", true, (size_t)2 << 20);
    check_size("1T", true, (size_t)1 << 40);
    check_size("", false, 0);
    check_size("K", false, 0);
    check_size("-1", false, 0);
    check_size("12x", false, 0);
    check_size("4KK", false, 0);
    check_size("1e99", false, 0);
    check_size("nan", false, 0);
    check_size("inf", false, 0);
    check_size("9999999T", false, 0);
    check_size(" 4", false, 0);
    check_size("9.2e18", false, 0);
    check_size("9.1e18", true, (size_t)9100000000000000000);
}

static void check_values(void)
{
    static const char *const yes[] = {"1", "yes", "TRUE", "on", "Y"};
    static const char *const no[] = {"0", "No", "false", "OFF", "n"};

    for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
        setenv("GASNET_VERBOSEENV", yes[i], 1);
        CHECK(fsh_option_bool("GASNET_VERBOSEENV"));
        setenv("GASNET_VERBOSEENV", no[i], 1);
        CHECK(!fsh_option_bool("GASNET_VERBOSEENV"));
    }
    CHECK(fsh_option_given("GASNET_VERBOSEENV"));
    setenv("GASNET_VERBOSEENV", "", 1);
    CHECK(!fsh_option_given("GASNET_VERBOSEENV"));
    unsetenv("FSHMEM_TOPOLOGY");
    CHECK(strcmp(fsh_option_str("FSHMEM_TOPOLOGY"), "") == 0);
    setenv("FSHMEM_TOPOLOGY", "torus:4x4", 1);
    CHECK(strcmp(fsh_option_str("FSHMEM_TOPOLOGY"), "torus:4x4") == 0);
    setenv("FSHMEM_DRAM", "64M", 1);
    CHECK(fsh_option_size("FSHMEM_DRAM") == (size_t)64 << 20);
    setenv("FSHMEM_PACKET", "256", 1);
    CHECK(fsh_option_int("FSHMEM_PACKET") == 256);
    setenv("GASNET_PSHM_NODES", "010", 1);
    CHECK(fsh_option_int("GASNET_PSHM_NODES") == 10);
    setenv("GASNET_PSHM_NODES", "9", 1); /* and not only digits below */
    CHECK(fsh_option_int("GASNET_PSHM_NODES") == 9);
    setenv("GASNET_EXITTIMEOUT", "9", 1);
    CHECK(fsh_option_seconds("GASNET_EXITTIMEOUT") > 8.9);
    setenv("GASNET_EXITTIMEOUT", ".5", 1);
    CHECK(fsh_option_seconds("GASNET_EXITTIMEOUT") < 0.51);
    errno = ERANGE; /* of before */
    CHECK(fsh_option_int("GASNET_PSHM_NODES") == 9);
    errno = ERANGE;
    setenv("GASNET_EXITTIMEOUT", "0.5", 1);
    CHECK(fsh_option_seconds("GASNET_EXITTIMEOUT") > 0.49);
    CHECK(fsh_option_seconds("GASNET_EXITTIMEOUT") < 0.51);
}

/* Of processors; what is read, each part with a blank before. */
static void check_list(const char *text, bool valid, const char *expected)
{
    unsigned first, last;
    char got[256] = "";
    size_t n = 0;

    CHECK(fsh_cpu_list_valid(text) == valid, "'%s'", text);
    while (fsh_cpu_list_next(&text, &first, &last))
        n += (size_t)snprintf(got + n, sizeof got - n, " %u-%u", first, last);
    CHECK(strcmp(got, expected) == 0, "%s, not %s", got, expected);
}

static void check_lists(void)
{
    check_list("0", true, " 0-0");
    check_list("0-3,8", true, " 0-3 8-8");
    check_list("3,1,65535", true, " 3-3 1-1 65535-65535");
    check_list("", false, "");
    check_list("a", false, "");
    check_list("-1", false, "");
    check_list("1-", false, "");
    check_list("3-2", false, "");
    check_list("0,", false, "");
    check_list("0,,1", false, " 0-0");
    check_list(" 0", false, "");
    check_list("0 ", false, "");
    check_list("65536", false, "");
    check_list("0-99999999999999999999", false, "");
    setenv("FSHMEM_BIND", "0-3,8", 1);
    CHECK(strcmp(fsh_option_str("FSHMEM_BIND"), "0-3,8") == 0);
    setenv("FSHMEM_BIND", "core", 1);
    CHECK(strcmp(fsh_option_str("FSHMEM_BIND"), "core") == 0);
}

static const char *bad_name, *bad_value;

static void read_bad(void)
{
    setenv(bad_name, bad_value, 1);
    if (strcmp(bad_name, "FSHMEM_DRAM") == 0)
        fsh_option_size(bad_name);
    else if (strcmp(bad_name, "FSHMEM_TOPOLOGY") == 0 ||
             strcmp(bad_name, "FSHMEM_BIND") == 0)
        fsh_option_str(bad_name);
    else if (strcmp(bad_name, "FSHMEM_PACKET") == 0 ||
             strcmp(bad_name, "GASNET_PSHM_NODES") == 0)
        fsh_option_int(bad_name);
    else if (strcmp(bad_name, "GASNET_VERBOSEENV") == 0)
        fsh_option_bool(bad_name);
    else
        fsh_option_seconds(bad_name);
}

static void check_refused(const char *name, const char *value)
{
    char text[1024], expected[128];
    int status;

    bad_name = name;
    bad_value = value;
    status = child_run(read_bad, text, sizeof(text));
    snprintf(expected, sizeof(expected), "%s=%s: expected", name, value);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1 &&
              strstr(text, expected),
          "%s=%s: status %#x, text '%s'", name, value, (unsigned)status, text);
}

static void check_bad_values(void)
{
    check_refused("FSHMEM_DRAM", "lots");
    check_refused("FSHMEM_DRAM", "1K");   /* under its minimum */
    check_refused("FSHMEM_DRAM", "100T"); /* over its maximum */
    check_refused("FSHMEM_TOPOLOGY", "star");
    check_refused("FSHMEM_TOPOLOGY", "rin");
    check_refused("FSHMEM_TOPOLOGY", "torus:4");
    check_refused("FSHMEM_TOPOLOGY", "mesh:AxB");
    check_refused("FSHMEM_TOPOLOGY", "ring|line");
    check_refused("FSHMEM_BIND", "cores");
    check_refused("FSHMEM_BIND", "0-");
    check_refused("FSHMEM_PACKET", "300");
    check_refused("GASNET_PSHM_NODES", "0x10");
    check_refused("GASNET_PSHM_NODES", " 4");
    check_refused("GASNET_PSHM_NODES", "+4");
    check_refused("GASNET_PSHM_NODES", "-1");
    check_refused("GASNET_VERBOSEENV", "maybe");
    check_refused("FSHMEM_START_TIMEOUT", "soon");
    check_refused("FSHMEM_START_TIMEOUT", "-1");
    check_refused("FSHMEM_START_TIMEOUT", "1s");
}

static void check_unknown_body(void)
{
    clearenv();
    setenv("FSHMEM_CONDIUT", "smp", 1);
    setenv("FSHMEM_QQQQ", "1", 1);
    setenv("FSHMEM_JOB", "internal", 1);
    setenv("FSHMEM_TOPOLOGY", "ring", 1);
    _exit((int)fsh_option_check());
}

static void check_unknown(void)
{
    char text[1024];
    int status = child_run(check_unknown_body, text, sizeof(text));

    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 2);
    CHECK(strstr(text, "FSHMEM_CONDIUT is not a setting; did you mean "
                       "FSHMEM_CONDUIT?"));
    CHECK(strstr(text, "FSHMEM_QQQQ is not a setting; fshinfo lists"));
    CHECK(!strstr(text, "FSHMEM_JOB"));
    CHECK(!strstr(text, "FSHMEM_TOPOLOGY"));
}

/* A name that is too long to be one of ours is none of our business. */
static void check_long_body(void)
{
    char name[65];

    clearenv();
    memset(name, 'X', sizeof name);
    memcpy(name, "FSHMEM_", 7);
    name[64] = '\0';
    setenv(name, "1", 1); /* 64 characters: passed by */
    name[63] = '\0';
    setenv(name, "1", 1);
    _exit((int)fsh_option_check());
}

static void check_quiet_body(void)
{
    clearenv();
    setenv("GASNET_QUIET", "1", 1);
    setenv("GASNET_TRACEFILE", "t", 1);
    setenv("FSHMEM_QQQQ", "1", 1);
    _exit((int)fsh_option_check());
}

static void check_traces_body(void)
{
    clearenv();
    setenv("GASNET_TRACEFILE", "t", 1);
    setenv("GASNET_STATSFILE", "s", 1);
    fsh_option_check();
    unsetenv("GASNET_TRACEFILE");
    unsetenv("GASNET_STATSFILE");
    write(STDERR_FILENO, "|", 1);
    _exit((int)fsh_option_check());
}

static void check_other_names(void)
{
    char text[1024];
    const char *rest;
    int status = child_run(check_long_body, text, sizeof(text));

    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1, "%s", text);
    status = child_run(check_quiet_body, text, sizeof(text));
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1 && text[0] == '\0');
    status = child_run(check_traces_body, text, sizeof(text));
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(strstr(text, "GASNET_TRACEFILE=t: no trace is written"));
    CHECK(strstr(text, "GASNET_STATSFILE=s: no statistics are written"));
    rest = strchr(text, '|');
    CHECK(rest != NULL && rest[1] == '\0', "%s", text);
}

/* ---- what tools are given ---- */

static void check_typed_wrong(const char *name, const char *typed,
                              const char *value, const char *says)
{
    char err[256] = "";

    unsetenv(name);
    CHECK(!fsh_option_typed(name, typed, value, err, sizeof err));
    CHECK(strncmp(err, says, strlen(says)) == 0, "%s", err);
    CHECK(!strstr(err, "FSHMEM_") && !getenv(name));
}

static void check_typed(void)
{
    char err[256] = "";

    CHECK(fsh_option_typed("FSHMEM_DRAM", "--dram", "48M", err, sizeof err));
    CHECK(strcmp(getenv("FSHMEM_DRAM"), "48M") == 0);
    CHECK(fsh_option_typed("FSHMEM_TOPOLOGY", "--topology", "ring", err,
                           sizeof err));
    CHECK(strcmp(getenv("FSHMEM_TOPOLOGY"), "ring") == 0);
    CHECK(fsh_option_typed("FSHMEM_CONDUIT", "--conduit", "", err, sizeof err));
    CHECK(err[0] == '\0', "%s", err);
    check_typed_wrong("FSHMEM_DRAM", "--dram", "1K",
                      "--dram 1K: expected bytes, optionally with K, M, G "
                      "or T, from 16M to 255G");
    check_typed_wrong("FSHMEM_PACKET", "--packet", "", "--packet : expected");
    check_typed_wrong("FSHMEM_START_TIMEOUT", "-t", "soon",
                      "-t soon: expected seconds from");
}

/* ---- choices ---- */

static void check_among(void)
{
    CHECK(fsh_option_among("a", "a|bc") && fsh_option_among("bc", "a|bc"));
    CHECK(!fsh_option_among("b", "a|bc") && !fsh_option_among("", "a|bc"));
    CHECK(!fsh_option_among("a|bc", "a|bc") && !fsh_option_among("bcd", "bc"));
}

static void no_such_option(void)
{
    fsh_option_given("FSHMEM_QQQQ");
}

static void check_internal(void)
{
    char text[1024];
    int status = child_run(no_such_option, text, sizeof(text));

    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1 &&
          strstr(text, "no option is named FSHMEM_QQQQ"));
}

static void check_row(void *arg, const struct fsh_option_info *info)
{
    static const char *names[128];
    unsigned *rows = arg;

    for (unsigned i = 0; i < *rows; i++)
        CHECK(strcmp(names[i], info->name) != 0);
    names[(*rows)++ % 128] = info->name;
    CHECK(info->valid);
    CHECK(info->help[0] && info->type_name[0]);
    CHECK(strncmp(info->name, "FSHMEM_", 7) == 0 ||
          strncmp(info->name, "GASNET_", 7) == 0);
    CHECK(strcmp(info->source, "default") == 0);
    CHECK(strcmp(info->value, info->preset) == 0);
}

int main(void)
{
    unsigned rows = 0;

    check_sizes();
    check_values();
    check_lists();
    check_bad_values();
    check_unknown();
    check_other_names();
    check_typed();
    check_among();
    check_internal();
    /* Last: every default must be readable. */
    clearenv();
    fsh_option_each(check_row, &rows);
    CHECK(rows > 10);
    return 0;
}

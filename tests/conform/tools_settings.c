/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings and numbers: a job's tools see the launcher's environment, before
 * and after gasnet_init; values are parsed as documented; setenv is local. The
 * runner sets TOOLS_... (CMakeLists.txt). */
#include "conform.h"

#include <gasnet_tools.h>

static void check_int(const char *text, uint64_t unit, int64_t want)
{
    const int64_t got = gasnett_parse_int(text, unit);
    CHECK(got == want, "\"%s\" with unit %" PRIu64 " is %" PRId64, text, unit,
          got);
    gasnett_setenv("TOOLS_NUMBER", text);
    CHECK_EQ(gasnett_getenv_int_withdefault("TOOLS_NUMBER", -99, unit), want);
}

static void integers(void)
{
    check_int("0", 0, 0);
    check_int("12345678901234", 0, INT64_C(12345678901234));
    check_int("-17", 0, -17);
    check_int("+17", 0, 17);
    check_int("0x1F", 0, 31);
    check_int("-0X10", 0, -16);
    check_int("9223372036854775807", 0, INT64_MAX);
    check_int("  8 ", 0, 8);
    check_int("5", 1024, 5120);
    check_int("5", 1, 5);
    check_int("5B", 1024, 5);
    check_int("5 KB", 1, 5120);
    check_int("5k", 1 << 20, 5120);
    check_int("1.5MB", 1, 3 << 19);
    check_int("1.5", 1 << 20, 3 << 19);
    check_int("0.5 gB", 1, 1 << 29);
    check_int(".25 T", 1, INT64_C(1) << 38);
    check_int("2GiB", 1, INT64_C(2) << 30);
    check_int("0x10 KB", 1, 16384);
    check_int("-1 KB", 1, -1024);
}

static void check_format(int64_t value, int is_size, const char *want)
{
    char text[40];
    CHECK(gasnett_format_number(value, text, sizeof text, is_size) == text,
          "returns its buffer");
    CHECK(strcmp(text, want) == 0, "%" PRId64 " is \"%s\", want \"%s\"", value,
          text, want);
}

static void formats(void)
{
    struct conf_rng rng = conf_rng(conf.me);
    char text[40];
    check_format(0, 0, "0");
    check_format(-5, 0, "-5");
    check_format(1048577, 0, "1048577");
    check_format(0, 1, "0 B");
    check_format(1023, 1, "1023 B");
    check_format(1024, 1, "1 KB");
    check_format(1536, 1, "1536 B");
    check_format(-2048, 1, "-2 KB");
    check_format(10241, 1, "10 KB");
    check_format(3 << 20, 1, "3 MB");
    check_format(INT64_C(1) << 40, 1, "1 TB");
    check_format(INT64_C(1) << 50, 0, "0x4000000000000");
    for (int i = 0; i < 2000; i++) {
        const int64_t value = (int64_t)conf_next(&rng) >> conf_below(&rng, 64);
        gasnett_format_number(value, text, sizeof text, 0);
        CHECK_EQ(gasnett_parse_int(text, 0), value);
        gasnett_format_number(value, text, sizeof text, 1);
        const int64_t size = gasnett_parse_int(text, 1);
        const int64_t off = size - value;
        /* At least two digits are kept. */
        CHECK(llabs((long long)off) <= llabs((long long)value) / 10,
              "%" PRId64 " came back as %" PRId64, value, size);
    }
    memset(text, '#', sizeof text);
    gasnett_format_number(123456, text, 4, 0);
    CHECK(strcmp(text, "123") == 0 && text[4] == '#', "writes 4 bytes only");
}

static void yes_and_no(void)
{
    static const char *const yes[] = {"1", "y", "Y", "yes", "YES"};
    static const char *const no[] = {"0", "n", "N", "no", "NO"};
    for (int i = 0; i < CONF_COUNT(yes); i++) {
        gasnett_setenv("TOOLS_SWITCH", yes[i]);
        CHECK(gasnett_getenv_yesno_withdefault("TOOLS_SWITCH", 0) == 1, "%s",
              yes[i]);
        gasnett_setenv("TOOLS_SWITCH", no[i]);
        CHECK(gasnett_getenv_yesno_withdefault("TOOLS_SWITCH", 1) == 0, "%s",
              no[i]);
    }
    gasnett_unsetenv("TOOLS_SWITCH");
    CHECK_EQ(gasnett_getenv_yesno_withdefault("TOOLS_SWITCH", 1), 1);
    CHECK_EQ(gasnett_getenv_yesno_withdefault("TOOLS_SWITCH", 0), 0);
}

static void check_double(const char *text, double want)
{
    gasnett_setenv("TOOLS_DOUBLE", text);
    const double got = gasnett_getenv_dbl_withdefault("TOOLS_DOUBLE", -99);
    CHECK(got == want, "\"%s\" is %g", text, got);
}

static void doubles(void)
{
    check_double("1.5", 1.5);
    check_double("-1e4", -1e4);
    check_double("3/8", 0.375);
    check_double("-3 / 8", -0.375);
    check_double("7", 7);
    gasnett_unsetenv("TOOLS_DOUBLE");
    CHECK(gasnett_getenv_dbl_withdefault("TOOLS_DOUBLE", 0.25) == 0.25,
          "default");
}

/* What the launcher set, seen by both and the same before and after. */
static void environment(const char *when)
{
    const char *tools = gasnett_getenv("TOOLS_GIVEN");
    CHECK(tools && strcmp(tools, "7 KB") == 0, "%s gasnet_init: %s", when,
          tools ? tools : "unset");
    CHECK(gasnett_getenv("TOOLS_ABSENT") == NULL, "%s gasnet_init", when);
    CHECK_EQ(gasnett_getenv_int_withdefault("TOOLS_GIVEN", 1, 1), 7168);
}

int main(int argc, char **argv)
{
    conf.name = "tools_settings";
    environment("before");
    conf_init("tools_settings", &argc, &argv);
    environment("after");
    conf_attach(NULL, 0, 0);
    conf_barrier();
    CHECK(strcmp(gasnett_getenv("TOOLS_GIVEN"), gasnet_getenv("TOOLS_GIVEN")) ==
              0,
          "two answers");
    CHECK(strcmp(gasnett_getenv_withdefault("TOOLS_GIVEN", "x"), "7 KB") == 0,
          "given");
    CHECK(strcmp(gasnett_getenv_withdefault("TOOLS_ABSENT", "x"), "x") == 0,
          "default");
    gasnett_setenv("TOOLS_LOCAL", "here");
    CHECK(strcmp(getenv("TOOLS_LOCAL"), "here") == 0 &&
              strcmp(gasnett_getenv("TOOLS_LOCAL"), "here") == 0,
          "setenv");
    gasnett_unsetenv("TOOLS_LOCAL");
    CHECK(gasnett_getenv("TOOLS_LOCAL") == NULL, "unsetenv");
    /* GASNET_VERBOSEENV is set where the runner looks for what is displayed:
     * rank 0's, each once. */
    CHECK_EQ(gasnett_verboseenv(), getenv("GASNET_VERBOSEENV") && conf.me == 0);
    gasnett_envint_display("TOOLS_SHOWN_INT", 2048, 0, 1);
    gasnett_envint_display("TOOLS_SHOWN_INT", 2048, 0, 1);
    gasnett_envstr_display("TOOLS_SHOWN_STR", "words", 1);
    gasnett_envdbl_display("TOOLS_SHOWN_DBL", 0.5, 0);
    integers();
    formats();
    yes_and_no();
    doubles();
    conf_pass();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments arrive as the user typed them, blanks, quotes and empty ones
 * included; gasnet_getenv reads the environment in which the job was started,
 * the same before and after attach. The runner passes the arguments below and
 * sets CONFORM_VARIABLE. */
#include "conform.h"

static const char *const words[] = {
    "plain", "two words",   "",   "  blanks  ", "it's",      "\"quoted\"",
    "$HOME", "back\\slash", "-n", "--",         "tab\there", "*"};
static const char value[] = "some value with = and blanks ";

static void check_environment(void)
{
    const char *v = gasnet_getenv("CONFORM_VARIABLE");
    CHECK(v != NULL, "CONFORM_VARIABLE is missing");
    CHECK(strcmp(v, value) == 0, "CONFORM_VARIABLE is '%s'", v);
    v = gasnet_getenv("CONFORM_EMPTY");
    CHECK(v != NULL && *v == '\0', "CONFORM_EMPTY is %s", v ? v : "missing");
    CHECK(gasnet_getenv("CONFORM_NOT_SET") == NULL, "a variable never set");
}

int main(int argc, char **argv)
{
    conf_init("environment", &argc, &argv);
    CHECK_EQ(argc, 1 + CONF_COUNT(words));
    for (int i = 0; i < CONF_COUNT(words); i++) {
        CHECK(strcmp(argv[i + 1], words[i]) == 0, "argument %d is '%s'", i + 1,
              argv[i + 1]);
    }
    CHECK(argv[argc] == NULL, "the vector does not end in NULL");
    check_environment();
    conf_attach(NULL, 0, GASNET_PAGESIZE);
    check_environment();
    conf_pass();
}

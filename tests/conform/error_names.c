/* SPDX-License-Identifier: BSD-3-Clause */
/* Error codes are distinct and have names and descriptions; any other number
 * gets a text as well. */
#include "conform.h"

int main(int argc, char **argv)
{
    static const struct {
        int code;
        const char *name;
    } codes[] = {{GASNET_OK, "GASNET_OK"},
                 {GASNET_ERR_RESOURCE, "GASNET_ERR_RESOURCE"},
                 {GASNET_ERR_BAD_ARG, "GASNET_ERR_BAD_ARG"},
                 {GASNET_ERR_NOT_INIT, "GASNET_ERR_NOT_INIT"},
                 {GASNET_ERR_BARRIER_MISMATCH, "GASNET_ERR_BARRIER_MISMATCH"},
                 {GASNET_ERR_NOT_READY, "GASNET_ERR_NOT_READY"}};
    conf_start("error_names", &argc, &argv, NULL, 0, 4096);
    CHECK_EQ(GASNET_OK, 0);
    for (int i = 0; i < CONF_COUNT(codes); i++) {
        const char *name = gasnet_ErrorName(codes[i].code);
        const char *desc = gasnet_ErrorDesc(codes[i].code);
        CHECK(name && strcmp(name, codes[i].name) == 0, "code %d is called %s",
              codes[i].code, name ? name : "(null)");
        CHECK(desc && *desc, "%s has no description", name);
        for (int j = 0; j < i; j++) {
            CHECK(codes[i].code != codes[j].code, "%s and %s are equal",
                  codes[i].name, codes[j].name);
        }
    }
    CHECK(gasnet_ErrorName(-12345) != NULL, "name of no code");
    CHECK(gasnet_ErrorDesc(-12345) != NULL, "description of no code");
    conf_pass();
}

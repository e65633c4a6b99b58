/* SPDX-License-Identifier: BSD-3-Clause */
/* gasnet_init with an argument vector the client made up, after setenv calls
 * for GASNET_ variables, as runtimes on top of GASNet do. With
 * GASNET_NULL_ARGV_OK also without a vector. */
#include "conform.h"

int main(int argc, char **argv)
{
    static char program[] = "runtime", option[] = "-x", value[] = "a b";
    char *made_up[] = {program, option, value, NULL};
    char **vector = made_up;
    int count = 3;
    conf.name = "init_fabricated_argv";
    conf_options(argc, argv);
    setenv("GASNET_BACKTRACE", "0", 1);
    setenv("GASNET_MAX_SEGSIZE", "64M", 1);
#if defined(GASNET_NULL_ARGV_OK) && GASNET_NULL_ARGV_OK
    if (argc > 1 && strcmp(argv[1], "null") == 0) {
        OK(gasnet_init(NULL, NULL));
    } else
#endif
    {
        OK(gasnet_init(&count, &vector));
        CHECK_EQ(count, 3);
        CHECK_EQ(strcmp(vector[0], "runtime"), 0);
        CHECK_EQ(strcmp(vector[1], "-x"), 0);
        CHECK_EQ(strcmp(vector[2], "a b"), 0);
    }
    conf.joined = 1;
    conf.me = gasnet_mynode();
    conf.n = gasnet_nodes();
    conf_attach(NULL, 0, GASNET_PAGESIZE);
    conf_pass();
}

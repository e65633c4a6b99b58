/* SPDX-License-Identifier: BSD-3-Clause */
/* The library's self-tests, as a client runs them: their handlers among its
 * own, all sections, then some, more than once. Rank 0 prints the sections. */
#include "conform.h"

#include <gasnet_tools.h>

static void nothing(gasnet_token_t token)
{
    (void)token;
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[64], *theirs = NULL;
    const int iterations = conf_iters(1000, 50);
    int n = 0;
    conf_init("tools_diagnostics", &argc, &argv);
    gasnett_diagnostic_gethandlers(&theirs, &n);
    CHECK(n > 0 && n < CONF_COUNT(table), "%d handlers", n);
    memcpy(table, theirs, (size_t)n * sizeof *table);
    table[n].index = 0;
    table[n].fnptr = nothing;
    conf_attach(table, n + 1, 8192);
    CHECK_EQ(gasnett_run_diagnostics(iterations, 4, NULL, conf.seg), 0);
    CHECK_EQ(gasnett_run_diagnostics(10, 1, "", conf.seg), 0);
    CHECK_EQ(gasnett_run_diagnostics(10, 2, "aJ", NULL), 0);
    conf_pass();
}

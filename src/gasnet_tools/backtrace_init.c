/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gasnett_backtrace_init: the settings of backtrace.c. Separate from it, since a
 * malformed setting is fatal, and every fatal error prints a backtrace.
 */
#include "gasnet_tools.h"
#include "gasnet_tools/backtrace.h"

void gasnett_backtrace_init(const char *exename)
{
    (void)exename;
    if (gasnett_getenv_yesno_withdefault("GASNET_BACKTRACE", 0))
        fsh_backtrace_init(
            !gasnett_getenv_yesno_withdefault("GASNET_NO_CATCH_SIGNAL", 0));
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Version information, for callers and for tools that inspect the file. */
#include "gasnet_tools.h"

GASNETT_IDENT(fsh_gasnett_ident,
              "$GASNetToolsConfig: (libgasnet_tools) " GASNETT_CONFIG_STRING
              " $");

uint64_t gasnett_release_version(void)
{
    return GASNETT_RELEASE_VERSION_MAJOR * UINT64_C(1000000) +
           GASNETT_RELEASE_VERSION_MINOR * UINT64_C(10000) +
           GASNETT_RELEASE_VERSION_PATCH;
}

const char *gasnett_release_version_str(void)
{
    return _STRINGIFY(GASNETT_RELEASE_VERSION_MAJOR) "." _STRINGIFY(
        GASNETT_RELEASE_VERSION_MINOR) "." _STRINGIFY(GASNETT_RELEASE_VERSION_PATCH);
}

const char *gasnett_performance_warning_str(void)
{
#if FSH_CONFIG_DEBUG
    return "        debugging  debugging malloc\n";
#else
    return "";
#endif
}

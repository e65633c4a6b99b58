/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For portable programs whose GASNet-1 code includes gasnetex.h, tests the
 * GASNet-EX revision, or uses EX names of GASNet-1 types. No gex_ calls are
 * provided. The revision is 0.0, lower than any with such calls: a program that
 * tests it selects its GASNet-1 code, and one that needs GASNet-EX says so.
 * gasnet.h alone defines none of this.
 */
#ifndef GASNETEX_H
#define GASNETEX_H
#define _INCLUDED_GASNETEX_H /* programs test for this name */

#include "gasnet.h"

#define GEX_SPEC_VERSION_MAJOR 0
#define GEX_SPEC_VERSION_MINOR 0

typedef gasnet_node_t gex_Rank_t;
#define GEX_RANK_INVALID (~(gex_Rank_t)0)
typedef gasnet_handler_t gex_AM_Index_t;
typedef gasnet_handlerarg_t gex_AM_Arg_t;
typedef gasnet_token_t gex_Token_t;
typedef gasnet_hsl_t gex_HSL_t;
#define GEX_HSL_INITIALIZER GASNET_HSL_INITIALIZER

#endif

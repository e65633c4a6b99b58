/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For programs written for several GASNets whose GASNet-1 part includes
 * gasnetex.h, asks for the revision of GASNet-EX, or names types of EX that are
 * those of GASNet-1 under another name. No gex_ call is here: the revision is
 * 0.0, less than any that had one, so that a program that asks takes its
 * GASNet-1 part, and one that needs GASNet-EX says so. gasnet.h alone defines
 * none of this.
 */
#ifndef GASNETEX_H
#define GASNETEX_H
#define _INCLUDED_GASNETEX_H /* programs ask for it by this name */

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

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gasnet_core.h of conduit ofi: configure scripts look for it to see
 * whether there is such a conduit. All of the interface is in gasnet.h; without
 * a thread mode only what this installation is comes along.
 */
#if defined(GASNET_SEQ) || defined(GASNET_PARSYNC) || defined(GASNET_PAR)
#include "../gasnet.h"
#else
#include "../gasnet_config.h"
#endif

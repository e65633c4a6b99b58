/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of conduits, all included in every library. Read-only, any thread.
 */
#include "conduit/conduit.h"

const struct fsh_conduit_ops *const fsh_conduits[] = {
    &fsh_conduit_smp, &fsh_conduit_ofi, &fsh_conduit_fpga, &fsh_conduit_mixed,
    NULL};

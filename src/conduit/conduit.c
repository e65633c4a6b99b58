/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All conduits; both are in every library. Read-only, any thread.
 */
#include "conduit/conduit.h"

#include <string.h>

const struct fsh_conduit_ops *const fsh_conduits[] = {&fsh_conduit_smp,
                                                      &fsh_conduit_fpga, NULL};

const struct fsh_conduit_ops *fsh_conduit_find(const char *name)
{
    for (size_t i = 0; fsh_conduits[i] != NULL; i++)
        if (strcmp(fsh_conduits[i]->name, name) == 0)
            return fsh_conduits[i];
    return NULL;
}

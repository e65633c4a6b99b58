/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lookup of conduits by name. The table is separate (table.c), so that a
 * library can have another one. Any thread.
 */
#include "conduit/conduit.h"

#include <string.h>

const struct fsh_conduit_ops *fsh_conduit_find(const char *name)
{
    for (size_t i = 0; fsh_conduits[i] != NULL; i++)
        if (strcmp(fsh_conduits[i]->name, name) == 0)
            return fsh_conduits[i];
    return NULL;
}

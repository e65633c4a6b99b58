/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The available devices, and lookup by name (setting FSHMEM_DEVICE).
 */
#include "device/device.h"

#include <string.h>

const struct fsh_device_ops *const fsh_devices[] = {&fsh_device_sim, NULL};

const struct fsh_device_ops *fsh_device_find(const char *name)
{
    for (const struct fsh_device_ops *const *d = fsh_devices; *d; d++)
        if (strcmp((*d)->name, name) == 0)
            return *d;
    return NULL;
}

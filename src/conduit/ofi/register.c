/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Local memory for a provider that wants it registered, and what a provider says when
 * something fails; see state.h.
 */
#include "base/log.h"
#include "conduit/ofi/state.h"

void fsh_ofi_check(int code, const char *what)
{
    if (code != 0)
        fsh_fatal("conduit ofi: provider %s: %s: %s",
                  fsh_ofi.network.info->fabric_attr->prov_name, what,
                  fsh_ofi.network.library->strerror(code < 0 ? -code : code));
}

struct fid_mr *fsh_ofi_register(void *addr, size_t bytes)
{
    struct fsh_network_memory memory;

    if (!fsh_ofi.network.local_mr)
        return NULL;
    fsh_ofi_check(
        fsh_network_register(&fsh_ofi.network, addr, bytes, 0, &memory),
        "registration of memory");
    return memory.mr;
}

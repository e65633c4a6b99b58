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
    struct fid_mr *mr = NULL;
    static uint64_t key; /* nobody reaches it from outside */
    const uint64_t access = FI_SEND | FI_RECV | FI_READ | FI_WRITE;

    if (!fsh_ofi.network.local_mr)
        return NULL;
    fsh_ofi_check(fi_mr_reg(fsh_ofi.network.domain, addr, bytes, access, 0,
                            ++key, 0, &mr, NULL),
                  "registration of memory");
    return mr;
}

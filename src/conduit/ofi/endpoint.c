/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bringing up conduit ofi: fabric, domain, one endpoint, the addresses of all ranks,
 * their segments; see state.h. Main thread, in gasnet_init and gasnet_attach.
 */
#include <stdlib.h>

#include "base/log.h"
#include "base/option.h"
#include "boot/boot.h"
#include "conduit/ofi/state.h"

/* What a rank tells the others. */
struct card {
    bool local;           /* FSHMEM_OFI_LOCAL */
    uint64_t segment_max; /* hosts differ in memory */
    struct fsh_network_name name;
};

struct segment_card {
    struct fsh_segment segment;
    uint64_t key, base;
    bool rma;
};

static void open_endpoint(void)
{
    size_t least = FSH_OFI_MAX_MESSAGE;
    char why[512];

    if (!fsh_network_open_any(&fsh_ofi.network, fsh_ofi.ranks, why, sizeof why))
        fsh_fatal("conduit ofi: %s", why);
    /* Not before it is enabled: shm of 1.17 has nowhere to keep it. */
    fsh_ofi_check(fi_setopt(&fsh_ofi.network.ep->fid, FI_OPT_ENDPOINT,
                            FI_OPT_MIN_MULTI_RECV, &least, sizeof least),
                  "least room of a receive buffer");
}

static void make_buffers(void)
{
    for (unsigned i = 0; i < FSH_OFI_BUFFERS; i++) {
        struct fsh_ofi_buffer *b = &fsh_ofi.buffer[i];

        b->memory = aligned_alloc(4096, FSH_OFI_BUFFER_BYTES);
        if (b->memory == NULL)
            fsh_fatal("conduit ofi: no memory for receive buffers");
        b->mr = fsh_ofi_register(b->memory, FSH_OFI_BUFFER_BYTES);
    }
    fsh_ofi_post_buffers();
    fsh_ofi_op_free(fsh_ofi_op_take(0, false)); /* for fsh_ofi_drain */
}

/* Learn the addresses of the others, and the job's token. */
static void meet(void)
{
    struct card mine = {.local = fsh_option_bool("FSHMEM_OFI_LOCAL"),
                        .segment_max = fsh_boot_page()->segment_max},
                *all;
    bool *local;
    char why[512];

    if (!fsh_network_name(&fsh_ofi.network, &mine.name, why, sizeof why))
        fsh_fatal("conduit ofi: %s", why);
    all = calloc(fsh_ofi.ranks, sizeof *all);
    fsh_ofi.peers = calloc(fsh_ofi.ranks, sizeof *fsh_ofi.peers);
    local = calloc(fsh_ofi.ranks, sizeof *local);
    if (all == NULL || fsh_ofi.peers == NULL || local == NULL)
        fsh_fatal("conduit ofi: no memory for %u addresses", fsh_ofi.ranks);
    fsh_boot_exchange(&mine, sizeof mine, all);
    fsh_boot_token(fsh_ofi.expect.job.word);
    fsh_ofi.segment_least = mine.segment_max;
    for (uint32_t r = 0; r < fsh_ofi.ranks; r++) {
        local[r] = all[r].local;
        fsh_ofi.peers[r].window = FSH_OFI_WINDOW;
        fsh_ofi.peers[r].here =
            r == fsh_ofi.rank ||
            (fsh_boot_host(r) == fsh_boot_host(fsh_ofi.rank) && mine.local &&
             all[r].local);
        fsh_ofi.away += !fsh_ofi.peers[r].here;
        if (all[r].segment_max < fsh_ofi.segment_least)
            fsh_ofi.segment_least = all[r].segment_max;
        if (fi_av_insert(fsh_ofi.network.av, all[r].name.address, 1,
                         &fsh_ofi.peers[r].addr, 0, NULL) != 1)
            fsh_fatal("conduit ofi: provider %s refuses the address of rank "
                      "%u",
                      fsh_ofi.network.info->fabric_attr->prov_name, r);
    }
    fsh_ofi_meet_open(local);
    free(local);
    free(all);
}

void fsh_ofi_open(void)
{
    size_t most;

    fsh_ofi.rank = fsh_boot_rank();
    fsh_ofi.ranks = fsh_boot_size();
    fsh_ofi.expect.ranks = fsh_ofi.ranks;
    open_endpoint();
    most = fsh_ofi.network.info->ep_attr->max_msg_size;
    fsh_ofi.inject = fsh_ofi.network.info->tx_attr->inject_size;
    /* Whole words, which others may read meanwhile. */
    fsh_ofi.piece = fsh_ofi.network.piece;
    if (most < FSH_OFI_MAX_MESSAGE)
        fsh_fatal("conduit ofi: provider %s has messages of at most %zu "
                  "bytes; %u are needed",
                  fsh_ofi.network.info->fabric_attr->prov_name, most,
                  FSH_OFI_MAX_MESSAGE);
    make_buffers();
    meet();
}

static void open_own(void *addr, size_t size, struct segment_card *card)
{
    struct fsh_network_memory memory;

    fsh_ofi_check(fsh_network_register(&fsh_ofi.network, addr, size,
                                       FI_REMOTE_READ | FI_REMOTE_WRITE,
                                       &memory),
                  "registration of the segment");
    fsh_ofi.segment_mr = memory.mr;
    fsh_ofi.segment_desc = fi_mr_desc(memory.mr);
    card->key = memory.key;
    card->base = memory.base;
}

void fsh_ofi_open_segment(void *addr, size_t size, struct fsh_segment *segs)
{
    const bool rma = fsh_ofi.network.rma;
    struct segment_card mine = {.segment = {addr, size}, .rma = rma}, *all;

    all = calloc(fsh_ofi.ranks, sizeof *all);
    if (all == NULL)
        fsh_fatal("conduit ofi: no memory for %u segments", fsh_ofi.ranks);
    if (size != 0 && rma)
        open_own(addr, size, &mine);
    fsh_ofi.expect.segment = (uint64_t)(uintptr_t)addr;
    fsh_ofi.expect.segment_bytes = size;
    fsh_boot_exchange(&mine, sizeof mine, all);
    for (uint32_t r = 0; r < fsh_ofi.ranks; r++) {
        segs[r] = fsh_ofi.peers[r].segment = all[r].segment;
        fsh_ofi.peers[r].key = all[r].key;
        fsh_ofi.peers[r].base = all[r].base;
        fsh_ofi.peers[r].rma = rma && all[r].rma;
    }
    free(all);
}

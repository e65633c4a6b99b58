/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bringing up conduit ofi: fabric, domain, one endpoint, the addresses of all ranks,
 * their segments; see state.h. Main thread, in gasnet_init and gasnet_attach.
 */
#include <errno.h>
#include <rdma/fi_cm.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>

#include "base/log.h"
#include "boot/boot.h"
#include "conduit/ofi/provider.h"
#include "conduit/ofi/state.h"

#define MAX_ADDRESS 192u

/* What a rank tells the others. */
struct card {
    uint64_t segment_max; /* hosts differ in memory */
    uint32_t address_bytes;
    unsigned char address[MAX_ADDRESS];
};

struct segment_card {
    struct fsh_segment segment;
    uint64_t key, base;
};

static void draw(void *random, size_t bytes)
{
    if (getrandom(random, bytes, 0) != (ssize_t)bytes)
        fsh_fatal("conduit ofi: getrandom: %s", strerror(errno));
}

static void choose(void)
{
    char why[512];

    fsh_ofi.library = fsh_ofi_library(why, sizeof why);
    if (fsh_ofi.library != NULL)
        fsh_ofi.info = fsh_ofi_provider(fsh_ofi.library, why, sizeof why);
    if (fsh_ofi.info == NULL)
        fsh_fatal("conduit ofi: %s", why);
}

/* A provider may leave its descriptor readable for ever once something has come
 * (net in 1.17): only what is new ends a sleep. */
static void watch(int fd)
{
    struct epoll_event news = {.events = EPOLLIN | EPOLLET};

    fsh_ofi.fd = epoll_create1(EPOLL_CLOEXEC);
    if (fsh_ofi.fd < 0 || epoll_ctl(fsh_ofi.fd, EPOLL_CTL_ADD, fd, &news) != 0)
        fsh_fatal("conduit ofi: watching a descriptor of provider %s: %s",
                  fsh_ofi.info->fabric_attr->prov_name, strerror(errno));
}

static void open_queue(void)
{
    struct fi_cq_attr attr = {.format = FI_CQ_FORMAT_DATA,
                              .wait_obj = FI_WAIT_FD};
    int rc = fi_cq_open(fsh_ofi.domain, &attr, &fsh_ofi.cq, NULL);
    int fd = -1;

    if (rc == 0) {
        if (fi_control(&fsh_ofi.cq->fid, FI_GETWAIT, &fd) == 0)
            watch(fd); /* else it has none; sleeps are short then */
        return;
    }
    attr.wait_obj = FI_WAIT_NONE;
    fsh_ofi_check(fi_cq_open(fsh_ofi.domain, &attr, &fsh_ofi.cq, NULL),
                  "completion queue");
}

static void open_endpoint(void)
{
    struct fi_av_attr av = {.type = FI_AV_TABLE, .count = fsh_ofi.ranks};
    size_t least = FSH_OFI_MAX_MESSAGE;

    fsh_ofi_check(fsh_ofi.library->fabric(fsh_ofi.info->fabric_attr,
                                          &fsh_ofi.fabric, NULL),
                  "fabric");
    fsh_ofi_check(
        fi_domain(fsh_ofi.fabric, fsh_ofi.info, &fsh_ofi.domain, NULL),
        "domain");
    open_queue();
    fsh_ofi_check(fi_av_open(fsh_ofi.domain, &av, &fsh_ofi.av, NULL),
                  "address vector");
    fsh_ofi_check(fi_endpoint(fsh_ofi.domain, fsh_ofi.info, &fsh_ofi.ep, NULL),
                  "endpoint");
    fsh_ofi_check(
        fi_ep_bind(fsh_ofi.ep, &fsh_ofi.cq->fid, FI_TRANSMIT | FI_RECV),
        "completion queue of the endpoint");
    fsh_ofi_check(fi_ep_bind(fsh_ofi.ep, &fsh_ofi.av->fid, 0),
                  "address vector of the endpoint");
    fsh_ofi_check(fi_enable(fsh_ofi.ep), "enabling the endpoint");
    /* Not before: shm of 1.17 has nowhere to keep it. */
    fsh_ofi_check(fi_setopt(&fsh_ofi.ep->fid, FI_OPT_ENDPOINT,
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
    struct card mine = {.segment_max = fsh_boot_page()->segment_max}, *all;
    size_t bytes = sizeof mine.address;

    fsh_ofi_check(fi_getname(&fsh_ofi.ep->fid, mine.address, &bytes),
                  "address of the endpoint");
    mine.address_bytes = (uint32_t)bytes;
    all = calloc(fsh_ofi.ranks, sizeof *all);
    fsh_ofi.peers = calloc(fsh_ofi.ranks, sizeof *fsh_ofi.peers);
    if (all == NULL || fsh_ofi.peers == NULL)
        fsh_fatal("conduit ofi: no memory for %u addresses", fsh_ofi.ranks);
    fsh_boot_exchange(&mine, sizeof mine, all);
    fsh_boot_token(fsh_ofi.expect.job.word);
    fsh_ofi.segment_least = mine.segment_max;
    for (uint32_t r = 0; r < fsh_ofi.ranks; r++) {
        fsh_ofi.peers[r].window = FSH_OFI_WINDOW;
        if (all[r].segment_max < fsh_ofi.segment_least)
            fsh_ofi.segment_least = all[r].segment_max;
        if (fi_av_insert(fsh_ofi.av, all[r].address, 1, &fsh_ofi.peers[r].addr,
                         0, NULL) != 1)
            fsh_fatal("conduit ofi: provider %s refuses the address of rank "
                      "%u",
                      fsh_ofi.info->fabric_attr->prov_name, r);
    }
    free(all);
}

void fsh_ofi_open(void)
{
    size_t most;

    choose();
    most = fsh_ofi.info->ep_attr->max_msg_size;
    fsh_ofi.rank = fsh_boot_rank();
    fsh_ofi.ranks = fsh_boot_size();
    fsh_ofi.expect.ranks = fsh_ofi.ranks;
    fsh_ofi.local_mr = fsh_ofi.info->domain_attr->mr_mode & FI_MR_LOCAL;
    fsh_ofi.inject = fsh_ofi.info->tx_attr->inject_size;
    /* Whole words, which others may read meanwhile. */
    fsh_ofi.piece = most & ~(size_t)4095;
    if (most < FSH_OFI_MAX_MESSAGE)
        fsh_fatal("conduit ofi: provider %s has messages of at most %zu "
                  "bytes; %u are needed",
                  fsh_ofi.info->fabric_attr->prov_name, most,
                  FSH_OFI_MAX_MESSAGE);
    open_endpoint();
    make_buffers();
    meet();
}

/* With a key that nobody guesses, where we may choose it. */
static void open_own(void *addr, size_t size, struct segment_card *card)
{
    int mode = fsh_ofi.info->domain_attr->mr_mode;
    uint64_t key;
    size_t key_bytes = fsh_ofi.info->domain_attr->mr_key_size;
    const uint64_t access =
        FI_REMOTE_READ | FI_REMOTE_WRITE | FI_READ | FI_WRITE;

    draw(&key, sizeof key);
    if (key_bytes < sizeof key)
        key &= (UINT64_C(1) << 8 * key_bytes) - 1;
    fsh_ofi_check(fi_mr_reg(fsh_ofi.domain, addr, size, access, 0, key, 0,
                            &fsh_ofi.segment_mr, NULL),
                  "registration of the segment");
    if (mode & FI_MR_ENDPOINT) {
        fsh_ofi_check(fi_mr_bind(fsh_ofi.segment_mr, &fsh_ofi.ep->fid, 0),
                      "endpoint of the segment");
        fsh_ofi_check(fi_mr_enable(fsh_ofi.segment_mr), "enabling the segment");
    }
    fsh_ofi.segment_desc = fi_mr_desc(fsh_ofi.segment_mr);
    card->key = fi_mr_key(fsh_ofi.segment_mr);
    card->base = mode & FI_MR_VIRT_ADDR ? (uint64_t)(uintptr_t)addr : 0;
}

void fsh_ofi_open_segment(void *addr, size_t size, struct fsh_segment *segs)
{
    struct segment_card mine = {.segment = {addr, size}}, *all;

    all = calloc(fsh_ofi.ranks, sizeof *all);
    if (all == NULL)
        fsh_fatal("conduit ofi: no memory for %u segments", fsh_ofi.ranks);
    if (size != 0)
        open_own(addr, size, &mine);
    fsh_ofi.expect.segment = (uint64_t)(uintptr_t)addr;
    fsh_ofi.expect.segment_bytes = size;
    fsh_boot_exchange(&mine, sizeof mine, all);
    for (uint32_t r = 0; r < fsh_ofi.ranks; r++) {
        segs[r] = fsh_ofi.peers[r].segment = all[r].segment;
        fsh_ofi.peers[r].key = all[r].key;
        fsh_ofi.peers[r].base = all[r].base;
    }
    free(all);
}

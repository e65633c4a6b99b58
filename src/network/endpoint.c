/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An endpoint of libfabric; see endpoint.h.
 */
#include "network/endpoint.h"

#include <errno.h>
#include <poll.h>
#include <rdma/fi_cm.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/simulated.h"
#include "network/model.h"
#include "network/provider.h"

/* A sleep without a descriptor, which news does not end. */
#define BLIND_NS UINT64_C(50000)

/* Whether code is 0; else says what failed. */
static bool check(const struct fsh_network *n, int code, const char *what,
                  char *why, size_t whylen)
{
    if (code != 0)
        snprintf(why, whylen, "provider %s: %s: %s",
                 n->info->fabric_attr->prov_name, what,
                 n->library->strerror(code < 0 ? -code : code));
    return code == 0;
}

/* A provider may leave its descriptor readable for ever once something has come
 * (net in 1.17): only what is new ends a sleep. */
static bool watch(struct fsh_network *n, int fd, char *why, size_t whylen)
{
    struct epoll_event news = {.events = EPOLLIN | EPOLLET};

    n->fd = epoll_create1(EPOLL_CLOEXEC);
    if (n->fd >= 0 && epoll_ctl(n->fd, EPOLL_CTL_ADD, fd, &news) == 0)
        return true;
    snprintf(why, whylen, "watching a descriptor of provider %s: %s",
             n->info->fabric_attr->prov_name, strerror(errno));
    return false;
}

static bool open_queue(struct fsh_network *n, char *why, size_t whylen)
{
    struct fi_cq_attr attr = {.format = FI_CQ_FORMAT_DATA,
                              .wait_obj = FI_WAIT_FD};
    int fd = -1;

    if (fi_cq_open(n->domain, &attr, &n->cq, NULL) == 0) {
        if (fi_control(&n->cq->fid, FI_GETWAIT, &fd) != 0)
            return true; /* it has none; sleeps are short then */
        return watch(n, fd, why, whylen);
    }
    attr.wait_obj = FI_WAIT_NONE;
    return check(n, fi_cq_open(n->domain, &attr, &n->cq, NULL),
                 "completion queue", why, whylen);
}

static bool open_all(struct fsh_network *n, size_t peers, char *why,
                     size_t whylen)
{
    struct fi_av_attr av = {.type = FI_AV_TABLE, .count = peers};

    return check(n, n->library->fabric(n->info->fabric_attr, &n->fabric, NULL),
                 "fabric", why, whylen) &&
           check(n, fi_domain(n->fabric, n->info, &n->domain, NULL), "domain",
                 why, whylen) &&
           open_queue(n, why, whylen) &&
           check(n, fi_av_open(n->domain, &av, &n->av, NULL), "address vector",
                 why, whylen) &&
           check(n, fi_endpoint(n->domain, n->info, &n->ep, NULL), "endpoint",
                 why, whylen) &&
           check(n, fi_ep_bind(n->ep, &n->cq->fid, FI_TRANSMIT | FI_RECV),
                 "completion queue of the endpoint", why, whylen) &&
           check(n, fi_ep_bind(n->ep, &n->av->fid, 0),
                 "address vector of the endpoint", why, whylen) &&
           check(n, fi_enable(n->ep), "enabling the endpoint", why, whylen);
}

static bool open_one(struct fsh_network *n, size_t peers, bool any, char *why,
                     size_t whylen)
{
    *n = (struct fsh_network){.fd = -1};
    if (fsh_network_modelled() != NULL)
        return fsh_network_model_open(n, why, whylen);
    if (fsh_simulated() != NULL) {
        snprintf(why, whylen,
                 "a provider's network runs in real time, this job's hosts in "
                 "simulated time: use FSHMEM_CLOCK=free");
        return false;
    }
    n->library = fsh_network_library(why, whylen);
    if (n->library == NULL)
        return false;
    n->info = fsh_network_provider(n->library, any, why, whylen);
    if (n->info == NULL)
        return false;
    n->rma = (n->info->caps & FI_RMA) != 0;
    n->local_mr = n->info->domain_attr->mr_mode & FI_MR_LOCAL;
    n->piece = n->info->ep_attr->max_msg_size & ~(size_t)4095;
    if (open_all(n, peers, why, whylen))
        return true;
    fsh_network_close(n);
    return false;
}

bool fsh_network_open(struct fsh_network *n, size_t peers, char *why,
                      size_t whylen)
{
    return open_one(n, peers, false, why, whylen);
}

bool fsh_network_open_any(struct fsh_network *n, size_t peers, char *why,
                          size_t whylen)
{
    return open_one(n, peers, true, why, whylen);
}

static void close_fid(struct fid *fid)
{
    if (fid != NULL)
        fi_close(fid);
}

void fsh_network_close(struct fsh_network *n)
{
    close_fid(n->ep != NULL ? &n->ep->fid : NULL);
    close_fid(n->av != NULL ? &n->av->fid : NULL);
    if (n->fd >= 0)
        close(n->fd);
    close_fid(n->cq != NULL ? &n->cq->fid : NULL);
    close_fid(n->domain != NULL ? &n->domain->fid : NULL);
    close_fid(n->fabric != NULL ? &n->fabric->fid : NULL);
    if (n->info != NULL)
        n->library->freeinfo(n->info);
    *n = (struct fsh_network){.fd = -1};
}

bool fsh_network_name(const struct fsh_network *n,
                      struct fsh_network_name *name, char *why, size_t whylen)
{
    size_t bytes = sizeof name->address;

    memset(name, 0, sizeof *name);
    if (!check(n, fi_getname(&n->ep->fid, name->address, &bytes),
               "address of the endpoint", why, whylen))
        return false;
    name->bytes = (uint32_t)bytes;
    return true;
}

int fsh_network_register(const struct fsh_network *n, void *addr, size_t bytes,
                         uint64_t remote, struct fsh_network_memory *memory)
{
    const uint64_t access = remote | FI_SEND | FI_RECV | FI_READ | FI_WRITE;
    int mode = n->info->domain_attr->mr_mode;
    size_t key_bytes = n->info->domain_attr->mr_key_size;
    struct fid_mr *mr;
    uint64_t key;
    int rc;

    if (getrandom(&key, sizeof key, 0) != (ssize_t)sizeof key)
        return -FI_EOTHER;
    if (key_bytes < sizeof key)
        key &= (UINT64_C(1) << 8 * key_bytes) - 1;
    rc = fi_mr_reg(n->domain, addr, bytes, access, 0, key, 0, &mr, NULL);
    if (rc != 0)
        return rc;
    if (mode & FI_MR_ENDPOINT) {
        rc = fi_mr_bind(mr, &n->ep->fid, 0);
        if (rc == 0)
            rc = fi_mr_enable(mr);
        if (rc != 0) {
            fi_close(&mr->fid);
            return rc;
        }
    }
    *memory = (struct fsh_network_memory){
        mr, fi_mr_key(mr),
        mode & FI_MR_VIRT_ADDR ? (uint64_t)(uintptr_t)addr : 0};
    return 0;
}

/* ---- sleep ---- */

bool fsh_network_may_nap(const struct fsh_network *n)
{
    struct fid *fid = &n->cq->fid;

    return n->fd < 0 || fi_trywait(n->fabric, &fid, 1) == 0;
}

uint64_t fsh_network_due(const struct fsh_network *n)
{
    return n->modelled ? fsh_network_model_due(n) : UINT64_MAX;
}

bool fsh_network_nap(const struct fsh_network *n, int bell, uint64_t ns,
                     bool *rung)
{
    const uint64_t most = n->fd < 0 && ns > BLIND_NS ? BLIND_NS : ns;
    const struct timespec t = {(time_t)(most / 1000000000u),
                               (long)(most % 1000000000u)};
    /* ppoll passes over negative descriptors. */
    struct pollfd p[] = {{n->fd, POLLIN, 0}, {bell, POLLIN, 0}};
    struct epoll_event news;

    if (n->modelled)
        return fsh_network_model_nap(n, ns);
    if (ppoll(p, 2, &t, NULL) <= 0)
        return false;
    if (p[1].revents != 0)
        *rung = true;
    /* Told once of what is new. */
    return p[0].revents != 0 && epoll_wait(n->fd, &news, 1, 0) > 0;
}

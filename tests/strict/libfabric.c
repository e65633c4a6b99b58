/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A libfabric that asks for what hardware asks for and providers over sockets do not:
 * local memory that is registered (FI_MR_LOCAL), remote addresses that are virtual
 * (FI_MR_VIRT_ADDR), keys chosen by the provider (FI_MR_PROV_KEY), and, with
 * STRICT_ENDPOINT=1, memory that is bound to an endpoint (FI_MR_ENDPOINT). It stands
 * before the real library in LD_LIBRARY_PATH and hands everything on; an operation on
 * memory whose registration does not allow it ends the process with the reason. With
 * STRICT_RMA=0 no provider has remote memory access.
 * Only calls that the library under test makes are checked.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_rma.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A registration. In a list, which the test's few may be. */
struct region {
    struct region *next;
    struct fid_mr *mr;
    const unsigned char *at;
    size_t bytes;
    uint64_t access;
    bool enabled;
    struct fid *endpoint;       /* or NULL */
    void *desc;                 /* the provider's */
    const struct fi_ops *below; /* the provider's */
    struct fi_ops ops;
};

/* Tables of the provider, and ours in their place. All objects of a kind have one. */
static struct {
    pthread_mutex_t lock;
    struct region *regions;
    struct fi_ops_fabric *fabric, strict_fabric;
    struct fi_ops_domain *domain, strict_domain;
    struct fi_ops_mr *mr, strict_mr;
    struct fi_ops_msg *msg, strict_msg;
    struct fi_ops_rma *rma, strict_rma;
} strict = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Noreturn void refuse(const char *call, const char *why)
{
    fprintf(stderr, "strict libfabric: %s: %s\n", call, why);
    abort();
}

static bool binds_to_endpoints(void)
{
    const char *set = getenv("STRICT_ENDPOINT");

    return set != NULL && strcmp(set, "1") == 0;
}

static bool hides_rma(void)
{
    const char *set = getenv("STRICT_RMA");

    return set != NULL && strcmp(set, "0") == 0;
}

/* ---- the real library ---- */

static void *real(const char *name)
{
    static void *handle;
    void *function;

    if (handle == NULL)
        handle = dlopen(STRICT_REAL, RTLD_NOW | RTLD_LOCAL);
    function = handle != NULL ? dlsym(handle, name) : NULL;
    if (function == NULL)
        refuse(name, "not in " STRICT_REAL);
    return function;
}

#define REAL(name) ((__typeof__(&name))real(#name))

void fi_freeinfo(struct fi_info *info)
{
    REAL(fi_freeinfo)(info);
}

struct fi_info *fi_dupinfo(const struct fi_info *info)
{
    return REAL(fi_dupinfo)(info);
}

const char *fi_strerror(int code)
{
    return REAL(fi_strerror)(code);
}

uint32_t fi_version(void)
{
    return REAL(fi_version)();
}

int fi_getinfo(uint32_t version, const char *node, const char *service,
               uint64_t flags, const struct fi_info *hints,
               struct fi_info **info)
{
    int modes = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_PROV_KEY |
                FI_MR_ALLOCATED | (binds_to_endpoints() ? FI_MR_ENDPOINT : 0);
    int rc;

    if (hides_rma() && hints != NULL && (hints->caps & FI_RMA))
        return -FI_ENODATA;
    rc = REAL(fi_getinfo)(version, node, service, flags, hints, info);
    if (rc != 0)
        return rc;
    for (struct fi_info *i = *info; hides_rma() && i != NULL; i = i->next)
        i->caps &= ~(uint64_t)FI_RMA;
    if (hints == NULL)
        return 0;
    if ((hints->domain_attr->mr_mode & modes) != modes) {
        REAL(fi_freeinfo)(*info);
        *info = NULL;
        return -FI_ENODATA;
    }
    for (struct fi_info *i = *info; i != NULL; i = i->next)
        i->domain_attr->mr_mode |= modes;
    return 0;
}

/* ---- registrations ---- */

static struct region *find(const void *mr)
{
    struct region *r = strict.regions;

    while (r != NULL && (const void *)r->mr != mr)
        r = r->next;
    return r;
}

static int close_region(struct fid *fid)
{
    struct region **at = &strict.regions, *r;
    int rc;

    pthread_mutex_lock(&strict.lock);
    while (*at != NULL && &(*at)->mr->fid != fid)
        at = &(*at)->next;
    r = *at;
    if (r == NULL)
        refuse("fi_close", "memory that is not registered");
    if (!r->enabled)
        refuse("fi_close", "memory that was never enabled");
    *at = r->next;
    pthread_mutex_unlock(&strict.lock);
    fid->ops = (struct fi_ops *)(uintptr_t)r->below;
    rc = fid->ops->close(fid);
    free(r);
    return rc;
}

static int bind_region(struct fid *fid, struct fid *to, uint64_t flags)
{
    struct region *r = find(fid);

    if (!binds_to_endpoints() || r->endpoint != NULL || flags != 0 ||
        to->fclass != FI_CLASS_EP)
        refuse("fi_mr_bind", "not to be bound, or not to this");
    r->endpoint = to;
    return 0;
}

static int control_region(struct fid *fid, int command, void *arg)
{
    struct region *r = find(fid);

    if (command != FI_ENABLE)
        return r->below->control(fid, command, arg);
    if (r->endpoint == NULL)
        refuse("fi_mr_enable", "memory that is bound to no endpoint");
    r->enabled = true;
    return 0;
}

static int reg(struct fid *fid, const void *at, size_t bytes, uint64_t access,
               uint64_t offset, uint64_t key, uint64_t flags,
               struct fid_mr **mr, void *context)
{
    struct region *r = calloc(1, sizeof *r);
    int rc =
        strict.mr->reg(fid, at, bytes, access, offset, key, flags, mr, context);

    if (r == NULL)
        refuse("fi_mr_reg", "no memory");
    if (rc != 0) {
        free(r);
        return rc;
    }
    *r = (struct region){.mr = *mr,
                         .at = at,
                         .bytes = bytes,
                         .access = access,
                         .enabled = !binds_to_endpoints(),
                         .desc = (*mr)->mem_desc,
                         .below = (*mr)->fid.ops,
                         .ops = *(*mr)->fid.ops};
    r->ops.close = close_region;
    r->ops.bind = bind_region;
    r->ops.control = control_region;
    (*mr)->fid.ops = &r->ops;
    (*mr)->mem_desc = *mr;
    pthread_mutex_lock(&strict.lock);
    r->next = strict.regions;
    strict.regions = r;
    pthread_mutex_unlock(&strict.lock);
    return 0;
}

/* ---- operations ---- */

/* The provider's descriptor, if memory may be used so. */
static void *check(const struct fid_ep *ep, const char *call, const void *at,
                   size_t bytes, const void *desc, uint64_t access)
{
    const struct region *r;
    void *below;
    size_t off;

    pthread_mutex_lock(&strict.lock);
    r = find(desc);
    if (desc == NULL || r == NULL)
        refuse(call, "memory that is not registered");
    off = (size_t)((const unsigned char *)at - r->at);
    if (off > r->bytes || bytes > r->bytes - off)
        refuse(call, "memory beyond its registration");
    if (!r->enabled || (r->endpoint != NULL && r->endpoint != &ep->fid))
        refuse(call, "memory of no endpoint, or of another one");
    if ((r->access & access) != access)
        refuse(call, "memory that is not registered for this");
    below = r->desc;
    pthread_mutex_unlock(&strict.lock);
    return below;
}

/* Of one vector, which is all that the library under test has. */
static void *check_one(const struct fid_ep *ep, const char *call,
                       const struct iovec *iov, size_t count, void **desc,
                       uint64_t access)
{
    if (count != 1)
        refuse(call, "more than one vector");
    return check(ep, call, iov->iov_base, iov->iov_len,
                 desc != NULL ? *desc : NULL, access);
}

static ssize_t send_(struct fid_ep *ep, const void *buf, size_t len, void *desc,
                     fi_addr_t to, void *context)
{
    void *below = check(ep, "fi_send", buf, len, desc, FI_SEND);

    return strict.msg->send(ep, buf, len, below, to, context);
}

static ssize_t recv_(struct fid_ep *ep, void *buf, size_t len, void *desc,
                     fi_addr_t from, void *context)
{
    void *below = check(ep, "fi_recv", buf, len, desc, FI_RECV);

    return strict.msg->recv(ep, buf, len, below, from, context);
}

static ssize_t recvmsg_(struct fid_ep *ep, const struct fi_msg *msg,
                        uint64_t flags)
{
    struct fi_msg below = *msg;
    void *desc = check_one(ep, "fi_recvmsg", msg->msg_iov, msg->iov_count,
                           msg->desc, FI_RECV);

    below.desc = &desc;
    return strict.msg->recvmsg(ep, &below, flags);
}

static ssize_t readmsg(struct fid_ep *ep, const struct fi_msg_rma *msg,
                       uint64_t flags)
{
    struct fi_msg_rma below = *msg;
    void *desc;

    if (hides_rma())
        refuse("fi_readmsg", "there is no remote memory access");
    desc = check_one(ep, "fi_readmsg", msg->msg_iov, msg->iov_count, msg->desc,
                     FI_READ);

    below.desc = &desc;
    return strict.rma->readmsg(ep, &below, flags);
}

static ssize_t writemsg(struct fid_ep *ep, const struct fi_msg_rma *msg,
                        uint64_t flags)
{
    struct fi_msg_rma below = *msg;
    void *desc;

    if (hides_rma())
        refuse("fi_writemsg", "there is no remote memory access");
    desc = check_one(ep, "fi_writemsg", msg->msg_iov, msg->iov_count, msg->desc,
                     FI_WRITE);

    below.desc = &desc;
    return strict.rma->writemsg(ep, &below, flags);
}

/* ---- objects ---- */

static int endpoint(struct fid_domain *domain, struct fi_info *info,
                    struct fid_ep **ep, void *context)
{
    int rc = strict.domain->endpoint(domain, info, ep, context);

    /* Providers open endpoints of other kinds below ours. */
    if (rc != 0 || info->ep_attr->type != FI_EP_RDM)
        return rc;
    pthread_mutex_lock(&strict.lock);
    if (strict.msg == NULL) {
        strict.msg = (*ep)->msg;
        strict.strict_msg = *strict.msg;
        strict.strict_msg.send = send_;
        strict.strict_msg.recv = recv_;
        strict.strict_msg.recvmsg = recvmsg_;
        strict.rma = (*ep)->rma;
        strict.strict_rma = *strict.rma;
        strict.strict_rma.readmsg = readmsg;
        strict.strict_rma.writemsg = writemsg;
    }
    pthread_mutex_unlock(&strict.lock);
    (*ep)->msg = &strict.strict_msg;
    (*ep)->rma = &strict.strict_rma;
    return 0;
}

static int domain(struct fid_fabric *fabric, struct fi_info *info,
                  struct fid_domain **d, void *context)
{
    int rc = strict.fabric->domain(fabric, info, d, context);

    if (rc != 0)
        return rc;
    pthread_mutex_lock(&strict.lock);
    if (strict.domain == NULL) {
        strict.domain = (*d)->ops;
        strict.strict_domain = *strict.domain;
        strict.strict_domain.endpoint = endpoint;
        strict.mr = (*d)->mr;
        strict.strict_mr = *strict.mr;
        strict.strict_mr.reg = reg;
    }
    pthread_mutex_unlock(&strict.lock);
    (*d)->ops = &strict.strict_domain;
    (*d)->mr = &strict.strict_mr;
    return 0;
}

int fi_fabric(struct fi_fabric_attr *attr, struct fid_fabric **fabric,
              void *context)
{
    int rc = REAL(fi_fabric)(attr, fabric, context);

    if (rc != 0)
        return rc;
    pthread_mutex_lock(&strict.lock);
    if (strict.fabric == NULL) {
        strict.fabric = (*fabric)->ops;
        strict.strict_fabric = *strict.fabric;
        strict.strict_fabric.domain = domain;
    }
    pthread_mutex_unlock(&strict.lock);
    (*fabric)->ops = &strict.strict_fabric;
    return 0;
}

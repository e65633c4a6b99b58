/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The modelled network; see model.h. An operation becomes an event of the host that hears
 * of its end: a copy, if there is one, and a completion, both when their time has come
 * and that host looks. Times follow from when a host begins to send (`free_ns`) alone, so
 * a late look delays nothing but what that host does next.
 */
#include "network/model.h"

#include <rdma/fi_cm.h>
#include <rdma/fi_rma.h>
#include <stdio.h>
#include <string.h>

#include "base/simulated.h"
#include "network/endpoint.h"

#define HOSTS 4u
#define ENDPOINTS 128u
#define REGIONS 128u
#define EVENTS 1024u
#define RECEIVES 256u
#define PAGE 4096u

struct host;

struct region {
    struct fid_mr mr; /* first */
    bool used;
    struct host *host;
    unsigned char *at;
    size_t bytes;
};

struct receive {
    void *buffer, *context;
    size_t bytes;
};

struct endpoint {
    struct fid_ep ep; /* first */
    bool used;
    struct host *host;
    struct receive receive[RECEIVES]; /* a ring */
    unsigned first, count;
};

struct event {
    bool used;
    uint64_t at, number; /* ns; of two at once the one posted first is first */
    struct endpoint *owner; /* whose end ends it */
    struct endpoint *to;    /* a message for this one, or NULL */
    void *context;
    void *target; /* of a copy, or NULL */
    const void *source;
    size_t bytes;
    unsigned char message[256];
};

struct host {
    struct fid_fabric fabric;
    struct fid_domain domain;
    struct fid_av av;
    struct fid_cq cq;
    bool used;
    const struct fsh_network_model *model; /* in use when it was opened */
    uint64_t free_ns; /* what it sends next leaves no earlier */
    struct event event[EVENTS];
};

static struct {
    const struct fsh_network_model *use;
    struct host host[HOSTS];
    struct endpoint endpoint[ENDPOINTS];
    struct region region[REGIONS];
    uint64_t numbers;
} model;

#define HOST_OF(fid_at, part) \
    ((struct host *)((char *)(fid_at)-offsetof(struct host, part)))

static uint64_t now(void)
{
    return fsh_simulated()->look();
}

/* ---- time ---- */

/* So many bytes leave a host from `ready` on, at the earliest; when the last one is at
 * the other. */
static uint64_t send_bytes(struct host *from, uint64_t ready, size_t bytes,
                           double mb_per_s)
{
    if (ready < from->free_ns)
        ready = from->free_ns;
    from->free_ns = ready + (uint64_t)((double)bytes * 1e3 / mb_per_s + 0.5);
    return from->free_ns + from->model->delay_ns;
}

static struct event *new_event(struct endpoint *owner, struct host *host)
{
    for (unsigned i = 0; i < EVENTS; i++) {
        struct event *e = &host->event[i];

        if (e->used)
            continue;
        *e = (struct event){
            .used = true, .number = model.numbers++, .owner = owner};
        return e;
    }
    return NULL;
}

static struct event *soonest(struct host *host)
{
    struct event *best = NULL;

    for (unsigned i = 0; i < EVENTS; i++) {
        struct event *e = &host->event[i];

        if (e->used && (best == NULL || e->at < best->at ||
                        (e->at == best->at && e->number < best->number)))
            best = e;
    }
    return best;
}

/* ---- completions ---- */

/* Whether it is a completion of this host. */
static bool end_event(struct event *e, struct fi_cq_data_entry *entry)
{
    struct receive *r;

    e->used = false;
    if (e->target != NULL)
        memcpy(e->target, e->source, e->bytes);
    *entry =
        (struct fi_cq_data_entry){.op_context = e->context, .len = e->bytes};
    if (e->to == NULL)
        return true;
    if (!e->to->used || e->to->count == 0)
        return false; /* nobody waits for it */
    r = &e->to->receive[e->to->first++ % RECEIVES];
    e->to->count--;
    memcpy(r->buffer, e->message, e->bytes < r->bytes ? e->bytes : r->bytes);
    entry->op_context = r->context;
    return true;
}

static ssize_t cq_read(struct fid_cq *cq, void *buf, size_t count)
{
    struct host *host = HOST_OF(cq, cq);
    struct fi_cq_data_entry *entry = buf;
    uint64_t t = now();
    ssize_t n = 0;

    while ((size_t)n < count) {
        struct event *e = soonest(host);

        if (e == NULL || e->at > t)
            break;
        n += end_event(e, &entry[n]);
    }
    return n != 0 ? n : -FI_EAGAIN;
}

static ssize_t cq_readerr(struct fid_cq *cq, struct fi_cq_err_entry *buf,
                          uint64_t flags)
{
    (void)cq;
    (void)buf;
    (void)flags;
    return -FI_EAGAIN; /* there are no errors */
}

/* ---- operations ---- */

static ssize_t ep_recv(struct fid_ep *ep, void *buf, size_t len, void *desc,
                       fi_addr_t from, void *context)
{
    struct endpoint *here = (struct endpoint *)ep;

    (void)desc;
    (void)from;
    if (here->count == RECEIVES)
        return -FI_EAGAIN;
    here->receive[(here->first + here->count++) % RECEIVES] =
        (struct receive){buf, context, len};
    return 0;
}

static ssize_t ep_send(struct fid_ep *ep, const void *buf, size_t len,
                       void *desc, fi_addr_t to, void *context)
{
    struct endpoint *here = (struct endpoint *)ep, *there;
    struct event *out, *in;

    (void)desc;
    fsh_simulated()->spend(here->host->model->post_ns);
    if (to >= ENDPOINTS || !model.endpoint[to].used || len > sizeof in->message)
        return -FI_EINVAL;
    there = &model.endpoint[to];
    out = new_event(here, here->host);
    in = out != NULL ? new_event(there, there->host) : NULL;
    if (in == NULL) {
        if (out != NULL)
            out->used = false;
        return -FI_EAGAIN;
    }
    in->at =
        send_bytes(here->host, now(), len, here->host->model->write_mb_per_s);
    in->to = there;
    in->bytes = len;
    memcpy(in->message, buf, len);
    out->at = here->host->free_ns;
    out->context = context;
    out->bytes = len;
    return 0;
}

/* The region of an address and a key at that peer; NULL: there is none. */
static struct region *reach(fi_addr_t peer, const struct fi_rma_iov *there)
{
    struct region *r;

    if (peer >= ENDPOINTS || !model.endpoint[peer].used ||
        there->key >= REGIONS)
        return NULL;
    r = &model.region[there->key];
    return r->used && r->host == model.endpoint[peer].host &&
                   there->addr <= r->bytes &&
                   there->len <= r->bytes - there->addr
               ? r
               : NULL;
}

static struct event *begin_rma(struct fid_ep *ep, const struct fi_msg_rma *msg,
                               struct region **there)
{
    struct endpoint *here = (struct endpoint *)ep;
    struct event *e;

    fsh_simulated()->spend(here->host->model->post_ns);
    *there = reach(msg->addr, msg->rma_iov);
    e = *there != NULL ? new_event(here, here->host) : NULL;
    if (e == NULL)
        return NULL;
    e->context = msg->context;
    e->bytes = msg->rma_iov->len;
    return e;
}

static ssize_t ep_readmsg(struct fid_ep *ep, const struct fi_msg_rma *msg,
                          uint64_t flags)
{
    struct region *there;
    struct event *e = begin_rma(ep, msg, &there);

    (void)flags;
    if (e == NULL)
        return there != NULL ? -FI_EAGAIN : -FI_EINVAL;
    e->target = msg->msg_iov->iov_base;
    e->source = there->at + msg->rma_iov->addr;
    e->at = send_bytes(there->host, now() + there->host->model->delay_ns,
                       e->bytes, there->host->model->read_mb_per_s);
    return 0;
}

/* Delivery: its acknowledgement comes back. */
static ssize_t ep_writemsg(struct fid_ep *ep, const struct fi_msg_rma *msg,
                           uint64_t flags)
{
    struct endpoint *here = (struct endpoint *)ep;
    struct region *there;
    struct event *e = begin_rma(ep, msg, &there);

    (void)flags;
    if (e == NULL)
        return there != NULL ? -FI_EAGAIN : -FI_EINVAL;
    e->target = there->at + msg->rma_iov->addr;
    e->source = msg->msg_iov->iov_base;
    e->at = send_bytes(here->host, now(), e->bytes,
                       here->host->model->write_mb_per_s) +
            here->host->model->delay_ns;
    return 0;
}

/* ---- objects ---- */

static int nothing(struct fid *fid)
{
    (void)fid;
    return 0;
}

static int bind_any(struct fid *fid, struct fid *other, uint64_t flags)
{
    (void)fid;
    (void)other;
    (void)flags;
    return 0;
}

static int control_any(struct fid *fid, int command, void *arg)
{
    (void)fid;
    (void)arg;
    return command == FI_ENABLE ? 0 : -FI_ENOSYS;
}

static struct fi_ops plain = {.size = sizeof plain,
                              .close = nothing,
                              .bind = bind_any,
                              .control = control_any};

static int close_host(struct fid *fid)
{
    HOST_OF(fid, fabric)->used = false;
    return 0;
}

/* What it has in flight ends with it. */
static int ep_close(struct fid *fid)
{
    struct endpoint *gone = (struct endpoint *)fid;

    for (unsigned h = 0; h < HOSTS; h++)
        for (unsigned i = 0; i < EVENTS; i++) {
            struct event *e = &model.host[h].event[i];

            if (e->used && e->owner == gone)
                e->used = false;
        }
    gone->used = false;
    return 0;
}

static int ep_getname(fid_t fid, void *addr, size_t *addrlen)
{
    uint64_t name = (uint64_t)((struct endpoint *)fid - model.endpoint);

    *addrlen = sizeof name;
    memcpy(addr, &name, sizeof name);
    return 0;
}

static int open_endpoint(struct fid_domain *domain, struct fi_info *info,
                         struct fid_ep **ep, void *context)
{
    static struct fi_ops ops = {.size = sizeof ops,
                                .close = ep_close,
                                .bind = bind_any,
                                .control = control_any};
    static struct fi_ops_msg msg = {
        .size = sizeof msg, .recv = ep_recv, .send = ep_send};
    static struct fi_ops_rma rma = {
        .size = sizeof rma, .readmsg = ep_readmsg, .writemsg = ep_writemsg};
    static struct fi_ops_cm cm = {.size = sizeof cm, .getname = ep_getname};

    (void)info;
    (void)context;
    for (unsigned i = 0; i < ENDPOINTS; i++) {
        struct endpoint *e = &model.endpoint[i];

        if (e->used)
            continue;
        *e = (struct endpoint){
            .ep = {.fid = {.fclass = FI_CLASS_EP, .ops = &ops},
                   .cm = &cm,
                   .msg = &msg,
                   .rma = &rma},
            .used = true,
            .host = HOST_OF(domain, domain)};
        *ep = &e->ep;
        return 0;
    }
    return -FI_ENOMEM;
}

static int av_insert(struct fid_av *av, const void *addr, size_t count,
                     fi_addr_t *fi_addr, uint64_t flags, void *context)
{
    (void)av;
    (void)flags;
    (void)context;
    memcpy(fi_addr, addr, count * sizeof *fi_addr);
    return (int)count;
}

static int av_remove(struct fid_av *av, fi_addr_t *fi_addr, size_t count,
                     uint64_t flags)
{
    (void)av;
    (void)fi_addr;
    (void)count;
    (void)flags;
    return 0;
}

static int mr_close(struct fid *fid)
{
    ((struct region *)fid)->used = false;
    return 0;
}

static int mr_reg(struct fid *fid, const void *buf, size_t len, uint64_t access,
                  uint64_t offset, uint64_t key, uint64_t flags,
                  struct fid_mr **mr, void *context)
{
    static struct fi_ops ops = {.size = sizeof ops,
                                .close = mr_close,
                                .bind = bind_any,
                                .control = control_any};
    double pages = (double)((len + PAGE - 1) / PAGE);
    struct host *host = HOST_OF(fid, domain);

    (void)access;
    (void)offset;
    (void)key;
    (void)flags;
    (void)context;
    fsh_simulated()->spend(host->model->register_ns +
                           (uint64_t)(pages * host->model->register_page_ns));
    for (unsigned i = 0; i < REGIONS; i++) {
        struct region *r = &model.region[i];

        if (r->used)
            continue;
        *r = (struct region){
            .mr = {.fid = {.fclass = FI_CLASS_MR, .ops = &ops}, .key = i},
            .used = true,
            .host = host,
            .at = (unsigned char *)(uintptr_t)buf,
            .bytes = len};
        *mr = &r->mr;
        return 0;
    }
    return -FI_ENOMEM;
}

/* ---- for endpoint.c ---- */

bool fsh_network_model_use(const struct fsh_network_model *use)
{
    if (use != NULL && fsh_simulated() == NULL)
        return false;
    model.use = use;
    return true;
}

const struct fsh_network_model *fsh_network_modelled(void)
{
    return model.use;
}

static void keep_info(struct fi_info *info)
{
    (void)info; /* it is static */
}

static const char *say_error(int code)
{
    (void)code;
    return "the modelled network has no room for it";
}

static void open_host(struct host *host)
{
    static struct fi_ops fabric = {.size = sizeof fabric, .close = close_host};
    static struct fi_ops_cq cq = {
        .size = sizeof cq, .read = cq_read, .readerr = cq_readerr};
    static struct fi_ops_av av = {
        .size = sizeof av, .insert = av_insert, .remove = av_remove};
    static struct fi_ops_domain domain = {.size = sizeof domain,
                                          .endpoint = open_endpoint};
    static struct fi_ops_mr mr = {.size = sizeof mr, .reg = mr_reg};

    memset(host, 0, sizeof *host);
    host->used = true;
    host->model = model.use;
    host->fabric.fid.ops = &fabric;
    host->domain =
        (struct fid_domain){.fid = {.ops = &plain}, .ops = &domain, .mr = &mr};
    host->av = (struct fid_av){.fid = {.ops = &plain}, .ops = &av};
    host->cq = (struct fid_cq){.fid = {.ops = &plain}, .ops = &cq};
}

bool fsh_network_model_open(struct fsh_network *n, char *why, size_t whylen)
{
    static const struct fsh_network_library library = {.freeinfo = keep_info,
                                                       .strerror = say_error};
    static char name[] = "model";
    static struct fi_fabric_attr fabric = {.prov_name = name};
    static struct fi_domain_attr domain = {.mr_key_size = 8};
    static struct fi_ep_attr endpoint = {.max_msg_size = (size_t)1 << 40};
    static struct fi_info info = {
        .fabric_attr = &fabric, .domain_attr = &domain, .ep_attr = &endpoint};
    struct host *host = model.host;

    while (host < model.host + HOSTS && host->used)
        host++;
    if (host == model.host + HOSTS) {
        snprintf(why, whylen, "the modelled network has %u hosts at most",
                 HOSTS);
        return false;
    }
    open_host(host);
    *n = (struct fsh_network){.library = &library,
                              .info = &info,
                              .fabric = &host->fabric,
                              .domain = &host->domain,
                              .av = &host->av,
                              .cq = &host->cq,
                              .fd = -1,
                              .piece = endpoint.max_msg_size,
                              .rma = true,
                              .modelled = true};
    return open_endpoint(n->domain, &info, &n->ep, NULL) == 0;
}

uint64_t fsh_network_model_due(const struct fsh_network *n)
{
    const struct event *e = soonest(HOST_OF(n->cq, cq));
    uint64_t t = now();

    if (e == NULL)
        return UINT64_MAX;
    return e->at > t ? e->at - t : 0;
}

bool fsh_network_model_nap(const struct fsh_network *n, uint64_t ns)
{
    uint64_t due = fsh_network_model_due(n);
    uint64_t look = HOST_OF(n->cq, cq)->model->look_ns;

    if (due == 0)
        return true;
    ns = ns < due ? ns : due;
    fsh_simulated()->spend(ns < look ? ns : look);
    return fsh_network_model_due(n) == 0;
}

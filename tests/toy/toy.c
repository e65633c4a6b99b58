/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conduit toy: as little as a conduit can be, messages over sockets and no block
 * of conduit.h. The conform programs pass on it, so nothing above the table needs
 * what smp and fpga have besides; and it is what to read first, or to copy, when
 * a conduit is added. Not installed.
 *
 * From each rank to each, itself too, there is a socket; over it go packets, a
 * head and bytes. What finds no room in it is queued in memory, so nobody
 * waits to send but am_request, and every poll reads what has come: requests and
 * replies cannot block each other. Puts and gets are done by a poll of their
 * target. Any thread: one lock is around all, but not held while handlers run.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log.h"
#include "base/wait.h"
#include "base/words.h"
#include "boot/boot.h"
#include "conduit/conduit.h"

#define MAX_RANKS 64
#define MAX_PAYLOAD 512u /* of messages: the least that GASNet allows */
#define PIECE 4096u      /* of a put or get */
#define READS 64         /* packets from a rank in one poll */
/* Names that the kernel chooses, unix(7): zero and five digits. */
#define NAME_BYTES (sizeof(sa_family_t) + 6)

enum kind { REQUEST, REPLY, PUT, PUT_DONE, GET, GET_DATA };

/* Each address is one of the process that uses it. */
struct head {
    uint8_t kind, handler, category, nargs;
    uint16_t from;
    uint16_t nbytes; /* behind the head; of GET: of its answer */
    void *at;        /* Long, PUT, GET_DATA: where the bytes belong; GET: are */
    void *to;        /* GET: `at` of its answer */
    struct fsh_event *event; /* PUT, GET: of its answer */
    int32_t args[16];
};

struct packet {
    struct packet *next;
    _Alignas(16) struct head head; /* from here on it is sent, */
    unsigned char data[PIECE];     /* with as many as there are */
};
_Static_assert(sizeof(struct head) % 16 == 0, "payloads are aligned");

struct queue {
    struct packet *first, **last;
};

static struct {
    pthread_mutex_t lock; /* around all that init does not settle */
    uint32_t rank, ranks;
    int to[MAX_RANKS];           /* sockets, by rank */
    int from[MAX_RANKS];         /* in any order; -1: it has left */
    struct queue out[MAX_RANKS]; /* to be sent */
    struct queue in;             /* messages to be run */
} toy = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- packets: with the lock ---- */

static size_t sent_bytes(const struct head *h)
{
    return sizeof *h + (h->kind == GET ? 0 : h->nbytes);
}

static void push(struct queue *queue, const struct head *head, const void *data)
{
    size_t bytes = sent_bytes(head);
    struct packet *p = malloc(offsetof(struct packet, head) + bytes);

    if (p == NULL)
        fsh_fatal("conduit toy: no memory for %zu bytes on their way", bytes);
    p->next = NULL;
    p->head = *head;
    if (bytes != sizeof *head)
        memcpy(p->data, data, bytes - sizeof *head);
    if (queue->first == NULL)
        queue->last = &queue->first;
    *queue->last = p;
    queue->last = &p->next;
}

/* The caller frees it. */
static struct packet *take(struct queue *queue)
{
    struct packet *p = queue->first;

    if (p != NULL)
        queue->first = p->next;
    return p;
}

static void flush(uint32_t node)
{
    struct queue *out = &toy.out[node];

    while (out->first != NULL &&
           send(toy.to[node], &out->first->head, sent_bytes(&out->first->head),
                MSG_DONTWAIT | MSG_NOSIGNAL) >= 0)
        free(take(out));
}

static void post(uint32_t node, const struct head *head, const void *data)
{
    push(&toy.out[node], head, data);
    flush(node);
}

static void arrive(const struct head *h, const void *data)
{
    struct head answer = {
        .from = (uint16_t)toy.rank, .at = h->to, .event = h->event};

    switch (h->kind) {
    case REQUEST:
    case REPLY:
        push(&toy.in, h, data);
        return;
    case PUT:
        fsh_copy_words(h->at, data, h->nbytes);
        answer.kind = PUT_DONE;
        post(h->from, &answer, NULL);
        return;
    case GET:
        answer.kind = GET_DATA;
        answer.nbytes = h->nbytes;
        post(h->from, &answer, h->at);
        return;
    case GET_DATA:
        fsh_copy_words(h->at, data, h->nbytes);
    }
    /* After the data; partner: whoever waits for 0. */
    atomic_fetch_sub_explicit(&h->event->pending, 1, memory_order_release);
}

/* One packet, if there is one. */
static bool receive(int *fd)
{
    static struct packet p;
    ssize_t n = recv(*fd, &p.head, sizeof p.head + sizeof p.data, MSG_DONTWAIT);

    if (n > 0) {
        arrive(&p.head, p.data);
    } else if (n == 0) { /* it has left; if it should not have, others know */
        close(*fd);
        *fd = -1;
    }
    return n > 0;
}

/* ---- coming and going ---- */

static bool usable(char *why, size_t whylen)
{
    (void)why;
    (void)whylen;
    return true;
}

static int check(int result, const char *what)
{
    if (result < 0)
        fsh_fatal("conduit toy: %s: %s", what, strerror(errno));
    return result;
}

/* With room for few packets, so that queues are used. */
static int open_socket(void)
{
    const int room = 2 * PIECE;
    int fd = check(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), "socket");

    check(setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof room), "room");
    return fd;
}

/* Strangers are sent away: -1. */
static int answer_call(int door)
{
    int fd = check(accept4(door, NULL, NULL, SOCK_CLOEXEC), "accept");
    struct ucred who = {0};
    socklen_t length = sizeof who;

    check(getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &length), "who calls");
    if (who.uid == getuid())
        return fd;
    close(fd);
    return -1;
}

static void connect_all(void)
{
    static struct sockaddr_un name[MAX_RANKS];
    struct sockaddr_un mine = {.sun_family = AF_UNIX};
    struct sockaddr *addr = (struct sockaddr *)&mine;
    socklen_t length = sizeof mine;
    int door = open_socket();

    check(bind(door, addr, sizeof mine.sun_family), "bind");
    check(listen(door, MAX_RANKS), "listen");
    check(getsockname(door, addr, &length), "getsockname");
    fsh_boot_exchange(&mine, sizeof mine, name);
    for (uint32_t r = 0; r < toy.ranks; r++) {
        addr = (struct sockaddr *)&name[r];
        toy.to[r] = open_socket();
        check(connect(toy.to[r], addr, NAME_BYTES), "connect");
    }
    for (uint32_t r = 0; r < toy.ranks; r++)
        while ((toy.from[r] = answer_call(door)) < 0)
            continue;
    close(door);
}

static void init(enum fsh_threads threads, struct fsh_limits *limits)
{
    size_t most = fsh_boot_page()->segment_max;

    (void)threads; /* the lock serves all modes */
    toy.rank = fsh_boot_rank();
    toy.ranks = fsh_boot_size();
    connect_all();
    *limits =
        (struct fsh_limits){MAX_PAYLOAD, MAX_PAYLOAD, MAX_PAYLOAD, most, most};
}

static void attach(size_t size, struct fsh_segment *segs)
{
    struct fsh_segment mine = {.size = size};

    if (size != 0)
        mine.addr = mmap(NULL, size, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    check(mine.addr == MAP_FAILED ? -1 : 0, "mmap");
    fsh_boot_exchange(&mine, sizeof mine, segs);
}

static void do_nothing(void) {}

/* ---- progress ---- */

static void run(struct packet *p)
{
    const struct head *h = &p->head;
    bool is_long = h->category == FSH_AM_LONG;
    struct fsh_token token = {.source = h->from,
                              .handler = h->handler,
                              .category = h->category,
                              .nargs = h->nargs,
                              .is_request = h->kind == REQUEST,
                              .args = h->args,
                              .buf = is_long ? h->at : p->data,
                              .nbytes = h->nbytes};

    if (is_long && h->nbytes != 0)
        memcpy(h->at, p->data, h->nbytes);
    fsh_am_deliver(&token);
    free(p);
}

static bool poll_all(void)
{
    struct packet *p;
    bool any = false;

    /* Never waits; and who leaves by a signal handler may have it already. */
    if (pthread_mutex_trylock(&toy.lock) != 0)
        return false;
    for (uint32_t r = 0; r < toy.ranks; r++) {
        flush(r);
        for (int i = 0; i < READS && receive(&toy.from[r]); i++)
            any = true;
    }
    while ((p = take(&toy.in)) != NULL) {
        pthread_mutex_unlock(&toy.lock);
        run(p);
        any = true;
        pthread_mutex_lock(&toy.lock);
    }
    pthread_mutex_unlock(&toy.lock);
    return any;
}

static void wait_any(uint64_t max_ns, bool memory)
{
    const struct timespec limit = {(time_t)(max_ns / 1000000000),
                                   (long)(max_ns % 1000000000)};
    struct pollfd p[2 * MAX_RANKS];
    uint32_t n = 0;

    (void)memory; /* puts, too, are packets */
    if (pthread_mutex_trylock(&toy.lock) != 0)
        return;
    for (uint32_t r = 0; r < toy.ranks; r++) {
        p[n++] = (struct pollfd){toy.from[r], POLLIN, 0};
        if (toy.out[r].first != NULL)
            p[n++] = (struct pollfd){toy.to[r], POLLOUT, 0};
    }
    pthread_mutex_unlock(&toy.lock);
    ppoll(p, n, &limit, NULL);
}

static void describe(void (*line)(void *arg, const char *text), void *arg)
{
    line(arg, toy.in.first != NULL ? "toy: messages to run" : "toy: idle");
}

/* ---- active messages ---- */

/* For a try there is room if nothing is queued. */
static bool post_message(enum kind kind, uint32_t node, const struct fsh_am *am,
                         bool is_try)
{
    struct head head = {.kind = (uint8_t)kind,
                        .handler = am->handler,
                        .category = am->category,
                        .nargs = am->nargs,
                        .from = (uint16_t)toy.rank,
                        .nbytes = (uint16_t)am->nbytes,
                        .at = am->dst};
    bool has_room;

    if (am->nargs != 0)
        memcpy(head.args, am->args, am->nargs * sizeof *am->args);
    pthread_mutex_lock(&toy.lock);
    has_room = !is_try || toy.out[node].first == NULL;
    if (has_room)
        post(node, &head, am->src);
    pthread_mutex_unlock(&toy.lock);
    return has_room;
}

static bool am_try_request(const struct fsh_am *am)
{
    return post_message(REQUEST, am->node, am, true);
}

static bool am_try_reply(struct fsh_token *token, const struct fsh_am *am)
{
    return post_message(REPLY, token->source, am, true);
}

/* There are as many as requests are let through. */
static void am_reply(struct fsh_token *token, const struct fsh_am *am)
{
    post_message(REPLY, token->source, am, false);
}

static bool sleep_step(struct fsh_wait *wait, uint64_t ns)
{
    (void)wait;
    wait_any(ns, false);
    return true;
}

static const struct fsh_wait_kind for_room = {.who = "conduit toy: a request",
                                              .to_peer = true,
                                              .nap_us = 50,
                                              .most_us = 1000,
                                              .growth = 1,
                                              .sleep = sleep_step};

/* Polls in any case: who only sends would leave replies in their queue. */
static void am_request(const struct fsh_am *am)
{
    struct fsh_wait wait = {.peer = am->node + 1};

    if (poll_all())
        fsh_am_delivered();
    while (!am_try_request(am)) {
        if (poll_all())
            fsh_am_delivered();
        else
            fsh_wait_pause(&for_room, &wait, "room");
        fsh_am_waits();
    }
    fsh_wait_end(&wait);
}

/* ---- put and get ---- */

static void transfer(struct head head, uint32_t node, char *remote, char *local,
                     size_t n)
{
    head.from = (uint16_t)toy.rank;
    pthread_mutex_lock(&toy.lock);
    for (; n != 0; n -= head.nbytes) {
        head.nbytes = (uint16_t)(n < PIECE ? n : PIECE);
        head.at = remote;
        head.to = local;
        atomic_fetch_add_explicit(&head.event->pending, 1,
                                  memory_order_relaxed);
        post(node, &head, local);
        remote += head.nbytes;
        local += head.nbytes;
    }
    pthread_mutex_unlock(&toy.lock);
}

static void put(uint32_t node, void *dst, const void *src, size_t n,
                struct fsh_event *local, struct fsh_event *remote)
{
    (void)local; /* src is copied */
    transfer((struct head){.kind = PUT, .event = remote}, node, dst,
             (char *)(uintptr_t)src, n);
}

static void get(void *dst, uint32_t node, const void *src, size_t n,
                struct fsh_event *done)
{
    transfer((struct head){.kind = GET, .event = done}, node,
             (char *)(uintptr_t)src, dst, n);
}

/* ---- the table ---- */

static size_t shared_bytes(uint32_t ranks, size_t segment_max)
{
    return 0 * ranks * segment_max;
}

static const struct fsh_job_needs needs = {
    .conduit = "toy",
    .max_ranks = MAX_RANKS,
    .segment_option = "FSHMEM_SEGMENT_MAX",
    .shared_bytes = shared_bytes,
};

static const struct fsh_conduit_ops fsh_conduit_toy = {
    .name = "toy",
    .needs = &needs,
    .usable = usable,
    .init = init,
    .attach = attach,
    .share = do_nothing,
    .fini = do_nothing,
    .am_request = am_request,
    .am_reply = am_reply,
    .am_try_request = am_try_request,
    .am_try_reply = am_try_reply,
    .put = put,
    .get = get,
    .poll = poll_all,
    .wait = wait_any,
    .describe = describe,
};

/* In place of src/conduit/table.c. */
const struct fsh_conduit_ops *const fsh_conduits[] = {&fsh_conduit_toy,
                                                      &fsh_conduit_smp, NULL};

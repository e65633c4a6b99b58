/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conduit toy, the smallest possible conduit: messages over sockets and no optional
 * block of conduit.h. The conform programs pass on it, so the code above the table
 * needs nothing more; copy it to add a conduit. Not installed. With TOY_ENGINE=1 in
 * the environment it has a model of the collective engine (engine.c).
 *
 * A rank has a socket whose name all others know. It carries packets, a header and
 * bytes. Packets that find no room are queued in memory, so only am_request waits to
 * send, and every poll reads what has arrived: requests and replies cannot block
 * each other. A poll of the target executes puts and gets. Any thread: one lock
 * protects everything, but is not held while handlers run.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/log.h"
#include "base/wait.h"
#include "base/words.h"
#include "boot/boot.h"
#include "conduit/conduit.h"
#include "engine.h"

#define MAX_RANKS 64
#define MAX_PAYLOAD 512u /* of messages: the least that GASNet allows */
#define PIECE 4096u      /* of a put or get */
#define READS 1024u      /* packets in one poll */
#define SLEEP_NS 500000u
/* Names that the kernel chooses, unix(7): zero and five digits. */
#define NAME_BYTES (sizeof(sa_family_t) + 6)

enum kind {
    REQUEST,
    REPLY,
    PUT,
    GET,
    DONE, /* with what GET asked for */
    VALUE /* from engine to engine: key and place in args */
};

/* Each address is one of the process that uses it. */
struct head {
    uint8_t kind, handler, category, nargs;
    uint16_t from;
    uint16_t nbytes; /* behind the head; of GET: of its answer */
    void *at;        /* Long, PUT, DONE: where the bytes belong; GET: are */
    void *to;        /* GET: `at` of its answer */
    struct fsh_event *event; /* PUT, GET: of its answer */
    int32_t args[16];
};

struct packet {
    struct packet *next;
    size_t bytes;                  /* of head and data */
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
    int fd;
    struct sockaddr_un name[MAX_RANKS]; /* of each rank's socket */
    struct queue out[MAX_RANKS];        /* to be sent */
    struct queue in;                    /* messages to be run */
    bool engine;                        /* there is one, with */
    struct fsh_engine_memory memory;
} toy = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- packets: with the lock ---- */

static void push(struct queue *queue, const struct head *head, const void *data)
{
    size_t bytes = sizeof *head + (head->kind == GET ? 0 : head->nbytes);
    struct packet *p = malloc(offsetof(struct packet, head) + bytes);

    if (p == NULL)
        fsh_fatal("conduit toy: no memory for %zu bytes on their way", bytes);
    p->next = NULL;
    p->bytes = bytes;
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
    const struct sockaddr *to = (struct sockaddr *)&toy.name[node];

    while (out->first != NULL &&
           sendto(toy.fd, &out->first->head, out->first->bytes, MSG_DONTWAIT,
                  to, NAME_BYTES) >= 0)
        free(take(out));
}

static void post(uint32_t node, const struct head *head, const void *data)
{
    push(&toy.out[node], head, data);
    flush(node);
}

/* ---- the engine: with the lock ---- */

static void engine_sends(uint32_t node, const struct toy_key *key, uint32_t at,
                         const void *data, size_t n)
{
    const struct head head = {.kind = VALUE,
                              .from = (uint16_t)toy.rank,
                              .nbytes = (uint16_t)n,
                              .args = {(int32_t)key->vp, (int32_t)key->job,
                                       (int32_t)key->seq, (int32_t)key->total,
                                       (int32_t)at}};

    post(node, &head, data);
}

static void engine_arrives(const struct head *h, const void *data)
{
    const struct toy_key key = {(uint32_t)h->args[0], (uint32_t)h->args[1],
                                (uint32_t)h->args[2], (uint32_t)h->args[3]};

    toy_engine_arrive(h->from, &key, (uint32_t)h->args[4], data, h->nbytes);
}

static bool engine_present(void)
{
    return toy.engine;
}

static void engine_memory(struct fsh_engine_memory *memory)
{
    *memory = toy.memory;
}

static void engine_store(size_t at, const void *src, size_t n)
{
    memcpy(toy.memory.base + at, src, n);
}

static bool engine_run(size_t at, struct fsh_answer *answer)
{
    unsigned status;

    pthread_mutex_lock(&toy.lock);
    status = toy_engine_run(at);
    pthread_mutex_unlock(&toy.lock);
    answer->fn(answer, status);
    return true;
}

static bool engine_tick(struct fsh_answer *answer)
{
    pthread_mutex_lock(&toy.lock);
    toy_engine_tick();
    pthread_mutex_unlock(&toy.lock);
    answer->fn(answer, FSH_STATUS_OK);
    return true;
}

/* ---- what comes: with the lock ---- */

static void arrive(const struct head *h, const void *data)
{
    struct head answer = {.kind = DONE,
                          .from = (uint16_t)toy.rank,
                          .nbytes = h->kind == GET ? h->nbytes : 0,
                          .at = h->to,
                          .event = h->event};

    if (h->kind == REQUEST || h->kind == REPLY)
        push(&toy.in, h, data);
    else if (h->kind == VALUE)
        engine_arrives(h, data);
    else if (h->kind != GET)
        fsh_copy_words(h->at, data, h->nbytes);
    if (h->kind == PUT || h->kind == GET)
        post(h->from, &answer, h->at);
    /* After the data; partner: whoever waits for 0. */
    if (h->kind == DONE)
        atomic_fetch_sub_explicit(&h->event->pending, 1, memory_order_release);
}

/* One packet, if there is one. Anybody can send to a name: not from a rank's, it is
 * dropped. */
static bool receive(void)
{
    static struct packet p;
    struct sockaddr_un from;
    socklen_t length = sizeof from;
    ssize_t n = recvfrom(toy.fd, &p.head, sizeof p.head + sizeof p.data,
                         MSG_DONTWAIT, (struct sockaddr *)&from, &length);

    if (n >= (ssize_t)sizeof p.head && p.head.from < toy.ranks &&
        memcmp(&from, &toy.name[p.head.from], NAME_BYTES) == 0)
        arrive(&p.head, p.data);
    return n >= 0;
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
static void open_socket(void)
{
    const int room = 2 * PIECE;
    struct sockaddr_un mine = {.sun_family = AF_UNIX};
    struct sockaddr *addr = (struct sockaddr *)&mine;
    socklen_t length = sizeof mine;

    toy.fd = check(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), "socket");
    check(setsockopt(toy.fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof room),
          "room");
    check(bind(toy.fd, addr, sizeof mine.sun_family), "bind");
    check(getsockname(toy.fd, addr, &length), "getsockname");
    fsh_boot_exchange(&mine, sizeof mine, toy.name);
}

static void init(enum fsh_threads threads, struct fsh_limits *limits)
{
    size_t most = fsh_boot_page()->segment_max;

    (void)threads; /* the lock serves all modes */
    toy.engine = getenv("TOY_ENGINE") != NULL;
    toy.rank = fsh_boot_rank();
    toy.ranks = fsh_boot_size();
    open_socket();
    *limits = (struct fsh_limits){.am_max_medium = MAX_PAYLOAD,
                                  .am_max_long_request = MAX_PAYLOAD,
                                  .am_max_long_reply = MAX_PAYLOAD,
                                  .max_segment_local = most,
                                  .max_segment_global = most};
}

static void attach(size_t size, struct fsh_segment *segs)
{
    struct fsh_segment mine = {.size = size};
    size_t all = size + (toy.engine ? FSH_AREA_COLLECTIVE_BYTES : 0);
    size_t posted = toy.engine ? FSH_AREA_SEQUENCES * FSH_AREA_BUFFER_BYTES : 0;

    if (all != 0)
        mine.addr = mmap(NULL, all + posted, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    check(mine.addr == MAP_FAILED ? -1 : 0, "mmap");
    toy.memory = (struct fsh_engine_memory){
        mine.addr, size, size, (unsigned char *)mine.addr + all, 0};
    toy_engine_begin(mine.addr, all, toy.memory.posted, engine_sends);
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
    for (uint32_t r = 0; r < toy.ranks; r++)
        flush(r);
    for (uint32_t i = 0; i < READS && receive(); i++)
        any = true;
    any |= toy_engine_step();
    while ((p = take(&toy.in)) != NULL) {
        pthread_mutex_unlock(&toy.lock);
        run(p);
        any = true;
        pthread_mutex_lock(&toy.lock);
    }
    pthread_mutex_unlock(&toy.lock);
    return any;
}

/* Not for long: what is queued finds room without a sign. */
static void wait_any(uint64_t max_ns, bool memory)
{
    struct timespec limit = {0, (long)(max_ns < SLEEP_NS ? max_ns : SLEEP_NS)};
    struct pollfd p = {toy.fd, POLLIN, 0};

    (void)memory; /* puts, too, are packets */
    ppoll(&p, 1, &limit, NULL);
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

/* Polls in any case: who only sends would leave replies in their queue. */
static void am_request(const struct fsh_am *am)
{
    static const struct fsh_wait_kind kind = {
        .who = "conduit toy: a request", .to_peer = true, .spins = 1};
    struct fsh_wait wait = {.peer = am->node + 1};

    for (;;) {
        if (poll_all())
            fsh_am_delivered();
        else
            fsh_wait_pause(&kind, &wait, "room");
        if (am_try_request(am))
            break;
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

static const struct fsh_job_needs needs = {
    .conduit = "toy",
    .max_ranks = MAX_RANKS,
    .segment_option = "FSHMEM_SEGMENT_MAX",
};

/* As in rows of four. */
static uint16_t engine_sides(void)
{
    return 5;
}

static const struct fsh_collective_ops collective = {
    .present = engine_present,
    .memory = engine_memory,
    .store = engine_store,
    .run = engine_run,
    .tick = engine_tick,
    .sides = engine_sides,
};

static const struct fsh_conduit_ops fsh_conduit_toy = {
    .name = "toy",
    .needs = &needs,
    .collective = &collective,
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
    .spin = poll_all,
    .wait = wait_any,
    .describe = describe,
};

/* In place of src/conduit/table.c. */
const struct fsh_conduit_ops *const fsh_conduits[] = {&fsh_conduit_toy,
                                                      &fsh_conduit_smp, NULL};

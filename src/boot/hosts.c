/* SPDX-License-Identifier: BSD-3-Clause */
/* See hosts.h. */
#include "boot/hosts.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/assertion.h"
#include "base/cpu.h"
#include "base/log.h"
#include "base/option.h"
#include "boot/boot_state.h"
#include "boot/channel.h"
#include "boot/interface.h"
#include "boot/meeting.h"

/* What a rank tells the others by the channel; of who speaks for no host all is 0 but
 * the token. */
struct card {
    uint64_t token[2]; /* rank 0's counts */
    uint64_t nodes;    /* ranks that have one, a bit each */
    uint32_t address;  /* as the network has it */
    uint16_t port;
    char name[58]; /* of the interface's host */
    char conduit[sizeof((struct fsh_job_page *)NULL)->conduit];
};

enum kind { HELLO, FABRIC, STATE, ENDING }; /* FABRIC: for a simulator */

/* A message: all are as long, and both sides are of one release and byte order. */
struct news {
    uint64_t token[2];
    uint32_t kind;
    uint32_t host; /* from */
    int32_t rank;
    int32_t code;  /* STATE: exit code; ENDING: abort_code of the page */
    int32_t state; /* enum fsh_rank_state */
    char reason[212];
};
_Static_assert(sizeof(struct news) == 248, "no gaps");

struct host {
    int fd;
    bool fabric;   /* it has a simulator, and this one too: ... */
    int fabric_fd; /* ... its connection, until that of this host has it; or -1 */
    char name[64];
    uint32_t first; /* rank that speaks for it */
    size_t got;     /* bytes of news */
    struct news news;
};

static struct {
    unsigned n;
    struct host *host;
    atomic_bool *told;    /* of each rank */
    atomic_int told_code; /* abort_code that was told; -1 */
} hosts = {.told_code = -1};

unsigned fsh_hosts_count(void)
{
    return hosts.n;
}

int fsh_hosts_fd(unsigned host)
{
    return hosts.host[host].fd;
}

/* ---- what is said ---- */

static struct news begin(enum kind kind)
{
    return (struct news){.token = {fsh_boot.token[0], fsh_boot.token[1]},
                         .kind = kind,
                         .host = fsh_boot.page->host};
}

/* A connection that takes no more of it is dead, and will be found to be. */
static void send_all(const struct news *news)
{
    for (unsigned h = 0; h < hosts.n; h++)
        if (hosts.host[h].fd >= 0 && send(hosts.host[h].fd, news, sizeof *news,
                                          MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
            continue;
}

static void tell_states(void)
{
    const struct fsh_job_page *page = fsh_boot.page;

    for (uint32_t r = 0; r < page->size; r++) {
        int state = atomic_load(&page->rank[r].state);
        struct news news;

        if (page->rank[r].host != page->host || state < FSH_RANK_LEFT ||
            atomic_exchange(&hosts.told[r], true))
            continue;
        news = begin(STATE);
        news.rank = (int32_t)r;
        news.code = atomic_load(&page->rank[r].exit_code);
        news.state = state;
        send_all(&news);
    }
}

static void tell_end(void)
{
    const struct fsh_job_page *page = fsh_boot.page;
    int code = atomic_load(&page->abort_code);
    struct news news;

    if (code < 0 || atomic_exchange(&hosts.told_code, code) == code)
        return;
    news = begin(ENDING);
    news.code = code;
    news.rank = atomic_load(&page->abort_rank);
    for (size_t i = 0; i + 1 < sizeof news.reason && page->abort_reason[i]; i++)
        news.reason[i] = page->abort_reason[i];
    send_all(&news);
}

void fsh_hosts_tell(void)
{
    if (hosts.n == 0)
        return;
    tell_states();
    tell_end();
}

/* ---- what is heard ---- */

static bool is_ours(const struct news *news, unsigned host)
{
    return ((news->token[0] ^ fsh_boot.token[0]) |
            (news->token[1] ^ fsh_boot.token[1])) == 0 &&
           news->host == host;
}

static void obey(const struct news *news, unsigned host, int abort_fd)
{
    struct fsh_job_page *page = fsh_boot.page;
    char reason[sizeof news->reason];
    int rank =
        news->rank >= -1 && news->rank < (int)page->size ? news->rank : -1;

    if (news->kind == STATE && rank >= 0 && page->rank[rank].host == host &&
        (news->state == FSH_RANK_LEFT || news->state == FSH_RANK_DEAD)) {
        atomic_store(&page->rank[rank].exit_code, news->code & 0xff);
        atomic_store(&page->rank[rank].state, news->state);
    }
    if (news->kind != ENDING || (news->code & ~(0xff | FSH_JOB_ASKED)) != 0)
        return;
    memcpy(reason, news->reason, sizeof reason);
    reason[sizeof reason - 1] = '\0';
    fsh_job_abort(page, abort_fd, news->code, rank, reason[0] ? reason : NULL);
}

static bool has_left(uint32_t rank)
{
    return atomic_load(&fsh_boot.page->rank[rank].state) == FSH_RANK_LEFT;
}

static void lose(unsigned host, int error, char *how, size_t room)
{
    struct host *h = &hosts.host[host];

    close(h->fd);
    h->fd = -1;
    how[0] = '\0';
    if (has_left(h->first))
        return;
    for (uint32_t r = 0; r < fsh_boot.page->size; r++)
        if (fsh_boot.page->rank[r].host == host && !has_left(r))
            atomic_store(&fsh_boot.page->rank[r].state, FSH_RANK_DEAD);
    if (error == 0 || error == ECONNRESET || error == EPIPE)
        snprintf(how, room,
                 "rank %" PRIu32 " on host %s has ended without leaving the "
                 "job",
                 h->first, h->name);
    else
        snprintf(how, room,
                 "host %s (rank %" PRIu32 " ...) is lost: no answer for %g s "
                 "(FSHMEM_HOST_TIMEOUT): %s",
                 h->name, h->first, fsh_option_seconds("FSHMEM_HOST_TIMEOUT"),
                 strerror(error));
}

bool fsh_hosts_hear(unsigned host, int abort_fd, char *how, size_t room)
{
    struct host *h = &hosts.host[host];
    ssize_t n;

    for (;;) {
        n = recv(h->fd, (char *)&h->news + h->got, sizeof h->news - h->got,
                 MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return true;
        if (n <= 0) {
            lose(host, n < 0 ? errno : 0, how, room);
            return false;
        }
        h->got += (size_t)n;
        if (h->got < sizeof h->news)
            continue;
        h->got = 0;
        if (is_ours(&h->news, host))
            obey(&h->news, host, abort_fd);
    }
}

/* ---- meeting ---- */

static _Noreturn void fail(const char *what)
{
    fsh_fatal("gasnet_init: meeting the other hosts: %s: %s", what,
              strerror(errno));
}

static int listen_at(struct in_addr address, uint16_t *port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = address};
    socklen_t bytes = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) != 0 ||
        listen(fd, 1024) != 0 ||
        getsockname(fd, (struct sockaddr *)&at, &bytes) != 0)
        fail("a socket to listen at");
    *port = at.sin_port;
    return fd;
}

/* Between two looks at an idle connection; in all it is given up after the limit, as one
 * is on which something is on its way. */
static void watch_connection(int fd)
{
    int limit_s = (int)(fsh_option_seconds("FSHMEM_HOST_TIMEOUT") + 0.999);
    int limit_ms = limit_s * 1000, on = 1, each = limit_s / 10 + 1,
        times = limit_s / each + 1;

    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &each, sizeof each);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &each, sizeof each);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &times, sizeof times);
    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &limit_ms, sizeof limit_ms);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

static void limit(int fd, int seconds)
{
    const struct timeval time = {.tv_sec = seconds};

    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
}

static int call(enum kind kind, const struct card *card, struct in_addr from,
                uint64_t deadline)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr = from},
                       to = {.sin_family = AF_INET,
                             .sin_addr = {card->address},
                             .sin_port = card->port};
    const struct news hello = begin(kind);
    uint64_t now = fsh_time_ns();
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || bind(fd, (struct sockaddr *)&here, sizeof here) != 0)
        fail("a socket");
    limit(fd, now < deadline ? (int)((deadline - now) / 1000000000u) + 1 : 1);
    if (connect(fd, (struct sockaddr *)&to, sizeof to) != 0 ||
        send(fd, &hello, sizeof hello, MSG_NOSIGNAL) != sizeof hello)
        fsh_fatal("gasnet_init: cannot reach host %s at %s, port %u: %s; is "
                  "there a firewall, or another interface to be named by "
                  "FSHMEM_OFI_INTERFACE?",
                  card->name, inet_ntoa(to.sin_addr), ntohs(to.sin_port),
                  strerror(errno));
    return fd;
}

/* Where a caller's connection belongs; NULL: it does not. */
static int *place_of(const struct news *hello)
{
    struct host *h = &hosts.host[hello->host];

    return hello->kind == HELLO                 ? &h->fd
           : hello->kind == FABRIC && h->fabric ? &h->fabric_fd
                                                : NULL;
}

/* A stranger is sent away. */
static bool greet(int fd)
{
    struct news hello;
    int *at;

    limit(fd, FSH_MEETING_HELLO_S);
    if (recv(fd, &hello, sizeof hello, MSG_WAITALL) != sizeof hello ||
        hello.host >= hosts.n || !is_ours(&hello, hello.host))
        return false;
    at = place_of(&hello);
    if (at == NULL || *at >= 0)
        return false;
    *at = fd;
    return true;
}

static void await_calls(int listening, unsigned missing, uint64_t deadline)
{
    unsigned strangers = 0; /* that have been sent away */
    struct pollfd p = {.fd = listening, .events = POLLIN};

    while (missing != 0) {
        int fd = poll(&p, 1, 100) > 0
                     ? accept4(listening, NULL, NULL, SOCK_CLOEXEC)
                     : -1;

        if (fd >= 0 && greet(fd))
            missing--;
        else if (fd >= 0) {
            strangers++;
            close(fd);
        }
        if (missing != 0 && fsh_time_ns() > deadline)
            fsh_fatal("gasnet_init: %u hosts have not connected to this one "
                      "within %g s (FSHMEM_START_TIMEOUT)",
                      missing, fsh_option_seconds("FSHMEM_START_TIMEOUT"));
    }
    close(listening);
    if (strangers != 0 && !fsh_option_bool("GASNET_QUIET"))
        fsh_warn("gasnet_init: %u connections without the job's token were "
                 "refused",
                 strangers);
}

/* Hosts read FSHMEM_CONDUIT and FSHMEM_CARDS by themselves. */
static void check_alike(const struct card *mine, const struct card *card,
                        uint32_t rank)
{
    if (strcmp(card->conduit, mine->conduit) != 0)
        fsh_fatal("gasnet_init: this host uses conduit %s, host %.*s (rank "
                  "%" PRIu32 ") %.*s: set FSHMEM_CONDUIT for rank 0 only, or "
                  "alike on all hosts",
                  mine->conduit, (int)sizeof card->name, card->name, rank,
                  (int)sizeof card->conduit, card->conduit);
    if (card->nodes != mine->nodes)
        fsh_fatal("gasnet_init: FSHMEM_CARDS=%s: here ranks of mask %#" PRIx64
                  " have a card, at rank %" PRIu32 " those of %#" PRIx64
                  ": set it for rank 0 only, or alike on all hosts",
                  fsh_option_str("FSHMEM_CARDS"), mine->nodes, rank,
                  card->nodes);
}

/* Those whose simulators are to be connected with that of this one. */
static unsigned note_fabric(const struct fsh_job_cut *cut, uint32_t own)
{
    unsigned later = 0;

    if (cut->hosts < 2 || cut->index == cut->hosts)
        return 0;
    for (uint32_t i = 0; i < cut->hosts; i++) {
        hosts.host[cut->host[i]].fabric = cut->host[i] != own;
        later += cut->host[i] > own;
    }
    return later;
}

static void meet(const struct card *card, const struct fsh_job_cut *cut,
                 int listening, struct in_addr from)
{
    const struct fsh_job_page *page = fsh_boot.page;
    uint64_t deadline = fsh_meeting_deadline();
    unsigned fabric;

    hosts.host = calloc(page->hosts, sizeof *hosts.host);
    hosts.told = calloc(page->size, sizeof *hosts.told);
    if (hosts.host == NULL || hosts.told == NULL)
        fsh_fatal("out of memory");
    hosts.n = page->hosts;
    for (uint32_t r = page->size; r-- > 0;) {
        struct host *h = &hosts.host[page->rank[r].host];

        h->fd = h->fabric_fd = -1;
        h->first = r; /* the last that comes here is the first */
        snprintf(h->name, sizeof h->name, "%s", card[r].name);
    }
    for (unsigned h = 0; h < hosts.n; h++)
        check_alike(&card[fsh_boot.rank], &card[hosts.host[h].first],
                    hosts.host[h].first);
    fabric = note_fabric(cut, page->host);
    for (unsigned h = 0; h < page->host; h++) {
        const struct card *to = &card[hosts.host[h].first];

        hosts.host[h].fd = call(HELLO, to, from, deadline);
        if (hosts.host[h].fabric)
            hosts.host[h].fabric_fd = call(FABRIC, to, from, deadline);
    }
    await_calls(listening, hosts.n - 1 - page->host + fabric, deadline);
    for (unsigned h = 0; h < hosts.n; h++) {
        if (hosts.host[h].fd >= 0)
            watch_connection(hosts.host[h].fd);
        if (hosts.host[h].fabric_fd >= 0)
            watch_connection(hosts.host[h].fabric_fd);
    }
}

void fsh_hosts_give(struct fsh_job *job)
{
    const struct fsh_job_cut *cut = &job->config.cut;

    for (uint32_t i = 0; i < cut->hosts; i++) {
        job->peer_fd[i] = hosts.host[cut->host[i]].fabric_fd;
        hosts.host[cut->host[i]].fabric_fd = -1;
    }
}

/* Ranks that have nodes, a bit each. */
static uint64_t nodes_of(const struct fsh_job_page *page)
{
    uint64_t mask = 0;

    for (uint32_t r = 0; r < page->size && page->nodes != 0; r++)
        mask |= (uint64_t)(page->rank[r].node != FSH_JOB_NO_NODE) << r;
    return mask;
}

/* What is named may be the domain of a provider, or a mistake: on conduit fpga nobody
 * else looks at it. */
static void say_interface(const char *used)
{
    const char *said = fsh_option_str("FSHMEM_OFI_INTERFACE");

    if (fsh_boot.rank == 0 && strcmp(said, "auto") != 0 &&
        strcmp(said, used) != 0 && !fsh_option_bool("GASNET_QUIET"))
        fsh_warn("gasnet_init: FSHMEM_OFI_INTERFACE=%s is no network interface "
                 "that is up and has an address of IP version 4: the hosts "
                 "meet on %s",
                 said, used);
}

void fsh_hosts_open(const struct fsh_place *place,
                    const struct fsh_job_cut *cut, uint64_t token[2])
{
    struct card mine = {.port = 0}, *card = calloc(place->size, sizeof *card);
    char interface[64], err[512];
    struct in_addr address = {0};
    int listening = -1;

    if (card == NULL)
        fsh_fatal("out of memory");
    memcpy(mine.token, fsh_boot.page->token, sizeof mine.token);
    if (place->index == 0) {
        if (!fsh_interface_choose(true, true, interface, sizeof interface, err,
                                  sizeof err) ||
            !fsh_interface_address(interface, &address))
            fsh_fatal("gasnet_init: %s", err);
        say_interface(interface);
        listening = listen_at(address, &mine.port);
        mine.address = address.s_addr;
        mine.nodes = nodes_of(fsh_boot.page);
        gethostname(mine.name, sizeof mine.name - 1);
        memcpy(mine.conduit, fsh_boot.page->conduit, sizeof mine.conduit);
    }
    fsh_channel_exchange(&mine, sizeof mine, card, "gasnet_init");
    memcpy(token, card[0].token, sizeof card[0].token);
    if (place->index == 0)
        meet(card, cut, listening, address);
    free(card);
}

void fsh_hosts_forked(void)
{
    for (unsigned h = 0; h < hosts.n; h++)
        if (hosts.host[h].fd >= 0)
            close(hosts.host[h].fd);
}

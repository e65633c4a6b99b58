/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The watch thread of a rank that another's launcher has started. Rank 0 holds
 * a connection to each other rank, the others one to rank 0: its end means
 * death. The launcher's own death is seen by a pidfd. Once the abort word is
 * set every rank ends itself: time to leave, SIGQUIT, end. Sleeps in poll.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/assertion.h"
#include "base/cpu.h"
#include "base/log.h"
#include "boot/boot_state.h"
#include "boot/death.h"
#include "boot/hosts.h"
#include "boot/watch.h"

#define MS UINT64_C(1000000)
/* The launcher knows how a rank has ended, and ends the others with that. What
 * we end with mixes with it, so it goes first. */
#define LAUNCHER_NS (400 * MS)

enum { P_WAKE, P_DUMP, P_ABORT, P_PARENT, P_PEERS };

static struct {
    struct fsh_watch_peers p;
    struct pollfd *poll; /* P_PEERS + p.n, then one a host */
    unsigned hosts;
    atomic_uint alive; /* connections that are open */
    uint64_t gone_ns;  /* a rank's death, to be acted upon then; 0 none */
    int gone_code;     /* for the job */
    char gone[200];
    uint64_t quit_ns, end_ns;
    bool quit_sent;
    uint64_t start_ns;
} peers;

static bool is_first(void)
{
    return peers.p.place->index == 0;
}

static uint32_t rank_of(unsigned i)
{
    return fsh_place_rank(peers.p.place, is_first() ? i : 0);
}

/* The first to notice ends the job and says why. */
static void end_job(int code, const char *reason)
{
    struct fsh_job_page *page = peers.p.page;

    fsh_job_abort(page, peers.p.abort_fd, code, (int)peers.p.rank, reason);
    if (atomic_load(&page->abort_rank) == (int)peers.p.rank)
        fsh_warn("%s; ending the job", reason);
}

static void begin_to_end(void)
{
    fsh_boot_say_reason(); /* this thread may end the process */
    fsh_hosts_tell();
    peers.poll[P_ABORT].fd = -1; /* it stays readable */
    peers.quit_ns = fsh_time_ns();
    /* Whoever called gasnet_exit gives the others time to do so too. */
    if (!peers.p.page->abort_reason[0])
        peers.quit_ns += FSH_JOB_LEAVE_NS;
    peers.end_ns = peers.quit_ns + fsh_job_grace_ns();
}

static void peer_gone(unsigned i)
{
    struct fsh_job_page *page = peers.p.page;
    struct fsh_rank_slot *slot = &page->rank[rank_of(i)];
    int status = 0, code, connection = peers.poll[P_PEERS + i].fd;
    char how[100];
    bool known;

    FSH_ASSERT(connection >= 0 && atomic_load(&peers.alive) != 0);
    FSH_ASSERT(rank_of(i) < page->size && rank_of(i) != peers.p.rank);
    peers.poll[P_PEERS + i].fd = -1;
    atomic_fetch_sub(&peers.alive, 1);
    if (atomic_load(&page->abort_code) >= 0) {
        if (!peers.quit_ns)
            begin_to_end();
        return;
    }
    if (atomic_load(&slot->state) == FSH_RANK_LEFT) {
        fsh_hosts_tell();
        return;
    }
    known = fsh_death_status(connection, atomic_load(&slot->pid), &status);
    code = fsh_death_describe(known, status, how, sizeof(how));
    atomic_store(&slot->exit_code, code);
    atomic_store(&slot->state, FSH_RANK_DEAD);
    if (peers.gone_ns)
        return;
    peers.gone_ns = fsh_time_ns() + LAUNCHER_NS;
    peers.gone_code = code;
    snprintf(peers.gone, sizeof(peers.gone),
             "rank %" PRIu32 " (pid %d) %s without leaving the job", rank_of(i),
             atomic_load(&slot->pid), how);
}

/* News from a rank, of which there are no words: the page says it; or its end. */
static void peer_heard(unsigned i)
{
    char drop[16];
    ssize_t n =
        recv(peers.poll[P_PEERS + i].fd, drop, sizeof(drop), MSG_DONTWAIT);

    if (n > 0)
        fsh_hosts_tell();
    else if (n == 0 || (errno != EAGAIN && errno != EINTR))
        peer_gone(i);
}

static void host_heard(unsigned h)
{
    struct pollfd *p = &peers.poll[P_PEERS + peers.p.n + h];
    char how[sizeof(peers.gone)];

    if (fsh_hosts_hear(h, peers.p.abort_fd, how, sizeof(how)))
        return;
    p->fd = -1;
    if (!how[0] || peers.gone_ns)
        return;
    peers.gone_ns = fsh_time_ns() + LAUNCHER_NS;
    peers.gone_code = 1;
    memcpy(peers.gone, how, sizeof(how));
}

static void parent_gone(void)
{
    char text[160];

    peers.poll[P_PARENT].fd = -1;
    if (atomic_load(&peers.p.page->abort_code) >= 0)
        return;
    snprintf(text, sizeof(text), "the launcher (pid %d) of this job is gone",
             peers.p.parent);
    end_job(128 + SIGKILL, text);
}

/* SIGQUIT, as the standard has it, if there is a handler; then the end. */
static void end_step(uint64_t now)
{
    int code = fsh_job_code(peers.p.page);
    struct sigaction action;

    FSH_ASSERT(!peers.quit_ns || (code >= 0 && peers.quit_ns <= peers.end_ns));
    if (!peers.quit_ns || now < peers.quit_ns)
        return;
    if (!peers.quit_sent) {
        peers.quit_sent = true;
        if (sigaction(SIGQUIT, NULL, &action) != 0 ||
            action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN)
            _exit(code);
        kill(getpid(), SIGQUIT);
    }
    if (now >= peers.end_ns)
        _exit(code);
}

static int timeout_ms(uint64_t now)
{
    uint64_t until = peers.quit_sent ? peers.end_ns
                     : peers.quit_ns ? peers.quit_ns
                                     : peers.gone_ns;

    int leave_ms = fsh_watch_timeout_ms(), ms;

    if (!until)
        return leave_ms;
    ms = until > now ? (int)((until - now) / MS + 1) : 0;
    return leave_ms >= 0 && leave_ms < ms ? leave_ms : ms;
}

static void dump(void)
{
    struct fsh_job_page *page = peers.p.page;
    uint64_t now = fsh_time_ns();
    uint64_t last = atomic_exchange(&page->dump_ns, now);
    char text[256];

    /* mpirun hands signals to every rank; one of them speaks. */
    if (last && now - last < 500 * MS)
        return;
    fsh_warn("state after %.1f s: conduit %s, %" PRIu32 " ranks",
             (double)(now - peers.start_ns) / 1e9, page->conduit, page->size);
    for (uint32_t r = 0; r < page->size; r++) {
        fsh_job_describe_rank(page, r, text, sizeof(text));
        fsh_warn("  %s", text);
    }
    fsh_job_ask_dump(page, 0);
}

static void *body(void *arg)
{
    uint64_t drop;

    (void)arg;
    for (;;) {
        if (poll(peers.poll, P_PEERS + peers.p.n + peers.hosts,
                 timeout_ms(fsh_time_ns())) < 0 &&
            errno != EINTR)
            usleep(10000); /* no memory; what else there is to do is below */
        fsh_watch_obey();
        if (peers.poll[P_DUMP].revents &&
            read(peers.poll[P_DUMP].fd, &drop, sizeof(drop)) > 0)
            dump();
        for (unsigned i = 0; i < peers.p.n; i++)
            if (peers.poll[P_PEERS + i].revents)
                peer_heard(i);
        for (unsigned h = 0; h < peers.hosts; h++)
            if (peers.poll[P_PEERS + peers.p.n + h].revents)
                host_heard(h);
        if (peers.poll[P_PARENT].revents)
            parent_gone();
        if (peers.poll[P_ABORT].revents)
            begin_to_end();
        if (peers.gone_ns && !peers.quit_ns && fsh_time_ns() >= peers.gone_ns)
            end_job(peers.gone_code, peers.gone);
        end_step(fsh_time_ns());
    }
    return NULL;
}

int fsh_watch_start_peers(const struct fsh_watch_peers *p)
{
    int wake_fd, dump_fd, rc = fsh_watch_make_fds(&wake_fd, &dump_fd);

    if (rc != 0)
        return rc;
    FSH_ASSERT(peers.poll == NULL &&
               p->n == (p->place->index == 0 ? p->place->here : 1));
    peers.p = *p;
    peers.start_ns = fsh_time_ns();
    peers.hosts = fsh_hosts_count();
    peers.poll = calloc(P_PEERS + p->n + peers.hosts, sizeof(*peers.poll));
    if (!peers.poll)
        return -ENOMEM;
    peers.poll[P_WAKE].fd = wake_fd;
    peers.poll[P_DUMP].fd = dump_fd;
    peers.poll[P_ABORT].fd = p->abort_fd;
    peers.poll[P_PARENT].fd =
        p->parent > 1 ? (int)syscall(SYS_pidfd_open, p->parent, 0) : -1;
    for (unsigned i = 0; i < p->n; i++) {
        peers.poll[P_PEERS + i].fd = p->lifeline[i];
        if (p->lifeline[i] >= 0)
            atomic_fetch_add(&peers.alive, 1);
    }
    for (unsigned h = 0; h < peers.hosts; h++)
        peers.poll[P_PEERS + p->n + h].fd = fsh_hosts_fd(h);
    for (unsigned i = 0; i < P_PEERS + p->n + peers.hosts; i++)
        peers.poll[i].events = POLLIN;
    return fsh_watch_thread(body);
}

void fsh_watch_await_peers(uint64_t max_ns)
{
    uint64_t start = fsh_time_ns();

    while (atomic_load(&peers.alive) && fsh_time_ns() - start < max_ns)
        usleep(1000);
}

void fsh_watch_tell(void)
{
    int first;

    if (peers.poll == NULL || peers.p.page->hosts == 1)
        return;
    if (is_first()) {
        fsh_hosts_tell();
        return;
    }
    first = peers.p.lifeline[0];
    if (send(first, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
        return; /* it is gone, and others see that */
}

void fsh_watch_forked(void)
{
    fsh_hosts_forked();
    /* A child that lives on must not keep this rank's connections open. */
    for (unsigned i = 0; peers.poll && i < peers.p.n; i++)
        if (peers.poll[P_PEERS + i].fd >= 0)
            close(peers.poll[P_PEERS + i].fd);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One message each way: a rank says who it is and which control page it
 * expects, rank 0 answers with the descriptors once all have come, or with a
 * refusal, whose reason it prints for all. Who else may
 * know the name of the socket is kept out by user id, on both sides.
 */
#include "boot/rendezvous.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
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
#include "boot/death.h"
#include "boot/meeting.h"

#define MS UINT64_C(1000000)
#define REFUSE_NS (5000 * MS) /* for ranks that come when there is no job */

struct hello {
    uint32_t magic, page_bytes;
    uint32_t index, here; /* among the ranks of this host */
    int32_t pid;
};

enum { FDS = 6 };

struct answer {
    uint32_t magic;
    int32_t has[FDS]; /* this descriptor comes with the message */
    int32_t refused;  /* there will be no job; rank 0 says why: exit code */
};

/* In the order of answer.has. */
static void list_fds(struct fsh_job_ticket *t, int *fd[FDS])
{
    int *list[FDS] = {&t->page_fd, &t->shared_fd, &t->dram_fd,
                      &t->dma_fd,  &t->mmio_fd,   &t->abort_fd};

    memcpy(fd, list, sizeof(list));
}

/* ---- rank 0, or the first on its host ---- */

static void refuse(int fd, int code)
{
    const struct answer a = {.magic = FSH_JOB_MAGIC, .refused = code};

    /* If it is gone already, its launcher says so. */
    if (send(fd, &a, sizeof(a), MSG_NOSIGNAL) < 0)
        return;
}

static bool send_fds(int fd, struct fsh_job_ticket *t)
{
    union {
        char bytes[CMSG_SPACE(FDS * sizeof(int))];
        struct cmsghdr align;
    } control = {.bytes = {0}};
    struct answer a = {.magic = FSH_JOB_MAGIC};
    struct iovec data = {.iov_base = &a, .iov_len = sizeof(a)};
    struct msghdr m = {.msg_iov = &data, .msg_iovlen = 1};
    int *fds[FDS], list[FDS], n = 0;
    struct cmsghdr *c;

    list_fds(t, fds);
    for (int i = 0; i < FDS; i++) {
        a.has[i] = *fds[i] >= 0;
        if (a.has[i])
            list[n++] = *fds[i];
    }
    m.msg_control = control.bytes;
    m.msg_controllen = CMSG_SPACE((size_t)n * sizeof(int));
    c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN((size_t)n * sizeof(int));
    memcpy(CMSG_DATA(c), list, (size_t)n * sizeof(int));
    return sendmsg(fd, &m, MSG_NOSIGNAL) == (ssize_t)sizeof(a);
}

static void give(const struct fsh_place *place, const struct fsh_job *job,
                 uint32_t index, int fd)
{
    uint32_t rank = fsh_place_rank(place, index);
    struct fsh_job_ticket t = fsh_job_ticket(job, rank, -1);

    FSH_ASSERT(index != 0 && fd >= 0);
    if (!send_fds(fd, &t))
        fsh_fatal("rank %" PRIu32 " has ended while the job was started", rank);
}

/* Tell all who have come, and give up. */
static _Noreturn void fail(const struct fsh_place *place, const int *lifeline,
                           int code, const char *text)
{
    for (uint32_t i = 1; i < place->here; i++)
        if (lifeline[i] >= 0)
            refuse(lifeline[i], code);
    fsh_fatal_code(code, "gasnet_init: %s", text);
}

/* One who has connected. Returns false if it is nobody of this job. */
static bool greet(const struct fsh_place *place, const struct fsh_job *job,
                  int fd, int *lifeline)
{
    const struct timeval limit = {.tv_sec = FSH_MEETING_HELLO_S};
    struct hello h;
    char text[200] = "";
    unsigned user;

    if (!fsh_meeting_is_own(fd, &user))
        return false;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    /* All of it: a longer one would be cut. */
    if (recv(fd, &h, sizeof(h), MSG_TRUNC) != (ssize_t)sizeof(h) ||
        h.magic != FSH_JOB_MAGIC)
        return false;
    if (h.page_bytes != sizeof(struct fsh_job_page))
        snprintf(text, sizeof(text),
                 "the ranks of this host were linked with different releases "
                 "of FSHMEM");
    else if (h.here != place->here || h.index >= h.here)
        snprintf(text, sizeof(text),
                 "one of the ranks believes in %" PRIu32
                 " ranks on this host, another in %" PRIu32,
                 h.here, place->here);
    else if (h.index == 0 || lifeline[h.index] >= 0)
        snprintf(text, sizeof(text),
                 "there are two ranks %" PRIu32 ", the second is process "
                 "%" PRId32,
                 fsh_place_rank(place, h.index), h.pid);
    if (text[0]) {
        refuse(fd, 1);
        fail(place, lifeline, 1, text);
    }
    atomic_store(&job->page->rank[fsh_place_rank(place, h.index)].pid, h.pid);
    lifeline[h.index] = fd;
    return true;
}

static _Noreturn void say_missing(const struct fsh_place *place,
                                  const int *lifeline)
{
    char text[128] = "", why[512];
    unsigned shown = 0;
    size_t at = 0;

    for (uint32_t i = 1; i < place->here && at < sizeof(text); i++) {
        if (lifeline[i] >= 0)
            continue;
        if (++shown > 16) {
            snprintf(text + at, sizeof(text) - at, " ...");
            break;
        }
        at += (size_t)snprintf(text + at, sizeof(text) - at, " %" PRIu32,
                               fsh_place_rank(place, i));
    }
    snprintf(why, sizeof(why),
             "%s started %" PRIu32
             " ranks here, but these did not arrive within "
             "%g s (FSHMEM_START_TIMEOUT):%s; they have not called "
             "gasnet_init, have ended, or run elsewhere",
             place->launcher, place->here,
             fsh_option_seconds("FSHMEM_START_TIMEOUT"), text);
    fail(place, lifeline, 1, why);
}

/* A rank that came and went is not waited for. */
static void check_arrived(const struct fsh_place *place, const int *lifeline)
{
    char how[100], text[180];
    int status = 0, code;
    bool known;

    for (uint32_t i = 1; i < place->here; i++) {
        struct pollfd p = {.fd = lifeline[i], .events = POLLIN};

        if (lifeline[i] < 0 || poll(&p, 1, 0) <= 0)
            continue;
        known = fsh_death_status(lifeline[i], 0, &status);
        code = fsh_death_describe(known, status, how, sizeof(how));
        snprintf(text, sizeof(text),
                 "rank %" PRIu32 " %s before all ranks had arrived",
                 fsh_place_rank(place, i), how);
        fail(place, lifeline, code, text);
    }
}

static int accept_within(int fd, int ms)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};

    if (poll(&p, 1, ms) > 0)
        return accept4(fd, NULL, NULL, SOCK_CLOEXEC);
    errno = EAGAIN;
    return -1;
}

/* Those who wait to be accepted would be waited for till the time is up. */
static _Noreturn void say_cannot_accept(const struct fsh_place *place,
                                        const int *lifeline, int error)
{
    char text[200];

    snprintf(text, sizeof(text),
             "cannot take the connection of another rank: %s%s",
             strerror(error),
             error == EMFILE   ? "; raise the limit with ulimit -n"
             : error == ENFILE ? " (fs.file-max of the whole system)"
                               : "");
    fail(place, lifeline, 1, text);
}

/* Debug: ranks that have not connected; rank 0 never does. */
static uint32_t unconnected(const struct fsh_place *place, const int *lifeline)
{
    uint32_t n = 0;

    for (uint32_t i = 1; i < place->here; i++)
        n += lifeline[i] < 0;
    return n;
}

void fsh_rendezvous_serve(const struct fsh_place *place, int fd,
                          const struct fsh_job *job, int *lifeline)
{
    uint64_t deadline = fsh_meeting_deadline();
    uint32_t missing = place->here - 1;
    int peer;

    for (uint32_t i = 0; i < place->here; i++)
        lifeline[i] = -1;
    while (missing) {
        FSH_ASSERT(missing == unconnected(place, lifeline));
        if (fsh_time_ns() > deadline)
            say_missing(place, lifeline);
        peer = accept_within(fd, 50);
        if (peer < 0 && errno != EAGAIN && errno != EINTR)
            say_cannot_accept(place, lifeline, errno);
        if (peer < 0)
            check_arrived(place, lifeline);
        else if (greet(place, job, peer, lifeline))
            missing--;
        else
            close(peer);
    }
    close(fd);
    for (uint32_t i = 1; i < place->here; i++)
        give(place, job, i, lifeline[i]);
}

/* One after the other: there may be a descriptor for one only. */
void fsh_rendezvous_refuse(const struct fsh_place *place, int fd)
{
    const struct timeval limit = {.tv_sec = FSH_MEETING_HELLO_S};
    uint64_t deadline = fsh_time_ns() + REFUSE_NS;
    uint32_t missing = place->here - 1;
    struct hello h;
    int peer;

    while (missing && fsh_time_ns() < deadline) {
        peer = accept_within(fd, 50);
        if (peer < 0)
            continue;
        setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
        /* What is not read would be an error to it, instead of the answer. */
        if (recv(peer, &h, sizeof(h), 0) == (ssize_t)sizeof(h)) {
            refuse(peer, 1);
            missing--;
        }
        close(peer);
    }
}

/* ---- the others ---- */

/* Take the descriptors out of the message; unused ones of the ticket are -1. */
static void unpack(struct msghdr *m, const struct answer *a,
                   struct fsh_job_ticket *ticket)
{
    struct cmsghdr *c = CMSG_FIRSTHDR(m);
    int *fds[FDS];
    size_t at = 0, n = 0;

    list_fds(ticket, fds);
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
        n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    FSH_ASSERT(n <= FDS);
    for (int i = 0; i < FDS; i++) {
        *fds[i] = -1;
        if (!a->has[i])
            continue;
        if (at == n)
            fsh_fatal("gasnet_init: descriptors were lost between rank 0 and "
                      "here; raise the limit on them with ulimit -n");
        memcpy(fds[i], CMSG_DATA(c) + at++ * sizeof(int), sizeof(int));
    }
}

void fsh_rendezvous_join(const struct fsh_place *place,
                         struct fsh_job_ticket *ticket)
{
    struct hello h = {
        .magic = FSH_JOB_MAGIC,
        .page_bytes = sizeof(struct fsh_job_page),
        .index = place->index,
        .here = place->here,
        .pid = (int32_t)getpid(),
    };
    union {
        char bytes[CMSG_SPACE(FDS * sizeof(int))];
        struct cmsghdr align;
    } control;
    struct answer a = {.magic = 0};
    struct iovec data = {.iov_base = &a, .iov_len = sizeof(a)};
    struct msghdr m = {.msg_iov = &data, .msg_iovlen = 1};
    int fd = fsh_meeting_connect(place);
    const struct timeval limit = {
        .tv_sec = 1 + (time_t)fsh_option_seconds("FSHMEM_START_TIMEOUT")};
    ssize_t n = send(fd, &h, sizeof(h), MSG_NOSIGNAL);

    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    m.msg_control = control.bytes;
    m.msg_controllen = sizeof(control.bytes);
    if (n == (ssize_t)sizeof(h))
        do {
            n = recvmsg(fd, &m, MSG_CMSG_CLOEXEC);
        } while (n < 0 && errno == EINTR);
    if (n != (ssize_t)sizeof(a) || a.magic != FSH_JOB_MAGIC)
        fsh_fatal(
            "gasnet_init: the first rank here has ended, or hangs, while the job is "
            "started");
    if (a.refused)
        _exit(a.refused); /* rank 0 says it, once for all */
    unpack(&m, &a, ticket);
    ticket->rank = place->rank;
    ticket->life_fd = fd;
}

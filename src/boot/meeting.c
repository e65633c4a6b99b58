/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sockets at which the ranks of another's launcher meet. Abstract ones: they
 * leave no file, but any user may bind a name that is known. So the name is
 * made from what only this user can read, where the launcher gives us that;
 * there are several, and one that another user holds is passed by; and both
 * sides ask the kernel who is at the other end.
 */
#include "boot/meeting.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/assertion.h"
#include "base/cpu.h"
#include "base/log.h"
#include "base/option.h"

enum { NAMES = 4, SCAN_EVERY = 8 };

/* Who listens there? */
enum owner { NOBODY, UNKNOWN, OWN, FOREIGN };

uint64_t fsh_meeting_deadline(void)
{
    return fsh_time_ns() +
           (uint64_t)(fsh_option_seconds("FSHMEM_START_TIMEOUT") * 1e9);
}

/* Abstract: the name begins with a zero byte and dies with its socket. */
static socklen_t make_address(const struct fsh_place *place, unsigned number,
                              struct sockaddr_un *addr)
{
    uint64_t hash =
        fsh_place_hash(place->secret, place->job, strlen(place->job));
    int n;

    memset(addr, 0, sizeof(*addr));
    addr->sun_family = AF_UNIX;
    n = snprintf(addr->sun_path + 1, sizeof(addr->sun_path) - 1,
                 "fshmem-%u-%016" PRIx64 "-%u", (unsigned)geteuid(), hash,
                 number);
    FSH_ASSERT(number < NAMES && n > 0 &&
               (size_t)n < sizeof(addr->sun_path) - 1);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

static int make_socket(void)
{
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0)
        fsh_fatal("gasnet_init: cannot make a socket to meet the other ranks: "
                  "%s%s",
                  strerror(errno),
                  errno == EMFILE ? "; raise the limit on descriptors with "
                                    "ulimit -n"
                                  : "");
    return fd;
}

/* Never waits for the other side, but for what is sent to it. */
static void make_blocking(int fd)
{
    const struct timeval limit = {.tv_sec = FSH_MEETING_HELLO_S};

    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
}

/* Is the process at the other end one of this user's? */
bool fsh_meeting_is_own(int fd, unsigned *user)
{
    struct ucred peer = {.uid = (uid_t)-1};
    socklen_t len = sizeof(peer);
    bool told = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0;

    *user = (unsigned)peer.uid;
    return told && peer.uid == geteuid();
}

/* OWN: *fd is connected, and the caller's. */
static enum owner connect_to(const struct fsh_place *place, unsigned number,
                             int *fd, unsigned *user)
{
    struct sockaddr_un addr;
    socklen_t len = make_address(place, number, &addr);
    enum owner owner;

    *fd = make_socket();
    if (connect(*fd, (struct sockaddr *)&addr, len) == 0)
        owner = fsh_meeting_is_own(*fd, user) ? OWN : FOREIGN;
    else if (errno == ECONNREFUSED)
        owner = NOBODY;
    else if (errno == EAGAIN || errno == EINTR)
        owner = UNKNOWN; /* it has not taken those before us */
    else
        fsh_fatal("gasnet_init: cannot reach rank 0: %s", strerror(errno));
    if (owner != OWN)
        close(*fd);
    return owner;
}

static _Noreturn void say_taken(const struct fsh_place *place, unsigned user)
{
    fsh_fatal("gasnet_init: cannot meet the other ranks of the job of %s (%s): "
              "processes of user %u listen under all %d names of its socket; "
              "have them ended, or use fshrun, which needs none",
              place->launcher, place->job, user, NAMES);
}

/* ---- rank 0 ---- */

/* 0 or an errno; EADDRINUSE: *owner says whose it is. */
static int bind_to(const struct fsh_place *place, int fd, unsigned number,
                   enum owner *owner, unsigned *user)
{
    struct sockaddr_un addr;
    socklen_t len = make_address(place, number, &addr);
    int probe, rc;

    if (bind(fd, (struct sockaddr *)&addr, len) == 0)
        return 0;
    rc = errno;
    if (rc == EADDRINUSE) {
        *owner = connect_to(place, number, &probe, user);
        if (*owner == OWN)
            close(probe);
    }
    return rc;
}

/* Bind to the first name that no other user holds; 0 or an errno. */
static int bind_to_any(const struct fsh_place *place, int fd)
{
    unsigned foreign = 0, user = 0, seen;
    enum owner owner = NOBODY;
    int rc = 0;

    for (unsigned k = 0; k < NAMES; k++) {
        rc = bind_to(place, fd, k, &owner, &seen);
        if (rc != EADDRINUSE || owner == OWN)
            return rc;
        if (owner == FOREIGN) {
            foreign++;
            user = seen;
        }
    }
    if (foreign == NAMES)
        say_taken(place, user);
    return rc;
}

int fsh_meeting_listen(const struct fsh_place *place)
{
    uint64_t deadline = fsh_meeting_deadline();
    int fd = make_socket(), rc;

    /* The last program of a script may just be ending. */
    while ((rc = bind_to_any(place, fd)) != 0) {
        if (rc != EADDRINUSE || fsh_time_ns() > deadline)
            fsh_fatal("gasnet_init: cannot be rank 0 of the job of %s (%s): %s",
                      place->launcher, place->job,
                      rc == EADDRINUSE ? "another process is" : strerror(rc));
        usleep(10000);
    }
    if (listen(fd, 128) != 0)
        fsh_fatal("gasnet_init: cannot wait for the other ranks: %s",
                  strerror(errno));
    make_blocking(fd);
    return fd;
}

/* ---- the others ---- */

static int try_names(const struct fsh_place *place, unsigned names,
                     bool *passed_by)
{
    unsigned foreign = 0, user = 0, seen;
    int fd;

    for (unsigned k = 0; k < names; k++) {
        enum owner owner = connect_to(place, k, &fd, &seen);

        if (owner == OWN) {
            make_blocking(fd);
            return fd;
        }
        if (owner == FOREIGN) {
            foreign++;
            user = seen;
        }
    }
    if (foreign == NAMES)
        say_taken(place, user);
    *passed_by = foreign > 0;
    return -1;
}

int fsh_meeting_connect(const struct fsh_place *place)
{
    uint64_t deadline = fsh_meeting_deadline(), nap_us = 500;
    bool scan = false;
    int fd;

    for (unsigned round = 1;; round++) {
        fd = try_names(place, scan || round % SCAN_EVERY == 0 ? NAMES : 1,
                       &scan);
        if (fd >= 0)
            return fd;
        if (fsh_time_ns() > deadline)
            fsh_fatal("gasnet_init: %s started this process as rank %" PRIu32
                      " of %" PRIu32 ", but rank 0 did not arrive within %g s "
                      "(FSHMEM_START_TIMEOUT): it has not called gasnet_init, "
                      "has ended, or runs elsewhere",
                      place->launcher, place->rank, place->size,
                      fsh_option_seconds("FSHMEM_START_TIMEOUT"));
        usleep((useconds_t)nap_us);
        nap_us = nap_us < 20000 ? nap_us * 2 : nap_us;
    }
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * News between the hosts of a job (boot/hosts.c): two hosts, each a process, meet by a
 * channel that the test plays; then one sends news with any token, kind, host, rank, code,
 * state and reason, cut into pieces of any length. The other one's page gets nothing but
 * what its ranks can have said: ends of that host's ranks, the end of the job. What is true
 * is heard behind all that. argv[1]: the seed.
 */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "boot/boot_state.h"
#include "boot/channel.h"
#include "boot/hosts.h"
#include "check.h"
#include "random.h"

/* Ranks 0 and 1 are on host 0, which lies; 2 and 3 on host 1. */
enum { RANKS = 4, FIRST = 2, NEWS = 5000, CODE = 33 };
/* As boot/hosts.c has them. */
enum { HELLO, FABRIC, STATE, ENDING };

struct news {
    uint64_t token[2];
    uint32_t kind, host;
    int32_t rank, code, state;
    char reason[212];
};
_Static_assert(sizeof(struct news) == 248, "no gaps");

/* ---- the channel of the launcher ---- */

static int channel;

void __wrap_fsh_channel_exchange(const void *in, size_t n, void *out,
                                 const char *what);

/* Of the first rank of each host; the others have nothing to say. */
void __wrap_fsh_channel_exchange(const void *in, size_t n, void *out,
                                 const char *what)
{
    unsigned char *to = out;
    uint32_t own = fsh_boot.rank, other = FIRST - own;

    (void)what;
    memset(out, 0, RANKS * n);
    CHECK(send(channel, in, n, 0) == (ssize_t)n);
    CHECK(recv(channel, to + other * n, n, MSG_WAITALL) == (ssize_t)n);
    memcpy(to + own * n, in, n);
}

static void enter(uint32_t host)
{
    static const uint32_t host_of[RANKS] = {0, 0, 1, 1};
    static const struct fsh_job_cut cut = {.hosts = 0};
    const struct fsh_place place = {
        .rank = FIRST * host, .size = RANKS, .hosts = 2, .host = host};
    struct fsh_job_page *page = calloc(1, sizeof *page);

    CHECK(page != NULL);
    page->size = RANKS;
    page->hosts = 2;
    page->host = host;
    page->token[0] = 11;
    page->token[1] = host; /* that of host 0 is the job's */
    atomic_store(&page->abort_code, -1);
    atomic_store(&page->abort_rank, -2);
    for (uint32_t r = 0; r < RANKS; r++) {
        page->rank[r].host = host_of[r];
        atomic_store(&page->rank[r].state, FSH_RANK_RUNNING);
    }
    fsh_boot.page = page;
    fsh_boot.rank = FIRST * host;
    /* As enter.c: the job's token is rank 0's, and hellos begin with it. */
    fsh_hosts_open(&place, &cut, fsh_boot.token);
}

/* ---- the liar ---- */

static void send_pieces(int fd, const struct news *news, size_t bytes,
                        uint64_t *dice)
{
    const char *at = (const char *)news;

    while (bytes > 0) {
        size_t n =
            random_next(dice) % 4 == 0 ? 1 + random_next(dice) % 300 : bytes;

        n = n < bytes ? n : bytes;
        CHECK(send(fd, at, n, MSG_NOSIGNAL) == (ssize_t)n);
        at += n;
        bytes -= n;
    }
}

static int32_t some_number(uint64_t *dice)
{
    return random_next(dice) % 2 == 0 ? (int32_t)(random_next(dice) % 12) - 3
                                      : (int32_t)random_next(dice);
}

/* All but a few cannot have been said; those may only end ranks, or the job, as 0. */
static struct news lie(uint64_t *dice)
{
    struct news n = {.token = {fsh_boot.token[0], fsh_boot.token[1]},
                     .kind = (uint32_t)random_next(dice) % 6,
                     .host = 0,
                     .rank = some_number(dice),
                     .code = some_number(dice),
                     .state = some_number(dice)};

    for (size_t i = 0; i < sizeof n.reason; i++)
        n.reason[i] = (char)(1 + random_next(dice) % 255); /* without an end */
    if (random_next(dice) % 4 == 0)
        n.token[random_next(dice) % 2] ^= UINT64_C(1) << random_next(dice) % 64;
    if (random_next(dice) % 8 == 0)
        n.host = (uint32_t)random_next(dice) % 3;
    return n;
}

static int liar(uint64_t seed)
{
    struct news truth;
    char end;

    enter(0);
    for (unsigned i = 0; i < NEWS; i++) {
        const struct news n = lie(&seed);

        send_pieces(fsh_hosts_fd(1), &n, sizeof n, &seed);
    }
    truth = (struct news){.token = {fsh_boot.token[0], fsh_boot.token[1]},
                          .kind = STATE,
                          .rank = 1,
                          .code = CODE,
                          .state = FSH_RANK_LEFT};
    send_pieces(fsh_hosts_fd(1), &truth, sizeof truth, &seed);
    /* Then nothing but a part of one, and the end. */
    send_pieces(fsh_hosts_fd(1), &truth, 100, &seed);
    shutdown(fsh_hosts_fd(1), SHUT_WR);
    CHECK(recv(fsh_hosts_fd(1), &end, 1, 0) <= 0);
    return 0;
}

/* ---- who hears it ---- */

static void check_page(void)
{
    const struct fsh_job_page *page = fsh_boot.page;
    int code = atomic_load(&page->abort_code);

    for (uint32_t r = 0; r < RANKS; r++) {
        int state = atomic_load(&page->rank[r].state);
        int ended = atomic_load(&page->rank[r].exit_code);

        if (page->rank[r].host == 1)
            CHECK(state == FSH_RANK_RUNNING && ended == 0,
                  "rank %u here: state %d, code %d", r, state, ended);
        else
            CHECK((state == FSH_RANK_RUNNING || state == FSH_RANK_LEFT ||
                   state == FSH_RANK_DEAD) &&
                      ended >= 0 && ended <= 255,
                  "rank %u: state %d, code %d", r, state, ended);
    }
    CHECK(code == -1 || (code & ~(0xff | FSH_JOB_ASKED)) == 0, "%d", code);
    CHECK(atomic_load(&page->abort_rank) >= -2 &&
              atomic_load(&page->abort_rank) < RANKS,
          "abort_rank %d", atomic_load(&page->abort_rank));
    CHECK(memchr(page->abort_reason, '\0', sizeof page->abort_reason) != NULL);
}

static void listen_to_it(void)
{
    const struct fsh_job_page *page;
    int abort_fd = eventfd(0, EFD_NONBLOCK);
    char how[256] = "nothing";
    struct pollfd p;

    enter(1);
    CHECK(fsh_hosts_count() == 2 && fsh_hosts_fd(0) >= 0 &&
          fsh_hosts_fd(1) < 0);
    page = fsh_boot.page;
    p = (struct pollfd){.fd = fsh_hosts_fd(0), .events = POLLIN};
    do {
        CHECK(poll(&p, 1, 20000) > 0, "nothing comes");
        check_page();
    } while (fsh_hosts_hear(0, abort_fd, how, sizeof how));
    check_page();
    CHECK(fsh_hosts_fd(0) < 0);
    CHECK(atomic_load(&page->rank[1].state) == FSH_RANK_LEFT &&
              atomic_load(&page->rank[1].exit_code) == CODE,
          "rank 1: state %d, code %d", atomic_load(&page->rank[1].state),
          atomic_load(&page->rank[1].exit_code));
    /* Whoever speaks for a host may have said that it has left. */
    if (atomic_load(&page->rank[0].state) == FSH_RANK_DEAD)
        CHECK(strstr(how, "has ended without leaving the job"), "%s", how);
    else
        CHECK(how[0] == '\0', "%s", how);
    CHECK(atomic_load(&page->abort_code) != -1, "no end of the job was heard");
}

int main(int argc, char **argv)
{
    int pair[2], status;
    uint64_t seed;
    pid_t pid;

    alarm(60);
    seed = random_seed(argc, argv, "boot_hosts");
    setenv("FSHMEM_OFI_INTERFACE", "lo", 1);
    setenv("GASNET_QUIET", "1", 1);
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    pid = fork();
    CHECK(pid >= 0);
    channel = pair[pid == 0];
    close(pair[pid != 0]);
    if (pid == 0)
        _Exit(liar(seed));
    listen_to_it();
    CHECK(waitpid(pid, &status, 0) == pid && status == 0, "the liar: %d",
          status);
    return 0;
}

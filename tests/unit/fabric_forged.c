/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What no simulator sends to another one (sim/partition.c): one of two partitions is the
 * test, which first keeps to the rules and then sends a notice with a lie, or at random
 * damaged ones, cut into pieces of any length. Each lie is named; whatever comes, the other
 * partition ends with a message that says whose it was. argv[1]: the seed.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check.h"
#include "fabric_script.h"
#include "random.h"

enum { CASES = 150, ROUNDS = 8, FEW_NODES = 4, HERE = 2, MOST_BEATS = 40 };

/* As sim/partition.c has them. */
struct notice {
    uint32_t magic, beats;
    uint64_t settings, round, next, gate_asked, gate_ready;
    uint32_t words, parts;
};
struct flying {
    uint32_t node, port;
    uint64_t at, data[2], bound;
};
_Static_assert(sizeof(struct notice) == 56 && sizeof(struct flying) == 40,
               "no gaps");

/* ---- the forger ---- */

struct message {
    struct notice notice;
    struct flying beat[MOST_BEATS];
};

typedef void (*lie_fn)(struct message *m, uint64_t *dice);

struct forger {
    int fd;
    lie_fn lie;
    uint64_t dice;
    unsigned honest; /* notices before the first lie */
    pthread_t thread;
};

/* False: the other side is gone. */
static bool receive(int fd, void *to, size_t bytes)
{
    return recv(fd, to, bytes, MSG_WAITALL) == (ssize_t)bytes;
}

static bool receive_notice(int fd, struct notice *notice)
{
    struct flying beat;

    if (!receive(fd, notice, sizeof *notice))
        return false;
    for (uint32_t i = 0; i < notice->beats; i++)
        if (!receive(fd, &beat, sizeof beat))
            return false;
    return true;
}

static bool send_pieces(int fd, const void *from, size_t bytes, uint64_t *dice)
{
    const unsigned char *at = from;

    while (bytes > 0) {
        size_t n = 1 + random_next(dice) % 200;
        ssize_t sent = send(fd, at, n < bytes ? n : bytes, MSG_NOSIGNAL);

        if (sent <= 0)
            return false;
        at += sent;
        bytes -= (size_t)sent;
    }
    return true;
}

/* Answers each notice of the other side; those behind the honest ones with a lie. */
static void *forge(void *arg)
{
    struct forger *f = arg;
    struct notice got;

    for (unsigned i = 0; receive_notice(f->fd, &got); i++) {
        static const struct message none;
        struct message m = none;
        size_t beats;

        m.notice = got;
        m.notice.beats = 0;
        m.notice.parts = 0;
        if (i >= f->honest)
            f->lie(&m, &f->dice);
        /* Of more there are only so many, and then the end. */
        beats = m.notice.beats < MOST_BEATS ? m.notice.beats : MOST_BEATS;
        if (!send_pieces(f->fd, &m, sizeof m.notice + beats * sizeof m.beat[0],
                         &f->dice))
            break;
        if (beats != m.notice.beats || i >= f->honest + ROUNDS)
            break;
    }
    shutdown(f->fd, SHUT_RDWR);
    return NULL;
}

/* ---- the honest partition ---- */

static void until(struct fsh_fabric *fab, uint64_t cycle)
{
    fsh_fabric_hosts(fab, cycle);
    while (fsh_fabric_cycle(fab) < cycle && !fsh_fabric_error(fab) &&
           !fsh_fabric_parted(fab))
        if (!fsh_fabric_quantum(fab, cycle) && !fsh_fabric_error(fab))
            fsh_fabric_pass(fab, cycle);
    fsh_fabric_hosts(fab, UINT64_MAX);
}

/* How it ends; "": the other one has taken leave. */
static void meet(lie_fn lie, unsigned honest, uint64_t seed, char error[512])
{
    struct fsh_fabric_config config = usual();
    struct fsh_partition partition = {
        .index = 0, .count = 2, .first = {0, HERE, FEW_NODES}};
    struct forger f = {.lie = lie, .honest = honest, .dice = seed | 1};
    struct fsh_fabric *fab;
    int pair[2];

    CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
    config.nodes = FEW_NODES;
    partition.peer[1] = pair[0];
    f.fd = pair[1];
    config.partition = &partition;
    fab = fsh_fabric_create(&config, error, 512);
    CHECK(fab != NULL, "%s", error);
    CHECK(pthread_create(&f.thread, NULL, forge, &f) == 0);
    for (uint64_t round = 0; !fsh_fabric_error(fab) && !fsh_fabric_parted(fab);
         round++) {
        for (uint32_t n = 0; n < HERE; n++)
            fsh_fabric_host_write(fab, n, 8 * (uint32_t)(round % 64), round);
        until(fab, fsh_fabric_cycle(fab) + 100);
    }
    snprintf(error, 512, "%s",
             fsh_fabric_error(fab) ? fsh_fabric_error(fab) : "");
    CHECK(fsh_fabric_destroy(fab));
    shutdown(pair[0], SHUT_RDWR);
    CHECK(pthread_join(f.thread, NULL) == 0);
    close(pair[0]);
    close(pair[1]);
}

/* ---- lies, one at a time ---- */

/* Beats to a node that is here, by the link from one that is not. */
static void some_beats(struct message *m, uint32_t beats, uint64_t first)
{
    m->notice.beats = beats;
    for (uint32_t i = 0; i < beats && i < MOST_BEATS; i++)
        m->beat[i] = (struct flying){.node = 0, .port = 1, .at = first + i};
}

static void magic(struct message *m, uint64_t *dice)
{
    m->notice.magic ^= 1u << random_next(dice) % 32;
}
static void settings(struct message *m, uint64_t *dice)
{
    m->notice.settings ^= UINT64_C(1) << random_next(dice) % 64;
}
static void round_of(struct message *m, uint64_t *dice)
{
    m->notice.round += 1 + random_next(dice) % 1000;
}
static void nobody(struct message *m, uint64_t *dice)
{
    some_beats(m, 1, m->notice.next + 1000);
    m->beat[0].node = HERE + (uint32_t)random_next(dice) % 0xfffffff0u;
}
static void no_port(struct message *m, uint64_t *dice)
{
    some_beats(m, 1, m->notice.next + 1000);
    m->beat[0].port = FSH_NODE_PORTS + (uint32_t)random_next(dice) % 1000;
}
static void past(struct message *m, uint64_t *dice)
{
    (void)dice;
    some_beats(m, 1, 0);
}
static void twice(struct message *m, uint64_t *dice)
{
    (void)dice;
    some_beats(m, 2, m->notice.next + 1000);
    m->beat[1].at = m->beat[0].at;
}
static void backwards(struct message *m, uint64_t *dice)
{
    (void)dice;
    some_beats(m, 2, m->notice.next + 1000);
    m->beat[1].at--;
}
static void leave(struct message *m, uint64_t *dice)
{
    (void)dice;
    m->notice.parts = 1;
}

static void test_named(uint64_t seed)
{
    static const struct {
        lie_fn lie;
        const char *text;
    } lies[] = {{magic, "is of another release"},
                {settings, "has other settings"},
                {round_of, "is in another round"},
                {nobody, "sends a beat to a node that is not here"},
                {no_port, "sends a beat to a node that is not here"},
                {past, "sends a beat that comes too late"},
                {twice, "sends a beat that comes too late"},
                {backwards, "sends a beat that comes too late"},
                {leave, ""}};
    char error[512];

    for (unsigned i = 0; i < sizeof lies / sizeof lies[0]; i++)
        for (unsigned honest = 0; honest < 3; honest++) {
            meet(lies[i].lie, honest, seed + i, error);
            CHECK(lies[i].text[0] != '\0' ? strstr(error, lies[i].text) != NULL
                                          : error[0] == '\0',
                  "lie %u, expected \"%s\": %s", i, lies[i].text, error);
            CHECK(error[0] == '\0' ||
                      strstr(error, "the simulator of nodes 2 to 3 "),
                  "%s", error);
        }
}

/* ---- at random ---- */

static uint64_t some_number(uint64_t *dice, uint64_t near)
{
    switch (random_next(dice) % 4) {
    case 0:
        return random_next(dice);
    case 1:
        return near + random_next(dice) % 400;
    case 2:
        return UINT64_MAX - random_next(dice) % 3;
    default:
        return near - random_next(dice) % 400;
    }
}

static void at_random(struct message *m, uint64_t *dice)
{
    uint64_t next = m->notice.next;

    switch (random_next(dice) % 8) {
    case 0:
        m->notice.next = some_number(dice, next);
        break;
    case 1:
        m->notice.gate_asked = some_number(dice, next);
        m->notice.gate_ready = some_number(dice, next);
        break;
    case 2:
        m->notice.words = (uint32_t)random_next(dice);
        break;
    case 3: /* any byte of all of it */
        some_beats(m, (uint32_t)random_next(dice) % MOST_BEATS, next + 300);
        for (unsigned i = 0; i < 3; i++)
            ((unsigned char *)m)[random_next(dice) % sizeof *m] ^=
                (unsigned char)random_next(dice);
        break;
    case 4: /* more than there is room for, or than come */
        some_beats(m, (uint32_t)some_number(dice, MOST_BEATS), next + 300);
        break;
    default:
        some_beats(m, (uint32_t)random_next(dice) % MOST_BEATS, next + 300);
        for (unsigned i = 0; i < 3; i++) {
            struct flying *b = &m->beat[random_next(dice) % MOST_BEATS];

            b->node = (uint32_t)random_next(dice) % (FEW_NODES + 1);
            b->port = (uint32_t)random_next(dice) % (FSH_NODE_PORTS + 1);
            b->at = some_number(dice, next);
            b->bound = random_next(dice) % 2;
        }
    }
}

static void test_random(uint64_t seed)
{
    char error[512];

    for (unsigned i = 0; i < CASES; i++) {
        meet(at_random, i % 3, seed + i, error);
        CHECK(error[0] == '\0' ||
                  strstr(error, "the simulator of nodes 2 to 3 "),
              "case %u: %s", i, error);
    }
}

int main(int argc, char **argv)
{
    uint64_t seed;

    alarm(110);
    seed = random_seed(argc, argv, "fabric_forged");
    test_named(seed);
    test_random(seed);
    return 0;
}

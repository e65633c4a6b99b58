/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PMI-2: mpiexec of MPICH, srun --mpi=pmi2. Values are text of at most 1 KiB, so bytes
 * travel as hexadecimal digits, in pieces. See channel.h.
 */
#include "boot/channel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/assertion.h"

enum { SUCCESS = 0, NO_HINT = -1, VALUE = 1024, PIECE = 480 };
_Static_assert(2 * PIECE < VALUE, "a piece fits");
#define READ_MS 1000u

/* As pmi2.h has them, which not every installation has. */
static struct {
    int (*init)(int *spawned, int *size, int *rank, int *appnum);
    int (*finalize)(void);
    int (*put)(const char key[], const char value[]);
    int (*fence)(void);
    int (*get)(const char *job, int source_hint, const char key[], char value[],
               int room, int *length);
    int (*job_id)(char id[], int room);
    int (*attribute)(const char name[], char value[], int room, int *found,
                     int wait);
    int (*abort)(int flag, const char text[]);
} pmi;

static const struct fsh_channel_function functions[] = {
    {"PMI2_Init", &pmi.init},
    {"PMI2_Finalize", &pmi.finalize},
    {"PMI2_KVS_Put", &pmi.put},
    {"PMI2_KVS_Fence", &pmi.fence},
    {"PMI2_KVS_Get", &pmi.get},
    {"PMI2_Job_GetId", &pmi.job_id},
    {"PMI2_Info_GetJobAttr", &pmi.attribute},
    {"PMI2_Abort", &pmi.abort},
    {NULL, NULL}};

static char job[256];
static unsigned own_rank;

/* The library would wait for ever at what is no connection. */
static bool offered(void)
{
    const char *text = getenv("PMI_FD");
    struct stat st;

    return text != NULL && fstat(atoi(text), &st) == 0 && S_ISSOCK(st.st_mode);
}

/* By the program that this rank was before: the library would write to it, which SIGPIPE
 * ends without a word. */
static bool is_closed(void)
{
    char byte;

    return recv(atoi(getenv("PMI_FD")), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

static bool succeeds(int rc, const char *what)
{
    return rc == SUCCESS || fsh_channel_fails("%s: error %d", what, rc);
}

/* The next "(first host, hosts, ranks on each)" behind *map; false: there is none. */
static bool next_block(const char **map, unsigned block[3])
{
    *map = **map != '\0' ? strchr(*map + 1, '(') : NULL;
    return *map != NULL &&
           sscanf(*map, "(%9u,%9u,%9u)", &block[0], &block[1], &block[2]) == 3;
}

bool fsh_channel_find_host(const char *map, uint32_t rank, unsigned *host)
{
    const char *at = map;
    uint64_t here, all = 0;
    unsigned block[3];

    while (next_block(&at, block))
        all += (uint64_t)block[1] * block[2];
    if (at != NULL || all == 0) /* what follows is no block */
        return false;
    all = rank % all; /* those before it, in this turn */
    for (at = map; next_block(&at, block); all -= here) {
        here = (uint64_t)block[1] * block[2];
        if (all < here) {
            *host = block[0] + (unsigned)(all / block[2]);
            return true;
        }
    }
    return false;
}

static void name_host(struct fsh_channel_place *place)
{
    char map[VALUE] = "";
    unsigned host;
    int found = 0;

    if (pmi.attribute("PMI_process_mapping", map, sizeof map, &found, 1) ==
            SUCCESS &&
        found != 0 && fsh_channel_find_host(map, place->rank, &host))
        snprintf(place->host, sizeof place->host, "host %u", host);
    else
        gethostname(place->host, sizeof place->host - 1);
}

static bool open_it(struct fsh_channel_place *place)
{
    int spawned, size, rank, appnum;

    if (is_closed())
        return fsh_channel_fails("the launcher has closed its connection to "
                                 "this rank; " FSH_CHANNEL_ONCE);
    if (!fsh_channel_load("libpmi2.so.0", functions,
                          "PMI-2 (Debian package libpmi2-0)") ||
        !succeeds(pmi.init(&spawned, &size, &rank, &appnum), "PMI2_Init") ||
        !succeeds(pmi.job_id(job, sizeof job), "PMI2_Job_GetId"))
        return false;
    place->rank = (uint32_t)rank;
    place->size = (uint32_t)size;
    own_rank = place->rank;
    name_host(place);
    return true;
}

static void name_piece(char *name, size_t room, unsigned rank, const char *key,
                       size_t at)
{
    snprintf(name, room, "%s.%u.%zu", key, rank, at / PIECE);
}

static bool put(const char *key, const void *bytes, size_t n)
{
    const unsigned char *from = bytes;
    char name[64], value[VALUE];

    for (size_t at = 0; at < n; at += PIECE) {
        size_t here = n - at < PIECE ? n - at : PIECE;

        for (size_t i = 0; i < here; i++)
            snprintf(value + 2 * i, 3, "%02x", from[at + i]);
        name_piece(name, sizeof name, own_rank, key, at);
        if (!succeeds(pmi.put(name, value), "PMI2_KVS_Put"))
            return false;
    }
    return true;
}

static bool fence(void)
{
    return succeeds(pmi.fence(), "PMI2_KVS_Fence");
}

static bool get(uint32_t rank, const char *key, void *bytes, size_t n)
{
    unsigned char *to = bytes;
    char name[64], value[VALUE];
    int length = 0;

    for (size_t at = 0; at < n; at += PIECE) {
        size_t here = n - at < PIECE ? n - at : PIECE;

        name_piece(name, sizeof name, rank, key, at);
        if (!succeeds(pmi.get(job, NO_HINT, name, value, sizeof value, &length),
                      "PMI2_KVS_Get"))
            return false;
        value[VALUE - 1] = '\0';
        if (strlen(value) != 2 * here)
            return fsh_channel_fails("rank %u has published another size for "
                                     "%s: is it the same program?",
                                     rank, key);
        for (size_t i = 0; i < here; i++) {
            char digits[3] = {value[2 * i], value[2 * i + 1], '\0'};

            to[at + i] = (unsigned char)strtoul(digits, NULL, 16);
        }
    }
    return true;
}

/* MPICH's launcher ends before it has read all that the ranks have said. What it reads
 * through, a pipe, tells how much it has not; it takes the abort behind that. Bounded. */
static void let_it_read(int fd)
{
    const struct timespec nap = {0, 1000000};
    int unread;
    struct stat st;

    if (fstat(fd, &st) != 0 || !S_ISFIFO(st.st_mode))
        return;
    for (unsigned i = 0; i < READ_MS; i++) {
        if (ioctl(fd, FIONREAD, &unread) != 0 || unread == 0)
            return;
        nanosleep(&nap, NULL);
    }
}

static bool abort_job(int code, const char *why)
{
    (void)code; /* the launcher's own */
    let_it_read(STDOUT_FILENO);
    let_it_read(STDERR_FILENO);
    return succeeds(pmi.abort(1, why != NULL ? why : ""), "PMI2_Abort");
}

static void close_it(void)
{
    pmi.finalize();
}

const struct fsh_channel_ops fsh_channel_pmi2 = {.name = "PMI-2",
                                                 .offered = offered,
                                                 .open = open_it,
                                                 .put = put,
                                                 .fence = fence,
                                                 .get = get,
                                                 .abort = abort_job,
                                                 .close = close_it};

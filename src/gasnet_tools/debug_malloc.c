/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gasnett_debug_malloc and its family: each allocation is surrounded by guard
 * words and linked in a ring. Out-of-bounds writes, double frees and pointers
 * that were never allocated are detected by a check, or at the latest when the
 * memory is freed. `where` is the file and line of the call. Any thread.
 */
#include <pthread.h>

#include "gasnet_tools.h"

#define LIVE UINT64_C(0x6c697665706c6568)
#define FREED UINT64_C(0xdeadbeeffeeddead)
#define TAIL UINT64_C(0x7461696c6d61726b)

/* Header of an allocation; keeps malloc's alignment behind it. */
struct piece {
    struct piece *next, *prev;
    const char *where; /* place of the allocation */
    size_t nbytes;
    uint64_t pad[3];
    uint64_t mark;
};
_Static_assert(sizeof(struct piece) % 16 == 0, "alignment of pieces");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct piece *ring; /* the allocation to check next, or NULL */
static gasnett_heapstats_t totals;

static char *data_of(struct piece *piece)
{
    return (char *)(piece + 1);
}

/* Describes the damage to an allocation, or returns NULL. */
static const char *damage(const struct piece *piece)
{
    uint64_t tail;

    if (piece->mark == FREED)
        return "has been freed already";
    if (piece->mark != LIVE)
        return "was never allocated, or was written before its start";
    memcpy(&tail, (const char *)(piece + 1) + piece->nbytes, sizeof tail);
    return tail == TAIL ? NULL : "was written past its end";
}

static void check(const struct piece *piece, const char *where)
{
    const char *wrong = damage(piece);

    if (wrong == NULL)
        return;
    if (piece->mark != LIVE)
        gasnett_fatalerror_nopos("%s: the memory at %p %s", where,
                                 (const void *)(piece + 1), wrong);
    gasnett_fatalerror_nopos("%s: the memory at %p, %zu bytes allocated at %s, "
                             "%s",
                             where, (const void *)(piece + 1), piece->nbytes,
                             piece->where, wrong);
}

static void count_new(size_t nbytes)
{
    totals.allocated_bytes += nbytes;
    totals.live_bytes += nbytes;
    totals.live_bytes_max = MAX(totals.live_bytes_max, totals.live_bytes);
    totals.allocated_objects++;
    totals.live_objects++;
    totals.live_objects_max = MAX(totals.live_objects_max, totals.live_objects);
}

static void count_freed(size_t nbytes)
{
    totals.freed_bytes += nbytes;
    totals.live_bytes -= nbytes;
    totals.freed_objects++;
    totals.live_objects--;
}

void *fsh_gasnett_malloc(size_t nbytes, const char *where)
{
    const uint64_t tail = TAIL;
    struct piece *piece = NULL;

    if (nbytes < SIZE_MAX - sizeof *piece - sizeof tail)
        piece = malloc(sizeof *piece + nbytes + sizeof tail);
    if (piece == NULL)
        gasnett_fatalerror_nopos("%s: no memory for %zu bytes", where, nbytes);
    piece->where = where;
    piece->nbytes = nbytes;
    piece->mark = LIVE;
    /* Makes uninitialised memory recognisable. */
    memset(data_of(piece), 0xa5, nbytes);
    memcpy(data_of(piece) + nbytes, &tail, sizeof tail);
    pthread_mutex_lock(&lock);
    piece->next = ring ? ring : piece;
    piece->prev = ring ? ring->prev : piece;
    piece->next->prev = piece;
    piece->prev->next = piece;
    ring = piece;
    count_new(nbytes);
    pthread_mutex_unlock(&lock);
    return data_of(piece);
}

void *fsh_gasnett_calloc(size_t n, size_t size, const char *where)
{
    size_t nbytes;
    void *p;

    if (__builtin_mul_overflow(n, size, &nbytes))
        gasnett_fatalerror_nopos("%s: no memory for %zu times %zu bytes", where,
                                 n, size);
    p = fsh_gasnett_malloc(nbytes, where);
    return memset(p, 0, nbytes);
}

void fsh_gasnett_free(void *p, const char *where)
{
    struct piece *piece;

    if (p == NULL)
        return;
    piece = (struct piece *)p - 1;
    pthread_mutex_lock(&lock);
    check(piece, where);
    if (ring == piece)
        ring = piece->next == piece ? NULL : piece->next;
    piece->next->prev = piece->prev;
    piece->prev->next = piece->next;
    count_freed(piece->nbytes);
    pthread_mutex_unlock(&lock);
    piece->mark = FREED;
    memset(p, 0xde, piece->nbytes);
    free(piece);
}

void *fsh_gasnett_realloc(void *p, size_t nbytes, const char *where)
{
    void *q = fsh_gasnett_malloc(nbytes, where);

    if (p != NULL) {
        fsh_gasnett_memcheck(p, where);
        memcpy(q, p, MIN(nbytes, ((struct piece *)p - 1)->nbytes));
        fsh_gasnett_free(p, where);
    }
    return q;
}

char *fsh_gasnett_strndup(const char *s, size_t n, const char *where)
{
    size_t length = strnlen(s, n);
    char *copy = fsh_gasnett_malloc(length + 1, where);

    memcpy(copy, s, length);
    copy[length] = '\0';
    return copy;
}

char *fsh_gasnett_strdup(const char *s, const char *where)
{
    return fsh_gasnett_strndup(s, SIZE_MAX, where);
}

void fsh_gasnett_memcheck(const void *p, const char *where)
{
    pthread_mutex_lock(&lock);
    check((const struct piece *)p - 1, where);
    pthread_mutex_unlock(&lock);
}

void fsh_gasnett_memcheck_all(const char *where, int one)
{
    pthread_mutex_lock(&lock);
    for (uint64_t i = 0; i < (one ? 1 : totals.live_objects) && ring; i++) {
        check(ring, where);
        ring = ring->next;
    }
    pthread_mutex_unlock(&lock);
}

int fsh_gasnett_heapstats(gasnett_heapstats_t *stats)
{
    pthread_mutex_lock(&lock);
    *stats = totals;
    stats->overhead_bytes =
        totals.live_objects * (sizeof(struct piece) + sizeof(uint64_t));
    pthread_mutex_unlock(&lock);
    return 0;
}

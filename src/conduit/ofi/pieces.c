/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Put and get by messages, where the provider has no remote memory access. Up to 64 KiB
 * go in one message, more in pieces, which are sent as the target gives back room: a piece
 * takes its bytes, whichever way they go, from the window of requests, of which one message
 * is left to others. The target answers each where it finds it (arrive of progress.c): a
 * PUT, when its bytes are in place, with DONE, a GET with DATA. See state.h.
 */
#include <stdlib.h>
#include <string.h>

#include "base/assertion.h"
#include "base/log.h"
#include "conduit/ofi/state.h"

_Static_assert(FSH_OFI_WINDOW / 2 >= 2 * FSH_OFI_MAX_MESSAGE,
               "a piece goes once all that is much has been given back");

struct fsh_ofi_copy {
    struct fsh_ofi_copy *next; /* with pieces to send, of its peer */
    enum fsh_ofi_kind kind;    /* PUT or GET */
    uint32_t node;
    uint64_t remote;
    unsigned char *local;
    size_t bytes, begun, ended;
    struct fsh_event *event, *second; /* second: all of local has been read */
    unsigned char copy[]; /* of the source of a put, if local is it */
};

/* A piece that has not been answered; by its number, which travels. */
struct piece {
    struct fsh_ofi_copy *of; /* NULL: the number is free */
    size_t at;
    uint32_t bytes, next_free;
};

static struct {
    struct piece *piece;
    uint32_t numbers, free; /* `numbers` if none is free */
} pieces;

static uint32_t room_of(uint32_t bytes)
{
    return (uint32_t)fsh_ofi_bytes(1, bytes);
}

/* ---- numbers ---- */

static void more_numbers(void)
{
    uint32_t n = pieces.numbers == 0 ? 64 : 2 * pieces.numbers;
    struct piece *more = realloc(pieces.piece, n * sizeof *more);

    if (more == NULL)
        fsh_fatal("conduit ofi: no memory for %u pieces of puts and gets", n);
    for (uint32_t i = pieces.numbers; i < n; i++)
        more[i] = (struct piece){.next_free = i + 1};
    pieces.piece = more;
    pieces.free = pieces.numbers;
    pieces.numbers = n;
}

static uint32_t take_number(struct piece piece)
{
    uint32_t number;

    if (pieces.free == pieces.numbers)
        more_numbers();
    number = pieces.free;
    pieces.free = pieces.piece[number].next_free;
    pieces.piece[number] = piece;
    return number;
}

static void free_number(uint32_t number)
{
    pieces.piece[number] = (struct piece){.next_free = pieces.free};
    pieces.free = number;
}

/* ---- sending ---- */

static struct fsh_ofi_head make_head(enum fsh_ofi_kind kind, uint8_t nargs,
                                     uint64_t dst)
{
    return (struct fsh_ofi_head){.job = fsh_ofi.expect.job,
                                 .source = fsh_ofi.rank,
                                 .kind = (uint8_t)kind,
                                 .category = fsh_ofi_piece_category(kind),
                                 .nargs = nargs,
                                 .dst = dst};
}

/* With what is owed to the peer besides. */
static void send(uint32_t node, struct fsh_ofi_head *head,
                 const struct fsh_am *am)
{
    head->credit += fsh_ofi.peers[node].owed;
    fsh_ofi.peers[node].owed = 0;
    fsh_ofi_send(node, head, am, false);
}

static void send_piece(struct fsh_ofi_copy *copy, uint32_t bytes)
{
    bool put = copy->kind == FSH_OFI_PUT;
    const int32_t args[] = {(int32_t)take_number((struct piece){
                                .of = copy, .at = copy->begun, .bytes = bytes}),
                            (int32_t)bytes};
    const struct fsh_am am = {.args = args, .src = copy->local + copy->begun};
    struct fsh_ofi_head head =
        make_head(copy->kind, put ? 1 : 2, copy->remote + copy->begun);

    head.nbytes = put ? bytes : 0;
    fsh_ofi.peers[copy->node].window -= room_of(bytes);
    copy->begun += bytes;
    send(copy->node, &head, &am);
}

static void complete(struct fsh_event *event)
{
    /* After the data; partner: whoever waits for 0. */
    if (event != NULL)
        atomic_fetch_sub_explicit(&event->pending, 1, memory_order_release);
}

void fsh_ofi_pieces_flush(uint32_t node)
{
    struct fsh_ofi_peer *peer = &fsh_ofi.peers[node];
    struct fsh_ofi_copy *copy;

    while ((copy = peer->copies) != NULL) {
        size_t left = copy->bytes - copy->begun;
        uint32_t bytes =
            left < FSH_OFI_MAX_PAYLOAD ? (uint32_t)left : FSH_OFI_MAX_PAYLOAD;

        if (peer->window < room_of(bytes) + FSH_OFI_MAX_MESSAGE)
            return;
        send_piece(copy, bytes);
        if (copy->begun != copy->bytes)
            continue;
        peer->copies = copy->next;
        complete(copy->second);
        copy->second = NULL;
    }
}

static struct fsh_ofi_copy *make(size_t bytes)
{
    struct fsh_ofi_copy *copy = malloc(sizeof *copy + bytes);

    if (copy == NULL)
        fsh_fatal("conduit ofi: no memory for %zu bytes on their way", bytes);
    return copy;
}

static void count(struct fsh_event *event)
{
    if (event != NULL)
        atomic_fetch_add_explicit(&event->pending, 1, memory_order_relaxed);
}

static void start(struct fsh_ofi_copy *copy)
{
    struct fsh_ofi_peer *peer = &fsh_ofi.peers[copy->node];

    count(copy->event);
    count(copy->second);
    pthread_mutex_lock(&fsh_ofi.lock);
    if (peer->copies == NULL)
        peer->last_copy = &peer->copies;
    *peer->last_copy = copy;
    peer->last_copy = &copy->next;
    fsh_ofi_pieces_flush(copy->node);
    fsh_ofi_expect_completion(); /* of the answers */
    pthread_mutex_unlock(&fsh_ofi.lock);
}

void fsh_ofi_pieces_put(uint32_t node, void *dst, const void *src, size_t n,
                        struct fsh_event *local, struct fsh_event *remote)
{
    struct fsh_ofi_copy *copy;

    if (n == 0)
        return;
    copy = make(local == NULL ? n : 0);
    *copy = (struct fsh_ofi_copy){.kind = FSH_OFI_PUT,
                                  .node = node,
                                  .remote = (uintptr_t)dst,
                                  .local = (unsigned char *)(uintptr_t)src,
                                  .bytes = n,
                                  .event = remote,
                                  .second = local == remote ? NULL : local};
    if (local == NULL)
        copy->local = memcpy(copy->copy, src, n);
    start(copy);
}

void fsh_ofi_pieces_get(void *dst, uint32_t node, const void *src, size_t n,
                        struct fsh_event *done)
{
    struct fsh_ofi_copy *copy;

    if (n == 0)
        return;
    copy = make(0);
    *copy = (struct fsh_ofi_copy){.kind = FSH_OFI_GET,
                                  .node = node,
                                  .remote = (uintptr_t)src,
                                  .local = dst,
                                  .bytes = n,
                                  .event = done};
    start(copy);
}

/* ---- answers ---- */

static void *memory_at(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

/* A PUT or a GET of a peer; its range has been checked. */
static void answer(const struct fsh_ofi_head *h, const int32_t *args,
                   const void *payload)
{
    bool put = h->kind == FSH_OFI_PUT;
    uint32_t bytes = put ? h->nbytes : (uint32_t)args[1];
    const struct fsh_am am = {.args = args, .src = memory_at(h->dst)};
    struct fsh_ofi_head head =
        make_head(put ? FSH_OFI_DONE : FSH_OFI_DATA, 1, 0);

    if (put)
        memcpy(memory_at(h->dst), payload, bytes);
    head.nbytes = put ? 0 : bytes;
    head.credit = room_of(bytes);
    send(h->source, &head, &am);
}

static bool is_answer_to(const struct fsh_ofi_head *h, uint32_t number)
{
    const struct piece *piece;

    if (number >= pieces.numbers)
        return false;
    piece = &pieces.piece[number];
    if (piece->of == NULL || piece->of->node != h->source)
        return false;
    return h->kind == FSH_OFI_DONE
               ? piece->of->kind == FSH_OFI_PUT
               : piece->of->kind == FSH_OFI_GET && piece->bytes == h->nbytes;
}

bool fsh_ofi_piece_came(const struct fsh_ofi_head *h)
{
    const int32_t *args = (const int32_t *)(h + 1);
    const unsigned char *payload =
        (const unsigned char *)h + fsh_ofi_payload_at(h->nargs);
    uint32_t number = (uint32_t)args[0];
    struct fsh_ofi_copy *copy;

    if (h->kind == FSH_OFI_PUT || h->kind == FSH_OFI_GET) {
        answer(h, args, payload);
        return true;
    }
    if (!is_answer_to(h, number))
        return false;
    copy = pieces.piece[number].of;
    if (h->kind == FSH_OFI_DATA)
        memcpy(copy->local + pieces.piece[number].at, payload, h->nbytes);
    copy->ended += pieces.piece[number].bytes;
    free_number(number);
    if (copy->ended == copy->bytes) {
        FSH_ASSERT(copy->begun == copy->bytes);
        complete(copy->event);
        free(copy);
    }
    return true;
}

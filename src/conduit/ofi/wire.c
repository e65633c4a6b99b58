/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages on the wire; see wire.h.
 */
#include "conduit/ofi/wire.h"

#include <string.h>

size_t fsh_ofi_pack(void *to, const struct fsh_ofi_head *head,
                    const struct fsh_am *am)
{
    unsigned char *message = to;
    size_t at = fsh_ofi_payload_at(head->nargs);
    size_t end = sizeof *head + 4 * (size_t)head->nargs;
    size_t carried = fsh_ofi_carried(head);
    size_t bytes = fsh_ofi_bytes(head->nargs, carried);

    memcpy(message, head, sizeof *head);
    if (head->nargs != 0)
        memcpy(message + sizeof *head, am->args, 4 * (size_t)head->nargs);
    memset(message + end, 0, at - end); /* nothing of ours leaks in gaps */
    if (carried != 0)
        memcpy(message + at, am->src, carried);
    memset(message + at + carried, 0, bytes - at - carried);
    return bytes;
}

static bool is_of_job(const struct fsh_ofi_expect *expect,
                      const struct fsh_ofi_head *h)
{
    /* No early end: how long it takes says nothing of the token. */
    return ((h->job.word[0] ^ expect->job.word[0]) |
            (h->job.word[1] ^ expect->job.word[1])) == 0 &&
           h->source < expect->ranks;
}

/* A Long of no bytes may point anywhere. */
static bool is_in_segment(const struct fsh_ofi_expect *expect,
                          const struct fsh_ofi_head *h, uint32_t bytes)
{
    return bytes == 0 ||
           (h->dst >= expect->segment &&
            h->dst - expect->segment <= expect->segment_bytes &&
            bytes <= expect->segment_bytes - (h->dst - expect->segment));
}

/* Of a message of the right length: is it what that kind has? */
static bool is_piece(const struct fsh_ofi_expect *expect,
                     const struct fsh_ofi_head *h, const void *message)
{
    bool has_payload = h->kind == FSH_OFI_PUT || h->kind == FSH_OFI_DATA;
    uint32_t wanted;

    if (h->category != fsh_ofi_piece_category(h->kind) ||
        has_payload != (h->nbytes != 0) ||
        h->nargs != (h->kind == FSH_OFI_GET ? 2 : 1))
        return false;
    if (h->kind != FSH_OFI_GET)
        return true;
    memcpy(&wanted, (const unsigned char *)message + sizeof *h + 4,
           sizeof wanted);
    return wanted != 0 && wanted <= FSH_OFI_MAX_PAYLOAD &&
           is_in_segment(expect, h, wanted);
}

/* Smaller Longs have no need of it. */
static bool is_placed(const struct fsh_ofi_head *h)
{
    return h->category == FSH_AM_LONG && h->nbytes > FSH_OFI_MAX_PAYLOAD &&
           h->nbytes <= FSH_OFI_MAX_LONG;
}

bool fsh_ofi_is_ours(const struct fsh_ofi_expect *expect, const void *message,
                     size_t bytes)
{
    struct fsh_ofi_head h;

    if (bytes < sizeof h)
        return false;
    memcpy(&h, message, sizeof h);
    return is_of_job(expect, &h) && h.kind < FSH_OFI_KINDS &&
           h.category <= FSH_AM_LONG && h.nargs <= FSH_OFI_MAX_ARGS &&
           fsh_ofi_carried(&h) <= FSH_OFI_MAX_PAYLOAD &&
           bytes == fsh_ofi_bytes(h.nargs, fsh_ofi_carried(&h)) &&
           (!fsh_ofi_is_placed(h.kind) || is_placed(&h)) &&
           (h.category != FSH_AM_SHORT || h.nbytes == 0) &&
           (h.kind != FSH_OFI_MEET || h.handler < FSH_OFI_ROUNDS) &&
           (h.category != FSH_AM_LONG || is_in_segment(expect, &h, h.nbytes)) &&
           (h.kind < FSH_OFI_PUT || is_piece(expect, &h, message));
}

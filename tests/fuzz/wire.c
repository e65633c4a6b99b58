/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages of conduit ofi, with the job's token or almost, of any kind, most of them such as a
 * rank sends but for a field or two: what is taken for a message of the job is what a model of
 * wire.h says. Memory ends with the message, for the address sanitizer. See fuzz.h for the
 * arguments.
 */
#include "conduit/ofi/wire.h"
#include "fuzz.h"

#define SEGMENT UINT64_C(0x7f0000001000)

static struct fsh_ofi_expect expect;

static void fuzz_setup(void)
{
    expect =
        (struct fsh_ofi_expect){.job = {{0x0123456789abcdef, 0x1122334455}},
                                .ranks = 5,
                                .segment = SEGMENT,
                                .segment_bytes = UINT64_C(3) << 30};
}

/* ---- the model ---- */

/* [from, from + n) is in the segment. */
static bool inside(uint64_t from, uint64_t n)
{
    unsigned __int128 end = (unsigned __int128)from + n;

    return from >= SEGMENT && end <= SEGMENT + expect.segment_bytes;
}

static size_t up(size_t n)
{
    return (n + 15) / 16 * 16;
}

static bool is_am(const struct fsh_ofi_head *h, bool placed)
{
    if (placed)
        return h->category == FSH_AM_LONG && h->nbytes > 65536 &&
               h->nbytes <= UINT32_C(1) << 30 && inside(h->dst, h->nbytes);
    if (h->category == FSH_AM_SHORT)
        return h->nbytes == 0;
    return h->nbytes <= 65536 && (h->category == FSH_AM_MEDIUM ||
                                  h->nbytes == 0 || inside(h->dst, h->nbytes));
}

static bool is_right(const struct fsh_ofi_head *h, uint32_t wanted,
                     size_t bytes)
{
    bool placed =
        h->kind == FSH_OFI_PLACED_REQUEST || h->kind == FSH_OFI_PLACED_REPLY;
    size_t length =
        up(40 + 4 * (size_t)h->nargs) + (placed ? 0 : up(h->nbytes));

    if (memcmp(&h->job, &expect.job, 16) != 0 || h->source >= 5 ||
        h->nargs > 16 || h->category > FSH_AM_LONG || bytes != length)
        return false;
    switch (h->kind) {
    case FSH_OFI_MEET:
        return h->handler < 10 && is_am(h, false);
    case FSH_OFI_REQUEST:
    case FSH_OFI_REPLY:
    case FSH_OFI_CREDIT:
    case FSH_OFI_HELLO:
    case FSH_OFI_PLACED_REQUEST:
    case FSH_OFI_PLACED_REPLY:
        return is_am(h, placed);
    case FSH_OFI_PUT:
        return h->category == FSH_AM_LONG && h->nargs == 1 && h->nbytes != 0 &&
               is_am(h, false);
    case FSH_OFI_GET:
        return h->category == FSH_AM_SHORT && h->nargs == 2 && h->nbytes == 0 &&
               wanted != 0 && wanted <= 65536 && inside(h->dst, wanted);
    case FSH_OFI_DONE:
        return h->category == FSH_AM_SHORT && h->nargs == 1 && h->nbytes == 0;
    case FSH_OFI_DATA:
        return h->category == FSH_AM_MEDIUM && h->nargs == 1 &&
               h->nbytes != 0 && is_am(h, false);
    default:
        return false;
    }
}

/* ---- messages ---- */

static uint32_t some_bytes(struct fuzz *f)
{
    switch (fuzz_below(f, 8)) {
    case 0:
        return (uint32_t)fuzz_word(f);
    case 1:
        return 65535 + fuzz_below(f, 3);
    case 2:
        return (UINT32_C(1) << 30) - 1 + fuzz_below(f, 3);
    case 3:
        return 0;
    default:
        return fuzz_below(f, 300);
    }
}

static uint64_t some_place(struct fuzz *f)
{
    switch (fuzz_below(f, 6)) {
    case 0:
        return fuzz_word(f);
    case 1:
        return SEGMENT + expect.segment_bytes - fuzz_below(f, 400);
    case 2:
        return SEGMENT - fuzz_below(f, 400);
    case 3:
        return UINT64_MAX - fuzz_below(f, 400);
    default:
        return SEGMENT + fuzz_word(f) % expect.segment_bytes;
    }
}

/* Such as there are, if place and size fit. */
static struct fsh_ofi_head some_head(struct fuzz *f)
{
    struct fsh_ofi_head h = {.job = expect.job,
                             .source = fuzz_below(f, 5),
                             .kind = (uint8_t)fuzz_below(f, FSH_OFI_KINDS),
                             .handler = (uint8_t)fuzz_below(f, 10),
                             .category = (uint8_t)fuzz_below(f, 3),
                             .nargs = (uint8_t)fuzz_below(f, 17),
                             .nbytes = some_bytes(f),
                             .dst = some_place(f)};

    if (h.kind >= FSH_OFI_PUT) {
        h.category = fsh_ofi_piece_category(h.kind);
        h.nargs = h.kind == FSH_OFI_GET ? 2 : 1;
    }
    if (fsh_ofi_is_placed(h.kind))
        h.category = FSH_AM_LONG;
    if (h.category == FSH_AM_SHORT)
        h.nbytes = 0;
    return h;
}

static void spoil(struct fuzz *f, struct fsh_ofi_head *h)
{
    switch (fuzz_below(f, 7)) {
    case 0:
        h->job.word[fuzz_below(f, 2)] ^= UINT64_C(1) << fuzz_below(f, 64);
        break;
    case 1:
        h->source = (uint32_t)fuzz_word(f);
        break;
    case 2:
        h->kind = fuzz_byte(f);
        break;
    case 3:
        h->category = fuzz_byte(f);
        break;
    case 4:
        h->nargs = fuzz_byte(f);
        break;
    case 5:
        h->nbytes = some_bytes(f);
        break;
    default:
        ((unsigned char *)h)[fuzz_below(f, sizeof *h)] = fuzz_byte(f);
    }
}

static void fuzz_case(struct fuzz *f)
{
    struct fsh_ofi_head h = some_head(f);
    uint32_t wanted = some_bytes(f);
    unsigned char *message;
    size_t bytes, n;
    bool ours, right;

    for (unsigned i = fuzz_below(f, 3); i > 0; i--)
        spoil(f, &h);
    bytes = fsh_ofi_bytes(h.nargs, fsh_ofi_carried(&h));
    if (fuzz_rarely(f, 4))
        bytes += fuzz_below(f, 40) - 20u;
    if (fuzz_rarely(f, 8) || bytes > FSH_OFI_MAX_MESSAGE + 2000)
        bytes = fuzz_below(f, 700);
    message = calloc(1, bytes != 0 ? bytes : 1);
    CHECK(message != NULL);
    memcpy(message, &h, bytes < sizeof h ? bytes : sizeof h);
    n = sizeof h + 2 * sizeof wanted;
    if (bytes >= n)
        memcpy(message + sizeof h + sizeof wanted, &wanted, sizeof wanted);
    right = is_right(&h, wanted, bytes);
    ours = fsh_ofi_is_ours(&expect, message, bytes);
    CHECK(ours == right,
          "%s: kind %u, category %u, %u arguments, %u bytes at %#llx, source "
          "%u, %zu bytes",
          ours ? "taken" : "refused", h.kind, h.category, h.nargs, h.nbytes,
          (unsigned long long)h.dst, h.source, bytes);
    free(message);
}

FUZZ_MAIN(200000)

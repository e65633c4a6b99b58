/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Validation of messages by conduit ofi: it accepts what fsh_ofi_pack has laid out,
 * and nothing else. Each field is corrupted in turn, messages are truncated and
 * extended, and random bytes are given. Buffers have exactly the stated length, so
 * that an address sanitizer detects overreads.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "conduit/ofi/wire.h"
#include "random.h"

#define SEGMENT UINT64_C(0x10000)
#define SEGMENT_BYTES UINT64_C(4096)

static const struct fsh_ofi_expect expect = {
    .job = {{UINT64_C(0x0123456789abcdef), UINT64_C(0xfedcba9876543210)}},
    .ranks = 4,
    .segment = SEGMENT,
    .segment_bytes = SEGMENT_BYTES};

/* A good one: category, arguments, bytes of payload. */
static struct fsh_ofi_head make(uint8_t category, uint8_t nargs, uint32_t n)
{
    return (struct fsh_ofi_head){.job = expect.job,
                                 .source = 3,
                                 .kind = FSH_OFI_REQUEST,
                                 .handler = 200,
                                 .category = category,
                                 .nargs = nargs,
                                 .nbytes = n,
                                 .dst = SEGMENT + SEGMENT_BYTES - n};
}

/* `bytes` bytes that begin with the head: ours? */
static bool is_ours_of(const struct fsh_ofi_expect *of,
                       const struct fsh_ofi_head *head, size_t bytes)
{
    unsigned char *message = calloc(1, bytes != 0 ? bytes : 1);
    size_t n = bytes < sizeof *head ? bytes : sizeof *head;
    bool ours;

    CHECK(message != NULL);
    memcpy(message, head, n);
    ours = fsh_ofi_is_ours(of, message, bytes);
    free(message);
    return ours;
}

static bool is_ours(const struct fsh_ofi_head *head, size_t bytes)
{
    return is_ours_of(&expect, head, bytes);
}

static void test_pack(void)
{
    static unsigned char payload[100];
    static unsigned char out[FSH_OFI_MAX_HEAD + 128];
    int32_t args[FSH_OFI_MAX_ARGS];

    for (size_t i = 0; i < sizeof payload; i++)
        payload[i] = (unsigned char)(i + 1);
    for (int32_t i = 0; i < (int32_t)FSH_OFI_MAX_ARGS; i++)
        args[i] = -i;
    for (uint8_t nargs = 0; nargs <= FSH_OFI_MAX_ARGS; nargs++)
        for (uint32_t n = 0; n <= sizeof payload; n++) {
            struct fsh_ofi_head head = make(FSH_AM_MEDIUM, nargs, n);
            const struct fsh_am am = {.args = args, .src = payload};
            size_t bytes = fsh_ofi_pack(out, &head, &am);

            CHECK(bytes == fsh_ofi_bytes(nargs, n) && bytes <= sizeof out);
            CHECK(bytes % FSH_OFI_ALIGN == 0);
            CHECK(fsh_ofi_is_ours(&expect, out, bytes));
            CHECK(memcmp(out + sizeof head, args, 4 * (size_t)nargs) == 0);
            CHECK(memcmp(out + fsh_ofi_payload_at(nargs), payload, n) == 0);
        }
}

/* Each bit of the token, and the source, before anything else counts. */
static void test_job(void)
{
    struct fsh_ofi_head good = make(FSH_AM_SHORT, 2, 0), bad;
    size_t bytes = fsh_ofi_bytes(2, 0);

    CHECK(is_ours(&good, bytes));
    for (unsigned bit = 0; bit < 128; bit++) {
        bad = good;
        bad.job.word[bit / 64] ^= UINT64_C(1) << bit % 64;
        CHECK(!is_ours(&bad, bytes), "bit %u", bit);
    }
    bad = good;
    bad.source = expect.ranks;
    CHECK(!is_ours(&bad, bytes));
    bad.source = UINT32_MAX;
    CHECK(!is_ours(&bad, bytes));
}

static void test_fields(void)
{
    struct fsh_ofi_head bad = make(FSH_AM_SHORT, 0, 0);

    bad.kind = FSH_OFI_KINDS;
    CHECK(!is_ours(&bad, fsh_ofi_bytes(0, 0)));
    bad.kind = FSH_OFI_MEET;
    bad.handler = FSH_OFI_ROUNDS - 1;
    CHECK(is_ours(&bad, fsh_ofi_bytes(0, 0)));
    bad.handler = FSH_OFI_ROUNDS; /* a round that there is not */
    CHECK(!is_ours(&bad, fsh_ofi_bytes(0, 0)));
    bad = make(FSH_AM_LONG + 1, 0, 0);
    CHECK(!is_ours(&bad, fsh_ofi_bytes(0, 0)));
    bad = make(FSH_AM_SHORT, FSH_OFI_MAX_ARGS + 1, 0);
    CHECK(!is_ours(&bad, fsh_ofi_bytes(FSH_OFI_MAX_ARGS + 1, 0)));
    bad = make(FSH_AM_SHORT, 0, 16); /* a Short with a payload */
    CHECK(!is_ours(&bad, fsh_ofi_bytes(0, 16)));
    bad = make(FSH_AM_MEDIUM, 0, FSH_OFI_MAX_PAYLOAD + 1);
    CHECK(!is_ours(&bad, fsh_ofi_bytes(0, FSH_OFI_MAX_PAYLOAD + 1)));
    bad.nbytes = UINT32_MAX;
    CHECK(!is_ours(&bad, fsh_ofi_bytes(0, FSH_OFI_MAX_PAYLOAD)));
}

static void test_length(void)
{
    struct fsh_ofi_head head = make(FSH_AM_MEDIUM, 3, 33);
    size_t right = fsh_ofi_bytes(3, 33);

    for (size_t bytes = 0; bytes <= right + 40; bytes++)
        CHECK(is_ours(&head, bytes) == (bytes == right), "%zu bytes", bytes);
}

/* A Long writes to its address: inside the segment. */
static void test_segment(void)
{
    struct fsh_ofi_head head = make(FSH_AM_LONG, 0, 64);
    size_t bytes = fsh_ofi_bytes(0, 64);

    CHECK(is_ours(&head, bytes));
    head.dst = SEGMENT;
    CHECK(is_ours(&head, bytes));
    head.dst = SEGMENT - 1;
    CHECK(!is_ours(&head, bytes));
    head.dst = SEGMENT + SEGMENT_BYTES - 63;
    CHECK(!is_ours(&head, bytes));
    head.dst = UINT64_MAX - 10; /* wraps around */
    CHECK(!is_ours(&head, bytes));
    head.dst = 0;
    CHECK(!is_ours(&head, bytes));
    head.nbytes = 0; /* to nowhere */
    CHECK(is_ours(&head, fsh_ofi_bytes(0, 0)));
}

/* A Long whose payload has been put: its size, without the bytes. */
static void test_placed(void)
{
    struct fsh_ofi_head head = make(FSH_AM_LONG, 2, FSH_OFI_MAX_PAYLOAD + 1);
    struct fsh_ofi_expect large = expect;
    unsigned char message[sizeof head + 4 * 2 + 8];
    const int32_t args[2] = {1, 2};
    const struct fsh_am am = {.args = args};
    size_t bytes;

    large.segment_bytes = UINT64_C(1) << 31;
    for (unsigned kind = FSH_OFI_REQUEST; kind < FSH_OFI_KINDS; kind++) {
        head.kind = (uint8_t)kind;
        head.dst = SEGMENT;
        head.nbytes = FSH_OFI_MAX_PAYLOAD + 1;
        bytes = fsh_ofi_bytes(2, 0);
        CHECK(bytes <= sizeof message);
        if (fsh_ofi_is_placed(kind))
            CHECK(fsh_ofi_pack(message, &head, &am) == bytes);
        else
            memcpy(message, &head, sizeof head);
        CHECK(fsh_ofi_is_ours(&large, message, bytes) ==
                  fsh_ofi_is_placed(kind),
              "kind %u", kind);
    }
    head.kind = FSH_OFI_PLACED_REPLY;
    CHECK(is_ours_of(&large, &head, bytes));
    CHECK(!is_ours_of(&expect, &head, bytes)); /* beyond the segment */
    CHECK(!is_ours_of(&large, &head, fsh_ofi_bytes(2, 16)));
    head.nbytes = FSH_OFI_MAX_LONG;
    CHECK(is_ours_of(&large, &head, bytes));
    head.nbytes++;
    CHECK(!is_ours_of(&large, &head, bytes));
    head.nbytes = FSH_OFI_MAX_PAYLOAD; /* a message would carry it */
    CHECK(!is_ours_of(&large, &head, bytes));
    head.nbytes = FSH_OFI_MAX_LONG;
    head.category = FSH_AM_MEDIUM;
    CHECK(!is_ours_of(&large, &head, bytes));
}

/* Put and get by messages: kind, category, arguments and payload belong together, and
 * both stay in the segment. */
static void test_pieces(void)
{
    static const struct {
        uint8_t kind, category, nargs;
        uint32_t nbytes;
    } good[] = {{FSH_OFI_PUT, FSH_AM_LONG, 1, 64},
                {FSH_OFI_GET, FSH_AM_SHORT, 2, 0},
                {FSH_OFI_DONE, FSH_AM_SHORT, 1, 0},
                {FSH_OFI_DATA, FSH_AM_MEDIUM, 1, 64}};
    struct {
        struct fsh_ofi_head head;
        int32_t args[6];
        unsigned char payload[80];
    } message = {0};

    for (unsigned i = 0; i < 4; i++)
        for (uint8_t category = 0; category <= FSH_AM_LONG; category++)
            for (uint8_t nargs = 0; nargs < 4; nargs++)
                for (uint32_t n = 0; n <= 64; n += 64) {
                    bool want = category == good[i].category &&
                                nargs == good[i].nargs && n == good[i].nbytes;

                    message.head = make(category, nargs, n);
                    message.head.dst = SEGMENT + SEGMENT_BYTES - 64;
                    message.head.kind = good[i].kind;
                    message.args[1] = 64;
                    CHECK(fsh_ofi_is_ours(&expect, &message,
                                          fsh_ofi_bytes(nargs, n)) == want,
                          "kind %u, category %u, %u arguments, %u bytes",
                          good[i].kind, category, nargs, n);
                }
    message.head = make(FSH_AM_SHORT, 2, 0);
    message.head.kind = FSH_OFI_GET;
    message.head.dst = SEGMENT + SEGMENT_BYTES - 64;
    for (int32_t n = -1; n <= 65; n += 66 / 6) {
        message.args[1] = n;
        CHECK(fsh_ofi_is_ours(&expect, &message, fsh_ofi_bytes(2, 0)) ==
                  (n > 0 && n <= 64),
              "a get of %d bytes", n);
    }
    message.head.dst = SEGMENT - 1;
    message.args[1] = 1;
    CHECK(!fsh_ofi_is_ours(&expect, &message, fsh_ofi_bytes(2, 0)));
}

static void test_garbage(void)
{
    uint64_t random = 1;
    uint64_t message[16];

    for (unsigned i = 0; i < 100000; i++) {
        for (unsigned w = 0; w < 16; w++)
            message[w] = random_next(&random);
        CHECK(!fsh_ofi_is_ours(&expect, message,
                               random_next(&random) % (sizeof message + 1)));
    }
}

int main(void)
{
    test_pack();
    test_job();
    test_fields();
    test_length();
    test_segment();
    test_placed();
    test_pieces();
    test_garbage();
    return 0;
}

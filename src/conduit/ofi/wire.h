/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is on the wire: a head, arguments, a payload. A provider's port can be reached
 * by others than this job's ranks, so whatever comes is checked here before anything of
 * it is used: first the job's token, 128 random bits, and the source, then that all other
 * fields are such as a rank of this job can have sent. Both sides are of one release and one
 * byte order. Stateless.
 */
#ifndef FSH_OFI_WIRE_H
#define FSH_OFI_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conduit/conduit.h"

enum fsh_ofi_kind {
    FSH_OFI_REQUEST,
    FSH_OFI_REPLY,
    FSH_OFI_PLACED_REQUEST, /* a Long whose payload has been put to dst (long.c) */
    FSH_OFI_PLACED_REPLY,
    FSH_OFI_CREDIT, /* nothing but credit */
    FSH_OFI_HELLO,  /* nothing: there is a connection */
    FSH_OFI_MEET, /* of a barrier (meet.c): handler is the round, dst the word */
    FSH_OFI_PUT,  /* a piece for dst (pieces.c); 1 argument: its number */
    FSH_OFI_GET,  /* bytes at dst are wanted; 2: its number, how many */
    FSH_OFI_DONE, /* a PUT is in place; 1: its number */
    FSH_OFI_DATA, /* answers a GET; 1: its number */
    FSH_OFI_KINDS
};

#define FSH_OFI_ALIGN 16u /* of payloads, and of messages in a buffer */
#define FSH_OFI_MAX_ARGS 16u
#define FSH_OFI_ROUNDS 10u /* of a barrier */
#define FSH_OFI_MAX_PAYLOAD 65536u
#define FSH_OFI_MAX_LONG (1u << 30)
#define FSH_OFI_MAX_HEAD 112u
#define FSH_OFI_MAX_MESSAGE (FSH_OFI_MAX_HEAD + FSH_OFI_MAX_PAYLOAD)

struct fsh_ofi_token128 {
    uint64_t word[2];
};

struct fsh_ofi_head {
    struct fsh_ofi_token128 job;
    uint32_t source;
    uint8_t kind, handler, category, nargs;
    uint32_t nbytes; /* of the payload, which PLACED ones do not carry */
    uint32_t credit; /* bytes of requests that the target may send once more */
    uint64_t dst;    /* Long; MEET; PUT, GET */
    /* Behind it: nargs arguments, then the payload, aligned. */
};
_Static_assert(sizeof(struct fsh_ofi_head) == 40, "head");
_Static_assert(sizeof(struct fsh_ofi_head) + 4 * FSH_OFI_MAX_ARGS <=
                   FSH_OFI_MAX_HEAD,
               "head and arguments");

/* Rounded up to that. */
static inline size_t fsh_ofi_aligned(size_t n)
{
    return (n + FSH_OFI_ALIGN - 1) & ~(size_t)(FSH_OFI_ALIGN - 1);
}
/* Where the payload is. */
static inline size_t fsh_ofi_payload_at(unsigned nargs)
{
    return fsh_ofi_aligned(sizeof(struct fsh_ofi_head) + 4 * (size_t)nargs);
}
/* Bytes of a message, a multiple of FSH_OFI_ALIGN. */
static inline size_t fsh_ofi_bytes(unsigned nargs, size_t nbytes)
{
    return fsh_ofi_payload_at(nargs) + fsh_ofi_aligned(nbytes);
}

/* Whether messages of this kind come after their payload. */
static inline bool fsh_ofi_is_placed(unsigned kind)
{
    return kind == FSH_OFI_PLACED_REQUEST || kind == FSH_OFI_PLACED_REPLY;
}
/* Bytes of payload in the message. */
static inline uint32_t fsh_ofi_carried(const struct fsh_ofi_head *head)
{
    return fsh_ofi_is_placed(head->kind) ? 0 : head->nbytes;
}

/* The category that messages of this kind have, from PUT on. */
static inline uint8_t fsh_ofi_piece_category(enum fsh_ofi_kind kind)
{
    return kind == FSH_OFI_PUT    ? FSH_AM_LONG
           : kind == FSH_OFI_DATA ? FSH_AM_MEDIUM
                                  : FSH_AM_SHORT;
}

/* What a rank knows of the messages it may get. */
struct fsh_ofi_expect {
    struct fsh_ofi_token128 job;
    uint32_t ranks;
    uint64_t segment, segment_bytes; /* of Long, PUT, GET */
};

/* Lay out a message at `to`, which has room for fsh_ofi_bytes; returns those. */
size_t fsh_ofi_pack(void *to, const struct fsh_ofi_head *head,
                    const struct fsh_am *am);

/* Are these bytes a message of this job? */
bool fsh_ofi_is_ours(const struct fsh_ofi_expect *expect, const void *message,
                     size_t bytes);

#endif

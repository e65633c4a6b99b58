/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layout of the shared memory object of conduit smp, with the writers of each part.
 * Included by the ring code and the conduit; fsh_smp_bytes computes its size. Memory
 * is touched lazily: a pair that never communicates costs nothing.
 *
 *   control blocks   one per rank
 *   pools            4 MiB per rank, for Medium payloads over the inline limit
 *   pairs            one per ordered pair: request ring and reply ring
 *   meets            words of the barrier
 *   cores            one per rank (compute_queue.h), none in jobs of over 64 ranks
 *   boards           FSH_SMP_BOARDS per rank, one per team (coll/direct)
 *   segments         segment_max bytes per rank, page aligned, each followed by
 *                    the library's area (conduit.h)
 */
#ifndef FSH_SMP_LAYOUT_H
#define FSH_SMP_LAYOUT_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define FSH_SMP_MAX_RANKS 1024u
#define FSH_SMP_PAGE 4096u

enum { FSH_SMP_REQUEST, FSH_SMP_REPLY, FSH_SMP_CHANNELS };

/* Rings of 64 slots of one cache line, so that one word holds a bit per
 * slot. */
#define FSH_SMP_SLOTS 64u
#define FSH_SMP_SLOT_BYTES 64u

/* Pool blocks of one channel: 1 MiB of small and 1 MiB of large ones. */
#define FSH_SMP_SMALL_BYTES 8192u
#define FSH_SMP_SMALL_BLOCKS 128u
#define FSH_SMP_LARGE_BYTES 65536u
#define FSH_SMP_LARGE_BLOCKS 16u
#define FSH_SMP_BLOCKS (FSH_SMP_SMALL_BLOCKS + FSH_SMP_LARGE_BLOCKS)
#define FSH_SMP_POOL_BYTES (2u << 20)

/* The largest Medium fills a large block. */
#define FSH_SMP_MAX_MEDIUM FSH_SMP_LARGE_BYTES

/* Control block of a rank, laid out by cache line. */
struct fsh_smp_ctl {
    /* Line 0: read by every poll and every sender, seldom written. With up to
     * 64 ranks, bit s of summary: the owner checks the ring from rank s at
     * every poll. Beyond 64, bit w: some bit of ready[channel][w] is set. told:
     * there may be a completion of a compute core for this rank. sleepers:
     * threads of the owner that are (about to be) asleep; blocked: those of
     * them waiting for room in a ring or for a block. Writers: senders set the
     * bits and the owner clears them; others set told and the owner clears it;
     * the owner writes the rest. */
    _Alignas(64) _Atomic uint64_t summary[FSH_SMP_CHANNELS];
    _Atomic uint32_t told;
    _Atomic uint32_t sleepers;
    _Atomic uint32_t blocked;
    /* Line 1: the owner's sleep. wake_seq: futex, incremented by whoever wakes
     * it; watching: the owner waits for memory to change; set by the owner,
     * cleared by the first rank to store there. */
    _Alignas(64) _Atomic uint32_t wake_seq;
    _Atomic uint32_t watching;
    /* Lines 2 to 5: one bit per sender, used only with more than 64 ranks. */
    _Alignas(
        64) _Atomic uint64_t ready[FSH_SMP_CHANNELS][FSH_SMP_MAX_RANKS / 64];
    /* Then one word per block of the owner's pool: the number of the last use
     * that has ended. Written by the receiver when its handler has ended, read
     * only by the owner. */
    _Alignas(64) _Atomic uint32_t over[FSH_SMP_CHANNELS][FSH_SMP_BLOCKS];
};

/* Start of a message; arguments and then, 16-byte aligned, an inline payload follow in
 * the same slot and the next ones. Unneeded fields are not written: a Short without
 * arguments consists of its first word. */
struct fsh_smp_head {
    _Atomic uint64_t first; /* fsh_smp_first: what is here, and for which lap */
    uint32_t nbytes;        /* Medium, Long */
    uint32_t use;           /* pooled: number of this use of the block */
    uint64_t addr;          /* Long: destination as its owner sees it; pooled:
                               the sender's block */
    uint64_t back;          /* with FSH_SMP_BACK: struct fsh_smp_back */
};

/* The first word: stamp, then one byte each for handler, category (enum fsh_category or
 * POOLED, plus flags), number of arguments, and number of slots, whose highest bit is
 * SKIP. */
#define FSH_SMP_POOLED 0x10u /* a Medium whose payload is in a pool block */
#define FSH_SMP_NEAR 0x40u   /* flag, Long: the payload is inline */
#define FSH_SMP_BACK 0x80u   /* flag: returns a block of the receiver's */
#define FSH_SMP_SKIP \
    (UINT64_C(1) << 63) /* no message: the rest of the lap is unused */

/* The first word without stamp and slots. */
static inline uint64_t fsh_smp_what(unsigned handler, unsigned category,
                                    unsigned nargs)
{
    return (uint64_t)handler << 32 | (uint64_t)category << 40 |
           (uint64_t)nargs << 48;
}

/* The first word: adds stamp and slots. */
static inline uint64_t fsh_smp_first(uint32_t stamp, uint64_t what,
                                     uint32_t slots)
{
    return stamp | what | (uint64_t)slots << 56;
}

struct fsh_smp_ring {
    /* Written by the sender, read by the receiver. */
    _Alignas(64) unsigned char slot[FSH_SMP_SLOTS][FSH_SMP_SLOT_BYTES];
    /* Total slots freed: written by the receiver, read by the sender when it
     * runs out of room. */
    _Alignas(64) _Atomic uint32_t freed;
};

struct fsh_smp_pair {
    struct fsh_smp_ring ring[FSH_SMP_CHANNELS];
};

/* A word of the barrier (meet.c) in its own cache line: phase << 34 | opinion. */
struct fsh_smp_word {
    _Alignas(64) _Atomic uint64_t word;
};

#define FSH_SMP_ROUNDS 10u /* dissemination rounds */

#define FSH_SMP_BOARDS 16u /* further teams have none */

/* A rank's words, for even and odd phases. */
struct fsh_smp_meet {
    struct fsh_smp_word here[2]; /* written by the rank, read by all */
    /* Written by the rank 2^r below, read by this one. */
    struct fsh_smp_word round[2][FSH_SMP_ROUNDS];
};

_Static_assert(1u << FSH_SMP_ROUNDS >= FSH_SMP_MAX_RANKS, "rounds");
_Static_assert(sizeof(struct fsh_smp_head) == 32, "message head");
_Static_assert(offsetof(struct fsh_smp_ctl, wake_seq) == 64, "line 1");
_Static_assert(offsetof(struct fsh_smp_ctl, ready) == 128, "line 2");
_Static_assert(offsetof(struct fsh_smp_ctl, over) == 384, "line 6");
_Static_assert(sizeof(struct fsh_smp_ctl) == 1536, "control block");
_Static_assert(sizeof(struct fsh_smp_pair) <= 16384, "budget of a pair");
_Static_assert(FSH_SMP_SMALL_BYTES *FSH_SMP_SMALL_BLOCKS +
                       FSH_SMP_LARGE_BYTES * FSH_SMP_LARGE_BLOCKS ==
                   FSH_SMP_POOL_BYTES,
               "pool of a channel");
_Static_assert(FSH_SMP_SMALL_BLOCKS % 64 == 0 && FSH_SMP_LARGE_BLOCKS <= 64,
               "words of the sender's map");

/* Byte offsets in the object. */
struct fsh_smp_layout {
    uint32_t ranks;
    size_t segment_max; /* rounded up to a page */
    size_t pools;
    size_t pairs;
    size_t meets; /* two words for all, then one struct per rank */
    size_t cores;
    size_t boards;
    size_t segments;
    size_t segment_stride;
    size_t total;
};

/* ranks 1..FSH_SMP_MAX_RANKS. */
struct fsh_smp_layout fsh_smp_layout(uint32_t ranks, size_t segment_max);
/* Size in bytes of the object that all ranks share. */
size_t fsh_smp_bytes(uint32_t ranks, size_t segment_max);

/* The start of a rank's segment in the object mapped at base. */
static inline unsigned char *fsh_smp_segment(
    unsigned char *base, const struct fsh_smp_layout *layout, uint32_t rank)
{
    return base + layout->segments + rank * layout->segment_stride;
}

#endif

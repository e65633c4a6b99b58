/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shared memory object of conduit smp: who writes what, where. Included by
 * the ring code and the conduit; fsh_smp_bytes sizes it. Memory is
 * touched lazily: a pair that never talks costs nothing.
 *
 *   control blocks   one a rank
 *   pools            4 MiB a rank, for Medium payloads over the inline limit
 *   pairs            one an ordered pair: request ring and reply ring
 *   meets            words of the barrier
 *   cores            one a rank (compute_queue.h), none in jobs of more than 64 ranks
 *   boards           FSH_SMP_BOARDS a rank, one a team (coll/direct)
 *   segments         segment_max bytes a rank, page aligned, and the area of
 *                    the library behind each segment (conduit.h)
 */
#ifndef FSH_SMP_LAYOUT_H
#define FSH_SMP_LAYOUT_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define FSH_SMP_MAX_RANKS 1024u
#define FSH_SMP_PAGE 4096u

enum { FSH_SMP_REQUEST, FSH_SMP_REPLY, FSH_SMP_CHANNELS };

/* Rings: 64 slots of a cache line, so that one word maps them. */
#define FSH_SMP_SLOTS 64u
#define FSH_SMP_SLOT_BYTES 64u

/* Pool blocks of one channel: 1 MiB of small ones, 1 MiB of large ones. */
#define FSH_SMP_SMALL_BYTES 8192u
#define FSH_SMP_SMALL_BLOCKS 128u
#define FSH_SMP_LARGE_BYTES 65536u
#define FSH_SMP_LARGE_BLOCKS 16u
#define FSH_SMP_BLOCKS (FSH_SMP_SMALL_BLOCKS + FSH_SMP_LARGE_BLOCKS)
#define FSH_SMP_POOL_BYTES (2u << 20)

/* Largest Medium: one large block. */
#define FSH_SMP_MAX_MEDIUM FSH_SMP_LARGE_BYTES

/* Control block of a rank, drawn by cache line. */
struct fsh_smp_ctl {
    /* Line 0: what every poll and every sender reads, seldom written. Up to 64
     * ranks: bit s = the owner looks at the ring from rank s at every poll.
     * Beyond: bit w = some bit of ready[channel][w] is set. told: there may be
     * a completion of a compute core for this rank. sleepers: threads of the
     * owner (about to be) asleep; blocked: those of them that wait for room in
     * a ring or for a block. Writers of the bits: senders set, the owner
     * clears; told: others set, the owner clears; the others: the owner. */
    _Alignas(64) _Atomic uint64_t summary[FSH_SMP_CHANNELS];
    _Atomic uint32_t told;
    _Atomic uint32_t sleepers;
    _Atomic uint32_t blocked;
    /* Line 1: the owner's sleep. wake_seq: futex, bumped by whoever wakes;
     * watching: the owner waits for memory, set by it, cleared by the first
     * to put something there. */
    _Alignas(64) _Atomic uint32_t wake_seq;
    _Atomic uint32_t watching;
    /* Lines 2 to 5: one bit a sender, only with more than 64 ranks. */
    _Alignas(
        64) _Atomic uint64_t ready[FSH_SMP_CHANNELS][FSH_SMP_MAX_RANKS / 64];
    /* Then, a word a block of the owner's pool: the number of the last use that
     * is over. Receivers write it when the handler has ended; only the owner
     * reads. */
    _Alignas(64) _Atomic uint32_t over[FSH_SMP_CHANNELS][FSH_SMP_BLOCKS];
};

/* First bytes of a message; the rest follows in the same and the next slots:
 * arguments, then, 16-byte aligned, a payload that is sent along. What a message
 * does not need is not written: a Short without arguments is its first word. */
struct fsh_smp_head {
    _Atomic uint64_t first; /* fsh_smp_first: says what is here, and that it is
                               of this lap */
    uint32_t nbytes;        /* Medium, Long */
    uint32_t use;           /* pooled: number of this use of the block */
    uint64_t addr;          /* Long: destination as the owner sees it; pooled:
                               block of the sender's */
    uint64_t back;          /* with FSH_SMP_BACK: struct fsh_smp_back */
};

/* The first word: stamp; then a byte each of handler, category (enum
 * fsh_category or POOLED, and maybe flags), number of arguments, and slots taken
 * with SKIP as its highest bit. */
#define FSH_SMP_POOLED 0x10u /* a Medium whose payload is in a block */
#define FSH_SMP_NEAR 0x40u   /* flag, Long: the payload is here as well */
#define FSH_SMP_BACK 0x80u   /* flag: a block of the receiver's is free again */
#define FSH_SMP_SKIP \
    (UINT64_C(1) << 63) /* no message: the rest of the lap is unused */

/* All of it but stamp and slots. */
static inline uint64_t fsh_smp_what(unsigned handler, unsigned category,
                                    unsigned nargs)
{
    return (uint64_t)handler << 32 | (uint64_t)category << 40 |
           (uint64_t)nargs << 48;
}

/* That, with stamp and slots: the first word of a message. */
static inline uint64_t fsh_smp_first(uint32_t stamp, uint64_t what,
                                     uint32_t slots)
{
    return stamp | what | (uint64_t)slots << 56;
}

struct fsh_smp_ring {
    /* Written by the sender, read by the receiver. */
    _Alignas(64) unsigned char slot[FSH_SMP_SLOTS][FSH_SMP_SLOT_BYTES];
    /* Slots freed, ever: written by the receiver, read by the sender when it
     * runs out of room. */
    _Alignas(64) _Atomic uint32_t freed;
};

struct fsh_smp_pair {
    struct fsh_smp_ring ring[FSH_SMP_CHANNELS];
};

/* A word of the barrier (meet.c), alone in its cache line: phase << 34 | opinion. */
struct fsh_smp_word {
    _Alignas(64) _Atomic uint64_t word;
};

#define FSH_SMP_ROUNDS 10u /* of dissemination */

#define FSH_SMP_BOARDS 16u /* later teams do without */

/* A rank's words, for barriers with even and odd phases. */
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

/* Offsets in the object, in bytes. */
struct fsh_smp_layout {
    uint32_t ranks;
    size_t segment_max; /* rounded up to a page */
    size_t pools;
    size_t pairs;
    size_t meets; /* two words for all, then one struct a rank */
    size_t cores;
    size_t boards;
    size_t segments;
    size_t segment_stride;
    size_t total;
};

/* ranks 1..FSH_SMP_MAX_RANKS. */
struct fsh_smp_layout fsh_smp_layout(uint32_t ranks, size_t segment_max);
/* Bytes of the object that all ranks share. */
size_t fsh_smp_bytes(uint32_t ranks, size_t segment_max);

/* Where the segment of a rank begins in the object mapped at base. */
static inline unsigned char *fsh_smp_segment(
    unsigned char *base, const struct fsh_smp_layout *layout, uint32_t rank)
{
    return base + layout->segments + rank * layout->segment_stride;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives for the engine in logic (docs/03_developer/collective-engine.md): where the
 * blocks of a call are in the memory of a card, and the sequence of descriptors that the
 * program of a rank becomes there. Knows no GASNet and no conduit, so that the bench of
 * the engine can use it. Pure functions; any thread.
 */
#ifndef FSH_COLL_CARD_H
#define FSH_COLL_CARD_H

#include "base/fsh_spec.h"
#include "coll/fold/fold.h"
#include "coll/program/program.h"

#define FSH_CARD_LINE 64u /* bytes: unit of addresses in descriptors */
/* A team of more ranks has steps or packets that a sequence cannot name. */
#define FSH_CARD_RANKS 64u
#define FSH_CARD_STEPS 512u  /* of a program of so many ranks, at most */
#define FSH_CARD_TEAMS 2048u /* numbers that a team may have at a node */
/* Bytes of a value that a packet carries: as they are, or in 60 encoded blocks of 16
 * FP32 values. */
#define FSH_CARD_PACKET ((size_t)FSH_MAX_PACKET)
#define FSH_CARD_BFP_PACKET ((size_t)60 * 16 * 4)
#define FSH_CARD_NO_FOLD UINT32_MAX

/* ---- where blocks are (layout.c) ---- */

/* A call, as a rank sees it. What all ranks agree on alone decides how blocks lie, since
 * they send each other whole ranges of them, with what is between. */
struct fsh_card_layout {
    enum fsh_program_call call;
    uint32_t rank;
    uint32_t blocks;    /* of the program */
    size_t elem, count; /* as in struct fsh_coll_work */
    /* Bytes from block to block, whole lines; 0: as the client has them, for there
     * each begins at a line if the first does. */
    size_t pitch;
};

/* The layout of a call, for a rank. */
struct fsh_card_layout fsh_card_layout_of(enum fsh_program_call call,
                                          uint32_t rank, uint32_t blocks,
                                          size_t elem, size_t count);

/* Bytes of all blocks: what SRC, DST and TMP have room for, each. The same on all
 * ranks. */
size_t fsh_card_bytes(const struct fsh_card_layout *layout);
/* Bytes of a range, and how far it begins behind the start of its buffer. */
size_t fsh_card_range_bytes(const struct fsh_card_layout *layout,
                            const struct fsh_program_range *range);
size_t fsh_card_range_at(const struct fsh_card_layout *layout,
                         const struct fsh_program_range *range);

/* A part of SRC or DST: its place in the client's buffer and on the card. */
struct fsh_card_piece {
    size_t client, card, bytes;
};

/* SRC or DST of this rank in pieces: how many, and piece i. */
uint32_t fsh_card_pieces(const struct fsh_card_layout *layout,
                         enum fsh_program_place place);
struct fsh_card_piece fsh_card_piece(const struct fsh_card_layout *layout,
                                     enum fsh_program_place place, uint32_t i);

/* ---- sequences (sequence.c) ---- */

/* fsh_program_choose for an engine: of the same order, so with the same bits. */
const struct fsh_program_algorithm *fsh_card_choose(
    const struct fsh_program_shape *shape, size_t bytes);

/* Has the engine this reduction? */
bool fsh_card_folds(unsigned type, unsigned op);

/* May packets go from rank a to rank b of an eager team unasked? A rank gets such from
 * FSH_COLL_EAGER others at most: from its partners in doubling and halving, who are its
 * parent and children in binomial trees from rank 0 on as well, and from as many of those
 * a power of two behind it (dissemination) as there is room for, the nearest first. */
bool fsh_card_near(uint32_t size, uint32_t a, uint32_t b);

struct fsh_card_sequence {
    const struct fsh_program *program;
    struct fsh_card_layout layout;
    uint32_t ranks;       /* of the team */
    const uint32_t *node; /* [ranks] below MAX_NODES */
    const uint32_t
        *number;       /* [ranks] of the team there, below FSH_CARD_TEAMS */
    unsigned type, op; /* of a reduction; else anything */
    bool bfp;          /* packets are encoded: sums of FP32 by a ring */
    bool eager;        /* packets may go to near peers without a grant */
    uint32_t past;     /* the team's operations before this one */
    uint32_t claim;    /* of struct fsh_coll_work */
    uint16_t cookie;   /* of the completion */
    uint64_t src, dst, tmp; /* offsets in the segment, whole lines */
    /* What is stored to DST goes to host memory, too, at this offset of the DMA window, and
     * on the card only where later steps read it. */
    bool posts;
    uint64_t posted;
};

/* The JobID of an operation. Ranks of a team are less than FSH_CARD_JOBS apart: none is
 * ahead of one that it sends to by more than it may have in flight, and there are
 * six between any two in a tree. What is left of JobIDs, and the upper half of SeqIDs, is for
 * the claim: most of calls that ranks do not agree on thus find no packets, instead of
 * wrong ones. */
#define FSH_CARD_JOBS 64u
#define FSH_CARD_SEQS 128u
static inline uint8_t fsh_card_job(uint32_t past, uint32_t claim)
{
    return (uint8_t)(past % FSH_CARD_JOBS | (claim & 3) * FSH_CARD_JOBS);
}

/* The descriptors of the sequence: program->steps of them. */
void fsh_card_translate(const struct fsh_card_sequence *sequence,
                        uint64_t (*desc)[FSH_COLLDESC_WORDS]);

#endif

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
#define FSH_CARD_STEPS 512u /* of a program of so many ranks, at most */
#define FSH_CARD_PLACES (FSH_PROGRAM_TMP + 1u)
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
    uint8_t half;       /* of each block; 0: all of it, else half 1 or 2 */
    /* Of a call in parts: bytes [at, at + most) of that; most SIZE_MAX: all. */
    size_t at, most;
    bool
        aligned; /* at the client's each block begins at a line if the first does */
    /* Bytes from block to block, whole lines, all of which travel; 0: the blocks are
     * as long as they are. */
    size_t pitch;
};

/* The layout of a call, for a rank. blocks: of programs that are not halved. */
struct fsh_card_layout fsh_card_layout_of(enum fsh_program_call call,
                                          uint32_t rank, uint32_t blocks,
                                          size_t elem, size_t count);

/* Buffers are the client's, with its blocks, or have room only for what there is of them:
 * then they are the pitch apart that this says, or as the client's if it is 0. */
size_t fsh_card_room_pitch(const struct fsh_card_layout *layout);
/* Bytes of all blocks, with that pitch: what SRC, DST and TMP have room for, each. The
 * same on all ranks. */
size_t fsh_card_bytes(const struct fsh_card_layout *layout);
/* Bytes of the client's buffer, SRC or DST, in all its parts. */
size_t fsh_card_client_bytes(const struct fsh_card_layout *layout,
                             enum fsh_program_place place);
/* Bytes of a range, and how far it begins behind the start of its buffer, which has that
 * pitch; 0: is the client's, or like it. */
size_t fsh_card_range_bytes(const struct fsh_card_layout *layout,
                            const struct fsh_program_range *range);
size_t fsh_card_range_at(const struct fsh_card_layout *layout,
                         const struct fsh_program_range *range, size_t pitch);

/* A piece of SRC or DST: its place in the client's buffer and in one that has the pitch
 * of fsh_card_room_pitch. */
struct fsh_card_piece {
    size_t client, card, bytes;
};

/* SRC or DST of this rank in pieces: how many, and piece i. */
uint32_t fsh_card_pieces(const struct fsh_card_layout *layout,
                         enum fsh_program_place place);
struct fsh_card_piece fsh_card_piece(const struct fsh_card_layout *layout,
                                     enum fsh_program_place place, uint32_t i);

/* ---- calls in parts (layout.c) ---- */

/* A sequence claims packets ahead, for which an engine has COLL_SLOTS; and its buffers
 * have FSH_CARD_AREA bytes each, where they are not the client's. So a call of more is cut
 * into parts, which are sequences of their own with the same program. The order of a sum
 * by RING depends on the block, so such calls are cut within their blocks: each part has
 * some bytes of every block. So have calls whose steps pass on several blocks that are not of
 * a vector; what a part has of them is moved next to each other. Others are cut as vectors,
 * each part with blocks of its own. */
#define FSH_CARD_AREA ((size_t)272 << 10)
#define FSH_CARD_PACKETS 8u /* of a step, at most, of calls that are cut */
/* ... of encoded ones in both directions of which one or two parts a direction are enough then.
 * With any more they gain nothing. */
#define FSH_CARD_BFP_PACKETS 9u

struct fsh_card_cut {
    size_t parts; /* of a halved call: those of each half in turn */
    size_t most;  /* bytes of a part: of the vector, or of each block */
    size_t large; /* parts of `most`; those behind them have `least` */
    size_t least;
    bool vector;
    bool
        packed; /* steps pass on several blocks: those of a part are in the area */
    /* A ring in both directions: parts have a half of each block. */
    bool halved;
    /* Parts go to lanes in turn, one a direction. Some of a lane that are as long as each
     * other are a series, `series` at most: they have one JobID, and `seqs` SeqIDs each, so
     * they may be one sequence. */
    unsigned lanes, seqs;
    size_t series;
};

/* How a call is cut, the same on all ranks. packet: FSH_CARD_PACKET or
 * FSH_CARD_BFP_PACKET. */
struct fsh_card_cut fsh_card_cut_of(const struct fsh_program_algorithm *a,
                                    const struct fsh_program_shape *shape,
                                    size_t elem, size_t count, size_t packet);

struct fsh_card_part {
    struct fsh_card_layout layout;
    size_t offset; /* of its buffers behind the call's */
    size_t series; /* it is of this one of the call */
    uint16_t seq;  /* SeqIDs of that before its own */
};

/* Part number `part` of a call with this layout. */
struct fsh_card_part fsh_card_part_of(const struct fsh_card_layout *whole,
                                      const struct fsh_card_cut *cut,
                                      size_t part);

/* Its parts are first, first + lanes, ... */
struct fsh_card_series {
    size_t first, parts; /* 0: it does not exist */
};

/* How many series a call has, counting those that do not exist; series number i, those of the
 * lanes in turn. */
size_t fsh_card_series_count(const struct fsh_card_cut *cut);
struct fsh_card_series fsh_card_series_of(const struct fsh_card_cut *cut,
                                          size_t i);

/* Slots that an engine may claim at a time for a sequence: what is left of a step, and of
 * those behind it that receive as many as make up a look ahead (hw/rtl/coll/fsh_cahead). */
unsigned fsh_card_claims(const struct fsh_program *program,
                         const struct fsh_card_layout *layout, size_t packet);

/* Of whichever part of a call most. programs: of one direction, or of both. */
unsigned fsh_card_cut_claims(const struct fsh_program *const programs[2],
                             const struct fsh_card_layout *whole,
                             const struct fsh_card_cut *cut, size_t packet);

/* ---- sequences (sequence.c) ---- */

/* fsh_program_choose for an engine: of the same order, so with the same bits. */
const struct fsh_program_algorithm *fsh_card_choose(
    const struct fsh_program_shape *shape, size_t bytes);

/* Has the engine this reduction? */
bool fsh_card_folds(unsigned type, unsigned op);

struct fsh_card_sequence {
    const struct fsh_program *program;
    struct fsh_card_layout layout;
    uint32_t ranks;       /* of the team */
    uint32_t sides;       /* as in struct fsh_program_shape */
    const uint32_t *node; /* [ranks] below MAX_NODES */
    const uint32_t
        *number;       /* [ranks] of the team there, below FSH_CARD_TEAMS */
    unsigned type, op; /* of a reduction; else anything */
    bool bfp;          /* packets are encoded: sums of FP32 by a ring */
    bool eager;        /* packets may go to near peers without a grant */
    uint32_t past;     /* the team's operations before this one */
    uint16_t seq;      /* SeqIDs of the operation before those of the program */
    uint32_t claim;    /* of struct fsh_coll_work */
    uint16_t cookie;   /* of the completion */
    /* By enum fsh_program_place: the offset of the buffer in the segment, whole lines,
     * and its pitch. */
    uint64_t at[FSH_CARD_PLACES];
    size_t pitch[FSH_CARD_PLACES];
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

/* Which steps of a program. */
enum fsh_card_steps {
    FSH_CARD_ALL_STEPS,
    FSH_CARD_RECEIVES, /* with sources */
    FSH_CARD_SENDS     /* without */
};

/* The same from several programs: appends such steps of this one to n of others, and returns
 * how many there are then. The list is complete with fsh_card_close. */
uint32_t fsh_card_append(const struct fsh_card_sequence *sequence,
                         enum fsh_card_steps which,
                         uint64_t (*desc)[FSH_COLLDESC_WORDS], uint32_t n);
void fsh_card_close(uint64_t (*desc)[FSH_COLLDESC_WORDS], uint32_t n);

#endif

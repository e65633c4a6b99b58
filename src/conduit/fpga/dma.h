/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layout of a node's DMA window, in bytes from its start, which is address 0 of
 * SPACE_HOST. The device writes the rings, the slots, results and the status line;
 * other nodes write their slots here; this rank writes the bounce memory, which the
 * device reads (and writes, for GETs); the network, too, accesses the bridge's ring.
 */
#ifndef FSH_FPGA_DMA_H
#define FSH_FPGA_DMA_H

#include <stdint.h>

#include "base/fsh_spec.h"
#include "conduit/conduit.h"

#define FSH_DMA_CPL 0x000000u      /* completion ring */
#define FSH_DMA_REQ 0x020000u      /* request receive ring */
#define FSH_DMA_REP 0x040000u      /* reply receive ring */
#define FSH_DMA_STATUS 0x060000u   /* status line */
#define FSH_DMA_SLOT_HDR 0x080000u /* headers and arguments of messages */
#define FSH_DMA_SMALL 0x100000u    /* AM bounce slots of 4 KiB, by channel */
#define FSH_DMA_SLOT_PAY 0x800000u /* Medium payloads */
#define FSH_DMA_TAG 0x1000000u     /* bounce memory of each tag */
#define FSH_DMA_POSTED 0x1c00000u  /* engine: results of sequences */
#define FSH_DMA_BIG 0x2000000u     /* AM bounce slots of 1 MiB, by channel */
#define FSH_DMA_BRIDGE 0x3000000u  /* ring of the bridge's server */
#define FSH_DMA_END 0x7000000u

#define FSH_DMA_SMALL_BYTES 4096u
#define FSH_DMA_SMALL_SLOTS 64u /* per channel */
#define FSH_DMA_TAG_BYTES 0x40000u
#define FSH_DMA_BIG_BYTES 0x100000u
#define FSH_DMA_BIG_SLOTS 8u /* per channel */

#define FSH_DMA_RING_BYTES (FSH_RING_ENTRIES * FSH_RING_ENTRY_BYTES)
/* Report consumed entries to the device every this many entries. */
#define FSH_DMA_RING_TELL (FSH_RING_ENTRIES / 4)
/* Index of a slot {reply, source, slot}. */
#define FSH_DMA_SLOTS (2u * FSH_MAX_NODES * FSH_SLOTS_PER_PEER)
/* The line that holds a peer's credit word: that of its reply slot 0. */
#define FSH_DMA_CREDIT(node)                                                 \
    (FSH_DMA_SLOT_HDR +                                                      \
     (FSH_MAX_NODES + (node)) * FSH_SLOTS_PER_PEER * FSH_SLOT_HEADER_BYTES + \
     FSH_SLOT_LINE)

_Static_assert(FSH_DMA_CPL % 0x20000 == 0 && FSH_DMA_REQ % 0x20000 == 0 &&
                   FSH_DMA_REP % 0x20000 == 0,
               "rings are 128 KiB aligned");
_Static_assert(FSH_DMA_REQ - FSH_DMA_CPL >= FSH_DMA_RING_BYTES &&
                   FSH_DMA_REP - FSH_DMA_REQ >= FSH_DMA_RING_BYTES &&
                   FSH_DMA_STATUS - FSH_DMA_REP >= FSH_DMA_RING_BYTES,
               "rings do not overlap");
/* Room in the rings: docs/03_developer/architecture.md. The maximum outstanding
 * entries plus the current one fit in what the device knows to be free. */
#define FSH_DMA_RING_ROOM (FSH_RING_ENTRIES - FSH_DMA_RING_TELL)
_Static_assert(FSH_DMA_SLOTS / 2 < FSH_DMA_RING_ROOM,
               "a receive ring: a message in each slot of its channel");
_Static_assert(FSH_HOST_TAGS + FSH_DMA_SLOTS * FSH_LANES +
                       FSH_COMMANDS_IN_FLIGHT + FSH_AREA_SEQUENCES <
                   FSH_DMA_RING_ROOM,
               "completion ring: tags, sources by port, compute commands, "
               "sequences");
_Static_assert(FSH_SLOT_LINE >= FSH_HDR_WORDS * 8 + FSH_MAX_ARGS * 4 &&
                   FSH_SLOT_LINE + FSH_BEAT_BYTES <= FSH_SLOT_HEADER_BYTES,
               "a line lies behind the arguments");
_Static_assert(FSH_DMA_SLOT_HDR % 0x40000 == 0 &&
                   FSH_DMA_SLOT_HDR + FSH_DMA_SLOTS * FSH_SLOT_HEADER_BYTES <=
                       FSH_DMA_SMALL,
               "slot headers are 256 KiB aligned");
_Static_assert(FSH_DMA_SMALL + 2 * FSH_DMA_SMALL_SLOTS * FSH_DMA_SMALL_BYTES <=
                   FSH_DMA_SLOT_PAY,
               "small bounce slots");
_Static_assert(FSH_DMA_SLOT_PAY % 0x800000 == 0 &&
                   FSH_DMA_SLOT_PAY + FSH_DMA_SLOTS * FSH_MAX_MEDIUM <=
                       FSH_DMA_TAG,
               "slot payloads are 8 MiB aligned");
_Static_assert(FSH_DMA_TAG + FSH_HOST_TAGS * FSH_DMA_TAG_BYTES <=
                   FSH_DMA_POSTED,
               "bounce memory of tags");
_Static_assert(FSH_DMA_POSTED + FSH_AREA_SEQUENCES * FSH_AREA_BUFFER_BYTES <=
                   FSH_DMA_BIG,
               "results of sequences");
_Static_assert(FSH_DMA_BIG + 2 * FSH_DMA_BIG_SLOTS * FSH_DMA_BIG_BYTES <=
                   FSH_DMA_BRIDGE,
               "big bounce slots");
_Static_assert(FSH_DMA_SMALL_BYTES >= FSH_MAX_MEDIUM, "a Medium fits");
_Static_assert(FSH_DMA_SMALL_SLOTS <= 64 && FSH_DMA_BIG_SLOTS <= 64 &&
                   FSH_HOST_TAGS <= 64,
               "one word maps them");

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bridge: transfers between the memory of a rank and the card of another one, through
 * the network between their hosts and a thread beside the card. Included by fshmem.h.
 *
 * The rank of the card runs with FSHMEM_BRIDGE=1 (conduits fpga and mixed). Card memory is
 * the segment of that rank; addresses are byte offsets in it, of any alignment, as are
 * sizes. A put is complete when the card has the write responses of all bytes: they are
 * then visible to its compute core and to every rank. Neither the rank of the card nor its
 * node's links are involved. gasnet_put and gasnet_get reach the same memory, on conduit
 * fpga through the fabric, on mixed as its page says.
 *
 * A rank has one transfer at a time to each node, whose calls are made by the thread that
 * started it. The memory of a transfer is registered with the network, and registrations
 * are kept for the next one: call fshmem_bridge_release before unmapping such memory.
 *
 * All calls return FSHMEM_OK or, without any effect, FSHMEM_ERR_CALL (before gasnet_attach,
 * or in a handler), FSHMEM_ERR_ARGUMENT (a null pointer, nothing to move, an unknown flag),
 * FSHMEM_ERR_NODE, FSHMEM_ERR_ABSENT (no bridge serves that node's card), or what the call
 * adds. A failed transfer may have moved some of its bytes.
 */
#ifndef FSHMEM_BRIDGE_H
#define FSHMEM_BRIDGE_H

#ifndef FSHMEM_H
#error Include fshmem.h
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The bridge to the card of a node. */
typedef struct {
    int present;      /* 0: none, and all other fields are 0 */
    uint64_t bytes;   /* of card memory that it reaches: the node's segment */
    uint64_t buffer;  /* bytes of a buffer of its ring: the largest piece */
    uint32_t entries; /* buffers */
} fshmem_bridge_info_t;

/* Fills in *info for a node. A node without a bridge is not an error. Never blocks.
 * [handler] */
fshmem_status_t fshmem_bridge_info(gasnet_node_t node,
                                   fshmem_bridge_info_t *info);

/* For comparison only: the whole transfer in a buffer at the card's host, registered for
 * it, each stage after the other, instead of pieces that pass all stages at once. */
#define FSHMEM_BRIDGE_NAIVE 1u

/* A transfer: bytes to the card, then commands of its compute core, then bytes from the
 * card. Each part may be missing, but not both directions. Where commands of this rank do not
 * reach the node's core (a rank without a card, conduit mixed) its bridge runs them: at most
 * 65536 of the core (some commands are several), else FSHMEM_ERR_ARGUMENT. A round trip without commands, of
 * as many bytes back from where they went to, moves each piece back as soon as it is in
 * the card; otherwise a part begins when the one before it has ended. */
typedef struct fshmem_bridge_transfer {
    const void *source;    /* to the card */
    uint64_t source_bytes; /* 0: nothing */
    fshmem_offset_t to;
    const fshmem_command_t *commands; /* as for fshmem_submit_nb */
    size_t count;                     /* 0: none */
    void *target;                     /* from the card */
    uint64_t target_bytes;            /* 0: nothing */
    fshmem_offset_t from;
} fshmem_bridge_transfer_t;

/* Starts a transfer and returns at once. flags: 0 or FSHMEM_BRIDGE_NAIVE. Its memory and
 * commands must stay as they are until it has ended. Its bytes move while this rank polls, in
 * gasnet_AMPoll and every wait; commands and what follows them begin in fshmem_bridge_test
 * and _wait. Commands that the bridge runs are checked here, and run on if this rank leaves.
 * The first call to a node connects to
 * its bridge, which takes some milliseconds. Also returns FSHMEM_ERR_BUSY (this rank's last
 * transfer to the node has not ended), _RANGE (beyond card memory), _NO_MEMORY, _LOST, or
 * the errors of fshmem_submit_nb. */
fshmem_status_t fshmem_bridge_start(gasnet_node_t node,
                                    const fshmem_bridge_transfer_t *transfer,
                                    unsigned flags);

/* Makes progress: FSHMEM_ERR_BUSY while this rank's transfer to a node is under way; once it
 * has ended, its result, until the next one starts; before the first one, FSHMEM_OK. *moved,
 * unless moved is null, becomes the bytes that have moved so far, both directions together;
 * it is brought up to date some 16 times in each part. The
 * result: FSHMEM_OK, FSHMEM_ERR_NO_MEMORY (of the card's host, naive transfers only), _LOST,
 * _DEVICE, or that of a failed command as in fshmem_submit_nb. */
fshmem_status_t fshmem_bridge_test(gasnet_node_t node, uint64_t *moved);

/* The same until it has ended, polling; bounded by FSHMEM_BRIDGE_TIMEOUT without news. */
fshmem_status_t fshmem_bridge_wait(gasnet_node_t node);

/* One direction: fshmem_bridge_start followed by fshmem_bridge_wait. Return their errors. */
fshmem_status_t fshmem_bridge_put(gasnet_node_t node, fshmem_offset_t to,
                                  const void *source, uint64_t bytes,
                                  unsigned flags);
fshmem_status_t fshmem_bridge_get(void *target, gasnet_node_t node,
                                  fshmem_offset_t from, uint64_t bytes,
                                  unsigned flags);
/* The same for any transfer. */
fshmem_status_t fshmem_bridge_exchange(gasnet_node_t node,
                                       const fshmem_bridge_transfer_t *transfer,
                                       unsigned flags);

/* Forgets registrations that touch this memory, at all nodes. Returns FSHMEM_ERR_BUSY if a
 * transfer of this rank has not ended. */
fshmem_status_t fshmem_bridge_release(const void *address, size_t bytes);

/* The cause of this rank's last failure at a node, with its remedy; "" if there was none.
 * Valid until the next call about that node. */
const char *fshmem_bridge_why(gasnet_node_t node);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages between ranks over shared memory: rings, pools, ready bits, sleep.
 * Knows no boot, no GASNet and never blocks (port_sleep aside), so that a test
 * can run all ranks as threads of one process. A port is one rank's end; its
 * calls may come from several threads if it was made with `locking`.
 *
 * Pairs of orders that keep this correct (all seq_cst, so that a store and the
 * following load of the other side cannot both be missed):
 *   A  sender: stamp, then ready bit      receiver: clear bit, then read stamp
 *   B  sender: ready bit, then sleepers   receiver: sleepers, then ready bit
 *   C  setter: ready word, then summary   clearer: summary, then ready word
 *   F  teller: completion, then `told`    owner: clear `told`, then look
 */
#ifndef FSH_SMP_RING_H
#define FSH_SMP_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conduit/smp/layout.h"

/* Payloads up to this ride in the ring's slots. */
#define FSH_SMP_MAX_INLINE 512u

struct fsh_smp_port;

/* A message to send. addr is delivered as is (Long). nbytes of src are copied
 * only for Mediums; the caller has already placed a Long's payload. */
struct fsh_smp_out {
    uint32_t dest;
    uint8_t channel;
    uint8_t handler;
    uint8_t category; /* enum fsh_category */
    uint8_t nargs;    /* 0..16 */
    const int32_t *args;
    const void *src;
    uint32_t nbytes;
    uint64_t addr;
};

enum fsh_smp_result { FSH_SMP_SENT, FSH_SMP_NO_SLOT, FSH_SMP_NO_BLOCK };

/* A message that arrived; everything is valid during the call only. */
struct fsh_smp_in {
    uint32_t source;
    uint8_t channel;
    uint8_t handler;
    uint8_t category;
    uint8_t nargs;
    const int32_t *args;
    void *buf; /* Medium: payload, 16-byte aligned; Long: addr */
    size_t nbytes;
};

/* Called by fsh_smp_port_poll with no locks held. */
typedef void (*fsh_smp_deliver_fn)(void *arg, const struct fsh_smp_in *in);

/* base: the mapped object. NULL if there is no memory. Owned by the caller. */
struct fsh_smp_port *fsh_smp_port_new(void *base,
                                      const struct fsh_smp_layout *layout,
                                      uint32_t rank, bool locking);
void fsh_smp_port_free(struct fsh_smp_port *port);

/* Send without blocking; tells what was lacking. */
enum fsh_smp_result fsh_smp_port_send(struct fsh_smp_port *port,
                                      const struct fsh_smp_out *out);

/* Deliver what has arrived on the channels of `mask` (1u << channel); a
 * bounded number of messages. Returns whether there was any. */
bool fsh_smp_port_poll(struct fsh_smp_port *port, unsigned mask,
                       fsh_smp_deliver_fn deliver, void *arg);

/* Sleep until a message may have arrived or max_ns passed; with `memory` also
 * until somebody pokes this rank, after a store to its segment. The caller has
 * to look at its segment between two calls: the first does not sleep. */
void fsh_smp_port_sleep(struct fsh_smp_port *port, uint64_t max_ns,
                        bool memory);
void fsh_smp_port_poke(struct fsh_smp_port *port, uint32_t dest);

/* Rank `dest` has a completion of a compute core to look at; ends its sleep. Any
 * thread, also of no client. And: has this rank, since it last asked? */
void fsh_smp_port_tell(struct fsh_smp_port *port, uint32_t dest);
bool fsh_smp_port_told(struct fsh_smp_port *port);

/* Slots of a ring to `dest` that are in use, as far as this side knows, and
 * pool blocks of a channel that are out. For state dumps. */
unsigned fsh_smp_port_slots(struct fsh_smp_port *port, unsigned channel,
                            uint32_t dest);
unsigned fsh_smp_port_blocks(struct fsh_smp_port *port, unsigned channel);

#endif

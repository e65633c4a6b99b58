/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages between ranks over shared memory: rings, pools, ready bits, sleep.
 * Knows no boot, no GASNet and never blocks (port_sleep aside, and threads of a
 * rank for each other), so that a test can run all ranks as threads of one
 * process. A port is one rank's end; its calls may come from several threads if it
 * was made with `locking`.
 *
 * The heavy fence may miss a side (base/membarrier.h), so who relies on it looks
 * again: who sleeps, after a while; who polls, after FSH_SMP_LATE_POLLS.
 *
 * Pairs of orders that keep this correct, each a Dekker handshake: both sides
 * store, fence, then load what the other stores, and at least one sees the other's
 * store. The side that sends or puts makes the light fence (base/membarrier.h), the
 * side that withdraws its attention or sleeps the heavy one:
 *   A  sender: stamp, then attention      owner: clear attention, then stamp
 *   B  sender: stamp, then sleepers       owner: sleepers, then stamp
 *   C  caller: ready word, then summary   owner: summary, then ready word
 *   D  putter: data, then watching        owner: watching, then data
 *   G  receiver: freed, then blocked      sender: blocked, then freed
 *   F  teller: completion, then `told`    owner: clear `told`, then look
 */
#ifndef FSH_SMP_RING_H
#define FSH_SMP_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conduit/conduit.h"
#include "conduit/smp/layout.h"

/* Payloads up to this ride in the ring's slots. */
#define FSH_SMP_MAX_INLINE 512u

struct fsh_smp_port;

enum fsh_smp_result { FSH_SMP_SENT, FSH_SMP_NO_SLOT, FSH_SMP_NO_BLOCK };

/* Called by fsh_smp_port_poll with no locks held, with a message that arrived:
 * everything is valid during the call only. */
typedef void (*fsh_smp_deliver_fn)(struct fsh_token *token, void *arg);

/* The same for n Shorts that came one after the other; of the token, source and
 * is_request are set. */
typedef void (*fsh_smp_shorts_fn)(struct fsh_token *token,
                                  const struct fsh_short *m, unsigned n);

/* base: the mapped object. NULL if there is no memory. Owned by the caller. */
struct fsh_smp_port *fsh_smp_port_new(void *base,
                                      const struct fsh_smp_layout *layout,
                                      uint32_t rank, bool locking);
void fsh_smp_port_free(struct fsh_smp_port *port);

/* Who takes Shorts in batches; without, each is delivered by itself. */
void fsh_smp_port_take_shorts(struct fsh_smp_port *port, fsh_smp_shorts_fn fn);

/* Send without blocking; tells what was lacking. The message's node does not
 * count, dst is delivered as it is (Long: the caller has already placed the
 * payload), src is copied for Mediums only. */
enum fsh_smp_result fsh_smp_port_send(struct fsh_smp_port *port,
                                      unsigned channel, uint32_t dest,
                                      const struct fsh_am *am);
/* The same; the payload of a Long is copied to `place`, here, if the message can
 * be sent, and before it is. NULL: as above. */
enum fsh_smp_result fsh_smp_port_place(struct fsh_smp_port *port,
                                       unsigned channel, uint32_t dest,
                                       const struct fsh_am *am, void *place);

/* A second thread is about to call: from now on locks are taken. Before its
 * first call, and again before that of every further one. */
void fsh_smp_port_share(struct fsh_smp_port *port);

/* Deliver what has arrived, or of that the replies only; a bounded number of
 * messages of each source. Returns whether there was any. */
bool fsh_smp_port_poll(struct fsh_smp_port *port, fsh_smp_deliver_fn deliver,
                       void *arg);
bool fsh_smp_port_poll_replies(struct fsh_smp_port *port,
                               fsh_smp_deliver_fn deliver, void *arg);

/* Sleep until a message may have arrived or max_ns passed; with `memory` also
 * until somebody pokes this rank, after a store to its segment. The caller has
 * to look at its segment between two calls: the first does not sleep, unless a
 * wait before this one ended between two. */
void fsh_smp_port_sleep(struct fsh_smp_port *port, uint64_t max_ns,
                        bool memory);
void fsh_smp_port_poke(struct fsh_smp_port *port, uint32_t dest);
/* From here on the first call of fsh_smp_port_sleep with `memory` does not sleep:
 * for who stores something, and then looks for what others do alike. */
void fsh_smp_port_unwatch(struct fsh_smp_port *port);
/* Not 0 while rank `dest` has to be poked, for whoever looks at it after a
 * store and a light fence. NULL if the fence has to be a full one here. */
const uint32_t *fsh_smp_port_watched(const struct fsh_smp_port *port,
                                     uint32_t dest);

/* A wait for room in a ring or a pool: arm, then poll and try to send again, then
 * nap. From arm on, whatever comes or is freed ends the nap, at once if it was
 * before. Every arm is followed by a nap or by a disarm. */
uint32_t fsh_smp_port_arm(struct fsh_smp_port *port);
void fsh_smp_port_nap(struct fsh_smp_port *port, uint32_t armed,
                      uint64_t max_ns);
void fsh_smp_port_disarm(struct fsh_smp_port *port);

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

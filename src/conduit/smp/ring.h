/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages between ranks over shared memory: rings, pools, ready bits, sleep.
 * Independent of boot and GASNet, and never blocks (except port_sleep, and threads of
 * a rank for each other), so that a test can run all ranks as threads of one process.
 * A port is one rank's end; its calls may come from several threads if it was created
 * with `locking`.
 *
 * The heavy fence may miss a processor (base/membarrier.h), so code that relies on it
 * rechecks: sleepers after a while, pollers after FSH_SMP_LATE_POLLS.
 *
 * Ordering pairs, each a Dekker handshake: both sides store, fence, then load what
 * the other stores, so at least one sees the other's store. The side that sends or
 * puts uses the light fence (base/membarrier.h), the side that withdraws its
 * attention or sleeps the heavy one:
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

/* Largest payload carried in the ring's slots. */
#define FSH_SMP_MAX_INLINE 512u

struct fsh_smp_port;

enum fsh_smp_result { FSH_SMP_SENT, FSH_SMP_NO_SLOT, FSH_SMP_NO_BLOCK };

/* Called by fsh_smp_port_poll, without locks, for a received message;
 * everything is valid during the call only. */
typedef void (*fsh_smp_deliver_fn)(struct fsh_token *token, void *arg);

/* The same for n consecutive Shorts from one source; in the token only source
 * and is_request are set. */
typedef void (*fsh_smp_shorts_fn)(struct fsh_token *token,
                                  const struct fsh_short *m, unsigned n);

/* The ranks of a job, of which some share the object. There each has an index, by
 * which everything in the object is found; ports take and give ranks. */
#define FSH_SMP_ELSEWHERE UINT32_MAX
struct fsh_smp_ranks {
    uint32_t rank, ranks;  /* this one, those of the job */
    const uint32_t *index; /* by rank, or FSH_SMP_ELSEWHERE; NULL: the rank */
};

/* base: the mapped object. NULL if out of memory. Owned by the caller. To ranks
 * elsewhere only fsh_smp_put_lean may be called, which finds no room. `among` is read
 * during the call only. */
struct fsh_smp_port *fsh_smp_port_among(void *base,
                                        const struct fsh_smp_layout *layout,
                                        const struct fsh_smp_ranks *among,
                                        bool locking);
/* The same if all ranks share it. */
struct fsh_smp_port *fsh_smp_port_new(void *base,
                                      const struct fsh_smp_layout *layout,
                                      uint32_t rank, bool locking);
void fsh_smp_port_free(struct fsh_smp_port *port);

/* Sets the receiver of Shorts in batches; without one, each is delivered
 * separately. */
void fsh_smp_port_take_shorts(struct fsh_smp_port *port, fsh_smp_shorts_fn fn);

/* Sends without blocking; reports what was lacking. Ignores the message's node,
 * passes dst through as is (Long: the caller has already placed the payload)
 * and copies src for Mediums only. */
enum fsh_smp_result fsh_smp_port_send(struct fsh_smp_port *port,
                                      unsigned channel, uint32_t dest,
                                      const struct fsh_am *am);
/* The same, but copies the payload of a Long to `place`, an address in this process,
 * before sending, if the message can be sent. NULL: as above. */
enum fsh_smp_result fsh_smp_port_place(struct fsh_smp_port *port,
                                       unsigned channel, uint32_t dest,
                                       const struct fsh_am *am, void *place);

/* For a rank that sleeps for something else, too: fsh_smp_port_sleep calls `sleep`
 * instead of the futex, which returns early when its bell rings: the reading end of a
 * pipe, whose writing ends the others have, by index in `bell` (-1: none; not blocking).
 * Valid as long as the port. Before the first sleep. */
typedef void (*fsh_smp_sleep_fn)(uint64_t max_ns);
void fsh_smp_port_bells(struct fsh_smp_port *port, int *bell,
                        fsh_smp_sleep_fn sleep);

/* A second thread is about to call: takes locks from now on. Call before its
 * first call, and again before that of every further thread. */
void fsh_smp_port_share(struct fsh_smp_port *port);

/* Delivers what has arrived, or only its replies: a bounded number of messages
 * per source. Returns whether there were any. */
bool fsh_smp_port_poll(struct fsh_smp_port *port, fsh_smp_deliver_fn deliver,
                       void *arg);
bool fsh_smp_port_poll_replies(struct fsh_smp_port *port,
                               fsh_smp_deliver_fn deliver, void *arg);

/* Sleeps until a message may have arrived, for at most max_ns; with `memory`
 * also until another rank pokes this one after a store to its segment. The
 * caller must test its segment between calls: the first call does not sleep,
 * unless a previous wait ended between two calls. */
void fsh_smp_port_sleep(struct fsh_smp_port *port, uint64_t max_ns,
                        bool memory);
void fsh_smp_port_poke(struct fsh_smp_port *port, uint32_t dest);
/* Makes the next fsh_smp_port_sleep with `memory` return at once: for code that stores
 * something and then looks for the same by others. */
void fsh_smp_port_unwatch(struct fsh_smp_port *port);
/* A word that is non-zero while rank `dest` must be poked; read it after the
 * store and a light fence. NULL if a full fence is needed here. */
const uint32_t *fsh_smp_port_watched(const struct fsh_smp_port *port,
                                     uint32_t dest);

/* Waiting for room in a ring or a pool: arm, then poll and retry the send, then nap.
 * Anything that arrives or is freed after arm ends the nap, at once if it preceded the
 * nap. Every arm is followed by a nap or a disarm. */
uint32_t fsh_smp_port_arm(struct fsh_smp_port *port);
void fsh_smp_port_nap(struct fsh_smp_port *port, uint32_t armed,
                      uint64_t max_ns);
void fsh_smp_port_disarm(struct fsh_smp_port *port);

/* tell: rank `dest` has a compute core's completion to collect; ends its sleep. Any
 * thread, also the library's. told: whether this rank has been told since the last
 * call. */
void fsh_smp_port_tell(struct fsh_smp_port *port, uint32_t dest);
bool fsh_smp_port_told(struct fsh_smp_port *port);

/* The number of slots in use in the ring to `dest`, as far as this side knows,
 * and of a channel's pool blocks in use. For state dumps. */
unsigned fsh_smp_port_slots(struct fsh_smp_port *port, unsigned channel,
                            uint32_t dest);
unsigned fsh_smp_port_blocks(struct fsh_smp_port *port, unsigned channel);

#endif

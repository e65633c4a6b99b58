/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Getting commands to compute cores and learning of their end. A list is some
 * commands for one queue of one node. It is cut into chunks that fit into this
 * rank's part of the node's area (conduit.h); a chunk is written there, then
 * RUN is sent. Lists for one queue of one node go in the order in which they
 * were submitted: a chunk follows when the one before was accepted, and one
 * that is refused BUSY is sent again at the next kick. Every command reports
 * its end with the cookie of its chunk.
 *
 * Called by src/gasnet and src/compute/api, any client thread, not from handlers; and by
 * src/bridge, on the thread of a card's server, for this rank's own node only.
 * One lock; no call waits for a core or a peer, or polls, though its puts may wait
 * for the device of this node. What a kick does needs nothing but kicks and polls.
 * Whatever a core refuses or a command fails with is a status (FSH_STATUS_) that
 * `done` is given.
 */
#ifndef FSH_SUBMIT_H
#define FSH_SUBMIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fsh_spec.h"
#include "conduit/conduit.h"

enum { FSH_QUEUE_ARRAY, FSH_QUEUE_MOVER };

/* Called once, from a kick on any thread, when all commands of a list have ended:
 * the status of the first that failed, or FSH_STATUS_OK. With the lock held: must be
 * short, and call nothing of this file nor of the conduit. */
typedef void (*fsh_command_done_fn)(void *arg, unsigned status);

/* What became of a list that is tried once. */
enum { FSH_ONCE_OPEN, FSH_ONCE_TAKEN, FSH_ONCE_REFUSED };

struct fsh_command_list {
    struct fsh_command_list *next;
    uint32_t node;
    uint8_t queue; /* FSH_QUEUE_ */
    bool is_message;
    uint32_t count;  /* commands */
    uint32_t given;  /* of them accepted by the core */
    uint32_t left;   /* that have not ended */
    unsigned status; /* of the first that failed */
    fsh_command_done_fn done;
    void *arg;
    /* If not NULL: try once, all or nothing, and say here what became of it.
     * Refused: done is not called. */
    atomic_uint *once;
    uint64_t message; /* is_message: a RUN of the client's own commands */
    uint64_t words[][FSH_CCMD_WORDS];
};

/* Most commands of a list that is tried once. */
#define FSH_COMMAND_ONCE 32u

/* The conduit, and who is who; once, after its attach, before any other call. ops
 * and segs ([nodes]) stay the caller's, and valid. False: no memory. */
bool fsh_command_start(const struct fsh_conduit_ops *ops, uint32_t rank,
                       uint32_t nodes, const struct fsh_segment *segs);

/* A list with room for count commands (at least 1) for a FSH_QUEUE_ of a node, which
 * the caller fills in without the completion fields, with done, arg and once if it
 * wants them, and submits or frees (free). NULL: no memory. */
struct fsh_command_list *fsh_command_list_new(uint32_t node, unsigned queue,
                                              uint32_t count);

/* Submit a list, which is the engine's from now on (it frees it), to a node that has
 * a core (ops->compute->present). Sends what can be sent now; does not wait for the
 * core. A core's refusal is told by `done`, that of a list tried once by `once`,
 * which is set (release) before this returns or in a kick. */
void fsh_command_submit(struct fsh_command_list *list);

/* Move on what can move; whether anything did. Returns false at once while another
 * thread does. */
bool fsh_command_kick_slow(void);
extern atomic_uint fsh_command_active; /* lists that have not ended */

/* Is there anything to kick for? */
static inline bool fsh_command_is_active(void)
{
    return atomic_load_explicit(&fsh_command_active, memory_order_relaxed) != 0;
}

/* fsh_command_kick_slow, from every poll: a load while there is nothing to do. */
static inline bool fsh_command_kick(void)
{
    return fsh_command_is_active() && fsh_command_kick_slow();
}

/* The same for commands to this rank's own node only, which takes no put: for a thread that
 * may not poll. */
void fsh_command_kick_own(void);

/* One line a queue that has something to do, for state dumps. */
void fsh_command_describe(void (*line)(void *arg, const char *text), void *arg);

#endif

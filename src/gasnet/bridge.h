/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bridge in a job: the server of this rank's card, and this rank's connections to
 * others. One lock for all of it; no call waits for another rank, but for the first
 * transfer to a node, which connects.
 */
#ifndef FSH_GASNET_BRIDGE_H
#define FSH_GASNET_BRIDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/option.h"
#include "bridge/status.h"
#include "conduit/conduit.h"

struct fsh_job_bridge_info {
    uint64_t bytes, buffer;
    uint32_t entries;
};

struct fsh_job_bridge_move {
    bool to_card, from_card; /* one or both: pieces go back at once */
    bool run;                /* none: source has the words of commands */
    bool naive;
    uint64_t offset, bytes;
    uint64_t array; /* run: commands for the array queue, which come first */
    const void *source;
    void *target;
};

/* Whether the setting asks for a server beside this card; card: NULL, there is none. The
 * same from gasnet_init on. */
static inline bool fsh_job_bridge_wanted(const struct fsh_card_ops *card)
{
    return card != NULL && card->present() && fsh_option_bool("FSHMEM_BRIDGE");
}
/* At the end of gasnet_attach, collective: starts the server, if it is wanted, and learns of
 * the others'. Failures are fatal with a message. */
void fsh_job_bridge_start(const struct fsh_card_ops *card);
/* On the way out: the server moves nothing any more. Bounded; allocates nothing. */
void fsh_job_bridge_halt(void);

/* What commands call a node that has a card with a compute core; -1: it has none. The same
 * for all ranks, those without a card, too. */
int fsh_job_bridge_core(uint32_t node);
/* What serves a node; false: nothing does. Since gasnet_attach. */
bool fsh_job_bridge_info(uint32_t node, struct fsh_job_bridge_info *info);
/* A second connection to that node's bridge, for the library's own puts and gets: to be
 * given to the calls below instead of the node. */
uint32_t fsh_job_bridge_second(uint32_t node);
/* Its registrations that touch this memory end. No transfer of it is under way. */
void fsh_job_bridge_forget(uint32_t second, const void *addr, size_t bytes);
/* The node has a bridge. As fsh_bridge_begin, _test, _why, _compute_status; connects if need
 * be. */
enum fsh_bridge_status fsh_job_bridge_begin(
    uint32_t node, const struct fsh_job_bridge_move *move);
enum fsh_bridge_status fsh_job_bridge_test(uint32_t node, uint64_t *moved);
unsigned fsh_job_bridge_compute_status(uint32_t node);
/* For polls: drives what the network does for transfers under way, those of second connections
 * aside, without which other ranks' would wait for the buffers that these hold. True while
 * there is one: it needs this rank's polls. */
bool fsh_job_bridge_kick(void);
const char *fsh_job_bridge_why(uint32_t node);
/* Sleeps until there is news of that node's transfer, at most ns, less than a second. */
void fsh_job_bridge_nap(uint32_t node, uint64_t ns);
/* As fsh_bridge_release, for every connection. False: a transfer is under way. */
bool fsh_job_bridge_release(const void *addr, size_t bytes);

#endif

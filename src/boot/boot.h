/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bootstrap as a rank sees it: who am I, the descriptors of the job, a barrier
 * and a small exchange that need no conduit, and the ways out. A rank is
 * started by fshrun (environment FSHMEM_JOB names inherited descriptors), by
 * another launcher such as mpirun (rendezvous.c), as a fork of a program started
 * with GASNET_PSHM_NODES (fork_job.c), or by hand, in which case init makes a
 * job of one rank in this process (and, for conduit fpga, starts the simulator
 * for it). Main thread only unless said; nothing here runs handlers. What is
 * returned is boot's, and stays until the process ends.
 */
#ifndef FSH_BOOT_H
#define FSH_BOOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "boot/job.h"

/* What a conduit of this name needs; NULL: one that runs over hosts. Fatal with a
 * message if there is none. */
typedef const struct fsh_job_needs *(*fsh_boot_needs_fn)(const char *conduit);

/* Join or make the job. default_conduit: name compiled into the client, used
 * if neither launcher nor FSHMEM_CONDUIT says. Idempotence is the caller's
 * business. Fatal with a message on failure. */
void fsh_boot_init(const char *default_conduit, fsh_boot_needs_fn needs);

/* This rank, the ranks of the job, and the name of its conduit. Any thread, after
 * init. */
uint32_t fsh_boot_rank(void);
uint32_t fsh_boot_size(void);
const char *fsh_boot_conduit(void);

/* The host of a rank, numbered from 0 on in the order of their first ranks, and how
 * many there are. Any thread, after init; before: 1. */
uint32_t fsh_boot_host(uint32_t rank);
uint32_t fsh_boot_hosts(void);
/* The ranks on this host, after init. Looks at all. */
uint32_t fsh_boot_ranks_here(void);

/* The node of the fabric that a rank has, or FSH_JOB_NO_NODE; how many there are. Any
 * thread, after init. */
uint32_t fsh_boot_node(uint32_t rank);
uint32_t fsh_boot_nodes(void);

/* 128 random bits that only the ranks of the job know, the same for all. After init. */
void fsh_boot_token(uint64_t token[2]);

/* CPUs that the ranks of the job on this host may use together, at least 1. Reads
 * files, so not for hot paths. */
unsigned fsh_boot_cpus(void);

/* The job's shared control page, mapped read-write; NULL before init. Any
 * thread. */
struct fsh_job_page *fsh_boot_page(void);

/* Inherited descriptors; -1 if the job has none of that kind. Owned by boot.
 * FSH_FD_SHARED is mapped by all ranks; the others belong to this rank's node
 * alone. */
enum fsh_fd_kind {
    FSH_FD_SHARED,
    FSH_FD_DRAM,
    FSH_FD_DMA,
    FSH_FD_MMIO,
    FSH_FD_KINDS
};
int fsh_boot_fd(enum fsh_fd_kind kind);

/* gasnet_attach is done: for state dumps; and the launcher's channel is closed. */
void fsh_boot_running(void);

/* All ranks arrive before any returns, and see what the others have written; sleeps
 * and does not poll. Until the end of gasnet_attach (fsh_boot_running). Bounded by FSHMEM_START_TIMEOUT, after which it is fatal and
 * names the ranks that did not arrive; so it is if one of them has ended. what: for
 * that message. */
void fsh_boot_barrier(const char *what);

/* Every rank gives n bytes, the same n; out receives size*n bytes in rank order.
 * Collective, a barrier: blocks and fails as fsh_boot_barrier. */
void fsh_boot_exchange(const void *in, size_t n, void *out);

/* Say in the page what this rank waits for, for state dumps; "" for nothing.
 * Copied, cut at 111 bytes. Any thread, takes a lock; the last one counts. */
void fsh_boot_waiting(const char *what);

/* The launcher's environment: on one host every rank inherits it; over hosts it is
 * rank 0's, completed by this process's own. Our settings are those of this process, which
 * has taken from rank 0 what it lacked. NULL if unset. Any thread, as getenv allows; valid
 * until the variable changes. */
const char *fsh_boot_getenv(const char *name);

/* End the whole job with this code: records code and reason (may be NULL) in
 * the page, and ends every other rank, the simulator, and this process. Any
 * thread, any time after init. Does not return. stdio is flushed by caller.
 * With a reason it is a failure: ignored if the job is ending already (the
 * first cause stands). Without, a non-zero code replaces a zero one. */
_Noreturn void fsh_boot_exit_job(int code, const char *reason);

/* This rank is on its way out, with this code: for state dumps, and for those
 * that wait for it. Any thread; async-signal-safe. */
void fsh_boot_leaving(int code);
/* It has left, as all others may see, but goes on a while. As above. */
void fsh_boot_left(int code);

/* If this process is still there at `deadline_ns` (fsh_time_ns; 0: never), stuck
 * on its way out, the watch thread ends the job with this code. Any thread;
 * async-signal-safe. */
void fsh_boot_exit_by(int code, uint64_t deadline_ns);

/* This rank leaves in an orderly way (return from main / exit): marks it
 * finished in the page, and with a code that is not 0 begins to end the job. Waits,
 * in seconds, for what this process has started: the simulator writes its files.
 * Only the first call counts, and none in a forked child. */
void fsh_boot_leave(int code);

/* This rank is about to fail: have the simulator, if there is one, write what its fabric
 * holds to stderr. Waits for it, a second at most; of several ranks the first does. Any
 * thread. */
void fsh_boot_dump_fabric(void);

/* Is the job still alive (no rank died, simulator running)? Any thread; cheap, no
 * system call: for wait loops. If not, *why is set to a static or page-resident
 * string, else left alone. */
bool fsh_boot_alive(const char **why);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a rank knows of its job: filled by enter.c on the main thread, read-only
 * after, but for the atomics. Inside src/boot only.
 */
#ifndef FSH_BOOT_STATE_H
#define FSH_BOOT_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "boot/boot.h"

/* Who ends this job, and hears of a rank's death? */
enum fsh_boot_kind {
    FSH_BOOT_SINGLE,   /* this process is all there is */
    FSH_BOOT_LAUNCHED, /* our launcher, parent of all ranks */
    FSH_BOOT_FOREIGN,  /* another's launcher; the ranks watch each other */
};

struct fsh_boot_state {
    struct fsh_job_page *page;
    uint32_t rank;
    pid_t pid; /* a forked child of this rank is no rank */
    int fd[FSH_FD_KINDS];
    int abort_fd;
    enum fsh_boot_kind kind;
    uint64_t token[2];
    pid_t launcher;         /* FOREIGN: the process above all ranks, or 0 */
    bool owner;             /* this process made the job */
    struct fsh_job job;     /* owner only */
    atomic_int leaving_tid; /* thread that is ending this process, 0 none */
    atomic_bool left;
};

extern struct fsh_boot_state fsh_boot;

/* What the page says of this rank. Any thread. */
static inline struct fsh_rank_slot *fsh_boot_slot(void)
{
    return &fsh_boot.page->rank[fsh_boot.rank];
}

/* Fill fsh_boot: join a job, or make one. Fatal with a message. */
void fsh_boot_enter(const char *default_conduit, fsh_boot_needs_fn needs);

/* Is the job on its way out? False before this process is a rank. */
bool fsh_boot_is_ending(void);
/* Where fsh_fatal ends: the job with this process, for this reason. */
void fsh_boot_end_fatally(int code, const char *reason);

/* With no launcher of ours it is on the rank that made the job to say, once, what the
 * simulator has ended it for. Any thread. */
void fsh_boot_say_reason(void);

/* The signals of a rank; once, in gasnet_init. */
void fsh_boot_catch_signals(void);

/* GASNET_PSHM_NODES: make this process the launcher of a job of so many ranks,
 * which are forks of it. Returns in each of them, with the ticket in the
 * environment as fshrun leaves it. */
void fsh_boot_fork_job(uint32_t ranks, const struct fsh_job_needs *needs);

#endif

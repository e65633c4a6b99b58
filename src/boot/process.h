/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the kernel says of a process (proc(5), stat): the launcher and ranks look at
 * their parents, children and peers. Any thread; reads a file.
 */
#ifndef FSH_BOOT_PROCESS_H
#define FSH_BOOT_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

struct fsh_process {
    char state; /* R, S, T, Z ... */
    pid_t parent;
    unsigned flags;             /* PF_ of the kernel */
    unsigned long user, system; /* processor time, clock ticks */
    unsigned long long start;   /* clock ticks since boot */
    int status;                 /* as of wait, once it is ending; else 0 */
};

/* False, with *p undefined, if there is no such process or nothing to be read. */
bool fsh_process_read(pid_t pid, struct fsh_process *p);

#endif

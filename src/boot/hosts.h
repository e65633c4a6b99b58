/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The hosts of a job. On each the first of its ranks, which has made the page that those
 * there share, speaks for all of them: to the first rank of each other host it has a TCP
 * connection, by which it tells when ranks here have left or died, and that the job is
 * ending, and why. A connection that ends without a word, or is dead for
 * FSHMEM_HOST_TIMEOUT, which the kernel finds out, is a host that is lost. Addresses, and
 * the random token with which each message begins, come by the launcher's channel; only
 * the job's interface is listened at, and only until all have come. Connections of
 * simulators are made here, too: whoever gets one knows that the other end has the token.
 */
#ifndef FSH_HOSTS_H
#define FSH_HOSTS_H

#include <stdbool.h>
#include <stdint.h>

#include "boot/job.h"
#include "boot/launcher_env.h"

/* Who speaks for the hosts finds the others; all get the token, which is rank 0's. cut, of
 * those who speak: whose simulators are to be connected, too, each with every other one.
 * Collective over all ranks of all hosts, with the channel open; main thread; fatal if it
 * fails. */
void fsh_hosts_open(const struct fsh_place *place,
                    const struct fsh_job_cut *cut, uint64_t token[2]);
/* The connections of this host's simulator are the job's from now on. */
void fsh_hosts_give(struct fsh_job *job);

/* Connections, as many as there are hosts; those that are not there are -1: of this host,
 * and all in ranks that speak for nobody. */
unsigned fsh_hosts_count(void);
int fsh_hosts_fd(unsigned host);

/* Tell what the page says and has not been told. Any thread of the rank that speaks;
 * async-signal-safe; never waits. */
void fsh_hosts_tell(void);

/* Something has come from a host: put it in the page. False: the host is gone; the
 * connection is closed. unless its first rank had left, `how` says how (else it is
 * empty). */
bool fsh_hosts_hear(unsigned host, int abort_fd, char *how, size_t room);

/* In a forked child: let go of the connections. */
void fsh_hosts_forked(void);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the ranks that another launcher has started become a job: rank 0 makes
 * it and hands out its descriptors over an abstract socket (meeting.h). Every
 * connection stays open: the lifeline between rank 0 and another. Where there are several
 * hosts, the first rank of each is its rank 0, and i is the place of a rank among those of
 * its host. Once in each
 * process, from fsh_boot_init; bounded by FSHMEM_START_TIMEOUT; fatal with a
 * message if it fails.
 */
#ifndef FSH_RENDEZVOUS_H
#define FSH_RENDEZVOUS_H

#include "boot/job_env.h"
#include "boot/launcher_env.h"

/* Rank 0, with fd of fsh_meeting_listen: serve all others, and close fd.
 * lifeline[i] becomes the connection to the i-th, -1 for rank 0 itself. */
void fsh_rendezvous_serve(const struct fsh_place *place, int fd,
                          const struct fsh_job *job, int *lifeline);
/* Rank 0: there will be no job; tell who comes in the next five seconds. */
void fsh_rendezvous_refuse(const struct fsh_place *place, int fd);

/* The others: get the descriptors. ticket->life_fd is the connection. */
void fsh_rendezvous_join(const struct fsh_place *place,
                         struct fsh_job_ticket *ticket);

#endif

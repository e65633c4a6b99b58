/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the environment says of a launcher that is not ours: mpirun, mpiexec,
 * srun. Only the environment and /proc are read; descriptors that it names
 * (PMI_FD) belong to MPI. Inside src/boot, before other threads exist; and by
 * the unit test.
 */
#ifndef FSH_LAUNCHER_ENV_H
#define FSH_LAUNCHER_ENV_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Names the job whose rank this process already was, for those it starts. */
#define FSH_LAUNCHED_ENV "FSHMEM_LAUNCHED"

struct fsh_place {
    const char *launcher; /* for messages: "Open MPI" */
    uint32_t rank, size;  /* size > 1 */
    char job[160];        /* equal in the processes of a job, and only there */
    uint64_t secret;      /* equal too, and of what other users cannot read */
    pid_t parent; /* process above the ranks and their scripts; 1 or less: not
                     known, or not worth watching */
};

enum fsh_place_result {
    FSH_PLACE_NONE,  /* no such launcher, or one rank of one */
    FSH_PLACE_FOUND, /* *place is filled */
    FSH_PLACE_REFUSED,
};

/* REFUSED: err says what is contradictory, missing, or not supported. */
enum fsh_place_result fsh_place_read(struct fsh_place *place, char *err,
                                     size_t errlen);

/* Go on with a hash (FNV-1a), or begin it with 0. */
uint64_t fsh_place_hash(uint64_t hash, const void *data, size_t n);

#endif

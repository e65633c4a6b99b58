/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the environment says of a launcher that is not ours: mpirun, mpiexec,
 * srun. Only the environment and /proc are read; descriptors that it names
 * (PMI_FD) belong to MPI. Inside src/boot, before other threads exist; and by
 * the unit test.
 */
#ifndef FSH_LAUNCHER_ENV_H
#define FSH_LAUNCHER_ENV_H

#include <stdbool.h>
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
    /* The variable that tells of several hosts; NULL: none does. */
    const char *spread;
    long spread_value;          /* its value */
    bool told;                  /* does it say whether all are on this host? */
    uint32_t host, hosts;       /* the one of this rank; all */
    const uint32_t *host_of;    /* of each rank; NULL: all on host 0 */
    uint32_t here, index;       /* ranks on this host; this one among them */
    const uint32_t *ranks_here; /* those, ascending; NULL: 0 to here - 1 */
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

/* The index-th rank on this host. */
static inline uint32_t fsh_place_rank(const struct fsh_place *place,
                                      uint32_t index)
{
    return place->ranks_here != NULL ? place->ranks_here[index] : index;
}

/* Go on with a hash (FNV-1a), or begin it with 0. */
uint64_t fsh_place_hash(uint64_t hash, const void *data, size_t n);

#endif

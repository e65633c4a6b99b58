/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which processors the ranks of a job get (hwloc): neighbours in rank are neighbours
 * in the machine, and a rank gets all of its share, for it may have threads. Linked
 * into fshrun and fshinfo, never into the library, whose clients shall not need
 * hwloc. One thread. A processor is a hardware thread, by the kernel's number, as in
 * taskset(1).
 */
#ifndef FSH_KIT_PLACE_H
#define FSH_KIT_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hwloc.h>

/* The machine, and what this process may use of it. */
struct place_machine {
    hwloc_topology_t topology; /* without what it may not use */
    hwloc_bitmap_t mine;       /* the affinity mask it was started with */
    bool whole;                /* which is all that anybody may use here */
};

/* What is asked for. */
struct place_wish {
    const char *what; /* a value of FSHMEM_BIND that can be read */
    uint32_t ranks;
    unsigned others; /* processes beside them that work: the simulator */
    bool alone;      /* no other job is on this host */
    unsigned usable; /* processors at a time, as fsh_cpu_count has them */
};

/* What the ranks get. */
struct place_shares {
    uint32_t ranks;
    hwloc_bitmap_t *share; /* of each rank; NULL: they are not bound */
    char why[160];         /* they are not; "" if that was asked for */
};

/* Look at this machine. False, with why in err, if hwloc cannot. */
bool place_look(struct place_machine *m, char *err, size_t errlen);
/* A machine of hwloc's synthetic description, of which `mine` (a list of processors)
 * may be used: for tests. False, with nothing to free, if a text cannot be read. */
bool place_imagine(struct place_machine *m, const char *synthetic,
                   const char *mine);
void place_machine_free(struct place_machine *m);

/* Fill in *s. False if a list names what is not there or is too short for the
 * ranks: why, with the limit and the remedy, in err. */
bool place_share(struct place_shares *s, const struct place_machine *m,
                 const struct place_wish *wish, char *err, size_t errlen);
void place_shares_free(struct place_shares *s);

/* Bind this process, a rank to be. Without a share nothing is done. */
void place_enter(const struct place_shares *s, uint32_t rank);

/* A set as "0-3,8", cut at len. Returns text. */
const char *place_text(hwloc_const_bitmap_t set, char *text, size_t len);

#endif

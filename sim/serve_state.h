/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * State shared by serve.c and turns.c: the ranks' ends of a fabric. One thread.
 */
#ifndef FSH_SIM_SERVE_STATE_H
#define FSH_SIM_SERVE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/handover.h"
#include "device/sim/sim_shm.h"
#include "fabric.h"

struct fsh_serve_port { /* one rank's */
    struct fsh_sim_mmio *mmio;
    uint64_t head;      /* of the posted-write ring */
    uint32_t read_seen; /* last read_seq entered */
    uint64_t wrote_ns;  /* when it last wrote a register */
    uint64_t since;     /* ns: held back from here on; 0: it is not */
};

struct fsh_serve {
    uint32_t nodes;         /* of the fabric */
    uint32_t first, past;   /* those whose ranks are served, and with ports */
    struct fsh_fabric *fab; /* while it is served */
    size_t dram_bytes, dma_bytes;
    struct fsh_sim_fabric *shared;
    struct fsh_serve_port *port;
    unsigned char **dram, **dma;
    uint32_t gate_seen;
    bool clocks;    /* simulated time of the hosts has begun ... */
    uint64_t start; /* ... in this cycle; before that 0 */
    struct fsh_handover handover;
    uint64_t moved;       /* cycle in which the fabric last did something */
    uint64_t still_since; /* cycle since which ranks look in vain ... */
    uint64_t still_ns;    /* ... and when that was first seen; 0 never */
    uint64_t confirmed; /* ranks wait since this cycle - 1, and say so; or 0 */
    uint64_t unconfirmed_ns; /* when a rank last said that it is not so */
    struct fsh_job_page *page;
    char failure[160];   /* why ranks cannot go on, or "" */
    uint32_t loses;      /* node that is not told of credits + 1, or 0 */
    uint64_t named;      /* bit n: rank n, for not giving its turn back */
    bool no_horizon;     /* ranks do not go on by themselves */
    uint32_t dram_write; /* as last wanted */
    bool urgent; /* something that cannot wait was taken since all was quiet */
    uint64_t busy_ns, busy_since;
    uint64_t shown, shown_ns; /* evaluations and time that displays know of */
    bool partitioned;         /* others have the other nodes ... */
    bool over_hosts;          /* ... on other hosts */
    struct fsh_watch *watch;  /* of several partitions; else NULL */
    uint64_t
        quiet_ns; /* ns: nothing is in flight since then; 0: something is */
    const char *dump_file;    /* that dumps go to as well, or NULL */
    volatile int dump_wanted; /* set by a signal handler */
    uint64_t stop_ns;  /* when others were first waited for after that: */
    volatile int stop; /* set by a signal handler of this thread */
};

/* A rank may be ahead of the fabric, which does nothing up to there: on to that
 * clock. */
void fsh_serve_catch_up(const struct fsh_serve *serve, struct fsh_fabric *fab,
                        uint64_t clock);
/* Take all that the ranks have written, at the cycle at which they wrote it. False if
 * something had to stay in a ring: step and come again. */
bool fsh_serve_take(struct fsh_serve *serve, struct fsh_fabric *fab);

/* Show how far the fabric is, for displays: now and then. */
void fsh_serve_show(struct fsh_serve *serve, const struct fsh_fabric *fab);

#endif

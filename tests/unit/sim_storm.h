/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parts of sim_compute_storm.c: operations in flight, the hosts and the compute
 * cores. One fabric at a time; one thread.
 */
#ifndef FSH_TEST_SIM_STORM_H
#define FSH_TEST_SIM_STORM_H

#include "check.h"
#include "sim_compute_fake.h"
#include "sim_ref.h"

#define NODES 4u
#define SEGMENT (1u << 20)
#define PER_NODE 700u /* operations of a host; of a core three times */
#define FROM 0x4000u
#define FROM_BYTES 0x8000u
#define TO 0x40000u /* 2 KiB for each tag of each node */
#define TO_BYTES 0x800u
#define RUNS (NODES * PER_NODE)
#define COOKIES 2048u

struct storm_put { /* PUT or GET in flight */
    bool live, get;
    uint32_t dst, at, status, length, from, to; /* at: written, if good */
};

struct storm_run {
    bool live, delivered, taken;
    uint32_t from, dst, count, mover;
};

struct storm_message { /* of a host: not a PUT or GET */
    bool live;
    uint32_t dst, run; /* index, or RUNS */
    uint32_t status;
};

/* All of a run; zero before it. */
extern struct storm {
    struct fsh_bed bed;
    uint64_t rng;
    uint32_t nodes, packet;
    struct storm_put put[NODES][FSH_NUM_TAGS]; /* also the tags of messages */
    struct storm_run run[RUNS];
    uint32_t runs;
    struct storm_message message[NODES][FSH_HOST_TAGS]; /* by tag */
    uint32_t signals_sent[NODES][FSH_NUM_EVENTS];
    uint32_t signals_got[NODES][FSH_NUM_EVENTS];
    struct {
        bool live;
        uint32_t from, status;
    } complete[NODES][COOKIES]; /* by receiver */
    uint32_t next_cookie;
    uint64_t refused[NODES], entries[NODES], accepted[NODES];
    uint32_t left_host[NODES], left_core[NODES];
    unsigned came_busy, came_ok, came_complete, came_acks;
} storm;

uint32_t storm_below(uint32_t n);

/* A PUT or GET between good places; the bytes around the target are to stay. */
struct storm_put *storm_make_put(uint32_t node, uint32_t tag, bool get);
/* It came back with this status. */
void storm_check_put(uint32_t node, uint32_t tag, uint32_t status);

/* Something, or nothing, that a core and a host do. */
void storm_core_turn(uint32_t node);
void storm_host_turn(uint32_t node);
/* An entry of a host's completion ring. */
void storm_take_entry(uint32_t node, const uint64_t entry[2]);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Expected memories and counters of a fabric: a reference model of messages, after
 * docs/02_reference and the contracts of the architecture page. It knows where bytes
 * go and how they are split into packets, not when: its user reports what has been
 * sent and what has completed. Every node has two spaces, each a memory in the
 * fabric ("real") and its expected contents ("image"). One thread.
 */
#ifndef FSH_TEST_SIM_REF_H
#define FSH_TEST_SIM_REF_H

#include <stdbool.h>
#include <stdint.h>

#include "bed.h"

#define REF_NODES 4u

struct ref_space { /* SPACE_SEGMENT: device memory; SPACE_HOST: DMA window */
    unsigned char *real, *image;
    uint64_t bytes; /* of the memory */
    uint64_t base;  /* of the space in it */
    uint64_t size;  /* of the space, as the node's registers say */
};

struct ref_count {
    uint64_t count, sum;
};

struct ref_node {
    struct ref_space space[2];
    uint64_t claimed; /* size of its segment in the route tables */
    struct ref_count perf[FSH_PERF_COUNT];
};

struct ref {
    uint32_t nodes, packet;
    bool ring;
    uint64_t forwards; /* packets passed on, in the whole fabric */
    struct ref_node node[REF_NODES];
};

struct ref_message {
    uint32_t from, to;
    bool reply;
    uint32_t space;
    bool outside;  /* nothing of it may be written there */
    uint64_t addr; /* in that space */
    const unsigned char *data;
    uint32_t length;
};

/* The numbers of a test; a function of the state alone. */
uint64_t ref_random(uint64_t *state);
/* In 0..below-1. */
uint32_t ref_below(uint64_t *state, uint32_t below);
void ref_fill(uint64_t *state, unsigned char *to, uint64_t bytes);

/* Make images as the memories are now. False if out of memory. */
bool ref_open(struct ref *ref);
void ref_close(struct ref *ref);

bool ref_inside(const struct ref *ref, uint32_t node, uint32_t space,
                uint64_t addr, uint64_t bytes);
/* Links between two nodes on a shortest way. */
uint32_t ref_hops(const struct ref *ref, uint32_t from, uint32_t to);
/* Payload bytes of the packet that starts at an address. */
uint32_t ref_cut(const struct ref *ref, uint64_t addr, uint32_t left);

/* A message with payload, of length 0 as well, has arrived: write and count
 * its packets, but those out of bounds. Returns its status. */
uint32_t ref_arrive(struct ref *ref, const struct ref_message *message);
/* A packet without payload has. */
void ref_bare(struct ref *ref, uint32_t from, uint32_t to, bool reply);

/* The real memory holds these bytes; says where it does not. */
bool ref_holds(const struct ref *ref, uint32_t node, uint32_t space,
               uint64_t addr, const void *data, uint32_t bytes);
/* The image takes over what the real memory holds. */
void ref_adopt(struct ref *ref, uint32_t node, uint32_t space, uint64_t addr,
               uint32_t bytes);
/* All memories are as their images; says where one is not. */
bool ref_same(const struct ref *ref);
/* All counters that the model knows are as the nodes'; says which is not. */
bool ref_counters(const struct ref *ref, struct fsh_bed *bed);

#endif

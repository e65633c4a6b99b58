/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A collective engine for conduit toy: a model of the one in logic, from its
 * descriptors on, with the same number of concurrent sequences and the same timeout.
 * Everything runs under the conduit's lock.
 */
#ifndef TOY_ENGINE_H
#define TOY_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conduit/conduit.h"

/* A value that goes from engine to engine, in pieces. */
struct toy_key {
    uint32_t vp, job, seq, total;
};

/* For `at`: no value, but that the one with this key has been consumed. */
#define TOY_ENGINE_CONSUMED UINT32_MAX
/* Send n bytes of a value, from `at` on, to the engine of a node. */
typedef void (*toy_engine_send_fn)(uint32_t node, const struct toy_key *key,
                                   uint32_t at, const void *data, size_t n);

/* Memory of this node, and what of its host's the engine writes, once. */
void toy_engine_begin(unsigned char *memory, size_t bytes,
                      unsigned char *posted, toy_engine_send_fn send);
/* Take a sequence; or say BUSY. */
unsigned toy_engine_run(size_t at);
/* A piece of a value has come. */
void toy_engine_arrive(uint32_t from, const struct toy_key *key, uint32_t at,
                       const void *data, size_t n);
/* Time has passed: what has been missing at three of these ends its sequence. */
void toy_engine_tick(void);
/* Go on as far as possible; whether it went anywhere. */
bool toy_engine_step(void);

#endif

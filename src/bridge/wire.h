/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages between the bridge's server and its clients, all of one size; data moves by
 * remote memory access only, which the server starts. A port can be reached by
 * strangers: the token, 128 random bits that the server's name carries, is checked before
 * any other field, then the client's number and nonce. Both sides are of one release and
 * one byte order. Stateless.
 *
 *     client                                   server
 *     HELLO name, nonce             ->
 *                                   <-         WELCOME client, card, name of its endpoint
 *     REQUEST transfer              ->
 *                                   <-         PROGRESS bytes (about 16 a transfer, and
 *                                                   while commands run)
 *                                   <-         DONE status (and the core's)
 *     BYE                           ->
 */
#ifndef FSH_BRIDGE_WIRE_H
#define FSH_BRIDGE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "network/endpoint.h"

enum fsh_bridge_kind {
    FSH_BRIDGE_HELLO,
    FSH_BRIDGE_WELCOME,
    FSH_BRIDGE_REQUEST,
    FSH_BRIDGE_PROGRESS,
    FSH_BRIDGE_DONE,
    FSH_BRIDGE_BYE,
    FSH_BRIDGE_KINDS
};

/* Memory of a client. */
struct fsh_bridge_remote {
    uint64_t address, key;
};

struct fsh_bridge_message {
    uint64_t token[2];
    uint32_t kind;
    uint32_t client; /* its number, from WELCOME on */
    uint64_t nonce;  /* drawn by the client, which its number may outlive */
    uint64_t id;     /* of the transfer, counted by the client */
    union {
        struct fsh_network_name name; /* HELLO, WELCOME */
        struct {
            uint32_t stages; /* enum fsh_bridge_stage */
            uint32_t naive;
            uint64_t offset; /* in card memory */
            uint64_t bytes;
            uint64_t array; /* RUN: commands for the array queue */
            struct fsh_bridge_remote source, target;
        } request;
        struct {
            uint64_t bytes; /* moved so far */
            uint32_t status;
            uint32_t compute; /* FSH_BRIDGE_COMMAND: FSH_STATUS_ of the core */
        } done;               /* PROGRESS, DONE */
    };
    uint64_t card_bytes; /* WELCOME */
};
_Static_assert(sizeof(struct fsh_bridge_message) == 248, "one layout");

/* Are these bytes a message of that server? */
static inline bool fsh_bridge_is_ours(const uint64_t token[2],
                                      const struct fsh_bridge_message *m,
                                      size_t bytes)
{
    return bytes == sizeof *m &&
           ((m->token[0] ^ token[0]) | (m->token[1] ^ token[1])) == 0 &&
           m->kind < FSH_BRIDGE_KINDS;
}

#endif

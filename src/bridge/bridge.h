/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bridge: transfers between the memory of a host and that of a card in another one,
 * in software, by the host of that card. After Miyajima, Hirao, Miyamoto, Son and Sano,
 * "Software-bridged data transfer for FPGA clusters with InfiniBand verbs and DMA".
 *
 * A server is a thread beside the card: it reads from clients' memory into a ring of
 * buffers in the DMA window, registered once with the network, has the card move them, and
 * writes to clients' memory likewise, so nothing is copied in between. A transfer is cut
 * into pieces that go through their stages independently, so network and DMA overlap and
 * several reads are in flight. A client needs no thread; while a transfer runs its calls
 * drive the network. docs/03_developer/bridge.md has the protocol.
 */
#ifndef FSH_BRIDGE_H
#define FSH_BRIDGE_H

#include "bridge/card.h"
#include "bridge/status.h"
#include "network/endpoint.h"

/* What the pieces of a transfer pass, in this order. */
enum fsh_bridge_stage {
    FSH_BRIDGE_READ = 1,      /* from the client's memory */
    FSH_BRIDGE_TO_CARD = 2,   /* DMA */
    FSH_BRIDGE_FROM_CARD = 4, /* DMA */
    FSH_BRIDGE_WRITE = 8,     /* to the client's memory */
    FSH_BRIDGE_RUN = 16       /* as commands of the compute core, all at once */
};
/* The paths. Other combinations are stages alone, for benchmarks: what they leave out
 * moves nothing, so data is undefined. */
#define FSH_BRIDGE_PATH_TO (FSH_BRIDGE_READ | FSH_BRIDGE_TO_CARD)
#define FSH_BRIDGE_PATH_FROM (FSH_BRIDGE_FROM_CARD | FSH_BRIDGE_WRITE)
#define FSH_BRIDGE_PATH_ROUND (FSH_BRIDGE_PATH_TO | FSH_BRIDGE_PATH_FROM)
/* Of commands, as struct fsh_command_list has their words: those for the array queue first.
 * Ends with the last of them. Never naive. */
#define FSH_BRIDGE_PATH_RUN (FSH_BRIDGE_READ | FSH_BRIDGE_RUN)
#define FSH_BRIDGE_MOST_COMMANDS 65536u

/* ---- server ---- */

struct fsh_bridge_server;

struct fsh_bridge_setup {
    unsigned entries; /* of the ring, 1 to FSH_BRIDGE_MOST_ENTRIES */
    size_t buffer;    /* bytes of an entry; entries * buffer <= dma_bytes */
    double timeout; /* seconds without progress after which a transfer fails */
    uint64_t token[2]; /* known to clients only */
};
#define FSH_BRIDGE_MOST_ENTRIES 64u
#define FSH_BRIDGE_MOST_CLIENTS \
    64u /* then the one idle for longest is forgotten */

/* What a client needs to find a server: to be sent to it by other means. */
struct fsh_bridge_name {
    struct fsh_network_name network;
    uint64_t token[2];
};

struct fsh_bridge_counters {
    uint64_t transfers; /* ended well */
    uint64_t failed;    /* ended otherwise */
    uint64_t refused;   /* checked and not begun */
    uint64_t strangers; /* messages that were dropped */
    uint32_t clients;   /* now */
    uint32_t entries;   /* in use now */
};

/* Serve a card, which stays the caller's and must outlive the server, by a thread of its
 * own. NULL with the reason and the remedy in `why`. */
struct fsh_bridge_server *fsh_bridge_serve(struct fsh_bridge_card *card,
                                           const struct fsh_bridge_setup *setup,
                                           struct fsh_bridge_name *name,
                                           char *why, size_t whylen);
/* As of some moment. Any thread. */
struct fsh_bridge_counters fsh_bridge_count(struct fsh_bridge_server *s);
/* Stop the thread, at the latest after the moves that the card has been given, or `timeout`;
 * and free all. Transfers under way fail; commands run to their end. NULL is nothing. */
void fsh_bridge_stop(struct fsh_bridge_server *s);
/* On the way out of a process: stop the thread, unless it takes longer than ns, and leave
 * all else. Also in a signal handler. */
void fsh_bridge_halt(struct fsh_bridge_server *s, uint64_t ns);

/* ---- client: one thread at a time ---- */

struct fsh_bridge_client;

struct fsh_bridge_transfer {
    unsigned stages;    /* FSH_BRIDGE_PATH_ */
    bool naive;         /* whole stages one after the other, for comparison */
    uint64_t offset;    /* in card memory */
    uint64_t bytes;     /* 1 or more */
    uint64_t array;     /* RUN: commands for the array queue, of all */
    const void *source; /* READ */
    void *target;       /* WRITE */
};

/* Reach a server, within timeout seconds, which bounds every later wait, too. NULL with
 * the reason in `why`. */
struct fsh_bridge_client *fsh_bridge_connect(const struct fsh_bridge_name *name,
                                             double timeout, char *why,
                                             size_t whylen);
/* Bytes of the server's card memory. */
uint64_t fsh_bridge_card_bytes(const struct fsh_bridge_client *c);
/* Begin a transfer: FSH_BRIDGE_PENDING, or why not. Its memory stays untouched until it
 * has ended, and mapped until fsh_bridge_release or close: registrations are cached, but
 * those of commands. */
enum fsh_bridge_status fsh_bridge_begin(struct fsh_bridge_client *c,
                                        const struct fsh_bridge_transfer *t);
/* Make progress; how the transfer stands, and how many of its bytes have moved (`moved`
 * may be NULL). Once it has ended, its status until the next begins. */
enum fsh_bridge_status fsh_bridge_test(struct fsh_bridge_client *c,
                                       uint64_t *moved);
/* After FSH_BRIDGE_COMMAND: the status of the core (FSH_STATUS_). */
unsigned fsh_bridge_compute_status(const struct fsh_bridge_client *c);
/* The same until it has ended; bounded by the limit between two news. */
enum fsh_bridge_status fsh_bridge_wait(struct fsh_bridge_client *c);
/* Sleep until the network has news, at most ns. */
void fsh_bridge_nap(struct fsh_bridge_client *c, uint64_t ns);
/* The cause of the last status that was not OK; the client's. */
const char *fsh_bridge_why(const struct fsh_bridge_client *c);
/* Forget registrations that touch this memory, before it is unmapped. Not during a
 * transfer. */
void fsh_bridge_release(struct fsh_bridge_client *c, const void *addr,
                        size_t bytes);
/* How often memory was registered. */
uint64_t fsh_bridge_registrations(const struct fsh_bridge_client *c);
/* Take leave and free all; a transfer under way fails at the server, commands that run there
 * go on. NULL is nothing. */
void fsh_bridge_close(struct fsh_bridge_client *c);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf bridge-node: the job of fshperf bridge --clock simulated, one rank with a
 * simulated card, which a thread of the bridge serves. The client is the main thread, at
 * another host of a modelled network. What is timed is one transfer each, from the call to
 * its end, in simulated time; what arrived is compared.
 */
#include "bridge_node.h"

#include <fshmem.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/option.h"
#include "base/simulated.h"
#include "bridge/bridge.h"
#include "bridge/node.h"
#include "bridge_rows.h"
#include "network/model.h"
#include "perf.h"

/* Card memory before and behind what is moved. */
#define MARGIN ((size_t)64 << 10)

#define HOST_MODEL(page_ns)                                                 \
    {                                                                       \
        .delay_ns = BRIDGE_DELAY_NS, .read_mb_per_s = BRIDGE_READ_MB_PER_S, \
        .write_mb_per_s = BRIDGE_WRITE_MB_PER_S, .post_ns = BRIDGE_POST_NS, \
        .register_ns = BRIDGE_REGISTER_NS, .register_page_ns = (page_ns),   \
        .look_ns = BRIDGE_LOOK_NS,                                          \
    }
static const struct fsh_network_model server_host =
                                          HOST_MODEL(BRIDGE_SERVER_PAGE_NS),
                                      client_host =
                                          HOST_MODEL(BRIDGE_CLIENT_PAGE_NS);

static struct fsh_bridge_card *card;
static struct fsh_bridge_server *server;
static struct fsh_bridge_client *client;
static unsigned char *source, *target, *memory;

static void make_memory(size_t most)
{
    gasnet_seginfo_t info;

    gasnet_getSegmentInfo(&info, 1);
    memory = (unsigned char *)info.addr + MARGIN;
    source = malloc(most);
    target = malloc(most);
    if (source == NULL || target == NULL)
        fsh_fatal("fshperf bridge: no memory for two times %zu bytes", most);
    for (size_t i = 0; i < most; i++)
        source[i] = (unsigned char)(i * 7 + i / 509);
}

static void begin(size_t most)
{
    struct fsh_bridge_setup setup = {
        .entries = (unsigned)fsh_option_int("FSHMEM_BRIDGE_ENTRIES"),
        .buffer = fsh_option_size("FSHMEM_BRIDGE_BUFFER"),
        .timeout = fsh_option_seconds("FSHMEM_BRIDGE_TIMEOUT"),
        .token = {1, 2}};
    struct fsh_bridge_name name;
    char why[512];

    if (!fsh_network_model_use(&server_host))
        fsh_fatal("bridge-node runs in simulated time; see fshperf bridge");
    make_memory(most);
    card = fsh_bridge_node(fsh_conduit_fpga.card, -1, why, sizeof why);
    server = card != NULL
                 ? fsh_bridge_serve(card, &setup, &name, why, sizeof why)
                 : NULL;
    fsh_network_model_use(&client_host);
    client = server != NULL
                 ? fsh_bridge_connect(&name, setup.timeout, why, sizeof why)
                 : NULL;
    if (client == NULL)
        fsh_fatal("fshperf bridge: %s", why);
}

static uint64_t transfer(unsigned stages, bool naive, size_t bytes)
{
    const struct fsh_bridge_transfer t = {.stages = stages,
                                          .naive = naive,
                                          .offset = MARGIN,
                                          .bytes = bytes,
                                          .source = source,
                                          .target = target};
    uint64_t start = fsh_simulated()->look();
    enum fsh_bridge_status status = fsh_bridge_begin(client, &t);

    if (status == FSH_BRIDGE_PENDING)
        status = fsh_bridge_wait(client);
    if (status != FSH_BRIDGE_OK)
        fsh_fatal("fshperf bridge: %s", fsh_bridge_why(client));
    return fsh_simulated()->look() - start;
}

/* The stages of a path move what they should. */
static void verify(unsigned stages, size_t bytes)
{
    if ((stages & FSH_BRIDGE_PATH_TO) == FSH_BRIDGE_PATH_TO &&
        memcmp(memory, source, bytes) != 0)
        fsh_fatal("fshperf bridge: other bytes have arrived in the card");
    if ((stages & FSH_BRIDGE_PATH_FROM) == FSH_BRIDGE_PATH_FROM &&
        memcmp(target, memory, bytes) != 0)
        fsh_fatal("fshperf bridge: other bytes have arrived from the card");
}

/* READ and WRITE alone come first and leave the client's memory registered; the naive modes,
 * which forget the registrations, last. */
static void measure(size_t bytes)
{
    transfer(FSH_BRIDGE_READ, false, bytes);
    transfer(FSH_BRIDGE_WRITE, false, bytes);
    for (unsigned i = 0; i < 2 * BRIDGE_ROWS; i++) {
        unsigned row = i % BRIDGE_ROWS;
        const struct bridge_row *r = &bridge_rows[row];
        uint64_t ns;

        if (r->naive != (i >= BRIDGE_ROWS) || !bridge_has_row(row, bytes))
            continue;
        memset(target, 0, bytes);
        ns = transfer(r->stages, r->naive, bytes);
        if (r->stage == NULL)
            verify(r->stages, bytes);
        printf(BRIDGE_LINE " %u %zu %" PRIu64 "\n", row, bytes, ns);
        fflush(stdout);
    }
}

static int run(int argc, char **argv)
{
    size_t most = 0;

    for (int i = 1; i < argc; i++)
        most = (size_t)strtoull(argv[i], NULL, 10) > most
                   ? (size_t)strtoull(argv[i], NULL, 10)
                   : most;
    if (most == 0)
        fsh_fatal("bridge-node: expected numbers of bytes");
    if (gasnet_init(&argc, &argv) != GASNET_OK ||
        gasnet_attach(NULL, 0,
                      (most + 2 * MARGIN + GASNET_PAGESIZE - 1) /
                          GASNET_PAGESIZE * GASNET_PAGESIZE,
                      0) != GASNET_OK)
        fsh_fatal("gasnet_init or gasnet_attach failed");
    begin(most);
    perf_tell_assumed();
    for (int i = 1; i < argc; i++)
        measure((size_t)strtoull(argv[i], NULL, 10));
    fsh_bridge_close(client);
    fsh_bridge_stop(server);
    fsh_bridge_node_free(card);
    fsh_network_model_use(NULL);
    gasnet_exit(0);
    return 0;
}

const struct perf_command perf_bridge_node = {
    .name = "bridge-node",
    .raw = run,
    .alone = true,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bridge with the card of rank 0 behind the RTL: the last rank is the client, over
 * loopback. Each path in each mode with odd sizes, offsets and addresses, at random; what
 * is then in the card is compared by gasnet_get, which does not use the bridge, and counted:
 * the bytes that receivers and DMA engine have stored. Then the same while rank 0 moves
 * bytes itself.
 * argv[1]: the seed.
 */
#include <gasnet.h>

#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <time.h>

#include "boot/boot.h"
#include "bridge/bridge.h"
#include "bridge/node.h"
#include "check.h"
#include "conduit/fpga/fpga.h"
#include "device/sim/sim_shm.h"
#include "random.h"

#define CARD ((size_t)2 << 20)
#define SEGMENT (CARD + ((size_t)1 << 20)) /* behind it what rank 0 moves */
#define MOST ((size_t)300 << 10)
#define EDGE 80u
#define LIMIT_S 60.0
enum { ROUNDS = 24, BESIDE = 6 };

static uint64_t seed;
static gasnet_node_t me, client;
static unsigned char *card_memory; /* as rank 0 sees it */
static unsigned char image[SEGMENT], seen[SEGMENT];
static unsigned char source[MOST + 200], target[MOST + 200];

static uint64_t draw(uint64_t below)
{
    return random_next(&seed) % below;
}

static void fill(unsigned char *at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        at[i] = (unsigned char)random_next(&seed);
}

static size_t draw_size(void)
{
    switch (draw(4)) {
    case 0:
        return 1 + draw(70);
    case 1:
        return 4095 + draw(3);
    case 2:
        return (size_t)1 << draw(18);
    default:
        return 1 + draw(MOST);
    }
}

/* ---- rank 0 ---- */

static struct fsh_bridge_card *card;
static struct fsh_bridge_server *server;

static void serve(struct fsh_bridge_name *name)
{
    struct fsh_bridge_setup setup = {.entries = 1 + (unsigned)draw(8),
                                     .buffer = (size_t)4096 << draw(9),
                                     .timeout = LIMIT_S};
    char why[512] = "";

    CHECK(getrandom(setup.token, sizeof setup.token, 0) ==
          (ssize_t)sizeof setup.token);
    CHECK(fsh_bridge_node(NULL, -1, why, sizeof why) == NULL &&
              strstr(why, "no card") != NULL,
          "%s", why);
    card = fsh_bridge_node(fsh_conduit_find("fpga")->card, -1, why, sizeof why);
    CHECK(card != NULL, "%s", why);
    server = fsh_bridge_serve(card, &setup, name, why, sizeof why);
    CHECK(server != NULL, "%s", why);
    printf("%u buffers of %zu bytes\n", setup.entries, setup.buffer);
    fflush(stdout);
}

/* Puts and gets of rank 0 to itself, whose ends come with those of the bridge. */
static void move_beside(void)
{
    static unsigned char mine[5000], back[5000];
    unsigned char *own = card_memory + CARD;

    for (unsigned i = 0; i < 40; i++) {
        size_t bytes = 1 + draw(sizeof mine), at = draw(SEGMENT - CARD - bytes);

        fill(mine, bytes);
        gasnet_put(0, own + at, mine, bytes);
        gasnet_get(back, 0, own + at, bytes);
        CHECK(memcmp(mine, back, bytes) == 0, "%zu bytes at %zu", bytes, at);
    }
}

/* By its receivers, and by its DMA engine as its memories count it: the read of a register
 * brings that up to date. */
static uint64_t written(void)
{
    static struct fsh_sim_mmio *node;
    uint64_t received = fsh_fpga_perf_read(FSH_PERF_WRITTEN).sum;

    if (node == NULL)
        node = mmap(NULL, sizeof *node, PROT_READ, MAP_SHARED,
                    fsh_boot_fd(FSH_FD_MMIO), 0);
    CHECK(node != MAP_FAILED);
    return received + atomic_load(&node->dma_stored);
}

/* ---- the client ---- */

static struct fsh_bridge_client *bridge;

/* Card memory from `from` to `to` is as it should be; returns how many bytes were
 * fetched. */
static size_t compare(size_t from, size_t to)
{
    from -= from < EDGE ? from : EDGE;
    to = to + EDGE < CARD ? to + EDGE : CARD;
    gasnet_get(seen, 0, card_memory + from, to - from);
    for (size_t i = 0; i < to - from; i++)
        CHECK(seen[i] == image[from + i],
              "byte %zu of the card: 0x%02x, not "
              "0x%02x",
              from + i, seen[i], image[from + i]);
    return to - from;
}

/* One transfer; returns the bytes that the card has to move for it. */
static size_t transfer(size_t *fetched)
{
    static const unsigned paths[] = {FSH_BRIDGE_PATH_TO, FSH_BRIDGE_PATH_FROM,
                                     FSH_BRIDGE_PATH_ROUND};
    size_t bytes = draw_size(), from = 1 + draw(99), to = 1 + draw(99);
    struct fsh_bridge_transfer t = {.stages = paths[draw(3)],
                                    .naive = draw(4) == 0,
                                    .offset = draw(CARD - bytes + 1),
                                    .bytes = bytes,
                                    .source = source + from,
                                    .target = target + to};
    enum fsh_bridge_status status;

    fill(source + from, bytes);
    memset(target, 0x55, sizeof target);
    status = fsh_bridge_begin(bridge, &t);
    if (status == FSH_BRIDGE_PENDING)
        status = fsh_bridge_wait(bridge);
    CHECK(status == FSH_BRIDGE_OK,
          "stages %u naive %d offset %zu bytes %zu: %s", t.stages, t.naive,
          (size_t)t.offset, bytes, fsh_bridge_why(bridge));
    if (t.stages & FSH_BRIDGE_TO_CARD)
        memcpy(image + t.offset, source + from, bytes);
    if (t.stages & FSH_BRIDGE_WRITE)
        CHECK(memcmp(target + to, image + t.offset, bytes) == 0,
              "stages %u naive %d offset %zu bytes %zu", t.stages, t.naive,
              (size_t)t.offset, bytes);
    CHECK(target[to - 1] == 0x55 &&
          target[to + (t.stages & FSH_BRIDGE_WRITE ? bytes : 0)] == 0x55);
    *fetched += compare(t.offset, t.offset + bytes);
    return bytes * (t.stages == FSH_BRIDGE_PATH_ROUND ? 2 : 1);
}

static void run_client(unsigned rounds, uint64_t sums[2])
{
    size_t fetched = 0;

    sums[0] = 0;
    for (unsigned i = 0; i < rounds; i++)
        sums[0] += transfer(&fetched);
    sums[1] = fetched + compare(0, CARD);
}

/* ---- both ---- */

struct facts {
    unsigned char *memory;
    uint64_t seed;
    struct fsh_bridge_name name;
};

static void meet(void)
{
    struct facts mine = {.seed = seed}, all[2];
    char why[512] = "";

    if (me == 0) {
        gasnet_seginfo_t info[2];

        CHECK(gasnet_getSegmentInfo(info, (int)gasnet_nodes()) == GASNET_OK);
        mine.memory = info[0].addr;
        fill(image, CARD);
        memcpy(info[0].addr, image, CARD);
        serve(&mine.name);
    }
    fsh_boot_exchange(&mine, sizeof mine, all);
    card_memory = all[0].memory;
    if (me != client)
        return;
    /* The same image as rank 0 has drawn. */
    seed = all[0].seed;
    fill(image, CARD);
    bridge = fsh_bridge_connect(&all[0].name, LIMIT_S, why, sizeof why);
    CHECK(bridge != NULL, "%s", why);
    CHECK(fsh_bridge_card_bytes(bridge) == SEGMENT);
}

/* Rank 0 waits outside the library: all that its node writes is the bridge's. */
static void test_alone(void)
{
    uint64_t before = 0, after = 0, sums[2] = {0, 0}, all[2][2], expected;

    if (me == 0)
        before = written();
    fsh_boot_barrier("bridge_card before");
    if (me == client)
        run_client(ROUNDS, sums);
    fsh_boot_exchange(sums, sizeof sums, all);
    if (me == 0)
        after = written();
    fsh_boot_barrier("bridge_card counted");
    if (me != 0)
        return;
    /* A client beside the card gets into its own node. */
    expected = all[client][0] + (client == 0 ? all[0][1] : 0);
    CHECK(after - before == expected && expected != 0,
          "the RTL wrote %" PRIu64 " bytes, %" PRIu64 " were moved",
          after - before, expected);
    CHECK(fsh_bridge_count(server).transfers == ROUNDS);
}

static void test_beside(void)
{
    uint64_t sums[2];

    if (me == 0 && client != 0)
        move_beside();
    if (me == client)
        run_client(BESIDE, sums);
    fsh_boot_barrier("bridge_card after");
}

int main(int argc, char **argv)
{
    if (gasnet_init(&argc, &argv) != GASNET_OK ||
        gasnet_attach(NULL, 0, SEGMENT, 0) != GASNET_OK)
        return 1;
    me = gasnet_mynode();
    client = gasnet_nodes() - 1;
    seed = argc > 1 ? strtoull(argv[1], NULL, 0) : (uint64_t)time(NULL);
    seed = seed << 1 | 1;
    if (me == 0) {
        printf("seed %" PRIu64 "\n", seed >> 1);
        fflush(stdout);
    }
    meet();
    test_alone();
    test_beside();
    fsh_bridge_close(bridge);
    fsh_boot_barrier("bridge_card end");
    fsh_bridge_stop(server);
    fsh_bridge_node_free(card);
    if (me == 0)
        puts("bridge_card: pass");
    gasnet_exit(0);
}

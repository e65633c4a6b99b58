/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bridge between each rank and each card: puts, gets and exchanges of any size and
 * alignment, in both modes, all ranks at once, compared by gasnet_get; round trips with
 * commands between; progress; what is refused. Without a bridge (other conduits) every call
 * says so.
 */
#include "cores.h"

#include <string.h>

enum { PART = 256 << 10, SEGMENT = 4 * PART, VALUES = 3000 };

static unsigned char *mine, *other;

/* Where this rank's part of a node's segment begins. */
static fshmem_offset_t part(void)
{
    return (fshmem_offset_t)conf.me * PART;
}

static void test_absent(void)
{
    fshmem_bridge_info_t info;
    fshmem_bridge_transfer_t t = {mine, 1, 0, NULL, 0, NULL, 0, 0};

    for (gasnet_node_t node = 0; node < conf.n; node++) {
        FINE(fshmem_bridge_info(node, &info));
        CHECK(!info.present && info.bytes == 0 && info.entries == 0, "node %u",
              (unsigned)node);
        REFUSED(fshmem_bridge_put(node, 0, mine, 1, 0), FSHMEM_ERR_ABSENT);
        REFUSED(fshmem_bridge_get(mine, node, 0, 1, 0), FSHMEM_ERR_ABSENT);
        REFUSED(fshmem_bridge_start(node, &t, 0), FSHMEM_ERR_ABSENT);
        REFUSED(fshmem_bridge_test(node, NULL), FSHMEM_ERR_ABSENT);
        REFUSED(fshmem_bridge_wait(node), FSHMEM_ERR_ABSENT);
        CHECK_EQ(strlen(fshmem_bridge_why(node)), 0);
    }
    FINE(fshmem_bridge_release(mine, PART));
}

/* Nodes with a card that a bridge serves: all, but for jobs in which some ranks have no
 * card. */
static gasnet_node_t served[64];
static unsigned served_n;

static void find_served(void)
{
    fshmem_bridge_info_t info;

    for (gasnet_node_t node = 0; node < conf.n; node++) {
        FINE(fshmem_bridge_info(node, &info));
        if (info.present)
            served[served_n++] = node;
        else
            REFUSED(fshmem_bridge_put(node, 0, mine, 1, 0), FSHMEM_ERR_ABSENT);
    }
}

/* The first of them behind this rank. */
static gasnet_node_t next_served(void)
{
    for (unsigned i = 0; i < served_n; i++)
        if (served[i] > conf.me)
            return served[i];
    return served[0];
}

static bool cores_are_off(void)
{
    const char *cores = gasnet_getenv("FSHMEM_COMPUTE");

    return cores != NULL && strcmp(cores, "0") == 0;
}

static bool has_core(gasnet_node_t node)
{
    fshmem_compute_info_t info;

    FINE(fshmem_compute_info(node, &info));
    return info.present;
}

static void test_refusals(gasnet_node_t node, const fshmem_bridge_info_t *info)
{
    fshmem_bridge_transfer_t t = {mine, 0, 0, NULL, 0, mine, 0, 0};

    CHECK_EQ(info->bytes, SEGMENT);
    CHECK(info->entries > 0 && info->buffer >= 4096, "%u buffers",
          (unsigned)info->entries);
    REFUSED(fshmem_bridge_put(conf.n, 0, mine, 1, 0), FSHMEM_ERR_NODE);
    REFUSED(fshmem_bridge_put(node, 0, NULL, 1, 0), FSHMEM_ERR_ARGUMENT);
    REFUSED(fshmem_bridge_put(node, 0, mine, 0, 0), FSHMEM_ERR_ARGUMENT);
    REFUSED(fshmem_bridge_put(node, 0, mine, 1, 2), FSHMEM_ERR_ARGUMENT);
    REFUSED(fshmem_bridge_get(NULL, node, 0, 1, 0), FSHMEM_ERR_ARGUMENT);
    REFUSED(fshmem_bridge_start(node, NULL, 0), FSHMEM_ERR_ARGUMENT);
    REFUSED(fshmem_bridge_exchange(node, &t, 0), FSHMEM_ERR_ARGUMENT);
    t.source_bytes = 1;
    t.count = 1;
    REFUSED(fshmem_bridge_exchange(node, &t, 0), FSHMEM_ERR_ARGUMENT);
    REFUSED(fshmem_bridge_put(node, info->bytes, mine, 1, 0), FSHMEM_ERR_RANGE);
    REFUSED(fshmem_bridge_get(mine, node, info->bytes - 3, 4, 0),
            FSHMEM_ERR_RANGE);
    REFUSED(fshmem_bridge_get(mine, node, 8, UINT64_MAX - 4, 0),
            FSHMEM_ERR_RANGE);
    REFUSED(fshmem_bridge_info(node, NULL), FSHMEM_ERR_ARGUMENT);
    REFUSED(fshmem_bridge_release(NULL, 1), FSHMEM_ERR_ARGUMENT);
}

/* A put, or a get of what gasnet_put has brought. */
static void random_move(struct conf_rng *rng)
{
    gasnet_node_t node = served[conf_below(rng, served_n)];
    size_t bytes = 1 + conf_length(rng, PART / 2);
    fshmem_offset_t at = part() + conf_below(rng, PART - bytes + 1);
    unsigned flags = conf_below(rng, 4) == 0 ? FSHMEM_BRIDGE_NAIVE : 0;
    unsigned char *from = mine + 1 + conf_below(rng, 99);
    unsigned key = (unsigned)conf_next(rng);

    conf_fill(from, bytes, key);
    memset(other, 0x55, bytes + 2);
    if (conf_below(rng, 2) == 0) {
        FINE(fshmem_bridge_put(node, at, from, bytes, flags));
        gasnet_get(other + 1, node, conf_addr(node) + at, bytes);
    } else {
        gasnet_put(node, conf_addr(node) + at, from, bytes);
        FINE(fshmem_bridge_get(other + 1, node, at, bytes, flags));
    }
    CHECK_FILL(other + 1, bytes, key);
    CHECK(other[0] == 0x55 && other[bytes + 1] == 0x55,
          "beside %zu bytes of node %u", bytes, (unsigned)node);
}

/* There and back, to the same place or another one. */
static void random_exchange(struct conf_rng *rng)
{
    gasnet_node_t node = served[conf_below(rng, served_n)];
    size_t bytes = 1 + conf_length(rng, PART / 2);
    int same = conf_below(rng, 2) == 0;
    fshmem_bridge_transfer_t t = {
        mine + 3, bytes, part() + conf_below(rng, PART - bytes + 1),
        NULL,     0,     other,
        bytes,    0};
    unsigned key = (unsigned)conf_next(rng);
    uint64_t moved = 0, before = 0;
    fshmem_status_t status;

    t.from = t.to;
    if (!same) {
        t.from = part();
        t.target_bytes = (bytes + 1) / 2;
        gasnet_memset(node, conf_addr(node) + part(), 9, PART);
    }
    conf_fill(mine + 3, bytes, key);
    FINE(fshmem_bridge_start(
        node, &t, conf_below(rng, 4) == 0 ? FSHMEM_BRIDGE_NAIVE : 0));
    while ((status = fshmem_bridge_test(node, &moved)) == FSHMEM_ERR_BUSY) {
        CHECK(moved >= before && moved < t.source_bytes + t.target_bytes + 1,
              "%llu bytes moved after %llu", (unsigned long long)moved,
              (unsigned long long)before);
        before = moved;
    }
    FINE(status);
    CHECK_EQ(moved, t.source_bytes + t.target_bytes);
    FINE(fshmem_bridge_wait(node)); /* it stays so */
    if (same) {
        CHECK_FILL(other, bytes, key);
        return;
    }
    gasnet_get(mine, node, conf_addr(node) + t.from, t.target_bytes);
    CHECK(memcmp(mine, other, t.target_bytes) == 0, "%llu bytes from 0x%llx",
          (unsigned long long)t.target_bytes, (unsigned long long)t.from);
}

/* c = 2 x + w, of whole numbers; x goes there, c comes back. */
static void test_commands(gasnet_node_t node, unsigned flags)
{
    float *x = (float *)(void *)mine, *c = (float *)(void *)other;
    fshmem_element_t e = {.m = 1,
                          .n = VALUES,
                          .scale = 2,
                          .x = part(),
                          .w = part(),
                          .c = part() + 4 * VALUES / 64 * 64 + 64};
    fshmem_command_t command[2];
    fshmem_bridge_transfer_t t = {x, 4 * VALUES, e.x,        command,
                                  2, c,          4 * VALUES, 0};

    e.ldx = e.ldw = e.ldc = (VALUES + 15) / 16 * 16;
    FINE(fshmem_command_axpy(&e, &command[0]));
    t.from = e.c;
    e.x = e.c; /* and once more, of what the first has made */
    FINE(fshmem_command_axpy(&e, &command[1]));
    for (int i = 0; i < VALUES; i++) {
        x[i] = (float)(i + (int)conf.me);
        c[i] = -1;
    }
    FINE(fshmem_bridge_exchange(node, &t, flags));
    for (int i = 0; i < VALUES; i++)
        CHECK(c[i] == 7 * x[i], "value %d is %g, not %g", i, (double)c[i],
              (double)(7 * x[i]));
    /* In place: nothing turns around before the command. */
    e.x = e.c = part();
    t.from = t.to;
    t.count = 1;
    FINE(fshmem_command_axpy(&e, &command[0]));
    FINE(fshmem_bridge_exchange(node, &t, flags));
    for (int i = 0; i < VALUES; i++)
        CHECK(c[i] == 3 * x[i], "value %d in place is %g, not %g", i,
              (double)c[i], (double)(3 * x[i]));
    /* A command that the node refuses ends the transfer before anything comes back. */
    e.c = SEGMENT - 64;
    FINE(fshmem_command_axpy(&e, &command[0]));
    c[0] = -1;
    REFUSED(fshmem_bridge_exchange(node, &t, flags), FSHMEM_ERR_RANGE);
    CHECK(c[0] == -1, "the first value is %g", (double)c[0]);
}

/* Nothing moves then. */
static void test_no_core(gasnet_node_t node)
{
    const fshmem_flow_t none = {0};
    fshmem_command_t command;
    fshmem_bridge_transfer_t t = {mine, 1, part(), &command, 1, NULL, 0, 0};

    FINE(fshmem_command_nop(0, &none, &command));
    FINE(fshmem_bridge_put(node, part(), "a", 1, 0));
    mine[0] = 'b';
    REFUSED(fshmem_bridge_exchange(node, &t, 0), FSHMEM_ERR_ABSENT);
    FINE(fshmem_bridge_get(mine, node, part(), 1, 0));
    CHECK_EQ(mine[0], 'a');
}

/* Some second transfer meets the first one under way. */
static void test_busy(gasnet_node_t node)
{
    fshmem_bridge_transfer_t t = {mine, PART, part(), NULL, 0, NULL, 0, 0};
    fshmem_status_t status = FSHMEM_OK;

    for (int i = 0; i < 20 && status == FSHMEM_OK; i++) {
        FINE(fshmem_bridge_start(node, &t, 0));
        status = fshmem_bridge_start(node, &t, 0);
        if (status == FSHMEM_ERR_BUSY)
            CHECK_EQ(fshmem_bridge_release(mine, 1), FSHMEM_ERR_BUSY);
        FINE(fshmem_bridge_wait(node));
    }
    CHECK_EQ(status, FSHMEM_ERR_BUSY);
    FINE(fshmem_bridge_release(mine, PART));
}

int main(int argc, char **argv)
{
    fshmem_bridge_info_t info;
    gasnet_node_t next;
    struct conf_rng rng;

    REFUSED(fshmem_bridge_info(0, &info), FSHMEM_ERR_CALL);
    conf_start("bridge", &argc, &argv, NULL, 0, SEGMENT);
    mine = cores_alloc(PART + 200);
    other = cores_alloc(PART + 200);
    find_served();
    if (served_n == 0) {
        test_absent();
        conf_pass();
    }
    next = next_served();
    FINE(fshmem_bridge_info(next, &info));
    rng = conf_rng(conf.me);
    test_refusals(next, &info);
    for (int i = 0; i < conf_iters(200, 8); i++) {
        random_move(&rng);
        random_exchange(&rng);
    }
    if (cores_are_off())
        test_no_core(next);
    else
        test_commands(next, 0); /* also where this rank reaches no core */
    if (has_core(conf.me))
        test_commands(conf.me, FSHMEM_BRIDGE_NAIVE);
    test_busy(next);
    conf_pass();
}

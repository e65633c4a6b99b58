/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks leave while transfers over the bridge are under way, theirs and others' to their
 * cards: the job ends well and soon. With "kill" rank 0 is killed instead, and the job ends
 * with that. With "run" the last transfers of ranks that reach no core are products there,
 * long ones. Both together: while its product runs.
 */
#include "cores.h"

#include <signal.h>
#include <string.h>

enum { SEGMENT = 8 << 20, SIDE = 768, MATRIX = SIDE * SIDE * 4 };

/* The next rank whose card has a bridge; conf.n: none has. */
static gasnet_node_t find_next(void)
{
    fshmem_bridge_info_t info;

    for (gasnet_node_t i = 1; i <= conf.n; i++) {
        FINE(fshmem_bridge_info((conf.me + i) % conf.n, &info));
        if (info.present)
            return (conf.me + i) % conf.n;
    }
    return conf.n;
}

/* Until the product is on its way, at least. */
static void start_product(gasnet_node_t node)
{
    const fshmem_gemm_t g = {.m = SIDE,
                             .n = SIDE,
                             .k = SIDE,
                             .a = {FSHMEM_FP32_ROWS, 0, SIDE},
                             .b = {FSHMEM_FP32_ROWS, MATRIX, SIDE},
                             .c = 2 * MATRIX,
                             .ldc = SIDE};
    fshmem_bridge_transfer_t t = {cores_alloc(64), 64, 0, NULL, 1, NULL, 0, 0};
    fshmem_command_t command;
    uint64_t moved = 0;

    FINE(fshmem_command_gemm(&g, &command));
    t.commands = &command;
    FINE(fshmem_bridge_wait(node));
    FINE(fshmem_bridge_start(node, &t, 0));
    for (int i = 0; moved < 64 || i < 1000; i++)
        CHECK_EQ(fshmem_bridge_test(node, &moved), FSHMEM_ERR_BUSY);
}

static bool told(int argc, char **argv, const char *word)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], word) == 0)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    fshmem_bridge_transfer_t t = {NULL, SEGMENT, 0, NULL, 0, NULL, 0, 0};
    fshmem_compute_info_t core;
    gasnet_node_t next;
    uint64_t moved = 0;

    conf_start("bridge_leave", &argc, &argv, NULL, 0, SEGMENT);
    t.source = cores_alloc(SEGMENT);
    next = find_next();
    if (next == conf.n)
        conf_skip("no bridge");
    FINE(fshmem_bridge_start(next, &t, 0));
    while (moved == 0) /* it is on its way */
        CHECK_EQ(fshmem_bridge_test(next, &moved), FSHMEM_ERR_BUSY);
    FINE(fshmem_compute_info(next, &core));
    if (told(argc, argv, "run") && !core.present)
        start_product(next);
    if (told(argc, argv, "kill")) {
        if (conf.me == 0)
            raise(SIGKILL);
        while (fshmem_bridge_test(next, NULL) == FSHMEM_ERR_BUSY)
            continue;
        GASNET_BLOCKUNTIL(0);
    }
    conf_pass();
}

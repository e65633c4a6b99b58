/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bridge to a card whose DMA engine meets errors of the device memory: the job is started
 * with bytes BAD to BAD + BAD_BYTES of node 0 such that they answer with one. Transfers that
 * touch them end with FSHMEM_ERR_DEVICE, in each direction and mode, and more of them than
 * the server has buffers; others of the same client and of other ranks, at the same time and
 * behind them, move what they are to.
 */
#include "cores.h"

#include <string.h>

enum {
    PART = 512 << 10,
    SEGMENT = 3 * PART,
    BAD = PART + 4096 * 37,
    BYTES = 1000
};
enum { BAD_BYTES = 64, BEHIND = 5000 };

static unsigned char *mine, *other;

static void refused(fshmem_status_t status, const char *what)
{
    CHECK(status == FSHMEM_ERR_DEVICE, "%s: %s", what,
          fshmem_status_string(status));
    CHECK(strstr(fshmem_bridge_why(0), "memory error") != NULL, "%s: %s", what,
          fshmem_bridge_why(0));
}

/* Bytes that touch one that is bad: the first or the last of them, or one in the middle of
 * many pieces. */
static void test_bad(unsigned flags)
{
    fshmem_bridge_transfer_t t = {mine, PART, PART, NULL, 0, other, PART, PART};

    refused(fshmem_bridge_put(0, BAD + BAD_BYTES - 1, mine, BYTES, flags),
            "put of the last bad byte");
    refused(fshmem_bridge_put(0, BAD - BYTES + 1, mine, BYTES, flags),
            "put of the first bad byte");
    refused(fshmem_bridge_get(mine, 0, BAD, BYTES, flags), "get");
    refused(fshmem_bridge_put(0, PART, mine, PART, flags), "long put");
    refused(fshmem_bridge_get(mine, 0, PART, PART, flags), "long get");
    refused(fshmem_bridge_exchange(0, &t, flags), "round trip");
}

/* What touches none, beside the bad ones or in a part of this rank's. */
static void test_good(fshmem_offset_t at, size_t bytes, unsigned key)
{
    conf_fill(mine, bytes, key);
    memset(other, 0x55, bytes);
    FINE(fshmem_bridge_put(0, at, mine, bytes, 0));
    FINE(fshmem_bridge_get(other, 0, at, bytes, 0));
    CHECK_FILL(other, bytes, key);
    memset(other, 0x55, bytes);
    gasnet_get(other, 0, conf_addr(0) + at, bytes);
    CHECK_FILL(other, bytes, key);
}

int main(int argc, char **argv)
{
    fshmem_bridge_info_t info;

    conf_start("bridge_error", &argc, &argv, NULL, 0, SEGMENT);
    mine = cores_alloc(PART);
    other = cores_alloc(PART);
    FINE(fshmem_bridge_info(0, &info));
    CHECK(info.present, "no bridge");
    if (conf.me == 0) {
        for (unsigned i = 0; i < 2 * info.entries; i++)
            refused(fshmem_bridge_put(0, BAD, mine, 1, 0), "one of many");
        test_bad(0);
        test_bad(FSHMEM_BRIDGE_NAIVE);
        test_good(BAD + BAD_BYTES, BEHIND, 1);
        test_good(BAD - BYTES, BYTES, 2);
        test_good(0, PART, 3);
    } else {
        for (int i = 0; i < conf_iters(100, 5); i++)
            test_good(2 * PART, PART, conf.me + (unsigned)i);
    }
    /* And once more, after all errors. */
    conf_barrier();
    if (conf.me == conf.n - 1)
        test_good(2 * PART, PART, 99);
    conf_pass();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks leave while transfers over the bridge are under way, theirs and others' to their
 * cards: the job ends well and soon. With "kill" rank 0 is killed instead, and the job ends
 * with that.
 */
#include "cores.h"

#include <signal.h>
#include <string.h>

enum { SEGMENT = 8 << 20 };

int main(int argc, char **argv)
{
    fshmem_bridge_transfer_t t = {NULL, SEGMENT, 0, NULL, 0, NULL, 0, 0};
    fshmem_bridge_info_t info;
    uint64_t moved = 0;

    conf_start("bridge_leave", &argc, &argv, NULL, 0, SEGMENT);
    t.source = cores_alloc(SEGMENT);
    FINE(fshmem_bridge_info(0, &info));
    if (!info.present)
        conf_skip("no bridge");
    FINE(fshmem_bridge_start((conf.me + 1) % conf.n, &t, 0));
    while (moved == 0) /* it is on its way */
        CHECK_EQ(fshmem_bridge_test((conf.me + 1) % conf.n, &moved),
                 FSHMEM_ERR_BUSY);
    if (argc > 1 && strcmp(argv[1], "kill") == 0) {
        if (conf.me == 0)
            raise(SIGKILL);
        while (fshmem_bridge_test((conf.me + 1) % conf.n, NULL) ==
               FSHMEM_ERR_BUSY)
            continue;
        GASNET_BLOCKUNTIL(0);
    }
    conf_pass();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Attach is a barrier: no rank returns from it before every rank has called
 * it. Each rank records in a file of its own, visible through the file system and
 * not through GASNet, that it is about to attach. */
#include "conform.h"

#include <fcntl.h>

/* The notes' directory is made by the test runner, empty for each run. */
static void path_of(char *out, size_t n, const char *dir, gasnet_node_t rank)
{
    snprintf(out, n, "%s/attach-%u", dir, (unsigned)rank);
}

int main(int argc, char **argv)
{
    char path[512];
    conf_init("init_order", &argc, &argv);
    const char *dir = gasnet_getenv("CONFORM_DIR");
    CHECK(dir != NULL, "CONFORM_DIR names an empty directory");
    for (int lap = 0; lap < 200 * (int)conf.me; lap++) {
        for (volatile int spin = 0; spin < 10000; spin++) {}
    }
    path_of(path, sizeof path, dir, conf.me);
    const int fd = open(path, O_CREAT | O_WRONLY, 0600);
    CHECK(fd >= 0, "cannot create %s", path);
    close(fd);
    conf_attach(NULL, 0, GASNET_PAGESIZE);
    for (gasnet_node_t i = 0; i < conf.n; i++) {
        path_of(path, sizeof path, dir, i);
        CHECK_EQ(access(path, F_OK), 0);
    }
    conf_pass();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The local side of a put or get may lie anywhere: stack, constants, static,
 * heap, fresh mmap (never touched before the get), own segment; the two sides
 * of a loopback transfer may share a segment. */
#include <sys/mman.h>

#include "conform.h"

enum { SIZE = 5000, CELL = 8192 };

static const char constants[] = "bytes of a constant string";
static unsigned char in_bss[SIZE + 16];
static unsigned char in_data[SIZE + 16] = {1, 2, 3};

static void there_and_back(gasnet_node_t to, unsigned char *src,
                           unsigned char *dst, unsigned key)
{
    unsigned char *far = conf_addr(to) + (size_t)conf.me * CELL + key % 16;
    conf_fill(src, SIZE, key);
    gasnet_put_bulk(to, far, src, SIZE);
    gasnet_get_bulk(dst, to, far, SIZE);
    CHECK_FILL(dst, SIZE, key);
    memset(dst, 0, SIZE);
    gasnet_wait_syncnb(gasnet_get_nb(dst, to, far, SIZE));
    CHECK_FILL(dst, SIZE, key);
}

static unsigned char *fresh(void)
{
    void *p = mmap(NULL, 2 * CELL, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(p != MAP_FAILED, "mmap");
    return (unsigned char *)p;
}

int main(int argc, char **argv)
{
    unsigned char on_stack[SIZE + 16];
    char text[sizeof constants];
    conf_init("rma_local_anywhere", &argc, &argv);
    conf_attach(NULL, 0, (uintptr_t)(conf.n + 2) * CELL);
    conf_barrier();
    unsigned char *heap = (unsigned char *)malloc(SIZE + 16);
    CHECK(heap != NULL, "malloc");
    unsigned char *own = conf_addr(conf.me) + (size_t)conf.n * CELL;
    for (gasnet_node_t to = 0; to < conf.n; to++) {
        unsigned char *const places[] = {on_stack, in_bss + 1,  in_data + 3,
                                         heap + 5, fresh() + 7, own + 9};
        for (int p = 0; p < CONF_COUNT(places); p++) {
            there_and_back(to, places[p], places[(p + 1) % CONF_COUNT(places)],
                           (unsigned)(p + 10));
        }
        unsigned char *far = conf_addr(to) + (size_t)conf.me * CELL;
        gasnet_put(to, far, (void *)(uintptr_t)constants, sizeof constants);
        gasnet_get(text, to, far, sizeof text);
        CHECK_EQ(strcmp(text, constants), 0);
    }
    /* Segment to segment on one rank. */
    conf_fill(own, SIZE, 99);
    gasnet_put_bulk(conf.me, own + CELL, own, SIZE);
    CHECK_FILL(own + CELL, SIZE, 99);
    conf_pass();
}

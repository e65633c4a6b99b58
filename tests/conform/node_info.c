/* SPDX-License-Identifier: BSD-3-Clause */
/* gasnet_getNodeInfo, before attach and after: same answer on every rank,
 * hosts and supernodes numbered by the lowest rank in them without gaps; too small or
 * too large tables are handled. */
#include "conform.h"

enum { H_INFO = 128 };

static gasnet_nodeinfo_t *info;
static int heard;

static void compare(gasnet_token_t token, void *buf, size_t n)
{
    const uint32_t *theirs = (const uint32_t *)buf;
    (void)token;
    CHECK_EQ(n, 2 * conf.n * sizeof *theirs);
    for (gasnet_node_t i = 0; i < conf.n; i++) {
        CHECK_EQ(theirs[2 * i], info[i].host);
        CHECK_EQ(theirs[2 * i + 1], info[i].supernode);
    }
    conf_add(&heard, 1);
}

static gasnet_handlerentry_t table[] = {{H_INFO, compare}};

static void check_numbering(void)
{
    gasnet_node_t hosts = 0, supernodes = 0;
    for (gasnet_node_t i = 0; i < conf.n; i++) {
        CHECK(info[i].host <= hosts, "rank %u: host %u after %u hosts",
              (unsigned)i, (unsigned)info[i].host, (unsigned)hosts);
        CHECK(info[i].supernode <= supernodes, "rank %u: supernode %u after %u",
              (unsigned)i, (unsigned)info[i].supernode, (unsigned)supernodes);
        hosts += info[i].host == hosts;
        supernodes += info[i].supernode == supernodes;
        for (gasnet_node_t j = 0; j < i; j++) { /* supernode within a host */
            if (info[i].supernode == info[j].supernode) {
                CHECK_EQ(info[i].host, info[j].host);
            }
        }
    }
}

int main(int argc, char **argv)
{
    CHECK_EQ(gasneti_mynode, (gasnet_node_t)-1);
    CHECK_EQ(gasneti_nodes, 0);
    conf_init("node_info", &argc, &argv);
    CHECK_EQ(gasneti_mynode, gasnet_mynode());
    CHECK_EQ(gasneti_nodes, gasnet_nodes());
    const size_t bytes = (conf.n + 1) * sizeof *info;
    info = (gasnet_nodeinfo_t *)malloc(bytes);
    gasnet_nodeinfo_t *again = (gasnet_nodeinfo_t *)malloc(bytes);
    CHECK(info && again, "malloc");
    memset(info, 0x77, bytes);
    OK(gasnet_getNodeInfo(info, (int)conf.n + 1));
    CHECK_BYTES(&info[conf.n], sizeof *info, 0x77);
    check_numbering();
    conf_attach(table, CONF_COUNT(table), 4096);
    conf_barrier();
    memset(again, 0x77, bytes);
    OK(gasnet_getNodeInfo(again, (int)conf.n - 1));
    CHECK_BYTES(&again[conf.n - 1], sizeof *again, 0x77);
    OK(gasnet_getNodeInfo(again, (int)conf.n));
    uint32_t flat[2 * 64];
    for (gasnet_node_t i = 0; i < conf.n; i++) {
        CHECK_EQ(again[i].host, info[i].host);
        CHECK_EQ(again[i].supernode, info[i].supernode);
        flat[2 * i] = info[i].host;
        flat[2 * i + 1] = info[i].supernode;
    }
    for (gasnet_node_t to = 0; to < conf.n; to++) {
        OK(gasnet_AMRequestMedium0(to, H_INFO, flat, 2 * conf.n * 4));
    }
    CONF_WAIT(heard, (int)conf.n);
    conf_pass();
}

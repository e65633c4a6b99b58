/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Selects the cycles and nodes that go into the waves. While there are none, nodes
 * are evaluated as without waves; after the last cycle the file is complete.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "model.h"

static bool of_all_cycles(const struct fsh_fabric *fab)
{
    return fab->config.waves_from == 0 && fab->config.waves_to == FSH_NEVER;
}

bool fsh_waves_open(struct fsh_fabric *fab, char *err, size_t errlen)
{
    const char *path = fab->config.waves;
    uint64_t beyond = fab->config.nodes < 64 ? fab->config.nodes : 63;

    if (!path)
        return true;
    if (fab->config.nodes < 64 && fab->config.waves_nodes >> beyond) {
        snprintf(err, errlen, "waves of a node past the last one, which is %u",
                 fab->config.nodes - 1);
        return false;
    }
    fab->waves = fsh_node_waves_open(path);
    if (!fab->waves)
        snprintf(err, errlen, "cannot write waves to %s: %s", path,
                 strerror(errno));
    /* A simulated clock is 0 later than the fabric. */
    if (fab->config.clocked || (fab->tape && fsh_tape_has_epoch(fab->tape)))
        fab->waves_origin = FSH_NEVER;
    return fab->waves != NULL;
}

struct fsh_node_waves *fsh_waves_of(const struct fsh_fabric *fab, uint32_t node)
{
    uint64_t nodes = fab->config.waves_nodes;

    return nodes == 0 || nodes >> node & 1 ? fab->waves : NULL;
}

static bool due(const struct fsh_fabric *fab)
{
    uint64_t cycle = fab->cycle - fab->waves_origin;

    if (of_all_cycles(fab))
        return true;
    return fab->cycle >= fab->waves_origin && cycle >= fab->config.waves_from &&
           cycle <= fab->config.waves_to;
}

static void show(struct fsh_fabric *fab, bool shown)
{
    for (uint32_t i = fab->first; i < fab->past; i++)
        if (fsh_waves_of(fab, i))
            fsh_node_show(fab->node[i].rtl, shown);
    fab->shown = shown;
}

bool fsh_waves_due(struct fsh_fabric *fab)
{
    bool is_due = fab->waves && due(fab);

    if (is_due != fab->shown)
        show(fab, is_due);
    if (!is_due && fab->waves_begun) {
        fsh_node_waves_end(fab->waves);
        fab->waves_begun = false;
    }
    if (is_due)
        fab->waves_begun = fab->waves_written = true;
    return is_due;
}

void fsh_waves_close(struct fsh_fabric *fab)
{
    if (!fab->waves)
        return;
    if (!fab->waves_written)
        fprintf(stderr,
                "fshsim: --waves-cycles: the run ended before, so %s is "
                "empty\n",
                fab->config.waves);
    fsh_node_waves_close(fab->waves);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parts that scripted nodes (sim_models.c, sim_lanes.c) do not have: waveforms,
 * errors, outputs that depend on the inputs of the same cycle.
 */
#include "node_wrap.h"

#include <stddef.h>

uint32_t fsh_node_ports(void)
{
    return FSH_NODE_PORTS;
}

void fsh_node_drive(struct fsh_node *node)
{
    (void)node;
}

void fsh_node_eval_two(struct fsh_node *one, struct fsh_node *two)
{
    fsh_node_eval(one);
    fsh_node_eval(two);
}

struct fsh_node_waves *fsh_node_waves_open(const char *path)
{
    (void)path;
    return NULL;
}

void fsh_node_waves_dump(struct fsh_node_waves *waves, uint64_t ns)
{
    (void)waves;
    (void)ns;
}

void fsh_node_waves_end(struct fsh_node_waves *waves)
{
    (void)waves;
}

void fsh_node_show(struct fsh_node *node, bool shown)
{
    (void)node;
    (void)shown;
}

void fsh_node_waves_close(struct fsh_node_waves *waves)
{
    (void)waves;
}

/* A test's, of the node that this thread evaluates. */
extern _Thread_local const char *sim_bare_error;
_Thread_local const char *sim_bare_error;

const char *fsh_node_error(void)
{
    return sim_bare_error;
}

void fsh_node_error_clear(void)
{
    sim_bare_error = NULL;
}

void fsh_node_mark(struct fsh_node *node)
{
    (void)node;
}

bool fsh_node_unchanged(struct fsh_node *node)
{
    (void)node;
    return false;
}

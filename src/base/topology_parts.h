/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of base/topology.h share. */
#ifndef FSH_TOPOLOGY_PARTS_H
#define FSH_TOPOLOGY_PARTS_H

#include "base/topology.h"

/* topology_file.c: the cables of this file, with t->nodes nodes, and the rule. False
 * as fsh_topology_make. */
bool fsh_topology_read(struct fsh_topology *t, const char *path, unsigned ports,
                       char *err, size_t errlen);

/* topology_file.c: the highest node that the file names, and one; 0: it cannot be
 * read, or is wrong. */
uint32_t fsh_topology_file_nodes(const char *path);

/* topology_route.c: links to this node on the shortest path, from every node;
 * UINT8_MAX where there is none. */
void fsh_topology_distances(const struct fsh_topology *t, uint32_t to,
                            uint8_t far[FSH_MAX_NODES]);

#endif

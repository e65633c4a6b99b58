/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the source files of base/topology.h. */
#ifndef FSH_TOPOLOGY_PARTS_H
#define FSH_TOPOLOGY_PARTS_H

#include "base/topology.h"

/* topology_file.c: reads the cables of a file for t->nodes nodes and sets the rule.
 * Fails as fsh_topology_make does. */
bool fsh_topology_read(struct fsh_topology *t, const char *path, unsigned ports,
                       char *err, size_t errlen);

/* topology_file.c: the highest node in the file, plus one; 0: unreadable or
 * malformed. */
uint32_t fsh_topology_file_nodes(const char *path);

/* topology_route.c: length in links of the shortest path from every node to
 * this one; UINT8_MAX if there is none. */
void fsh_topology_distances(const struct fsh_topology *t, uint32_t to,
                            uint8_t far[FSH_MAX_NODES]);

#endif

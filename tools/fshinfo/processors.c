/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The section of fshinfo on processors: those this process may use, and their
 * topology. Run as a rank (fshrun -n 2 fshinfo) it shows that rank's binding.
 */
#include <stdio.h>

#include "place.h"
#include "show.h"

static void show_count(struct document *j, const struct place_machine *m,
                       hwloc_obj_type_t type, const char *key,
                       const char *label)
{
    int n = hwloc_get_nbobjs_by_type(m->topology, type);

    show_number(j, key, n > 0 ? (uint64_t)n : 0, label);
}

static void show_machine(struct document *j, const struct place_machine *m)
{
    char mine[512], line[600];

    place_text(m->mine, mine, sizeof(mine));
    snprintf(line, sizeof(line), "%s%s", mine,
             m->whole ? " (all of them)" : " (bound)");
    show_text(j, "mine", j ? mine : line, "this process");
    if (j)
        document_bool(j, "bound", !m->whole);
    show_count(j, m, HWLOC_OBJ_PACKAGE, "packages", "packages");
    show_count(j, m, HWLOC_OBJ_NUMANODE, "numa_nodes", "NUMA nodes");
    show_count(j, m, HWLOC_OBJ_L3CACHE, "l3_caches", "L3 caches");
    show_count(j, m, HWLOC_OBJ_CORE, "cores", "cores");
    show_count(j, m, HWLOC_OBJ_PU, "processors", "processors");
}

void show_processors(struct document *j)
{
    struct place_machine m;
    char err[256];

    show_open(j, "processors", "Processors (FSHMEM_BIND)");
    if (place_look(&m, err, sizeof(err))) {
        show_machine(j, &m);
        place_machine_free(&m);
    } else {
        show_text(j, "error", err, "not known");
    }
    show_close(j);
}

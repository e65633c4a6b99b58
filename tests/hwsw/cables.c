/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a random cable file, of those that unit/topology_file looks at.
 * usage: cables SEED NODES PORTS */
#include <stdlib.h>

#include "topology_draft.h"

int main(int argc, char **argv)
{
    static struct draft draft;
    unsigned long nodes = argc == 4 ? strtoul(argv[2], NULL, 0) : 0,
                  ports = argc == 4 ? strtoul(argv[3], NULL, 0) : 0;

    if (nodes < 2 || nodes > FSH_MAX_NODES || ports < 2 ||
        ports > FSH_MAX_PORTS) {
        fputs("usage: cables SEED NODES PORTS\n", stderr);
        return 2;
    }
    draft_begin(&draft, strtoull(argv[1], NULL, 0));
    draft.nodes = (unsigned)nodes;
    draft.ports = (unsigned)ports;
    draft_draw(&draft, draft_below(&draft, draft.nodes * 2));
    fputs(draft.text, stdout);
    return fflush(stdout) == 0 ? 0 : 1;
}

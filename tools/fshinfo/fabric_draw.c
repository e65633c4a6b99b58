/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Drawings of grids: one line of nodes per y, one plane per z. Open ends of cables,
 * and of rows continued on the next line, are at the margins.
 */
#include "fabric.h"

enum { WIDEST = 12 }; /* nodes per line: 6 columns each */

bool fabric_is_drawn(const struct fsh_topology *t)
{
    bool one = t->side[1] == 1 && t->side[2] == 1;

    return (t->rule == FSH_TOPOLOGY_ORDERED ||
            t->rule == FSH_TOPOLOGY_DATELINE) &&
           t->kind != FSH_TOPOLOGY_HYPERCUBE && t->kind != FSH_TOPOLOGY_FULL &&
           (one || t->side[0] <= WIDEST);
}

static bool has(const struct fsh_topology *t, uint32_t node, unsigned port)
{
    return fsh_topology_plugged(t, node, port);
}

/* Whether both ports of this dimension lead to the same node: two cables. */
static bool is_double(const struct fsh_topology *t, uint32_t node, unsigned d)
{
    return has(t, node, 2 * d) && has(t, node, 2 * d + 1) &&
           t->peer[node][2 * d].node == t->peer[node][2 * d + 1].node;
}

/* Nodes first to first + count - 1, consecutive along x. */
static void draw_row(FILE *out, const struct fsh_topology *t, uint32_t first,
                     uint32_t count)
{
    uint32_t last = first + count - 1;
    bool two = is_double(t, first, 0);

    fputs(has(t, first, 1) && !two ? "  -- " : "     ", out);
    for (uint32_t n = first; n <= last; n++)
        fprintf(out, "%2u%s", n,
                n == last ? has(t, n, 0) && !two ? " --" : ""
                : two     ? " == "
                          : " -- ");
    putc('\n', out);
}

/* The line above or below a row: cables at this port. */
static void draw_between(FILE *out, const struct fsh_topology *t,
                         uint32_t first, unsigned port)
{
    bool two = is_double(t, first, port / 2);

    if (!has(t, first, port))
        return;
    fputs("     ", out);
    for (uint32_t x = 0; x < t->side[0]; x++)
        fprintf(out, "%s%s", two ? "||" : " |",
                x + 1 < t->side[0] ? "    " : "\n");
}

static void draw_plane(FILE *out, const struct fsh_topology *t, uint32_t z)
{
    uint32_t width = t->side[0], height = t->side[1];
    uint32_t first = z * width * height;

    if (t->side[2] > 1)
        fprintf(out, "  z = %u\n", z);
    for (uint32_t y = 0; y < height; y++) {
        uint32_t row = first + y * width;

        if (y == 0 && !is_double(t, row, 1))
            draw_between(out, t, row, 3);
        draw_row(out, t, row, width);
        if (y + 1 < height || !is_double(t, row, 1))
            draw_between(out, t, row, 2);
    }
}

void fabric_draw(FILE *out, const struct fsh_topology *t)
{
    if (t->side[1] == 1 && t->side[2] == 1)
        for (uint32_t n = 0; n < t->nodes; n += WIDEST)
            draw_row(out, t, n, t->nodes - n < WIDEST ? t->nodes - n : WIDEST);
    else
        for (uint32_t z = 0; z < t->side[2]; z++)
            draw_plane(out, t, z);
    if (t->side[2] > 1)
        fputs(
            "  port 4 of a node leads to the same position in the next plane; the last\n"
            "  plane wraps to the first\n",
            out);
}

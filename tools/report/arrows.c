/* SPDX-License-Identifier: BSD-3-Clause */
/* Nodes and arrows between them, see chart.h. An arrow is drawn to the right of the line
 * between two places, seen in its direction, so that both directions have room, with its
 * figure next to it. */
#include "chart.h"

#include <math.h>

enum {
    UNIT = 112, /* from a place to the next of a grid */
    MARGIN = 16,
    BOX_X = 17, /* half of a node's box */
    BOX_Y = 11,
    ASIDE = 6,  /* distance of an arrow from the line between the places */
    THICK = 3,  /* half of an arrow */
    HEAD = 8,   /* length of its head */
    BESIDE = 16 /* distance of the figure from the line, above or below; */
};
#define ACROSS 6 /* ... and this much more for a vertical arrow */

struct at {
    double x, y;
};

static struct at place(const struct chart_place *p)
{
    return (struct at){MARGIN + (p->x + 0.5) * UNIT,
                       MARGIN + (p->y + 0.5) * UNIT};
}

/* Extent of a node's box in a direction. */
static double box_along(struct at way)
{
    double x = fabs(way.x) > 1e-9 ? BOX_X / fabs(way.x) : INFINITY;
    double y = fabs(way.y) > 1e-9 ? BOX_Y / fabs(way.y) : INFINITY;

    return fmin(x, y) + 3;
}

/* Point at this distance along an arrow from its node, and to its right. */
static struct at point(struct at from, struct at way, double along,
                       double right)
{
    return (struct at){from.x + way.x * along - way.y * right,
                       from.y + way.y * along + way.x * right};
}

static void draw_shape(FILE *out, struct at from, struct at way, double begin,
                       double end, double share)
{
    const struct at p[7] = {
        point(from, way, begin, ASIDE - THICK),
        point(from, way, end - HEAD, ASIDE - THICK),
        point(from, way, end - HEAD, ASIDE - THICK - 2),
        point(from, way, end, ASIDE),
        point(from, way, end - HEAD, ASIDE + THICK + 2),
        point(from, way, end - HEAD, ASIDE + THICK),
        point(from, way, begin, ASIDE + THICK),
    };

    fprintf(out, "<path class=\"g0 k0\" fill-opacity=\"%.3f\" d=\"",
            fmin(fmax(share, 0), 1));
    for (unsigned i = 0; i < 7; i++)
        fprintf(out, "%s%.1f %.1f", i ? "L" : "M", p[i].x, p[i].y);
    fputs("z\"/>\n", out);
}

static void draw_arrow(FILE *out, const struct chart_place *node,
                       const struct chart_arrow *arrow)
{
    struct at from = place(&node[arrow->from]), to = place(&node[arrow->to]);
    double length = hypot(to.x - from.x, to.y - from.y), begin, end;
    struct at way = {(to.x - from.x) / length, (to.y - from.y) / length}, text;

    if (arrow->around) { /* it leaves the drawing on the far side */
        way = (struct at){-way.x, -way.y};
        begin = box_along(way);
        end = UNIT / 2.0 - 4;
    } else {
        begin = box_along(way);
        end = length - begin;
    }
    draw_shape(out, from, way, begin, end, arrow->share);
    text = point(from, way, (begin + end) / 2, BESIDE + fabs(way.y) * ACROSS);
    fprintf(out, "<text class=\"s m\" x=\"%.1f\" y=\"%.1f\">%.0f</text>\n",
            text.x, text.y + 4, 100 * arrow->share);
}

static void draw_node(FILE *out, const struct chart_place *node)
{
    struct at at = place(node);

    fprintf(out,
            "<rect class=\"dot k5\" x=\"%.1f\" y=\"%.1f\" width=\"%d\" "
            "height=\"%d\"/>\n<text class=\"m\" x=\"%.1f\" y=\"%.1f\">",
            at.x - BOX_X, at.y - BOX_Y, 2 * BOX_X, 2 * BOX_Y, at.x, at.y + 4);
    page_escape(out, node->name);
    fputs("</text>\n", out);
}

void chart_arrows(struct page *p, const char *title, const char *about,
                  const struct chart_place *node, unsigned nodes,
                  const struct chart_arrow *arrow, unsigned arrows)
{
    double right = 0, below = 0;

    for (unsigned i = 0; i < nodes; i++) {
        right = fmax(right, node[i].x);
        below = fmax(below, node[i].y);
    }
    page_figure(p, title, about, (unsigned)(2 * MARGIN + (right + 1) * UNIT),
                (unsigned)(2 * MARGIN + (below + 1) * UNIT));
    for (unsigned i = 0; i < arrows; i++)
        draw_arrow(p->out, node, &arrow[i]);
    for (unsigned i = 0; i < nodes; i++)
        draw_node(p->out, &node[i]);
    page_figure_end(p);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Line charts, see chart.h. Coordinates are those of the SVG, 480 wide, so that text
 * of size 12 is readable on a page 400 pixels wide. */
#include "chart.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum {
    WIDTH = 480,
    HEIGHT = 300,
    LEFT = 46,
    RIGHT = 366, /* followed by the names of lines */
    TOP = 26,
    BOTTOM = 258,
    SPACING = 14, /* of stacked names */
};

const char *chart_size(double bytes, char room[32])
{
    if (bytes >= 1048576)
        snprintf(room, 32, "%.4g M", bytes / 1048576);
    else if (bytes >= 1024)
        snprintf(room, 32, "%.4g K", bytes / 1024);
    else
        snprintf(room, 32, "%.4g", bytes);
    return room;
}

static double place(const struct chart_axis *a, double value, double from,
                    double to)
{
    double share = a->factors ? log2(fmax(value, a->least) / a->least) /
                                    log2(a->most / a->least)
                              : (value - a->least) / (a->most - a->least);

    return from + fmin(fmax(share, 0), 1) * (to - from);
}

static double at_x(const struct chart *c, double value)
{
    return place(&c->x, value, LEFT, RIGHT);
}

static double at_y(const struct chart *c, double value)
{
    return place(&c->y, value, BOTTOM, TOP);
}

static double next_tick(const struct chart_axis *a, double value)
{
    return a->factors ? value * a->step : value + a->step;
}

static const char *tick_text(const struct chart_axis *a, double value,
                             char room[32])
{
    if (a->text)
        return a->text(value, room);
    snprintf(room, 32, "%g", value);
    return room;
}

static void draw_axes(FILE *out, const struct chart *c)
{
    char room[32];

    for (double v = c->y.least; v <= c->y.most * 1.0001;
         v = next_tick(&c->y, v)) {
        double y = at_y(c, v);
        fprintf(out,
                "<path class=\"rule\" d=\"M%d %.1fH%d\"/><text class=\"s e\" "
                "x=\"%d\" y=\"%.1f\">",
                LEFT, y, RIGHT, LEFT - 5, y + 4);
        page_escape(out, tick_text(&c->y, v, room));
        fputs("</text>\n", out);
    }
    for (double v = c->x.least; v <= c->x.most * 1.0001;
         v = next_tick(&c->x, v)) {
        double x = at_x(c, v);
        fprintf(out,
                "<path class=\"axis\" d=\"M%.1f %dv4\"/><text class=\"s m\" "
                "x=\"%.1f\" y=\"%d\">",
                x, BOTTOM, x, BOTTOM + 17);
        page_escape(out, tick_text(&c->x, v, room));
        fputs("</text>\n", out);
    }
    fprintf(out, "<path class=\"axis\" d=\"M%d %dV%dH%d\"/>\n", LEFT, TOP,
            BOTTOM, RIGHT);
    fputs("<text class=\"s\" x=\"2\" y=\"14\">", out);
    page_escape(out, c->y.title);
    fprintf(out, "</text>\n<text class=\"s m\" x=\"%d\" y=\"%d\">",
            (LEFT + RIGHT) / 2, HEIGHT - 8);
    page_escape(out, c->x.title);
    fputs("</text>\n", out);
}

/* ---- labels ---- */

struct label {
    const char *text;
    double wanted, y;
    unsigned look;
};

static int by_wanted(const void *a, const void *b)
{
    const struct label *x = a, *y = b;

    return (x->wanted > y->wanted) - (x->wanted < y->wanted);
}

/* As near as possible to the wanted positions without overlap, from `least` to
 * `most`. */
static void spread(struct label *label, unsigned n, double least, double most)
{
    qsort(label, n, sizeof(label[0]), by_wanted);
    for (unsigned i = 0; i < n; i++) {
        double above = i ? label[i - 1].y + SPACING : least;
        label[i].y = fmax(label[i].wanted, above);
    }
    for (unsigned i = n; i-- > 0;) {
        double below = i + 1 < n ? label[i + 1].y - SPACING : most;
        label[i].y = fmin(label[i].y, below);
    }
}

/* Names of the levels that are labelled on that side. */
static void name_levels(FILE *out, const struct chart *c, bool right)
{
    struct label label[CHART_LINES];
    unsigned n = 0;

    for (unsigned i = 0; i < c->levels; i++)
        if (c->level[i].right == right)
            label[n++] = (struct label){.text = c->level[i].name,
                                        .wanted = at_y(c, c->level[i].y) - 4};
    spread(label, n, TOP - 4, BOTTOM - 4);
    for (unsigned i = 0; i < n; i++) {
        fprintf(out, "<text class=\"o%s\" x=\"%d\" y=\"%.1f\">",
                right ? " e" : "", right ? RIGHT - 4 : LEFT + 6, label[i].y);
        page_escape(out, label[i].text);
        fputs("</text>\n", out);
    }
}

static void draw_levels(FILE *out, const struct chart *c)
{
    assert(c->levels <= CHART_LINES);
    for (unsigned i = 0; i < c->levels; i++)
        fprintf(out, "<path class=\"mark\" d=\"M%d %.1fH%d\"/>\n", LEFT,
                at_y(c, c->level[i].y), RIGHT);
    name_levels(out, c, false);
    name_levels(out, c, true);
}

/* ---- lines ---- */

/* Around a point: circle, square, diamond, triangle, cross, plus. */
static void draw_marker(FILE *out, unsigned look, double x, double y)
{
    static const char *const shape[CHART_LOOKS] = {
        "m-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0",
        "m-3 -3h6v6h-6z",
        "m0 -4l4 4l-4 4l-4 -4z",
        "m0 -4l4 7h-8z",
        "m-3 -3l6 6m0 -6l-6 6",
        "m-4 0h8m-4 -4v8"};

    fprintf(out, "<path class=\"dot k%u\" d=\"M%.1f %.1f%s\"/>\n", look, x, y,
            shape[look]);
}

static void draw_line(FILE *out, const struct chart *c,
                      const struct chart_line *line)
{
    assert(line->count > 0 && line->count <= CHART_POINTS);
    fprintf(out, "<path class=\"line k%u\" d=\"", line->look);
    for (unsigned i = 0; i < line->count; i++)
        fprintf(out, "%s%.1f %.1f", i ? "L" : "M", at_x(c, line->x[i]),
                at_y(c, line->y[i]));
    fputs("\"/>\n", out);
    for (unsigned i = 0; i < line->count; i++)
        draw_marker(out, line->look, at_x(c, line->x[i]), at_y(c, line->y[i]));
}

static void draw_names(FILE *out, const struct chart *c)
{
    struct label label[CHART_LINES];

    for (unsigned i = 0; i < c->lines; i++) {
        const struct chart_line *line = &c->line[i];
        label[i] =
            (struct label){.text = line->name,
                           .look = line->look,
                           .wanted = at_y(c, line->y[line->count - 1]) + 4};
    }
    spread(label, c->lines, TOP + 4, BOTTOM);
    for (unsigned i = 0; i < c->lines; i++) {
        fprintf(out, "<path class=\"rule\" d=\"M%d %.1fL%d %.1f\"/>\n",
                RIGHT + 4, label[i].wanted - 4, RIGHT + 14, label[i].y - 4);
        draw_marker(out, label[i].look, RIGHT + 20, label[i].y - 4);
        fprintf(out, "<text x=\"%d\" y=\"%.1f\">", RIGHT + 28, label[i].y);
        page_escape(out, label[i].text);
        fputs("</text>\n", out);
    }
}

void chart_lines(struct page *p, const struct chart *c)
{
    assert(c->lines <= CHART_LINES);
    page_figure(p, c->title, c->about, WIDTH, HEIGHT);
    draw_axes(p->out, c);
    for (unsigned i = 0; i < c->lines; i++)
        draw_line(p->out, c, &c->line[i]);
    draw_levels(p->out, c);
    draw_names(p->out, c);
    page_figure_end(p);
}

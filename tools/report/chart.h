/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Charts of a report (page.h) as SVG: told apart by dash, marker and pattern as well
 * as by colour, and named where they are drawn. A table with the figures is written
 * beside each by the caller. Looks are numbers from 0 to CHART_LOOKS - 1.
 */
#ifndef FSH_REPORT_CHART_H
#define FSH_REPORT_CHART_H

#include <stdbool.h>

#include "page.h"

#define CHART_LOOKS 6u
#define CHART_LINES 8u   /* at most, in one chart */
#define CHART_POINTS 64u /* at most, on one line */

/* Axis from least to most: its steps are even, or a factor of 2 each. */
struct chart_axis {
    const char *title;
    double least, most;
    bool factors;
    double step; /* between two ticks; with factors: the factor */
    const char *(*text)(double value, char room[32]); /* of a tick; NULL: %g */
};

struct chart_line {
    const char *name;
    unsigned look, count;
    double x[CHART_POINTS], y[CHART_POINTS];
};

/* A level across the chart, such as what others reached. */
struct chart_level {
    const char *name;
    double y;
    bool right; /* the name stands at the right end, else at the left */
};

struct chart {
    const char *title, *about; /* about: what it shows, for who cannot see it */
    struct chart_axis x, y;
    const struct chart_line *line;
    unsigned lines;
    const struct chart_level *level;
    unsigned levels;
};

/* Lines with a marker at each point; each is named at its end. */
void chart_lines(struct page *p, const struct chart *chart);

/* Bars from left to right, each named before it and with its value behind it. */
struct chart_bar {
    const char *group; /* a heading, where it is not that of the bar before */
    const char *name;
    const char *text; /* the value as it is written */
    double value;
    unsigned look;
};
void chart_bars(struct page *p, const char *title, const char *about,
                const struct chart_bar *bar, unsigned bars, double most);

/* Shares of a whole, side by side, with a key above. */
#define CHART_PARTS CHART_LOOKS
struct chart_stack {
    const char *name;
    double part[CHART_PARTS]; /* of `whole` */
    double whole;
};
void chart_stacks(struct page *p, const char *title, const char *about,
                  const char *const *part, unsigned parts,
                  const struct chart_stack *stack, unsigned stacks);

/* Shares over time: a strip for each row, parts stacked from below, what is left of 1
 * white; a key above, the time below. share[bin * parts + part]. */
struct chart_strip {
    const char *name;
    const double *share;
};
void chart_strips(struct page *p, const char *title, const char *about,
                  const char *const *part, unsigned parts,
                  const struct chart_strip *strip, unsigned strips,
                  unsigned bins, const char *begin, const char *end);

/* Squares, the darker the larger; written in where there is room. value[row * n +
 * column], text as chart_bar has it. */
#define CHART_SQUARES 16u
void chart_squares(struct page *p, const char *title, const char *about,
                   const char *const *name, const double *value,
                   char (*text)[16], unsigned n);

/* Nodes at places of a plane, in units of what lies between two, with their names; and
 * what goes from one to another, an arrow each, the darker the larger its share is, which
 * stands beside it in percent. */
struct chart_place {
    double x, y;
    const char *name;
};
struct chart_arrow {
    unsigned from, to;
    bool around; /* it leaves at the side that is away from where it goes */
    double share;
};
void chart_arrows(struct page *p, const char *title, const char *about,
                  const struct chart_place *node, unsigned nodes,
                  const struct chart_arrow *arrow, unsigned arrows);

/* A byte size as people write it: 512, 4 K, 2 M. Returns room. */
const char *chart_size(double bytes, char room[32]);

#endif

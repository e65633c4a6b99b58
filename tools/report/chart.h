/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Charts of a report (page.h) as SVG: distinguished by dash, marker and pattern as well
 * as by colour, and labelled in place. The caller adds a table with the figures
 * to each. Looks are numbers from 0 to CHART_LOOKS - 1.
 */
#ifndef FSH_REPORT_CHART_H
#define FSH_REPORT_CHART_H

#include <stdbool.h>

#include "page.h"

#define CHART_LOOKS 6u
#define CHART_LINES 8u   /* at most, in one chart */
#define CHART_POINTS 64u /* at most, on one line */

/* Axis from least to most, with even steps or factors of 2. */
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
    bool right; /* label at the right end, else at the left */
};

struct chart {
    const char *title, *about; /* about: what it shows, for screen readers */
    struct chart_axis x, y;
    const struct chart_line *line;
    unsigned lines;
    const struct chart_level *level;
    unsigned levels;
};

/* Lines with a marker at each point; each is labelled at its end. */
void chart_lines(struct page *p, const struct chart *chart);

/* Bars from left to right, each with its name before and its value after it. */
struct chart_bar {
    const char *group; /* a heading, if different from the previous bar's */
    const char *name;
    const char *text; /* the value as printed */
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

/* Shares over time: a strip for each row, parts stacked from below, the rest up to 1
 * white; a key above, the time below. share[bin * parts + part]. */
struct chart_strip {
    const char *name;
    const double *share;
};
void chart_strips(struct page *p, const char *title, const char *about,
                  const char *const *part, unsigned parts,
                  const struct chart_strip *strip, unsigned strips,
                  unsigned bins, const char *begin, const char *end);

/* Squares, darker for larger values, with text where there is room. value[row * n +
 * column], text as in chart_bar. */
#define CHART_SQUARES 16u
void chart_squares(struct page *p, const char *title, const char *about,
                   const char *const *name, const double *value,
                   char (*text)[16], unsigned n);

/* Nodes at places of a plane, in units of the distance between two, with their names,
 * and the traffic from one to another as an arrow each, darker for a larger share,
 * labelled in percent. */
struct chart_place {
    double x, y;
    const char *name;
};
struct chart_arrow {
    unsigned from, to;
    bool around; /* a wrap: it leaves at the side away from its target */
    double share;
};
void chart_arrows(struct page *p, const char *title, const char *about,
                  const struct chart_place *node, unsigned nodes,
                  const struct chart_arrow *arrow, unsigned arrows);

/* A byte size in short form: 512, 4 K, 2 M. Returns room. */
const char *chart_size(double bytes, char room[32]);

#endif

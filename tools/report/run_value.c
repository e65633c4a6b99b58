/* SPDX-License-Identifier: BSD-3-Clause */
/* Values that the program records (fshmem_trace_value) as curves, see run.h. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "chart.h"
#include "run.h"

_Static_assert(RUN_POINTS < CHART_POINTS, "with the last value");

static struct run_series *find_series(struct run *run, uint32_t rank,
                                      const char *name)
{
    for (unsigned i = 0; i < run->curves; i++)
        if (run->series[i].rank == rank &&
            strcmp(run->series[i].name, name) == 0)
            return &run->series[i];
    if (run->curves == RUN_SERIES)
        return NULL;
    run->series[run->curves] = (struct run_series){.rank = rank, .stride = 1};
    snprintf(run->series[run->curves].name, sizeof(run->series[0].name), "%s",
             name);
    return &run->series[run->curves++];
}

/* Every second point goes. */
static void thin_out(struct run_series *s)
{
    unsigned n = 0;

    for (unsigned i = 0; i < s->points; i += 2, n++) {
        s->x[n] = s->x[i];
        s->y[n] = s->y[i];
    }
    s->points = n;
    s->stride *= 2;
}

void run_take_value(struct run *run, uint32_t rank, const char *name,
                    double value)
{
    char cut[sizeof(run->series[0].name)];
    struct run_series *s;

    snprintf(cut, sizeof(cut), "%s", name);
    /* Beyond these, distances and steps between values would not be finite. */
    if (!(fabs(value) <= RUN_VALUE_MOST) ||
        !(s = find_series(run, rank, cut))) {
        run->values_left_out++;
        return;
    }
    s->least = s->count ? fmin(s->least, value) : value;
    s->most = s->count ? fmax(s->most, value) : value;
    s->last = value;
    if (s->count++ % s->stride != 0)
        return;
    if (s->points == RUN_POINTS) {
        thin_out(s);
        if ((s->count - 1) % s->stride != 0)
            return;
    }
    s->x[s->points] = (double)s->count;
    s->y[s->points++] = value;
}

/* ---- axes ---- */

static double tick_step;

/* A sum of steps that should be 0 is almost that. */
static const char *tick_text(double value, char room[32])
{
    snprintf(room, 32, "%.4g", fabs(value) < tick_step / 1e3 ? 0 : value);
    return room;
}

/* 1, 2 or 5 times a power of ten, with at most five steps in the range. */
static double round_step(double range)
{
    double unit = pow(10, floor(log10(range / 5)));
    double n = range / 5 / unit;

    return unit * (n <= 1 ? 1 : n <= 2 ? 2 : n <= 5 ? 5 : 10);
}

/* Factors if the values are positive and that far apart. */
static struct chart_axis value_axis(double least, double most)
{
    struct chart_axis axis = {.title = "Value", .text = tick_text};

    if (least > 1 / RUN_VALUE_MOST && most / least >= 16) {
        double low = floor(log2(least)), high = ceil(log2(most));

        axis.factors = true;
        axis.step = exp2(ceil((high - low) / 6));
        axis.least = exp2(low);
        axis.most = exp2(high);
        tick_step = 0;
        return axis;
    }
    double scale = fmax(fmax(fabs(least), fabs(most)), 1e-100);
    if (least == 0 && most == 0) {
        most = 1;
    } else if (most - least <
               1e-6 * scale) { /* no steps below the resolution */
        least -= 1e-3 * scale;
        most += 1e-3 * scale;
    }
    tick_step = axis.step = round_step(most - least);
    axis.least = floor(least / axis.step) * axis.step;
    axis.most = ceil(most / axis.step) * axis.step;
    return axis;
}

static struct chart_axis number_axis(uint64_t count)
{
    double step = fmax(round_step((double)count), 1);

    return (struct chart_axis){.title = "Number of the value",
                               .least = 0,
                               .most = ceil((double)count / step) * step,
                               .step = step};
}

/* ---- drawn ---- */

static struct chart_line line_of(const struct run_series *s, unsigned look,
                                 char name[24])
{
    struct chart_line line = {.name = name, .look = look, .count = s->points};

    snprintf(name, 24, "rank %" PRIu32, s->rank);
    memcpy(line.x, s->x, s->points * sizeof(line.x[0]));
    memcpy(line.y, s->y, s->points * sizeof(line.y[0]));
    if (line.x[line.count - 1] < (double)s->count) {
        line.x[line.count] = (double)s->count;
        line.y[line.count++] = s->last;
    }
    return line;
}

/* The series of one name, of the first ranks that have it. */
static void draw_name(struct page *p, const struct run *run, const char *name)
{
    static struct chart_line line[CHART_LINES];
    char rank[CHART_LINES][24];
    double least = INFINITY, most = -INFINITY;
    uint64_t count = 1;
    unsigned n = 0;

    for (unsigned i = 0; i < run->curves && n < CHART_LINES; i++) {
        const struct run_series *s = &run->series[i];

        if (strcmp(s->name, name) != 0)
            continue;
        line[n] = line_of(s, n % CHART_LOOKS, rank[n]);
        n++;
        least = fmin(least, s->least);
        most = fmax(most, s->most);
        count = s->count > count ? s->count : count;
    }
    const struct chart chart = {
        .title = name,
        .about = "A line for each rank: the values in the order in which the "
                 "program recorded them.",
        .x = number_axis(count),
        .y = value_axis(least, most),
        .line = line,
        .lines = n};
    chart_lines(p, &chart);
}

static bool is_first_of_name(const struct run *run, unsigned at)
{
    for (unsigned i = 0; i < at; i++)
        if (strcmp(run->series[i].name, run->series[at].name) == 0)
            return false;
    return true;
}

/* ---- the same as tables ---- */

static void write_extremes(struct page *p, const struct run *run)
{
    static const struct page_column columns[] = {
        {"Value", false}, {"Rank", true},     {"Count", true}, {"First", true},
        {"Least", true},  {"Greatest", true}, {"Last", true}};

    page_table(p, "Values of the program", columns, 7);
    for (unsigned i = 0; i < run->curves; i++) {
        const struct run_series *s = &run->series[i];

        page_cell(p, "%s", s->name);
        page_cell(p, "%" PRIu32, s->rank);
        page_cell(p, "%" PRIu64, s->count);
        page_cell(p, "%.6g", s->y[0]);
        page_cell(p, "%.6g", s->least);
        page_cell(p, "%.6g", s->most);
        page_cell(p, "%.6g", s->last);
    }
    page_table_end(p);
}

static void write_points(struct page *p, const struct run *run)
{
    static const struct page_column columns[] = {
        {"Value", false}, {"Rank", true}, {"Number", true}, {"Is", true}};
    char name[24];

    page_details(p, "Values in order");
    page_table(p, "Values in order", columns, 4);
    for (unsigned i = 0; i < run->curves; i++) {
        const struct chart_line line = line_of(&run->series[i], 0, name);

        for (unsigned k = 0; k < line.count; k++) {
            page_cell(p, "%s", run->series[i].name);
            page_cell(p, "%" PRIu32, run->series[i].rank);
            page_cell(p, "%.0f", line.x[k]);
            page_cell(p, "%.6g", line.y[k]);
        }
    }
    page_table_end(p);
    page_details_end(p);
}

void run_write_values(struct page *p, const struct run *run)
{
    if (run->curves == 0 && run->values_left_out == 0)
        return;
    page_section(p, "Values of the program");
    page_paragraph(p, "What the program recorded with fshmem_trace_value. Of "
                      "a long series every second, fourth ... value is shown, "
                      "and the last.");
    if (run->values_left_out)
        page_paragraph(p,
                       "%" PRIu64 " values are left out: more than %u series, "
                       "or beyond %g.",
                       run->values_left_out, RUN_SERIES, RUN_VALUE_MOST);
    if (run->curves == 0)
        return;
    page_grid(p);
    for (unsigned i = 0; i < run->curves; i++)
        if (is_first_of_name(run, i))
            draw_name(p, run, run->series[i].name);
    page_grid_end(p);
    write_extremes(p, run);
    write_points(p, run);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What fshperf bridge measures, by either clock: rows, which are stages alone and paths in
 * both modes; and points, a transfer of so many bytes through buffers of so many.
 */
#ifndef FSHPERF_BRIDGE_ROWS_H
#define FSHPERF_BRIDGE_ROWS_H

#include <stdbool.h>
#include <stddef.h>

struct document;

/* Stages alone, the last one both of the DMA at once; then each path in both modes, the
 * naive one first. */
enum {
    BRIDGE_STAGES = 5,
    BRIDGE_DMA_BOTH = BRIDGE_STAGES - 1,
    BRIDGE_PATHS = 3,
    BRIDGE_ROWS = BRIDGE_STAGES + 2 * BRIDGE_PATHS
};
struct bridge_row {
    const char *path, *mode;
    const char *stage; /* NULL: a path */
    unsigned stages;   /* enum fsh_bridge_stage */
    bool naive;
};
extern const struct bridge_row bridge_rows[BRIDGE_ROWS];

/* The row of a path in a mode. */
static inline unsigned bridge_row_of(unsigned path, bool naive)
{
    return BRIDGE_STAGES + 2 * path + (naive ? 0 : 1);
}

struct bridge_point {
    size_t buffer, bytes;
    double us[BRIDGE_ROWS]; /* 0: not measured */
};
/* Is the row measured of so many bytes? Of more than 64 MB not the stages of the network and
 * the naive paths of one way, of more than 512 MB no naive one: they would take minutes. */
bool bridge_has_row(unsigned row, size_t bytes);
/* MB/s of 10^6 bytes; 0: not measured. */
double bridge_rate(const struct bridge_point *point, unsigned row);

/* A sweep: the buffers of the paper's Figs. 4 and 11, transfers of 2 B to 64 MB, and 1 GB
 * through the largest buffers. */
enum { BRIDGE_POINTS = 80 };
unsigned bridge_sweep(struct bridge_point point[BRIDGE_POINTS]);
/* The first point behind point i with another buffer, or the number of points. */
unsigned bridge_next_buffer(const struct bridge_point *point, unsigned count,
                            unsigned i);
/* A table of a row: transfers down, buffers across, MB/s. */
void bridge_print_sweep(const struct bridge_point *point, unsigned count,
                        unsigned row, const char *note);

/* Into an object that is open: path, mode, stage, entries and what the point has.
 * slowest: MB/s that `ratio` is of. */
void bridge_describe(struct document *d, const struct bridge_point *point,
                     unsigned row, unsigned entries, double slowest);

#endif

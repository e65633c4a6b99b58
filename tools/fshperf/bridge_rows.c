/* SPDX-License-Identifier: BSD-3-Clause */
#include "bridge_rows.h"

#include <stdio.h>

#include "bridge/bridge.h"
#include "document.h"

#define LONG ((size_t)64 << 20)
#define LONGEST ((size_t)512 << 20)

const struct bridge_row bridge_rows[BRIDGE_ROWS] = {
    {"to_card", "stage", "read", FSH_BRIDGE_READ, false},
    {"to_card", "stage", "dma_to_card", FSH_BRIDGE_TO_CARD, false},
    {"from_card", "stage", "dma_from_card", FSH_BRIDGE_FROM_CARD, false},
    {"from_card", "stage", "write", FSH_BRIDGE_WRITE, false},
    {"round_trip", "stage", "dma_both",
     FSH_BRIDGE_TO_CARD | FSH_BRIDGE_FROM_CARD, false},
    {"to_card", "naive", NULL, FSH_BRIDGE_PATH_TO, true},
    {"to_card", "pipelined", NULL, FSH_BRIDGE_PATH_TO, false},
    {"from_card", "naive", NULL, FSH_BRIDGE_PATH_FROM, true},
    {"from_card", "pipelined", NULL, FSH_BRIDGE_PATH_FROM, false},
    {"round_trip", "naive", NULL, FSH_BRIDGE_PATH_ROUND, true},
    {"round_trip", "pipelined", NULL, FSH_BRIDGE_PATH_ROUND, false},
};

bool bridge_has_row(unsigned row, size_t bytes)
{
    const struct bridge_row *r = &bridge_rows[row];
    const unsigned network = FSH_BRIDGE_READ | FSH_BRIDGE_WRITE;

    if (bytes <= LONG)
        return true;
    if (r->naive)
        return bytes <= LONGEST && r->stages == FSH_BRIDGE_PATH_ROUND;
    return r->stage == NULL || !(r->stages & network);
}

double bridge_rate(const struct bridge_point *point, unsigned row)
{
    return point->us[row] == 0 ? 0 : (double)point->bytes / point->us[row];
}

unsigned bridge_sweep(struct bridge_point point[BRIDGE_POINTS])
{
    static const size_t buffers[] = {(size_t)16 << 10,  (size_t)64 << 10,
                                     (size_t)256 << 10, (size_t)1 << 20,
                                     (size_t)4 << 20,   (size_t)8 << 20};
    static const size_t bytes[] = {2,
                                   256,
                                   1 << 10,
                                   4 << 10,
                                   16 << 10,
                                   64 << 10,
                                   256 << 10,
                                   (size_t)1 << 20,
                                   (size_t)4 << 20,
                                   (size_t)16 << 20,
                                   LONG,
                                   (size_t)1 << 30};
    enum {
        BUFFERS = sizeof buffers / sizeof buffers[0],
        SIZES = sizeof bytes / sizeof bytes[0]
    };
    unsigned count = 0;

    _Static_assert((int)BUFFERS * (int)SIZES <= (int)BRIDGE_POINTS,
                   "points of a sweep");
    for (unsigned b = 0; b < BUFFERS; b++)
        for (unsigned i = 0; i < SIZES; i++)
            if (bytes[i] <= LONG || b == BUFFERS - 1)
                point[count++] = (struct bridge_point){.buffer = buffers[b],
                                                       .bytes = bytes[i]};
    return count;
}

unsigned bridge_next_buffer(const struct bridge_point *point, unsigned count,
                            unsigned i)
{
    unsigned next = i;

    while (next < count && point[next].buffer == point[i].buffer)
        next++;
    return next;
}

static const struct bridge_point *find(const struct bridge_point *point,
                                       unsigned count, size_t buffer,
                                       size_t bytes)
{
    for (unsigned i = 0; i < count; i++)
        if (point[i].buffer == buffer && point[i].bytes == bytes)
            return &point[i];
    return NULL;
}

void bridge_print_sweep(const struct bridge_point *point, unsigned count,
                        unsigned row, const char *note)
{
    const struct bridge_row *r = &bridge_rows[row];
    unsigned last = 0; /* the last buffer, which has all sizes */

    printf("# %s, %s, MB/s by buffer%s%s\n# %10s",
           r->stage ? r->stage : r->path, r->stage ? "alone" : r->mode,
           note ? "; paper: " : "", note ? note : "", "bytes");
    for (unsigned i = 0; i < count; i = bridge_next_buffer(point, count, i)) {
        printf(" %8zu K", point[i].buffer >> 10);
        last = i;
    }
    putchar('\n');
    for (unsigned i = last; i < count; i++) {
        if (!bridge_has_row(row, point[i].bytes))
            continue;
        printf("%12zu", point[i].bytes);
        for (unsigned j = 0; j < count;
             j = bridge_next_buffer(point, count, j)) {
            const struct bridge_point *p =
                find(point, count, point[j].buffer, point[i].bytes);

            if (p)
                printf(" %10.2f", bridge_rate(p, row));
            else
                printf(" %10s", "-");
        }
        putchar('\n');
    }
}

void bridge_describe(struct document *d, const struct bridge_point *point,
                     unsigned row, unsigned entries, double slowest)
{
    const struct bridge_row *r = &bridge_rows[row];

    document_text(d, "path", r->path);
    document_text(d, "mode", r->mode);
    if (r->stage)
        document_text(d, "stage", r->stage);
    document_number(d, "buffer", point->buffer);
    document_number(d, "entries", entries);
    document_number(d, "bytes", point->bytes);
    document_real(d, "mb_per_s", bridge_rate(point, row));
    document_real(d, "ratio", bridge_rate(point, row) / slowest);
}

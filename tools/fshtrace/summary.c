/* SPDX-License-Identifier: BSD-3-Clause */
/* Totals of calls, handlers and waits. */
#include <stdlib.h>

#include "fshtrace.h"

static uint64_t length(const struct slice *s)
{
    return s->to - s->from;
}

static int by_length(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

static int by_total(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    return x->name < y->name ? -1 : x->name > y->name;
}

/* The row of a name; lengths: room for all slices with it. */
static struct row row_of(const struct trace *t, enum slice_kind kind,
                         uint32_t name, uint64_t *lengths)
{
    struct row row = {.name = name};

    for (size_t i = 0; i < t->slices; i++) {
        const struct slice *s = &t->slice[i];

        if (s->kind != kind || s->name != name || s->process >= TRACE_NODES)
            continue;
        lengths[row.count++] = length(s);
        row.total += length(s);
        row.bytes += s->bytes;
    }
    if (row.count != 0) {
        qsort(lengths, row.count, sizeof *lengths, by_length);
        row.median = lengths[row.count / 2];
        row.most = lengths[row.count - 1];
    }
    return row;
}

struct row *rows_of(const struct trace *t, enum slice_kind kind, size_t *n)
{
    struct row *rows = calloc(t->names + 1, sizeof *rows);
    uint64_t *lengths = calloc(t->slices + 1, sizeof *lengths);

    *n = 0;
    for (uint32_t name = 0; rows && lengths && name < t->names; name++) {
        rows[*n] = row_of(t, kind, name, lengths);
        *n += rows[*n].count != 0;
    }
    free(lengths);
    if (rows)
        qsort(rows, *n, sizeof *rows, by_total);
    return rows;
}

size_t longest_waits(const struct trace *t, const struct slice **slices,
                     size_t most)
{
    size_t n = 0;

    for (size_t i = 0; i < t->slices; i++) {
        const struct slice *s = &t->slice[i];
        size_t at;

        if (s->kind != WAIT)
            continue;
        for (at = n; at > 0 && length(slices[at - 1]) < length(s); at--)
            if (at < most)
                slices[at] = slices[at - 1];
        if (at < most)
            slices[at] = s;
        n += n < most;
    }
    return n;
}

uint64_t *waits_matrix(const struct trace *t)
{
    uint64_t *matrix =
        calloc((size_t)t->ranks * (t->ranks + 1), sizeof *matrix);
    uint64_t *until = calloc((size_t)t->ranks * 256, sizeof *until);

    for (size_t i = 0; matrix && until && i < t->slices; i++) {
        const struct slice *s = &t->slice[i];
        uint64_t *covered = &until[s->process % TRACE_NODES * 256 + s->track];
        uint32_t peer = s->peer ? s->peer - 1 : t->ranks;

        if (s->kind != WAIT || s->process >= t->ranks || s->to <= *covered)
            continue;
        matrix[(size_t)s->process * (t->ranks + 1) + peer] +=
            s->to - (s->from > *covered ? s->from : *covered);
        *covered = s->to;
    }
    free(until);
    return matrix;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Checkpoints: a header, then weights and velocities of each layer. See train.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "train.h"

struct header {
    char magic[8];
    uint32_t layers, width, batch, nodes, rate, momentum, seed, wire, host;
    uint32_t epoch;
};

static struct header header_of(const struct train *t)
{
    const struct train_options *o = &t->options;

    return (struct header){{'f', 's', 'h', 't', 'r', 'a', 'i', '1'},
                           o->layers,
                           o->width,
                           o->batch,
                           t->nodes,
                           o->rate,
                           o->momentum,
                           o->seed,
                           o->wire,
                           (uint32_t)o->host,
                           t->epoch};
}

/* Each layer's, by fread or fwrite. */
#define EACH(t, way, file)                                              \
    for (uint32_t i_ = 0; i_ < (t)->layers && fine; ++i_) {             \
        size_t n_ = train_values(&(t)->layer[i_]);                      \
                                                                        \
        fine = way(case_at((t)->layer[i_].weights), sizeof(float), n_,  \
                   file) == n_ &&                                       \
               way(case_at((t)->layer[i_].velocity), sizeof(float), n_, \
                   file) == n_;                                         \
    }

static void save(const struct train *t, const char *path, const char *draft)
{
    struct header header = header_of(t);
    FILE *file = fopen(draft, "wb");
    int fine = file != NULL && fwrite(&header, sizeof header, 1, file) == 1;

    EACH(t, fwrite, file)
    if (file != NULL && fclose(file) != 0) {
        fine = 0;
    }
    if (!fine || rename(draft, path) != 0) {
        case_fail("%s: %s", path, strerror(errno));
    }
}

void train_save(const struct train *t, const char *path)
{
    size_t n = strlen(path);
    char *draft;

    if (t->me != 0) {
        return;
    }
    draft = malloc(n + 5);
    if (draft == NULL) {
        case_fail("no memory");
    }
    memcpy(draft, path, n);
    memcpy(draft + n, ".new", 5);
    save(t, path, draft);
    free(draft);
}

static void read_all(struct train *t, const char *path)
{
    struct header want = header_of(t), header;
    FILE *file = fopen(path, "rb");
    int fine = file != NULL && fread(&header, sizeof header, 1, file) == 1;

    if (file == NULL) {
        case_fail("%s: %s", path, strerror(errno));
    }
    t->epoch = want.epoch = fine ? header.epoch : 0;
    if (!fine || memcmp(&want, &header, sizeof want) != 0) {
        case_fail("%s: not of a training with these options and ranks", path);
    }
    EACH(t, fread, file)
    fclose(file);
    if (!fine) {
        case_fail("%s: it ends too early", path);
    }
}

static void share(void *data, size_t bytes)
{
    case_fine("checkpoint",
              fshmem_coll_broadcast(GASNET_TEAM_ALL, data, 0, data, bytes, 0));
}

void train_load(struct train *t, const char *path)
{
    if (t->me == 0) {
        read_all(t, path);
    }
    share(&t->epoch, sizeof t->epoch);
    for (uint32_t i = 0; i < t->layers; ++i) {
        size_t bytes = train_values(&t->layer[i]) * sizeof(float);

        share(case_at(t->layer[i].weights), bytes);
        share(case_at(t->layer[i].velocity), bytes);
    }
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recordings: all external inputs of a fabric. Host writes, reads and gates with
 * their cycles, and every 16 bytes that a device read from memory, in order per node,
 * since the host writes memory too. A file of fixed-size records in this machine's
 * byte order: first the settings, then the cables. What a node read in a quantum is
 * contiguous, each record saying how many follow. A replay reads it in several passes
 * at once: one for events, and one for the data of each node.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model.h"

#define MAGIC UINT64_C(0x3530636552485346) /* "FSHRec05" */

struct record {
    uint8_t kind, node;
    uint16_t zero;
    uint32_t offset;
    union {
        struct {
            uint64_t cycle, data;
        } event;
        uint64_t word[2];
    } u;
};
_Static_assert(sizeof(struct record) == 24, "format of recordings");

struct reads { /* of a node */
    struct record *record;
    size_t count, room; /* not yet in the file */
    bool lost;          /* there was no memory for more */
    size_t fetch;       /* the next one of a replay */
};

struct fsh_tape {
    FILE *out;
    const struct record *in; /* mapped */
    size_t bytes, count;
    size_t event; /* the next one */
    uint64_t due; /* its cycle */
    struct reads reads[FSH_MAX_NODES];
};

/* The settings that decide what happens, in the order of their records; one may
 * change later on. */
enum { CABLES = 2, DRAM_WRITE = 5, SETTINGS = 15 };

static unsigned count_cables(const struct fsh_topology *t)
{
    unsigned ends = 0;

    for (uint32_t n = 0; n < t->nodes; n++)
        for (unsigned p = 0; p < FSH_NODE_PORTS; p++)
            ends += fsh_topology_plugged(t, n, p);
    return ends / 2;
}

static void settings_get(const struct fsh_fabric_config *c,
                         uint64_t v[SETTINGS])
{
    const uint64_t all[SETTINGS] = {
        MAGIC,
        c->nodes,
        count_cables(c->topology),
        c->link_cycles,
        c->dram_cycles,
        c->dram_write_cycles,
        c->dram_bytes_cycle,
        c->pcie_cycles,
        c->pcie_bytes_cycle,
        c->seed,
        c->stall,
        c->stall_seed,
        c->dram_bytes,
        c->dma_bytes,
        c->compute,
    };

    memcpy(v, all, sizeof all);
}

static void settings_set(struct fsh_fabric_config *c,
                         const uint64_t v[SETTINGS])
{
    c->nodes = (uint32_t)v[1];
    c->link_cycles = (uint32_t)v[3];
    c->dram_cycles = (uint32_t)v[4];
    c->dram_write_cycles = (uint32_t)v[DRAM_WRITE];
    c->dram_bytes_cycle = (uint32_t)v[6];
    c->pcie_cycles = (uint32_t)v[7];
    c->pcie_bytes_cycle = (uint32_t)v[8];
    c->seed = v[9];
    c->stall = v[10] != 0;
    c->stall_seed = v[11];
    c->dram_bytes = v[12];
    c->dma_bytes = v[13];
    c->compute = v[14] != 0;
}

/* A record for each cable: two ends of node and port, a byte each. */
static void put_cables(struct fsh_tape *tape, const struct fsh_topology *t)
{
    for (uint32_t n = 0; n < t->nodes; n++)
        for (uint32_t p = 0; p < FSH_NODE_PORTS; p++) {
            struct fsh_plug to = t->peer[n][p];

            if (to.node != FSH_NO_NODE &&
                (to.node > n || (to.node == n && to.port > p)))
                fsh_tape_event(tape, FSH_TAPE_CONFIG, 0, 0, SETTINGS,
                               n | p << 8 | (uint32_t)to.node << 16 |
                                   (uint32_t)to.port << 24);
        }
}

static bool take_cable(struct fsh_topology *t, uint64_t cable)
{
    uint32_t a = cable & 0xff, p = cable >> 8 & 0xff;
    uint32_t b = cable >> 16 & 0xff, q = cable >> 24 & 0xff;

    if (a >= t->nodes || b >= t->nodes || p >= FSH_NODE_PORTS ||
        q >= FSH_NODE_PORTS || fsh_topology_plugged(t, a, p) ||
        fsh_topology_plugged(t, b, q) || cable >> 32 != 0)
        return false;
    fsh_topology_plug(t, a, p, b, q);
    return true;
}

/* Those of the recording, after its settings; false if they do not fit. */
static bool take_cables(struct fsh_tape *tape, uint32_t nodes, uint64_t cables,
                        struct fsh_topology *t)
{
    bool ok = nodes <= FSH_MAX_NODES && cables <= tape->count - SETTINGS;

    fsh_topology_clear(t);
    snprintf(t->name, sizeof(t->name), "recorded");
    t->kind = FSH_TOPOLOGY_FILE;
    t->nodes = ok ? (uint8_t)nodes : 0;
    for (uint64_t i = 0; ok && i < cables; i++)
        ok = take_cable(t, tape->in[SETTINGS + i].u.event.data);
    return ok;
}

/* Move `event` on to the next record that is no data. */
static void next_event(struct fsh_tape *tape)
{
    while (tape->event < tape->count &&
           tape->in[tape->event].kind == FSH_TAPE_DATA)
        tape->event += 1 + (size_t)tape->in[tape->event].offset;
    tape->due = tape->event < tape->count ? tape->in[tape->event].u.event.cycle
                                          : FSH_NEVER;
}

static bool map_in(struct fsh_tape *tape, const char *path, char *err,
                   size_t errlen)
{
    struct stat st;
    void *map = MAP_FAILED;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0) {
        tape->bytes = (size_t)st.st_size;
        map = mmap(NULL, tape->bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    if (fd >= 0)
        close(fd);
    if (map == MAP_FAILED) {
        snprintf(err, errlen, "cannot read recording %s: %s", path,
                 errno ? strerror(errno) : "empty file");
        return false;
    }
    tape->in = map;
    tape->count = tape->bytes / sizeof(struct record);
    return true;
}

static bool read_settings(struct fsh_tape *tape,
                          struct fsh_fabric_config *config,
                          struct fsh_topology *topology, char *err,
                          size_t errlen)
{
    uint64_t values[SETTINGS];

    for (unsigned i = 0; i < SETTINGS && i < tape->count; i++)
        values[i] = tape->in[i].u.event.data;
    if (tape->count < SETTINGS || values[0] != MAGIC) {
        snprintf(err, errlen, "%s is no recording of this version of fshsim",
                 config->replay);
        return false;
    }
    settings_set(config, values);
    if (!take_cables(tape, config->nodes, values[CABLES], topology)) {
        snprintf(err, errlen,
                 "recording %s: its cables do not fit its nodes, or these have "
                 "more than %u ports",
                 config->replay, FSH_NODE_PORTS);
        return false;
    }
    config->topology = topology;
    tape->event = SETTINGS + (size_t)values[CABLES];
    for (uint32_t i = 0; i < FSH_MAX_NODES; i++)
        tape->reads[i].fetch = tape->event;
    return true;
}

static struct fsh_tape *open_in(struct fsh_fabric_config *config,
                                struct fsh_topology *topology, char *err,
                                size_t errlen)
{
    struct fsh_tape *tape = calloc(1, sizeof *tape);

    if (!tape || !map_in(tape, config->replay, err, errlen)) {
        free(tape);
        return NULL;
    }
    if (!read_settings(tape, config, topology, err, errlen)) {
        munmap((void *)(uintptr_t)tape->in, tape->bytes);
        free(tape);
        return NULL;
    }
    next_event(tape);
    return tape;
}

struct fsh_tape *fsh_tape_open(struct fsh_fabric_config *config,
                               struct fsh_topology *topology, char *err,
                               size_t errlen)
{
    struct fsh_tape *tape;
    uint64_t values[SETTINGS];

    errno = 0;
    if (config->replay)
        return open_in(config, topology, err, errlen);
    tape = calloc(1, sizeof *tape);
    if (tape)
        tape->out = fopen(config->record, "wbe");
    if (!tape || !tape->out) {
        snprintf(err, errlen, "cannot write recording %s: %s", config->record,
                 strerror(errno));
        free(tape);
        return NULL;
    }
    setvbuf(tape->out, NULL, _IOFBF, 1 << 20);
    settings_get(config, values);
    for (uint32_t i = 0; i < SETTINGS; i++)
        fsh_tape_event(tape, FSH_TAPE_CONFIG, 0, 0, i, values[i]);
    put_cables(tape, config->topology);
    return tape;
}

bool fsh_tape_close(struct fsh_tape *tape, uint64_t cycle)
{
    bool ok = true;

    if (tape->out) {
        fsh_tape_flush(tape);
        fsh_tape_event(tape, FSH_TAPE_END, cycle, 0, 0, 0);
        ok = !ferror(tape->out);
        ok = fclose(tape->out) == 0 && ok;
    } else {
        munmap((void *)(uintptr_t)tape->in, tape->bytes);
    }
    for (uint32_t i = 0; i < FSH_MAX_NODES; i++) {
        ok = ok && !tape->reads[i].lost;
        free(tape->reads[i].record);
    }
    free(tape);
    return ok;
}

void fsh_tape_event(struct fsh_tape *tape, enum fsh_tape_kind kind,
                    uint64_t cycle, uint32_t node, uint32_t offset,
                    uint64_t data)
{
    struct record r = {
        .kind = (uint8_t)kind, .node = (uint8_t)node, .offset = offset};

    r.u.event.cycle = cycle;
    r.u.event.data = data;
    fwrite(&r, sizeof r, 1, tape->out);
}

void fsh_tape_data(struct fsh_tape *tape, uint32_t node, const uint64_t data[2])
{
    struct reads *reads = &tape->reads[node];
    struct record r = {.kind = FSH_TAPE_DATA, .node = (uint8_t)node};

    if (reads->count == reads->room) {
        size_t room = reads->room ? 2 * reads->room : 64;
        struct record *more =
            realloc(reads->record, room * sizeof *reads->record);

        reads->lost = reads->lost || !more;
        if (!more)
            return;
        reads->record = more;
        reads->room = room;
    }
    r.u.word[0] = data[0];
    r.u.word[1] = data[1];
    reads->record[reads->count++] = r;
}

void fsh_tape_flush(struct fsh_tape *tape)
{
    for (uint32_t n = 0; n < FSH_MAX_NODES; n++) {
        struct reads *reads = &tape->reads[n];

        if (reads->count == 0)
            continue;
        for (size_t i = 0; i < reads->count; i++)
            reads->record[i].offset = (uint32_t)(reads->count - 1 - i);
        fwrite(reads->record, sizeof(struct record), reads->count, tape->out);
        reads->count = 0;
    }
}

void fsh_tape_dram_write(struct fsh_tape *tape, uint64_t cycle, uint32_t cycles)
{
    fsh_tape_event(tape, FSH_TAPE_CONFIG, cycle, 0, DRAM_WRITE, cycles);
}

uint64_t fsh_tape_due(const struct fsh_tape *tape)
{
    return tape->due;
}

bool fsh_tape_has_epoch(const struct fsh_tape *tape)
{
    for (size_t i = 0; i < tape->count; i++)
        if (tape->in[i].kind == FSH_TAPE_EPOCH)
            return true;
    return false;
}

void fsh_tape_feed(struct fsh_tape *tape, struct fsh_fabric *fab)
{
    while (tape->due <= fab->cycle) {
        const struct record *r = &tape->in[tape->event];

        if (r->kind == FSH_TAPE_END) {
            fab->over = true;
            return;
        }
        if (r->kind > FSH_TAPE_END || r->node >= fab->config.nodes) {
            fsh_fabric_fail(fab, "replay: record %zu is damaged", tape->event);
            return;
        }
        if (r->kind == FSH_TAPE_GATE)
            fsh_gate_enter(fab);
        else if (r->kind == FSH_TAPE_EPOCH)
            fsh_epoch_enter(fab);
        else if (r->kind == FSH_TAPE_CONFIG)
            fsh_fabric_dram_write(fab, (uint32_t)r->u.event.data);
        else
            fsh_host_enter(fab, r->node, r->offset, r->u.event.data,
                           r->kind == FSH_TAPE_READ);
        tape->event++;
        next_event(tape);
    }
}

void fsh_tape_need(struct fsh_tape *tape, struct fsh_sim_node *node,
                   uint64_t data[2])
{
    struct reads *reads = &tape->reads[node->index];
    const struct record *r;

    for (; reads->fetch < tape->count; reads->fetch++) {
        r = &tape->in[reads->fetch];
        if (r->kind != FSH_TAPE_DATA)
            continue;
        if (r->node == node->index) {
            data[0] = r->u.word[0];
            data[1] = r->u.word[1];
            reads->fetch++;
            return;
        }
        reads->fetch += r->offset;
    }
    fsh_sim_node_fail(node,
                      "replay: the recording has no more data that node %u "
                      "read at cycle %llu",
                      node->index, (unsigned long long)node->cycle);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Determinism of the simulator with the real RTL: a random load is recorded; replays
 * with and without jumping give the same hash of all writes of the devices, with
 * their cycles. A changed recording gives another hash, a damaged one is refused.
 * The recording contains the topology. Argument: seed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bed.h"
#include "check.h"

enum { NODES = 3, OPS = 120, TAGS = 8, RECORD_BYTES = 24, SETTINGS = 15 };

static uint64_t state;

static uint32_t draw(uint32_t below)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)((state >> 33) % below);
}

static void config_for(struct fsh_fabric_config *config, bool jump)
{
    fsh_fabric_defaults(config);
    config->nodes = NODES;
    config->dram_bytes = 1u << 20;
    config->jump = jump;
}

/* One operation at a random node; false if it has no tag or room left. */
static void operate(struct fsh_bed *bed, uint32_t *busy)
{
    struct fsh_bed_command cmd;
    uint32_t node = draw(NODES), tag = draw(TAGS), length = draw(3000);
    uint64_t from = draw(1u << 19), to = (1u << 19) + draw(1u << 18);

    if (busy[node] >> tag & 1 || fsh_bed_room(bed, node, false) < 8)
        return;
    for (uint32_t i = 0; i < 64; i++)
        fsh_fabric_dram(bed->fab, node)[from + i] = (unsigned char)draw(256);
    if (draw(2))
        fsh_bed_put(&cmd, draw(NODES), tag, from, to, length);
    else
        fsh_bed_get(&cmd, draw(NODES), tag, to, from, length);
    CHECK(fsh_bed_submit(bed, node, &cmd), "no room");
    busy[node] |= 1u << tag;
}

static void collect(struct fsh_bed *bed, uint32_t *busy, unsigned *done)
{
    uint64_t entry[2];

    for (uint32_t n = 0; n < NODES; n++)
        while (fsh_bed_take(bed, n, FSH_BED_RING_CPL, entry)) {
            CHECK(fsh_ring_status(entry) == FSH_STATUS_OK, "status");
            busy[n] &= ~(1u << fsh_ring_tag(entry));
            ++*done;
        }
}

/* A ring whose last cable ends at a lower node and a higher port, as those of a torus. */
static const struct fsh_topology *circle(void)
{
    static struct fsh_topology t;

    fsh_topology_clear(&t);
    strcpy(t.name, "circle");
    t.kind = FSH_TOPOLOGY_FILE;
    t.nodes = NODES;
    for (uint32_t i = 0; i < NODES; i++)
        fsh_topology_plug(&t, i, 0, (i + 1) % NODES, 1);
    return &t;
}

static uint64_t record(const char *path, const struct fsh_topology *topology,
                       uint64_t stall, uint64_t *cycle)
{
    struct fsh_bed bed;
    struct fsh_fabric_config config;
    struct fsh_bed_options options = {.packet = 256, .ports = 3};
    uint32_t busy[NODES] = {0};
    unsigned done = 0;
    uint64_t hash, value;
    char err[256];

    config_for(&config, true);
    config.record = path;
    config.topology = topology;
    config.stall = stall != 0;
    config.stall_seed = stall;
    CHECK(fsh_bed_open(&bed, &config, &options, err, sizeof err), "%s", err);
    for (unsigned i = 0; i < OPS; i++) {
        operate(&bed, busy);
        for (uint32_t k = draw(300); k > 0; k--)
            if (!fsh_fabric_step(bed.fab))
                break;
        collect(&bed, busy, &done);
        if (draw(10) == 0)
            CHECK(fsh_fabric_read(bed.fab, draw(NODES), FSH_REG_CYCLE, 100000,
                                  &value),
                  "read");
        if (draw(20) == 0)
            fsh_fabric_gate(bed.fab);
        if (i == OPS / 2) /* a setting that may change is recorded, too */
            fsh_fabric_dram_write(bed.fab, 40);
    }
    CHECK(fsh_fabric_run(bed.fab, 1000000), "%s",
          fsh_fabric_error(bed.fab) ? fsh_fabric_error(bed.fab) : "not quiet");
    collect(&bed, busy, &done);
    CHECK(done > OPS / 4, "only %u operations", done);
    for (uint32_t n = 0; n < NODES; n++)
        CHECK(busy[n] == 0, "node %u: tags %x never completed", n, busy[n]);
    hash = fsh_fabric_hash(bed.fab);
    *cycle = fsh_fabric_cycle(bed.fab);
    CHECK(fsh_bed_close(&bed), "recording not written");
    return hash;
}

/* whole: the recording has its end mark. */
static uint64_t replay(const char *path, bool jump, bool whole, uint64_t *cycle)
{
    struct fsh_fabric_config config;
    struct fsh_fabric *fab;
    char err[256];
    uint64_t hash;

    config_for(&config, jump);
    config.nodes = 1; /* replaced by the recording */
    config.replay = path;
    fab = fsh_fabric_create(&config, err, sizeof err);
    CHECK(fab != NULL, "%s", err);
    while (fsh_fabric_step(fab))
        continue;
    hash = fsh_fabric_hash(fab);
    *cycle = fsh_fabric_cycle(fab);
    if (fsh_fabric_error(fab)) {
        fprintf(stderr, "replay: %s\n", fsh_fabric_error(fab));
        hash = 0;
    } else {
        CHECK(!whole || fsh_fabric_replay_over(fab), "stopped early");
        CHECK(jump || fsh_fabric_evaluated(fab) >= NODES * (*cycle - 16),
              "jumped all the same");
    }
    fsh_fabric_destroy(fab);
    return hash;
}

/* Change the first record of a kind, after so many of any. */
static void change(const char *path, unsigned kind, long after)
{
    unsigned char r[RECORD_BYTES];
    FILE *f = fopen(path, "r+b");
    long at = after * RECORD_BYTES;

    CHECK(f != NULL && fseek(f, at, SEEK_SET) == 0, "open");
    while (fread(r, sizeof r, 1, f) == 1 && r[0] != kind)
        at += RECORD_BYTES;
    CHECK(r[0] == kind, "no such record");
    for (unsigned i = 8; i < RECORD_BYTES; i++) /* not all are in use */
        r[i] ^= 1;
    fseek(f, at, SEEK_SET);
    fwrite(r, sizeof r, 1, f);
    fclose(f);
}

int main(int argc, char **argv)
{
    char path[] = "/tmp/sim_replay.XXXXXX", err[256];
    struct fsh_fabric_config config;
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    uint64_t end, replayed;
    int fd = mkstemp(path);

    CHECK(fd >= 0, "temporary file");
    close(fd);
    printf("sim_replay: seed %llu\n", (unsigned long long)seed);
    for (uint64_t round = 0; round < 3; round++) {
        const struct fsh_topology *topology =
            round == 2 ? circle()
                       : fsh_bed_topology(round ? "full" : "ring", NODES);
        uint64_t hash;

        state = seed;
        hash = record(path, topology, round * seed, &end);
        CHECK(replay(path, true, true, &replayed) == hash, "jumping");
        CHECK(replayed == end, "ends at %llu, not %llu",
              (unsigned long long)replayed, (unsigned long long)end);
        CHECK(replay(path, false, true, &replayed) == hash, "without jumping");
        CHECK(replayed == end, "end");
        change(path, 5, 0); /* FSH_TAPE_DATA */
        CHECK(replay(path, true, true, &replayed) != hash,
              "change not noticed");
    }
    change(path, 0, SETTINGS + 1); /* the second cable, now at other nodes */
    config_for(&config, true);
    config.replay = path;
    CHECK(!fsh_fabric_create(&config, err, sizeof err) &&
              strstr(err, "its cables do not fit"),
          "cables on one port are taken: %s", err);
    change(path, 0, SETTINGS + 1);
    CHECK(truncate(path, 30 * RECORD_BYTES) == 0, "truncate");
    replay(path, true, false, &replayed); /* ends by itself */
    CHECK(truncate(path, 5 * RECORD_BYTES) == 0, "truncate");
    CHECK(!fsh_fabric_create(&config, err, sizeof err) &&
              strstr(err, "recording"),
          "a damaged recording is taken: %s", err);
    unlink(path);
    puts("sim_replay: ok");
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Forged packets for the collective engine of a simulated node, from a played node beside
 * it (tests/fuzz/packet_peer.h): each raises the counter of its reason by one, and no
 * other; no host is told, and what the buffer has stays there.
 */
#include <string.h>

#include "../fuzz/packet_peer.h"
#include "base/fsh_spec.h"
#include "bed.h"
#include "check.h"

enum { LIMIT = 400000, JOB = 5, VP = 2, REAL = 1, FAKE = 0 };

static struct fsh_bed bed;
static uint64_t expected[FSH_COLLPERF_COUNT];

static uint64_t counter(uint32_t word)
{
    uint64_t value = 0;

    CHECK(fsh_fabric_read(bed.fab, REAL, FSH_REG_COLL_PERF + 8 * word, LIMIT,
                          &value),
          "no answer");
    return value;
}

static void write_reg(uint32_t node, uint32_t offset, uint64_t value)
{
    CHECK(fsh_fabric_host_write(bed.fab, node, offset, value), "no room");
    CHECK(fsh_fabric_run(bed.fab, LIMIT), "not idle: %s",
          fsh_fabric_error(bed.fab) ? fsh_fabric_error(bed.fab) : "no error");
}

static void open_bed(void)
{
    const struct fsh_bed_options options = {
        .packet = 1024, .ports = 3, .seg_size = 1 << 16};
    struct fsh_fabric_config config;
    char err[256];

    peer_begin();
    fsh_fabric_defaults(&config);
    config.nodes = 2;
    config.dram_bytes = 1 << 17;
    CHECK(fsh_bed_open(&bed, &config, &options, err, sizeof err), "%s", err);
    CHECK(fsh_fabric_run(bed.fab, LIMIT), "not idle after reset");
    peer_play(FAKE);
    /* Sources up to 63 exist, so it believes. */
    write_reg(REAL, FSH_REG_NODE, (uint64_t)FSH_MAX_NODES << 8 | REAL);
}

static uint64_t address(uint32_t seq, uint32_t vp, bool eager)
{
    uint64_t at = 0;

    fsh_colladdr_set_job(&at, JOB);
    fsh_colladdr_set_vp(&at, vp);
    fsh_colladdr_set_seq(&at, seq);
    fsh_colladdr_set_eager(&at, eager);
    return at;
}

static struct peer_packet make(uint32_t src, uint64_t at, uint32_t bytes)
{
    struct peer_packet p = {0};
    uint64_t *h = p.beat[0];

    fsh_hdr_set_opcode(h, FSH_OP_PUT);
    fsh_hdr_set_category(h, FSH_CAT_LONG);
    fsh_hdr_set_space(h, FSH_SPACE_COLLECTIVE);
    fsh_hdr_set_first(h, 1);
    fsh_hdr_set_src(h, src);
    fsh_hdr_set_dst(h, REAL);
    fsh_hdr_set_bytes(h, bytes);
    fsh_hdr_set_total(h, bytes);
    fsh_hdr_set_addr(h, at & ((UINT64_C(1) << 40) - 1));
    fsh_hdr_set_tag(h, at >> 40);
    p.beats = peer_beats(h);
    return p;
}

static void send(const struct peer_packet *p)
{
    uint32_t port = fsh_topology_plugged(&bed.topology, FAKE, 0) ? 0 : 1;

    CHECK(peer_send(FAKE, port, p), "no room");
    write_reg(FAKE, FSH_REG_FAULTS, 0); /* wakes it */
    CHECK(peer_done(FAKE), "a packet is not taken");
}

static void check(const char *what)
{
    uint64_t entry[2];

    for (uint32_t i = 0; i <= FSH_COLLPERF_PEAK; i++) {
        uint64_t is = counter(i);

        CHECK(is == expected[i], "%s: counter %u is %llu, not %llu", what, i,
              (unsigned long long)is, (unsigned long long)expected[i]);
    }
    for (int ring = FSH_BED_RING_CPL; ring <= FSH_BED_RING_REP; ring++)
        CHECK(!fsh_bed_take(&bed, REAL, (enum fsh_bed_ring)ring, entry),
              "%s: a host is told", what);
}

static void expect(const char *what, struct peer_packet p, uint32_t word)
{
    send(&p);
    expected[word]++;
    if (word == FSH_COLLPERF_KEPT)
        expected[FSH_COLLPERF_PEAK] = ++expected[FSH_COLLPERF_LEVEL];
    check(what);
}

static struct peer_packet changed(struct peer_packet p, int what)
{
    switch (what) {
    case 0:
        p = make(FAKE, address(1, VP, false) | 4, 64); /* offset */
        break;
    case 1:
        p = make(FAKE, address(1, VP, false) | 960, 128); /* past its slot */
        break;
    case 2:
        fsh_hdr_set_total(p.beat[0], 2048);
        break;
    case 3:
        fsh_hdr_set_nargs(p.beat[0], 2);
        p.beats = peer_beats(p.beat[0]);
        break;
    default:
        p.poison = true;
        break;
    }
    return p;
}

static void drop_all(void)
{
    uint64_t first = address(1, VP, true), other = address(2, VP, true);

    expect("of no job", make(FAKE, address(1, VP, false), 64),
           FSH_COLLPERF_UNCLAIMED);
    for (int what = 0; what < 5; what++)
        expect("malformed",
               changed(make(FAKE, address(1, VP, false), 64), what),
               FSH_COLLPERF_MALFORMED);
    expect("eager", make(FAKE, first, 1024), FSH_COLLPERF_KEPT);
    expect("the same again", make(FAKE, first, 1024), FSH_COLLPERF_DUPLICATE);
    expect("a second of its team", make(FAKE, other, 64), FSH_COLLPERF_EAGER);
    expect("of a team that has none", make(FAKE, address(1, 100, true), 64),
           FSH_COLLPERF_EAGER);
    expect("of another source", make(9, first, 64), FSH_COLLPERF_KEPT);
}

/* An eager packet of each source and team, until the buffer has no room. */
static void fill(void)
{
    uint64_t kept = expected[FSH_COLLPERF_KEPT], full;
    uint32_t src = 10, vp = 0;

    for (full = 0; full == 0; src++) {
        if (src == FSH_MAX_NODES) {
            src = 10;
            vp++;
        }
        CHECK(vp < FSH_COLL_EAGER_VPS, "the buffer is never full");
        struct peer_packet p = make(src, address(3, vp, true), 0);
        send(&p);
        full = counter(FSH_COLLPERF_FULL);
        kept += !full;
    }
    CHECK(kept >= FSH_COLL_SLOTS, "full with %llu packets",
          (unsigned long long)kept);
    expected[FSH_COLLPERF_FULL] = 1;
    expected[FSH_COLLPERF_KEPT] = kept;
    expected[FSH_COLLPERF_LEVEL] = expected[FSH_COLLPERF_PEAK] = kept;
    check("full");
}

int main(void)
{
    open_bed();
    check("the beginning");
    drop_all();
    fill();
    write_reg(REAL, FSH_REG_COLL_PERF_CLEAR, 1);
    for (uint32_t i = 0; i < FSH_COLLPERF_LEVEL; i++)
        expected[i] = 0;
    check("cleared");
    CHECK(fsh_bed_close(&bed), "close");
    printf("sim_coll_forged: ok\n");
    return 0;
}

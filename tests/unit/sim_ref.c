/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reference model of messages; see sim_ref.h.
 */
#include "sim_ref.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static const char *const space_name[2] = {"segment", "host"};

uint64_t ref_random(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9E3779B97F4A7C15);

    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

uint32_t ref_below(uint64_t *state, uint32_t below)
{
    return (uint32_t)((ref_random(state) >> 32) * below >> 32);
}

void ref_fill(uint64_t *state, unsigned char *to, uint64_t bytes)
{
    uint64_t word;

    for (; bytes >= sizeof word; bytes -= sizeof word, to += sizeof word) {
        word = ref_random(state);
        memcpy(to, &word, sizeof word);
    }
    word = ref_random(state);
    memcpy(to, &word, bytes);
}

bool ref_open(struct ref *ref)
{
    for (uint32_t n = 0; n < ref->nodes; n++)
        for (int s = 0; s < 2; s++) {
            struct ref_space *space = &ref->node[n].space[s];
            void *map =
                mmap(NULL, space->bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

            if (map == MAP_FAILED)
                return false;
            space->image = map;
            /* Zero pages stay untouched. */
            for (uint64_t at = 0; at < space->bytes; at += 4096)
                if (memcmp(space->image + at, space->real + at, 4096) != 0)
                    memcpy(space->image + at, space->real + at, 4096);
        }
    return true;
}

void ref_close(struct ref *ref)
{
    for (uint32_t n = 0; n < ref->nodes; n++)
        for (int s = 0; s < 2; s++)
            if (ref->node[n].space[s].image)
                munmap(ref->node[n].space[s].image,
                       ref->node[n].space[s].bytes);
    memset(ref, 0, sizeof *ref);
}

bool ref_inside(const struct ref *ref, uint32_t node, uint32_t space,
                uint64_t addr, uint64_t bytes)
{
    return addr + bytes <= ref->node[node].space[space].size;
}

uint32_t ref_hops(const struct ref *ref, uint32_t from, uint32_t to)
{
    uint32_t up = (to + ref->nodes - from) % ref->nodes;
    uint32_t down = ref->nodes - up;

    if (!ref->ring)
        return to > from ? to - from : from - to;
    return up < down ? up : down;
}

uint32_t ref_cut(const struct ref *ref, uint64_t addr, uint32_t left)
{
    uint32_t room = ref->packet - (uint32_t)(addr % ref->packet);

    return left < room ? left : room;
}

static void count(struct ref *ref, uint32_t node, uint32_t event, uint64_t sum)
{
    ref->node[node].perf[event].count++;
    ref->node[node].perf[event].sum += sum;
}

static void header(struct ref *ref, const struct ref_message *m, uint32_t bytes)
{
    count(ref, m->to, m->reply ? FSH_PERF_REP_HDR : FSH_PERF_REQ_HDR, bytes);
    if (m->from != m->to)
        ref->forwards += ref_hops(ref, m->from, m->to) - 1;
}

uint32_t ref_arrive(struct ref *ref, const struct ref_message *m)
{
    struct ref_space *space = &ref->node[m->to].space[m->space];
    uint32_t status = FSH_STATUS_OK, done = 0;

    do {
        uint64_t addr = m->addr + done;
        uint32_t bytes = ref_cut(ref, addr, m->length - done);

        header(ref, m, bytes);
        if (bytes &&
            (m->outside || !ref_inside(ref, m->to, m->space, addr, bytes))) {
            count(ref, m->to, FSH_PERF_REFUSED, 0);
            status = FSH_STATUS_REMOTE_RANGE;
        } else if (bytes) {
            memcpy(space->image + space->base + addr, m->data + done, bytes);
            count(ref, m->to, FSH_PERF_WRITTEN, bytes);
        }
        done += bytes;
    } while (done < m->length);
    return status;
}

void ref_bare(struct ref *ref, uint32_t from, uint32_t to, bool reply)
{
    struct ref_message m = {.from = from, .to = to, .reply = reply};

    header(ref, &m, 0);
}

bool ref_holds(const struct ref *ref, uint32_t node, uint32_t space,
               uint64_t addr, const void *data, uint32_t bytes)
{
    const struct ref_space *s = &ref->node[node].space[space];
    const unsigned char *real = s->real + s->base + addr;
    const unsigned char *want = data;

    if (memcmp(real, want, bytes) == 0)
        return true;
    for (uint32_t i = 0; i < bytes; i++)
        if (real[i] != want[i]) {
            fprintf(stderr,
                    "node %u: %s 0x%llx, byte %u of %u, is 0x%02x, not "
                    "0x%02x\n",
                    node, space_name[space], (unsigned long long)(addr + i), i,
                    bytes, real[i], want[i]);
            break;
        }
    return false;
}

void ref_adopt(struct ref *ref, uint32_t node, uint32_t space, uint64_t addr,
               uint32_t bytes)
{
    struct ref_space *s = &ref->node[node].space[space];

    memcpy(s->image + s->base + addr, s->real + s->base + addr, bytes);
}

/* Page by page, to find the page; then byte by byte in it. */
static bool space_same(const struct ref *ref, uint32_t node, uint32_t space)
{
    const struct ref_space *s = &ref->node[node].space[space];

    for (uint64_t page = 0; page < s->bytes; page += 4096) {
        uint64_t at = page;

        if (memcmp(s->real + page, s->image + page, 4096) == 0)
            continue;
        while (s->real[at] == s->image[at])
            at++;
        fprintf(stderr,
                "node %u: %s memory at 0x%llx (0x%llx of the space) is "
                "0x%02x, not 0x%02x\n",
                node, space_name[space], (unsigned long long)at,
                (unsigned long long)(at - s->base), s->real[at], s->image[at]);
        return false;
    }
    return true;
}

bool ref_same(const struct ref *ref)
{
    bool same = true;

    for (uint32_t n = 0; n < ref->nodes; n++)
        same = space_same(ref, n, FSH_SPACE_SEGMENT) &&
               space_same(ref, n, FSH_SPACE_HOST) && same;
    return same;
}

/* What the model knows of each counter. Packets on the reply channel are not
 * counted: how an ack reaches its own node is the node's affair. */
static const struct {
    uint32_t event;
    const char *name;
    bool count, sum;
} known[] = {
    {FSH_PERF_ACCEPT, "ACCEPT", true, true},
    {FSH_PERF_REQ_HDR, "REQ_HDR", true, true},
    {FSH_PERF_REP_HDR, "REP_HDR", false, true},
    {FSH_PERF_WRITTEN, "WRITTEN", true, true},
    {FSH_PERF_COMPLETE, "COMPLETE", true, false},
    {FSH_PERF_REFUSED, "REFUSED", true, false},
};

static bool counter_same(const struct ref *ref, struct fsh_bed *bed,
                         uint32_t node, unsigned i)
{
    const struct ref_count *want = &ref->node[node].perf[known[i].event];
    struct fsh_bed_perf got;

    if (!fsh_bed_perf(bed, node, known[i].event, &got)) {
        fprintf(stderr, "node %u: counter %s cannot be read\n", node,
                known[i].name);
        return false;
    }
    if ((!known[i].count || got.count == want->count) &&
        (!known[i].sum || got.sum == want->sum))
        return true;
    fprintf(stderr,
            "node %u: counter %s: count %llu sum %llu, the model's are %llu "
            "and %llu\n",
            node, known[i].name, (unsigned long long)got.count,
            (unsigned long long)got.sum, (unsigned long long)want->count,
            (unsigned long long)want->sum);
    return false;
}

bool ref_counters(const struct ref *ref, struct fsh_bed *bed)
{
    struct fsh_bed_perf perf = {0};
    uint64_t forwards = 0;
    bool same = true;

    for (uint32_t n = 0; n < ref->nodes; n++) {
        uint64_t faults = 1;

        if (!fsh_fabric_read(bed->fab, n, FSH_REG_FAULTS, 100000, &faults) ||
            faults != 0) {
            fprintf(stderr, "node %u: %llu packets dropped\n", n,
                    (unsigned long long)faults);
            same = false;
        }
        for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
            same = counter_same(ref, bed, n, i) && same;
        same = fsh_bed_perf(bed, n, FSH_PERF_FORWARD, &perf) && same;
        forwards += perf.count;
    }
    if (forwards == ref->forwards)
        return same;
    fprintf(stderr, "FORWARD is %llu in all, the model's is %llu\n",
            (unsigned long long)forwards, (unsigned long long)ref->forwards);
    return false;
}

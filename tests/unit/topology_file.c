/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cable files (base/topology.h): random connected ones, including trees, and invalid
 * ones. Arguments: the seed of the first random file, the number of files.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cpu.h"
#include "topology_draft.h"
#include "topology_walk.h"

static struct walk walk;
static struct fsh_topology topology;
static char name[64]; /* "file:" and a file that has no name else */
static int file;
static unsigned long low, high; /* ties of all files */

#define PATH (name + 5)

static void write_file(const char *text, size_t bytes)
{
    CHECK(ftruncate(file, 0) == 0 &&
          pwrite(file, text, bytes, 0) == (ssize_t)bytes);
}

static bool make(uint32_t nodes, unsigned ports, char *err, size_t errlen)
{
    return fsh_topology_make(&topology, name, nodes, ports, err, errlen);
}

static void make_of(const char *text, uint32_t nodes, unsigned ports)
{
    char err[400];

    write_file(text, strlen(text));
    CHECK(make(nodes, ports, err, sizeof(err)), "%s\n%s", err, text);
}

static void check_random(uint64_t seed)
{
    static struct draft draft;
    struct draft *d = &draft;
    char err[400];
    bool tree;

    draft_begin(d, seed);
    d->nodes = 2 + draft_below(d, FSH_MAX_NODES - 1);
    d->ports = 2 + draft_below(d, FSH_MAX_PORTS - 1);
    draft_draw(d, draft_below(d, 3) ? draft_below(d, d->nodes * 3) : 0);
    tree = d->cables == d->nodes - 1;
    write_file(d->text, d->length);
    CHECK(make(d->nodes, d->ports, err, sizeof(err)), "seed %" PRIu64 ": %s",
          seed, err);
    CHECK(!tree || topology.rule == FSH_TOPOLOGY_SHORTEST,
          "seed %" PRIu64 ": a tree", seed);
    walk_all(&walk, &topology, topology.rule == FSH_TOPOLOGY_SHORTEST);
    low += walk.low;
    high += walk.high;
}

static void test_random(uint64_t seed, unsigned count)
{
    printf("seeds from %" PRIu64 "\n", seed);
    fflush(stdout);
    for (unsigned i = 0; i < count; i++)
        check_random(seed + i);
    CHECK(count < 100 || (5 * low < 6 * high && 5 * high < 6 * low),
          "ties: %lu lowest, %lu highest", low, high);
}

/* Ports as written, and the lowest that no line names for those without. */
static void test_ports(void)
{
    make_of("# comment\n\n 0 - 1\n2.0-0.0 # two\r\n\t1.2 - 2\n0-1", 3, 3);
    CHECK(topology.peer[0][0].node == 2 && topology.peer[0][0].port == 0);
    CHECK(topology.peer[1][2].node == 2 && topology.peer[1][2].port == 1);
    CHECK(topology.peer[0][1].node == 1 && topology.peer[0][1].port == 0);
    CHECK(topology.peer[0][2].node == 1 && topology.peer[0][2].port == 1);
    CHECK(fsh_topology_nodes(name) == 3);
    make_of("", 1, 2);
    CHECK(topology.ports == 0 && fsh_topology_nodes(name) == 0);
}

/* Cables beside each other share what goes between their nodes. */
static void test_parallel(void)
{
    make_of("0-1\n0-1\n0-1\n1-2\n1-2", 3, 6);
    walk_all(&walk, &topology, true);
    CHECK(walk.route[0][1].ports == 7 && walk.route[0][2].ports == 7);
    CHECK(walk.route[1][2].ports == 0x18 && walk.route[2][0].ports == 3);
    CHECK(walk.low > 0 && walk.high > 0);
}

/* Six in a circle: nobody goes through node 3, the farthest from the root, for
 * there one would go up again after down. */
static void test_up_down(void)
{
    const char *circle = "0-1\n1-2\n2-3\n3-4\n4-5\n5-0";
    char cycle[200] = "";

    make_of(circle, 6, 2);
    CHECK(topology.rule == FSH_TOPOLOGY_UP_DOWN && topology.root == 0);
    walk_all(&walk, &topology, false);
    CHECK(walk.longer);
    for (unsigned to = 0; to < 6; to++)
        for (unsigned from = 2; from <= 4; from += 2) {
            unsigned port = topology.peer[from][0].node == 3 ? 0 : 1;

            CHECK((walk.route[from][to].ports == 1u << port) == (to == 3),
                  "from %u to %u", from, to);
        }
    /* Without the rule there are circles. */
    topology.rule = FSH_TOPOLOGY_SHORTEST;
    walk_begin(&walk, &topology, WALK_ALL);
    walk_pairs(&walk);
    CHECK(walk_circle(&walk), "shortest paths in a circle");
    CHECK(!fsh_topology_acyclic(&topology, cycle, sizeof(cycle)));
    CHECK(strstr(cycle, "0.") && strstr(cycle, " -> "), "%s", cycle);
}

static void test_refusals(void)
{
    static const struct {
        const char *text, *say;
    } wrong[] = {
        {"0 - 1\n\n2.1 - 9\n",
         ":3: node 9 does not exist: the job has 4 nodes"},
        {"0-1\n1.2 - 2.0\n", ":2: port 2 of node 1 does not exist: a node has "
                             "ports 0 to 1"},
        {"0.1-1.1\n2.0-0.1\n", ":2: port 1 of node 0 has the cable of line 1"},
        {"0-1\n2-3\n", ": no cables lead from node 0 to node 2: add some"},
        {"0-1\n0-2\n#\n0-3\n", ":4: all 2 ports of node 0 have cables"},
        {"0-1\n1 - 1\n", ":2: a cable from node 1 to itself"},
        {"1.0-1.0\n", "has the cable of line 1"},
        {"0 1\n", ":1: not a cable: write a.p - b.q or a - b"},
        {"0 -\n", ":1: not a cable"},
        {"0. - 1\n", ":1: not a cable"},
        {"0-1 2\n", ":1: not a cable"},
        {"-1-2\n", ":1: not a cable"},
        {"0-4294967296\n", ":1: not a cable"},
        {"0-999999\n", ":1: node 999999 does not exist"},
        {"", ": no cables lead from node 0 to node 1"},
    };
    char err[400];

    for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        write_file(wrong[i].text, strlen(wrong[i].text));
        CHECK(!make(4, 2, err, sizeof(err)), "%s", wrong[i].text);
        CHECK(strncmp(err, PATH, strlen(PATH)) == 0 &&
                  strstr(err, wrong[i].say),
              "%s: %s", wrong[i].text, err);
    }
    write_file("0-1\n\0", 5);
    CHECK(!make(2, 2, err, sizeof(err)) && strstr(err, "binary data"), "%s",
          err);
    snprintf(name, sizeof(name), "file:/tmp");
    CHECK(!make(2, 2, err, sizeof(err)) && strstr(err, "not a cable file"),
          "%s", err);
}

static void test_many_lines(void)
{
    static char text[70000];
    char err[400];

    for (unsigned i = 0; i + 4 < sizeof(text); i += 4)
        memcpy(text + i, "0-1\n", 4);
    write_file(text, 40000);
    CHECK(!make(2, 6, err, sizeof(err)) && strstr(err, ":193: more than 192"),
          "%s", err);
    write_file(text, 69996);
    CHECK(!make(2, 6, err, sizeof(err)) && strstr(err, "at most 65536 bytes"),
          "%s", err);
}

int main(int argc, char **argv)
{
    uint64_t seed =
        argc > 1 ? strtoull(argv[1], NULL, 0) : fsh_time_ns() % 1000000;

    file = memfd_create("cables", MFD_CLOEXEC);
    CHECK(file >= 0);
    snprintf(name, sizeof(name), "file:/proc/self/fd/%d", file);
    test_ports();
    test_parallel();
    test_up_down();
    test_many_lines();
    test_random(seed, argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 400);
    test_refusals();
    close(file);
    return 0;
}

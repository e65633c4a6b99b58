// SPDX-License-Identifier: BSD-3-Clause
// More sequences than the packet buffer has slots: engines of eight units and 16 slots run 32
// jobs at once, which half of the nodes start in the opposite order, and of which each sends
// before it receives. All must end, with the right results.
#include "fabric.h"

int main(int argc, char **argv)
{
    tb::Test test("tb_fsh_coll_crowd", argc, argv);
    const char *const algorithms[] = {"doubling", "dissemination", "ring"};
    unsigned long long jobs = 0;
    int rounds = argc > 2 ? std::atoi(argv[2]) : 6;

    for (int round = 0; round < rounds; round++) {
        // Doubling of four nodes: two that have the first half of the jobs' slots, and
        // two that have the other, do not meet.
        unsigned opposite = 1 + round % 3, nodes = 2 + test.below(4);
        if (opposite == 2)
            nodes = 4;
        coll::Fabric fabric(test, nodes, 4096);
        for (unsigned number = 0; number < 32; number++) {
            coll::Job job = {};
            const char *name = algorithms[opposite == 2 ? 0 : test.below(3)];
            job.number = number;
            job.type = FSH_FOLD_FLOAT;
            job.algorithm = fsh_program_named(name);
            job.shape.call = std::strcmp(name, "dissemination") == 0
                                 ? FSH_PROGRAM_BARRIER
                                 : FSH_PROGRAM_ALLREDUCE;
            job.shape.size = nodes;
            job.block = 64 * (1 + test.below(8));
            for (unsigned n = 0; n < nodes; n++)
                job.nodes.push_back(n);
            if (!fabric.add(job))
                test.fail("no room");
        }
        fabric.run(round % 2 == 0, opposite);
        jobs += fabric.jobs();
    }
    return test.pass(jobs, "collectives");
}

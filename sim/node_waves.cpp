// SPDX-License-Identifier: BSD-3-Clause
//
// Waves of a Verilated card, behind node_wrap.h (C++). A model without them is made with
// node_plain.cpp instead.
#include <cstdio>

#include "verilated_fst_c.h"
#include "wrap.h"

struct fsh_node_waves {
    std::shared_ptr<VerilatedContext> context;
    VerilatedFstC file;
};

bool fsh_node_has_waves(void)
{
    return true;
}

struct fsh_node_waves *fsh_node_waves_open(const char *path)
{
    fsh_node_waves *waves = new fsh_node_waves;
    waves->context = fsh::new_context();
    waves->context->traceEverOn(true);
    waves->context->timeunit(-9);
    waves->context->timeprecision(-9);
    waves->file.set_time_unit("1ns");
    waves->file.set_time_resolution("1ns");
    // The file is opened by the first dump, when the nodes are known; find
    // out now whether it can be written.
    FILE *probe = std::fopen(path, "wb");
    if (!probe) {
        delete waves;
        return nullptr;
    }
    std::fclose(probe);
    waves->context->dumpfile(path);
    return waves;
}

void fsh_node_waves_dump(struct fsh_node_waves *waves, uint64_t ns)
{
    if (!waves->file.isOpen())
        waves->file.open(waves->context->dumpfile().c_str());
    waves->file.dump(ns);
}

void fsh_node_waves_end(struct fsh_node_waves *waves)
{
    if (waves->file.isOpen())
        waves->file.close();
}

void fsh_node_waves_close(struct fsh_node_waves *waves)
{
    fsh_node_waves_end(waves);
    delete waves;
}

std::shared_ptr<VerilatedContext> fsh::context_of(fsh_node_waves *waves)
{
    return waves->context;
}

void fsh::add_to(fsh_node_waves *waves, Vfsh_card *top)
{
    top->trace(&waves->file, 99);
}

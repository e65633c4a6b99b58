// SPDX-License-Identifier: BSD-3-Clause
//
// In place of node_waves.cpp, for a card that is Verilated without waves (C++): with
// them each signal must have a place in memory, which is stored to in every cycle.
#include <cerrno>

#include "wrap.h"

bool fsh_node_has_waves(void)
{
    return false;
}

struct fsh_node_waves *fsh_node_waves_open(const char *)
{
    errno = ENOTSUP;
    return nullptr;
}

void fsh_node_waves_dump(struct fsh_node_waves *, uint64_t)
{
}

void fsh_node_waves_end(struct fsh_node_waves *)
{
}

void fsh_node_waves_close(struct fsh_node_waves *)
{
}

std::shared_ptr<VerilatedContext> fsh::context_of(fsh_node_waves *)
{
    return new_context();
}

void fsh::add_to(fsh_node_waves *, Vfsh_card *)
{
}

// SPDX-License-Identifier: BSD-3-Clause
// What a receiver hands on to be served (fsh_fn_pkg::get_t), from its low bits on.
#ifndef FSH_TB_GET_H
#define FSH_TB_GET_H

#include "packet.h"

using Get = std::array<uint64_t, 3>;

// Bits of the third word.
enum { GET_BULK = 1, GET_FLAG = 2, GET_SINK = 4 };

template <class Wide> static Get load_get(const Wide &from)
{
    Beat low = load(from);

    return {low[0], low[1], from[4]};
}

template <class Wide> static void store_get(Wide &to, const Get &get)
{
    store(to, Beat{get[0], get[1]});
    to[4] = (uint32_t)get[2];
}

#endif

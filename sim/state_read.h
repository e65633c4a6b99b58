// SPDX-License-Identifier: BSD-3-Clause
//
// Bits of what Verilator keeps (C++): registers and memories by name, whether they are
// private or not, at no cost to the model.
#ifndef FSH_SIM_STATE_READ_H
#define FSH_SIM_STATE_READ_H

#include <cstring>

#include "state.h"
#include "still.h"

// Where `name` of a class is; nowhere if it has none.
#define FSH_STATE(tag, name) FSH_STATE_OF(tag, name)
#define FSH_STATE_OF(tag, name)                           \
    FSH_MEMORY(tag##_pvt, __PVT__##name)                  \
    FSH_MEMORY(tag##_own, name)                           \
    template <typename T> struct tag {                    \
        static fsh::span of(T &t)                         \
        {                                                 \
            fsh::span own = tag##_own<T>::of(t);          \
            return own.bytes ? own : tag##_pvt<T>::of(t); \
        }                                                 \
    };

namespace fsh
{

// Reads registers, and remembers the first that is not there.
class reader
{
  public:
    reader(fsh_state_node &state, fsh_state_packet_fn give, void *arg)
        : state(state), give(give), arg(arg)
    {
    }

    // `width` bits from `bit` on, 64 at most.
    static uint64_t bits(span s, size_t bit, unsigned width)
    {
        unsigned char near[16] = {};
        size_t first = bit / 8, n = (bit % 8 + width + 7) / 8;
        uint64_t low, high;

        if (first + n > s.bytes)
            return 0;
        std::memcpy(near, s.at + first, n);
        std::memcpy(&low, near, 8);
        std::memcpy(&high, near + 8, 8);
        if (bit % 8)
            low = low >> bit % 8 | high << (64 - bit % 8);
        return width < 64 ? low & ((UINT64_C(1) << width) - 1) : low;
    }

    span look(span s, const char *name)
    {
        if (s.bytes == 0 && !state.missing)
            state.missing = name;
        return s;
    }

    uint64_t all(span s, const char *name)
    {
        unsigned width = s.bytes < 8 ? 8 * static_cast<unsigned>(s.bytes) : 64;
        return bits(look(s, name), 0, width);
    }

    void packet(const fsh_state_packet &p)
    {
        if (give)
            give(arg, &p);
    }

    fsh_state_node &state;

  private:
    fsh_state_packet_fn give;
    void *arg;
};

// A memory, by rows.
struct rows {
    span memory;
    size_t count;

    uint64_t bits(size_t row, size_t bit, unsigned width) const
    {
        size_t bytes = memory.bytes / count;
        return reader::bits(
            {memory.at + row % count * bytes, memory.bytes ? bytes : 0}, bit,
            width);
    }
};

} // namespace fsh

// A register of a class of Verilator; a span of it.
#define VALUE(tag, object) \
    r.all(tag<std::remove_reference_t<decltype(object)>>::of(object), #tag)
#define SPAN(tag, object) \
    r.look(tag<std::remove_reference_t<decltype(object)>>::of(object), #tag)

#endif

// SPDX-License-Identifier: BSD-3-Clause
//
// Tells whether a Verilated model stands still: keeps a copy of its state, a
// contiguous object, without the memories left out, and compares (C++). Some 10 KB
// of a node: about half the time of an evaluation. Nobody keeps a copy of what is not
// compared.
#ifndef FSH_SIM_STILL_H
#define FSH_SIM_STILL_H

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace fsh
{

struct span {
    unsigned char *at;
    size_t bytes;
};

class still
{
  public:
    still(void *state, size_t bytes)
    {
        parts.push_back({static_cast<unsigned char *>(state), bytes});
    }

    void leave_out(span hole)
    {
        if (hole.bytes == 0)
            return;
        for (size_t i = 0; i < parts.size(); i++) {
            span whole = parts[i];
            if (hole.at < whole.at || hole.at >= whole.at + whole.bytes)
                continue;
            unsigned char *end = hole.at + hole.bytes;
            parts[i].bytes = static_cast<size_t>(hole.at - whole.at);
            parts.push_back(
                {end, static_cast<size_t>(whole.at + whole.bytes - end)});
            return;
        }
    }

    size_t bytes() const
    {
        size_t sum = 0;
        for (const span &part : parts)
            sum += part.bytes;
        return sum;
    }

    void mark()
    {
        if (copy.empty())
            copy.resize(bytes());
        unsigned char *to = copy.data();
        for (const span &part : parts) {
            std::memcpy(to, part.at, part.bytes);
            to += part.bytes;
        }
    }

    // The state is that of the mark, one cycle before, but for words that follow
    // the cycle counter.
    bool unchanged(uint64_t cycle) const
    {
        const unsigned char *old = copy.data();
        for (const span &part : parts) {
            size_t n;
            for (size_t i = 0; i < part.bytes; i += n) {
                n = BLOCK - reinterpret_cast<uintptr_t>(part.at + i) % 8;
                n = std::min(n, part.bytes - i);
                if (std::memcmp(part.at + i, old + i, n) != 0 &&
                    !follows(part.at + i, old + i, n, cycle))
                    return false;
            }
            old += part.bytes;
        }
        return true;
    }

  private:
    static constexpr size_t BLOCK = 256;

    // Word by word, as the model has them.
    static bool follows(const unsigned char *now, const unsigned char *old,
                        size_t n, uint64_t cycle)
    {
        size_t step;
        for (size_t i = 0; i < n; i += step) {
            step = 8 - reinterpret_cast<uintptr_t>(now + i) % 8;
            step = std::min(step, n - i);
            uint64_t a = 0, b = 0;
            std::memcpy(&a, now + i, step);
            std::memcpy(&b, old + i, step);
            if (a != b && (a != b + 1 || cycle - a > 1))
                return false;
        }
        return true;
    }

    std::vector<span> parts;
    std::vector<unsigned char> copy;
};

} // namespace fsh

// Where the memory `name` of a class is; nowhere if it has none.
#define FSH_MEMORY(tag, name)                                             \
    template <typename T, typename = void> struct tag {                   \
        static fsh::span of(T &)                                          \
        {                                                                 \
            return {nullptr, 0};                                          \
        }                                                                 \
    };                                                                    \
    template <typename T> struct tag<T, std::void_t<decltype(T::name)>> { \
        static fsh::span of(T &t)                                         \
        {                                                                 \
            return {reinterpret_cast<unsigned char *>(&t.name),           \
                    sizeof t.name};                                       \
        }                                                                 \
    };

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Fields of a compute command by name, and values for them that a client should
// not give: what fuzzing a command is made of.
#ifndef FSH_TB_WILD_H
#define FSH_TB_WILD_H

#include <string>
#include "fsh_spec.h"
#include "tb.h"

namespace wild
{

struct Field {
    const char *name;
    uint64_t (*get)(const uint64_t *);
    void (*set)(uint64_t *, uint64_t); // only adds to what was zero
};

// All but the check byte and what decides when a command starts and who is told:
// op, check, await*, signal*, complete*, cookie.
// clang-format off
#define FSH_TB_FIELDS(X)                                                      \
    X(accumulate)                                                             \
    X(bias)                                                                   \
    X(relu)                                                                   \
    X(x_bfp) X(x_cols)                                                                  \
    X(w_bfp)                                                                  \
    X(w_rows)                                                                 \
    X(emit) X(art) X(x_addr) X(w_addr) X(c_addr) X(b_addr) X(e_addr)          \
        X(art_addr) X(ldx) X(ldw) X(ldc) X(m) X(n) X(k) X(art_count)          \
            X(art_mask) X(tile_x) X(tile_w) X(kernel_h) X(kernel_w) X(stride) \
                X(row_words) X(in_h) X(in_w) X(out_h) X(out_w) X(pad_h)       \
                    X(pad_w) X(in_plane) X(out_plane) X(x_words) X(scale)
// clang-format on

#define FSH_TB_FIELD(name) {#name, fsh_ccmd_##name, fsh_ccmd_set_##name},
static const Field fields[] = {FSH_TB_FIELDS(FSH_TB_FIELD)};
#undef FSH_TB_FIELD

constexpr unsigned FIELDS = sizeof fields / sizeof *fields;

// The setters of fsh_spec.h are for words that were zero.
inline void put(uint64_t *w, void (*set)(uint64_t *, uint64_t), uint64_t value)
{
    uint64_t field[FSH_CCMD_WORDS] = {};

    set(field, ~0ull);
    for (unsigned i = 0; i < FSH_CCMD_WORDS; i++)
        w[i] &= ~field[i];
    set(w, value);
}

// Around limits: of fields, of the array, of its buffers; beside what stands.
inline uint64_t value(tb::Test &test, uint64_t now)
{
    switch (test.below(8)) {
    case 0:
        return 0;
    case 1:
        return ~0ull;
    case 2:
        return (1ull << test.below(32)) - test.below(2);
    case 3:
        return test.below(2) ? now + 1 : now - 1;
    case 4:
        return now << test.below(3);
    case 5:
        return test.bits();
    case 6:
        return 4 * test.below(64);
    default:
        return test.below(20);
    }
}

// One field; which.
inline unsigned change(tb::Test &test, uint64_t *w)
{
    unsigned at = test.below(FIELDS);

    put(w, fields[at].set, value(test, fields[at].get(w)));
    return at;
}

// The fields that are not zero.
inline std::string text(const uint64_t *w)
{
    std::string all = "op " + std::to_string(fsh_ccmd_op(w));

    for (const Field &f : fields)
        if (f.get(w))
            all += std::string(", ") + f.name + " " + std::to_string(f.get(w));
    return all;
}

} // namespace wild

#endif

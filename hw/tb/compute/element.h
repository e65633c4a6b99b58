// SPDX-License-Identifier: BSD-3-Clause
// Element-wise commands and sums of columns, for work.h.
#ifndef FSH_TB_COMPUTE_ELEMENT_H
#define FSH_TB_COMPUTE_ELEMENT_H

#include "work.h"

namespace work
{

struct Element : Work {
    fsh_element_kind kind;
    uint32_t m, n, ldx, ldw, ldc, scale, x, w, c;
    uint32_t over; // the result: 0 by itself, 1 over X, 2 over W

    Element(uint32_t m_, uint32_t n_) : m(m_), n(n_) {}

    void draw_form(tb::Test &test)
    {
        static const uint32_t scales[] = {0x3f800000, 0xbd4ccccd, 0x3f666666,
                                          0x7f800000, 0x00000001, 0x7fc00001};

        kind = (fsh_element_kind)test.below(3);
        over = kind == FSH_ELEMENT_SUM ? 0 : test.below(3);
        scale = scales[test.below(test.below(4) ? 3 : 6)];
        sent = over == 0 && test.below(3) == 0;
    }

    uint32_t rows() const
    {
        return kind == FSH_ELEMENT_SUM ? 1 : m;
    }

    void plan(tb::Test &test, Bed &b, Space &space, bool wild) override
    {
        bool gaps = test.below(2);

        ldx = up(n, 16) + 16 * (gaps ? test.below(3) : 0);
        ldw = up(n, 16) + 16 * (gaps ? test.below(3) : 0);
        // What is sent stands without gaps that the peer would not have.
        ldc = over == 1 ? ldx : over == 2 ? ldw : up(n, 16);
        if (sent && n % 16)
            sent = rows() == 1;
        x = space.take(4 * m * ldx);
        w = space.take(4 * m * ldw);
        c = over == 1 ? x : over == 2 ? w : space.take(4 * rows() * ldc);
        fill(test, b, x, m * ldx, wild);
        fill(test, b, w, m * ldw, wild);
        if (over == 0)
            fill(test, b, c, rows() * ldc, wild);
        model(test, b);
    }

    void model(tb::Test &test, Bed &b)
    {
        // What is sent has no more than the values themselves.
        size_t bytes = sent ? 4 * ((rows() - 1) * ldc + n) : 4 * rows() * ldc;
        std::vector<uint8_t> want(&b.mem[c], &b.mem[c] + 4 * rows() * ldc);
        std::vector<float> one(&floats(b, x)[0], &floats(b, x)[m * ldx]);
        std::vector<float> two(&floats(b, w)[0], &floats(b, w)[m * ldw]);
        struct fsh_element op = {};

        op.kind = kind;
        op.m = m;
        op.n = n;
        std::memcpy(&op.scale, &scale, sizeof scale);
        op.x = one.data();
        op.w = two.data();
        op.c = reinterpret_cast<float *>(want.data());
        op.ldx = ldx;
        op.ldw = ldw;
        op.ldc = ldc;
        if (fsh_element(&op, FSH_ISA_PORTABLE) != FSH_KERNEL_OK)
            test.fail("the model refuses");
        want.resize(bytes);
        written.push_back({c, want});
    }

    void set(uint64_t *word) const override
    {
        fsh_ccmd_set_op(word, kind == FSH_ELEMENT_AXPY   ? FSH_COP_AXPY
                              : kind == FSH_ELEMENT_GATE ? FSH_COP_GATE
                                                         : FSH_COP_SUM);
        fsh_ccmd_set_x_addr(word, x / 64);
        fsh_ccmd_set_w_addr(word, w / 64);
        fsh_ccmd_set_c_addr(word, c / 64);
        fsh_ccmd_set_ldx(word, ldx / 16);
        fsh_ccmd_set_ldw(word, ldw / 16);
        fsh_ccmd_set_ldc(word, ldc / 16);
        fsh_ccmd_set_m(word, m);
        fsh_ccmd_set_n(word, n);
        fsh_ccmd_set_scale(word, scale);
        if (sent) {
            fsh_ccmd_set_art(word, 1);
            fsh_ccmd_set_art_addr(word, c / 64);
            fsh_ccmd_set_art_count(word, 100);
            fsh_ccmd_set_art_mask(word, 1u << PEER);
        }
    }

    std::string form() const override
    {
        static const char *const names[] = {"axpy", "gate", "sum"};

        return text("%s %u x %u, scale %08x, %u %u %u apart%s%s", names[kind],
                    m, n, scale, ldx, ldw, ldc, over ? ", in place" : "",
                    sent ? ", sent" : "");
    }

    std::string place(unsigned, uint32_t at) const override
    {
        return text("row %u, column %u, byte %u", at / 4 / ldc, at / 4 % ldc,
                    at % 4);
    }
};

} // namespace work

#endif

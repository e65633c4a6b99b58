// SPDX-License-Identifier: BSD-3-Clause
// The arithmetic of the compute core, written for its testbenches from the
// rules alone: FP32 sums by the host's own addition, dot products by long
// integers and ldexp. And random operands that look for trouble.
#ifndef FSH_TB_COMPUTE_REF_H
#define FSH_TB_COMPUTE_REF_H

#include <cmath>
#include <cstring>
#include "tb.h"

namespace ref
{

static const uint32_t nan_bits = 0x7fc00000;
static const uint32_t inf_bits = 0x7f800000;

inline float real(uint32_t bits)
{
    float value;

    std::memcpy(&value, &bits, 4);
    return value;
}

inline uint32_t bits(float value)
{
    uint32_t bits;

    std::memcpy(&bits, &value, 4);
    return bits;
}

// Denormals and zeros become +0, every NaN the same one.
inline uint32_t canonical(uint32_t value)
{
    uint32_t exponent = value >> 23 & 255;

    if (exponent == 0)
        return 0;
    return exponent == 255 && (value & 0x7fffff) != 0 ? nan_bits : value;
}

inline uint32_t add(uint32_t a, uint32_t b)
{
    volatile float sum = real(canonical(a)) + real(canonical(b));

    return canonical(bits(sum));
}

// Exact in double; what is below 2^-126 is rounded to 24 bits all the same.
inline uint32_t mul(uint32_t a, uint32_t b)
{
    double exact = (double)real(canonical(a)) * (double)real(canonical(b));

    if (std::fabs(exact) < 0x1p-60) {
        float up = (float)(exact * 0x1p64);
        return std::fabs(up) < 0x1p-62f ? 0 : bits(up * 0x1p-64f);
    }
    return canonical(bits((float)exact));
}

inline uint32_t relu(uint32_t value)
{
    return real(value) < 0 || value == 0x80000000 ? 0 : value;
}

struct Block {
    uint8_t exp;
    int8_t man[16];
};

inline uint32_t dot(const Block &x, const Block &w)
{
    long sum = 0;

    if (x.exp == 255 || w.exp == 255)
        return nan_bits;
    if (x.exp == 0 || w.exp == 0)
        return 0;
    for (int i = 0; i < 16; i++)
        sum += (long)x.man[i] * w.man[i];
    // In double nothing is lost and nothing overflows; in float, only to Inf.
    double term = std::ldexp((double)sum, x.exp + w.exp - 254 - 12);
    return std::fabs(term) < std::ldexp(1.0, -126) ? 0 : bits((float)term);
}

// Values near what was drawn before cancel; exponents gather where rounding,
// overflow and underflow happen.
inline uint32_t value(tb::Test &test)
{
    static uint32_t last;
    uint64_t draw = test.bits();
    uint32_t value = (uint32_t)(draw >> 32);

    switch (draw % 16) {
    case 0: // zeros, denormals, Inf, NaN
        static const uint32_t odd[] = {0,          0x80000000, 1,
                                       0x807fffff, 0x7f800000, 0xff800000,
                                       0x7fc00000, 0x7f800001, 0xffffffff};
        return odd[draw / 16 % 9];
    case 1:
        return value; // anything
    case 2:
        value = (value & 0x807fffff) | (253 + draw / 16 % 2) << 23;
        break;
    case 3:
        value = (value & 0x807fffff) | (1 + draw / 16 % 3) << 23;
        break;
    case 4:
    case 5:
    case 6: // the last one with the other sign, nearly
        value = last ^ 0x80000000 ^ (1u << draw / 16 % 24 >> draw / 512 % 3);
        break;
    case 7: // few bits: ties
        value = (value & 0x80000000) | (120 + draw / 16 % 26) << 23 |
                (draw & 0x700000) | (draw / 4096 % 2);
        break;
    case 8: // all ones
        value = (value & 0x80000000) | (120 + draw / 16 % 26) << 23 |
                (0x7fffff & ~(draw / 4096 % 4)) << draw / 65536 % 2;
        break;
    default:
        value = (value & 0x807fffff) | (112 + draw / 16 % 32) << 23;
    }
    last = value;
    return value;
}

// A block for the array. mood: 0 ordinary, 1 large, 2 small, 3 with specials.
inline void draw(tb::Test &test, Block &block, unsigned mood)
{
    uint64_t draw = test.bits();
    bool full = draw / 256 % 8 == 0;

    block.exp = (uint8_t)(122 + draw % 12);
    if (mood == 1)
        block.exp = (uint8_t)(182 + draw % 14);
    if (mood == 2)
        block.exp = (uint8_t)(56 + draw % 20);
    if (mood == 3 && draw / 16 % 32 == 0)
        block.exp = draw / 512 % 2 ? 255 : 0;
    for (int half = 0; half < 2; half++) {
        uint64_t bytes = test.bits();
        std::memcpy(block.man + 8 * half, &bytes, 8);
    }
    for (auto &man : block.man) {
        if (full)
            man = man < 0 ? -127 : 127;
        if (man == -128)
            man = 0;
    }
}

} // namespace ref

#endif

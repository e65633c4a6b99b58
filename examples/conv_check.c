/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of a convolution's operands, and the self-check; see conv.h. */
#include "conv.h"

#include <math.h>

/* Products up to which the whole output is compared, and about how many samples
 * cost; minimum number of samples of each node's range. */
#define ALL_PRODUCTS 2e7
#define SOME_PRODUCTS 4e6
enum { LEAST_SAMPLES = 32 };
enum { SAMPLES = 2 }; /* seeds the choice, besides those of the operands */

struct place {
    uint64_t channel, y, x; /* of the output */
};

void conv_values(const struct conv_options *o, uint32_t operand, uint64_t index,
                 float value[16])
{
    uint64_t block = operand == CONV_INPUT
                         ? index / ((uint64_t)o->map * o->map)
                         : index % conv_taps(o) / ((uint64_t)o->size * o->size);

    for (unsigned i = 0; i < 16; ++i) {
        value[i] = block * 16 + i < o->channels
                       ? case_number(o->seed, operand, index * 16 + i)
                       : 0;
    }
}

/* Position of a value in the output. */
static uint64_t index_of(const struct conv_options *o, struct place at)
{
    return ((at.channel / 16 * o->map + at.y) * o->map + at.x) * 16 +
           at.channel % 16;
}

static double product(const float a[16], const float b[16])
{
    double sum = 0;

    for (unsigned i = 0; i < 16; ++i) {
        sum += (double)a[i] * (double)b[i];
    }
    return sum;
}

/* One value in FP64. */
static double exact(const struct conv *c, struct place at)
{
    const struct conv_options *o = &c->options;
    const float *input = case_at(c->input);
    uint64_t pad = (o->size - 1) / 2, tap = at.channel * conv_taps(o);
    double sum = 0;

    for (uint64_t b = 0; b < conv_blocks(o->channels); ++b) {
        for (uint64_t r = 0; r < o->size; ++r) {
            for (uint64_t s = 0; s < o->size; ++s, ++tap) {
                uint64_t y = at.y + r - pad, x = at.x + s - pad;
                float kernel[16];

                if (y < o->map && x < o->map) { /* nor below zero */
                    conv_values(o, CONV_KERNELS, tap, kernel);
                    sum += product(input + ((b * o->map + y) * o->map + x) * 16,
                                   kernel);
                }
            }
        }
    }
    return sum;
}

static void compare(const struct conv *c, struct place at,
                    struct case_check *check)
{
    const float *output = case_at(c->output);

    case_compare(check, (double)output[index_of(&c->options, at)],
                 exact(c, at));
}

static void compare_all(const struct conv *c, struct case_check *check)
{
    const struct conv_options *o = &c->options;

    for (uint64_t k = 0; k < o->kernels; ++k) {
        for (uint64_t y = 0; y < o->map; ++y) {
            for (uint64_t x = 0; x < o->map; ++x) {
                compare(c, (struct place){k, y, x}, check);
            }
        }
    }
}

/* Below limit; each rank picks different samples. */
static uint64_t choose(const struct conv *c, uint64_t *next, uint64_t limit)
{
    float number = case_number(c->options.seed, SAMPLES + c->me, (*next)++);
    uint64_t at = (uint64_t)(((double)number + 1) / 2 * (double)limit);

    return at < limit ? at : limit - 1;
}

/* Values from the range of a node. */
static void compare_some(const struct conv *c, gasnet_node_t node,
                         uint64_t count, struct case_check *check)
{
    const struct conv_options *o = &c->options;
    uint64_t begin = conv_begin(o, c->nodes, node);
    uint64_t rows = conv_begin(o, c->nodes, node + 1) - begin;
    uint64_t next = (uint64_t)node << 32;

    for (uint64_t i = 0; rows != 0 && i < count; ++i) {
        uint64_t at = begin + choose(c, &next, rows);
        uint64_t first = at / o->map * 16, channels = o->kernels - first;
        struct place p = {.y = at % o->map, .x = choose(c, &next, o->map)};

        p.channel = first + choose(c, &next, channels < 16 ? channels : 16);
        compare(c, p, check);
    }
}

/* All ranks have the same output: values that differ from rank 0's count as wrong. */
static void compare_ranks(const struct conv *c, struct case_check *check)
{
    static uint64_t all[CONV_MAX_NODES];

    case_gather(&check->hash, sizeof check->hash, all);
    if (c->me != 0) {
        check->hash = 0;
        return;
    }
    for (gasnet_node_t node = 1; node < c->nodes; ++node) {
        check->wrong += all[node] != check->hash;
    }
}

void conv_check(const struct conv *c, struct case_check *check)
{
    const struct conv_options *o = &c->options;
    uint64_t values = conv_blocks(o->kernels) * o->map * o->map * 16;
    uint64_t k = conv_taps(o) * 16;
    uint64_t some = (uint64_t)(SOME_PRODUCTS / (double)k / c->nodes);
    const float *output = case_at(c->output);

    *check = case_expect((uint64_t)o->channels * o->size * o->size);
    for (uint64_t i = 0; i < values; ++i) {
        case_hash(check, i, output[i]);
        check->wrong += isnan(output[i]) != 0;
    }
    if ((double)values * (double)k <= ALL_PRODUCTS) {
        compare_all(c, check);
    } else {
        some = some > LEAST_SAMPLES ? some : LEAST_SAMPLES;
        for (gasnet_node_t node = 0; node < c->nodes; ++node) {
            compare_some(c, node, some, check);
        }
    }
    /* With few values the mean says less. */
    check->typical_bound *= 1 + 2 / sqrt((double)check->compared);
    compare_ranks(c, check);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* What a training step computes: see train.h. */
#include <math.h>
#include <string.h>

#include "train.h"

static float *at(fshmem_offset_t offset)
{
    return case_at(offset);
}

static void run(const char *what, const fshmem_command_t *commands,
                size_t count)
{
    case_fine(what, fshmem_submit(gasnet_mynode(), commands, count));
}

/* ---- products: C = A x B, all with the values of a row adjacent ---- */

static void host_product(const struct train *t, struct train_layer *l)
{
    const float *x = at(l->input), *w = at(l->weights);
    const float *bias = w + (size_t)l->in * l->out;
    float *y = at(l->output);

    for (uint32_t i = 0; i < t->share; ++i, y += l->out, x += l->in) {
        memcpy(y, bias, l->out * sizeof *y);
        for (uint32_t k = 0; k < l->in; ++k) {
            for (uint32_t j = 0; j < l->out; ++j) {
                y[j] += x[k] * w[(size_t)k * l->out + j];
            }
        }
        for (uint32_t j = 0; j < l->out && !l->last; ++j) {
            y[j] = y[j] > 0 ? y[j] : 0;
        }
    }
}

void train_forward(struct train *t, struct train_layer *l)
{
    const fshmem_gemm_t gemm = {
        .m = t->share,
        .n = l->out,
        .k = l->in,
        .a = {FSHMEM_FP32_ROWS, l->input, l->in},
        .b = {FSHMEM_FP32_ROWS, l->weights, l->out},
        .c = l->output,
        .ldc = l->out,
        .flags = FSHMEM_BIAS | (l->last ? 0 : FSHMEM_RELU),
        .bias = l->weights + (uint64_t)l->in * l->out * sizeof(float)};
    fshmem_command_t command;

    if (t->options.host) {
        host_product(t, l);
        return;
    }
    case_fine("forward", fshmem_command_gemm(&gemm, &command));
    run("forward", &command, 1);
}

/* dW = X transposed x dY. Encoded along its rows, X cannot serve: its blocks are to be
 * along the batch, so its columns are encoded as rows. */
static void core_weights(const struct train *t, const struct train_layer *l)
{
    const fshmem_encode_t encode = {
        .rows = l->in,
        .k = t->share,
        .from = {FSHMEM_FP32_COLUMNS, l->input, l->in},
        .to = l->encoded};
    const fshmem_gemm_t gemm = {.m = l->in,
                                .n = l->out,
                                .k = t->share,
                                .a = {FSHMEM_BFP, l->encoded, 0},
                                .b = {FSHMEM_FP32_ROWS, l->delta, l->out},
                                .c = l->gradient,
                                .ldc = l->out};
    fshmem_command_t commands[2];

    case_fine("encode", fshmem_command_encode(&encode, &commands[0]));
    case_fine("gradient", fshmem_command_gemm(&gemm, &commands[1]));
    run("encode", &commands[0], 1);
    run("gradient", &commands[1], 1);
}

/* dX = dY x W transposed. */
static void core_input(const struct train *t, const struct train_layer *l,
                       const struct train_layer *below)
{
    const fshmem_gemm_t gemm = {.m = t->share,
                                .n = l->in,
                                .k = l->out,
                                .a = {FSHMEM_FP32_ROWS, l->delta, l->out},
                                .b = {FSHMEM_FP32_COLUMNS, l->weights, l->out},
                                .c = below->delta,
                                .ldc = l->in};
    fshmem_command_t command;

    case_fine("backward", fshmem_command_gemm(&gemm, &command));
    run("backward", &command, 1);
}

static void host_weights(const struct train *t, const struct train_layer *l)
{
    const float *x = at(l->input), *d = at(l->delta);
    float *g = at(l->gradient);

    memset(g, 0, (size_t)l->in * l->out * sizeof *g);
    for (uint32_t i = 0; i < t->share; ++i, x += l->in, d += l->out) {
        for (uint32_t k = 0; k < l->in; ++k) {
            for (uint32_t j = 0; j < l->out; ++j) {
                g[(size_t)k * l->out + j] += x[k] * d[j];
            }
        }
    }
}

static void host_input(const struct train *t, const struct train_layer *l,
                       const struct train_layer *below)
{
    const float *d = at(l->delta), *w = at(l->weights);
    float *out = at(below->delta);

    for (uint32_t i = 0; i < t->share; ++i, d += l->out, out += l->in) {
        for (uint32_t k = 0; k < l->in; ++k) {
            float sum = 0;

            for (uint32_t j = 0; j < l->out; ++j) {
                sum += d[j] * w[(size_t)k * l->out + j];
            }
            out[k] = sum;
        }
    }
}

/* ---- the host's ---- */

static void column_sums(const struct train *t, const struct train_layer *l)
{
    const float *d = at(l->delta);
    float *g = at(l->gradient) + (size_t)l->in * l->out;

    memset(g, 0, l->out * sizeof *g);
    for (uint32_t i = 0; i < t->share; ++i, d += l->out) {
        for (uint32_t j = 0; j < l->out; ++j) {
            g[j] += d[j];
        }
    }
}

/* Through the ReLU behind a layer. */
static void mask(const struct train *t, const struct train_layer *l)
{
    const float *y = at(l->output);
    float *d = at(l->delta);

    for (size_t i = 0; i < (size_t)t->share * l->out; ++i) {
        d[i] = y[i] > 0 ? d[i] : 0;
    }
}

void train_backward(struct train *t, struct train_layer *l,
                    struct train_layer *below)
{
    (t->options.host ? host_weights : core_weights)(t, l);
    column_sums(t, l);
    if (below != NULL) {
        (t->options.host ? host_input : core_input)(t, l, below);
        mask(t, below);
    }
}

/* Of one digit: softmax and cross-entropy; delta is softmax minus the class. */
static double one_loss(const float *y, float *d, uint32_t class, float scale)
{
    float most = y[0];
    double sum = 0;

    for (uint32_t j = 1; j < TRAIN_CLASSES; ++j) {
        most = y[j] > most ? y[j] : most;
    }
    for (uint32_t j = 0; j < TRAIN_CLASSES; ++j) {
        sum += exp((double)(y[j] - most));
    }
    for (uint32_t j = 0; j < TRAIN_OUTPUTS; ++j) {
        double p = j < TRAIN_CLASSES ? exp((double)(y[j] - most)) / sum : 0;

        d[j] = (float)(p - (j == class)) * scale;
    }
    return log(sum) - (double)(y[class] - most);
}

double train_loss(struct train *t, const struct train_layer *l,
                  const uint8_t *classes)
{
    const float *y = at(l->output);
    float *d = at(l->delta);
    double sum = 0;

    for (uint32_t i = 0; i < t->share; ++i, y += l->out, d += l->out) {
        sum += one_loss(y, d, classes[i], 1 / (float)t->options.batch);
    }
    return sum / t->options.batch;
}

void train_update(struct train *t, struct train_layer *l)
{
    const float rate = (float)t->options.rate / 1000;
    const float momentum = (float)t->options.momentum / 1000;
    const float *g = at(l->gradient);
    float *w = at(l->weights), *v = l->velocity;

    for (uint64_t i = 0; i < train_values(l); ++i) {
        v[i] = momentum * v[i] + g[i];
        w[i] -= rate * v[i];
    }
}

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

/* What a layer's backward pass is made of: dW = X transposed x dY; db, the sums of dY's
 * columns; dX = dY x W transposed; and dX through the ReLU behind the layer below. An X
 * that was encoded could not serve transposed: its blocks lie along its rows. */
static void core_backward(const struct train *t, const struct train_layer *l,
                          const struct train_layer *below)
{
    const fshmem_gemm_t weights = {.m = l->in,
                                   .n = l->out,
                                   .k = t->share,
                                   .a = {FSHMEM_FP32_COLUMNS, l->input, l->in},
                                   .b = {FSHMEM_FP32_ROWS, l->delta, l->out},
                                   .c = l->gradient,
                                   .ldc = l->out};
    const fshmem_element_t biases = {
        .m = t->share,
        .n = l->out,
        .scale = 1,
        .x = l->delta,
        .ldx = l->out,
        .c = l->gradient + (uint64_t)l->in * l->out * sizeof(float)};
    fshmem_command_t commands[4];
    size_t count = 2;

    case_fine("gradient", fshmem_command_gemm(&weights, &commands[0]));
    case_fine("gradient", fshmem_command_sum(&biases, &commands[1]));
    if (below != NULL) {
        const fshmem_gemm_t input = {
            .m = t->share,
            .n = l->in,
            .k = l->out,
            .a = {FSHMEM_FP32_ROWS, l->delta, l->out},
            .b = {FSHMEM_FP32_COLUMNS, l->weights, l->out},
            .c = below->delta,
            .ldc = l->in};
        const fshmem_element_t through = {.m = t->share,
                                          .n = l->in,
                                          .scale = 1,
                                          .x = below->delta,
                                          .ldx = l->in,
                                          .w = below->output,
                                          .ldw = l->in,
                                          .c = below->delta,
                                          .ldc = l->in};

        case_fine("backward", fshmem_command_gemm(&input, &commands[2]));
        case_fine("backward", fshmem_command_gate(&through, &commands[3]));
        count = 4;
    }
    run("backward", commands, count);
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

static void host_biases(const struct train *t, const struct train_layer *l)
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
static void host_mask(const struct train *t, const struct train_layer *l)
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
    if (!t->options.host) {
        core_backward(t, l, below);
        return;
    }
    host_weights(t, l);
    host_biases(t, l);
    if (below != NULL) {
        host_input(t, l, below);
        host_mask(t, below);
    }
}

/* ---- the loss is the host's ---- */

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

/* ---- the update ---- */

static void host_update(struct train_layer *l, float rate, float momentum)
{
    const float *g = at(l->gradient);
    float *w = at(l->weights), *v = at(l->velocity);

    for (uint64_t i = 0; i < train_values(l); ++i) {
        v[i] = momentum * v[i] + g[i];
        w[i] -= rate * v[i];
    }
}

static void core_update(struct train_layer *l, float rate, float momentum)
{
    const fshmem_element_t velocity = {.m = 1,
                                       .n = train_values(l),
                                       .scale = momentum,
                                       .x = l->velocity,
                                       .w = l->gradient,
                                       .c = l->velocity};
    const fshmem_element_t weights = {.m = 1,
                                      .n = train_values(l),
                                      .scale = -rate,
                                      .x = l->velocity,
                                      .w = l->weights,
                                      .c = l->weights};
    fshmem_command_t commands[2];

    case_fine("update", fshmem_command_axpy(&velocity, &commands[0]));
    case_fine("update", fshmem_command_axpy(&weights, &commands[1]));
    run("update", commands, 2);
}

void train_update(struct train *t, struct train_layer *l)
{
    const float rate = (float)t->options.rate / 1000;
    const float momentum = (float)t->options.momentum / 1000;

    (t->options.host ? host_update : core_update)(l, rate, momentum);
}

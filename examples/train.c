/* SPDX-License-Identifier: BSD-3-Clause */
/* Network, steps and their order: see train.h. */
#include "train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the network ---- */

static void check(const struct train_options *o)
{
    if (o->width % 16 != 0) {
        case_refuse("--width %u: a multiple of 16 is wanted, which is what a "
                    "compute core takes",
                    (unsigned)o->width);
    }
    if (o->batch % gasnet_nodes() != 0) {
        case_refuse("--batch %u: it is shared out over %u ranks; take a "
                    "multiple",
                    (unsigned)o->batch, (unsigned)gasnet_nodes());
    }
    if (o->batch > TRAIN_DIGITS - TRAIN_HELD) {
        case_refuse("--batch %u: there are %u digits to learn from",
                    (unsigned)o->batch, TRAIN_DIGITS - TRAIN_HELD);
    }
}

/* Places in the segment; *next: what is taken. */
static void lay_out(struct train *t, uint64_t *next)
{
    fshmem_offset_t input;

    input = case_take(next, (uint64_t)t->share * TRAIN_PIXELS * sizeof(float));
    for (uint32_t i = 0; i < t->layers; ++i) {
        struct train_layer *l = &t->layer[i];
        uint64_t rows;

        l->in = i == 0 ? TRAIN_PIXELS : t->options.width;
        l->last = i + 1 == t->layers;
        l->out = l->last ? TRAIN_OUTPUTS : t->options.width;
        rows = (uint64_t)t->share * l->out * sizeof(float);
        l->weights = case_take(next, train_values(l) * sizeof(float));
        l->gradient = case_take(next, train_summed(t, l) * sizeof(float));
        l->input = input;
        l->output = input = case_take(next, rows);
        l->delta = case_take(next, rows);
        l->velocity = case_take(next, train_values(l) * sizeof(float));
    }
}

static void set_up(struct train *t, const struct train_options *options)
{
    memset(t, 0, sizeof *t);
    t->options = *options;
    t->me = gasnet_mynode();
    t->nodes = gasnet_nodes();
    t->layers = options->layers;
    t->share = options->batch / t->nodes;
}

uint64_t train_bytes(const struct train_options *options)
{
    struct train t;
    uint64_t bytes = 0;

    check(options);
    set_up(&t, options);
    lay_out(&t, &bytes);
    return bytes;
}

/* He's bounds: what ReLU leaves keeps its size from layer to layer. */
static void first_weights(struct train_layer *l, uint32_t seed, uint32_t number)
{
    const float bound = sqrtf(6 / (float)l->in);
    float *w = case_at(l->weights);

    memset(w, 0, train_values(l) * sizeof *w);
    for (uint32_t k = 0; k < l->in; ++k) {
        for (uint32_t j = 0; j < l->out; ++j) {
            uint64_t place = (uint64_t)k * l->out + j;

            if (!l->last || j < TRAIN_CLASSES) {
                w[place] = bound * case_number(seed, number, place);
            }
        }
    }
}

/* [0, n), in an order of its own for each seed and number. */
static void shuffle(uint32_t *order, uint32_t n, uint32_t seed, uint32_t number)
{
    for (uint32_t i = n; i > 1; --i) {
        double x = ((double)case_number(seed, number, i) + 1) / 2;
        uint32_t j = (uint32_t)(x * i), last = order[i - 1];

        order[i - 1] = order[j];
        order[j] = last;
    }
}

static void *room(size_t bytes)
{
    void *p = malloc(bytes);

    if (p == NULL) {
        case_fail("no memory");
    }
    return p;
}

void train_prepare(struct train *t, const struct train_options *options)
{
    uint64_t next = 0;

    set_up(t, options);
    lay_out(t, &next);
    for (uint32_t i = 0; i < t->layers; ++i) {
        struct train_layer *l = &t->layer[i];

        first_weights(l, options->seed, i);
        memset(case_at(l->velocity), 0, train_values(l) * sizeof(float));
        memset(case_at(l->gradient), 0, train_summed(t, l) * sizeof(float));
        l->reduced = GASNET_INVALID_HANDLE;
        if (options->apart) {
            l->apart = room(train_summed(t, l) * sizeof(float));
        }
    }
    for (uint32_t i = 0; i < TRAIN_DIGITS; ++i) {
        t->order[i] = i;
    }
    /* Which digits are held out is the same for all seeds. */
    shuffle(t->order, TRAIN_DIGITS, 1, UINT32_MAX);
}

/* ---- steps ---- */

/* This rank's share of the digits from `first` of order on, in rows of the input;
 * classes[share]. Past `end` the last one again. */
static void load(struct train *t, const uint32_t *order, uint32_t first,
                 uint32_t end, uint8_t *classes)
{
    float *x = case_at(t->layer[0].input);

    for (uint32_t i = 0; i < t->share; ++i, x += TRAIN_PIXELS) {
        uint32_t n = first + t->me * t->share + i;
        const char *digit = train_digits[order[n < end ? n : end - 1]];

        for (uint32_t j = 0; j < TRAIN_PIXELS; ++j) {
            char c = digit[j];

            x[j] = (float)(c < 'a' ? c - '0' : c - 'a' + 10) / 16;
        }
        classes[i] = (uint8_t)(digit[TRAIN_PIXELS] - '0');
    }
}

/* What went since the last part ended was this one's. */
static void end_of(struct train *t, enum train_part part)
{
    uint64_t now = fshmem_time();

    t->ns[part] += now - t->mark;
    t->mark = now;
}

static void forward(struct train *t)
{
    for (uint32_t i = 0; i < t->layers; ++i) {
        train_forward(t, &t->layer[i]);
    }
}

static void end_reduce(const struct train *t, struct train_layer *l)
{
    if (l->reduced == GASNET_INVALID_HANDLE) {
        return;
    }
    gasnet_wait_syncnb(l->reduced);
    l->reduced = GASNET_INVALID_HANDLE;
    if (l->apart != NULL) {
        memcpy(case_at(l->gradient), l->apart,
               train_summed(t, l) * sizeof *l->apart);
    }
}

static void start_reduce(struct train *t, struct train_layer *l)
{
    float *g = case_at(l->gradient);
    uint64_t count = train_summed(t, l), lines = 2 * (uint64_t)t->nodes * 16;

    if (l->apart != NULL) {
        g = memcpy(l->apart, g, count * sizeof *g);
    }
    if (t->options.summed != 0) {
        count = (count * t->options.summed / 100 + lines - 1) / lines * lines;
    }
    case_fine("all-reduce",
              fshmem_coll_allreduce_nb(
                  GASNET_TEAM_ALL, g, g, count, FSHMEM_FLOAT, FSHMEM_SUM,
                  t->options.order | t->options.wire, &l->reduced));
    if (t->options.naive) {
        end_reduce(t, l);
    }
}

/* What of the cores is set aside is missing in a backward pass. */
static void miss_cores(const struct train *t)
{
    uint32_t aside = t->options.aside;
    uint64_t now = fshmem_time();
    uint64_t end =
        aside == 0 ? 0
                   : now + (now - t->mark) * aside / (t->options.cores - aside);

    while (end > now) {
        gasnet_AMPoll();
        now = fshmem_time();
    }
}

/* The gradient of layer i travels beside the backward pass of i - 1 and the update of
 * i + 1. */
static void backward(struct train *t)
{
    struct train_layer *l = t->layer;

    for (uint32_t i = t->layers; i-- > 0;) {
        if (i + 2 < t->layers) {
            train_update(t, &l[i + 2]);
            end_of(t, TRAIN_UPDATE);
        }
        train_backward(t, &l[i], i > 0 ? &l[i - 1] : NULL);
        miss_cores(t);
        end_of(t, TRAIN_BACKWARD);
        if (i + 1 < t->layers) {
            end_reduce(t, &l[i + 1]);
        }
        start_reduce(t, &l[i]);
        end_of(t, TRAIN_REDUCE);
    }
    if (t->layers > 1) {
        train_update(t, &l[1]);
        end_of(t, TRAIN_UPDATE);
    }
    end_reduce(t, &l[0]);
    end_of(t, TRAIN_REDUCE);
    train_update(t, &l[0]);
    end_of(t, TRAIN_UPDATE);
}

static double sum_over_ranks(double mine)
{
    case_fine("loss", fshmem_coll_allreduce(GASNET_TEAM_ALL, &mine, &mine, 1,
                                            FSHMEM_DOUBLE, FSHMEM_SUM, 0));
    return mine;
}

double train_epoch(struct train *t)
{
    uint32_t learned = TRAIN_DIGITS - TRAIN_HELD, steps = 0;
    uint8_t *classes = room(t->share);
    uint32_t order[TRAIN_DIGITS];

    memcpy(order, t->order, sizeof order);
    shuffle(order, learned, t->options.seed, 1000 + t->epoch);
    t->loss = 0;
    for (uint32_t at = 0; at + t->options.batch <= learned;
         at += t->options.batch, ++steps) {
        load(t, order, at, learned, classes);
        t->mark = fshmem_time();
        forward(t);
        end_of(t, TRAIN_FORWARD);
        t->loss += train_loss(t, &t->layer[t->layers - 1], classes);
        backward(t);
    }
    free(classes);
    t->epoch++;
    t->steps += steps;
    return sum_over_ranks(t->loss) / steps;
}

/* Of the outputs of the share that are of digits before `end`. */
static uint32_t right(const struct train *t, const uint8_t *classes,
                      uint32_t first, uint32_t end)
{
    const struct train_layer *l = &t->layer[t->layers - 1];
    const float *y = case_at(l->output);
    uint32_t count = 0;

    for (uint32_t i = 0; i < t->share; ++i, y += l->out) {
        uint32_t best = 0;

        for (uint32_t j = 1; j < TRAIN_CLASSES; ++j) {
            best = y[j] > y[best] ? j : best;
        }
        count += first + t->me * t->share + i < end && best == classes[i];
    }
    return count;
}

double train_held(struct train *t)
{
    uint8_t *classes = room(t->share);
    uint32_t count = 0;

    for (uint32_t at = TRAIN_DIGITS - TRAIN_HELD; at < TRAIN_DIGITS;
         at += t->options.batch) {
        load(t, t->order, at, TRAIN_DIGITS, classes);
        forward(t);
        count += right(t, classes, at, TRAIN_DIGITS);
    }
    free(classes);
    return sum_over_ranks(count) / TRAIN_HELD;
}

/* ---- checks ---- */

uint64_t train_hash(const struct train *t)
{
    struct case_check sum = {0};
    uint64_t place = 0, least, most;

    for (uint32_t i = 0; i < t->layers; ++i) {
        const float *w = case_at(t->layer[i].weights);

        for (uint64_t n = train_values(&t->layer[i]); n > 0; --n) {
            case_hash(&sum, place++, *w++);
        }
    }
    case_fine("hash", fshmem_coll_allreduce(GASNET_TEAM_ALL, &least, &sum.hash,
                                            1, FSHMEM_UINT64, FSHMEM_MIN, 0));
    case_fine("hash", fshmem_coll_allreduce(GASNET_TEAM_ALL, &most, &sum.hash,
                                            1, FSHMEM_UINT64, FSHMEM_MAX, 0));
    if (least != most) {
        case_fail("the weights of the ranks are not the same");
    }
    return sum.hash;
}

/* The loss of this rank's share in FP64, with `more` on one weight of layer `which`. */
static double exact_loss(const struct train *t, const uint8_t *classes,
                         uint32_t which, uint64_t weight, double more)
{
    double x[2048], y[2048], total = 0;

    for (uint32_t i = 0; i < t->share; ++i) {
        const float *input = case_at(t->layer[0].input);
        double sum = 0;

        for (uint32_t k = 0; k < TRAIN_PIXELS; ++k) {
            x[k] = input[(size_t)i * TRAIN_PIXELS + k];
        }
        for (uint32_t n = 0; n < t->layers; ++n) {
            const struct train_layer *l = &t->layer[n];
            const float *w = case_at(l->weights);

            for (uint32_t j = 0; j < l->out; ++j) {
                y[j] = w[(size_t)l->in * l->out + j];
                for (uint32_t k = 0; k < l->in; ++k) {
                    uint64_t place = (uint64_t)k * l->out + j;
                    int moved = n == which && place == weight;

                    y[j] += x[k] * (w[place] + (moved ? more : 0));
                }
                y[j] = l->last || y[j] > 0 ? y[j] : 0;
            }
            memcpy(x, y, l->out * sizeof *x);
        }
        for (uint32_t j = 0; j < TRAIN_CLASSES; ++j) {
            sum += exp(x[j]);
        }
        total += log(sum) - x[classes[i]];
    }
    return total / t->options.batch;
}

double train_gradients(struct train *t)
{
    uint8_t *classes = room(t->share);
    double largest = 0, worst = 0;

    load(t, t->order, 0, t->options.batch, classes);
    forward(t);
    train_loss(t, &t->layer[t->layers - 1], classes);
    for (uint32_t n = t->layers; n-- > 0;) {
        struct train_layer *l = &t->layer[n];
        const float *g = case_at(l->gradient);

        train_backward(t, l, n > 0 ? &t->layer[n - 1] : NULL);
        for (uint64_t i = n; i < (uint64_t)l->in * l->out;
             i += (uint64_t)l->in * l->out / 7) {
            const double step = 1e-6;
            double up = exact_loss(t, classes, n, i, step);
            double down = exact_loss(t, classes, n, i, -step);
            double error = fabs((up - down) / (2 * step) - g[i]);

            worst = error > worst ? error : worst;
        }
        for (uint64_t i = 0; i < (uint64_t)l->in * l->out; ++i) {
            largest = fabsf(g[i]) > largest ? fabsf(g[i]) : largest;
        }
    }
    free(classes);
    return worst / largest;
}

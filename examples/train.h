/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Data-parallel training of a multi-layer perceptron on hand-written digits. Every rank
 * has the whole network and a share of each batch; gradients are summed over the ranks,
 * a layer at a time, each as soon as it is there, beside the backward pass of the layer
 * before it (the order of Fig. 3b of R. Ma et al., arXiv:2204.10943).
 *
 * train.c has network, steps and their order; train_math.c what is computed, by compute
 * cores (all but the loss) or, for comparison, by the host; train_file.c checkpoints; train_digits.c the data.
 * Ranks that start alike stay alike, bit for bit. Main thread; collective.
 */
#ifndef TRAIN_H
#define TRAIN_H

#include "case.h"

#define TRAIN_DIGITS 1797u
#define TRAIN_PIXELS 64u
#define TRAIN_CLASSES 10u
#define TRAIN_OUTPUTS 16u /* classes, padded to what a core takes */
#define TRAIN_HELD 360u   /* digits that are not learned from */
#define TRAIN_LAYERS 32u

/* What a step's time goes to; all-reduces where nothing hides them. */
enum train_part {
    TRAIN_FORWARD,
    TRAIN_BACKWARD,
    TRAIN_REDUCE,
    TRAIN_UPDATE,
    TRAIN_PARTS
};

/* Pixels '0' to 'g', then the class. */
extern const char train_digits[TRAIN_DIGITS][TRAIN_PIXELS + 2];

struct train_options {
    uint32_t layers, width, batch; /* batch: of all ranks together */
    uint32_t rate, momentum;       /* thousandths */
    uint32_t seed;
    int host;       /* all by plain C instead of compute cores */
    unsigned wire;  /* FSHMEM_WIRE_ */
    unsigned order; /* FSHMEM_COLL_: the algorithm of all-reduces */
    int apart;      /* gradients are summed in memory of hosts */
    int naive;      /* nothing is computed beside an all-reduce */
    /* The worker is a processor of so many cores, of which some are set aside for
     * all-reduces: backward passes take longer. 0: it has nothing else to do. */
    uint32_t cores, aside;
    /* Percent of a gradient that is summed, to time links that are so much faster; what is
     * learned is then worth nothing. 0: all. */
    uint32_t summed;
};

/* Row-major FP32; a rank's share of a batch has `share` rows. */
struct train_layer {
    uint32_t in, out;
    fshmem_offset_t weights;  /* in x out, then out biases */
    fshmem_offset_t gradient; /* the same, summed over all ranks */
    fshmem_offset_t input;    /* share x in: output of the layer before */
    fshmem_offset_t output;   /* share x out */
    fshmem_offset_t delta;    /* share x out: of the loss by the output */
    fshmem_offset_t velocity; /* as weights */
    float *
        apart; /* of the gradient, in the host's memory, if it is summed there */
    gasnet_handle_t reduced;
    int last; /* no ReLU behind it */
};

struct train {
    struct train_options options;
    gasnet_node_t me, nodes;
    uint32_t layers, share;
    struct train_layer layer[TRAIN_LAYERS];
    uint32_t order[TRAIN_DIGITS]; /* the last TRAIN_HELD are held out */
    uint32_t epoch;               /* complete ones */
    double loss;                  /* of this rank, since it was set to 0 */
    uint64_t ns[TRAIN_PARTS];     /* of all steps of this rank */
    uint64_t mark;                /* the end of the last part */
    uint32_t steps;
};

/* Weights of a layer and its biases. */
static inline uint64_t train_values(const struct train_layer *l)
{
    return (uint64_t)l->in * l->out + l->out;
}

/* Values of its gradient that are summed: zeros behind them make blocks of ranks, and
 * halves of these, whole lines of 64 bytes, which collective engines reduce in place. */
static inline uint64_t train_summed(const struct train *t,
                                    const struct train_layer *l)
{
    uint64_t lines = 2 * (uint64_t)t->nodes * 16;

    return (train_values(l) + lines - 1) / lines * lines;
}

/* ---- train.c ---- */

/* Bytes of segment that a network takes. Ends the job with a message if the options do
 * not fit together. */
uint64_t train_bytes(const struct train_options *options);
void train_prepare(struct train *t, const struct train_options *options);
/* One epoch; the mean loss. */
double train_epoch(struct train *t);
/* Share of the held-out digits that are told right. */
double train_held(struct train *t);
/* A number for all bits of the weights; ends the job if ranks have others. */
uint64_t train_hash(const struct train *t);
/* Largest difference of a gradient from that by differences of the loss, computed in
 * FP64, beside the largest gradient; of some weights of every layer. */
double train_gradients(struct train *t);

/* ---- train_math.c ---- */

void train_forward(struct train *t, struct train_layer *l);
/* Gradients of weights and biases; those of the input, before its ReLU, to `below`,
 * unless it is null. */
void train_backward(struct train *t, struct train_layer *l,
                    struct train_layer *below);
/* Of the outputs, whose classes are given: the loss of the share, and delta, both
 * divided by the batch. */
double train_loss(struct train *t, const struct train_layer *l,
                  const uint8_t *classes);
void train_update(struct train *t, struct train_layer *l);

/* ---- train_file.c ---- */

/* Rank 0 writes, whole or not at all. */
void train_save(const struct train *t, const char *path);
/* All get what rank 0 reads. Ends the job if it is of another training. */
void train_load(struct train *t, const char *path);

#endif

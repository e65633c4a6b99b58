/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Teaches: collectives that travel while something else is computed, and values that
 * travel encoded. Data-parallel training of a multi-layer perceptron on hand-written
 * digits: train.h says how. Prints the loss of each epoch and, in the end, how many
 * of the digits that were held out are told right, and a hash of the weights, which
 * depends on ranks, wire and options, but not on the conduit.
 *   08_train [--layers N] [--width N] [--batch N] [--wire fp32|bfp16] ...; see --help
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "train.h"

/* What the command line says beside the training itself. */
struct settings {
    struct train_options options;
    uint32_t epochs, right;
    const char *wire, *compute, *checkpoint, *resume;
    int json, gradients;
};

static void read_settings(int argc, char **argv, struct settings *s)
{
    struct train_options *o = &s->options;
    const struct case_option table[] = {
        {"--layers", "N     of weights (4)", &o->layers, .least = 1,
         .most = TRAIN_LAYERS},
        {"--width", "N      outputs of each but the last (128)", &o->width,
         .least = 16, .most = 2048},
        {"--batch", "N      digits of a step, of all ranks together (96)",
         &o->batch, .least = 1, .most = TRAIN_DIGITS},
        {"--epochs", "N     (12)", &s->epochs, .most = 100000},
        {"--rate", "N       of learning, thousandths (50)", &o->rate,
         .least = 1, .most = 100000},
        {"--momentum", "N   thousandths (900)", &o->momentum, .most = 999},
        {"--seed", "N       (1)", &o->seed, .most = UINT32_MAX},
        {"--wire", "FORMAT  of gradients between ranks: fp32, bfp16",
         .string = &s->wire, .choices = "fp32|bfp16"},
        {"--compute",
         "WHO  all but the loss by the compute cores: core, or by plain C: "
         "host",
         .string = &s->compute, .choices = "core|host"},
        {"--checkpoint", "FILE  written after every epoch",
         .string = &s->checkpoint},
        {"--resume", "FILE    a checkpoint to go on from",
         .string = &s->resume},
        {"--right", "N      held-out digits to be told right, percent (0)",
         &s->right, .most = 100},
        {"--gradients", "    compare gradients with differences in FP64 first",
         .flag = &s->gradients},
        {"--json", "        a JSON object a line", .flag = &s->json},
    };

    case_options(argc, argv, "usage: fshrun -n RANKS 08_train [OPTION...]",
                 table, sizeof table / sizeof table[0]);
    o->wire =
        strcmp(s->wire, "bfp16") == 0 ? FSHMEM_WIRE_BFP16 : FSHMEM_WIRE_FP32;
    o->host = strcmp(s->compute, "host") == 0;
}

/* Products of the core have 8 bits of each operand. */
static int check_gradients(struct train *t)
{
    double bound = t->options.host ? 1e-4 : 0.05;
    double error = train_gradients(t);

    if (t->me == 0) {
        printf("gradients: %.3g of the largest from differences in FP64 "
               "(bound %.3g)\n",
               error, bound);
    }
    return error <= bound;
}

static void learn(struct train *t, const struct settings *s)
{
    while (t->epoch < s->epochs) {
        double loss = train_epoch(t);

        if (t->me == 0) {
            fshmem_trace_value("loss", loss); /* fshrun --report plots it */
            printf(s->json ? "{\"epoch\": %u, \"loss\": %.6f}\n"
                           : "epoch %u: loss %.6f\n",
                   (unsigned)t->epoch, loss);
            fflush(stdout);
        }
        if (s->checkpoint != NULL) {
            train_save(t, s->checkpoint);
        }
    }
}

/* Of rank 0; simulated time with fshrun --clock simulated. */
static void print_times(const struct train *t, const struct settings *s)
{
    double us[TRAIN_PARTS], all = 0;

    for (int i = 0; i < TRAIN_PARTS; ++i) {
        us[i] = (double)t->ns[i] / 1e3 / (t->steps > 0 ? t->steps : 1);
        all += us[i];
    }
    printf(s->json
               ? "{\"forward_us\": %.3f, \"backward_us\": %.3f, "
                 "\"allreduce_exposed_us\": %.3f, \"update_us\": %.3f, "
                 "\"total_us\": %.3f}\n"
               : "a step: forward %.3f us, backward %.3f, all-reduce exposed "
                 "%.3f, update %.3f, total %.3f\n",
           us[TRAIN_FORWARD], us[TRAIN_BACKWARD], us[TRAIN_REDUCE],
           us[TRAIN_UPDATE], all);
}

static void print(const struct train *t, const struct settings *s, double held,
                  uint64_t hash, int passed)
{
    if (s->json) {
        printf("{\"workload\": \"train\", \"layers\": %u, \"width\": %u, "
               "\"batch\": %u, \"nodes\": %u, \"wire\": \"%s\", \"compute\": "
               "\"%s\", \"seed\": %u, \"epochs\": %u, \"held_out\": %.4f, "
               "\"hash\": \"%016" PRIx64 "\", \"check\": \"%s\"}\n",
               (unsigned)t->layers, (unsigned)t->options.width,
               (unsigned)t->options.batch, (unsigned)t->nodes, s->wire,
               s->compute, (unsigned)t->options.seed, (unsigned)t->epoch, held,
               hash, passed ? "passed" : "FAILED");
        return;
    }
    printf("%u layers of %u, batch %u on %u ranks, %s, %s, seed %u: hash "
           "%016" PRIx64 "\n",
           (unsigned)t->layers, (unsigned)t->options.width,
           (unsigned)t->options.batch, (unsigned)t->nodes, s->wire, s->compute,
           (unsigned)t->options.seed, hash);
    printf("Self-check %s: %.2f %% of %u held-out digits are told right, %u "
           "wanted\n",
           passed ? "passed" : "FAILED", 100 * held, TRAIN_HELD,
           (unsigned)s->right);
}

int main(int argc, char **argv)
{
    struct settings s = {.options = {.layers = 4,
                                     .width = 128,
                                     .batch = 96,
                                     .rate = 50,
                                     .momentum = 900,
                                     .seed = 1,
                                     .order = FSHMEM_COLL_RING},
                         .epochs = 12,
                         .wire = "fp32",
                         .compute = "core"};
    static struct train t;
    uint64_t hash;
    double held;
    int passed;

    case_join("08_train", &argc, &argv);
    read_settings(argc, argv, &s);
    case_attach(train_bytes(&s.options));
    train_prepare(&t, &s.options);
    passed = !s.gradients || check_gradients(&t);
    if (s.resume != NULL) {
        train_load(&t, s.resume);
    }
    learn(&t, &s);
    held = train_held(&t);
    hash = train_hash(&t);
    passed = passed && 100 * held >= s.right;
    if (t.me == 0) {
        print_times(&t, &s);
        print(&t, &s, held, hash, passed);
    }
    case_leave(t.me == 0 && !passed);
    return 0;
}

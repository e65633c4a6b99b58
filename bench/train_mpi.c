/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The training step of examples/08_train with OpenBLAS's sgemm and MPI's all-reduce, in the
 * same order but that nothing is computed beside an all-reduce: what train.py compares with.
 * Inputs and classes are pseudo-random; the same operations take the same time. OpenBLAS is
 * looked for when the program runs.
 *   train_mpi LAYERS WIDTH BATCH STEPS
 */
#include <dlfcn.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PIXELS 64
#define OUTPUTS 16
#define CLASSES 10
#define LAYERS 32
#define ROW_MAJOR 101
#define PLAIN 111
#define TURNED 112

typedef void sgemm_fn(int order, int turn_a, int turn_b, int m, int n, int k,
                      float alpha, const float *a, int lda, const float *b,
                      int ldb, float beta, float *c, int ldc);

struct layer {
    int in, out, last;
    float *weights; /* in x out, then out biases; so the next two */
    float *gradient, *velocity;
    float *input, *output, *delta;
};

static sgemm_fn *sgemm;
static struct layer layer[LAYERS];
static int layers, share, ranks;

static float *room(size_t values)
{
    float *p = NULL;

    if (posix_memalign((void **)&p, 64, values * sizeof *p) != 0) {
        fputs("train_mpi: no memory\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    memset(p, 0, values * sizeof *p);
    return p;
}

static float number(float bound)
{
    return bound * (2 * (float)rand() / (float)RAND_MAX - 1);
}

static const char *find_openblas(void)
{
    void *lib = dlopen("libopenblas.so.0", RTLD_NOW);
    void *threads = lib ? dlsym(lib, "openblas_set_num_threads") : NULL;
    void *product = lib ? dlsym(lib, "cblas_sgemm") : NULL;
    void *core = lib ? dlsym(lib, "openblas_get_corename") : NULL;
    void (*set_threads)(int);
    char *(*get_core)(void);

    if (!threads || !product || !core) {
        return NULL;
    }
    memcpy(&set_threads, &threads, sizeof threads);
    memcpy(&get_core, &core, sizeof core);
    memcpy(&sgemm, &product, sizeof sgemm);
    set_threads(1);
    return get_core();
}

static size_t values(const struct layer *l)
{
    return (size_t)l->in * l->out + l->out;
}

static void prepare(int width)
{
    float *input = room((size_t)share * PIXELS);

    srand(1);
    for (int i = 0; i < share * PIXELS; ++i) {
        input[i] = fabsf(number(1));
    }
    for (int n = 0; n < layers; ++n) {
        struct layer *l = &layer[n];

        l->in = n == 0 ? PIXELS : width;
        l->last = n + 1 == layers;
        l->out = l->last ? OUTPUTS : width;
        l->weights = room(values(l));
        l->gradient = room(values(l));
        l->velocity = room(values(l));
        l->input = input;
        l->output = input = room((size_t)share * l->out);
        l->delta = room((size_t)share * l->out);
        for (int i = 0; i < l->in * l->out; ++i) {
            l->weights[i] = number(sqrtf(6 / (float)l->in));
        }
    }
}

static void forward(struct layer *l)
{
    const float *bias = l->weights + (size_t)l->in * l->out;

    for (int i = 0; i < share; ++i) {
        memcpy(l->output + (size_t)i * l->out, bias, l->out * sizeof *bias);
    }
    sgemm(ROW_MAJOR, PLAIN, PLAIN, share, l->out, l->in, 1, l->input, l->in,
          l->weights, l->out, 1, l->output, l->out);
    for (size_t i = 0; i < (size_t)share * l->out && !l->last; ++i) {
        l->output[i] = l->output[i] > 0 ? l->output[i] : 0;
    }
}

static void loss(struct layer *l, int batch)
{
    for (int i = 0; i < share; ++i) {
        const float *y = l->output + (size_t)i * l->out;
        float *d = l->delta + (size_t)i * l->out;
        double sum = 0, most = y[0];

        for (int j = 1; j < CLASSES; ++j) {
            most = y[j] > most ? y[j] : most;
        }
        for (int j = 0; j < CLASSES; ++j) {
            sum += exp(y[j] - most);
        }
        for (int j = 0; j < OUTPUTS; ++j) {
            double p = j < CLASSES ? exp(y[j] - most) / sum : 0;

            d[j] = (float)(p - (j == i % CLASSES)) / (float)batch;
        }
    }
}

static void backward(struct layer *l, struct layer *below)
{
    float *bias = l->gradient + (size_t)l->in * l->out;

    sgemm(ROW_MAJOR, TURNED, PLAIN, l->in, l->out, share, 1, l->input, l->in,
          l->delta, l->out, 0, l->gradient, l->out);
    memset(bias, 0, l->out * sizeof *bias);
    for (int i = 0; i < share; ++i) {
        for (int j = 0; j < l->out; ++j) {
            bias[j] += l->delta[(size_t)i * l->out + j];
        }
    }
    if (below == NULL) {
        return;
    }
    sgemm(ROW_MAJOR, PLAIN, TURNED, share, l->in, l->out, 1, l->delta, l->out,
          l->weights, l->out, 0, below->delta, l->in);
    for (size_t i = 0; i < (size_t)share * l->in; ++i) {
        below->delta[i] = below->output[i] > 0 ? below->delta[i] : 0;
    }
}

static void update(struct layer *l)
{
    for (size_t i = 0; i < values(l); ++i) {
        l->velocity[i] = 0.9f * l->velocity[i] + l->gradient[i];
        l->weights[i] -= 0.05f * l->velocity[i];
    }
}

static void step(int batch)
{
    for (int n = 0; n < layers; ++n) {
        forward(&layer[n]);
    }
    loss(&layer[layers - 1], batch);
    for (int n = layers; n-- > 0;) {
        backward(&layer[n], n > 0 ? &layer[n - 1] : NULL);
        MPI_Allreduce(MPI_IN_PLACE, layer[n].gradient, (int)values(&layer[n]),
                      MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
        update(&layer[n]);
    }
}

int main(int argc, char **argv)
{
    int rank, batch, steps;
    const char *core = find_openblas();
    double begin;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc != 5 || core == NULL) {
        fputs(core ? "usage: train_mpi LAYERS WIDTH BATCH STEPS\n"
                   : "OpenBLAS is not installed (Debian: libopenblas0)\n",
              stderr);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    layers = atoi(argv[1]);
    batch = atoi(argv[3]);
    steps = atoi(argv[4]);
    share = batch / ranks;
    if (layers < 1 || layers > LAYERS || share < 1 || steps < 1) {
        fputs("train_mpi: 1 to 32 layers, a digit a rank and a step at least\n",
              stderr);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    prepare(atoi(argv[2]));
    step(batch); /* warms up */
    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    for (int i = 0; i < steps; ++i) {
        step(batch);
    }
    if (rank == 0) {
        printf("{\"total_us\": %.3f, \"core\": \"%s\"}\n",
               1e6 * (MPI_Wtime() - begin) / steps, core);
    }
    MPI_Finalize();
    return 0;
}

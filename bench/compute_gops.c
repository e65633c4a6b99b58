/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Speed of the kernels that conduit smp runs in place of the compute core, on
 * one thread: matrix products and a convolution with each instruction set,
 * compared with a plain loop and OpenBLAS's sgemm (libopenblas.so.0, if
 * installed). GOPS count a product and a sum as two operations, and include
 * encoding both operands. Times are processor time of the thread (so that other
 * jobs on the machine do not count); runs are interleaved, and the figure is the
 * median of 20 rounds (of 5 for the plain loop). OpenBLAS reports the processor it
 * detected. Old releases do not know new processors and are then four times
 * slower, so one with AVX-512 is declared a SkylakeX, unless OPENBLAS_CORETYPE
 * says otherwise.
 *
 *   compute_gops [size ...]      sizes of square products, 256 512 1024
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "compute/kernel/kernels.h"

#define ROUNDS 20
#define SLOW_ROUNDS 5
#define SIZES 8
#define CONTENDERS 4

enum { ROW_MAJOR = 101, NO_TRANSPOSE = 111 }; /* as in cblas.h */

typedef void (*sgemm_fn)(int order, int ta, int tb, int m, int n, int k,
                         float alpha, const float *a, int lda, const float *b,
                         int ldb, float beta, float *c, int ldc);

/* One contender: runs on three matrices of n x n. */
struct contender {
    const char *name;
    void (*run)(const struct contender *me, size_t n, const float *a,
                const float *b, float *c);
    enum fsh_isa isa;
    sgemm_fn sgemm;
    unsigned rounds;
    double gops[SIZES];
};

static uint64_t now_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}

static void *need(size_t n)
{
    float *p = malloc(n * sizeof(float));

    if (!p) {
        fprintf(stderr, "compute_gops: no memory\n");
        exit(1);
    }
    for (size_t i = 0; i < n; i++)
        p[i] = (float)rand() / (float)RAND_MAX - 0.5f;
    return p;
}

static void run_kernel(const struct contender *me, size_t n, const float *a,
                       const float *b, float *c)
{
    struct fsh_matmul op = {
        .m = n,
        .n = n,
        .k = n,
        .a = {FSH_OPERAND_ROWS, a, n},
        .b = {FSH_OPERAND_COLUMNS, b, n},
        .c = c,
        .ldc = n,
    };

    if (fsh_matmul(&op, me->isa) != FSH_KERNEL_OK)
        exit(1);
}

static void run_loop(const struct contender *me, size_t n, const float *a,
                     const float *b, float *c)
{
    (void)me;
    memset(c, 0, n * n * sizeof(float));
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            for (size_t j = 0; j < n; j++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}

static void run_sgemm(const struct contender *me, size_t n, const float *a,
                      const float *b, float *c)
{
    int size = (int)n;

    me->sgemm(ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, size, size, size, 1, a,
              size, b, size, 0, c, size);
}

static int by_time(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static double median_gops(uint64_t *ns, unsigned rounds, size_t n)
{
    qsort(ns, rounds, sizeof(*ns), by_time);
    return 2.0 * (double)n * (double)n * (double)n / (double)ns[rounds / 2];
}

/* All contenders at one size, which is the i-th. */
static void measure(struct contender *all, unsigned count, size_t i, size_t n)
{
    float *a = need(n * n), *b = need(n * n), *c = need(n * n);
    uint64_t ns[CONTENDERS][ROUNDS];

    for (unsigned who = 0; who < count; who++) /* warm up */
        all[who].run(&all[who], n, a, b, c);
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned who = 0; who < count; who++) {
            uint64_t begin = now_ns();

            if (round >= all[who].rounds)
                continue;
            all[who].run(&all[who], n, a, b, c);
            ns[who][round] = now_ns() - begin;
        }
    }
    for (unsigned who = 0; who < count; who++)
        all[who].gops[i] = median_gops(ns[who], all[who].rounds, n);
    free(a);
    free(b);
    free(c);
}

/* 3 x 3, 128 channels to 128, 56 x 56: a layer from the middle of ResNet-50. */
static double measure_conv(enum fsh_isa isa)
{
    enum { CHANNELS = 128, SIZE = 56 };
    float *in = need(CHANNELS * SIZE * SIZE),
          *out = need(CHANNELS * SIZE * SIZE);
    float *kernels = need(CHANNELS * CHANNELS * 9);
    struct fsh_conv op = {
        .in_channels = CHANNELS,
        .in_h = SIZE,
        .in_w = SIZE,
        .out_channels = CHANNELS,
        .kernel_h = 3,
        .kernel_w = 3,
        .stride = 1,
        .pad = 1,
        .in = in,
        .kernels = {FSH_OPERAND_ROWS, kernels, CHANNELS * 9},
        .out = out,
    };
    uint64_t best = UINT64_MAX;

    for (unsigned run = 0; run < 4; run++) {
        uint64_t begin = now_ns(), took;

        if (fsh_conv(&op, isa) != FSH_KERNEL_OK)
            exit(1);
        took = now_ns() - begin;
        best = took < best ? took : best;
    }
    free(in);
    free(out);
    free(kernels);
    return 2.0 * CHANNELS * CHANNELS * 9 * SIZE * SIZE / (double)best;
}

static bool find_openblas(struct contender *c, char *name, size_t size)
{
    int told = fsh_isa_available(FSH_ISA_AVX512)
                   ? setenv("OPENBLAS_CORETYPE", "SkylakeX", 0)
                   : 0;
    void *lib = told == 0 ? dlopen("libopenblas.so.0", RTLD_NOW) : NULL;
    void *threads = lib ? dlsym(lib, "openblas_set_num_threads") : NULL;
    void *sgemm = lib ? dlsym(lib, "cblas_sgemm") : NULL;
    void *core = lib ? dlsym(lib, "openblas_get_corename") : NULL;
    void (*set_threads)(int);
    char *(*get_core)(void);

    if (!threads || !sgemm || !core)
        return false;
    memcpy(&set_threads, &threads, sizeof(threads));
    memcpy(&get_core, &core, sizeof(core));
    snprintf(name, size, "sgemm (%s)", get_core());
    c->name = name;
    memcpy(&c->sgemm, &sgemm, sizeof(sgemm));
    set_threads(1);
    return true;
}

static unsigned find_all(struct contender *all, char *name, size_t size)
{
    unsigned count = 0;

    for (enum fsh_isa isa = FSH_ISA_AVX2; isa <= FSH_ISA_AVX512; isa++)
        if (fsh_isa_available(isa))
            all[count++] = (struct contender){.name = fsh_isa_name(isa),
                                              .run = run_kernel,
                                              .isa = isa,
                                              .rounds = ROUNDS};
    all[count++] = (struct contender){
        .name = "plain FP32 loop", .run = run_loop, .rounds = SLOW_ROUNDS};
    all[count] = (struct contender){.run = run_sgemm, .rounds = ROUNDS};
    if (find_openblas(&all[count], name, size))
        count++;
    else
        puts("OpenBLAS is not installed (Debian: libopenblas0)");
    return count;
}

static void print_all(const size_t *sizes, size_t count)
{
    struct contender all[CONTENDERS];
    char name[32];
    unsigned found = find_all(all, name, sizeof(name));

    printf("%-18s", "matmul, GOPS");
    for (size_t i = 0; i < count; i++) {
        measure(all, found, i, sizes[i]);
        printf(" %9zu", sizes[i]);
    }
    putchar('\n');
    for (unsigned who = 0; who < found; who++) {
        printf("%-18s", all[who].name);
        for (size_t i = 0; i < count; i++)
            printf(" %9.1f", all[who].gops[i]);
        putchar('\n');
    }
}

int main(int argc, char **argv)
{
    size_t sizes[SIZES] = {256, 512, 1024}, count = 3;

    if (argc > 1) {
        count = argc - 1 < SIZES ? (size_t)argc - 1 : SIZES;
        for (size_t i = 0; i < count; i++) {
            sizes[i] = strtoul(argv[i + 1], NULL, 10);
            if (sizes[i] == 0) {
                fprintf(stderr, "usage: compute_gops [size ...]\n");
                return 2;
            }
        }
    }
    print_all(sizes, count);
    printf("convolution 3 x 3, 128 x 128 channels, 56 x 56, GOPS:");
    for (enum fsh_isa isa = FSH_ISA_AVX2; isa <= FSH_ISA_AVX512; isa++)
        if (fsh_isa_available(isa))
            printf("  %s %.1f", fsh_isa_name(isa), measure_conv(isa));
    putchar('\n');
    return 0;
}

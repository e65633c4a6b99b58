/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Speed of the kernels that conduit smp runs in place of the compute core, on
 * one thread: matrix products and a convolution with each choice of
 * instructions, beside a plain loop and OpenBLAS's sgemm (libopenblas.so.0, if
 * installed). GOPS count a product and a sum as two operations, and include
 * encoding both operands. Processor time of the thread (so that other jobs on
 * the machine do not count), best of a few runs. OpenBLAS says which
 * processor it took this for: an old one may not know a new processor and then
 * be four times slower than it could; OPENBLAS_CORETYPE=SkylakeX helps.
 *
 *   compute_gops [size ...]      sizes of square products, 256 512 1024
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "compute/kernels.h"

enum { ROW_MAJOR = 101, NO_TRANSPOSE = 111 }; /* as in cblas.h */

typedef void (*sgemm_fn)(int order, int ta, int tb, int m, int n, int k,
                         float alpha, const float *a, int lda, const float *b,
                         int ldb, float beta, float *c, int ldc);

/* One thing that is measured: runs itself on three matrices of n x n. */
struct contender {
    const char *name;
    void (*run)(const struct contender *me, size_t n, const float *a,
                const float *b, float *c);
    enum fsh_isa isa;
    sgemm_fn sgemm;
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

/* GOPS of the fastest run within half a second, of at least two. */
static double measure(const struct contender *me, size_t n)
{
    float *a = need(n * n), *b = need(n * n), *c = need(n * n);
    uint64_t start = now_ns(), best = UINT64_MAX;
    unsigned runs = 0;

    while (runs++ < 2 || now_ns() - start < 500000000) {
        uint64_t begin = now_ns(), took;

        me->run(me, n, a, b, c);
        took = now_ns() - begin;
        best = took < best ? took : best;
    }
    free(a);
    free(b);
    free(c);
    return 2.0 * (double)n * (double)n * (double)n / (double)best;
}

/* 3 x 3, 128 channels to 128, 56 x 56: a layer of ResNet-50's middle. */
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
    void *lib = dlopen("libopenblas.so.0", RTLD_NOW);
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

static void print_row(const struct contender *c, const size_t *sizes,
                      size_t count)
{
    printf("%-18s", c->name);
    for (size_t i = 0; i < count; i++) {
        printf(" %9.1f", measure(c, sizes[i]));
        fflush(stdout);
    }
    putchar('\n');
}

static void print_all(const size_t *sizes, size_t count)
{
    struct contender loop = {"plain FP32 loop", run_loop, 0, NULL};
    struct contender blas = {"OpenBLAS sgemm", run_sgemm, 0, NULL};
    char name[32];

    printf("%-18s", "matmul, GOPS");
    for (size_t i = 0; i < count; i++)
        printf(" %9zu", sizes[i]);
    putchar('\n');
    for (enum fsh_isa isa = FSH_ISA_AVX2; isa <= FSH_ISA_AVX512; isa++) {
        struct contender kernel = {fsh_isa_name(isa), run_kernel, isa, NULL};

        if (fsh_isa_available(isa))
            print_row(&kernel, sizes, count);
    }
    print_row(&loop, sizes, count);
    if (find_openblas(&blas, name, sizeof(name)))
        print_row(&blas, sizes, count);
    else
        printf("%-18s not installed (Debian: libopenblas0)\n", blas.name);
}

int main(int argc, char **argv)
{
    size_t sizes[8] = {256, 512, 1024}, count = 3;

    if (argc > 1) {
        count = argc - 1 < 8 ? (size_t)argc - 1 : 8;
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

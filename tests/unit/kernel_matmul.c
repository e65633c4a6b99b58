/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matrix products: ragged shapes, all forms of operands, leading dimensions and
 * final operations, with all instruction sets of this processor, bit for bit against
 * three loops over the model in the documented order, and within the error bound of
 * an FP64 product.
 */
#include <fenv.h>

#include "compute/number/operand.h"
#include "check.h"
#include "compute/kernel/kernels.h"
#include "number_model.h"

enum { ROUNDS = 250, MAX_M = 40, MAX_N = 75, MAX_K = 100, SLACK = 7 };
enum { LONG_K = 1300 }; /* past what stays in cache: several stretches */

static const struct fsh_bfp_format core = {16, 8, 7};

/* One product: FP32 operands by rows and by columns (t, s), and encoded. */
struct problem {
    size_t m, n, k, lda, ldb, ldt, lds, ldc;
    float *a, *b, *t, *s, *c, *bias;
    uint8_t *coded_a, *coded_b;
    struct model_block *blocks_a, *blocks_b;
};

static void *need(size_t bytes)
{
    void *p = calloc(1, bytes);

    CHECK(p, "no memory");
    return p;
}

/* Rows of numbers; each block mostly of one kind. */
static void fill(float *x, size_t rows, size_t k, size_t ld,
                 enum model_kind kind)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t i = 0; i < k; i++)
            x[r * ld + i] = model_number(kind);
}

static struct model_block *blocks_of(const float *x, size_t rows, size_t k,
                                     size_t ld)
{
    size_t chunks = (k + 15) / 16;
    struct model_block *blocks = need(rows * chunks * sizeof(*blocks));

    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < chunks; c++) {
            float in[16] = {0};

            for (size_t i = 0; i < 16 && 16 * c + i < k; i++)
                in[i] = x[r * ld + 16 * c + i];
            model_encode(&core, in, &blocks[r * chunks + c]);
        }
    return blocks;
}

static struct problem make(size_t m, size_t n, size_t k, enum model_kind a,
                           enum model_kind b)
{
    struct problem p = {.m = m, .n = n, .k = k};

    p.lda = k + model_below(SLACK);
    p.ldb = k + model_below(SLACK);
    p.ldt = n + model_below(SLACK);
    p.lds = m + model_below(SLACK);
    p.ldc = n + model_below(SLACK);
    p.a = need(m * p.lda * sizeof(float));
    p.b = need(n * p.ldb * sizeof(float));
    p.t = need(k * p.ldt * sizeof(float));
    p.s = need(k * p.lds * sizeof(float));
    p.c = need(m * p.ldc * sizeof(float));
    p.bias = need(n * sizeof(float));
    p.coded_a = need(fsh_bfp_operand_size(m, k));
    p.coded_b = need(fsh_bfp_operand_size(n, k));
    fill(p.a, m, k, p.lda, a);
    fill(p.b, n, k, p.ldb, b);
    fill(p.c, 1, m * p.ldc, m * p.ldc, model_below(MODEL_KINDS));
    fill(p.bias, 1, n, n, model_below(MODEL_KINDS));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < k; j++)
            p.t[j * p.ldt + i] = p.b[i * p.ldb + j];
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < k; j++)
            p.s[j * p.lds + i] = p.a[i * p.lda + j];
    fsh_bfp_operand_encode(p.a, p.lda, false, m, k, p.coded_a,
                           FSH_ISA_PORTABLE);
    fsh_bfp_operand_encode(p.b, p.ldb, false, n, k, p.coded_b,
                           FSH_ISA_PORTABLE);
    p.blocks_a = blocks_of(p.a, m, k, p.lda);
    p.blocks_b = blocks_of(p.b, n, k, p.ldb);
    return p;
}

static void drop(struct problem *p)
{
    free(p->a);
    free(p->b);
    free(p->t);
    free(p->s);
    free(p->c);
    free(p->bias);
    free(p->coded_a);
    free(p->coded_b);
    free(p->blocks_a);
    free(p->blocks_b);
}

static float expected(const struct problem *p, const struct fsh_finish *finish,
                      size_t m, size_t n)
{
    size_t chunks = (p->k + 15) / 16;
    float r = 0;

    for (size_t c = 0; c < chunks; c++)
        r = model_add(r, model_dot(&p->blocks_a[m * chunks + c],
                                   &p->blocks_b[n * chunks + c]));
    if (finish->accumulate)
        r = model_add(p->c[m * p->ldc + n], r);
    if (finish->bias)
        r = model_add(r, finish->bias[n]);
    return finish->relu ? model_relu(r) : r;
}

static struct fsh_matmul product(const struct problem *p, unsigned form_a,
                                 unsigned form_b)
{
    struct fsh_matmul op = {.m = p->m, .n = p->n, .k = p->k, .ldc = p->ldc};

    op.a = form_a == 0 ? (struct fsh_operand){FSH_OPERAND_ROWS, p->a, p->lda}
           : form_a == 1
               ? (struct fsh_operand){FSH_OPERAND_BFP, p->coded_a, 0}
               : (struct fsh_operand){FSH_OPERAND_COLUMNS, p->s, p->lds};
    op.b = form_b == 0 ? (struct fsh_operand){FSH_OPERAND_BFP, p->coded_b, 0}
           : form_b == 1
               ? (struct fsh_operand){FSH_OPERAND_ROWS, p->b, p->ldb}
               : (struct fsh_operand){FSH_OPERAND_COLUMNS, p->t, p->ldt};
    return op;
}

/* Run it in a rounding mode that must not matter; C is restored. */
static void check_product(const struct problem *p, struct fsh_matmul op,
                          const float *want, enum fsh_isa isa)
{
    size_t size = p->m * p->ldc * sizeof(float);

    op.c = need(size);
    memcpy(op.c, p->c, size);
    fesetround(FE_DOWNWARD);
    CHECK(fsh_matmul(&op, isa) == FSH_KERNEL_OK);
    CHECK(fegetround() == FE_DOWNWARD);
    fesetround(FE_TONEAREST);
    for (size_t i = 0; i < p->m * p->ldc; i++)
        CHECK(model_bits(op.c[i]) == model_bits(want[i]),
              "%s, %zu x %zu x %zu, row %zu column %zu: %a, not %a",
              fsh_isa_name(isa), p->m, p->n, p->k, i / p->ldc, i % p->ldc,
              (double)op.c[i], (double)want[i]);
    free(op.c);
}

/* With all instructions, and what op says is to follow. */
static void check_all(const struct problem *p, struct fsh_matmul op)
{
    float *want = need(p->m * p->ldc * sizeof(float));

    memcpy(want, p->c, p->m * p->ldc * sizeof(float));
    for (size_t m = 0; m < p->m; m++)
        for (size_t n = 0; n < p->n; n++)
            want[m * p->ldc + n] = expected(p, &op.finish, m, n);
    for (enum fsh_isa isa = FSH_ISA_PORTABLE; isa <= FSH_ISA_AVX512; isa++)
        if (fsh_isa_available(isa))
            check_product(p, op, want, isa);
    free(want);
}

/* In one way of many; drops it. */
static void check_problem(struct problem *p)
{
    unsigned how = model_below(8);
    struct fsh_matmul op = product(p, model_below(3), model_below(3));

    op.finish.accumulate = how & 1;
    op.finish.bias = how & 2 ? p->bias : NULL;
    op.finish.relu = how & 4;
    check_all(p, op);
    drop(p);
}

static void check_random(void)
{
    for (unsigned n = 0; n < ROUNDS; n++) {
        enum model_kind a = model_below(MODEL_KINDS);
        enum model_kind b = model_below(2) ? a : model_below(MODEL_KINDS);
        struct problem p = make(1 + model_below(MAX_M), 1 + model_below(MAX_N),
                                1 + model_below(MAX_K), a, b);

        check_problem(&p);
    }
    for (unsigned n = 0; n < 7; n++) {
        struct problem p = make(1 + model_below(12), 1 + model_below(40),
                                LONG_K + model_below(40), n, MODEL_PLAIN);

        check_problem(&p);
    }
}

/* A product of 3 x 32 and 32 x 5 whose rows are all alike. */
static void check_alike(const float a[32], const float b[32])
{
    struct problem p = make(3, 5, 32, MODEL_PLAIN, MODEL_PLAIN);

    for (size_t k = 0; k < 32; k++) {
        for (size_t r = 0; r < 3; r++)
            p.s[k * p.lds + r] = p.a[r * p.lda + k] = a[k];
        for (size_t r = 0; r < 5; r++)
            p.t[k * p.ldt + r] = p.b[r * p.ldb + k] = b[k];
    }
    fsh_bfp_operand_encode(p.a, p.lda, false, 3, 32, p.coded_a,
                           FSH_ISA_PORTABLE);
    fsh_bfp_operand_encode(p.b, p.ldb, false, 5, 32, p.coded_b,
                           FSH_ISA_PORTABLE);
    free(p.blocks_a);
    free(p.blocks_b);
    p.blocks_a = blocks_of(p.a, 3, 32, p.lda);
    p.blocks_b = blocks_of(p.b, 5, 32, p.ldb);
    check_problem(&p);
}

/* Exponents at the limits of the fast way and past them. Low: a dot product of
 * 1, the least there is, that just is, or is not, a normal number, and one of
 * 64 * 64, which is. High: the
 * largest dot product, taken twice with opposite signs: Inf - Inf is NaN, while
 * a fused sum would not see the second Inf. */
static void check_limits(void)
{
    for (int sum = 136; sum <= 146; sum++)
        for (int e = 5; e <= sum / 2; e += e < 12 ? 1 : 20) {
            float a[32] = {0}, b[32] = {0};

            a[0] = a[16] = ldexpf(1, e - 127);
            a[1] = ldexpf(1, e - 133);
            b[2] = b[16] = ldexpf(1, sum - e - 127);
            b[1] = ldexpf(1, sum - e - 133);
            check_alike(a, b);
            check_alike(b, a);
        }
    for (int sum = 370; sum <= 380; sum++)
        for (int e = sum - 254; e <= 254; e += 23) {
            float a[32], b[32];

            for (int k = 0; k < 32; k++) {
                a[k] = ldexpf(k < 16 ? 0x1.fcp0f : -0x1.fcp0f, e - 127);
                b[k] = ldexpf(0x1.fcp0f, sum - e - 127);
            }
            check_alike(a, b);
        }
}

/* Blocks whose largest value is just below, at, or past what rounds up to the next
 * exponent, at the ends of the exponents and in between; a smaller value beside it shows
 * the unit. */
static void check_largest(void)
{
    static const uint32_t fractions[] = {0, 0x7effff, 0x7f0000, 0x7f0001,
                                         0x7fffff};
    static const uint32_t exponents[] = {0, 1, 5, 6, 7, 127, 252, 253, 254};

    for (unsigned n = 0; n < 4 * 5 * 9; n++) {
        uint32_t bits = exponents[n / 5 % 9] << 23 | fractions[n % 5];
        float a[32] = {0}, b[32] = {0};

        a[model_below(16)] = model_float(bits);
        a[16 + model_below(16)] = model_float(bits | 0x80000000);
        a[model_below(32)] = model_float(bits) * 0x1.8p-6f;
        for (unsigned k = 0; k < 32; k++)
            b[k] = 1;
        check_alike(a, b);
        check_alike(b, a);
    }
}

/* Encoded operands of any bytes, also those that no encoder writes: code 0 with
 * magnitudes, zeros with a sign. */
static void any_bytes(uint8_t *coded, struct model_block *blocks, size_t rows,
                      size_t k, bool near)
{
    size_t chunks = (k + 15) / 16;

    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < chunks; c++) {
            uint8_t *unit = coded + fsh_bfp_operand_unit(k, r, c);
            size_t n = fsh_bfp_operand_block(r, c);
            struct model_block *b = &blocks[r * chunks + c];

            b->code =
                (int)(near ? 120 + model_below(16) : model_random() % 256);
            if (model_below(4) == 0)
                b->code = 0;
            unit[n] = (uint8_t)b->code;
            for (size_t i = 0; i < 16; i++) {
                uint8_t byte = (uint8_t)model_random();

                unit[FSH_BFP_UNIT_CODES + 16 * n + i] = byte;
                b->value[i] = byte & 128 ? -(byte & 127) : byte;
            }
        }
}

static void check_any_bytes(void)
{
    for (unsigned n = 0; n < 60; n++) {
        struct problem p = make(1 + model_below(9), 1 + model_below(40),
                                1 + model_below(99), 0, 0);
        struct fsh_matmul op = product(&p, 1, 0);

        any_bytes(p.coded_a, p.blocks_a, p.m, p.k, n % 2);
        any_bytes(p.coded_b, p.blocks_b, p.n, p.k, n % 2);
        check_all(&p, op);
        drop(&p);
    }
}

static long double half_unit(const struct model_block *b)
{
    return b->code ? model_unit(&core, b->code) / 2 : 0;
}

/* |C - exact| <= what the blocks of A and B lose, and a rounding a chunk. */
static void check_error(void)
{
    struct problem p = make(30, 33, 500, MODEL_PLAIN, MODEL_PLAIN);
    struct fsh_matmul op = product(&p, 0, 2);
    size_t chunks = 32;
    double worst = 0;

    op.c = p.c;
    CHECK(fsh_matmul(&op, FSH_ISA_BEST) == FSH_KERNEL_OK);
    for (size_t m = 0; m < p.m; m++)
        for (size_t n = 0; n < p.n; n++) {
            long double sum = 0, bound = 0, size = 0, error;

            for (size_t i = 0; i < p.k; i++) {
                long double x = p.a[m * p.lda + i], y = p.b[n * p.ldb + i];
                long double dx = half_unit(&p.blocks_a[m * chunks + i / 16]);
                long double dy = half_unit(&p.blocks_b[n * chunks + i / 16]);

                sum += x * y;
                bound += fabsl(x) * dy + fabsl(y) * dx + dx * dy;
                size += (fabsl(x) + dx) * (fabsl(y) + dy);
            }
            bound += size * 0x1p-24L * (long double)(chunks + 1);
            error = fabsl(sum - (long double)p.c[m * p.ldc + n]);
            CHECK(error <= bound, "%Lg past %Lg", error, bound);
            worst = fmax(worst, (double)(error / bound));
        }
    CHECK(worst > 0.01, "a bound this loose says nothing");
    drop(&p);
}

static void check_refusals(void)
{
    float x[64] = {0};
    struct fsh_matmul good = {.m = 4,
                              .n = 4,
                              .k = 4,
                              .a = {FSH_OPERAND_ROWS, x, 4},
                              .b = {FSH_OPERAND_COLUMNS, x + 16, 4},
                              .c = x + 32,
                              .ldc = 4};
    struct fsh_matmul op = good;

    CHECK(fsh_matmul(&op, FSH_ISA_BEST) == FSH_KERNEL_OK);
    op.k = 0;
    CHECK(fsh_matmul(&op, FSH_ISA_BEST) == FSH_KERNEL_BAD_SHAPE);
    op = good;
    op.a.form = FSH_OPERAND_COLUMNS;
    CHECK(fsh_matmul(&op, FSH_ISA_BEST) == FSH_KERNEL_OK);
    op.a.ld = 3;
    CHECK(fsh_matmul(&op, FSH_ISA_BEST) == FSH_KERNEL_BAD_OPERAND);
    op = good;
    op.a.ld = 3;
    CHECK(fsh_matmul(&op, FSH_ISA_BEST) == FSH_KERNEL_BAD_OPERAND);
    op = good;
    op.b.data = NULL;
    CHECK(fsh_matmul(&op, FSH_ISA_BEST) == FSH_KERNEL_BAD_OPERAND);
    op = good;
    op.ldc = 3;
    CHECK(fsh_matmul(&op, FSH_ISA_BEST) == FSH_KERNEL_BAD_OPERAND);
}

int main(int argc, char **argv)
{
    model_seed(argc, argv);
    check_refusals();
    check_random();
    check_limits();
    check_largest();
    check_any_bytes();
    check_error();
    puts("PASS");
    return 0;
}

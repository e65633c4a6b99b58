/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matrix products of ragged shapes, in all forms of operands and with all
 * flags: bit-identical to the model, and within the bound of FP64. Nothing
 * but the results is written.
 */
#include "cores.h"

enum { SEGMENT = 4 << 20, ROUNDS = 12, MOST = 150 };

struct problem {
    uint64_t m, n, k, lda, ldb, ldt, lds, ldc;
    fshmem_offset_t a, b, t, s, c, bias, ea, eb, spare;
    float *want; /* C before, then as it must be */
};

static struct problem make(struct conf_rng *rng, uint64_t m, uint64_t n,
                           uint64_t k)
{
    struct problem p = {.m = m, .n = n, .k = k};

    cores_reset();
    p.lda = cores_ld(k) + 16 * conf_below(rng, 3);
    p.ldb = cores_ld(n) + 16 * conf_below(rng, 3);
    p.ldt = cores_ld(k) + 16 * conf_below(rng, 3);
    p.lds = cores_ld(m) + 16 * conf_below(rng, 3);
    p.ldc = cores_ld(n) + 16 * conf_below(rng, 3);
    p.a = cores_take(m * p.lda * 4);
    p.b = cores_take(k * p.ldb * 4);
    p.t = cores_take(n * p.ldt * 4);
    p.s = cores_take(k * p.lds * 4);
    p.c = cores_take(m * p.ldc * 4);
    p.bias = cores_take(n * 4);
    p.ea = cores_take(fshmem_encoded_size(m, k));
    p.eb = cores_take(fshmem_encoded_size(n, k));
    p.spare = cores_take(fshmem_encoded_size(n, k));
    cores_fill(cores_at(p.a), m, k, p.lda, rng);
    cores_fill(cores_at(p.b), k, n, p.ldb, rng);
    cores_fill(cores_at(p.c), m, p.ldc, p.ldc, rng);
    cores_fill(cores_at(p.bias), 1, n, n, rng);
    for (uint64_t i = 0; i < k; i++) {
        for (uint64_t j = 0; j < n; j++) {
            cores_at(p.t)[j * p.ldt + i] = cores_at(p.b)[i * p.ldb + j];
        }
    }
    for (uint64_t i = 0; i < m; i++) {
        for (uint64_t j = 0; j < k; j++) {
            cores_at(p.s)[j * p.lds + i] = cores_at(p.a)[i * p.lda + j];
        }
    }
    p.want = (float *)cores_alloc(m * p.ldc * 4);
    memcpy(p.want, cores_at(p.c), m * p.ldc * 4);
    return p;
}

static void expect(const struct problem *p, uint32_t flags)
{
    const struct fsh_matmul op = {
        .m = p->m,
        .n = p->n,
        .k = p->k,
        .a = {FSH_OPERAND_ROWS, cores_at(p->a), p->lda},
        .b = {FSH_OPERAND_COLUMNS, cores_at(p->b), p->ldb},
        .c = p->want,
        .ldc = p->ldc,
        .finish = {.accumulate = (flags & FSHMEM_ACCUMULATE) != 0,
                   .bias = flags & FSHMEM_BIAS ? cores_at(p->bias) : NULL,
                   .relu = (flags & FSHMEM_RELU) != 0},
    };

    CHECK_EQ(fsh_matmul(&op, FSH_ISA_PORTABLE), FSH_KERNEL_OK);
}

/* Every result against FP64: the model itself could be wrong. */
static void check_fp64(const struct problem *p)
{
    for (uint64_t i = 0; i < p->m; i++) {
        for (uint64_t j = 0; j < p->n; j++) {
            double sum = 0, got = p->want[i * p->ldc + j];

            for (uint64_t x = 0; x < p->k; x++) {
                sum += (double)cores_at(p->a)[i * p->lda + x] *
                       (double)cores_at(p->b)[x * p->ldb + j];
            }
            CHECK(fabs(got - sum) <= cores_bound(p->k), "%g, want %g", got,
                  sum);
        }
    }
}

static void encode_operands(const struct problem *p)
{
    fshmem_encode_t e = {.rows = p->m, .k = p->k, .to = p->ea};
    fshmem_command_t command[2];

    e.from = (fshmem_operand_t){FSHMEM_FP32_ROWS, p->a, p->lda};
    FINE(fshmem_command_encode(&e, &command[0]));
    e.rows = p->n;
    e.from = (fshmem_operand_t){FSHMEM_FP32_COLUMNS, p->b, p->ldb};
    e.to = p->eb;
    FINE(fshmem_command_encode(&e, &command[1]));
    FINE(fshmem_submit(conf.me, command, 2));
}

static fshmem_gemm_t describe(const struct problem *p, unsigned form_a,
                              unsigned form_b, uint32_t flags)
{
    const fshmem_operand_t a[] = {{FSHMEM_FP32_ROWS, p->a, p->lda},
                                  {FSHMEM_BFP, p->ea, 0},
                                  {FSHMEM_FP32_COLUMNS, p->s, p->lds}};
    const fshmem_operand_t b[] = {{FSHMEM_FP32_ROWS, p->b, p->ldb},
                                  {FSHMEM_FP32_COLUMNS, p->t, p->ldt},
                                  {FSHMEM_BFP, p->eb, 0}};
    fshmem_gemm_t g = {.m = p->m,
                       .n = p->n,
                       .k = p->k,
                       .a = a[form_a],
                       .b = b[form_b],
                       .c = p->c,
                       .ldc = p->ldc,
                       .flags = flags,
                       .bias = p->bias,
                       .emit = p->spare};
    return g;
}

static void check_product(const struct problem *p, unsigned form_a,
                          unsigned form_b, uint32_t flags)
{
    float *before = (float *)cores_alloc(p->m * p->ldc * 4);
    bool emits = form_b < 2 && (flags & FSHMEM_RELU);
    fshmem_gemm_t g =
        describe(p, form_a, form_b, flags | (emits ? FSHMEM_EMIT : 0));
    fshmem_command_t command;

    memcpy(before, cores_at(p->c), p->m * p->ldc * 4);
    memcpy(p->want, before, p->m * p->ldc * 4);
    expect(p, flags);
    if (flags == 0) {
        check_fp64(p);
    }
    FINE(fshmem_command_gemm(&g, &command));
    cores_run(&command);
    /* Whole rows: what lies between them is as before. */
    CHECK_BITS(cores_at(p->c), p->ldc, p->want, p->ldc, p->m, p->ldc);
    if (emits) {
        CHECK(memcmp(cores_at(p->spare), cores_at(p->eb),
                     fshmem_encoded_size(p->n, p->k)) == 0,
              "emitted operand");
    }
    memcpy(cores_at(p->c), before, p->m * p->ldc * 4);
    free(before);
}

static void round_of(struct conf_rng *rng, uint64_t m, uint64_t n, uint64_t k)
{
    struct problem p = make(rng, m, n, k);

    encode_operands(&p);
    for (unsigned form = 0; form < 9; form++) {
        check_product(&p, form % 3, form / 3, 0);
        check_product(&p, form % 3, form / 3, (uint32_t)conf_below(rng, 8));
    }
    free(p.want);
}

/* y adjacent, and a matrix of one row. */
static void vector(struct conf_rng *rng, uint64_t m, uint64_t k)
{
    struct problem p = make(rng, m, 1, k);
    fshmem_gemv_t v = {.m = m,
                       .k = k,
                       .a = {FSHMEM_FP32_ROWS, p.a, p.lda},
                       .x = p.t,
                       .flags = FSHMEM_RELU};
    fshmem_command_t command;

    v.y = cores_take(m * 4);
    expect(&p, FSHMEM_RELU);
    FINE(fshmem_command_gemv(&v, &command));
    cores_run(&command);
    CHECK_BITS(cores_at(v.y), 1, p.want, p.ldc, m, 1);
    free(p.want);
}

int main(int argc, char **argv)
{
    cores_start("gemm", &argc, &argv, SEGMENT);
    struct conf_rng rng = conf_rng(conf.me);

    round_of(&rng, 1, 1, 1);
    round_of(&rng, 8, 16, 16);
    round_of(&rng, 129, 130, 65);
    for (int i = conf_iters(ROUNDS, 2); i > 0; i--) {
        round_of(&rng, 1 + conf_below(&rng, MOST), 1 + conf_below(&rng, MOST),
                 1 + conf_below(&rng, MOST));
        vector(&rng, 1 + conf_below(&rng, MOST), 1 + conf_below(&rng, MOST));
    }
    conf_pass();
}

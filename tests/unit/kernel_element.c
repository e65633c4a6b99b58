/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Element-wise kernels and sums of columns: ragged shapes, distances of rows, numbers
 * of every kind, results in place, with all instructions and in rounding modes that
 * must not matter, bit for bit against the rules in double; and what is refused.
 */
#include <fenv.h>

#include "check.h"
#include "compute/kernel/kernels.h"
#include "number_model.h"

enum { ROUNDS = 4000, MAX_M = 9, MAX_N = 70, SLACK = 20 };
enum { MOST = MAX_M * (MAX_N + SLACK) };

struct problem {
    struct fsh_element op;
    float x[MOST], w[MOST], c[MOST], want[MOST];
    int place; /* the result: 0 by itself, 1 over x, 2 over w */
};

static void fill(float *x, enum model_kind kind)
{
    for (size_t i = 0; i < MOST; i++)
        x[i] = model_number(kind);
}

static float expected(const struct problem *p, size_t i, size_t j)
{
    const struct fsh_element *op = &p->op;
    float sum = 0, w;

    if (op->kind == FSH_ELEMENT_SUM) {
        for (i = 0; i < op->m; i++)
            sum = model_add(sum, model_mul(op->scale, p->x[i * op->ldx + j]));
        return sum;
    }
    w = p->w[i * op->ldw + j];
    sum = model_mul(op->scale, p->x[i * op->ldx + j]);
    if (op->kind == FSH_ELEMENT_AXPY)
        return model_add(sum, w);
    return model_flush(w) > 0 ? sum : 0;
}

static void make(struct problem *p)
{
    struct fsh_element *op = &p->op;
    float *at;

    op->kind = model_below(3);
    op->m = 1 + model_below(MAX_M);
    op->n = 1 + model_below(MAX_N);
    op->scale = model_number(model_below(MODEL_KINDS));
    op->ldx = op->n + model_below(SLACK);
    op->ldw = op->n + model_below(SLACK);
    fill(p->x, model_below(MODEL_KINDS));
    fill(p->w, model_below(MODEL_KINDS));
    fill(p->c, MODEL_ANY);
    p->place = op->kind == FSH_ELEMENT_SUM ? 0 : (int)model_below(3);
    op->ldc = p->place == 1   ? op->ldx
              : p->place == 2 ? op->ldw
                              : op->n + model_below(SLACK);
    at = p->place == 1 ? p->x : p->place == 2 ? p->w : p->c;
    memcpy(p->want, at, sizeof p->want);
    for (size_t i = 0; i < (op->kind == FSH_ELEMENT_SUM ? 1 : op->m); i++)
        for (size_t j = 0; j < op->n; j++)
            p->want[i * op->ldc + j] = expected(p, i, j);
}

static void check_one(const struct problem *p, enum fsh_isa isa, int mode)
{
    static float x[MOST], w[MOST], c[MOST];
    struct fsh_element op = p->op;

    memcpy(x, p->x, sizeof x);
    memcpy(w, p->w, sizeof w);
    memcpy(c, p->c, sizeof c);
    op.x = x;
    op.w = op.kind == FSH_ELEMENT_SUM ? NULL : w;
    op.c = p->place == 1 ? x : p->place == 2 ? w : c;
    fesetround(mode);
    CHECK(fsh_element(&op, isa) == FSH_KERNEL_OK);
    CHECK(fegetround() == mode);
    fesetround(FE_TONEAREST);
    for (size_t i = 0; i < MOST; i++)
        CHECK(model_bits(op.c[i]) == model_bits(p->want[i]),
              "%s, kind %d, %zu x %zu, value %zu: %a, not %a",
              fsh_isa_name(isa), (int)op.kind, op.m, op.n, i, (double)op.c[i],
              (double)p->want[i]);
}

static void refuse(void)
{
    float x[64] = {0}, c[64] = {0};
    const struct fsh_element good = {
        FSH_ELEMENT_AXPY, 2, 16, 1, x, x, c, 16, 16, 16};
    struct fsh_element op;

#define REFUSE(field, value, status) \
    op = good;                       \
    op.field = value;                \
    CHECK(fsh_element(&op, FSH_ISA_BEST) == status, #field)
    REFUSE(m, 0, FSH_KERNEL_BAD_SHAPE);
    REFUSE(n, 0, FSH_KERNEL_BAD_SHAPE);
    REFUSE(x, NULL, FSH_KERNEL_BAD_OPERAND);
    REFUSE(w, NULL, FSH_KERNEL_BAD_OPERAND);
    REFUSE(c, NULL, FSH_KERNEL_BAD_OPERAND);
    REFUSE(ldx, 15, FSH_KERNEL_BAD_OPERAND);
    REFUSE(ldw, 15, FSH_KERNEL_BAD_OPERAND);
    REFUSE(ldc, 15, FSH_KERNEL_BAD_OPERAND);
#undef REFUSE
}

int main(int argc, char **argv)
{
    static struct problem p;

    model_seed(argc, argv);
    for (unsigned n = 0; n < ROUNDS; n++) {
        make(&p);
        for (enum fsh_isa isa = FSH_ISA_PORTABLE; isa <= FSH_ISA_AVX512; isa++)
            if (fsh_isa_available(isa))
                check_one(&p, isa, n % 2 ? FE_TONEAREST : FE_UPWARD);
    }
    refuse();
    puts("PASS");
    return 0;
}

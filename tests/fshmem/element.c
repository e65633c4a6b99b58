/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Element-wise commands and sums of columns: bit for bit those of the model, in place
 * and beside, and nothing else is written; in lists of which each command needs what the
 * one before wrote; sent to another node; and a step of training against FP64.
 */
#include "cores.h"

enum { SEGMENT = 4 << 20, ROUNDS = 40, MOST_M = 40, MOST_N = 400, EVENT = 5 };

typedef fshmem_status_t (*build_fn)(const fshmem_element_t *,
                                    fshmem_command_t *);
static const build_fn build[] = {fshmem_command_axpy, fshmem_command_gate,
                                 fshmem_command_sum};

/* The kinds of enum fsh_element_kind in the order of build. */
static void model(int kind, const fshmem_element_t *e, float *c)
{
    const struct fsh_element op = {.kind = (enum fsh_element_kind)kind,
                                   .m = e->m,
                                   .n = e->n,
                                   .scale = e->scale,
                                   .x = cores_at(e->x),
                                   .w = cores_at(e->w),
                                   .c = c,
                                   .ldx = e->ldx,
                                   .ldw = e->ldw,
                                   .ldc = e->ldc};

    CHECK_EQ(fsh_element(&op, FSH_ISA_PORTABLE), FSH_KERNEL_OK);
}

static void random_one(struct conf_rng *rng)
{
    int kind = (int)conf_below(rng, 3), over = (int)conf_below(rng, 3);
    fshmem_element_t e = {.m = 1 + conf_below(rng, MOST_M),
                          .n = 1 + conf_below(rng, MOST_N),
                          .scale = cores_number(rng)};
    uint64_t gaps = conf_below(rng, 2), values;
    fshmem_command_t command;
    float *want;

    cores_reset();
    e.ldx = cores_ld(e.n) + 16 * gaps * conf_below(rng, 3);
    e.ldw = cores_ld(e.n) + 16 * gaps * conf_below(rng, 3);
    e.ldc = cores_ld(e.n) + 16 * gaps * conf_below(rng, 3);
    e.x = cores_take(e.m * e.ldx * 4);
    e.w = cores_take(e.m * e.ldw * 4);
    e.c = cores_take(e.m * e.ldc * 4);
    cores_fill(cores_at(e.x), e.m, e.ldx, e.ldx, rng);
    cores_fill(cores_at(e.w), e.m, e.ldw, e.ldw, rng);
    cores_fill(cores_at(e.c), e.m, e.ldc, e.ldc, rng);
    if (kind != FSH_ELEMENT_SUM && over != 0) {
        e.c = over == 1 ? e.x : e.w;
        e.ldc = over == 1 ? e.ldx : e.ldw;
    }
    values = e.m * e.ldc;
    want = (float *)cores_alloc(values * 4);
    memcpy(want, cores_at(e.c), values * 4);
    model(kind, &e, want);
    FINE(build[kind](&e, &command));
    cores_run(&command);
    CHECK_BITS(cores_at(e.c), e.ldc, want, e.ldc, e.m, e.ldc);
    free(want);
}

/* dX through a ReLU, its sums, and a step with momentum, as one list: each command
 * needs the one before it, a product among them. */
static void step(struct conf_rng *rng, uint64_t m, uint64_t n)
{
    const uint64_t ld = cores_ld(n), k = 48;
    const float rate = 0.05f, momentum = 0.9f;
    fshmem_offset_t dy, w, y, dx, b, v;
    fshmem_command_t list[5];
    double sum, product;

    cores_reset();
    dy = cores_take(m * k * 4);
    w = cores_take(k * ld * 4);
    y = cores_take(m * ld * 4);
    dx = cores_take(m * ld * 4);
    b = cores_take(ld * 4);
    v = cores_take(ld * 4);
    cores_fill(cores_at(dy), m, k, k, rng);
    cores_fill(cores_at(w), k, ld, ld, rng);
    cores_fill(cores_at(y), m, ld, ld, rng);
    memset(cores_at(b), 0, n * 4);
    memset(cores_at(v), 0, n * 4);
    FINE(fshmem_command_gemm(&(fshmem_gemm_t){.m = m,
                                              .n = n,
                                              .k = k,
                                              .a = {FSHMEM_FP32_ROWS, dy, k},
                                              .b = {FSHMEM_FP32_ROWS, w, ld},
                                              .c = dx,
                                              .ldc = ld},
                             &list[0]));
    const fshmem_element_t gate = {m, n, 1, dx, ld, y, ld, dx, ld, {0}};
    const fshmem_element_t sums = {m, n, 1, dx, ld, 0, 0, y, 0, {0}};
    const fshmem_element_t faster = {1, n, momentum, v, 0, y, 0, v, 0, {0}};
    const fshmem_element_t further = {1, n, -rate, v, 0, b, 0, b, 0, {0}};
    float *mask = (float *)cores_alloc(m * ld * 4);

    memcpy(mask, cores_at(y), m * ld * 4);
    FINE(fshmem_command_gate(&gate, &list[1]));
    FINE(fshmem_command_sum(&sums, &list[2]));
    FINE(fshmem_command_axpy(&faster, &list[3]));
    FINE(fshmem_command_axpy(&further, &list[4]));
    FINE(fshmem_submit(conf.me, list, 5));
    for (uint64_t j = 0; j < n; j++) {
        double got = cores_at(b)[j];

        sum = 0;
        for (uint64_t i = 0; i < m; i++) {
            product = 0;
            for (uint64_t x = 0; x < k && mask[i * ld + j] > 0; x++) {
                product += (double)cores_at(dy)[i * k + x] *
                           (double)cores_at(w)[x * ld + j];
            }
            sum += product;
        }
        CHECK(fabs(got + 0.05 * sum) <=
                  0.05 * 1.01 * (double)m * cores_bound(k),
              "%g, want %g", got, -0.05 * sum);
        CHECK(j > 0 || m == 1 || got != 0, "a step that goes nowhere");
    }
    free(mask);
}

/* What is written arrives at the next node, which is told. */
static void sent(struct conf_rng *rng, uint64_t m, uint64_t n)
{
    const gasnet_node_t next = (conf.me + 1) % conf.n;
    fshmem_element_t e = {
        .m = m, .n = n, .scale = 0.5f, .ldx = n, .ldw = n, .ldc = n};
    fshmem_command_t command;
    uint64_t values = m * n;

    cores_reset();
    e.x = cores_take(values * 4);
    e.w = cores_take(values * 4);
    e.c = cores_take(values * 4);
    e.flow.send_nodes = e.flow.signal_nodes = FSHMEM_NODE(next);
    e.flow.send_offset = cores_take(values * 4);
    e.flow.send_count = 100;
    e.flow.signal_event = EVENT;
    cores_fill(cores_at(e.x), m, n, n, rng);
    cores_fill(cores_at(e.w), m, n, n, rng);
    memset(cores_at(e.flow.send_offset), 0, values * 4);
    conf_barrier();
    FINE(fshmem_command_axpy(&e, &command));
    cores_run(&command);
    FINE(fshmem_await(EVENT, 1));
    conf_barrier();
    if (conf.n > 1) {
        float *there = (float *)cores_alloc(values * 4);

        gasnet_get(there, next, conf_addr(next) + e.flow.send_offset,
                   values * 4);
        CHECK_BITS(there, n, cores_at(e.c), n, m, n);
        free(there);
    }
    conf_barrier();
}

int main(int argc, char **argv)
{
    cores_start("element", &argc, &argv, SEGMENT);
    struct conf_rng rng = conf_rng(conf.me);

    for (int i = conf_iters(ROUNDS, 4); i > 0; i--) {
        random_one(&rng);
    }
    step(&rng, 1, 1);
    step(&rng, 30, 100);
    sent(&rng, 3, 320);
    conf_pass();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All ranks command the cores of all nodes at once, more than their queues
 * hold, while all cores send their results to each other and all ranks put
 * into all segments. Every result is correct, to the bit, and every
 * signal is counted once.
 */
#include "cores.h"

enum { SEGMENT = 8 << 20, M = 24, N = 20, K = 33, LDA = 48, LD = 32 };
enum { ROUNDS = 12, NOISE = 700, ARRIVED = 11, COMPUTED = 12 };

#define A_BYTES (M * LDA * 4u)
#define B_BYTES (K * LD * 4u)
#define C_BYTES (M * LD * 4u)

/* In every segment: for each commanding rank and round operands and results;
 * for each rank, node and round a place for what is sent. */
static fshmem_offset_t operands, products, inbox, noise;

static unsigned rounds;

static fshmem_offset_t operand_of(gasnet_node_t rank, unsigned round)
{
    return operands + (rank * rounds + round) * (uint64_t)(A_BYTES + B_BYTES);
}

static fshmem_offset_t product_of(gasnet_node_t rank, unsigned round)
{
    return products + (rank * rounds + round) * (uint64_t)C_BYTES;
}

static fshmem_offset_t inbox_of(gasnet_node_t rank, gasnet_node_t node,
                                unsigned round)
{
    return inbox +
           ((rank * conf.n + node) * rounds + round) * (uint64_t)C_BYTES;
}

static void numbers(gasnet_node_t node, gasnet_node_t rank, unsigned round,
                    float *a, float *b)
{
    struct conf_rng rng = conf_rng((node * 64 + rank) * 64 + round);

    cores_fill(a, M, K, LDA, &rng);
    cores_fill(b, K, N, LD, &rng);
}

/* Who gets what node computes for rank. */
static fshmem_nodes_t receivers(gasnet_node_t rank, gasnet_node_t node,
                                unsigned round)
{
    return FSHMEM_NODE((rank + node + round) % conf.n) |
           FSHMEM_NODE((rank * 3 + round) % conf.n);
}

static fshmem_command_t product(gasnet_node_t node, unsigned round)
{
    fshmem_offset_t at = operand_of(conf.me, round);
    fshmem_gemm_t g = {.m = M, .n = N, .k = K, .ldc = LD};
    fshmem_command_t command;

    g.a = (fshmem_operand_t){FSHMEM_FP32_ROWS, at, LDA};
    g.b = (fshmem_operand_t){FSHMEM_FP32_ROWS, at + A_BYTES, LD};
    g.c = product_of(conf.me, round);
    g.flow.send_nodes = receivers(conf.me, node, round);
    g.flow.send_offset = inbox_of(conf.me, node, round);
    g.flow.send_count = 1 + 13 * round;
    g.flow.signal_nodes = g.flow.send_nodes;
    g.flow.signal_event = ARRIVED;
    FINE(fshmem_command_gemm(&g, &command));
    return command;
}

static void check_rows(const float *got, const float *want)
{
    CHECK_BITS(got, LD, want, LD, M, N);
}

static void check_all(void)
{
    float *a = (float *)cores_alloc(A_BYTES),
          *b = (float *)cores_alloc(B_BYTES);
    float *c = (float *)cores_alloc(C_BYTES);
    const struct fsh_matmul op = {.m = M,
                                  .n = N,
                                  .k = K,
                                  .a = {FSH_OPERAND_ROWS, a, LDA},
                                  .b = {FSH_OPERAND_COLUMNS, b, LD},
                                  .c = c,
                                  .ldc = LD};

    for (gasnet_node_t node = 0; node < conf.n; node++) {
        for (gasnet_node_t rank = 0; rank < conf.n; rank++) {
            for (unsigned round = 0; round < rounds; round++) {
                fshmem_nodes_t to = receivers(rank, node, round);

                numbers(node, rank, round, a, b);
                CHECK_EQ(fsh_matmul(&op, FSH_ISA_PORTABLE), FSH_KERNEL_OK);
                if (node == conf.me) {
                    check_rows(cores_at(product_of(rank, round)), c);
                } else if (to & FSHMEM_NODE(conf.me)) {
                    check_rows(cores_at(inbox_of(rank, node, round)), c);
                }
            }
        }
    }
    free(a);
    free(b);
    free(c);
}

/* Signals that will have come here. */
static unsigned arrivals(void)
{
    unsigned n = 0;

    for (gasnet_node_t node = 0; node < conf.n; node++) {
        for (gasnet_node_t rank = 0; rank < conf.n; rank++) {
            for (unsigned round = 0; round < rounds; round++) {
                n += (receivers(rank, node, round) & FSHMEM_NODE(conf.me)) != 0;
            }
        }
    }
    return n;
}

static void storm(void)
{
    static gasnet_handle_t handle[64 * ROUNDS * 2];
    static fshmem_status_t result[64 * ROUNDS];
    static unsigned char data[NOISE];
    size_t n = 0, commands = 0;

    conf_fill(data, NOISE, conf.me);
    for (unsigned round = 0; round < rounds; round++) {
        for (gasnet_node_t i = 0; i < conf.n; i++) {
            gasnet_node_t node = (conf.me + i) % conf.n;
            const fshmem_command_t command = product(node, round);

            FINE(fshmem_submit_nb(node, &command, 1, 0, &handle[n++],
                                  &result[commands++]));
            handle[n++] = gasnet_put_nb_bulk(
                node, conf_addr(node) + noise + conf.me * NOISE, data, NOISE);
        }
    }
    gasnet_wait_syncnb_all(handle, n);
    for (size_t i = 0; i < commands; i++) {
        FINE(result[i]);
    }
}

int main(int argc, char **argv)
{
    cores_start("storm", &argc, &argv, SEGMENT);
    rounds = (unsigned)conf_iters(ROUNDS, 3);
    operands = cores_take(conf.n * rounds * (uint64_t)(A_BYTES + B_BYTES));
    products = cores_take(conf.n * rounds * (uint64_t)C_BYTES);
    inbox = cores_take(conf.n * conf.n * rounds * (uint64_t)C_BYTES);
    noise = cores_take(conf.n * NOISE);

    for (gasnet_node_t rank = 0; rank < conf.n; rank++) {
        for (unsigned round = 0; round < rounds; round++) {
            fshmem_offset_t at = operand_of(rank, round);

            numbers(conf.me, rank, round, cores_at(at), cores_at(at + A_BYTES));
        }
    }
    conf_barrier();
    for (int lap = 0; lap < 3; lap++) {
        storm();
        FINE(fshmem_await(ARRIVED, arrivals()));
        /* What others had computed here and sent elsewhere. */
        conf_barrier();
        check_all();
        for (gasnet_node_t rank = 0; rank < conf.n; rank++) {
            conf_barrier();
            CHECK_FILL(conf_addr(conf.me) + noise + rank * NOISE, NOISE, rank);
        }
        memset(cores_at(products), 0, conf.n * rounds * (size_t)C_BYTES);
        memset(cores_at(inbox), 0, conf.n * conf.n * rounds * (size_t)C_BYTES);
        conf_barrier();
    }
    conf_pass();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Automatic result transfer: results of products and convolutions and encoded
 * operands, in PUTs of one value, of a prime number of values, of more than there
 * are; to one node, to several, to all; then the signal. Gaps between the rows of
 * a result are not sent.
 */
#include "cores.h"

enum { SEGMENT = 4 << 20, M = 37, N = 45, K = 70, DONE = 9 };
enum { LD = 64 }; /* of the results: rows have gaps */
#define BYTES (M * LD * 4u)
#define GAP 0x5a

static const uint32_t counts[] = {1, 7, 16, 31, 251, 1024, 0, 1000003};

static fshmem_offset_t a, b, c, inbox, coded, image;

static unsigned char *inbox_of(gasnet_node_t from)
{
    return conf_addr(conf.me) + inbox + from * (uint64_t)BYTES;
}

/* Every node computes with its own numbers, which all can make. */
static void numbers(gasnet_node_t node, float *to_a, float *to_b)
{
    struct conf_rng rng = conf_rng(1000 + node);

    cores_fill(to_a, M, K, 80, &rng);
    cores_fill(to_b, K, N, 48, &rng);
}

/* What node `from` sends: its product in rows that are LD apart, GAP between. */
static float *product_of(gasnet_node_t from)
{
    float *at = (float *)cores_alloc(M * 80 * 4);
    float *bt = (float *)cores_alloc(K * 48 * 4);
    float *out = (float *)cores_alloc(BYTES);
    const struct fsh_matmul op = {.m = M,
                                  .n = N,
                                  .k = K,
                                  .a = {FSH_OPERAND_ROWS, at, 80},
                                  .b = {FSH_OPERAND_COLUMNS, bt, 48},
                                  .c = out,
                                  .ldc = LD};

    memset(out, GAP, BYTES);
    numbers(from, at, bt);
    CHECK_EQ(fsh_matmul(&op, FSH_ISA_PORTABLE), FSH_KERNEL_OK);
    free(at);
    free(bt);
    return out;
}

static fshmem_nodes_t all_nodes(void)
{
    fshmem_nodes_t set = 0;

    for (gasnet_node_t n = 0; n < conf.n; n++) {
        set |= FSHMEM_NODE(n);
    }
    return set;
}

/* The set of nodes that `from` sends to in this round. */
static fshmem_nodes_t receivers(gasnet_node_t from, unsigned round)
{
    switch (round % 3) {
    case 0:
        return FSHMEM_NODE((from + 1) % conf.n);
    case 1:
        return FSHMEM_NODE(0) | FSHMEM_NODE(conf.n - 1);
    default:
        return all_nodes();
    }
}

static fshmem_gemm_t product(unsigned round)
{
    fshmem_gemm_t g = {.m = M, .n = N, .k = K, .c = c, .ldc = LD};

    g.a = (fshmem_operand_t){FSHMEM_FP32_ROWS, a, 80};
    g.b = (fshmem_operand_t){FSHMEM_FP32_ROWS, b, 48};
    g.flow.send_nodes = receivers(conf.me, round);
    g.flow.send_offset = inbox + conf.me * (uint64_t)BYTES;
    g.flow.send_count = counts[round % (sizeof counts / sizeof counts[0])];
    g.flow.signal_nodes = receivers(conf.me, round);
    g.flow.signal_event = DONE;
    return g;
}

/* Everything that is sent to this node has come, whole, and nothing else. */
static void check_inbox(unsigned round)
{
    for (gasnet_node_t from = 0; from < conf.n; from++) {
        bool sent =
            receivers(from, round) & FSHMEM_NODE(conf.me) && from != conf.me;

        if (!sent) {
            CHECK_BYTES(inbox_of(from), BYTES, GAP);
            continue;
        }
        float *want = product_of(from);
        CHECK(memcmp(inbox_of(from), want, BYTES) == 0,
              "round %u: what node %u sent", round, (unsigned)from);
        free(want);
    }
}

static unsigned senders(unsigned round)
{
    unsigned n = 0;

    for (gasnet_node_t from = 0; from < conf.n; from++) {
        n += (receivers(from, round) & FSHMEM_NODE(conf.me)) != 0;
    }
    return n;
}

static void results(unsigned round)
{
    fshmem_gemm_t g = product(round);
    fshmem_command_t command;

    memset(inbox_of(0), GAP, conf.n * (size_t)BYTES);
    numbers(conf.me, cores_at(a), cores_at(b));
    conf_barrier();
    FINE(fshmem_command_gemm(&g, &command));
    FINE(fshmem_submit(conf.me, &command, 1));
    if (senders(round) != 0) {
        FINE(fshmem_await(DONE, senders(round)));
    }
    check_inbox(round);
    conf_barrier();
}

/* The encoded operand instead, of an ENCODE and of a GEMM that emits. */
static void operands(unsigned round)
{
    uint64_t bytes = fshmem_encoded_size(N, K);
    gasnet_node_t next = (conf.me + 1) % conf.n;
    fshmem_gemm_t g = product(round);
    fshmem_encode_t e = {.rows = N, .k = K, .to = coded, .flow = g.flow};
    fshmem_command_t command;

    numbers(conf.me, cores_at(a), cores_at(b));
    memset(inbox_of(0), GAP, BYTES);
    g.flags = FSHMEM_EMIT;
    g.emit = coded;
    e.from = (fshmem_operand_t){FSHMEM_FP32_COLUMNS, b, 48};
    e.flow.send_nodes = g.flow.send_nodes = FSHMEM_NODE(next);
    e.flow.signal_nodes = g.flow.signal_nodes = FSHMEM_NODE(next);
    e.flow.send_offset = g.flow.send_offset = inbox;
    conf_barrier();
    FINE(round % 2 ? fshmem_command_gemm(&g, &command)
                   : fshmem_command_encode(&e, &command));
    cores_run(&command);
    FINE(fshmem_await(DONE, 1));
    if (conf.n > 1) {
        /* The one before has other numbers: use what it sent. */
        float *want = product_of((conf.me + conf.n - 1) % conf.n);

        numbers((conf.me + conf.n - 1) % conf.n, cores_at(a), cores_at(b));
        memset(cores_at(c), GAP, BYTES);
        g.b = (fshmem_operand_t){FSHMEM_BFP, inbox, 0};
        g.flags = 0;
        memset(&g.flow, 0, sizeof g.flow);
        FINE(fshmem_command_gemm(&g, &command));
        cores_run(&command);
        CHECK(memcmp(cores_at(c), want, BYTES) == 0, "product with operand");
        free(want);
        CHECK_BYTES(conf_addr(conf.me) + inbox + bytes, 64, GAP);
    }
    conf_barrier();
}

/* A wide image: its pieces are put together at the receiver. */
static void wide_image(uint32_t count)
{
    enum { WIDTH = 1400 };
    gasnet_node_t next = (conf.me + 1) % conf.n;
    fshmem_conv_t v = {.in_channels = 16,
                       .in_height = 3,
                       .in_width = WIDTH,
                       .out_channels = 16,
                       .kernel_height = 3,
                       .kernel_width = 3,
                       .stride = 1,
                       .pad_top = 1,
                       .pad_left = 1,
                       .input = image};
    uint64_t bytes = 3u * WIDTH * 64;
    struct conf_rng rng = conf_rng(7);
    fshmem_command_t command;

    v.kernels = v.input + bytes;
    v.output = v.kernels + 16u * 9 * 64;
    v.flow.send_offset = v.output + bytes;
    v.flow.send_nodes = v.flow.signal_nodes = FSHMEM_NODE(next);
    v.flow.send_count = count;
    v.flow.signal_event = DONE;
    cores_fill(cores_at(v.input), 1, bytes / 4, 0, &rng);
    cores_fill(cores_at(v.kernels), 1, 16 * 9 * 16, 0, &rng);
    memset(cores_at(v.flow.send_offset), GAP, bytes + 64);
    conf_barrier();
    FINE(fshmem_command_conv(&v, &command));
    cores_run(&command);
    FINE(fshmem_await(DONE, 1));
    if (conf.n > 1) {
        CHECK(memcmp(cores_at(v.output), cores_at(v.flow.send_offset), bytes) ==
                  0,
              "image");
    }
    CHECK_BYTES(conf_addr(conf.me) + v.flow.send_offset + bytes, 64, GAP);
    conf_barrier();
}

int main(int argc, char **argv)
{
    cores_start("art", &argc, &argv, SEGMENT);
    a = cores_take(M * 80 * 4);
    b = cores_take(K * 48 * 4);
    c = cores_take(BYTES);
    coded = cores_take(fshmem_encoded_size(N, K));
    inbox = cores_take(conf.n * (uint64_t)BYTES + 64);
    image = cores_take(3u * 1400 * 64 * 3 + 16 * 9 * 64 + 64);

    for (unsigned round = 0; round < 12; round++) {
        results(round);
    }
    for (unsigned round = 0; round < 4; round++) {
        operands(round);
    }
    wide_image(16);
    wide_image(1009);
    conf_pass();
}

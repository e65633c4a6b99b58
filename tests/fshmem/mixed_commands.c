/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * With FSHMEM_BRIDGE=1, ranks without a card have the cores of the others compute
 * (fshmem_bridge_exchange): products like the model's to the bit, commands of both queues that
 * wait for each other and send to another card, whose node has another number than its
 * rank; failures. Meanwhile the ranks of the cards make no call of the library. FSHMEM_CARDS
 * is a list.
 */
#include "cores.h"

#include <time.h>

#include "base/fsh_spec.h"

enum { PART = 1 << 18, SECONDS = 80, M = 21, N = 40, K = 50, ROUNDS = 2 };

static bool has_card[64];

static void read_cards(void)
{
    const char *at = gasnet_getenv("FSHMEM_CARDS");

    CHECK(at != NULL && strchr(at, ',') != NULL, "FSHMEM_CARDS: a list");
    while (*at != '\0') {
        char *end;
        unsigned long rank = strtoul(at, &end, 10);

        CHECK(end != at && rank < conf.n, "FSHMEM_CARDS: '%s'", at);
        has_card[rank] = true;
        at = *end == ',' ? end + 1 : end;
    }
}

static gasnet_node_t next_card(gasnet_node_t node)
{
    do {
        node = (node + 1) % conf.n;
    } while (!has_card[node]);
    return node;
}

/* This rank's part of a card: A, B and C, where C comes as sent, and a byte that says that
 * this rank is done. */
static struct place {
    fshmem_offset_t a, b, c, sent, done;
    uint64_t in, out; /* bytes of A with B, and of C */
} place;

static void take_place(void)
{
    cores_next = (uint64_t)conf.me * PART;
    place.a = cores_take(M * cores_ld(K) * 4);
    place.b = cores_take(K * cores_ld(N) * 4);
    place.in = cores_next - place.a;
    place.c = cores_take(M * cores_ld(N) * 4);
    place.out = cores_next - place.c;
    place.sent = cores_take(place.out);
    place.done = cores_take(64);
    CHECK(cores_next <= (uint64_t)(conf.me + 1) * PART, "a part");
}

static fshmem_command_t product(const fshmem_flow_t *flow)
{
    const fshmem_gemm_t g = {
        .m = M,
        .n = N,
        .k = K,
        .a = {FSHMEM_FP32_ROWS, place.a, cores_ld(K)},
        .b = {FSHMEM_FP32_ROWS, place.b, cores_ld(N)},
        .c = place.c,
        .ldc = cores_ld(N),
        .flow = *flow,
    };
    fshmem_command_t command;

    FINE(fshmem_command_gemm(&g, &command));
    return command;
}

/* What the model makes of A and B in `in`. */
static void expect(const float *in, float *c)
{
    const struct fsh_matmul op = {
        .m = M,
        .n = N,
        .k = K,
        .a = {FSH_OPERAND_ROWS, in, cores_ld(K)},
        .b = {FSH_OPERAND_COLUMNS, in + (place.b - place.a) / 4, cores_ld(N)},
        .c = c,
        .ldc = cores_ld(N),
    };

    CHECK_EQ(fsh_matmul(&op, FSH_ISA_PORTABLE), FSH_KERNEL_OK);
}

/* The product; and, if there is another card, sent there by the other queue. */
static void compute(gasnet_node_t node, struct conf_rng *rng, unsigned flags)
{
    gasnet_node_t other = next_card(node);
    fshmem_flow_t flow = {0};
    fshmem_send_t send = {.from = place.c,
                          .bytes = place.out,
                          .flow = {.await_event = conf.me,
                                   .await_count = 1,
                                   .send_nodes = FSHMEM_NODE(other),
                                   .send_offset = place.sent}};
    float *in = cores_alloc(place.in), *want = cores_alloc(place.out);
    float *got = cores_alloc(place.out);
    fshmem_command_t command[2];
    fshmem_bridge_transfer_t t = {in, place.in, place.a,   command,
                                  1,  got,      place.out, place.c};

    cores_fill(in, 1, place.in / 4, 0, rng);
    expect(in, want);
    if (other != node) {
        flow.signal_event = conf.me;
        flow.signal_nodes = FSHMEM_NODE(node);
        t.count = 2;
    }
    FINE(fshmem_command_send(&send, &command[0]));
    command[t.count - 1] = product(&flow);
    FINE(fshmem_bridge_exchange(node, &t, flags));
    CHECK_BITS(got, cores_ld(N), want, cores_ld(N), M, N);
    if (other != node) {
        memset(got, 0, place.out);
        FINE(fshmem_bridge_get(got, other, place.sent, place.out, flags));
        CHECK_BITS(got, cores_ld(N), want, cores_ld(N), M, N);
    }
    free(in);
    free(want);
    free(got);
}

/* One command of many, made by hand, since the library makes none that the core takes for
 * malformed: nothing comes back. */
static void fail(gasnet_node_t node)
{
    const fshmem_flow_t none = {0};
    fshmem_command_t command[50];
    uint32_t bytes[2] = {0x55555555, 0};
    fshmem_bridge_transfer_t t = {bytes, 4,         place.c, command,
                                  50,    &bytes[1], 4,       place.c};
    uint64_t word;

    for (unsigned i = 0; i < 50; i++) {
        FINE(fshmem_command_nop(i % 2 == 0, &none, &command[i]));
    }
    FINE(fshmem_bridge_exchange(node, &t, 0));
    CHECK_EQ(bytes[1], bytes[0]);
    bytes[1] = 1;
    memcpy(&word, &command[40], sizeof word);
    word |= FSH_COP_GEMM; /* without sizes */
    memcpy(&command[40], &word, sizeof word);
    REFUSED(fshmem_bridge_exchange(node, &t, 0), FSHMEM_ERR_COMMAND);
    CHECK(strstr(fshmem_bridge_why(node), "BAD_COMMAND") != NULL, "%s",
          fshmem_bridge_why(node));
    CHECK_EQ(fshmem_bridge_wait(node), FSHMEM_ERR_COMMAND);
    CHECK_EQ(bytes[1], 1);
}

/* More than a server takes. */
static void exceed(gasnet_node_t node)
{
    const fshmem_flow_t none = {0};
    const size_t n = 65537;
    fshmem_command_t *command =
        (fshmem_command_t *)cores_alloc(n * sizeof *command);
    fshmem_bridge_transfer_t t = {command, 4, place.c, command, n, 0, 0, 0};

    FINE(fshmem_command_nop(0, &none, &command[0]));
    for (size_t i = 1; i < n; i++) {
        command[i] = command[0];
    }
    REFUSED(fshmem_bridge_exchange(node, &t, 0), FSHMEM_ERR_ARGUMENT);
    CHECK(strstr(fshmem_bridge_why(node), "1 to 65536 commands") != NULL, "%s",
          fshmem_bridge_why(node));
    free(command);
}

/* What is wrong is said before anything moves. */
static void refuse(gasnet_node_t node)
{
    uint32_t there = 7, bytes = 8;
    fshmem_send_t send = {.from = (fshmem_offset_t)conf.n * PART, .bytes = 4};
    fshmem_command_t command;
    fshmem_bridge_transfer_t t = {&bytes, 4, place.c, &command, 1, 0, 0, 0};

    FINE(fshmem_bridge_put(node, place.c, &there, 4, 0));
    send.flow.send_nodes = FSHMEM_NODE(next_card(node));
    FINE(fshmem_command_send(&send, &command));
    REFUSED(fshmem_bridge_exchange(node, &t, 0), FSHMEM_ERR_RANGE);
    send.from = 0;
    send.flow.send_nodes = FSHMEM_NODE(conf.me);
    FINE(fshmem_command_send(&send, &command));
    REFUSED(fshmem_bridge_exchange(node, &t, 0), FSHMEM_ERR_ABSENT);
    memset(&command, 0, sizeof command);
    REFUSED(fshmem_bridge_exchange(node, &t, 0), FSHMEM_ERR_ARGUMENT);
    FINE(fshmem_bridge_get(&there, node, place.c, 4, 0));
    CHECK_EQ(there, 7);
    FINE(fshmem_command_nop(0, &(const fshmem_flow_t){0}, &command));
    REFUSED(fshmem_submit(node, &command, 1), FSHMEM_ERR_ABSENT);
}

static void without_card(void)
{
    struct conf_rng rng = conf_rng(conf.me);
    const unsigned char done = 1;

    for (gasnet_node_t node = 0; node < conf.n; node++) {
        if (has_card[node]) {
            for (int i = 0; i < ROUNDS; i++) {
                compute(node, &rng, i == 1 ? FSHMEM_BRIDGE_NAIVE : 0);
            }
            fail(node);
            refuse(node);
            exceed(node);
        }
    }
    for (gasnet_node_t node = 0; node < conf.n; node++) {
        if (has_card[node]) {
            FINE(fshmem_bridge_put(node, place.done, &done, 1, 0));
        }
    }
}

/* Until all others are done, without a call of the library. */
static void with_card(void)
{
    const struct timespec ms = {0, 1000000};
    struct timespec begun, now;

    clock_gettime(CLOCK_MONOTONIC, &begun);
    for (gasnet_node_t r = 0; r < conf.n; r++) {
        const volatile unsigned char *done = conf_addr(conf.me) +
                                             (uint64_t)r * PART + place.done -
                                             (uint64_t)conf.me * PART;

        while (!has_card[r] && *done == 0) {
            nanosleep(&ms, NULL);
            clock_gettime(CLOCK_MONOTONIC, &now);
            CHECK(now.tv_sec - begun.tv_sec < SECONDS,
                  "rank %u is not done in %d s", (unsigned)r, SECONDS);
        }
    }
}

int main(int argc, char **argv)
{
    fshmem_bridge_info_t info;

    conf_start("mixed_commands", &argc, &argv, NULL, 0, 4 * PART);
    read_cards();
    take_place();
    memset(conf_addr(conf.me), 0, (size_t)PART * conf.n);
    for (gasnet_node_t r = 0; r < conf.n; r++) {
        FINE(fshmem_bridge_info(r, &info));
        CHECK_EQ(info.present, has_card[r]);
    }
    conf_barrier();
    if (has_card[conf.me]) {
        with_card();
    } else {
        without_card();
    }
    conf_barrier();
    conf_pass();
}

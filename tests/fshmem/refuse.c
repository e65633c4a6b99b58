/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a submission refuses, without any effect: nodes that do not
 * exist, operands past the end of a segment locally or at a receiver, commands
 * that were not built, calls from handlers. Refusals that need no job are in
 * tests/unit/api_plan.c.
 */
#include "cores.h"

enum { SEGMENT = 1 << 20, SMALL = 1 << 16, SIZE = 64 };

static fshmem_status_t in_handler[6];
static int handled;

static void on_message(gasnet_token_t token)
{
    const fshmem_flow_t none = {0};
    fshmem_compute_info_t info;
    fshmem_command_t command;
    gasnet_handle_t handle;
    fshmem_offset_t offset;
    fshmem_core_counters_t counters;

    (void)token;
    FINE(fshmem_command_nop(0, &none, &command));
    FINE(fshmem_compute_info(0, &info));
    FINE(fshmem_offset(conf.me, conf_addr(conf.me), &offset));
    in_handler[0] = fshmem_submit_nb(0, &command, 1, 0, &handle, NULL);
    in_handler[1] = fshmem_submit(0, &command, 1);
    in_handler[2] = fshmem_signal(0, 0, 1);
    in_handler[3] = fshmem_await(0, 1);
    in_handler[4] = fshmem_core_counters(&counters);
    in_handler[5] = fshmem_core_counters_clear();
    conf_add(&handled, 1);
}

static fshmem_status_t submit(gasnet_node_t node, const fshmem_gemm_t *gemm)
{
    fshmem_command_t command;

    FINE(fshmem_command_gemm(gemm, &command));
    return fshmem_submit(node, &command, 1);
}

/* Every operand alone past the end of the segment of `node`, `size` bytes. */
static void ranges(gasnet_node_t node, uint64_t size)
{
    const uint64_t bytes = SIZE * SIZE * 4;
    const fshmem_gemm_t good = {.m = SIZE,
                                .n = SIZE,
                                .k = SIZE,
                                .a = {FSHMEM_FP32_ROWS, 0, SIZE},
                                .b = {FSHMEM_FP32_ROWS, 0, SIZE},
                                .c = size - bytes,
                                .ldc = SIZE,
                                .flags = FSHMEM_BIAS,
                                .bias = size - SIZE * 4};
    fshmem_gemm_t g = good;

    FINE(submit(node, &g));
    g.c += 64;
    REFUSED(submit(node, &g), FSHMEM_ERR_RANGE);
    g = good;
    g.a.offset = size - bytes + 64;
    REFUSED(submit(node, &g), FSHMEM_ERR_RANGE);
    g = good;
    g.b.offset = size - bytes + 64;
    REFUSED(submit(node, &g), FSHMEM_ERR_RANGE);
    g = good;
    g.bias += 64;
    REFUSED(submit(node, &g), FSHMEM_ERR_RANGE);
    g = good;
    g.b.format = FSHMEM_BFP;
    g.b.offset = size - 4352;
    FINE(submit(node, &g));
    g.b.offset += 64;
    REFUSED(submit(node, &g), FSHMEM_ERR_RANGE);
    /* Past the end, but not past that of the library's area behind it. */
    g = good;
    g.c = size;
    REFUSED(submit(node, &g), FSHMEM_ERR_RANGE);
}

/* Receivers have segments of their own: node 0 a large one, the others not. */
static void receivers(gasnet_node_t node, uint64_t size)
{
    gasnet_node_t other = (node + 1) % conf.n;
    uint64_t there = conf.seg[other].size;
    fshmem_send_t s = {.from = 0, .bytes = 4096};
    fshmem_command_t command;

    s.flow.send_nodes = FSHMEM_NODE(other) | FSHMEM_NODE(node);
    s.flow.send_offset = (there < size ? there : size) - 4096;
    FINE(fshmem_command_send(&s, &command));
    FINE(fshmem_submit(node, &command, 1));
    s.flow.send_offset = there - 4096 + 64;
    FINE(fshmem_command_send(&s, &command));
    REFUSED(fshmem_submit(node, &command, 1),
            other == node ? FSHMEM_OK : FSHMEM_ERR_RANGE);
    s.flow.send_nodes = FSHMEM_NODE(conf.n);
    FINE(fshmem_command_send(&s, &command));
    REFUSED(fshmem_submit(node, &command, 1), FSHMEM_ERR_NODE);
    s.flow.send_nodes = FSHMEM_NODE(node);
    s.flow.signal_nodes = FSHMEM_NODE(63);
    s.flow.send_offset = 0;
    FINE(fshmem_command_send(&s, &command));
    REFUSED(fshmem_submit(node, &command, 1), FSHMEM_ERR_NODE);
}

static void arguments(void)
{
    const fshmem_flow_t none = {0};
    fshmem_command_t command, unbuilt;
    fshmem_compute_info_t info;
    gasnet_handle_t handle;
    fshmem_offset_t offset;

    memset(&unbuilt, 0, sizeof unbuilt);
    FINE(fshmem_command_nop(0, &none, &command));
    REFUSED(fshmem_submit(conf.n, &command, 1), FSHMEM_ERR_NODE);
    REFUSED(fshmem_submit(0, NULL, 1), FSHMEM_ERR_ARGUMENT);
    REFUSED(fshmem_submit(0, &unbuilt, 1), FSHMEM_ERR_ARGUMENT);
    REFUSED(fshmem_submit_nb(0, &command, 1, 0, NULL, NULL),
            FSHMEM_ERR_ARGUMENT);
    REFUSED(fshmem_submit_nb(0, &command, 1, 2, &handle, NULL),
            FSHMEM_ERR_ARGUMENT);
    REFUSED(fshmem_signal(conf.n, 0, 1), FSHMEM_ERR_NODE);
    REFUSED(fshmem_signal(0, 64, 1), FSHMEM_ERR_ARGUMENT);
    REFUSED(fshmem_signal(0, 0, 0), FSHMEM_ERR_ARGUMENT);
    REFUSED(fshmem_signal(0, 0, 256), FSHMEM_ERR_ARGUMENT);
    REFUSED(fshmem_signal_nb(0, 0, 1, NULL), FSHMEM_ERR_ARGUMENT);
    REFUSED(fshmem_await(64, 1), FSHMEM_ERR_ARGUMENT);
    REFUSED(fshmem_await(0, 0), FSHMEM_ERR_ARGUMENT);
    REFUSED(fshmem_await(0, 65536), FSHMEM_ERR_ARGUMENT);
    REFUSED(fshmem_compute_info(conf.n, &info), FSHMEM_ERR_NODE);
    REFUSED(fshmem_compute_info(0, NULL), FSHMEM_ERR_ARGUMENT);
    REFUSED(fshmem_core_counters(NULL), FSHMEM_ERR_ARGUMENT);
    REFUSED(fshmem_offset(conf.n, NULL, &offset), FSHMEM_ERR_NODE);
    REFUSED(fshmem_offset(0, conf_addr(0), NULL), FSHMEM_ERR_ARGUMENT);
    REFUSED(fshmem_offset(0, conf_addr(0) + conf.seg[0].size + 1, &offset),
            FSHMEM_ERR_RANGE);
    FINE(fshmem_offset(0, conf_addr(0) + conf.seg[0].size, &offset));
    CHECK_EQ(offset, conf.seg[0].size);
}

static void from_handlers(void)
{
    OK(gasnet_AMRequestShort0((conf.me + 1) % conf.n, 200));
    CONF_WAIT(handled, 1);
    for (int i = 0; i < CONF_COUNT(in_handler); i++) {
        REFUSED(in_handler[i], FSHMEM_ERR_CALL);
    }
}

static void before_attach(void)
{
    const fshmem_flow_t none = {0};
    fshmem_compute_info_t info;
    fshmem_command_t command;
    fshmem_offset_t offset;
    fshmem_core_counters_t counters;

    FINE(fshmem_command_nop(0, &none, &command));
    REFUSED(fshmem_submit(0, &command, 1), FSHMEM_ERR_CALL);
    REFUSED(fshmem_signal(0, 0, 1), FSHMEM_ERR_CALL);
    REFUSED(fshmem_await(0, 1), FSHMEM_ERR_CALL);
    REFUSED(fshmem_core_counters(&counters), FSHMEM_ERR_CALL);
    REFUSED(fshmem_core_counters_clear(), FSHMEM_ERR_CALL);
    REFUSED(fshmem_compute_info(0, &info), FSHMEM_ERR_CALL);
    REFUSED(fshmem_offset(0, NULL, &offset), FSHMEM_ERR_CALL);
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {{200, (void (*)())on_message}};
    fshmem_compute_info_t info;

    conf_init("refuse", &argc, &argv);
    before_attach();
    /* Segments differ, and what follows must know whose is meant. */
    OK(gasnet_attach(table, 1, gasnet_mynode() == 0 ? SEGMENT : SMALL, 0));
    conf.seg = (gasnet_seginfo_t *)calloc(conf.n, sizeof *conf.seg);
    OK(gasnet_getSegmentInfo(conf.seg, (int)conf.n));
    conf_barrier();
    FINE(fshmem_compute_info(0, &info));
    if (!info.present) {
        conf_skip("no compute core");
    }
    arguments();
    for (gasnet_node_t node = 0; node < conf.n; node++) {
        if (conf.me == (node + 1) % conf.n) {
            ranges(node, conf.seg[node].size);
            receivers(node, conf.seg[node].size);
        }
        conf_barrier();
    }
    from_handlers();
    conf_pass();
}

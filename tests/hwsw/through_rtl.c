/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Everything goes through the RTL. Several programs in one, conduit fpga only:
 *   bytes    after random puts, gets and messages, loopback included, the payload
 *            bytes counted by the RTL of all nodes equal those given to the API
 *   stopped  while the simulator is stopped, no put completes, loopback
 *            included; when it continues, all do
 *   range    a command whose local or remote range leaves the segment is refused
 *            with a status, by the initiator (whole) or by the target (packet
 *            by packet), and the node continues
 *   laps     more completions, messages and replies than their rings have entries:
 *            the device learns in time what this host has consumed
 *   outside, corrupt  such a command, and one with a wrong check byte, must end
 *            the job with the reason (the caller expects failure)
 *   nobody   a put to a node that does not respond to its number travels around the ring
 *            of three and must end the job with the reason
 *   lost     a put whose packets are dropped must end the job by the watchdog,
 *            which names it
 * Run as: through_rtl <mode> [seed]
 */
#include <gasnet.h>

#include <inttypes.h>
#include <signal.h>
#include <time.h>

#include "boot/boot.h"
#include "conduit/fpga/fpga.h"
#include "conduit/fpga/state.h"

enum {
    MEDIUM = 200,
    ASK,
    ANSWER,
    SEGMENT = 1 << 20,
    AREA = 1 << 16,
    ROUNDS = 60
};

static gasnet_node_t me, ranks;
static unsigned char *segment[64];
static unsigned char private_memory[AREA];
static unsigned arrived;

static void medium(gasnet_token_t token, void *buf, size_t nbytes)
{
    (void)token, (void)buf, (void)nbytes;
    __atomic_add_fetch(&arrived, 1, __ATOMIC_RELAXED);
}

static void ask(gasnet_token_t token)
{
    gasnet_AMReplyShort0(token, ANSWER);
}

static void answer(gasnet_token_t token)
{
    (void)token;
    __atomic_add_fetch(&arrived, 1, __ATOMIC_RELAXED);
}

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "through_rtl: rank %u: %s\n", me, what);
    gasnet_exit(1);
    abort();
}

static void barrier(void)
{
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct totals {
    uint64_t put, get, am, credits, rtl;
};

static struct totals job_totals(void)
{
    struct fsh_fpga_bytes bytes = fsh_fpga_bytes();
    struct totals mine = {bytes.put, bytes.get, bytes.am, bytes.credits,
                          fsh_fpga_perf_read(FSH_PERF_WRITTEN).sum};
    struct totals all[64], sum = {0};

    fsh_boot_exchange(&mine, sizeof mine, all);
    for (unsigned r = 0; r < ranks; r++) {
        sum.put += all[r].put;
        sum.get += all[r].get;
        sum.am += all[r].am;
        sum.credits += all[r].credits;
        sum.rtl += all[r].rtl;
    }
    return sum;
}

/* Owed credits leave when ranks are idle, so the sums agree at some quiet
 * moment soon, or never. */
static struct totals quiet_totals(void)
{
    struct totals t;

    for (unsigned i = 0; i < 100; i++) {
        for (unsigned k = 0; k < 1000; k++)
            gasnet_AMPoll();
        t = job_totals();
        if (t.rtl == t.put + t.get + t.am + t.credits)
            return t;
    }
    if (me == 0)
        fprintf(stderr,
                "through_rtl: the RTL wrote %" PRIu64 " bytes, the API "
                "moved %" PRIu64 " put, %" PRIu64 " got, %" PRIu64
                " in messages, %" PRIu64 " of credits\n",
                t.rtl, t.put, t.get, t.am, t.credits);
    fail("the counts differ");
}

static void mode_bytes(unsigned seed)
{
    uint64_t put = 0, get = 0, am = 0, given[3], all[64][3];
    struct totals before = quiet_totals();

    srand(seed + me);
    for (unsigned i = 0; i < ROUNDS; i++) {
        gasnet_node_t node = (gasnet_node_t)rand() % ranks;
        size_t n = (size_t)rand() % 3000, at = (size_t)rand() % 5000;
        unsigned char *local =
            rand() % 2 ? private_memory + at : segment[me] + 2 * AREA + at;
        put += n;
        gasnet_put(node, segment[node] + at, local, n);
        get += n;
        gasnet_get(local, node, segment[node] + AREA + at, n);
        am += n;
        if (gasnet_AMRequestMedium0(node, MEDIUM, local, n) != GASNET_OK)
            fail("AMRequestMedium");
    }
    barrier();
    given[0] = put, given[1] = get, given[2] = am;
    fsh_boot_exchange(given, sizeof given, all);
    put = get = am = 0;
    for (unsigned r = 0; r < ranks; r++)
        put += all[r][0], get += all[r][1], am += all[r][2];
    struct totals after = quiet_totals();
    if (after.put - before.put != put || after.get - before.get != get ||
        after.am - before.am != am)
        fail("the conduit counted other bytes than the API was given");
    if (put == 0 || get == 0 || am == 0)
        fail("nothing was moved");
}

static void mode_stopped(void)
{
    pid_t sim = atomic_load(&fsh_boot_page()->sim_pid);

    for (gasnet_node_t node = 0; node < ranks; node++) {
        unsigned char value = (unsigned char)(node + 1);
        double end;
        gasnet_handle_t h;

        fsh_boot_barrier("through_rtl");
        if (me == 0 && kill(sim, SIGSTOP) != 0)
            fail("cannot stop the simulator");
        fsh_boot_barrier("through_rtl stopped");
        if (me == 0) {
            h = gasnet_put_nb(node, segment[node], &value, 1);
            for (end = now() + 0.2; now() < end;)
                if (gasnet_try_syncnb(h) == GASNET_OK)
                    fail("a put completed without the simulator");
            kill(sim, SIGCONT);
            gasnet_wait_syncnb(h);
        }
        fsh_boot_barrier("through_rtl going on");
        if (me == node && segment[me][0] != value)
            fail("the put did not arrive");
    }
}

static void await_failure(void)
{
    for (double end = now() + 20; now() < end;)
        gasnet_AMPoll();
    fprintf(stderr, "through_rtl: the bad command was not noticed\n");
    gasnet_exit(0);
}

/* Where the segment ends for the device: behind the library's area. */
static size_t device_end(void)
{
    return SEGMENT + fsh_fpga_area();
}

/* Bytes across that end, here or at `node`. */
static struct fsh_fpga_raw bad_command(uint8_t opcode, gasnet_node_t node,
                                       bool local)
{
    return (struct fsh_fpga_raw){
        .opcode = opcode,
        .node = node,
        .remote = local ? 0 : device_end() - 8,
        .local = local ? device_end() - 8 : 0,
        .length = 16,
    };
}

static void expect_status(const struct fsh_fpga_raw *raw, uint32_t status)
{
    struct fsh_fpga_record record;

    while (!fsh_fpga_raw_submit(raw, &record))
        gasnet_AMPoll();
    for (double end = now() + 20; !atomic_load(&record.done);) {
        gasnet_AMPoll();
        if (now() > end)
            fail("a command out of range was not answered");
    }
    if (record.status == status)
        return;
    fprintf(stderr, "through_rtl: status %u, not %u, node %u, opcode %u\n",
            record.status, status, raw->node, raw->opcode);
    fail("a command out of range");
}

/* The device knows the segment sizes of its peers and refuses by itself. Tell
 * it that they are larger, and only the target can. */
static void lie_about_peers(void)
{
    for (gasnet_node_t node = 0; node < ranks; node++)
        fsh_fpga.segs[node].size += GASNET_PAGESIZE;
    if (!fsh_fpga_set_ports(fsh_fpga_ports()))
        fail("cannot write the routes");
}

static void ranges_of(gasnet_node_t node)
{
    struct fsh_fpga_raw raw = bad_command(FSH_OP_PUT, node, true);

    expect_status(&raw, FSH_STATUS_LOCAL_RANGE);
    raw = bad_command(FSH_OP_GET, node, true);
    expect_status(&raw, FSH_STATUS_LOCAL_RANGE);
    raw = bad_command(FSH_OP_PUT, node, false);
    expect_status(&raw, FSH_STATUS_REMOTE_RANGE);
    raw = bad_command(FSH_OP_GET, node, false);
    expect_status(&raw, FSH_STATUS_REMOTE_RANGE);
}

static void mode_range(void)
{
    const uint64_t canary = UINT64_C(0x5a5aa5a5deadbeef);
    uint64_t *last = (uint64_t *)(void *)(segment[me] + device_end()) - 1;

    memset(segment[me], 0x33, 64);
    *last = canary;
    barrier();
    for (gasnet_node_t node = 0; node < ranks; node++)
        ranges_of(node);
    barrier();
    if (*last != canary)
        fail("a command that was refused wrote something");
    lie_about_peers(); /* the packet that is in range is written from now on */
    barrier();
    for (gasnet_node_t node = 0; node < ranks; node++) {
        ranges_of(node);
        gasnet_put(node, segment[node] + 64 + 8 * me, &canary, 8);
    }
    barrier();
    for (unsigned i = 0; i < 64; i++)
        if (segment[me][i] != 0x33)
            fail("a GET out of range wrote something");
    for (gasnet_node_t node = 0; node < ranks; node++)
        if (memcmp(segment[me] + 64 + 8 * node, &canary, 8) != 0)
            fail("a put after a command out of range did not arrive");
}

static void await_answers(unsigned count, double end)
{
    while (__atomic_load_n(&arrived, __ATOMIC_RELAXED) < count) {
        gasnet_AMPoll();
        if (now() > end)
            fail("a message or its reply is lost");
    }
}

static void mode_laps(void)
{
    enum { LAPS = FSH_RING_ENTRIES + FSH_RING_ENTRIES / 16, AT_ONCE = 32 };
    double end = now() + 80;

    for (unsigned i = 0; me == 0 && i < LAPS; i += AT_ONCE) {
        for (unsigned k = 0; k < AT_ONCE; k++) {
            gasnet_put_nbi(ranks - 1, segment[ranks - 1] + 8 * k,
                           private_memory + 8 * k, 8);
            if (gasnet_AMRequestShort0(ranks - 1, ASK) != GASNET_OK)
                fail("AMRequestShort");
        }
        await_answers(i + AT_ONCE, end);
        while (gasnet_try_syncnbi_all() != GASNET_OK)
            if (now() > end)
                fail("a completion is lost");
    }
    barrier();
    if (fsh_fpga_reg_read(FSH_REG_FAULTS) != 0)
        fail("something was dropped");
}

static void mode_outside(void)
{
    struct fsh_fpga_raw raw = bad_command(FSH_OP_PUT, ranks - 1, false);

    lie_about_peers();
    barrier();
    if (me == 0 && !fsh_fpga_raw_submit(&raw, NULL))
        fail("no room in the window");
    await_failure();
}

static void mode_corrupt(void)
{
    uint64_t entry[8] = {0};

    fsh_cmd_set_opcode(entry, FSH_OP_PUT);
    fsh_cmd_set_category(entry, FSH_CAT_LONG);
    fsh_cmd_set_check(entry, FSH_CMD_CHECK ^ 1u);
    if (me == 0 && !fsh_fpga_raw_entries(false, entry, 1))
        fail("no room in the window");
    await_failure();
}

/* Node `who` takes itself for another one; rank 0 puts to rank 1. */
static void put_in_disguise(gasnet_node_t who, uint64_t number)
{
    /* No message of the barrier in gasnet_attach is under way. */
    fsh_boot_barrier("through_rtl all are there");
    if (me == who) {
        fsh_fpga_reg_write(FSH_REG_NODE, number | (uint64_t)ranks << 8);
        (void)fsh_fpga_reg_read(FSH_REG_NODE);
    }
    fsh_boot_barrier("through_rtl the disguise");
    if (me == 0)
        gasnet_put(1, segment[1], private_memory, 1000);
    await_failure();
}

static void mode_nobody(void)
{
    put_in_disguise(1, 2);
}

static void mode_lost(void)
{
    put_in_disguise(0, 60);
}

static const struct {
    const char *name;
    void (*run)(void);
} modes[] = {{"stopped", mode_stopped}, {"range", mode_range},
             {"laps", mode_laps},       {"outside", mode_outside},
             {"corrupt", mode_corrupt}, {"nobody", mode_nobody},
             {"lost", mode_lost}};

static void run_mode(const char *mode, unsigned seed)
{
    if (strcmp(mode, "bytes") == 0) {
        mode_bytes(seed);
        return;
    }
    for (unsigned i = 0; i < sizeof modes / sizeof modes[0]; i++)
        if (strcmp(mode, modes[i].name) == 0) {
            modes[i].run();
            return;
        }
    fail("mode must be bytes, stopped, range, laps, outside, corrupt, nobody "
         "or lost");
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {
        {MEDIUM, medium}, {ASK, ask}, {ANSWER, answer}};
    gasnet_seginfo_t info[64];
    const char *mode;
    unsigned seed;

    gasnet_init(&argc, &argv);
    mode = argc > 1 ? argv[1] : "bytes";
    seed = argc > 2 ? (unsigned)atoi(argv[2]) : (unsigned)time(NULL);
    me = gasnet_mynode();
    ranks = gasnet_nodes();
    if (gasnet_attach(table, 3, SEGMENT, 0) != GASNET_OK ||
        gasnet_getSegmentInfo(info, (int)ranks) != GASNET_OK)
        fail("attach");
    for (unsigned r = 0; r < ranks; r++)
        segment[r] = info[r].addr;
    if (!fsh_fpga_active())
        fail("this test is for conduit fpga");
    if (me == 0)
        printf("through_rtl %s: %u ranks, seed %u\n", mode, ranks, seed);
    barrier();
    run_mode(mode, seed);
    barrier();
    if (me == 0)
        printf("through_rtl %s: pass\n", mode);
    gasnet_exit(0);
    return 0;
}

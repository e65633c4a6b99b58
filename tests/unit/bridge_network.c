/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The modelled network, with a clock of the test's own: when messages, reads and writes end,
 * alone and behind each other, in both directions at once; what registration costs; what is
 * refused; what ends with an endpoint; how long a host sleeps.
 */
#include <rdma/fi_cm.h>
#include <rdma/fi_rma.h>
#include <string.h>

#include "base/simulated.h"
#include "check.h"
#include "network/endpoint.h"
#include "network/model.h"

#define MB ((size_t)1000000)

static uint64_t clock_ns;

static uint64_t look(void)
{
    return clock_ns;
}

static bool spend(uint64_t ns)
{
    clock_ns += ns;
    return true;
}

static const struct fsh_simulated fake = {.look = look, .spend = spend};

static const struct fsh_network_model model = {.delay_ns = 1000,
                                               .read_mb_per_s = 1000,
                                               .write_mb_per_s = 2000,
                                               .post_ns = 10,
                                               .register_ns = 500,
                                               .register_page_ns = 2,
                                               .look_ns = 300};
static struct fsh_network_model slow; /* the same, but for registration */

static struct fsh_network a, b;
static fi_addr_t to_b, to_a;
static unsigned char here[2 * MB], there[2 * MB];
static struct fsh_network_memory mine, theirs;

static fi_addr_t address_of(const struct fsh_network *of,
                            const struct fsh_network *in)
{
    struct fsh_network_name name;
    fi_addr_t address;
    char why[256];

    CHECK(fsh_network_name(of, &name, why, sizeof why), "%s", why);
    CHECK(fi_av_insert(in->av, name.address, 1, &address, 0, NULL) == 1);
    return address;
}

static void begin(void)
{
    char why[256] = "";
    uint64_t before;

    slow = model;
    slow.register_page_ns = 7;
    CHECK(fsh_network_model_use(&model));
    CHECK(fsh_network_open(&a, 1, why, sizeof why), "%s", why);
    CHECK(fsh_network_model_use(&slow));
    CHECK(fsh_network_open(&b, 1, why, sizeof why), "%s", why);
    to_b = address_of(&b, &a);
    to_a = address_of(&a, &b);
    before = clock_ns;
    CHECK(fsh_network_register(&a, here, 4096 * 3 + 1, 0, &mine) == 0);
    CHECK(clock_ns - before == 500 + 4 * 2);
    before = clock_ns;
    CHECK(fsh_network_register(&b, there, sizeof there, FI_REMOTE_READ,
                               &theirs) == 0);
    CHECK(clock_ns - before == 500 + (sizeof there + 4095) / 4096 * 7);
}

/* One operation between `a` and b's memory, at its offset `at`. */
static ssize_t access_b(bool read, size_t at, size_t bytes, void *context)
{
    struct iovec iov = {here + at, bytes};
    struct fi_rma_iov remote = {theirs.base + at, bytes, theirs.key};
    const struct fi_msg_rma msg = {.msg_iov = &iov,
                                   .iov_count = 1,
                                   .addr = to_b,
                                   .rma_iov = &remote,
                                   .rma_iov_count = 1,
                                   .context = context};

    return read ? fi_readmsg(a.ep, &msg, 0)
                : fi_writemsg(a.ep, &msg, FI_DELIVERY_COMPLETE);
}

/* The next completion of a host comes at this time and not before, with this context. */
static void expect(const struct fsh_network *n, uint64_t at, void *context)
{
    struct fi_cq_data_entry entry;
    uint64_t due = fsh_network_due(n);

    CHECK(due == at - clock_ns, "due in %llu, not %llu",
          (unsigned long long)due, (unsigned long long)(at - clock_ns));
    clock_ns = at - 1;
    CHECK(fi_cq_read(n->cq, &entry, 1) == -FI_EAGAIN);
    clock_ns = at;
    CHECK(fi_cq_read(n->cq, &entry, 1) == 1 && entry.op_context == context);
}

static void test_message(void)
{
    char text[100] = "a message", got[100] = "", x, y;
    uint64_t start;

    CHECK(fi_recv(b.ep, got, sizeof got, NULL, FI_ADDR_UNSPEC, &y) == 0);
    CHECK(fi_send(a.ep, text, sizeof text, NULL, to_b, &x) == 0);
    start = clock_ns;
    memset(text, 0, sizeof text); /* it has left */
    expect(&a, start + 50, &x);
    expect(&b, start + 50 + 1000, &y);
    CHECK(strcmp(got, "a message") == 0);
    CHECK(fsh_network_due(&a) == UINT64_MAX);
}

static void test_reads_and_writes(void)
{
    uint64_t start;
    char x, y, z;

    for (size_t i = 0; i < sizeof there; i++)
        there[i] = (unsigned char)(i * 7 + i / 509);
    /* Two reads: the second one's data follows the first one's. */
    CHECK(access_b(true, 0, MB, &x) == 0);
    start = clock_ns;
    CHECK(access_b(true, MB, 1000, &y) == 0);
    /* A write goes the other way and waits for neither. */
    here[MB + 5000] = 77;
    CHECK(access_b(false, MB + 5000, 1, &z) == 0);
    CHECK(here[0] == 0 && there[MB + 5000] != 77);
    expect(&a, clock_ns + 1 + 2 * 1000, &z);
    CHECK(there[MB + 5000] == 77);
    expect(&a, start + 1000 + 1000000 + 1000, &x);
    CHECK(memcmp(here, there, MB) == 0 && here[MB] == 0);
    expect(&a, start + 1000 + 1000000 + 1000 + 1000, &y);
    CHECK(memcmp(here, there, MB + 1000) == 0);
    /* Writes at their own rate. */
    CHECK(access_b(false, 0, MB, &x) == 0);
    expect(&a, clock_ns + 500000 + 2000, &x);
}

static void test_refusals(void)
{
    uint64_t key = theirs.key;
    char x;

    CHECK(access_b(true, sizeof there - 1, 1, &x) == 0);
    expect(&a, clock_ns + 2000 + 1, &x);
    CHECK(access_b(true, sizeof there - 1, 2, &x) == -FI_EINVAL);
    theirs.key = mine.key; /* of the other host */
    CHECK(access_b(true, 0, 1, &x) == -FI_EINVAL);
    theirs.key = key;
    CHECK(fsh_network_due(&a) == UINT64_MAX);
}

static void test_naps(void)
{
    uint64_t start = clock_ns;
    char x;

    CHECK(!fsh_network_nap(&a, -1, 5000, NULL) && clock_ns - start == 300);
    CHECK(!fsh_network_nap(&a, -1, 200, NULL) && clock_ns - start == 500);
    CHECK(access_b(false, 0, 1, &x) == 0);
    start = clock_ns;
    while (!fsh_network_nap(&a, -1, 5000, NULL))
        CHECK(clock_ns - start < 2001);
    CHECK(clock_ns - start == 2001);
    CHECK(fsh_network_nap(&a, -1, 5000, NULL) && clock_ns - start == 2001);
    expect(&a, clock_ns, &x);
}

/* What an endpoint has in flight ends with it, and nothing of it comes later. */
static void test_end(void)
{
    char x, why[256];

    CHECK(access_b(true, 0, 1, &x) == 0);
    fi_close(&a.ep->fid);
    a.ep = NULL;
    CHECK(fsh_network_due(&a) == UINT64_MAX);
    CHECK(fi_send(b.ep, why, 1, NULL, to_a, &x) == -FI_EINVAL);
    fi_close(&mine.mr->fid);
    fi_close(&theirs.mr->fid);
    fsh_network_close(&a);
    fsh_network_close(&b);
    for (unsigned i = 0; i < 9; i++) { /* hosts are free again */
        CHECK(fsh_network_open(&a, 1, why, sizeof why), "%s", why);
        fsh_network_close(&a);
    }
}

int main(void)
{
    char why[256] = "";

    CHECK(!fsh_network_model_use(&model)); /* there is no simulated time */
    fsh_simulated_begin(&fake);
    CHECK(!fsh_network_open(&a, 1, why, sizeof why) &&
              strstr(why, "real time") != NULL,
          "%s", why);
    begin();
    test_message();
    test_reads_and_writes();
    test_refusals();
    test_naps();
    test_end();
    puts("bridge_network: pass");
    return 0;
}

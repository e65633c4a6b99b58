/* SPDX-License-Identifier: BSD-3-Clause */
/* A completed put is visible to everyone: to the owner's loads, to a third
 * rank's get, whichever way it was synced. And (an FSHMEM guarantee) a plain
 * load loop at the target terminates without a GASNet call; with
 * SEGMENT_EVERYTHING, if the progress thread is on. */
#include <sched.h>

#include "conform.h"

enum { H_LOOK = 128, H_SEEN, CELL = 4096, SIZE = 777 };

static int seen, looks;
static unsigned look_key;
static gasnet_node_t look_at, look_writer;

/* A third rank is told where to look, and looks outside the handler. */
static void look(gasnet_token_t token, int owner, int writer, int key)
{
    (void)token;
    look_at = (gasnet_node_t)owner;
    look_writer = (gasnet_node_t)writer;
    look_key = (unsigned)key;
    conf_add(&looks, 1);
}

static void was_seen(gasnet_token_t token)
{
    (void)token;
    conf_add(&seen, 1);
}

static gasnet_handlerentry_t table[] = {{H_LOOK, look}, {H_SEEN, was_seen}};

static void put_somehow(int way, gasnet_node_t to, void *dst, void *src)
{
    gasnet_handle_t h;
    switch (way) {
    case 0:
        gasnet_put(to, dst, src, SIZE);
        break;
    case 1:
        gasnet_put_bulk(to, dst, src, SIZE);
        break;
    case 2:
        gasnet_wait_syncnb(gasnet_put_nb(to, dst, src, SIZE));
        break;
    case 3:
        gasnet_put_nbi(to, dst, src, SIZE);
        gasnet_wait_syncnbi_puts();
        break;
    case 4:
        gasnet_begin_nbi_accessregion();
        gasnet_put_nbi_bulk(to, dst, src, SIZE);
        gasnet_wait_syncnb(gasnet_end_nbi_accessregion());
        break;
    default:
        h = gasnet_put_nb_bulk(to, dst, src, SIZE);
        while (gasnet_try_syncnb(h) != GASNET_OK) {}
    }
}

static void check_here(gasnet_node_t owner, gasnet_node_t writer, unsigned key)
{
    unsigned char buf[SIZE];
    unsigned char *at = conf_addr(owner) + writer * CELL + 3;
    if (conf.me == owner) { /* by a plain load */
        CHECK_FILL(at, SIZE, key);
    }
    gasnet_get(buf, owner, at, SIZE);
    CHECK_FILL(buf, SIZE, key);
}

/* Writer w puts to owner w+1, then tells it and w+2 to look. One writer at a
 * time; with fewer than three ranks some of the three are the same. */
static void turn(gasnet_node_t writer, int way)
{
    const gasnet_node_t owner = (writer + 1) % conf.n;
    const gasnet_node_t watchers[] = {owner, (writer + 2) % conf.n};
    const unsigned key = writer * 10 + (unsigned)way;
    if (conf.me == writer) {
        unsigned char buf[SIZE];
        const int before = conf_load(&seen);
        int asked = 0;
        conf_fill(buf, SIZE, key);
        put_somehow(way, owner, conf_addr(owner) + writer * CELL + 3, buf);
        for (int i = 0; i < 2; i++) {
            if (watchers[i] == writer) {
                check_here(owner, writer, key);
            } else {
                asked++;
                OK(gasnet_AMRequestShort3(watchers[i], H_LOOK, (int)owner,
                                          (int)writer, (int)key));
            }
        }
        CONF_WAIT(seen, before + asked);
    } else if (conf.me == watchers[0] || conf.me == watchers[1]) {
        GASNET_BLOCKUNTIL(conf_load(&looks) > 0);
        conf_add(&looks, -1);
        check_here(look_at, look_writer, look_key);
        OK(gasnet_AMRequestShort0(look_writer, H_SEEN));
    }
    conf_barrier();
}

/* A rank other than 0 tells the one below that it makes no more calls, in a way
 * that needs none: a put that it syncs later. Only then is there a put to it. */
static void plain_load_loop(void)
{
    const gasnet_node_t to = (conf.me + 1) % conf.n;
    const gasnet_node_t below = (conf.me + conf.n - 1) % conf.n;
    const size_t at = (size_t)conf.n * CELL;
    volatile uint32_t *flag =
        (volatile uint32_t *)(void *)(conf_addr(conf.me) + at);
    volatile uint32_t *ready = flag + 16;
    const uint32_t one = 1;
    *flag = *ready = 0;
    conf_barrier();
    if (conf.me != 0) {
        gasnet_put_nbi(below, conf_addr(below) + at + 64, (void *)&one, 4);
        while (*flag != 0x600d) { /* no poll: the put alone must end this */
            sched_yield();
        }
    }
    GASNET_BLOCKUNTIL(to == 0 || *ready == 1);
    gasnet_put_val(to, conf_addr(to) + at, 0x600d, 4);
    while (*flag != 0x600d) {
        sched_yield();
    }
    gasnet_wait_syncnbi_puts();
    conf_barrier();
}

int main(int argc, char **argv)
{
    conf_init("rma_visibility", &argc, &argv);
    conf_attach(table, CONF_COUNT(table), (uintptr_t)(conf.n + 1) * CELL);
    conf_barrier();
    for (int way = 0; way < 6; way++) {
        for (gasnet_node_t writer = 0; writer < conf.n; writer++) {
            turn(writer, way);
        }
    }
#ifdef GASNET_SEGMENT_EVERYTHING
    const char *thread = gasnet_getenv("FSHMEM_PROGRESS_THREAD");
    if (thread && strcmp(thread, "1") == 0) {
        plain_load_loop();
    }
#else
    plain_load_loop();
#endif
    conf_pass();
}

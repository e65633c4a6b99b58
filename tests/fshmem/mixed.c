/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A job in which only the ranks of FSHMEM_CARDS (a list) have a card: cores of those are
 * there and reached by those, results go to the right ones though nodes have other numbers
 * than ranks, and commands that name any other rank are refused. A rank without a card
 * reaches no core, but everybody's memory.
 */
#include "cores.h"

enum { EVENT = 3, BYTES = 256 };

static bool has_card[64];
static unsigned cards;

static void read_cards(void)
{
    const char *at = gasnet_getenv("FSHMEM_CARDS");

    CHECK(at != NULL && strchr(at, ',') != NULL, "FSHMEM_CARDS: a list");
    while (*at != '\0') {
        char *end;
        unsigned long rank = strtoul(at, &end, 10);

        CHECK(end != at && rank < conf.n, "FSHMEM_CARDS: '%s'", at);
        has_card[rank] = true;
        cards++;
        at = *end == ',' ? end + 1 : end;
    }
}

static void check_who(void)
{
    fshmem_compute_info_t info;

    for (gasnet_node_t r = 0; r < conf.n; r++) {
        FINE(fshmem_compute_info(r, &info));
        CHECK_EQ(info.present, has_card[conf.me] && has_card[r]);
    }
}

/* To ranks without a core: as commands, results, signals. */
static void check_refused(void)
{
    gasnet_handle_t handle;
    fshmem_command_t command;
    fshmem_flow_t flow = {0};
    fshmem_send_t send = {.bytes = BYTES};

    FINE(fshmem_command_nop(0, &flow, &command));
    for (gasnet_node_t r = 0; r < conf.n; r++) {
        if (has_card[conf.me] && has_card[r]) {
            continue;
        }
        REFUSED(fshmem_submit(r, &command, 1), FSHMEM_ERR_ABSENT);
        REFUSED(fshmem_signal(r, EVENT, 1), FSHMEM_ERR_ABSENT);
        REFUSED(fshmem_signal_nb(r, EVENT, 1, &handle), FSHMEM_ERR_ABSENT);
        if (!has_card[conf.me]) {
            continue;
        }
        send.flow.send_nodes = FSHMEM_NODE(r);
        FINE(fshmem_command_send(&send, &command));
        REFUSED(fshmem_submit(conf.me, &command, 1), FSHMEM_ERR_ABSENT);
        flow = (fshmem_flow_t){.signal_nodes = FSHMEM_NODE(r),
                               .signal_event = EVENT};
        FINE(fshmem_command_nop(0, &flow, &command));
        REFUSED(fshmem_submit(conf.me, &command, 1), FSHMEM_ERR_ABSENT);
        flow = (fshmem_flow_t){0};
        FINE(fshmem_command_nop(0, &flow, &command));
    }
}

static unsigned char pattern(unsigned from, unsigned by, unsigned i)
{
    return (unsigned char)(from * 67 + by * 31 + i * 5 + 1);
}

/* Each rank with a card has each core send to each other one, and signal it. Row by * n +
 * from of a segment is what that core has sent on behalf of that rank. */
static void check_sends(fshmem_offset_t source, fshmem_offset_t target)
{
    unsigned char row[BYTES];

    for (gasnet_node_t from = 0; from < conf.n; from++) {
        fshmem_offset_t at = (conf.me * conf.n + from) * (uint64_t)BYTES;
        fshmem_send_t send = {
            .from = source + at,
            .bytes = BYTES,
            .flow = {.signal_event = EVENT, .send_offset = target + at}};
        fshmem_command_t command;

        if (!has_card[conf.me] || !has_card[from] || cards == 1) {
            continue;
        }
        for (unsigned i = 0; i < BYTES; i++) {
            row[i] = pattern(from, conf.me, i);
        }
        gasnet_put(from, conf_addr(from) + source + at, row, BYTES);
        for (gasnet_node_t r = 0; r < conf.n; r++) {
            if (has_card[r] && r != from) {
                send.flow.send_nodes |= FSHMEM_NODE(r);
            }
        }
        send.flow.signal_nodes = send.flow.send_nodes;
        FINE(fshmem_command_send(&send, &command));
        FINE(fshmem_submit(from, &command, 1));
    }
    conf_barrier(); /* what waits in a core's queue holds up the commands behind */
    if (has_card[conf.me] && cards > 1) {
        FINE(fshmem_await(EVENT, cards * (cards - 1)));
    }
    conf_barrier();
    /* Everybody looks at everybody's memory. */
    for (gasnet_node_t r = 0; r < conf.n; r++) {
        for (unsigned row_at = 0; row_at < conf.n * conf.n; row_at++) {
            gasnet_node_t by = row_at / conf.n, from = row_at % conf.n;
            bool came =
                has_card[r] && has_card[by] && has_card[from] && r != from;

            gasnet_get(row, r, conf_addr(r) + target + row_at * (uint64_t)BYTES,
                       BYTES);
            for (unsigned i = 0; i < BYTES; i++) {
                CHECK(row[i] == (came ? pattern(from, by, i) : 0),
                      "rank %u, sent by core %u for rank %u, byte %u: %u",
                      (unsigned)r, (unsigned)from, (unsigned)by, i, row[i]);
            }
        }
    }
}

int main(int argc, char **argv)
{
    uint64_t room;
    fshmem_offset_t source, target;

    conf_start("mixed", &argc, &argv, NULL, 0, 1 << 20);
    read_cards();
    room = (uint64_t)conf.n * conf.n * BYTES;
    source = cores_take(room);
    target = cores_take(room);
    memset(conf_addr(conf.me) + target, 0, room);
    conf_barrier();
    check_who();
    check_refused();
    check_sends(source, target);
    conf_pass();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receive slots by state words: two nodes, a network that delays requests, replies
 * and credit words by random amounts and loses superseded words. No slot may be
 * claimed again before its request's handler has ended, its reply's handler has
 * ended, and its payload has been read. Finally every slot must be free. usage:
 * fpga_slots [seed]
 */
#include <stdio.h>
#include <stdlib.h>

#include "conduit/fpga/slots.h"
#include "check.h"
#include "random.h"

#define SLOTS FSH_SLOTS_PER_PEER
#define STEPS 200000

/* Where the message of a slot is; bits of what has still to happen. */
enum { REQUEST = 1, REPLY = 2, READING = 4 };

static uint64_t state;

static unsigned draw(unsigned below)
{
    return (unsigned)(random_next(&state) >> 20) % below;
}

static struct fsh_fpga_slots sender, receiver;
static unsigned open_work[SLOTS];
static uint64_t wire_word, seen_word; /* on its way; in the sender's memory */

static void claim(void)
{
    int slot = fsh_fpga_slots_claim(&sender);

    if (slot < 0) {
        fsh_fpga_slots_settle(&sender, seen_word);
        slot = fsh_fpga_slots_claim(&sender);
        if (slot < 0)
            return;
    }
    CHECK(open_work[slot] == 0, "slot %d claimed with work %u left", slot,
          open_work[slot]);
    open_work[slot] = REQUEST;
    if (draw(2)) {
        open_work[slot] |= READING;
        fsh_fpga_slots_reading(&sender, (unsigned)slot, true);
    }
    if (draw(50) == 0) { /* not sent after all */
        if (open_work[slot] & READING)
            fsh_fpga_slots_reading(&sender, (unsigned)slot, false);
        fsh_fpga_slots_unclaim(&sender, (unsigned)slot);
        open_work[slot] = 0;
    }
}

static void advance(unsigned slot)
{
    unsigned *work = &open_work[slot];

    if ((*work & READING) && draw(2)) {
        fsh_fpga_slots_reading(&sender, slot, false);
        *work &= ~(unsigned)READING;
    } else if (*work & REQUEST) {
        bool reply = draw(2);
        *work = (*work & READING) | (reply ? REPLY : 0);
        fsh_fpga_slots_finish(&receiver, slot, reply);
        CHECK(receiver.owed != 0, "nothing owed");
    } else if (*work & REPLY) {
        fsh_fpga_slots_answered(&sender, slot);
        *work &= ~(unsigned)REPLY;
    }
}

static void step(void)
{
    switch (draw(8)) {
    case 0:
    case 1:
    case 2:
        claim();
        break;
    case 3: /* a word leaves; one on its way is overtaken, as if lost */
        wire_word = fsh_fpga_slots_word(&receiver);
        fsh_fpga_slots_sent(&receiver);
        CHECK(receiver.owed == 0, "sent");
        break;
    case 4:
        seen_word = wire_word;
        break;
    case 5:
        fsh_fpga_slots_settle(&sender, seen_word);
        break;
    default:
        advance(draw(SLOTS));
    }
}

static void drain(void)
{
    for (unsigned round = 0; round < 100; round++)
        for (unsigned slot = 0; slot < SLOTS; slot++)
            advance(slot);
    fsh_fpga_slots_settle(&sender, fsh_fpga_slots_word(&receiver));
    CHECK(sender.free == 0xffff, "slots 0x%x have come back", sender.free);
    CHECK(sender.answered == 0 && sender.unread == 0, "left over");
}

static void run(uint64_t seed)
{
    printf("seed %llu\n", (unsigned long long)seed);
    state = seed * 0x9e3779b97f4a7c15u + 1;
    fsh_fpga_slots_init(&sender);
    fsh_fpga_slots_init(&receiver);
    wire_word = seen_word = 0;
    for (unsigned slot = 0; slot < SLOTS; slot++)
        open_work[slot] = 0;
    for (unsigned i = 0; i < STEPS; i++) {
        step();
        if (draw(5000) == 0) {
            drain();
            wire_word = seen_word = fsh_fpga_slots_word(&receiver);
        }
    }
    drain();
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        run(strtoull(argv[1], NULL, 0));
    } else {
        for (uint64_t seed = 1; seed <= 10; seed++)
            run(seed);
    }
    puts("fpga_slots: passed");
    return 0;
}

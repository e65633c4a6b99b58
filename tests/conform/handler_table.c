/* SPDX-License-Identifier: BSD-3-Clause */
/* The handler table: all 128 client indices can be used; entries with index 0
 * get the lowest free ones in table order, written to the caller's table;
 * the result is the same on every rank. */
#include "conform.h"

enum { SLOTS = 128, FIRST = 128 };

static int count[SLOTS];
static int total;

#define HANDLER(hi, lo)                                       \
    static void h_##hi##_##lo(gasnet_token_t token, int self) \
    {                                                         \
        (void)token;                                          \
        CHECK_EQ(self, (hi)*16 + (lo));                       \
        conf_add(&count[(hi)*16 + (lo)], 1);                  \
        conf_add(&total, 1);                                  \
    }
/* Rows of a table. */
/* clang-format off */
#define ROW(X, hi) \
    X(hi, 0) X(hi, 1) X(hi, 2) X(hi, 3) X(hi, 4) X(hi, 5) X(hi, 6) X(hi, 7) \
    X(hi, 8) X(hi, 9) X(hi, 10) X(hi, 11) X(hi, 12) X(hi, 13) X(hi, 14) \
    X(hi, 15)
#define EACH(X) \
    ROW(X, 0) ROW(X, 1) ROW(X, 2) ROW(X, 3) ROW(X, 4) ROW(X, 5) ROW(X, 6) \
    ROW(X, 7)
/* clang-format on */
EACH(HANDLER)

#define ENTRY(hi, lo) {0, h_##hi##_##lo},
static gasnet_handlerentry_t table[] = {EACH(ENTRY)};

/* Entries 3, 10, 64, 127 ask for a place; the rest takes what is left. */
static const struct {
    int entry;
    gasnet_handler_t index;
} wishes[] = {{3, 128}, {10, 255}, {64, 131}, {127, 200}};

static void check_places(void)
{
    int taken[256] = {0};
    int next = FIRST;
    for (int w = 0; w < CONF_COUNT(wishes); w++) {
        CHECK_EQ(table[wishes[w].entry].index, wishes[w].index);
        taken[wishes[w].index] = 1;
    }
    for (int i = 0; i < SLOTS; i++) {
        int wished = 0;
        for (int w = 0; w < CONF_COUNT(wishes); w++) {
            wished |= wishes[w].entry == i;
        }
        if (wished) {
            continue;
        }
        while (taken[next]) {
            next++;
        }
        CHECK(table[i].index == next, "entry %d got index %d, want %d", i,
              (int)table[i].index, next);
        taken[next] = 1;
    }
}

int main(int argc, char **argv)
{
    for (int w = 0; w < CONF_COUNT(wishes); w++) {
        table[wishes[w].entry].index = wishes[w].index;
    }
    conf_start("handler_table", &argc, &argv, table, SLOTS, 4096);
    check_places();
    for (int i = 0; i < SLOTS; i++) {
        for (gasnet_node_t to = 0; to < conf.n; to++) {
            OK(gasnet_AMRequestShort1(to, table[i].index, i));
        }
    }
    CONF_WAIT(total, SLOTS * (int)conf.n);
    for (int i = 0; i < SLOTS; i++) {
        CHECK_EQ(count[i], conf.n);
    }
    conf_pass();
}

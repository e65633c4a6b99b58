/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processors for ranks, on synthetic hwloc machines: shares are compact, disjoint,
 * and use everything; an existing binding is kept; a request is granted or refused
 * with limit and remedy.
 */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "place.h"

/* Two packages of two L3 caches of two cores of two processors, numbered in
 * order. */
#define LARGE "package:2 numa:1 l3:2 core:2 pu:2"

struct expected {
    const char *machine, *mine;
    struct place_wish wish;
    const char *shares; /* of the ranks, with blanks; NULL: not bound */
    const char *says;   /* in why they are not, or in the refusal */
};

static const struct expected table[] = {
    /* A package, an L3 cache, a core, a processor each. */
    {LARGE, "0-15", {"auto", 2, 0, true, 16}, " 0-7 8-15", ""},
    {LARGE, "0-15", {"auto", 4, 0, true, 16}, " 0-3 4-7 8-11 12-15", ""},
    {LARGE,
     "0-15",
     {"auto", 8, 0, true, 16},
     " 0-1 2-3 4-5 6-7 8-9 10-11 12-13 14-15",
     ""},
    /* Shares that do not come out even: nothing is left over. */
    {"core:4 pu:1", "0-3", {"auto", 3, 0, true, 4}, " 0 1 2-3", ""},
    /* Room for the simulator. */
    {"core:4 pu:1", "0-3", {"auto", 3, 1, true, 4}, " 0 1 2", ""},
    {"core:2 pu:1", "0-1", {"auto", 2, 1, true, 2}, NULL, "the simulator"},
    {"core:2 pu:1", "0-1", {"core", 2, 1, true, 2}, " 0 1", ""},
    /* Not where it would do harm. */
    {LARGE, "0-15", {"auto", 1, 0, true, 16}, NULL, "one rank"},
    {LARGE, "0-15", {"auto", 2, 0, false, 16}, NULL, "another job"},
    {LARGE, "0-7", {"auto", 2, 0, true, 8}, NULL, "bound this process"},
    {LARGE, "0-15", {"auto", 17, 0, true, 16}, NULL, "17 ranks"},
    {LARGE, "0-15", {"auto", 4, 0, true, 2}, NULL, "the 2 processors"},
    {LARGE, "0-15", {"none", 2, 0, true, 16}, NULL, ""},
    /* Asked for: inside of what may be used, whoever else is there. */
    {LARGE, "4-11", {"core", 3, 0, false, 8}, " 4-5 6-7 8-9", ""},
    {LARGE, "5,8-11", {"core", 3, 0, false, 5}, " 5 8-9 10-11", ""},
    {LARGE, "0-3", {"core", 3, 0, true, 4}, NULL, "the 2 cores"},
    {LARGE, "0-15", {"numa", 4, 0, true, 16}, " 0-7 0-7 8-15 8-15", ""},
    {LARGE, "4-11", {"numa", 2, 0, true, 8}, " 4-7 8-11", ""},
    {LARGE, "6-7", {"numa", 3, 0, true, 2}, NULL, "the 2 processors"},
    /* Lists: in their order, in parts as large as can be. */
    {LARGE, "0-15", {"3,1", 2, 0, false, 16}, " 3 1", ""},
    {LARGE, "0-15", {"0-7", 2, 0, true, 16}, " 0-3 4-7", ""},
    {LARGE, "0-15", {"8,8,8-9", 2, 0, true, 16}, " 8 9", ""},
    {LARGE, "0-15", {"0-2", 2, 0, true, 16}, " 0-1 2", ""},
    {LARGE, "0-15", {"0-2", 4, 0, true, 16}, NULL, "name at least 4"},
    {LARGE, "0-7", {"7-8", 2, 0, true, 8}, NULL, "processors 0-7 only"},
    {LARGE, "0-15", {"65535", 1, 0, true, 16}, NULL, "processors 0-15 only"},
};

static void check_row(const struct expected *e)
{
    struct place_machine m;
    struct place_shares s;
    char got[512] = "", one[128], err[1200] = "";
    bool ok;

    CHECK(place_imagine(&m, e->machine, e->mine), "%s", e->machine);
    ok = place_share(&s, &m, &e->wish, err, sizeof err);
    for (uint32_t r = 0; s.share && r < s.ranks; r++) {
        strcat(got, " ");
        strcat(got, place_text(s.share[r], one, sizeof one));
    }
    CHECK(strcmp(got, e->shares ? e->shares : "") == 0,
          "%s of %s for %u: %s, not %s (%s%s)", e->wish.what, e->mine,
          e->wish.ranks, got, e->shares, s.why, err);
    CHECK(strstr(ok ? s.why : err, e->says) != NULL, "'%s' is not in '%s%s'",
          e->says, s.why, err);
    CHECK((e->says[0] != '\0') == (s.why[0] || err[0]), "said: %s%s", s.why,
          err);
    place_shares_free(&s);
    place_machine_free(&m);
}

int main(void)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        check_row(&table[i]);
    return 0;
}

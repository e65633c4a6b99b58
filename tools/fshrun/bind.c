/* SPDX-License-Identifier: BSD-3-Clause */
/* The ranks' processors: kit/place.h for this job. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cpu.h"
#include "base/log.h"
#include "base/option.h"
#include "fshrun.h"

enum { TEXT_BYTES = 512 };

/* The default (auto) lets the ranks run unbound; what was asked for is refused. */
static int cannot_look(struct place_shares *shares, const char *what,
                       const char *why)
{
    if (strcmp(what, "auto") == 0) {
        snprintf(shares->why, sizeof(shares->why), "%.150s", why);
        return 0;
    }
    fsh_warn("FSHMEM_BIND=%s: %s; use none", what, why);
    return 1;
}

int choose_shares(struct run *run)
{
    const struct command_line *cl = run->cl;
    struct place_shares *shares = &run->shares;
    const struct place_wish wish = {
        .what = fsh_option_str("FSHMEM_BIND"),
        .ranks = cl->ranks,
        .others = cl->needs->nodes ? 1 : 0,
        .alone = fsh_launch_is_alone(&run->launch),
        .usable = fsh_cpu_count(),
    };
    struct place_machine machine;
    char err[1200];
    int code = 0;

    *shares = (struct place_shares){.ranks = cl->ranks};
    if (strcmp(wish.what, "none") == 0)
        return 0;
    if (!place_look(&machine, err, sizeof(err)))
        return cannot_look(shares, wish.what, err);
    if (!place_share(shares, &machine, &wish, err, sizeof(err))) {
        fsh_warn("%s %s", cl->bind_to ? "--bind-to" : "FSHMEM_BIND:", err);
        code = RUN_USAGE;
    }
    place_machine_free(&machine);
    return code;
}

void tell_shares(const struct place_shares *shares,
                 void (*tell)(const char *line))
{
    char set[TEXT_BYTES], line[TEXT_BYTES + 64];

    for (uint32_t r = 0; shares->share && r < shares->ranks; r++) {
        snprintf(line, sizeof(line), "rank %" PRIu32 " has processors %s", r,
                 place_text(shares->share[r], set, sizeof(set)));
        tell(line);
    }
    if (shares->why[0]) {
        snprintf(line, sizeof(line), "ranks are not bound to processors: %s",
                 shares->why);
        tell(line);
    }
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of mistakes, of which a program makes one, by name, and those of the
 * barrier, which release libraries must detect as well as debug ones. */
#ifndef CONFORM_MISTAKES_H
#define CONFORM_MISTAKES_H

#include "conform.h"

struct mistake {
    const char *name;
    void (*make)(void);
};

/* Make the mistake if it is one of the table. */
#define MAKE_MISTAKE(table, name) make_mistake(table, CONF_COUNT(table), name)
static inline void make_mistake(const struct mistake *table, int count,
                                const char *name)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(table[i].name, name) == 0) {
            table[i].make();
        }
    }
}

static inline void notify_twice(void)
{
    gasnet_barrier_notify(0, 0);
    gasnet_barrier_notify(0, 0);
}
static inline void wait_unnotified(void)
{
    gasnet_barrier_wait(0, 0);
}
static inline void try_unnotified(void)
{
    gasnet_barrier_try(0, 0);
}

#endif

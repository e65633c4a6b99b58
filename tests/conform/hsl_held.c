/* SPDX-License-Identifier: BSD-3-Clause */
/* Locks and no-interrupt sections held too long: hsl_held <scenario>
 * <milliseconds>. The last rank holds; the program is correct, so it passes, and
 * the runner checks the warnings of a debug library. */
#include "conform_threads.h"

#include <time.h>

enum { H_HOLD = 128, MANY = 30 };

static gasnet_hsl_t lock = GASNET_HSL_INITIALIZER;
static gasnet_hsl_t second = GASNET_HSL_INITIALIZER;
static int handled;
static long milliseconds;

static void nap(void)
{
    struct timespec t = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    while (nanosleep(&t, &t) != 0) {}
}

static void hold_lock(void)
{
    gasnet_hsl_lock(&lock);
    nap();
    gasnet_hsl_unlock(&lock);
}
static void hold_trylock(void)
{
    OK(gasnet_hsl_trylock(&lock));
    nap();
    gasnet_hsl_unlock(&lock);
}
/* Each of the two for most of the time, only the outer for all of it. */
static void hold_nested(void)
{
    gasnet_hsl_lock(&lock);
    for (int i = 0; i < 2; i++) {
        gasnet_hsl_lock(&second);
        nap();
        gasnet_hsl_unlock(&second);
    }
    gasnet_hsl_unlock(&lock);
}
static void hold_interrupts(void)
{
    gasnet_hold_interrupts();
    nap();
    gasnet_resume_interrupts();
}
static void hold_many(void)
{
    for (int i = 0; i < MANY; i++) {
        hold_lock();
    }
}

static void holds(gasnet_token_t token)
{
    (void)token;
    hold_lock();
    conf_add(&handled, 1);
}
static void hold_in_handler(void)
{
    gasnet_AMRequestShort0(conf.me, H_HOLD);
    CONF_WAIT(handled, 1);
}

/* The waiting thread sees it first; the holder has nothing to add. */
static void *wait_for_lock(void *arg)
{
    gasnet_hsl_lock(&lock);
    gasnet_hsl_unlock(&lock);
    return arg;
}
static void hold_wanted(void)
{
    struct conf_crew crew;
    gasnet_hsl_lock(&lock);
    conf_crew_start(&crew, 1, wait_for_lock);
    nap();
    gasnet_hsl_unlock(&lock);
    conf_crew_join(&crew);
}

static const struct {
    const char *name;
    void (*run)(void);
} scenarios[] = {{"lock", hold_lock},          {"trylock", hold_trylock},
                 {"nested", hold_nested},      {"section", hold_interrupts},
                 {"handler", hold_in_handler}, {"many", hold_many},
                 {"wanted", hold_wanted}};

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {{H_HOLD, holds}};
    const char *name = argc > 2 ? argv[1] : "";
    milliseconds = argc > 2 ? atol(argv[2]) : 0;
    conf_start("hsl_held", &argc, &argv, table, CONF_COUNT(table),
               GASNET_PAGESIZE);
    for (int i = 0; i < CONF_COUNT(scenarios); i++) {
        if (conf.me == conf.n - 1 && strcmp(scenarios[i].name, name) == 0) {
            scenarios[i].run();
        }
    }
    conf_pass();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Handler-safe locks in their legal uses: static and dynamic initialisation,
 * lock, trylock, nested in order, in handlers while the program uses the same
 * lock; hold and resume as plain statements, also around a lock and in
 * handlers. */
#include "conform.h"

enum { H_ADD = 128, H_DONE };

static gasnet_hsl_t lock = GASNET_HSL_INITIALIZER;
static gasnet_hsl_t second = GASNET_HSL_INITIALIZER;
static int sum; /* guarded by lock */
static int done;

static void add(gasnet_token_t token, int v)
{
    gasnet_hold_interrupts(); /* ignored in handlers */
    gasnet_resume_interrupts();
    gasnet_hsl_lock(&lock);
    sum += v;
    gasnet_hsl_unlock(&lock);
    OK(gasnet_AMReplyShort0(token, H_DONE));
}

static void added(gasnet_token_t token)
{
    (void)token;
    if (gasnet_hsl_trylock(&second) == GASNET_OK) {
        gasnet_hsl_unlock(&second);
    }
    conf_add(&done, 1);
}

static gasnet_handlerentry_t table[] = {{H_ADD, add}, {H_DONE, added}};

static void legal_cases(void)
{
    gasnet_hsl_t local;
    for (int i = 0; i < 3; i++) { /* may be initialised anew once destroyed */
        gasnet_hsl_init(&local);
        gasnet_hsl_lock(&local);
        gasnet_hsl_unlock(&local);
        OK(gasnet_hsl_trylock(&local));
        gasnet_hsl_unlock(&local);
        gasnet_hsl_destroy(&local);
    }
    gasnet_hsl_lock(&lock);
    gasnet_hsl_lock(&second);
    CHECK_EQ(gasnet_mynode(), conf.me);
    CHECK_EQ(gasnet_nodes(), conf.n);
    gasnet_hsl_unlock(&second);
    gasnet_hsl_unlock(&lock);
    gasnet_hold_interrupts();
    gasnet_hsl_lock(&lock);
    gasnet_hsl_unlock(&lock);
    gasnet_resume_interrupts();
    gasnet_hsl_lock(&lock);
    gasnet_hold_interrupts(); /* ignored while a lock is held */
    gasnet_resume_interrupts();
    gasnet_hsl_unlock(&lock);
    if (conf.n > 0)
        gasnet_hold_interrupts();
    gasnet_resume_interrupts();
}

int main(int argc, char **argv)
{
    conf_start("hsl", &argc, &argv, table, CONF_COUNT(table), 4096);
    legal_cases();
    const int each = conf_iters(500, 40);
    for (int i = 0; i < each; i++) {
        for (gasnet_node_t to = 0; to < conf.n; to++) {
            OK(gasnet_AMRequestShort1(to, H_ADD, 1));
        }
        gasnet_hsl_lock(&lock);
        sum += 1;
        gasnet_hsl_unlock(&lock);
    }
    CONF_WAIT(done, each * (int)conf.n);
    conf_barrier();
    gasnet_hsl_lock(&lock);
    CHECK_EQ(sum, each * ((int)conf.n + 1));
    gasnet_hsl_unlock(&lock);
    conf_pass();
}

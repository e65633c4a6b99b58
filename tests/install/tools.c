/* SPDX-License-Identifier: BSD-3-Clause */
/* The tools without a job, C and C++: a program that includes gasnet_tools.h
 * only. Prints one line, or what went wrong. */
#include <gasnet_tools.h>

static gasnett_atomic64_t sum = gasnett_atomic64_init(0);
static gasnett_mutex_t mutex = GASNETT_MUTEX_INITIALIZER;
static uint64_t guarded;
GASNETT_THREADKEY_DEFINE(my_key);

static void *work(void *arg)
{
    int i;

    for (i = 0; i < 10000; ++i) {
        gasnett_atomic64_add(&sum, 3, GASNETT_ATOMIC_NONE);
        gasnett_mutex_lock(&mutex);
        guarded += 3;
        gasnett_mutex_unlock(&mutex);
        gasnett_threadkey_set(my_key, arg);
    }
    return gasnett_threadkey_get(my_key);
}

static const char *run_threads(int *threads)
{
#if GASNETT_THREAD_SAFE
    pthread_t thread[4];
    char mine[4];
    void *result;
    int i;

    *threads = 4;
    for (i = 0; i < 4; ++i) {
        if (pthread_create(&thread[i], NULL, work, &mine[i]) != 0) {
            return "pthread_create";
        }
    }
    for (i = 0; i < 4; ++i) {
        if (pthread_join(thread[i], &result) != 0 || result != &mine[i]) {
            return "thread-specific pointer";
        }
    }
#else
    *threads = 1;
    if (work(threads) != threads) {
        return "pointer";
    }
#endif
    return NULL;
}

int main(int argc, char **argv)
{
    const gasnett_tick_t start = gasnett_ticks_now();
    const char *wrong;
    int threads;

    (void)argc;
    gasnett_backtrace_init(argv[0]);
    wrong = run_threads(&threads);
    if (gasnett_nsleep(2000000) != 0 ||
        gasnett_ticks_to_us(gasnett_ticks_now() - start) < 2000) {
        wrong = "ticks";
    }
    if (gasnett_atomic64_read(&sum, 0) != (uint64_t)threads * 30000 ||
        guarded != (uint64_t)threads * 30000) {
        wrong = "sums";
    }
    if (gasnett_getenv_int_withdefault("TOOLS_SIZE", 0, 1) != 1536) {
        wrong = "setting";
    }
    if (gasnett_cpu_count() < 1 || gasnett_set_affinity(0) != 0) {
        wrong = "processors";
    }
    if (wrong != NULL) {
        gasnett_fatalerror("wrong: %s", wrong);
    }
    printf("tools: %d threads\n", threads);
    return 0;
}

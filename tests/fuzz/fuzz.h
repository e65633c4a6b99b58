/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the fuzzers share. A program defines fuzz_setup and fuzz_case; a case
 * draws its choices from a stream of bytes, which is made of the case's seed,
 * or comes from libFuzzer. Cases run in a child process, so that the parent can
 * name the one in which it crashed, failed a CHECK, or did not come back.
 *
 *   <program> [cases | <seconds>s] [seed]      case i has the seed: seed + i
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "../unit/check.h"

#define FUZZ_BYTES 16384       /* of choices a case can make; then zeros */
#define FUZZ_CASE_SECONDS 20.0 /* a case that takes longer hangs */

struct fuzz {
    const uint8_t *data;
    size_t left;
};

/* Of the program: once, in the process of the cases, and each case. */
static void fuzz_setup(void);
static void fuzz_case(struct fuzz *f);

/* ---- choices ---- */

static inline uint8_t fuzz_byte(struct fuzz *f)
{
    if (f->left == 0)
        return 0;
    f->left--;
    return *f->data++;
}

static inline uint64_t fuzz_word(struct fuzz *f)
{
    uint64_t word = 0;

    for (int i = 0; i < 8; i++)
        word = word << 8 | fuzz_byte(f);
    return word;
}

/* 0 to bound-1. */
static inline unsigned fuzz_below(struct fuzz *f, unsigned bound)
{
    unsigned n = bound <= 256 ? fuzz_byte(f) : (unsigned)fuzz_word(f);

    return n % bound;
}

/* One in n. */
static inline bool fuzz_rarely(struct fuzz *f, unsigned n)
{
    return fuzz_below(f, n) == n - 1;
}

/* ---- what ends the job ---- */

static jmp_buf fuzz_way_out;
static char fuzz_reason[1300]; /* of the last fsh_fatal */

static inline void fuzz_on_fatal(int code, const char *reason)
{
    (void)code;
    snprintf(fuzz_reason, sizeof fuzz_reason, "%s", reason);
    longjmp(fuzz_way_out, 1);
}

static inline bool fuzz_muted(void)
{
    return true;
}

/* From fuzz_setup: fatal errors come back to fuzz_ends, and are not printed. */
__attribute__((unused)) static void fuzz_catch_fatal(void)
{
    fsh_log_on_fatal(fuzz_on_fatal);
    fsh_log_mute_when(fuzz_muted);
}

/* Does body(arg) end in fsh_fatal? Then fuzz_reason says why. */
__attribute__((unused)) static bool fuzz_ends(void (*body)(void *), void *arg)
{
    fuzz_reason[0] = '\0';
    if (setjmp(fuzz_way_out) != 0)
        return true;
    body(arg);
    return false;
}

/* ---- running ---- */

#ifdef FSH_LIBFUZZER

#define FUZZ_MAIN(cases)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool ready;
    struct fuzz f = {.data = data, .left = size};

    if (!ready)
        fuzz_setup();
    ready = true;
    fuzz_case(&f);
    return 0;
}

#else

/* cases: if the command line does not tell. */
#define FUZZ_MAIN(cases)                     \
    int main(int argc, char **argv)          \
    {                                        \
        return fuzz_main(argc, argv, cases); \
    }

struct fuzz_run {
    uint64_t cases, seed; /* cases: 0 if time counts */
    double seconds;
    /* Shared with the child: the case it is at, and how many it has done. */
    struct {
        _Atomic uint64_t seed, done;
    } * at;
};

static double fuzz_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void fuzz_one(uint64_t seed)
{
    uint8_t data[FUZZ_BYTES];
    struct fuzz f = {.data = data, .left = sizeof data};
    uint64_t state = seed * UINT64_C(0xd1342543de82ef95);

    for (size_t i = 0; i < sizeof data; i += sizeof state) {
        uint64_t z = (state += UINT64_C(0x9e3779b97f4a7c15));

        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        z ^= z >> 31;
        memcpy(data + i, &z, sizeof z);
    }
    fuzz_case(&f);
}

static _Noreturn void fuzz_child(const struct fuzz_run *run)
{
    double end = fuzz_now() + run->seconds;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    fuzz_setup();
    for (uint64_t i = 0; run->cases ? i < run->cases : fuzz_now() < end; i++) {
        run->at->seed = run->seed + i;
        fuzz_one(run->seed + i);
        run->at->done = i + 1;
    }
    exit(0);
}

/* How the child ended, or what is wrong with it. */
static const char *fuzz_await(const struct fuzz_run *run, pid_t pid, char *text,
                              size_t len)
{
    const struct timespec nap = {0, 2000000};
    double since = fuzz_now();
    uint64_t done = 0;
    int status;

    while (waitpid(pid, &status, WNOHANG) == 0) {
        if (run->at->done != done) {
            done = run->at->done;
            since = fuzz_now();
        }
        if (fuzz_now() - since > FUZZ_CASE_SECONDS) {
            kill(pid, SIGKILL);
            waitpid(pid, &status, 0);
            return "does not come back";
        }
        nanosleep(&nap, NULL);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return NULL;
    if (WIFEXITED(status))
        snprintf(text, len, "fails (code %d)", WEXITSTATUS(status));
    else
        snprintf(text, len, "ends with signal %d", WTERMSIG(status));
    return text;
}

static void fuzz_arguments(struct fuzz_run *run, int argc, char **argv,
                           uint64_t preset)
{
    char *end = NULL;

    run->cases = preset;
    run->seed = (uint64_t)time(NULL);
    if (argc > 1) {
        run->seconds = strtod(argv[1], &end);
        run->cases = *end == 's' ? 0 : strtoull(argv[1], &end, 10);
    }
    if (argc > 2)
        run->seed = strtoull(argv[2], &end, 10);
    if (run->cases == 0 && !(run->seconds > 0)) {
        fprintf(stderr, "usage: %s [cases | <seconds>s] [seed]\n", argv[0]);
        exit(2);
    }
}

static int fuzz_main(int argc, char **argv, uint64_t preset)
{
    struct fuzz_run run = {0};
    const char *wrong;
    char text[64];
    pid_t pid;

    fuzz_arguments(&run, argc, argv, preset);
    run.at = mmap(NULL, sizeof *run.at, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(run.at != MAP_FAILED);
    printf("%s: seed %llu\n", argv[0], (unsigned long long)run.seed);
    fflush(stdout);
    pid = fork();
    CHECK(pid >= 0);
    if (pid == 0)
        fuzz_child(&run);
    wrong = fuzz_await(&run, pid, text, sizeof text);
    if (wrong == NULL) {
        printf("%s: pass, %llu cases\n", argv[0],
               (unsigned long long)run.at->done);
        return 0;
    }
    fprintf(stderr, "case %llu %s; repeat with: %s 1 %llu\n",
            (unsigned long long)(run.at->seed - run.seed), wrong, argv[0],
            (unsigned long long)run.at->seed);
    return 1;
}

#endif
#endif

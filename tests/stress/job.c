/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A GASNet client for the tests of launchers: does what its argument says,
 * prints what the test compares. Run by the test_*.py beside it.
 */
#include <gasnet.h>

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static gasnet_node_t me, n;

static void barrier(void)
{
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    if (gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS) != GASNET_OK)
        _exit(98);
}

/* One write, so that lines of ranks do not mix. */
static void say(const char *text)
{
    char line[256];
    int len = snprintf(line, sizeof(line), "%s %u of %u\n", text, (unsigned)me,
                       (unsigned)n);

    if (write(STDOUT_FILENO, line, (size_t)len) != len)
        _exit(99);
}

static void spin(void)
{
    volatile unsigned long forever = 1;

    while (forever)
        forever |= 2;
}

static void *idle(void *arg)
{
    for (;;)
        pause();
    return arg;
}

static void on_signal(int sig)
{
    char text[32];

    snprintf(text, sizeof(text), "signal %d", sig);
    say(text);
}

static int quit_code = -1; /* what on_quit gives to gasnet_exit; -1 nothing */

static void on_quit(int sig)
{
    if (sig != SIGQUIT)
        _exit(90);
    say("quit");
    if (quit_code >= 0)
        gasnet_exit(quit_code);
}

/* A client that cleans up in a handler of SIGQUIT; "some": not on rank 0. */
static void clean_up_on_quit(int argc, char **argv)
{
    if (argc < 4 || me != 0)
        signal(SIGQUIT, on_quit);
    quit_code = atoi(argv[2]);
    barrier();
    say("up");
    for (;;)
        pause();
}

/* The last rank ends the job with 0; the others hear of it by SIGQUIT, and
 * fail. */
static void fail_on_quit(int sig)
{
    (void)sig;
    if (quit_code < 0)
        abort();
    _exit(quit_code);
}

static void exit_then(const char *what, int code)
{
    quit_code = code;
    signal(SIGQUIT, strcmp(what, "quit") == 0 ? on_quit : fail_on_quit);
    barrier();
    if (me == n - 1)
        gasnet_exit(0);
    for (;;)
        pause();
}

/* A child that takes a signal itself neither harms the rank nor runs handlers. */
static void kill_a_child(void)
{
    static const int asks[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    int status;
    pid_t pid;

    for (size_t i = 0; i < sizeof(asks) / sizeof(asks[0]); i++) {
        pid = fork();
        if (pid == 0)
            for (;;)
                pause();
        if (kill(pid, asks[i]) != 0 || waitpid(pid, &status, 0) != pid ||
            !WIFSIGNALED(status) || WTERMSIG(status) != asks[i])
            _exit(89);
    }
    usleep(400000); /* longer than the rank's own way out of SIGQUIT */
}

/* Rank 0's input is the job's, the others' is empty. */
static void copy_input(void)
{
    char data[4096];
    ssize_t got, total = 0;

    while ((got = read(STDIN_FILENO, data, sizeof(data))) > 0) {
        total += got;
        if (me == 0 && write(STDOUT_FILENO, data, (size_t)got) != got)
            _exit(99);
    }
    if (me != 0 && total != 0)
        _exit(97);
}

/* What a rank starts is no rank, and its end is not the rank's. */
static void start_others(char *self)
{
    char command[512], line[128];
    FILE *f;
    pid_t pid = fork();

    if (pid == 0)
        exit(3); /* runs the exit hooks */
    waitpid(pid, NULL, 0);
    snprintf(command, sizeof(command), "%s hello", self);
    if (system(command) != 0 || system("exit 5") != 5 << 8)
        _exit(96);
    f = popen(command, "r");
    if (!f || !fgets(line, sizeof(line), f) || pclose(f) != 0 ||
        strcmp(line, "hello 0 of 1\n") != 0)
        _exit(95);
}

enum { H_TAKE = 128, H_TAKEN };

static volatile unsigned taken;

static void take(gasnet_token_t token, void *data, size_t bytes)
{
    (void)data;
    (void)bytes;
    gasnet_AMReplyShort0(token, H_TAKEN);
}

static void was_taken(gasnet_token_t token)
{
    (void)token;
    taken++;
}

/* Everybody with everybody: all there is between two ranks is in use. */
static void meet_all(void)
{
    static char data[512];
    gasnet_seginfo_t *seg = calloc(n, sizeof(*seg));

    if (!seg)
        _exit(91);
    gasnet_getSegmentInfo(seg, (int)n);
    for (gasnet_node_t i = 0; i < n; i++) {
        gasnet_AMRequestMedium0(i, H_TAKE, data, sizeof(data));
        gasnet_put(i, (char *)seg[i].addr + me, data, 1);
    }
    GASNET_BLOCKUNTIL(taken == n);
    free(seg);
}

/* Rank 0, which has made the job under launchers of MPI, returns from main at
 * once, and is asked for an answer much later. */
static void first_leaves(void)
{
    static char data[512];

    if (me == 0)
        return;
    usleep(2500000);
    gasnet_AMRequestMedium0(0, H_TAKE, data, sizeof(data));
    GASNET_BLOCKUNTIL(taken == 1);
    say("answered");
}

/* Rank 0 sends to rank 1, which never takes anything. */
static void flood(void)
{
    static char data[512];

    say("up");
    while (me == 0)
        gasnet_AMRequestMedium0(1, H_TAKE, data, sizeof(data));
    spin();
}

/* What a wait for the last rank costs the others, in ms of processor time. */
static void wait_for_the_last(void)
{
    struct rusage before, after;
    char text[64];
    long ms;

    getrusage(RUSAGE_SELF, &before);
    if (me == n - 1)
        usleep(1500000);
    barrier();
    getrusage(RUSAGE_SELF, &after);
    ms = (after.ru_utime.tv_sec - before.ru_utime.tv_sec +
          after.ru_stime.tv_sec - before.ru_stime.tv_sec) *
             1000 +
         (after.ru_utime.tv_usec - before.ru_utime.tv_usec +
          after.ru_stime.tv_usec - before.ru_stime.tv_usec) /
             1000;
    snprintf(text, sizeof(text), "waited %ld", ms);
    say(text);
}

/* A number of a line "name:  123 kB" in a file of /proc, 0 none. */
static unsigned long kilobytes(const char *line, const char *name)
{
    size_t len = strlen(name);

    return strncmp(line, name, len) == 0 ? strtoul(line + len, NULL, 10) : 0;
}

/* What the job's memory object takes of this process: mapped, written to a core
 * file, resident; and all page tables. */
static void say_maps(void)
{
    unsigned long maps = 0, dumps = 0, has = 0, tables = 0, size = 0;
    unsigned long first, last;
    char line[512];
    bool object = false;
    FILE *f = fopen("/proc/self/smaps", "r");

    while (f && fgets(line, sizeof line, f)) {
        if (sscanf(line, "%lx-%lx ", &first, &last) == 2)
            object = strstr(line, "memfd:fshmem shared") != NULL;
        if (!object)
            continue;
        if (kilobytes(line, "Size:"))
            size = kilobytes(line, "Size:");
        has += kilobytes(line, "Rss:");
        if (strncmp(line, "VmFlags:", 8) == 0) {
            maps += size;
            dumps += strstr(line, " dd") ? 0 : size;
        }
    }
    if (f)
        fclose(f);
    f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        tables += kilobytes(line, "VmPTE:");
    if (f)
        fclose(f);
    printf("rank %d maps %lu kB, dumps %lu, has %lu and tables of %lu\n",
           (int)me, maps, dumps, has, tables);
}

static void act(const char *what, int argc, char **argv)
{
    if (strcmp(what, "args") == 0) {
        for (int i = 2; me == 0 && i < argc; i++)
            printf("<%s>", argv[i]);
        if (me == 0 && argv[argc] != NULL)
            printf("no end");
        printf("[%s]", gasnet_getenv("TEST_VALUE"));
    } else if (strcmp(what, "input") == 0) {
        copy_input();
    } else if (strcmp(what, "others") == 0) {
        start_others(argv[0]);
    } else if (strcmp(what, "sleeper") == 0) {
        if (fork() == 0) {
            execlp("sleep", "sleep", "1000", (char *)NULL);
            _exit(94);
        }
        say("up");
        spin();
    } else if (strcmp(what, "flood") == 0) {
        flood();
    } else if (strcmp(what, "first-leaves") == 0) {
        first_leaves();
    } else if (strcmp(what, "last") == 0) {
        wait_for_the_last();
    } else if (strcmp(what, "one-spins") == 0) {
        say("up");
        if (me == 1)
            spin();
    } else if (strcmp(what, "pause") == 0) {
        meet_all();
        barrier();
        say("up");
        pause();
    } else if (strcmp(what, "spin") == 0) {
        say("up");
        spin();
    } else if (strncmp(what, "exit_then_", 10) == 0) {
        exit_then(what + 10, argc > 2 ? atoi(argv[2]) : -1);
    } else if (strcmp(what, "forked-child") == 0) {
        kill_a_child();
    } else if (strcmp(what, "clean-up") == 0) {
        clean_up_on_quit(argc, argv);
    } else if (strcmp(what, "leave-early") == 0 && me != 0) {
        say("up");
        spin();
    } else if (strcmp(what, "limit") == 0) {
        printf("%zu\n", (size_t)gasnet_getMaxLocalSegmentSize());
    } else if (strcmp(what, "maps") == 0) {
        say_maps();
    } else if (strcmp(what, "grow") == 0) {
        gasnet_seginfo_t seg[64];

        gasnet_getSegmentInfo(seg, 64);
        say("up");
        memset(seg[me].addr, 1, seg[me].size);
        say("touched");
    } else {
        say("hello");
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "hello";
    gasnet_handlerentry_t table[] = {{H_TAKE, take}, {H_TAKEN, was_taken}};
    const char *kb = getenv("TEST_SEGMENT_KB");
    pthread_t thread;

    if (strcmp(what, "before") == 0)
        printf("text before;"); /* not flushed */
    if (strcmp(what, "thread") == 0)
        pthread_create(&thread, NULL, idle, NULL);
    if (strcmp(what, "late") == 0 && argc > 2 &&
        strcmp(getenv("PMI_RANK") ? getenv("PMI_RANK") : "", argv[2]) == 0)
        spin();
    if (strcmp(what, "handlers") == 0)
        signal(SIGUSR1, on_signal);
    if (gasnet_init(&argc, &argv) != GASNET_OK)
        return 93;
    me = gasnet_mynode();
    n = gasnet_nodes();
    if (gasnet_attach(table, 2, (uintptr_t)(kb ? atol(kb) : 64) * 1024, 0) !=
        GASNET_OK)
        return 92;
    barrier();
    if (strcmp(what, "handlers") == 0)
        raise(SIGUSR1);
    act(what, argc, argv);
    if (strcmp(what, "leave-early") != 0 && strcmp(what, "first-leaves") != 0)
        barrier();
    if (argc > 2 && strcmp(what, "code") == 0)
        gasnet_exit(atoi(argv[2]));
    return 0;
}

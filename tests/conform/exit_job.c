/* SPDX-License-Identifier: BSD-3-Clause */
/* The ways a job ends, one per run: exit_job <scenario> <code>. The runner checks
 * the exit code, that the job ends in time, and that
 * no process is left behind. "The last rank" acts where one rank acts alone. */
#include <sched.h>
#include <sys/wait.h>

#include "conform_threads.h"

enum { H_EXIT = 128, H_QUICK_EXIT, H_NOTHING, H_ASK, H_ANSWER };

static int code;
static gasnet_hsl_t lock = GASNET_HSL_INITIALIZER;

static void h_exit(gasnet_token_t token, int with)
{
    (void)token;
    gasnet_exit(with);
}

static void h_quick_exit(gasnet_token_t token, int with)
{
    (void)token;
    _exit(with);
}

static void h_nothing(gasnet_token_t token)
{
    (void)token;
}

static void h_ask(gasnet_token_t token)
{
    gasnet_AMReplyShort0(token, H_ANSWER);
}

static int answers;

static void h_answer(gasnet_token_t token)
{
    (void)token;
    answers++;
}

static gasnet_handlerentry_t table[] = {{H_EXIT, h_exit},
                                        {H_QUICK_EXIT, h_quick_exit},
                                        {H_NOTHING, h_nothing},
                                        {H_ASK, h_ask},
                                        {H_ANSWER, h_answer}};

static int is_last(void)
{
    return conf.me == conf.n - 1;
}

static void block(void)
{
    static int never;
    GASNET_BLOCKUNTIL(conf_load(&never) != 0);
}

static int spin(void) /* no GASNet call, no system call */
{
    volatile int forever = 1;
    while (forever) {}
    return 99;
}

/* ---- all ranks do the same ---------------------------------------------- */

static int do_return(void)
{
    return code;
}

static int do_exit(void)
{
    exit(code);
}

static int do_gasnet(void)
{
    printf("unflushed %u;", (unsigned)conf.me);
    conf_barrier(); /* so that everybody has printed */
    gasnet_exit(code);
}

static int do_staggered(void)
{
    for (volatile long i = 0; i < 3000000L * (long)conf.me; i++) {}
    return code;
}

static int do_different(void)
{
    gasnet_exit(code + (int)conf.me);
}

static void exit_from_atexit(void)
{
    gasnet_exit(code);
}

static int do_atexit(void)
{
    atexit(exit_from_atexit);
    return 0;
}

static void barrier_from_atexit(void)
{
    uint32_t word = 7;
    conf_barrier();
    gasnet_put((conf.me + 1) % conf.n, conf_addr((conf.me + 1) % conf.n), &word,
               4);
    conf_barrier();
    CHECK_EQ(*(volatile uint32_t *)(void *)conf_addr(conf.me), 7);
    printf("atexit ran;");
}

static int do_atexit_barrier(void)
{
    atexit(barrier_from_atexit);
    return code;
}

/* ---- the last rank acts, the others are busy ----------------------------- */

static int do_one_spin(void)
{
    if (is_last()) {
        gasnet_exit(code);
    }
    return spin();
}

static int do_one_barrier(void)
{
    if (is_last()) {
        gasnet_exit(code);
    }
    conf_barrier();
    return 99;
}

static int do_one_block(void)
{
    if (is_last()) {
        gasnet_exit(code);
    }
    block();
    return 99;
}

static int do_one_sending(void)
{
    if (is_last()) {
        gasnet_exit(code);
    }
    for (;;) {
        gasnet_AMRequestShort0(conf.n - 1, H_NOTHING);
        gasnet_put_val(conf.n - 1, conf_addr(conf.n - 1), 1, 8);
    }
}

static int do_one_return(void)
{
    if (is_last()) {
        return code;
    }
    conf_barrier();
    return 99;
}

/* A rank that has returned still answers the others, until they return. */
static int do_served(void)
{
    if (is_last()) {
        return 0;
    }
    for (int i = 1; i <= 350; i++) {
        gasnet_AMRequestShort0(conf.n - 1, H_ASK);
        GASNET_BLOCKUNTIL(answers == i);
        usleep(10000); /* 3.5 s in all: over GASNET_EXITTIMEOUT */
    }
    printf("served;");
    return 0;
}

static int do_handler(void)
{
    if (conf.me == 0) {
        gasnet_AMRequestShort1(conf.n - 1, H_EXIT, code);
    }
    block();
    return 99;
}

static int do_quick_exit(void)
{
    if (conf.me == 0) {
        gasnet_AMRequestShort1(conf.n - 1, H_QUICK_EXIT, code);
    }
    block();
    return 99;
}

static int do_holding(void)
{
    if (is_last()) {
        gasnet_hsl_lock(&lock);
        gasnet_hold_interrupts();
        gasnet_exit(code);
    }
    block();
    return 99;
}

static void *exit_in_thread(void *arg)
{
    (void)arg;
    gasnet_exit(code);
    return NULL;
}

static int do_thread(void)
{
    struct conf_crew crew;
    if (is_last()) {
        conf_crew_start(&crew, 1, exit_in_thread);
    }
    block();
    return 99;
}

static void on_quit(int sig)
{
    static const char text[] = "quit seen;";
    (void)sig;
    if (write(1, text, sizeof text - 1) < 0) {
        _exit(98);
    }
    gasnet_exit(code);
}

static int do_sigquit(void)
{
    if (is_last()) {
        gasnet_exit(code);
    }
    block();
    return 99;
}

/* ---- what a rank starts is no rank ---------------------------------------- */

static int do_children(void)
{
    char line[16] = "";
    int status = 0;
    const pid_t pid = fork();
    if (pid == 0) {
        exit(3); /* a child runs the exit hooks that it has inherited */
    }
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3, "child: %#x", status);
    status = system("exit 5");
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 5, "system: %#x", status);
    FILE *f = popen("echo piped", "r");
    CHECK(f != NULL && fgets(line, sizeof line, f) != NULL, "popen");
    CHECK_EQ(pclose(f), 0);
    CHECK(strcmp(line, "piped\n") == 0, "popen: '%s'", line);
    if (fork() == 0) {
        raise(SIGKILL);
    }
    CHECK(wait(&status) > 0 && WIFSIGNALED(status), "killed child");
    conf_barrier();
    printf("children ended;");
    return code;
}

/* ---- signal handlers ------------------------------------------------------ */

static const int signals[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGUSR1,
                              SIGUSR2, SIGPIPE, SIGCHLD, SIGSEGV, SIGBUS,
                              SIGFPE,  SIGILL,  SIGABRT, SIGTSTP, SIGCONT};

static void own_handler(int sig)
{
    (void)sig;
}

static void set_handlers(void)
{
    for (int i = 0; i < CONF_COUNT(signals); i++) {
        signal(signals[i], own_handler);
    }
}

static void (*inherited[CONF_COUNT(signals)])(int);

static void note_handlers(void)
{
    for (int i = 0; i < CONF_COUNT(signals); i++) {
        struct sigaction now;
        CHECK_EQ(sigaction(signals[i], NULL, &now), 0);
        inherited[i] = now.sa_handler;
    }
}

/* want NULL: as inherited. */
static void check_handlers(void (*want)(int))
{
    for (int i = 0; i < CONF_COUNT(signals); i++) {
        struct sigaction now;
        CHECK_EQ(sigaction(signals[i], NULL, &now), 0);
        CHECK(now.sa_handler == (want ? want : inherited[i]),
              "the handler of signal %d is another", signals[i]);
    }
}

/* Set before gasnet_init (main) and after. */
static int do_own_handlers(void)
{
    check_handlers(own_handler);
    set_handlers();
    conf_barrier();
    check_handlers(own_handler);
    printf("handlers kept;");
    return code;
}

/* With GASNET_NO_CATCH_SIGNAL. */
static int do_no_catch(void)
{
    check_handlers(NULL);
    printf("no handlers;");
    return code;
}

/* ---- crashes ------------------------------------------------------------- */

static int do_abort(void)
{
    if (is_last()) {
        abort();
    }
    conf_barrier();
    return 99;
}

static int do_segv(void)
{
    if (is_last()) {
        signal(SIGSEGV, SIG_DFL);
        raise(SIGSEGV);
    }
    block();
    return 99;
}

static int do_kill(void)
{
    if (is_last()) {
        raise(SIGKILL);
    }
    return spin();
}

static int do_term(void)
{
    if (is_last()) {
        raise(SIGTERM);
    }
    block();
    return 99;
}

static int do_unreachable(void)
{
    return 97;
}

static const struct scenario {
    const char *name;
    int (*run)(void);
} scenarios[] = {{"return", do_return},
                 {"exit", do_exit},
                 {"gasnet", do_gasnet},
                 {"staggered", do_staggered},
                 {"different", do_different},
                 {"atexit", do_atexit},
                 {"atexit-barrier", do_atexit_barrier},
                 {"one-spin", do_one_spin},
                 {"one-barrier", do_one_barrier},
                 {"one-block", do_one_block},
                 {"one-sending", do_one_sending},
                 {"one-return", do_one_return},
                 {"served", do_served},
                 {"children", do_children},
                 {"own-handlers", do_own_handlers},
                 {"no-catch", do_no_catch},
                 {"handler", do_handler},
                 {"quick-exit", do_quick_exit},
                 {"holding", do_holding},
                 {"thread", do_thread},
                 {"sigquit", do_sigquit},
                 {"abort", do_abort},
                 {"segv", do_segv},
                 {"kill", do_kill},
                 {"term", do_term},
                 {"before-attach", do_unreachable},
                 {"before-attach-one", do_unreachable}};

static const struct scenario *find(const char *name)
{
    for (int i = 0; i < CONF_COUNT(scenarios); i++) {
        if (strcmp(scenarios[i].name, name) == 0) {
            return &scenarios[i];
        }
    }
    fprintf(stderr, "exit_job: no scenario is called %s\n", name);
    exit(96);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: exit_job <scenario> <code>\n");
        return 96;
    }
    const struct scenario *s = find(argv[1]);
    code = atoi(argv[2]);
    conf_options(argc, argv);
    conf.name = "exit_job";
    note_handlers();
    if (strcmp(s->name, "own-handlers") == 0) {
        set_handlers();
    }
    OK(gasnet_init(&argc, &argv));
    conf.joined = 1;
    conf.me = gasnet_mynode();
    conf.n = gasnet_nodes();
    if (strcmp(s->name, "before-attach") == 0 ||
        (strcmp(s->name, "before-attach-one") == 0 && is_last())) {
        gasnet_exit(code);
    }
    if (strcmp(s->name, "sigquit") == 0 && !is_last()) {
        signal(SIGQUIT, on_quit);
    }
    conf_attach(table, CONF_COUNT(table), 4096);
    conf_barrier();
    return s->run();
}

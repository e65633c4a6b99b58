/* SPDX-License-Identifier: BSD-3-Clause */
/* Tools for process and machine, signals, affinity, memory, bytes,
 * backtraces with the program's own function, lists as text. */
#include "conform.h"

#include <gasnet_tools.h>

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

GASNETT_IDENT(tools_system_ident, "$ToolsSystem: conform $");

static void versions(void)
{
    char text[40];
    snprintf(text, sizeof text, "%d.%d.%d", GASNETT_RELEASE_VERSION_MAJOR,
             GASNETT_RELEASE_VERSION_MINOR, GASNETT_RELEASE_VERSION_PATCH);
    CHECK(strcmp(gasnett_release_version_str(), text) == 0, "%s",
          gasnett_release_version_str());
    CHECK_EQ(gasnett_release_version(),
             GASNETT_RELEASE_VERSION_MAJOR * 1000000 +
                 GASNETT_RELEASE_VERSION_MINOR * 10000 +
                 GASNETT_RELEASE_VERSION_PATCH);
    CHECK(gasnett_performance_warning_str() != NULL, "a string");
    CHECK(strlen(GASNETT_CONFIG_STRING) && strlen(GASNETT_SYSTEM_TUPLE),
          "strings");
    CHECK(tools_system_ident[0] == '$', "ident");
    CHECK(strcmp(GASNETT_CURRENT_FUNCTION, "versions") == 0, "%s",
          GASNETT_CURRENT_FUNCTION);
    char *where = gasnett_current_loc;
    CHECK(strstr(where, "tools_system.c:") && strstr(where, "versions"), "%s",
          where);
    free(where);
}

static void machine(const char *program)
{
    char host[256] = "", *name = strrchr(program, '/');
    CHECK_EQ(gethostname(host, sizeof host - 1), 0);
    CHECK(strcmp(gasnett_gethostname(), host) == 0, "%s",
          gasnett_gethostname());
    CHECK(gasnett_exe_name()[0] == '/' &&
              strstr(gasnett_exe_name(), name ? name : program),
          "%s", gasnett_exe_name());
    CHECK(gasnett_cpu_count() >= 1 &&
              gasnett_cpu_count() <= sysconf(_SC_NPROCESSORS_CONF),
          "%d processors", gasnett_cpu_count());
    CHECK_EQ(gasnett_getPhysMemSz(1),
             sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE));
    CHECK_EQ(sysconf(_SC_PAGESIZE), GASNETT_PAGESIZE);
    const uint16_t one = 1;
    CHECK_EQ(gasnett_isLittleEndian(), *(const unsigned char *)&one);
    CHECK(GASNETT_MAX_THREADS >= 256, "%d threads", GASNETT_MAX_THREADS);
}

static void affinity(void)
{
    cpu_set_t before, after;
    CHECK_EQ(sched_getaffinity(0, sizeof before, &before), 0);
    for (int rank = 0; rank < 2 * CPU_COUNT(&before); rank++) {
        CHECK_EQ(gasnett_set_affinity(rank), 0);
        CHECK_EQ(sched_getaffinity(0, sizeof after, &after), 0);
        CHECK_EQ(CPU_COUNT(&after), 1);
        size_t cpu = 0;
        int nth = 0;
        for (; !CPU_ISSET(cpu, &after); cpu++) {
            nth += CPU_ISSET(cpu, &before) != 0;
        }
        CHECK_EQ(nth, rank % CPU_COUNT(&before));
    }
    CHECK_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

static void memory(void)
{
    const size_t size = 5 * GASNETT_PAGESIZE;
    unsigned char *p = (unsigned char *)gasnett_mmap(size);
    CHECK(p != MAP_FAILED && (uintptr_t)p % GASNETT_PAGESIZE == 0, "%p",
          (void *)p);
    CHECK_BYTES(p, size, 0);
    p[size - 1] = 1;
    munmap(p, size);
    CHECK(gasnett_mmap((uintptr_t)1 << 60) == MAP_FAILED, "2^60 bytes");
}

static void limits(void)
{
    struct rlimit old, now;
    CHECK_EQ(getrlimit(RLIMIT_STACK, &old), 0);
    now = old;
    now.rlim_cur = now.rlim_max == RLIM_INFINITY ? 8 << 20 : now.rlim_max / 2;
    CHECK_EQ(setrlimit(RLIMIT_STACK, &now), 0);
    gasnett_setenv("GASNET_MAXIMIZE_RLIMIT_STACK", "no");
    CHECK(gasnett_maximize_rlimit(RLIMIT_STACK, "RLIMIT_STACK"), "forbidden");
    CHECK_EQ(getrlimit(RLIMIT_STACK, &old), 0);
    CHECK_EQ(old.rlim_cur, now.rlim_cur);
    gasnett_unsetenv("GASNET_MAXIMIZE_RLIMIT_STACK");
    CHECK(gasnett_maximize_rlimits(), "maximize");
    CHECK_EQ(getrlimit(RLIMIT_STACK, &old), 0);
    CHECK_EQ(old.rlim_cur, old.rlim_max);
}

static volatile int caught;

static void on_signal(int sig)
{
    caught = sig;
}

static void signals(void)
{
    CHECK(gasnett_reghandler(SIGUSR2, on_signal) == SIG_DFL, "handler");
    CHECK_EQ(raise(SIGUSR2), 0);
    CHECK_EQ(caught, SIGUSR2);
    CHECK(gasnett_reghandler(SIGUSR2, SIG_IGN) == on_signal, "handler");
    CHECK_EQ(raise(SIGUSR2), 0);
    CHECK(gasnett_reghandler(SIGUSR2, SIG_DFL) == SIG_IGN, "handler");
}

static void bytes(void)
{
    struct conf_rng rng = conf_rng(conf.me);
    unsigned char from[70], to[sizeof from + 1];
    for (int i = 0; i < 2000; i++) {
        const size_t n = conf_below(&rng, sizeof from + 1 - 8);
        const size_t at = conf_below(&rng, 8);
        size_t zeros = 0;
        for (size_t k = 0; k < sizeof from; k++) {
            from[k] = conf_below(&rng, 3) ? 0 : (unsigned char)conf_next(&rng);
        }
        for (size_t k = at; k < at + n; k++) {
            zeros += from[k] == 0;
        }
        CHECK_EQ(gasnett_count0s(from + at, n), zeros);
        memset(to, 0x5a, sizeof to);
        CHECK_EQ(gasnett_count0s_copy(to, from + at, n), zeros);
        CHECK_EQ(memcmp(to, from + at, n), 0);
        CHECK_EQ(to[n], 0x5a);
        const uint64_t sum = gasnett_checksum(from + at, (int)n);
        CHECK_EQ(gasnett_checksum(to, (int)n), sum);
        if (n > 0) {
            to[conf_below(&rng, n)] ^= (unsigned char)(1 << (i % 8));
            CHECK(gasnett_checksum(to, (int)n) != sum, "a bit changed");
        }
    }
    for (int i = 0; i < 64; i++) {
        const uint64_t v = conf_next(&rng) & conf_next(&rng) & conf_next(&rng);
        const uint32_t w = (uint32_t)v;
        CHECK_EQ(gasnett_count0s_uint64_t(v), gasnett_count0s(&v, 8));
        CHECK_EQ(gasnett_count0s_uint32_t(w), gasnett_count0s(&w, 4));
        CHECK_EQ(gasnett_count0s_uintptr_t((uintptr_t)v),
                 gasnett_count0s(&v, sizeof(uintptr_t)));
    }
    CHECK_EQ(gasnett_count0s_uint64_t(0), 8);
    CHECK_EQ(gasnett_count0s_uint32_t(0), 4);
    CHECK_EQ(gasnett_count0s_uint64_t(UINT64_C(0x8000000000000001)), 6);
    CHECK_EQ(gasnett_count0s_uint64_t(~(uint64_t)0), 0);
}

static gasnet_register_value_t value_at(void *p, size_t n)
{
    GASNETT_VALUE_RETURN(p, n);
}

static void values(void)
{
    unsigned char p[9];
    for (size_t n = 1; n <= 8; n++) {
        const uint64_t v = UINT64_C(0xf1e2d3c4b5a69788);
        memset(p, 0x11, sizeof p);
        GASNETT_VALUE_ASSIGN(p, v, n);
        CHECK_EQ(value_at(p, n), n == 8 ? v : v & ((UINT64_C(1) << 8 * n) - 1));
        CHECK_EQ(p[n], 0x11);
    }
    GASNETT_FAST_ALIGNED_MEMCPY(p, "12345678", 9);
    CHECK(strcmp((char *)p, "12345678") == 0, "memcpy");
    GASNETT_FAST_UNALIGNED_MEMCPY(p + 1, "abc", 3);
    CHECK(strcmp((char *)p, "1abc5678") == 0, "memcpy");
}

/* The program's own backtrace. */
static int refuse;
static int my_backtrace(int fd)
{
    return refuse || write(fd, "my calls\n", 9) != 9;
}
gasnett_backtrace_type_t gasnett_backtrace_user = {"MINE", my_backtrace, 1};

static void check_backtrace(const char *want)
{
    char text[4096] = "";
    int pipes[2];
    CHECK_EQ(pipe(pipes), 0);
    CHECK_EQ(gasnett_print_backtrace(pipes[1]), 0);
    close(pipes[1]);
    size_t n = 0;
    for (ssize_t got = 1; got > 0 && n < sizeof text - 1; n += (size_t)got) {
        got = read(pipes[0], text + n, sizeof text - 1 - n);
        CHECK(got >= 0, "read");
    }
    close(pipes[0]);
    CHECK(strstr(text, want), "%s", text);
}

static void backtraces(const char *program)
{
    gasnett_backtrace_init(program);
    check_backtrace("my calls");
    refuse = 1;
    check_backtrace("tools_system");
    refuse = 0;
    gasnett_setenv("GASNET_BACKTRACE_TYPE", "EXECINFO");
    check_backtrace("tools_system");
    gasnett_setenv("GASNET_BACKTRACE_TYPE", "GDB,MINE,EXECINFO");
    check_backtrace("my calls");
    gasnett_unsetenv("GASNET_BACKTRACE_TYPE");
    CHECK(gasnett_print_backtrace_ifenabled(2) != 0, "GASNET_BACKTRACE is off");
}

static void lists(void)
{
    struct {
        void *addr;
        size_t len;
    } vec[3] = {{(void *)0x1000, 16}, {(void *)0x3000, 0}, {(void *)-64L, 5}};
    void *addr[2] = {(void *)0x7000, (void *)-4096L};
    size_t strides[2] = {SIZE_MAX, 77}, count[3] = {4, 5, 6};
    const size_t n1 = gasnett_format_memveclist_bufsz(3);
    const size_t n2 = gasnett_format_addrlist_bufsz(2);
    const size_t n3 = gasnett_format_putsgets_bufsz(2);
    char *text = (char *)malloc(MAX(n1, MAX(n2, n3)));
    gasnett_format_memveclist(text, 3, vec);
    CHECK(strlen(text) < n1 && strstr(text, "3 entries, 21 bytes") &&
              strstr(text, "{0x1000, 16}"),
          "%s", text);
    gasnett_format_addrlist(text, 2, addr, 8);
    CHECK(strlen(text) < n2 && strstr(text, "2 entries, 16 bytes") &&
              strstr(text, "0x7000"),
          "%s", text);
    CHECK_EQ(gasnett_format_putsgets(text, NULL, 3, addr[0], strides, addr[1],
                                     strides, count, 2),
             120);
    CHECK(strlen(text) < n3 && strstr(text, "120 data bytes") &&
              strstr(text, "[4, 5, 6]") && strstr(text, "node=3"),
          "%s", text);
    gasnett_format_memveclist(text, 0, NULL);
    free(text);
}

/* A child ends at once, with its code and without its atexit functions. */
static void shout(void)
{
    abort();
}

static void endings(void)
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        atexit(shout);
        gasnett_killmyprocess(37);
    }
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 37, "status %#x", status);
    gasnett_flush_streams();
}

/* Streams are flushed into a pipe, then closed; a frozen process says so and goes
 * on when its flag, here by an alarm, is 0. */
static volatile int frozen;

static void thaw(int sig)
{
    caught = sig;
    if (frozen == 1) {
        frozen = 0;
    } else {
        alarm(1);
    }
}

static void freeze_child(int out)
{
    alarm(20);
    dup2(out, 1);
    dup2(out, 2);
    printf("held,");
    gasnett_flush_streams();
    gasnett_freezeForDebuggerErr(); /* GASNET_FREEZE_ON_ERROR is off */
    gasnett_reghandler(SIGALRM, thaw);
    alarm(1);
    gasnett_freezeForDebuggerNow(&frozen, "frozen");
    gasnett_close_streams();
    _exit(caught != SIGALRM || frozen != 0 || fcntl(0, F_GETFD) >= 0 ||
          fcntl(1, F_GETFD) >= 0 || fcntl(2, F_GETFD) >= 0);
}

static void freezing(void)
{
    char text[512] = "";
    int pipes[2], status = 0;
    CHECK_EQ(pipe(pipes), 0);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        freeze_child(pipes[1]);
    }
    close(pipes[1]);
    size_t n = 0;
    for (ssize_t got = 1; got > 0 && n < sizeof text - 1; n += (size_t)got) {
        got = read(pipes[0], text + n, sizeof text - 1 - n);
        CHECK(got >= 0, "read");
    }
    close(pipes[0]);
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %#x", status);
    CHECK(strncmp(text, "held,", 5) == 0 && strstr(text, "set frozen to 0"),
          "%s", text);
}

int main(int argc, char **argv)
{
    char program[4096];
    snprintf(program, sizeof program, "%s", argv[0]);
    conf_start("tools_system", &argc, &argv, NULL, 0, 0);
    versions();
    machine(program);
    affinity();
    memory();
    limits();
    signals();
    bytes();
    values();
    backtraces(program);
    lists();
    endings();
    freezing();
    GASNETT_TRACE_PRINTF("%d", conf.me);
    CHECK_EQ(GASNETT_TRACE_ENABLED, 0);
    CHECK(GASNETT_STATS_GETMASK()[0] == '\0', "statistics are off");
    conf_pass();
}

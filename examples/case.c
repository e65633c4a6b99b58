/* SPDX-License-Identifier: BSD-3-Clause */
/* Common code of the case studies; see case.h. */
#include "case.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GATHER = 201, MAX_RANKS = 64, MAX_GATHER = 512 };

static const char *name = "case study";
static unsigned char *base;
static unsigned char parts[MAX_RANKS][MAX_GATHER];
static volatile unsigned arrived;

static void gathered(gasnet_token_t token, void *data, size_t bytes)
{
    gasnet_node_t from;

    gasnet_AMGetMsgSource(token, &from);
    memcpy(parts[from], data, bytes);
    ++arrived;
}

/* ---- the job ---- */

/* One write per line, so that lines of processes do not mix. */
static void say(const char *who, const char *format, va_list list)
{
    char text[512];

    vsnprintf(text, sizeof text, format, list);
    fprintf(stderr, "%s: %s%s\n", name, who, text);
}

void case_refuse(const char *format, ...)
{
    va_list list;

    if (gasnet_mynode() == 0) {
        va_start(list, format);
        say("", format, list);
        va_end(list);
    }
    gasnet_exit(2);
    abort();
}

void case_fail(const char *format, ...)
{
    char rank[32];
    va_list list;

    snprintf(rank, sizeof rank, "rank %u: ", (unsigned)gasnet_mynode());
    va_start(list, format);
    say(rank, format, list);
    va_end(list);
    gasnet_exit(1);
    abort();
}

void case_fine(const char *what, fshmem_status_t status)
{
    if (status != FSHMEM_OK) {
        case_fail("%s: %s", what, fshmem_status_string(status));
    }
}

void case_join(const char *program, int *argc, char ***argv)
{
    name = program;
    if (gasnet_init(argc, argv) != GASNET_OK) {
        fprintf(stderr, "%s: cannot join the job\n", name);
        exit(1);
    }
}

static void need_cores(void)
{
    fshmem_compute_info_t info;

    for (gasnet_node_t node = 0; node < gasnet_nodes(); ++node) {
        case_fine("compute core", fshmem_compute_info(node, &info));
        if (!info.present) {
            case_refuse("rank %u has no compute core; smp: set "
                        "FSHMEM_COMPUTE=1, and at most %d ranks; fpga: a "
                        "device with a core",
                        (unsigned)node, MAX_RANKS);
        }
    }
}

void case_attach(uint64_t bytes)
{
    gasnet_handlerentry_t handlers[] = {{GATHER, (void (*)())gathered}};
    uint64_t page = GASNET_PAGESIZE;
    uint64_t most = gasnet_getMaxGlobalSegmentSize();

    if (gasnet_nodes() > MAX_RANKS) {
        case_refuse("%u ranks; at most %d: start fewer",
                    (unsigned)gasnet_nodes(), MAX_RANKS);
    }
    bytes = (bytes + page - 1) / page * page;
    if (bytes > most) {
        case_refuse("needs segments of %llu MiB; the largest here has %llu: "
                    "take a smaller problem, or let fshrun make them larger "
                    "(--segment-max on smp, --dram on fpga)",
                    (unsigned long long)(bytes >> 20) + 1,
                    (unsigned long long)(most >> 20));
    }
    if (gasnet_attach(handlers, 1, (uintptr_t)bytes, 0) != GASNET_OK) {
        case_fail("cannot attach a segment of %llu bytes",
                  (unsigned long long)bytes);
    }
    gasnet_seginfo_t segment[MAX_RANKS];
    if (gasnet_getSegmentInfo(segment, MAX_RANKS) != GASNET_OK) {
        case_fail("no segment");
    }
    base = segment[gasnet_mynode()].addr;
    need_cores();
}

void case_barrier(void)
{
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
}

void case_leave(int code)
{
    fflush(stdout);
    if (code == 0) {
        case_barrier();
    }
    gasnet_exit(code);
}

void case_gather(const void *mine, size_t bytes, void *all)
{
    if (bytes > MAX_GATHER) {
        case_fail("%zu bytes to gather, at most %d", bytes, MAX_GATHER);
    }
    gasnet_AMRequestMedium0(0, GATHER, (void *)(uintptr_t)mine, bytes);
    if (gasnet_mynode() == 0) {
        GASNET_BLOCKUNTIL(arrived == gasnet_nodes());
        for (gasnet_node_t node = 0; node < gasnet_nodes(); ++node) {
            memcpy((unsigned char *)all + node * bytes, parts[node], bytes);
        }
        arrived = 0;
    }
    case_barrier();
}

void case_start(unsigned starts)
{
    case_barrier();
    case_fine("start", fshmem_signal(gasnet_mynode(), CASE_START, starts));
}

/* ---- options ---- */

static void help(const char *usage, const struct case_option *options,
                 size_t count)
{
    if (gasnet_mynode() == 0) {
        puts(usage);
        for (size_t i = 0; i < count; ++i) {
            printf("  %-12s %s\n", options[i].name, options[i].help);
        }
        printf("  %-12s %s\n", "--help", "this text");
        fflush(stdout);
    }
    gasnet_exit(0);
}

static void set_number(const struct case_option *option, const char *value)
{
    char *end;
    unsigned long long number = strtoull(value, &end, 0);

    if (end == value || *end != 0 || value[0] == '-' ||
        number < option->least || number > option->most) {
        case_refuse("%s %s: give a number from %u to %u", option->name, value,
                    (unsigned)option->least, (unsigned)option->most);
    }
    *option->number = (uint32_t)number;
}

static void set_string(const struct case_option *option, const char *value)
{
    const char *choice = option->choices;
    size_t length = strlen(value);

    while (choice && (strncmp(choice, value, length) != 0 ||
                      (choice[length] != '|' && choice[length] != 0))) {
        choice = strchr(choice, '|');
        choice = choice ? choice + 1 : NULL;
    }
    if (option->choices && (!choice || length == 0)) {
        case_refuse("%s %s: give one of %s", option->name, value,
                    option->choices);
    }
    *option->string = value;
}

static const struct case_option *find(const struct case_option *options,
                                      size_t count, const char *arg)
{
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(options[i].name, arg) == 0) {
            return &options[i];
        }
    }
    return NULL;
}

void case_options(int argc, char **argv, const char *usage,
                  const struct case_option *options, size_t count)
{
    for (int i = 1; i < argc; ++i) {
        const struct case_option *option = find(options, count, argv[i]);

        if (strcmp(argv[i], "--help") == 0) {
            help(usage, options, count);
        }
        if (!option) {
            case_refuse("%s: unknown option; see --help", argv[i]);
        }
        if (option->flag) {
            *option->flag = 1;
            continue;
        }
        if (++i == argc) {
            case_refuse("%s: its value is missing; see --help", option->name);
        }
        if (option->number) {
            set_number(option, argv[i]);
        } else {
            set_string(option, argv[i]);
        }
    }
}

/* ---- memory, numbers ---- */

fshmem_offset_t case_take(uint64_t *next, uint64_t bytes)
{
    fshmem_offset_t at = *next;

    *next += (bytes + 63) / 64 * 64;
    return at;
}

void *case_at(fshmem_offset_t offset)
{
    return base + offset;
}

/* splitmix64's finisher. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

float case_number(uint32_t seed, uint32_t operand, uint64_t place)
{
    uint64_t x = mix(((uint64_t)seed << 32 | operand) +
                     (place + 1) * UINT64_C(0x9e3779b97f4a7c15));

    return (float)((double)(x >> 40) / 8388608.0 - 1.0);
}

/* ---- self-check ---- */

void case_compare(struct case_check *check, double got, double want)
{
    double error = got > want ? got - want : want - got;

    ++check->compared;
    check->squares += error * error;
    if (error > check->largest) {
        check->largest = error;
    }
    if (!(error <= check->bound)) { /* also NaN */
        ++check->wrong;
    }
}

void case_hash(struct case_check *check, uint64_t place, float result)
{
    uint32_t bits;

    memcpy(&bits, &result, sizeof bits);
    check->hash += mix(place * UINT64_C(0x9e3779b97f4a7c15) + bits + 1);
}

struct case_check case_expect(uint64_t k)
{
    return (struct case_check){.bound = (double)k / 64 * 1.01,
                               .typical_bound = sqrt((double)k) / 256};
}

double case_typical(const struct case_check *check)
{
    return check->compared ? sqrt(check->squares / (double)check->compared) : 0;
}

int case_passes(const struct case_check *check)
{
    return check->compared != 0 && check->wrong == 0 &&
           case_typical(check) <= check->typical_bound;
}

void case_check_all(struct case_check *check)
{
    static struct case_check all[MAX_RANKS];

    case_gather(check, sizeof *check, all);
    if (gasnet_mynode() != 0) {
        return;
    }
    for (gasnet_node_t node = 1; node < gasnet_nodes(); ++node) {
        check->compared += all[node].compared;
        check->wrong += all[node].wrong;
        check->squares += all[node].squares;
        check->hash += all[node].hash;
        if (all[node].largest > check->largest) {
            check->largest = all[node].largest;
        }
    }
}

fshmem_command_t *case_command(struct case_commands *commands)
{
    if (commands->count == commands->room) {
        commands->room = commands->room ? 2 * commands->room : 64;
        commands->at =
            realloc(commands->at, commands->room * sizeof *commands->at);
        if (!commands->at) {
            case_fail("no memory for %zu commands", commands->room);
        }
    }
    return &commands->at[commands->count++];
}

void case_commands_free(struct case_commands *commands)
{
    free(commands->at);
    memset(commands, 0, sizeof *commands);
}

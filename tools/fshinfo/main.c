/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshinfo: shows this installation, what can be used here and why the rest cannot,
 * its compute cores, and every setting with default, value and source. Text for
 * people, --json for programs and bug reports. One thread, no job.
 */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/fsh_spec.h"
#include "base/log.h"
#include "base/option.h"
#include "base/path.h"
#include "boot/huge.h"
#include "boot/job.h"
#include "boot/memory.h"
#include "coll.h"
#include "conduit/conduit.h"
#include "network/provider.h"
#include "device/device.h"
#include "document.h"
#include "fabric.h"
#include "options.h"
#include "show.h"

static const char usage[] =
    "Usage: fshinfo [--json]\n"
    "       fshinfo fabric [--topology T] [-n N] [--dot]\n"
    "       fshinfo coll [-n N] [--show ALGORITHM [--call CALL] [--root R]]\n"
    "Show what is installed and what can be used on this host.\n"
    "Lists conduits, providers and devices, with the reason if one cannot be used;\n"
    "limits; compute cores; host and processors; every setting with its default, value\n"
    "and source.\n"
    "\n";

static bool wants_json, wants_help, wants_version;

static const struct kit_option rows[] = {
    {"--json", .help = "JSON output", .flag = &wants_json},
    {"--help", .help = "print this", .flag = &wants_help, .ends = true,
     .letter = 'h'},
    {"--version", .help = "print the version", .flag = &wants_version,
     .ends = true},
};

static const struct kit_options options = {
    .tool = "fshinfo",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

struct tool {
    const char *name;
    const char *use;
};

static const struct tool outside[] = {
    {"verilator", "builds the simulator"},
    {"yosys", "synthesis reports"},
    {"gnuplot", "plots"},
};

/* "conduits" and "devices" have the same form. */
static void show_usable(struct document *j, const char *name, bool usable,
                        const char *why)
{
    if (j) {
        document_open(j, NULL, '{');
        document_text(j, "name", name);
        document_bool(j, "usable", usable);
        document_text(j, "why", why);
        document_close(j);
    } else {
        printf("  %-10s %s%s%s\n", name, usable ? "usable" : "not usable",
               why[0] ? ": " : "", why);
    }
}

static void show_provider(void *arg, const char *name, bool usable,
                          const char *why)
{
    show_usable(arg, name, usable, why);
}

/* The libfabric providers that conduit ofi can use. */
static void show_providers(struct document *j)
{
    char why[512] = "";

    if (j)
        document_open(j, "providers", '[');
    else
        puts("\nProviders of conduit ofi");
    if (!fsh_network_providers(show_provider, j, why, sizeof(why)) && !j)
        puts("  none");
    if (j)
        document_close(j);
}

static void show_conduits(struct document *j)
{
    char why[512];
    bool usable;

    if (j)
        document_open(j, "conduits", '[');
    else
        puts("Conduits");
    for (const struct fsh_conduit_ops *const *c = fsh_conduits; *c; c++) {
        why[0] = '\0';
        usable = (*c)->usable(why, sizeof(why));
        show_usable(j, (*c)->name, usable, why);
    }
    if (j)
        document_close(j);
    show_providers(j);
    if (j) {
        document_open(j, "devices", '[');
    } else {
        puts("\nDevices of conduit fpga");
    }
    for (const struct fsh_device_ops *const *d = fsh_devices; *d; d++) {
        why[0] = '\0';
        usable = (*d)->usable(why, sizeof(why));
        show_usable(j, (*d)->name, usable, why);
    }
    if (j)
        document_close(j);
    else
        putchar('\n');
}

static void show_limits(struct document *j)
{
    show_open(j, "limits", "Limits");
    show_number(j, "smp_ranks", FSH_JOB_MAX_RANKS, "ranks, smp");
    show_number(j, "fpga_nodes", FSH_MAX_NODES, "nodes, fpga");
    show_number(j, "fpga_ports", FSH_MAX_PORTS, "link ports, fpga");
    /* The default of jobs. */
    show_text(j, "fpga_topology",
              "ring; above 8 nodes torus, where sides of 3 or more fit",
              "topology, fpga");
    show_number(j, "max_args", FSH_MAX_ARGS, "AM arguments");
    show_number(j, "fpga_max_medium", FSH_MAX_MEDIUM, "AM Medium, fpga");
    show_number(j, "spec_major", FSH_SPEC_MAJOR, "device interface");
    show_number(j, "clock_mhz", FSH_CLOCK_MHZ, "nominal MHz");
    show_close(j);
}

static void show_tools(struct document *j)
{
    char path[PATH_MAX], err[800];

    for (size_t i = 0; i < sizeof(outside) / sizeof(outside[0]); i++) {
        if (fsh_path_find(outside[i].name, path, sizeof(path)) != 0)
            snprintf(path, sizeof(path), "%s%s%s", j ? "" : "not found (",
                     j ? "" : outside[i].use, j ? "" : ")");
        show_text(j, outside[i].name, path, outside[i].name);
    }
    if (fsh_job_find_sim(path, sizeof(path), err, sizeof(err)) != 0)
        snprintf(path, sizeof(path), "%s", j ? "" : "not found");
    show_text(j, "fshsim", path, "fshsim");
}

static void show_huge(struct document *j)
{
    struct fsh_huge huge;

    fsh_huge_read(&huge);
    if (j) {
        document_number(j, "huge_pages", huge.total);
        document_number(j, "huge_pages_free", huge.free);
        document_text(j, "huge_pages_shared", huge.shared);
    } else {
        printf("  %-18s %zu of %zu reserved are free; for shared memory: %s\n",
               "pages of 2 MiB", huge.free, huge.total, huge.shared);
    }
}

static void show_host(struct document *j)
{
    struct fsh_memory memory;
    struct rlimit files = {0, 0};
    struct utsname host;
    char text[160], size[32];

    show_open(j, "host", "Host");
    uname(&host);
    snprintf(text, sizeof(text), "%.40s %.64s %.40s", host.sysname,
             host.release, host.machine);
    show_text(j, "system", text, "system");
    show_number(j, "cpus", fsh_cpu_count(), "usable CPUs");
    fsh_memory_read(&memory);
    if (j) {
        document_number(j, "memory_available", memory.available);
        document_text(j, "memory_limit", memory.limit);
    } else {
        printf("  %-18s %s (%s)\n", "memory left",
               fsh_memory_text(memory.available, size), memory.limit);
    }
    show_huge(j);
    getrlimit(RLIMIT_NOFILE, &files);
    show_number(j, "descriptors", (uint64_t)files.rlim_cur, "descriptors");
    show_tools(j);
    show_close(j);
}

static void show_option(void *arg, const struct fsh_option_info *info)
{
    struct document *j = arg;

    if (!j && !info->effect)
        return; /* see show_ignored */
    if (!j) {
        printf("  %-24s %s%s\n      default %s, type %s, source %s\n      %s\n",
               info->name, info->value[0] ? info->value : "(unset)",
               info->valid ? "" : "  <- CANNOT BE READ",
               info->preset[0] ? info->preset : "(unset)", info->type_name,
               info->source, info->help);
        return;
    }
    document_open(j, NULL, '{');
    document_text(j, "name", info->name);
    document_text(j, "type", info->type_name);
    document_text(j, "default", info->preset);
    document_text(j, "value", info->value);
    document_text(j, "source", info->source);
    document_bool(j, "valid", info->valid);
    document_bool(j, "effect", info->effect);
    document_text(j, "help", info->help);
    document_close(j);
}

/* Settings of other implementations: their names, in lines of 78 columns. */
static void list_ignored(void *arg, const struct fsh_option_info *info)
{
    size_t *column = arg, len = strlen(info->name);

    if (info->effect)
        return;
    if (*column + len + 1 > 78) {
        fputs("\n ", stdout);
        *column = 1;
    }
    printf(" %s", info->name);
    *column += len + 1;
}

static void list_ignored_set(void *arg, const struct fsh_option_info *info)
{
    (void)arg;
    if (!info->effect && info->value[0])
        printf("  set: %s=%s\n", info->name, info->value);
}

static void show_ignored(void)
{
    size_t column = 1;

    fputs("\nAccepted for GASNet programs, without effect\n ", stdout);
    fsh_option_each(list_ignored, &column);
    putchar('\n');
    fsh_option_each(list_ignored_set, NULL);
}

static void show_all(struct document *j)
{
    if (j) {
        document_open(j, NULL, '{');
        document_text(j, "version", FSH_VERSION);
    } else {
        puts("FSHMEM " FSH_VERSION "\n");
    }
    show_conduits(j);
    show_limits(j);
    show_compute(j);
    show_host(j);
    show_processors(j);
    if (j)
        document_open(j, "options", '[');
    else
        puts("Settings (environment variables)");
    fsh_option_each(show_option, j);
    if (j) {
        document_close(j);
        document_close(j);
    } else {
        show_ignored();
    }
}

int main(int argc, char **argv)
{
    struct document document = {0};
    struct document *j;

    fsh_log_program("fshinfo");
    if (argc > 1 && strcmp(argv[1], "fabric") == 0)
        return fabric_command(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "coll") == 0)
        return coll_command(argc - 1, argv + 1);
    kit_options_read(&options, argc, argv);
    if (wants_help) {
        fputs(usage, stdout);
        kit_options_print(stdout, &options, 2, 24);
        fabric_help(stdout);
        coll_help(stdout);
        return 0;
    }
    if (wants_version) {
        puts("fshinfo (FSHMEM) " FSH_VERSION);
        return 0;
    }
    j = wants_json ? &document : NULL;
    fsh_option_check();
    show_all(j);
    if (j && !document_write(j, stdout))
        return 1;
    return fflush(stdout) == 0 ? 0 : 1;
}

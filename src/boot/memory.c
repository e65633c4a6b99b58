/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory objects are memfd: no file system bounds them, but the memory cgroup
 * is charged for what is touched, and a job that outgrows it is killed without
 * a word. So compare before the start. Called when a job is made.
 */
#include "boot/memory.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cgroup.h"
#include "base/option.h"

/* First number in a file; false if there is none ("max"). */
static int read_number(const char *path, unsigned long long *value)
{
    FILE *f = fopen(path, "re");
    int n;

    if (!f)
        return 0;
    n = fscanf(f, "%llu", value);
    fclose(f);
    return n == 1;
}

/* The number after a word at the start of a line, 0 if it is not there. */
static unsigned long long read_field(const char *path, const char *word)
{
    FILE *f = fopen(path, "re");
    unsigned long long value = 0;
    size_t len = strlen(word);
    char line[256];

    if (!f)
        return 0;
    while (fgets(line, sizeof(line), f))
        if (strncmp(line, word, len) == 0) {
            value = strtoull(line + len, NULL, 10);
            break;
        }
    fclose(f);
    return value;
}

static void lower(struct fsh_memory *memory, unsigned long long available,
                  unsigned long long total, const char *limit)
{
    if (available >= memory->available)
        return;
    memory->available = (size_t)available;
    memory->total = (size_t)total;
    snprintf(memory->limit, sizeof(memory->limit), "%s", limit);
}

/* One directory of the cgroup hierarchy, version 1 or 2. Cached files count as
 * used there, but give way. */
static void look_at_limit(void *arg, const char *dir, bool v2)
{
    struct fsh_memory *memory = arg;
    unsigned long long limit, used, cache;
    char path[4400];

    snprintf(path, sizeof(path), "%s/%s", dir,
             v2 ? "memory.max" : "memory.limit_in_bytes");
    if (!read_number(path, &limit))
        return;
    snprintf(path, sizeof(path), "%s/%s", dir,
             v2 ? "memory.current" : "memory.usage_in_bytes");
    if (!read_number(path, &used))
        return;
    snprintf(path, sizeof(path), "%s/memory.stat", dir);
    cache = read_field(path, v2 ? "inactive_file " : "total_inactive_file ");
    used = used > cache ? used - cache : 0;
    lower(memory, limit > used ? limit - used : 0, limit,
          "memory limit of the cgroup");
}

static void look_at_kills(void *arg, const char *dir, bool v2)
{
    unsigned long long *kills = arg;
    char path[4400];

    snprintf(path, sizeof(path), "%s/%s", dir,
             v2 ? "memory.events" : "memory.oom_control");
    *kills += read_field(path, "oom_kill ");
}

unsigned long long fsh_memory_oom_kills(void)
{
    unsigned long long kills = read_field("/proc/vmstat", "oom_kill ");

    fsh_cgroup_each("memory", look_at_kills, &kills);
    return kills;
}

void fsh_memory_read(struct fsh_memory *memory)
{
    unsigned long long kib = read_field("/proc/meminfo", "MemAvailable:");

    memory->available = memory->total = SIZE_MAX;
    snprintf(memory->limit, sizeof(memory->limit), "no limit found");
    if (kib)
        lower(memory, kib * 1024,
              read_field("/proc/meminfo", "MemTotal:") * 1024,
              "available memory of the host");
    fsh_cgroup_each("memory", look_at_limit, memory);
}

const char *fsh_memory_text(size_t bytes, char *buf)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    unsigned u = 0;

    for (; value >= 1024 && u < 4; u++)
        value /= 1024;
    snprintf(buf, 32, value < 10 && u ? "%.2g %s" : "%.0f %s", value, units[u]);
    return buf;
}

/* "0.5" or "2/3": more than nothing, at most all. "1" is a byte. */
static bool parse_fraction(const char *text, double *fraction)
{
    double part, whole = 1;
    char *end;

    part = strtod(text, &end);
    if (end == text || (*end != '/' && !strchr(text, '.')))
        return false;
    if (*end == '/') {
        text = end + 1;
        whole = strtod(text, &end);
    }
    *fraction = part / whole; /* inf/inf is none */
    return *end == '\0' && end != text && part > 0 && whole > 0 &&
           *fraction > 0 && *fraction <= 1;
}

/* text without blanks. False if it does not fit, or a blank parts a number. */
static bool close_up(const char *text, char *word, size_t len)
{
    bool gap = false;
    size_t n = 0;

    for (; *text; text++) {
        if (isspace((unsigned char)*text)) {
            gap = n > 0;
            continue;
        }
        if (n + 1 == len ||
            (gap && word[n - 1] != '/' && strchr("0123456789.", *text)))
            return false;
        gap = false;
        word[n++] = *text;
    }
    word[n] = '\0';
    return true;
}

bool fsh_memory_parse(const char *text, size_t total, uint32_t ranks,
                      size_t *bytes)
{
    char word[64];
    double fraction;
    bool all = false;
    size_t n;

    if (!close_up(text, word, sizeof(word)))
        return false;
    n = strlen(word);
    if (n > 2 && word[n - 2] == '/' && strchr("pPhH", word[n - 1])) {
        all = strchr("hH", word[n - 1]) != NULL;
        word[n - 2] = '\0';
    }
    if (parse_fraction(word, &fraction)) /* a double may round total up */
        *bytes = fraction < 1 ? (size_t)((double)total * fraction) : total;
    else if (!fsh_option_parse_size(word, bytes))
        return false;
    if (all)
        *bytes /= ranks;
    return *bytes != 0;
}

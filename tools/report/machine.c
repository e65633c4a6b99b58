/* SPDX-License-Identifier: BSD-3-Clause */
/* The header of every report: where, when and with what it was made. */
#include "page.h"

#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/cpu.h"
#include "base/option.h"
#include "fsh_commit.h" /* FSH_COMMIT; made by the build */

/* The processor's name according to Linux, or "" if unknown. */
static void processor_name(char *name, size_t len)
{
    FILE *in = fopen("/proc/cpuinfo", "r");
    char line[256];

    name[0] = '\0';
    while (in && !name[0] && fgets(line, sizeof(line), in)) {
        const char *colon = strchr(line, ':');

        if (colon && strncmp(line, "model name", 10) == 0) {
            colon += 1 + strspn(colon + 1, " ");
            snprintf(name, len, "%.*s", (int)strcspn(colon, "\n"), colon);
        }
    }
    if (in)
        fclose(in);
}

static void count_setting(void *arg, const struct fsh_option_info *info)
{
    unsigned *count = arg;

    *count += strcmp(info->source, "default") != 0;
}

static void write_setting(void *arg, const struct fsh_option_info *info)
{
    if (strcmp(info->source, "default") == 0)
        return;
    page_cell(arg, "%s", info->name);
    page_cell(arg, "%s", info->value);
    page_cell(arg, "%s", info->preset[0] ? info->preset : "(unset)");
    page_cell(arg, "%s%s", info->help,
              info->effect ? "" : " (accepted, without effect)");
}

static void write_settings(struct page *p)
{
    static const struct page_column columns[] = {{"Setting", false},
                                                 {"Value", false},
                                                 {"Default", false},
                                                 {"Meaning", false}};
    unsigned count = 0;

    fsh_option_each(count_setting, &count);
    if (count == 0) {
        page_paragraph(p, "All settings have their defaults.");
        return;
    }
    page_table(p, "Non-default settings", columns, 4);
    fsh_option_each(write_setting, p);
    page_table_end(p);
}

void page_machine(struct page *p)
{
    time_t now = time(NULL);
    char processor[160], when[64] = "";
    struct utsname host;
    struct tm utc;

    processor_name(processor, sizeof(processor));
    if (gmtime_r(&now, &utc))
        strftime(when, sizeof(when), "%Y-%m-%d %H:%M UTC", &utc);
    uname(&host);
    page_facts(p);
    page_fact(p, "FSHMEM", "%s%s%s", FSH_VERSION,
              FSH_COMMIT[0] ? ", commit " : "", FSH_COMMIT);
    page_fact(p, "Host", "%s, %s %s %s", host.nodename, host.sysname,
              host.release, host.machine);
    page_fact(p, "Processors", "%u usable%s%s", fsh_cpu_count(),
              processor[0] ? ", " : "", processor);
    page_fact(p, "Written", "%s", when);
    page_facts_end(p);
    write_settings(p);
}

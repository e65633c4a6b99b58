/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of the output; see show.h. */
#include "show.h"

void show_open(struct json *j, const char *key, const char *title)
{
    if (j)
        json_open(j, key, '{');
    else
        puts(title);
}

void show_close(struct json *j)
{
    if (j)
        json_close(j, '}');
    else
        putchar('\n');
}

void show_number(struct json *j, const char *key, uint64_t value,
                 const char *label)
{
    if (j)
        json_number(j, key, value);
    else
        printf("  %-18s %llu\n", label, (unsigned long long)value);
}

void show_text(struct json *j, const char *key, const char *value,
               const char *label)
{
    if (j)
        json_text(j, key, value);
    else
        printf("  %-18s %s\n", label, value);
}

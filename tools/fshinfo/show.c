/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of the output; see show.h. */
#include "show.h"

void show_open(struct document *j, const char *key, const char *title)
{
    if (j)
        document_open(j, key, '{');
    else
        puts(title);
}

void show_close(struct document *j)
{
    if (j)
        document_close(j);
    else
        putchar('\n');
}

void show_number(struct document *j, const char *key, uint64_t value,
                 const char *label)
{
    if (j)
        document_number(j, key, value);
    else
        printf("  %-18s %llu\n", label, (unsigned long long)value);
}

void show_text(struct document *j, const char *key, const char *value,
               const char *label)
{
    if (j)
        document_text(j, key, value);
    else
        printf("  %-18s %s\n", label, value);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* See cpu_list.h. */
#include "base/cpu_list.h"

#include <ctype.h>

static bool read_number(const char **text, unsigned *number)
{
    const char *at = *text;

    *number = 0;
    for (; isdigit((unsigned char)*at); at++) {
        *number = *number * 10 + (unsigned)(*at - '0');
        if (*number > FSH_CPU_LIST_MOST)
            return false;
    }
    if (at == *text)
        return false;
    *text = at;
    return true;
}

bool fsh_cpu_list_next(const char **text, unsigned *first, unsigned *last)
{
    const char *at = *text;

    if (!read_number(&at, first))
        return false;
    *last = *first;
    if (*at == '-') {
        at++;
        if (!read_number(&at, last) || *last < *first)
            return false;
    }
    if (*at == ',' && at[1] != '\0')
        at++;
    else if (*at != '\0')
        return false;
    *text = at;
    return true;
}

bool fsh_cpu_list_valid(const char *text)
{
    unsigned first, last;

    if (*text == '\0')
        return false;
    while (fsh_cpu_list_next(&text, &first, &last))
        continue;
    return *text == '\0';
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gasnett_getenv and related calls: settings of clients, and their display.
 * Settings of the library itself are in a table (base/option.h).
 */
#include "gasnet_tools/env.h"

#include "gasnet_tools.h"
#include "gasnet_tools/number.h"

void gasnett_setenv(const char *key, const char *value)
{
    if (setenv(key, value, 1) != 0)
        gasnett_fatalerror_nopos("gasnett_setenv: cannot set %s=%s: %s", key,
                                 value, strerror(errno));
}

void gasnett_unsetenv(const char *key)
{
    if (unsetenv(key) != 0)
        gasnett_fatalerror_nopos("gasnett_unsetenv: cannot unset %s: %s", key,
                                 strerror(errno));
}

/* ---- display ---- */

/* Keys already displayed, each only once. A linear search: a process asks for a
 * few dozen. */
static bool first_time(const char *key)
{
    static struct shown {
        struct shown *next;
        char key[];
    } * list;
    static gasnett_mutex_t lock = GASNETT_MUTEX_INITIALIZER;
    struct shown *item;
    bool first;

    gasnett_mutex_lock(&lock);
    for (item = list; item && strcmp(item->key, key) != 0; item = item->next)
        ;
    first = item == NULL;
    if (first && (item = malloc(sizeof *item + strlen(key) + 1)) != NULL) {
        strcpy(item->key, key);
        item->next = list;
        list = item;
    }
    gasnett_mutex_unlock(&lock);
    return first;
}

void gasnett_envstr_display(const char *key, const char *value, int is_dflt)
{
    if (!gasnett_verboseenv() || !first_time(key))
        return;
    if (value == NULL)
        value = "*not set*";
    else if (*value == '\0')
        value = "*empty*";
    fprintf(stderr, "ENV parameter: %s = %s%s\n", key, value,
            is_dflt ? " (default)" : "");
}

void gasnett_envint_display(const char *key, int64_t value, int is_dflt,
                            int is_mem_size)
{
    char text[64];

    gasnett_format_number(value, text, sizeof text, is_mem_size);
    gasnett_envstr_display(key, text, is_dflt);
}

void gasnett_envdbl_display(const char *key, double value, int is_dflt)
{
    char text[64];

    snprintf(text, sizeof text, "%g", value);
    gasnett_envstr_display(key, text, is_dflt);
}

/* ---- queries ---- */

/* The value, or NULL if the default applies. */
static const char *given(const char *key)
{
    const char *text = gasnett_getenv(key);

    return text != NULL && *text != '\0' ? text : NULL;
}

char *gasnett_getenv_withdefault(const char *key, const char *preset)
{
    const char *text = given(key);
    const char *value = text ? text : preset;

    gasnett_envstr_display(key, value, text == NULL);
    return (char *)(uintptr_t)value;
}

int gasnett_getenv_yesno_withdefault(const char *key, int preset)
{
    const char *text = given(key);
    int value = text ? fsh_env_yes_or_no(text) : preset;

    if (value < 0 && text != NULL)
        gasnett_fatalerror_nopos("environment variable %s is \"%s\", which is "
                                 "neither yes nor no",
                                 key, text);
    gasnett_envstr_display(key, value ? "YES" : "NO", text == NULL);
    return value;
}

int64_t gasnett_getenv_int_withdefault(const char *key, int64_t preset,
                                       uint64_t mem_size_multiplier)
{
    const char *text = given(key), *wrong = NULL;
    int64_t value = preset;

    if (text != NULL)
        wrong = fsh_parse_int(text, mem_size_multiplier, &value);
    if (wrong != NULL)
        gasnett_fatalerror_nopos("environment variable %s is \"%s\": %s", key,
                                 text, wrong);
    gasnett_envint_display(key, value, text == NULL, mem_size_multiplier != 0);
    return value;
}

double gasnett_getenv_dbl_withdefault(const char *key, double preset)
{
    const char *text = given(key);
    double value = preset;

    if (text != NULL && !fsh_parse_dbl(text, &value))
        gasnett_fatalerror_nopos("environment variable %s is \"%s\", which is "
                                 "neither a number nor a fraction",
                                 key, text);
    gasnett_envdbl_display(key, value, text == NULL);
    return value;
}

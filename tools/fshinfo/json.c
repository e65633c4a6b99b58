/* SPDX-License-Identifier: BSD-3-Clause */
/* The JSON writer of fshinfo. One thread. */
#include "json.h"

#include <inttypes.h>

static void quote(struct json *j, const char *text)
{
    putc('"', j->out);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;

        if (c == '"' || c == '\\')
            fprintf(j->out, "\\%c", c);
        else if (c < 0x20)
            fprintf(j->out, "\\u%04x", c);
        else
            putc(c, j->out);
    }
    putc('"', j->out);
}

static void begin(struct json *j, const char *key)
{
    if (j->filled)
        putc(',', j->out);
    if (j->depth)
        fprintf(j->out, "\n%*s", 2 * j->depth, "");
    if (key) {
        quote(j, key);
        fputs(": ", j->out);
    }
    j->filled = true;
}

void json_open(struct json *j, const char *key, char bracket)
{
    begin(j, key);
    putc(bracket, j->out);
    j->depth++;
    j->filled = false;
}

void json_close(struct json *j, char bracket)
{
    j->depth--;
    if (j->filled)
        fprintf(j->out, "\n%*s", 2 * j->depth, "");
    putc(bracket, j->out);
    j->filled = true;
}

void json_text(struct json *j, const char *key, const char *value)
{
    begin(j, key);
    quote(j, value);
}

void json_number(struct json *j, const char *key, uint64_t value)
{
    begin(j, key);
    fprintf(j->out, "%" PRIu64, value);
}

void json_bool(struct json *j, const char *key, bool value)
{
    begin(j, key);
    fputs(value ? "true" : "false", j->out);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A writer of JSON: commas and escapes, no tree. The caller opens and closes
 * in pairs; keys are NULL inside arrays. One thread.
 */
#ifndef FSHINFO_JSON_H
#define FSHINFO_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
    FILE *out;
    int depth;
    bool filled; /* something stands before the next item */
};

void json_open(struct json *j, const char *key, char bracket);
void json_close(struct json *j, char bracket);
void json_text(struct json *j, const char *key, const char *value);
void json_number(struct json *j, const char *key, uint64_t value);
void json_bool(struct json *j, const char *key, bool value);

#endif

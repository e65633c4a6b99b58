/* SPDX-License-Identifier: BSD-3-Clause */
/* Documents of the tools; see document.h. */
#include "document.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

/* Digits of a number that is not whole: more than any measurement has. */
#define DIGITS 9

/* Takes the reference to `value`. */
static void add(struct document *d, const char *key, json_t *value)
{
    json_t *into = d->depth > 0 ? d->open[d->depth - 1] : NULL;
    int rc = 0;

    if (value == NULL)
        fsh_fatal("no memory for a JSON document");
    if (into == NULL) {
        assert(d->root == NULL);
        d->root = value;
    } else if (json_is_array(into)) {
        rc = json_array_append_new(into, value);
    } else {
        rc = json_object_set_new(into, key, value);
    }
    if (rc != 0)
        fsh_fatal("no memory for a JSON document");
}

void document_open(struct document *d, const char *key, char bracket)
{
    json_t *value = bracket == '{' ? json_object() : json_array();

    assert(d->depth < DOCUMENT_DEPTH);
    add(d, key, value);
    d->open[d->depth++] = value;
}

void document_close(struct document *d)
{
    assert(d->depth > 0);
    d->depth--;
}

/* What a user has set need not be UTF-8: as much of it as can be written. */
static json_t *in_ascii(const char *value)
{
    char *copy = strdup(value);
    json_t *string;

    if (copy == NULL)
        return NULL;
    for (char *c = copy; *c != '\0'; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    string = json_string(copy);
    free(copy);
    return string;
}

void document_text(struct document *d, const char *key, const char *value)
{
    json_t *string = json_string(value);

    add(d, key, string != NULL ? string : in_ascii(value));
}

void document_number(struct document *d, const char *key, uint64_t value)
{
    add(d, key, json_integer((json_int_t)value));
}

void document_real(struct document *d, const char *key, double value)
{
    add(d, key, isfinite(value) ? json_real(value) : json_null());
}

void document_bool(struct document *d, const char *key, bool value)
{
    add(d, key, json_boolean(value));
}

bool document_write(struct document *d, FILE *out)
{
    bool ok;

    assert(d->depth == 0);
    ok = json_dumpf(d->root, out,
                    JSON_INDENT(2) | JSON_REAL_PRECISION(DIGITS)) == 0 &&
         putc('\n', out) != EOF;
    json_decref(d->root);
    *d = (struct document){0};
    return ok;
}

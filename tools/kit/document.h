/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A JSON document of a tool, put together member by member and written whole
 * (Jansson). The caller opens and closes objects and arrays in pairs; keys are NULL
 * inside arrays. Without memory the program ends with a message. One thread.
 */
#ifndef FSH_KIT_DOCUMENT_H
#define FSH_KIT_DOCUMENT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#define DOCUMENT_DEPTH 8

/* All zero: empty. */
struct document {
    json_t *root;
    json_t *open[DOCUMENT_DEPTH]; /* borrowed from root */
    unsigned depth;
};

/* bracket: '{' or '['. The first one opened is the document. */
void document_open(struct document *d, const char *key, char bracket);
void document_close(struct document *d);
/* value: copied; if it is not UTF-8, with ? for what is not ASCII. */
void document_text(struct document *d, const char *key, const char *value);
void document_number(struct document *d, const char *key, uint64_t value);
/* A number that is not finite, or NAN on purpose, becomes null. */
void document_real(struct document *d, const char *key, double value);
void document_bool(struct document *d, const char *key, bool value);

/* Write the document, indented, with a newline at its end, and free it. False if
 * `out` does not take it. */
bool document_write(struct document *d, FILE *out);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Output of fshinfo's sections, as text if j is NULL, else as JSON. One thread.
 */
#ifndef FSHINFO_SHOW_H
#define FSHINFO_SHOW_H

#include "document.h"

/* Starts a section: a heading followed by lines, or an object. */
void show_open(struct document *j, const char *key, const char *title);
void show_close(struct document *j);

/* A line or a member; label: the name in the text form. */
void show_number(struct document *j, const char *key, uint64_t value,
                 const char *label);
void show_text(struct document *j, const char *key, const char *value,
               const char *label);

/* processors.c: the processors this process may use, and their topology. */
void show_processors(struct document *j);

/* compute.c: the compute cores of both conduits. */
void show_compute(struct document *j);

#endif

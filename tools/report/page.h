/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A report as one HTML file that needs nothing else: no network, no script; light
 * and dark, on paper, from 400 pixels of width on. It is well-formed XML as well.
 * The caller opens the file, writes the parts in order and closes it. All that is
 * given is text: nothing in it can become markup. One thread.
 */
#ifndef FSH_REPORT_PAGE_H
#define FSH_REPORT_PAGE_H

#include <stdbool.h>
#include <stdio.h>

/* All zero before page_begin. */
struct page {
    FILE *out;
    unsigned figures;         /* drawn so far: their names are numbers */
    unsigned columns, column; /* of the table that is open */
    const struct page_column *heads;
    bool section, grid, details; /* is one open */
};

/* A column of a table. */
struct page_column {
    const char *head;
    bool number; /* aligned to the right */
};

/* What an advice is: shown by its word, not by its colour only. */
enum page_weight { PAGE_NOTE, PAGE_WARNING };

/* Begin the file: title, and what it is about in a sentence. Who closes `out` looks
 * at its errors. */
void page_begin(struct page *p, FILE *out, const char *title, const char *lead);
/* Complete the file. */
void page_end(struct page *p);

/* A heading; ends the section before. */
void page_section(struct page *p, const char *title);
/* A paragraph, as printf. */
void page_paragraph(struct page *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A remark that stands out, as printf. */
void page_advice(struct page *p, enum page_weight weight, const char *format,
                 ...) __attribute__((format(printf, 3, 4)));

/* Figures from here on stand beside each other where there is room. */
void page_grid(struct page *p);
void page_grid_end(struct page *p);

/* A table in a box that scrolls if it is too wide or too long for the screen.
 * columns: kept until page_table_end. */
void page_table(struct page *p, const char *caption,
                const struct page_column *columns, unsigned count);
/* The next cell, as printf; the first of a row names it. Rows begin and end by
 * themselves. */
void page_cell(struct page *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void page_table_end(struct page *p);

/* What is written between these two is shown when its summary is opened. Not one in
 * another. */
void page_details(struct page *p, const char *summary);
void page_details_end(struct page *p);

/* Names with what they mean: page_fact, as printf, between these two. */
void page_facts(struct page *p);
void page_fact(struct page *p, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void page_facts_end(struct page *p);

/* Facts on this machine, this FSHMEM and this moment; then a table of the settings
 * that are not the defaults. */
void page_machine(struct page *p);

/* ---- for what draws (chart.h) ---- */

/* Write text with what HTML or XML would take for markup, and what they do not
 * allow, replaced. */
void page_escape(FILE *out, const char *text);
/* Begin an SVG of that size with title and description, and end it. */
void page_figure(struct page *p, const char *title, const char *about,
                 unsigned width, unsigned height);
void page_figure_end(struct page *p);

/* style.c: how all of it looks, as CSS; patterns for figures, as SVG. */
extern const char page_style[];
extern const char page_patterns[];

#endif

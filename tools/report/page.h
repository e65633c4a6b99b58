/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A report as one self-contained HTML file: no network, no script; light, dark and
 * print styles, from 400 pixels of width. It is also well-formed XML.
 * The caller opens the file, writes the parts in order and closes it. All arguments
 * are plain text and are escaped. One thread.
 */
#ifndef FSH_REPORT_PAGE_H
#define FSH_REPORT_PAGE_H

#include <stdbool.h>
#include <stdio.h>

/* All zero before page_begin. */
struct page {
    FILE *out;
    unsigned figures;         /* drawn so far; the source of their ids */
    unsigned columns, column; /* of the open table */
    const struct page_column *heads;
    bool section, grid, details; /* is one open? */
};

/* A column of a table. */
struct page_column {
    const char *head;
    bool number; /* aligned to the right */
};

/* Kind of advice: shown by its word, not only by colour. */
enum page_weight { PAGE_NOTE, PAGE_WARNING };

/* Begin the file: title, and its subject in one sentence. The caller checks `out` for
 * errors when closing it. */
void page_begin(struct page *p, FILE *out, const char *title, const char *lead);
/* Complete the file. */
void page_end(struct page *p);

/* A heading; ends the previous section. */
void page_section(struct page *p, const char *title);
/* A paragraph, as printf. */
void page_paragraph(struct page *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A highlighted remark, as printf. */
void page_advice(struct page *p, enum page_weight weight, const char *format,
                 ...) __attribute__((format(printf, 3, 4)));

/* Figures from here on are placed side by side where there is room. */
void page_grid(struct page *p);
void page_grid_end(struct page *p);

/* A table in a box that scrolls if it is too wide or too long for the screen.
 * columns: kept until page_table_end. */
void page_table(struct page *p, const char *caption,
                const struct page_column *columns, unsigned count);
/* The next cell, as printf; the first of a row names it. Rows begin and end
 * automatically. */
void page_cell(struct page *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void page_table_end(struct page *p);

/* Content between these two is shown when its summary is unfolded. No nesting. */
void page_details(struct page *p, const char *summary);
void page_details_end(struct page *p);

/* A list of names and values: page_fact, as printf, between these two. */
void page_facts(struct page *p);
void page_fact(struct page *p, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void page_facts_end(struct page *p);

/* Facts about the machine, FSHMEM and the time; then a table of non-default
 * settings. */
void page_machine(struct page *p);

/* ---- for drawing (chart.h) ---- */

/* Write text with markup characters escaped and invalid characters replaced. */
void page_escape(FILE *out, const char *text);
/* Begin an SVG of that size with title and description, and end it. */
void page_figure(struct page *p, const char *title, const char *about,
                 unsigned width, unsigned height);
void page_figure_end(struct page *p);

/* style.c: the style sheet, and patterns for figures, as SVG. */
extern const char page_style[];
extern const char page_patterns[];

#endif

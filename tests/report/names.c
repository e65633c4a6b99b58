/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A report all of whose texts are those of the command line, to stdout: names.py gives
 * what would be markup. Every function that takes a text gets each of them.
 */
#include <stdio.h>
#include <stdlib.h>

#include "chart.h"

static void draw(struct page *p, const char *name)
{
    const char *part[CHART_PARTS];
    const struct chart_bar bar[] = {{name, name, name, 3, 0},
                                    {name, name, name, 0, 1}};
    struct chart_stack stack = {.name = name, .part = {1, 2}, .whole = 4};
    const struct chart_level level = {name, 1, false};
    const struct chart_line line = {name, 2, 2, {0, 1}, {0, 2}};
    const struct chart chart = {.title = name,
                                .about = name,
                                .x = {.title = name, .most = 1, .step = 1},
                                .y = {.title = name, .most = 2, .step = 1},
                                .line = &line,
                                .lines = 1,
                                .level = &level,
                                .levels = 1};

    for (unsigned i = 0; i < CHART_PARTS; i++)
        part[i] = name;
    page_grid(p);
    chart_lines(p, &chart);
    chart_bars(p, name, name, bar, 2, 3);
    chart_stacks(p, name, name, part, 2, &stack, 1);
}

static void write_all(struct page *p, const char *name)
{
    const struct page_column columns[] = {{name, false}, {name, true}};

    page_section(p, name);
    page_paragraph(p, "%s", name);
    page_advice(p, PAGE_NOTE, "%s", name);
    page_advice(p, PAGE_WARNING, "%s", name);
    page_facts(p);
    page_fact(p, name, "%s", name);
    page_facts_end(p);
    page_table(p, name, columns, 2);
    for (unsigned i = 0; i < 4; i++)
        page_cell(p, "%s", name);
    page_table_end(p);
    page_details(p, name);
    page_paragraph(p, "%s", name);
    page_details_end(p);
    draw(p, name);
}

int main(int argc, char **argv)
{
    struct page page;

    if (argc < 2)
        return 2;
    page_begin(&page, stdout, argv[1], argv[1]);
    page_section(&page, "Machine");
    page_machine(&page);
    for (int i = 1; i < argc; i++)
        write_all(&page, argv[i]);
    page_end(&page);
    return fflush(stdout) == 0 ? 0 : 1;
}

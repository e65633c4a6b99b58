/* SPDX-License-Identifier: BSD-3-Clause */
/* Bars and shares, see chart.h. Names stand in rows of their own before the bars, so
 * none can be on another. */
#include "chart.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define WIDTH 480u
#define LEFT 118u   /* where bars begin */
#define RIGHT 410u  /* where the longest ends; its value stands behind it */
#define END 476u    /* shares have no value behind them */
#define ROW 18u     /* from one bar to the next */
#define THICK 13u   /* of a bar */
#define HEADING 22u /* room of a group's heading */
#define KEY_COLUMNS 2u

static void write_text(FILE *out, const char *class, double x, double y,
                       const char *text)
{
    fprintf(out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", class, x, y);
    page_escape(out, text);
    fputs("</text>\n", out);
}

static void write_bar(FILE *out, unsigned look, double x, double y,
                      double width)
{
    if (width > 0)
        fprintf(out,
                "<rect class=\"bar f%u k%u\" x=\"%.1f\" y=\"%.1f\" "
                "width=\"%.1f\" height=\"%u\"/>\n",
                look, look, x, y, width, THICK);
}

static bool begins_group(const struct chart_bar *bar, unsigned i)
{
    return bar[i].group &&
           (i == 0 || strcmp(bar[i].group, bar[i - 1].group) != 0);
}

void chart_bars(struct page *p, const char *title, const char *about,
                const struct chart_bar *bar, unsigned bars, double most)
{
    unsigned height = 4, y = 0;

    for (unsigned i = 0; i < bars; i++)
        height += ROW + (begins_group(bar, i) ? HEADING : 0);
    page_figure(p, title, about, WIDTH, height);
    for (unsigned i = 0; i < bars; i++) {
        double width = most > 0 ? bar[i].value / most * (RIGHT - LEFT) : 0;

        if (begins_group(bar, i)) {
            y += HEADING;
            write_text(p->out, "", 0, y - 5, bar[i].group);
        }
        write_text(p->out, "s e", LEFT - 6, y + 11, bar[i].name);
        write_bar(p->out, bar[i].look, LEFT, y + 1, width);
        write_text(p->out, "", LEFT + fmax(width, 0) + 5, y + 11, bar[i].text);
        y += ROW;
    }
    page_figure_end(p);
}

static unsigned key_height(unsigned parts)
{
    return (parts + KEY_COLUMNS - 1) / KEY_COLUMNS * ROW + 8;
}

static void write_key(FILE *out, const char *const *part, unsigned parts)
{
    for (unsigned i = 0; i < parts; i++) {
        double x = i % KEY_COLUMNS * (WIDTH / KEY_COLUMNS);
        double y = i / KEY_COLUMNS * ROW;

        write_bar(out, i, x + 1, y + 1, 22);
        write_text(out, "", x + 29, y + 12, part[i]);
    }
}

void chart_stacks(struct page *p, const char *title, const char *about,
                  const char *const *part, unsigned parts,
                  const struct chart_stack *stack, unsigned stacks)
{
    unsigned y = key_height(parts);

    page_figure(p, title, about, WIDTH, y + stacks * ROW + 4);
    write_key(p->out, part, parts);
    for (unsigned i = 0; i < stacks; i++, y += ROW) {
        double x = LEFT;

        write_text(p->out, "s e", LEFT - 6, y + 11, stack[i].name);
        for (unsigned j = 0; j < parts && stack[i].whole > 0; j++) {
            double width = stack[i].part[j] / stack[i].whole * (END - LEFT);

            write_bar(p->out, j, x, y + 1, width);
            x += width;
        }
    }
    page_figure_end(p);
}

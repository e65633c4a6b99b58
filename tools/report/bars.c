/* SPDX-License-Identifier: BSD-3-Clause */
/* Bars and shares, see chart.h. Names have rows of their own before the bars, so that
 * they cannot overlap. */
#include "chart.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define WIDTH 480u
#define LEFT 118u   /* where bars begin */
#define RIGHT 410u  /* where the longest ends, followed by its value */
#define END 476u    /* shares are not followed by a value */
#define ROW 18u     /* from one bar to the next */
#define THICK 13u   /* of a bar */
#define HEADING 22u /* room of a group's heading */
#define KEY_COLUMNS 2u

#define TALL 26u   /* of a strip */
#define WRITTEN 8u /* maximum squares in a row that have room for text */

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

/* The outline of a part: its upper edge, then back along the lower one. */
static void write_part(FILE *out, const struct chart_strip *strip,
                       unsigned part, unsigned parts, unsigned bins, double y)
{
    double step = (double)(END - LEFT) / bins;

    fprintf(out, "<path class=\"f%u\" d=\"", part);
    for (unsigned way = 0; way < 2; way++)
        for (unsigned i = 0; i < bins; i++) {
            unsigned bin = way ? bins - 1 - i : i;
            const double *share = strip->share + bin * parts;
            double sum = 0, x = LEFT + bin * step;

            for (unsigned j = 0; j < part + !way; j++)
                sum += share[j];
            fprintf(out, "%s%.1f %.1fH%.1f", way == 0 && i == 0 ? "M" : "L",
                    way ? x + step : x, y + TALL * (1 - fmin(sum, 1)),
                    way ? x : x + step);
        }
    fputs("z\"/>\n", out);
}

void chart_strips(struct page *p, const char *title, const char *about,
                  const char *const *part, unsigned parts,
                  const struct chart_strip *strip, unsigned strips,
                  unsigned bins, const char *begin, const char *end)
{
    unsigned y = key_height(parts);

    page_figure(p, title, about, WIDTH, y + strips * (TALL + 6) + 24);
    write_key(p->out, part, parts);
    for (unsigned i = 0; i < strips; i++, y += TALL + 6) {
        write_text(p->out, "s e", LEFT - 6, y + TALL - 8, strip[i].name);
        for (unsigned j = 0; j < parts; j++)
            write_part(p->out, &strip[i], j, parts, bins, y);
        fprintf(p->out, "<path class=\"axis\" d=\"M%u %uV%uH%u\"/>\n", LEFT, y,
                y + TALL, END);
    }
    write_text(p->out, "s", LEFT, y + 12, begin);
    write_text(p->out, "s e", END, y + 12, end);
    page_figure_end(p);
}

void chart_squares(struct page *p, const char *title, const char *about,
                   const char *const *name, const double *value,
                   char (*text)[16], unsigned n)
{
    unsigned from = 70, side = (WIDTH - from - 4) / n;
    double most = 0;

    side = side > 50 ? 50 : side;
    page_figure(p, title, about, WIDTH, 24 + n * side);
    for (unsigned i = 0; i < n * n; i++)
        most = fmax(most, value[i]);
    for (unsigned row = 0; row < n; row++) {
        double y = 20 + row * side;

        write_text(p->out, "s e", from - 6, y + side / 2 + 4, name[row]);
        if (n <= WRITTEN)
            write_text(p->out, "s m", from + row * side + side / 2, 14,
                       name[row]);
        for (unsigned column = 0; column < n; column++) {
            unsigned at = row * n + column;
            double x = from + column * side;

            fprintf(p->out,
                    "<rect class=\"g0 k0\" x=\"%.1f\" y=\"%.1f\" "
                    "width=\"%u\" height=\"%u\" fill-opacity=\"%.3f\"/>\n",
                    x, y, side - 2, side - 2,
                    most > 0 ? 0.55 * value[at] / most : 0);
            if (n <= WRITTEN)
                write_text(p->out, "m", x + side / 2 - 1, y + side / 2 + 3,
                           text[at]);
        }
    }
    page_figure_end(p);
}

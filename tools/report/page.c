/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports; see page.h. */
#include "page.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/log.h"

/* ---- text ---- */

/* Bytes of the UTF-8 character that begins here; 0: invalid, or not allowed in XML. */
static unsigned character(const unsigned char *s)
{
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned n = s[0] < 0x80    ? 1
                 : s[0] < 0xc0  ? 0
                 : s[0] < 0xe0  ? 2
                 : s[0] < 0xf0  ? 3
                 : s[0] <= 0xf4 ? 4
                                : 0;
    uint32_t code = n > 1 ? s[0] & (0x7fu >> n) : s[0];

    for (unsigned i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (s[i] & 0x3f);
    }
    if (code < 0x20 && code != '\n' && code != '\t')
        return 0;
    if (code < least[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return 0;
    return code == 0xfffe || code == 0xffff ? 0 : n;
}

void page_escape(FILE *out, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;

    while (*s) {
        unsigned n = character(s);

        if (n == 0)
            fputs("\xef\xbf\xbd", out); /* U+FFFD, the replacement character */
        else if (*s == '<')
            fputs("&lt;", out);
        else if (*s == '>')
            fputs("&gt;", out);
        else if (*s == '&')
            fputs("&amp;", out);
        else if (*s == '"')
            fputs("&quot;", out);
        else if (*s == '\'')
            fputs("&#39;", out);
        else
            fwrite(s, 1, n, out);
        s += n ? n : 1;
    }
}

static void escape_format(FILE *out, const char *format, va_list args)
{
    char *text;

    if (vasprintf(&text, format, args) < 0)
        fsh_fatal("no memory for a report");
    page_escape(out, text);
    free(text);
}

/* ---- the file ---- */

void page_begin(struct page *p, FILE *out, const char *title, const char *lead)
{
    *p = (struct page){.out = out};
    /* The policy makes the browser refuse scripts and external content. */
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
          "<meta charset=\"utf-8\"/>\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
          "'none'; style-src 'unsafe-inline'\"/>\n"
          "<meta name=\"viewport\" "
          "content=\"width=device-width, initial-scale=1\"/>\n"
          "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>",
          out);
    page_escape(out, title);
    fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n%s<main>\n",
            page_style, page_patterns);
    fputs("<h1>", out);
    page_escape(out, title);
    fputs("</h1>\n<p class=\"lead\">", out);
    page_escape(out, lead);
    fputs("</p>\n", out);
}

static void end_section(struct page *p)
{
    assert(!p->details);
    page_grid_end(p);
    if (p->section)
        fputs("</section>\n", p->out);
    p->section = false;
}

void page_end(struct page *p)
{
    assert(!p->heads);
    end_section(p);
    fputs("</main>\n</body>\n</html>\n", p->out);
}

void page_section(struct page *p, const char *title)
{
    end_section(p);
    p->section = true;
    fputs("<section>\n<h2>", p->out);
    page_escape(p->out, title);
    fputs("</h2>\n", p->out);
}

void page_paragraph(struct page *p, const char *format, ...)
{
    va_list args;

    page_grid_end(p);
    va_start(args, format);
    fputs("<p>", p->out);
    escape_format(p->out, format, args);
    fputs("</p>\n", p->out);
    va_end(args);
}

void page_advice(struct page *p, enum page_weight weight, const char *format,
                 ...)
{
    bool warning = weight == PAGE_WARNING;
    va_list args;

    page_grid_end(p);
    va_start(args, format);
    fprintf(p->out, "<p class=\"%s\"><strong>%s:</strong> ",
            warning ? "advice warning" : "advice",
            warning ? "Warning" : "Note");
    escape_format(p->out, format, args);
    fputs("</p>\n", p->out);
    va_end(args);
}

void page_grid(struct page *p)
{
    page_grid_end(p);
    fputs("<div class=\"grid\">\n", p->out);
    p->grid = true;
}

void page_grid_end(struct page *p)
{
    if (p->grid)
        fputs("</div>\n", p->out);
    p->grid = false;
}

/* ---- tables ---- */

void page_table(struct page *p, const char *caption,
                const struct page_column *columns, unsigned count)
{
    assert(!p->heads && count > 0);
    p->heads = columns;
    p->columns = count;
    p->column = 0;
    /* It takes the focus, so that keys can scroll it, and therefore needs a name. */
    fputs("<div class=\"box\" tabindex=\"0\" role=\"region\" aria-label=\"",
          p->out);
    page_escape(p->out, caption);
    fputs("\"><table><caption>", p->out);
    page_escape(p->out, caption);
    fputs("</caption>\n<thead><tr>", p->out);
    for (unsigned i = 0; i < count; i++) {
        fprintf(p->out, "<th scope=\"col\"%s>",
                columns[i].number ? " class=\"n\"" : "");
        page_escape(p->out, columns[i].head);
        fputs("</th>", p->out);
    }
    fputs("</tr></thead>\n<tbody>\n", p->out);
}

void page_cell(struct page *p, const char *format, ...)
{
    const char *tag = p->column == 0 ? "th" : "td";
    va_list args;

    assert(p->heads);
    fprintf(p->out, "%s<%s%s%s>", p->column == 0 ? "<tr>" : "", tag,
            p->column == 0 ? " scope=\"row\"" : "",
            p->heads[p->column].number ? " class=\"n\"" : "");
    va_start(args, format);
    escape_format(p->out, format, args);
    va_end(args);
    fprintf(p->out, "</%s>", tag);
    if (++p->column == p->columns) {
        fputs("</tr>\n", p->out);
        p->column = 0;
    }
}

void page_table_end(struct page *p)
{
    assert(p->heads && p->column == 0);
    fputs("</tbody></table></div>\n", p->out);
    p->heads = NULL;
}

/* ---- details ---- */

void page_details(struct page *p, const char *summary)
{
    assert(!p->details);
    page_grid_end(p);
    p->details = true;
    fputs("<details><summary>", p->out);
    page_escape(p->out, summary);
    fputs("</summary>\n", p->out);
}

void page_details_end(struct page *p)
{
    assert(p->details);
    p->details = false;
    fputs("</details>\n", p->out);
}

/* ---- facts ---- */

void page_facts(struct page *p)
{
    page_grid_end(p);
    fputs("<dl>\n", p->out);
}

void page_fact(struct page *p, const char *name, const char *format, ...)
{
    va_list args;

    fputs("<dt>", p->out);
    page_escape(p->out, name);
    fputs("</dt><dd>", p->out);
    va_start(args, format);
    escape_format(p->out, format, args);
    va_end(args);
    fputs("</dd>\n", p->out);
}

void page_facts_end(struct page *p)
{
    fputs("</dl>\n", p->out);
}

/* ---- figures ---- */

void page_figure(struct page *p, const char *title, const char *about,
                 unsigned width, unsigned height)
{
    unsigned n = p->figures++;

    fputs("<figure><figcaption>", p->out);
    page_escape(p->out, title);
    fprintf(p->out,
            "</figcaption>\n<svg viewBox=\"0 0 %u %u\" role=\"img\" "
            "aria-labelledby=\"t%u\" aria-describedby=\"d%u\">\n<title "
            "id=\"t%u\">",
            width, height, n, n, n);
    page_escape(p->out, title);
    fprintf(p->out, "</title><desc id=\"d%u\">", n);
    page_escape(p->out, about);
    fputs("</desc>\n", p->out);
}

void page_figure_end(struct page *p)
{
    fputs("</svg>\n</figure>\n", p->out);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The style of reports: named colours with other values for dark and print; looks of
 * bars and lines that can be distinguished without colour. */
#include "page.h"

#define LIGHT                                                             \
    "--bg:#fff;--fg:#1a1a1a;--soft:#555;--rule:#c8c8c8;--box:#f5f5f5;"    \
    "--warn:#8a3000;--c0:#0068a8;--c1:#c24e00;--c2:#00795a;--c3:#a3478a;" \
    "--c4:#8a6a00;--c5:#3a86b8;color-scheme:light"
#define DARK                                                                 \
    "--bg:#16181b;--fg:#ececec;--soft:#b0b0b0;--rule:#4a4d52;--box:#202328;" \
    "--warn:#ffb385;--c0:#58b4f0;--c1:#ff9a55;--c2:#3fcfa2;--c3:#ea9fd2;"    \
    "--c4:#e6c14e;--c5:#9bd3f7;color-scheme:dark"

const char page_style[] =
    ":root{" LIGHT "}\n"
    "@media screen and (prefers-color-scheme:dark){:root{" DARK "}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;background:var(--bg);color:var(--fg);"
    "font:16px/1.45 system-ui,sans-serif}\n"
    "main{max-width:1240px;margin:0 auto;padding:16px}\n"
    "h1{font-size:1.6rem;line-height:1.2;margin:.4em 0}\n"
    "h2{font-size:1.2rem;margin:2em 0 .6em;padding-top:.5em;"
    "border-top:1px solid var(--rule)}\n"
    ".lead,figcaption,caption{color:var(--soft)}\n"
    "p,dd{overflow-wrap:anywhere;max-width:75ch}\n"
    "dl{display:grid;grid-template-columns:minmax(7em,max-content) 1fr;"
    "gap:.2em 1em}\n"
    "dt{font-weight:600}dd{margin:0}\n"
    ".grid{display:grid;gap:16px 32px;"
    "grid-template-columns:repeat(auto-fit,minmax(min(100%,440px),1fr))}\n"
    "figure{margin:0;min-width:0;max-width:680px;break-inside:avoid}\n"
    "figcaption,caption{font-weight:600;text-align:left;padding:.4em 0}\n"
    "svg{display:block;width:100%;height:auto}\n"
    "svg.hidden{position:absolute;width:0;height:0}\n"
    ".box{overflow:auto;max-width:100%;max-height:26em;margin:.8em 0;"
    "border:1px solid var(--rule);min-width:0}\n"
    "details{margin:.4em 0}summary{cursor:pointer;font-weight:600}\n"
    "summary:focus-visible{outline:2px solid var(--c0)}\n"
    ".box:focus{outline:2px solid var(--c0)}\n"
    "table{border-collapse:collapse;width:100%;"
    "font-variant-numeric:tabular-nums}\n"
    "caption{padding:.4em .6em}\n"
    "th,td{padding:.2em .6em;text-align:left;white-space:nowrap;"
    "border-top:1px solid var(--rule);font-weight:400}\n"
    "thead th{font-weight:600;background:var(--box);position:sticky;top:0;"
    "white-space:normal;vertical-align:bottom}\n"
    "td:last-child:not(.n){white-space:normal;min-width:14em}\n"
    ".n{text-align:right}\n"
    ".advice{border-left:4px solid var(--c0);background:var(--box);"
    "padding:.5em .8em}\n"
    ".warning{border-color:var(--warn)}.warning strong{color:var(--warn)}\n"
    "svg text{font:12px system-ui,sans-serif;fill:var(--fg)}\n"
    "svg .s{fill:var(--soft)}\n"
    "svg .e{text-anchor:end}svg .m{text-anchor:middle}\n"
    "svg .o{paint-order:stroke;stroke:var(--bg);stroke-width:3px}\n"
    "svg .rule{stroke:var(--rule);fill:none}\n"
    "svg .axis{stroke:var(--fg);fill:none}\n"
    "svg .mark{stroke:var(--fg);stroke-dasharray:2 3;fill:none}\n"
    "svg .line{fill:none;stroke-width:1.7}\n"
    "svg .dot{fill:var(--bg);stroke-width:1.4}\n"
    "svg .bar{stroke-width:1}\n"
    ".k0{stroke:var(--c0)}.k1{stroke:var(--c1)}.k2{stroke:var(--c2)}"
    ".k3{stroke:var(--c3)}.k4{stroke:var(--c4)}.k5{stroke:var(--c5)}\n"
    ".line.k1{stroke-dasharray:7 3}.line.k2{stroke-dasharray:2 2}"
    ".line.k3{stroke-dasharray:8 3 2 3}.line.k4{stroke-dasharray:12 3}"
    ".line.k5{stroke-dasharray:1 3}\n"
    ".f0{fill:url(#p0)}.f1{fill:url(#p1)}.f2{fill:url(#p2)}"
    ".f3{fill:url(#p3)}.f4{fill:url(#p4)}.f5{fill:url(#p5)}\n"
    ".g0{fill:var(--c0)}.g1{fill:var(--c1)}.g2{fill:var(--c2)}"
    ".g3{fill:var(--c3)}.g4{fill:var(--c4)}.g5{fill:var(--c5)}\n"
    "@media print{main{max-width:none;padding:0}"
    "body{font-size:10pt}.box{max-height:none;overflow:visible;border:0}"
    "thead th{position:static}tr,.advice{break-inside:avoid}"
    ".grid{grid-template-columns:1fr 1fr}"
    "*{print-color-adjust:exact;-webkit-print-color-adjust:exact}"
    "th,td{white-space:normal;font-size:8.5pt;padding:.1em .4em}}\n";

#define PATTERN(n, body)                               \
    "<pattern id=\"p" n "\" width=\"8\" height=\"8\" " \
    "patternUnits=\"userSpaceOnUse\">" body "</pattern>\n"
#define STROKES(n, path)                                                    \
    PATTERN(n, "<path class=\"k" n "\" fill=\"none\" stroke-width=\"1.6\" " \
               "d=\"" path "\"/>")

/* Solid, rising, falling, crossed, level, dotted. */
const char page_patterns[] =
    "<svg class=\"hidden\" aria-hidden=\"true\"><defs>\n" PATTERN(
        "0", "<rect class=\"g0\" width=\"8\" height=\"8\"/>")
        STROKES("1", "M-2 2L2 -2M0 8L8 0M6 10L10 6") STROKES(
            "2", "M-2 6L2 10M0 0L8 8M6 -2L10 2") STROKES("3",
                                                         "M0 0L8 8M0 8L8 0")
            STROKES("4", "M0 2H8M0 6H8") PATTERN(
                "5",
                "<circle class=\"g5\" cx=\"2\" cy=\"2\" r=\"1.4\"/>"
                "<circle class=\"g5\" cx=\"6\" cy=\"6\" r=\"1.4\"/>") "</defs></svg>\n";

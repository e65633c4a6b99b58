# SPDX-License-Identifier: BSD-3-Clause
"""The curves of `fshmodel scale` as an SVG file that stands alone: speed-up over nodes, both in
factors of 2, distinguished by dash and marker as well as by colour, break points named."""
from html import escape
from math import ceil, floor, log2

WIDTH, HEIGHT = 790, 480
LEFT, RIGHT, TOP, BOTTOM = 64, 610, 56, 424
APART = 16  # of labels, one above the other
# Of the formats: colour, dash, marker at the origin.
LOOKS = {"fp32": ("#b04a00", "7 4", "M-4 -4h8v8h-8z"),
         "bfp16": ("#0060a8", "none", "M0 -5l5 5l-5 5l-5 -5z")}
STYLE = ("text{font:13px sans-serif;fill:#222}.m{text-anchor:middle}.e{text-anchor:end}"
         ".rule{stroke:#ddd}.axis{stroke:#444;fill:none}.line{fill:none;stroke-width:2}"
         ".ideal{stroke:#777;stroke-dasharray:2 3}.break{stroke:#444;stroke-dasharray:1 3}")


def _number(x):
    return f"{x:g}" if x < 1 else f"{x:.0f}"


class _Axis:
    def __init__(self, least, most, begin, end):
        self.low, self.high = floor(log2(least)), max(ceil(log2(most)), floor(log2(least)) + 1)
        self.begin, self.end = begin, end

    def at(self, value):
        share = (log2(value) - self.low) / (self.high - self.low)
        return round(self.begin + share * (self.end - self.begin), 1)

    def ticks(self):
        return [2.0 ** i for i in range(self.low, self.high + 1)]


def _axes(x, y):
    for v in y.ticks():
        yield (f'<path class="rule" d="M{LEFT} {y.at(v)}H{RIGHT}"/>'
               f'<text class="e" x="{LEFT - 8}" y="{y.at(v) + 4:.1f}">{_number(v)}</text>')
    for v in x.ticks():
        yield (f'<path class="axis" d="M{x.at(v)} {BOTTOM}v5"/>'
               f'<text class="m" x="{x.at(v)}" y="{BOTTOM + 20}">{_number(v)}</text>')
    yield f'<path class="axis" d="M{LEFT} {TOP}V{BOTTOM}H{RIGHT}"/>'
    yield (f'<text class="m" x="{(LEFT + RIGHT) / 2}" y="{BOTTOM + 42}">nodes</text>'
           f'<text x="8" y="{TOP - 12}">speed-up, one node = 1</text>')


def _curve(x, y, rows, wire):
    colour, dash, marker = LOOKS[wire]
    points = [(x.at(r["nodes"]), y.at(r[wire]["speedup"])) for r in rows]
    path = "M" + "L".join(f"{a} {b}" for a, b in points)
    yield (f'<path class="line" data-wire="{wire}" stroke="{colour}" stroke-dasharray="{dash}" '
           f'd="{path}"/>')
    for a, b in points:
        yield f'<path fill="{colour}" transform="translate({a} {b})" d="{marker}"/>'


def _names(x, y, rows):
    """At the right ends of the curves, none upon another."""
    last, below = rows[-1], float("-inf")
    ends = sorted([(y.at(last["nodes"]), "ideal", "")] + [
        (y.at(last[w]["speedup"]), w, f", {last[w]['bound']}-bound") for w in LOOKS])
    for at, name, more in ends:
        below = max(at + 4, below + APART)
        yield f'<text x="{RIGHT + 10}" y="{below:.1f}">{name}{more}</text>'


def _breaks(x, y, rows):
    """A vertical at the first node count of a new bound; names one below the other."""
    count = 0
    for r in rows:
        for what in r["breaks"]:
            a, b = x.at(r["nodes"]), y.at(r[what.partition(":")[0]]["speedup"])
            at, count = TOP + 16 + APART * count, count + 1
            right = a > (LEFT + RIGHT) / 2
            yield (f'<path class="break" d="M{a} {at}V{BOTTOM}"/>'
                   f'<circle cx="{a}" cy="{b}" r="9" class="axis"/>'
                   f'<text{" class=" + chr(34) + "e" + chr(34) if right else ""} '
                   f'x="{a - 5 if right else a + 5}" y="{at}">'
                   f'{r["nodes"]} nodes: {escape(what)}</text>')
    if not count:
        yield f'<text x="{LEFT + 12}" y="{TOP + 16}">no break point: computing bounds all</text>' \
            if all(r[w]["bound"] == "compute" for r in rows for w in LOOKS) else \
            f'<text x="{LEFT + 12}" y="{TOP + 16}">no break point</text>'


def scale(rows, title):
    """The text of the file; rows: as `fshmodel scale --json` has them."""
    speedups = [r[w]["speedup"] for r in rows for w in LOOKS]
    x = _Axis(rows[0]["nodes"], rows[-1]["nodes"], LEFT, RIGHT)
    y = _Axis(min(*speedups, rows[0]["nodes"]), max(*speedups, rows[-1]["nodes"]), BOTTOM, TOP)
    ideal = "L".join(f"{x.at(n)} {y.at(n)}" for n in (rows[0]["nodes"], rows[-1]["nodes"]))
    body = [*_axes(x, y), f'<path class="line ideal" d="M{ideal}"/>',
            *(part for w in LOOKS for part in _curve(x, y, rows, w)),
            *_names(x, y, rows), *_breaks(x, y, rows)]
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
            f'width="{WIDTH}" height="{HEIGHT}" role="img">\n'
            f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n"
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>\n'
            f'<text x="8" y="20">{escape(title)}</text>\n' + "\n".join(body) + "\n</svg>\n")

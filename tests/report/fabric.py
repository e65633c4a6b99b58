#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""fshperf fabric writes a page that needs nothing else, with every figure of its rows and
every link, and the same links as CSV: on a ring on which all send to all they are equally
used, on a torus they carry what is accepted. The last line says "fabric: pass".

usage: fabric.py FSHPERF"""
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import page

FSHPERF = sys.argv[1]
HOPS = 32 / 15  # from a node of a 4x4 torus to another, on the average
BOUNDARY = 1.15  # what boundary beats and the end of the count may add


def run(place, test):
    names = [pathlib.Path(place) / f"{test}.{kind}" for kind in ("html", "json", "csv")]
    done = subprocess.run(
        [FSHPERF, "fabric", "--quick", "--only", test, "--report", names[0], "--json",
         names[1], "--links", names[2]], capture_output=True, text=True, timeout=250)
    if done.returncode != 0:
        sys.exit(f"fabric.py: {test}: code {done.returncode}: {done.stderr}")
    with open(names[1], encoding="utf-8") as file:
        rows = json.load(file)
    with open(names[2], encoding="utf-8") as file:
        return names[0], rows, list(csv.DictReader(file))


def look(path, rows, links, nodes, ports):
    """Complaints about a page beside the rows and the links written with it."""
    complaints, texts = page.check(path)
    html = path.read_text(encoding="utf-8")
    yield from complaints + page.links(html)
    table = page.rows(html, "Fairness, accepted load")
    if len(table) != len(rows):
        yield f"{len(table)} rows of {len(rows)}"
    for row, cells in zip(rows, table):
        value = f"{row['value']:.{0 if row['unit'] == 'cycles' else 3}f}"
        verdict = "-" if row["target"] is None else \
            "pass" if row["ok"] else "falls short"
        if cells[:4] != [row["what"], row["topology"], value, row["unit"]] or \
                cells[-1] != verdict:
            yield f"{cells} of {row}"
    if len(links) != nodes * ports or len({(k["node"], k["port"]) for k in links}) != \
            len(links):
        yield f"{len(links)} links"
    table = page.rows(html, "Utilisation of each link")
    if [[k["node"], k["port"], k["peer"], f"{100 * float(k['use']):.1f} %"]
            for k in links] != table:
        yield "the table has other links than the CSV"
    drawn = re.search(r"<figure>.*?</figure>", html, re.S)[0]
    percent = sorted(re.findall(r'class="s m"[^>]*>(\d+)<', drawn), key=int)
    if percent != sorted((f"{100 * float(k['use']):.0f}" for k in links), key=int) or \
            drawn.count('class="g0 k0"') != len(links):
        yield f"drawn: {percent}"
    if not any("30 cycles one way" in text for text in texts):
        yield "not said what was assumed"


def main():
    found = []
    with tempfile.TemporaryDirectory() as place:
        path, rows, links = run(place, "fairness")
        found += look(path, rows, links, 8, 2)
        use = [float(k["use"]) for k in links]
        if not 0.1 < min(use) <= max(use) <= 1 or max(use) > 1.1 * min(use):
            found.append(f"all to all on a ring uses its links: {use}")
        path, rows, links = run(place, "uniform")
        found += look(path, rows, links, 16, 4)
        use = [float(k["use"]) for k in links]
        accepted = 2 * rows[0]["value"] * HOPS * 16 / len(links)
        if not accepted < sum(use) / len(use) < BOUNDARY * accepted or max(use) > 1:
            found.append(f"links carry {sum(use) / len(use)}, accepted is {accepted}")
        if all(max(use[i:i + 4]) < 1.1 * min(use[i:i + 4]) for i in range(0, len(use), 4)):
            found.append(f"all ports of a node are alike: {use}")
    print("\n".join(found))
    print("fabric: FAILED" if found else "fabric: pass")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""fshperf fabric --quick: its JSON, and the cycles of a Short over one to four hops."""
import json
import os
import subprocess
import sys
import tempfile

FIELDS = {"test", "topology", "nodes", "value", "unit", "target", "ok"}
LINK, FIRST, HOP = 30, 10, 5  # cycles; of the source and the target; of a transit


def check(holds, what):
    if not holds:
        sys.exit(f"fabric: {what}")


def rows():
    with tempfile.TemporaryDirectory() as where:
        path = os.path.join(where, "fabric.json")
        subprocess.run([sys.argv[1], "fabric", "--quick", "--json", path], check=True,
                       stdout=subprocess.DEVNULL, timeout=250)
        with open(path, encoding="utf-8") as file:
            return json.load(file)


def main():
    found = {}
    for row in rows():
        check(set(row) >= FIELDS, row)
        check(row["topology"] == "ring" and row["nodes"] == 8, row)
        check(row["unit"] == "cycles" and row["link_cycles"] == LINK, row)
        found[row["test"]] = row
    check(sorted(found) == [f"header_{n}" for n in range(1, 5)] + ["hop"], found)
    for hops in range(1, 5):
        row = found[f"header_{hops}"]
        check(row["value"] == FIRST + LINK + (hops - 1) * (HOP + LINK), row)
        check(row["target"] is None and row["ok"] is True, row)
    check(found["hop"]["value"] == HOP and found["hop"]["target"] == 8 and
          found["hop"]["ok"] is True, found["hop"])


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""fshperf fabric --quick: its JSON; the cycles of a Short over one to four hops, exact; of
all else that there is what must be, whatever it measured, and the same when it is run
again. With "loads": what becomes of offered loads, and the fall that is made of it.

usage: fabric.py FSHPERF [loads]"""
import json
import os
import subprocess
import sys
import tempfile

FIELDS = {"test", "what", "topology", "nodes", "value", "unit", "target", "ok"}
LINK, FIRST, HOP = 30, 10, 5  # cycles; of the source and the target; of a transit
PACKET, FRAME = 65, 128  # cycles; what targets are made of
# Target of one hop, of each further one; of an idle fabric, crossings of PCIe, of each hop,
# and what is allowed beside: nodes at both ends, the packet, memory.
HOL = {"request": (2 * PACKET, PACKET, 2, 1, 50), "reply": (2 * PACKET, PACKET, 2, 1, 50),
       "request, own bulk": (2 * PACKET, PACKET, 2, 1, 50),
       "reply, own bulk": (2 * PACKET, PACKET, 2, 1, 50),
       "long packet": (FRAME, FRAME, 2, 1, 150),
       "GET and answer": (4 * PACKET, 2 * PACKET, 1, 2, 110)}


def check(holds, what):
    if not holds:
        sys.exit(f"fabric: {what}")


def rows(*options):
    with tempfile.TemporaryDirectory() as where:
        path = os.path.join(where, "fabric.json")
        subprocess.run([sys.argv[1], "fabric", "--json", path, *options],
                       check=True, stdout=subprocess.DEVNULL, timeout=800)
        with open(path, encoding="utf-8") as file:
            return json.load(file)


def look(row):
    """What holds for every row."""
    check(set(row) >= FIELDS, row)
    check(row["unit"] in ("cycles", "share") and row["link_cycles"] == LINK, row)
    upper = row["test"] in ("hop", "hol") or row["what"].startswith("fall")
    check(row["ok"] is (row["target"] is None or
                        (row["value"] <= row["target"] if upper
                         else row["value"] >= row["target"])), row)
    if row["unit"] == "share":
        check((row["what"].startswith("fall") or 0 < row["value"]) and row["value"] <= 1, row)


def look_hops(found):
    check(sorted(found) == [f"header_{n}" for n in range(1, 5)] + ["hop"], found)
    for hops in range(1, 5):
        row = found[f"header_{hops}"]
        check(row["value"] == FIRST + LINK + (hops - 1) * (HOP + LINK), row)
        check(row["target"] is None and row["ok"] is True, row)
    check(found["hop"]["value"] == HOP and found["hop"]["target"] == 8, found["hop"])


def look_hol(found):
    check(len(found) == 4 * len(HOL), sorted(found))
    for what, (first, more, pcie, ways, ends) in HOL.items():
        for hops in range(1, 5):
            row = found[f"{what}, {hops} hop{'s' if hops > 1 else ''}"]
            check(row["target"] == first + (hops - 1) * more, row)
            check(row["samples"] > 0 and row["mean"] <= row["value"], row)
            # Nothing is faster than an idle fabric, and that not than its wires.
            least = 125 * pcie + ways * hops * LINK
            check(row["mean"] >= 0, row)
            check(least < row["idle"] <= least + ways * hops * 8 + ends, row)


def look_loads():
    found = {row["what"]: row for row in rows("--only", "uniform")}
    for row in found.values():
        look(row)
    loads = ("0.2", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1.0")
    accepted = [found[f"accepted at {load}"]["value"] for load in loads]
    for load, value in zip(loads, accepted):
        check(value < 1.1 * float(load), f"{value} accepted at {load}")
    # There is no saturation so soon.
    check(abs(accepted[0] - 0.2) < 0.02, accepted)
    check(found["latency at 0.2"]["mean"] < found["latency at 1.0"]["mean"], found)
    most, beyond = max(accepted), accepted[accepted.index(max(accepted)):]
    if found["accepted"]["value"] > most:
        most, beyond = found["accepted"]["value"], []
    fall = found["fall beyond saturation"]
    check(fall["target"] == 0.05 and
          abs(fall["value"] - 1 + min([*beyond, found["accepted"]["value"]]) / most) < 1e-5,
          fall)


def main():
    if sys.argv[2:] == ["loads"]:
        return look_loads()
    all_rows = rows("--quick")
    tests = {}
    for row in all_rows:
        look(row)
        check(row["topology"] == ("torus:4x4" if row["test"] == "uniform" else "ring") and
              row["nodes"] == (16 if row["test"] == "uniform" else 8), row)
        tests.setdefault(row["test"], {})[row["what"]] = row
    check(set(tests) == {"hop", "hol", "fairness", "uniform"}, tests)
    look_hops(tests["hop"])
    look_hol(tests["hol"])
    check(tests["fairness"]["first through last"]["target"] == 0.9, tests["fairness"])
    uniform = tests["uniform"]
    check(set(uniform) == {"accepted", "slowest node of the mean", "latency"}, uniform)
    check(uniform["accepted"]["target"] == 0.8, uniform)
    latency = uniform["latency"]
    check(200 < latency["mean"] < latency["value"] and latency["samples"] > 100, latency)
    again = rows("--quick", "--only", "hol")
    check(again == [row for row in all_rows if row["test"] == "hol"],
          "another run has other cycles")


main()

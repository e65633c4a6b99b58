#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""fshperf host-driven: its JSON, and figures that arithmetic gives."""
import json
import os
import subprocess
import sys
import tempfile
import tomllib

FSHPERF, SPEC = sys.argv[1:3]
with open(SPEC, "rb") as spec:
    CONST = {c["name"]: c["value"] for c in tomllib.load(spec)["const"]}
COSTS = 0, 1, 2


def check(holds, what):
    if not holds:
        sys.exit(f"host_driven: {what}")


def rows():
    with tempfile.TemporaryDirectory() as where:
        path = os.path.join(where, "host-driven.json")
        subprocess.run([FSHPERF, "host-driven", "--quick", "--json", path], check=True,
                       stdout=subprocess.DEVNULL, timeout=250)
        with open(path, encoding="utf-8") as file:
            return json.load(file)


def main():
    found = {}
    for row in rows():
        key = row["test"], row["ranks"], row["bytes"]
        found.setdefault(key, {})[row["host_costs"]] = row
        check(row["clock"] == "simulated, hosts included", row)
        check(row["node_cycles"] is None or
              abs(row["ratio"] * row["node_cycles"] - row["cycles"]) < 0.01, row)
        # Hosts do nothing in less time than the nodes.
        check(row["node_cycles"] is None or row["ratio"] >= 1, row)
    check(len(found) == 19, f"{len(found)} rows")
    for key, row in found.items():
        check(sorted(row) == list(COSTS), key)
        check(len({row[c]["node_cycles"] for c in COSTS}) == 1, key)
    # A round trip of a Short: on each side a call with its posted writes (four words
    # and the doorbell), polls, a message and a handler. stress/sum has it cycle by cycle.
    trip = found["Short, round trip", 2, 0]
    costs = 2 * (CONST["COST_CALL"] + 5 * CONST["COST_WRITE"] +
                 CONST["COST_MESSAGE"] + CONST["COST_HANDLER"])
    check(trip[0]["cycles"] == 620, trip[0])
    check(trip[1]["cycles"] >= 620 + costs, trip[1])
    # A put from host memory costs a call, six words and the doorbell, and a poll.
    put = found["put, from host memory", 2, 8]
    costs = CONST["COST_CALL"] + 7 * CONST["COST_WRITE"] + CONST["COST_POLL"]
    for c in COSTS:
        check(put[c]["cycles"] == put[0]["cycles"] + c * costs, put)
    # One that takes long hides them, and goes over both links: 16 bytes a cycle each.
    put = found["put", 2, 1 << 20]
    check(put[2]["ratio"] < 1.02 and put[2]["cycles"] < (1 << 20) / 16, put)


main()

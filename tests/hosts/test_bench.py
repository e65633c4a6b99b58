#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""bench/hosts.py measures what it says, of few ranks and one round; how fast anything is, is not
judged."""
import json
import os
import sys
import tempfile

from hosts import launchers
from fshjob import BIN, Skip, check, main, run

BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench", "hosts.py")
PAIR = {"am_rtt", "put_8", "get_8", "flood"}


def few_ranks():
    names = {launcher.name for launcher in launchers()}
    if not os.path.exists(os.path.join(BIN, "..", "examples", "01_hello")):
        raise Skip("the examples are not built")
    with tempfile.TemporaryDirectory() as where:
        path = os.path.join(where, "rows.json")
        code, output = run(sys.executable, BENCH, "--build", os.path.dirname(BIN), "--rounds", "1",
                           "--blocks", "2", "--ranks", "8", "--json", path, limit=200)
        check(code == 0, f"{code} {output}")
        with open(path, encoding="utf-8") as file:
            rows = json.load(file)
    check({row["test"] for row in rows if row["test"] != "start"} == {*PAIR, "memory"}, f"{rows}")
    check({row["launcher"] for row in rows if row["test"] == "start"} == names, f"{rows}")
    for row in rows:
        if row["test"] == "start":
            check(row["ranks"] == 8 and 0 < row["seconds"] <= row["most"], f"{row}")
        elif row["test"] == "memory":
            check(row["kib"] > 100, f"{row}")
        else:
            check(row["smp_ns"] > 0 and abs(row["ofi_ns"] / row["smp_ns"] / row["ratio"] - 1)
                  < 1e-6, f"{row}")


if __name__ == "__main__":
    main([few_ranks])

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reports name what the simulator assumes, as it really was: a job with none of
the defaults; header, CSV and JSON of fshperf. usage: assumed.py FSHRUN FSHPERF"""

import csv
import json
import os
import subprocess
import sys
import tempfile

FSHRUN, FSHPERF = sys.argv[1:3]
GIVEN = {"link_cycles": "21", "link_layer": "0", "dram_cycles": "33",
         "dram_write_cycles": "9", "dram_bytes_cycle": "256",
         "pcie_cycles": "77", "pcie_bytes_cycle": "32"}
HEADER = ("link 21 cycles one way, no link layer (no CRC, no replay);",
          "read 33 cycles, write response 9, 256 B a cycle = 64.0 GB/s,",
          "83 % of the peak of four channels of DDR4-2400, no banks",
          "PCIe 77 cycles one way, 32 B a cycle each way.")


def check(condition, what):
    if not condition:
        sys.exit(f"assumed.py: {what}")


def check_row(row, name):
    stored = row["mode"].startswith("long_")
    for field, value in GIVEN.items():
        ok = str(row[field]) == value or (
            stored and field == "dram_write_cycles" and str(row[field]) == "40")
        check(ok, f"{name}: {field} is {row[field]}, not {value}: {row}")


with tempfile.TemporaryDirectory() as work:
    table, objects = os.path.join(work, "p.csv"), os.path.join(work, "p.json")
    # Options of the simulator that have a setting of their own go by that.
    run = subprocess.run(
        [FSHRUN, "-n", "2", "--conduit", "fpga", "--timeout", "240",
         "--dram-write-cycles", "9", "--sim-args",
         "--link-cycles 21 --dram-cycles 33 --dram-bytes-cycle 256 "
         "--pcie-cycles 77 --pcie-bytes-cycle 32",
         FSHPERF, "paper", "--quick", "--brief", "--csv", table,
         "--json", objects],
        capture_output=True, text=True, timeout=250)
    check(run.returncode == 0, f"code {run.returncode}: {run.stderr}")
    for line in HEADER:
        check(line in run.stdout, f"the header lacks: {line}\n{run.stdout}")
    check("modelled, 84 ns" in run.stdout, "Table IV: another link delay")
    with open(table, encoding="ascii") as file:
        rows = list(csv.DictReader(file))
    with open(objects, encoding="ascii") as file:
        also = json.load(file)
    check(len(rows) == len(also) > 300, f"{len(rows)} and {len(also)} rows")
    for row in rows:
        check_row(row, "CSV")
    for row in also:
        check_row(row, "JSON")
    cycles = {(r["test"], r["mode"], r["dram_write_cycles"]): int(r["cycles"])
              for r in rows if r["mode"].startswith(("long_", "short"))}
    for test in ("put_lat", "get_lat"):
        # The response at 40 cycles was measured, and nothing else changed.
        check(cycles[test, "long_accepted", "40"] -
              cycles[test, "long_accepted", "9"] == 31, f"{test}: {cycles}")
        check(cycles[test, "long_doorbell", "9"] -
              cycles[test, "long_accepted", "9"] == 7, f"{test}: {cycles}")
        check(cycles[test, "short_doorbell", "9"] -
              cycles[test, "short", "9"] == 7, f"{test}: {cycles}")
print("PASS")

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""bridge_time.py FSHPERF [sweep]: fshperf bridge --clock simulated measures all paths, modes and
stages, twice the same to the nanosecond; no stage beats what its model allows, paths follow from
their stages, and fshmodel predicts each row within its limits. sweep: the same of --sweep, which
takes minutes, instead."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
sys.dont_write_bytecode = True
from fshmodel import compare, system  # noqa: E402

FSHPERF = sys.argv[1]
SIZES = [64 << 10, 1 << 20]
STAGES = ["read", "dma_to_card", "dma_from_card", "write"]
PATHS = {"to_card": STAGES[:2], "from_card": STAGES[2:], "round_trip": STAGES}
ALONE = {**{stage: "to_card" if stage in STAGES[:2] else "from_card" for stage in STAGES},
         "dma_both": "round_trip"}
MODES = ("naive", "pipelined")
WANT = {(path, mode, None, size) for path in PATHS for mode in MODES for size in SIZES} | \
    {(path, "stage", stage, size) for stage, path in ALONE.items() for size in SIZES}


def run(*options, settings=None, limit=140):
    return subprocess.run([FSHPERF, "bridge", "--clock", *options],
                          capture_output=True, text=True, check=False,
                          env={**os.environ, **(settings or {})}, timeout=limit)


def rows_of(option, limit=140):
    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, "bridge.json")
        done = run("simulated", option, "--json", path, limit=limit)
        assert done.returncode == 0, done
        with open(path, encoding="ascii") as f:
            rows = json.load(f)
        modelled = list(compare.rows(system.load("fshmem"), [path]))
    assert len(modelled) == len(rows), "rows that fshmodel does not know"
    assert all(r["within"] for r in modelled), [r for r in modelled if not r["within"]]
    return done, rows


def sweep():
    """Buffers of 16 KB to 8 MB, transfers of 2 B to 64 MB and one of 1 GB; what is long reaches
    what it should through any buffer but the least."""
    _, rows = rows_of("--sweep", 1500)
    found = {(r["path"], r["mode"], r.get("stage"), r["buffer"], r["bytes"]): r for r in rows}
    assert len(found) == len(rows), "rows are named twice"
    assert {r["buffer"] for r in rows} == {1 << i for i in (14, 16, 18, 20, 22, 23)}
    sizes = {r["bytes"] for r in rows}
    assert min(sizes) == 2 and max(sizes) == 1 << 30, sizes
    kinds = {(r["path"], r["mode"], r.get("stage")) for r in rows}
    assert len(rows) == 6 * (len(sizes) - 1) * len(kinds) + 6 and len(kinds) == 11, len(rows)
    goals = {"to_card": 0.97, "from_card": 0.97, "round_trip": 0.93}
    for row in rows:
        if row["mode"] == "pipelined" and row["bytes"] >= 64 << 20 and row["buffer"] > 1 << 14:
            assert row["ratio"] >= goals[row["path"]], row


def measure():
    done, rows = rows_of("--quick")
    figures = {(r["path"], r["mode"], r.get("stage"), r["bytes"]): r for r in rows}
    assert set(figures) == WANT and len(rows) == len(WANT), rows
    assert "MB/s each way" in done.stdout, done.stdout
    return figures


if sys.argv[2:] == ["sweep"]:
    sweep()
    print("PASS")
    sys.exit(0)
first = measure()
for row in first.values():
    assert (row["clock"], row["device"], row["network"]) == ("simulated", "sim", "model"), row
    assert 0 < row["ratio"], row
    # PCIe Gen3 x8 with packet headers; the network's rates as stated.
    if row.get("stage", "dma").startswith("dma"):
        assert row["mb_per_s"] < 8000 * 256 / 286, row
    if row.get("stage") in ("read", "write"):
        assert row["mb_per_s"] < row[row["stage"] + "_mb_per_s"], row
for path, stages in PATHS.items():
    for size in SIZES:
        alone = {stage: first[(ALONE[stage], "stage", stage, size)]["ns"] for stage in stages}
        pipelined = first[(path, "pipelined", None, size)]["ns"]
        naive = first[(path, "naive", None, size)]["ns"]
        # Stages overlap where there are pieces, and never where the mode is naive.
        assert max(alone.values()) <= pipelined < naive, (path, size)
        assert naive > sum(alone.values()) - 4 * 2000, (path, size)
        if size == 1 << 20 and path != "round_trip":
            assert pipelined < 1.1 * max(alone.values()), (path, alone, pipelined)
again = measure()
assert {k: r["ns"] for k, r in first.items()} == {k: r["ns"] for k, r in again.items()}
bad = run("fast")
assert bad.returncode != 0 and "expected wall or simulated" in bad.stderr, bad
print("PASS")

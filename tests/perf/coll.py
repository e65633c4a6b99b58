#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""fshperf coll: every operation is there, in text and JSON, in OSU's columns; what is
compared with what; with "simulated" that two runs have the same cycles.

usage: coll.py FSHPERF [simulated]"""
import json
import math
import os
import subprocess
import sys
import tempfile

OPS = {"barrier", "broadcast", "scatter", "gather", "allgather", "allgatherv",
       "alltoall", "alltoallv", "reduce", "allreduce", "reduce_scatter", "scan"}
KEYS = {"op", "algorithm", "engine", "nodes", "jobs", "bytes", "memory", "cycles", "us",
        "baseline_us", "speedup", "occupancy", "occupancy_mean", "type", "link_bytes",
        "payload_bytes", "rounds", "conduit", "clock"}
SIZES = (8, 4096)
BROADCASTS = {"binomial", "double_tree", "chain", "scatter_allgather"}


def check(holds, what):
    if not holds:
        sys.exit(f"coll: {what}")


def run(*options, **settings):
    """(rows, lines of the table)."""
    with tempfile.TemporaryDirectory() as where:
        path = os.path.join(where, "coll.json")
        text = subprocess.run([sys.argv[1], "coll", "--json", path, *options], check=True,
                              stdout=subprocess.PIPE, text=True, timeout=400,
                              env={**os.environ, **settings}).stdout
        with open(path, encoding="utf-8") as file:
            rows = json.load(file)
    for row in rows:
        look(row)
    return rows, text.splitlines()


def look(row):
    """What holds for every row."""
    check(set(row) >= KEYS, row)
    check(row["us"] > 0, row)
    if row["engine"] == "messages":
        check(0 <= row["occupancy"] <= 1, row)
        check(row["occupancy_mean"] is None, row)
    elif row["engine"] == "card":
        # Packets come to some rank, and leave it again.
        check(round(1 / 84, 4) <= row["occupancy"] <= 1, row)  # of as many places
        check(0 < row["occupancy_mean"] < row["occupancy"], row)
    else:
        check(row["occupancy"] is None and row["occupancy_mean"] is None, row)
    check((row["memory"] == "none") is (row["bytes"] == 0), row)
    if row["clock"] == "wall":
        check(row["cycles"] is None and row["conduit"] == "smp", row)
        check(row["rounds"] >= 20 and row["link_bytes"] is row["payload_bytes"] is None, row)
    else:
        check(row["conduit"] == "fpga" and row["link_cycles"] > 0, row)
        check(math.isclose(row["cycles"] * 4 / 1000, row["us"]), row)
    if row["baseline_us"] is None:
        check(row["speedup"] is None, row)
    else:
        check(row["engine"] != "messages", row)
        check(math.isclose(row["speedup"], row["baseline_us"] / row["us"],
                           rel_tol=1e-3), row)


def expected():
    """All rows of --quick: (operation, bytes, memory)."""
    return {(op, n, memory) for op in OPS - {"barrier"} for n in SIZES
            for memory in ("segment", "private")} | {("barrier", 0, "none")}


def look_columns(lines, columns, sections):
    """A size in 10 columns, then fields of 20: figures, algorithm, rounds. columns: of
    each number of figures, how many lines there are."""
    width = {10 + 20 * (figures + 2): count for figures, count in columns.items()}
    heads = [line for line in lines if line.startswith("# Size")]
    check(len(heads) == sections, lines)
    check({len(line) for line in heads} == set(width), heads)
    figures = [line for line in lines if line[:1].isdigit()]
    for line in figures:
        check(len(line) in width and int(line[:10]) in (0, *SIZES), line)
        check(float(line[10:30]) > 0, line)
    for n, count in width.items():
        check(sum(len(line) == n for line in figures) == count, (n, figures))


def by_key(rows):
    found = {(r["op"], r["bytes"], r["memory"], r.get("host_costs"), r["engine"]): r
             for r in rows}
    check(len(found) == len(rows), "a figure is there twice")
    return found


def on_wall_clock():
    rows, lines = run("--quick")
    look_columns(lines, {2: 2 * len(OPS) - 1}, len(OPS))
    check({key[:3] for key in by_key(rows)} == expected(), rows)
    for row in rows:
        check(row["engine"] == ("messages" if row["op"] == "alltoallv" else "direct"), row)
        check(row["nodes"] == 2 and row["jobs"] == 1, row)
    rows, _ = run("--op", "allreduce", "--bytes", "8,1K", "--ranks", "2,3", "--engine", "both",
                  "--jobs", "1,8")
    check(len(rows) == 2 * 2 * 2 * 2 * 2, rows)  # sizes, ranks, engines, jobs, memory
    for row in rows:
        check((row["baseline_us"] is None) is (row["engine"] == "messages"), row)
    rows, _ = run("--op", "broadcast,barrier", "--bytes", "4K", "--ranks", "4", "--algorithm",
                  "all")
    check({r["algorithm"] for r in rows if r["op"] == "broadcast"} == BROADCASTS, rows)
    check({r["algorithm"] for r in rows if r["op"] == "barrier"} ==
          {"dissemination", "binomial"}, rows)


def on_simulated_nodes():
    options = "--clock", "simulated", "--quick"
    rows, lines = run(*options)
    by_messages = 2 * len(OPS) - 1
    look_columns(lines, {6: by_messages, 12: by_messages - 4}, 2 * len(OPS) - 2)
    found = by_key(rows)
    on_card = {key for key in expected() if not key[0].endswith("v")}
    for engine, keys in ("messages", expected()), ("card", on_card):
        check({key[:3] for key in found if key[4] == engine} == keys, rows)
        for op, size, memory in keys:
            times = [found[op, size, memory, costs, engine] for costs in (0, 1, 2)]
            cycles = [row["cycles"] for row in times]
            check(cycles[0] < min(cycles[1:]), (op, size, memory, cycles))
            # Hosts only start cards that have their buffers. One that starts later may find its
            # grant, so that twice the costs need not take longer than once.
            if engine == "messages" or memory != "segment":
                check(cycles[1] < cycles[2], (op, size, memory, cycles))
            check(all((row["baseline_us"] is None) is (engine == "messages")
                      for row in times), times)
    check(run(*options)[0] == rows, "other cycles when it was run again")
    rows, _ = run(*options, "--op", "barrier", "--ranks", "3", "--topology", "line",
                  "--engine", "auto")
    check([(r["topology"], r["nodes"]) for r in rows] == [("line", 3)] * 3, rows)
    many_jobs()
    on_wires()
    on_eight_nodes()


def many_jobs():
    """32 jobs at once on 8 nodes: engines run them beside each other, with packets of several
    in the buffer."""
    rows, _ = run("--clock", "simulated", "--quick", "--op", "barrier,allreduce", "--bytes", "8",
                  "--ranks", "8", "--jobs", "1,32", "--host-costs", "0", "--engine", "both")
    found = {(r["op"], r["memory"], r["engine"], r["jobs"]): r for r in rows}
    kinds = [("barrier", "none"), ("allreduce", "segment"), ("allreduce", "private")]
    check(set(found) == {(*kind, engine, jobs) for kind in kinds
                         for engine in ("card", "messages") for jobs in (1, 32)}, rows)
    check(len(rows) == len(found) and all(r["nodes"] == 8 for r in rows), rows)
    for kind in kinds:
        one, many = (found[(*kind, "card", jobs)] for jobs in (1, 32))
        check(one["cycles"] < many["cycles"] < 16 * one["cycles"], (one, many))
        check(one["occupancy"] < many["occupancy"], (one, many))
        check(many["cycles"] < found[(*kind, "messages", 32)]["cycles"], many)


def on_wires():
    """What all-reduces by rings of three cards send: packets of the block's size, and
    encoded ones, of 64 bytes in 17."""
    size, sent, net = 90 << 10, {}, {}
    for kind in "float", "bfp16":
        rows, _ = run("--clock", "simulated", "--quick", "--op", "allreduce", "--bytes", str(size),
                      "--ranks", "3", "--topology", "ring", "--host-costs", "0", "--type", kind,
                      "--algorithm", "ring", "--engine", "both")
        for row in rows:
            check(row["type"] == kind and row["host_costs"] == 0, row)
        (row,) = [r for r in rows if (r["engine"], r["memory"]) == ("card", "segment")]
        payload = 4 * size // 3 * (17 / 64 if kind == "bfp16" else 1)
        sent[kind], net[kind] = row["link_bytes"], row["payload_bytes"]
        check(net[kind] == payload, (payload, row))
        check(payload < sent[kind] < 1.3 * payload, (payload, row))
    check(sent["float"] > 3.3 * sent["bfp16"], sent)
    check(net["float"] >= 3.75 * net["bfp16"], net)


def on_eight_nodes():
    """Large all-reduces are encoded for 3.4 times; and what packets of 256 B carry is right though
    the last piece of some, which would be short, comes with the one before."""
    options = "--clock", "simulated", "--op", "allreduce", "--ranks", "8", "--algorithm", "ring", \
        "--host-costs", "1", "--engine", "auto", "--rounds", "1"
    cycles = {}
    for kind in "float", "bfp16":
        rows, _ = run(*options, "--bytes", "512K", "--type", kind)
        (cycles[kind],) = [r["cycles"] for r in rows if r["memory"] == "segment"]
    check(cycles["float"] >= 3.4 * cycles["bfp16"], cycles)
    check(cycles["bfp16"] < 9200, cycles)
    for link in 28, 30:
        run(*options, "--bytes", "256K", "--type", "bfp16", FSHMEM_PACKET="256",
            FSHMEM_SIM_ARGS=f"--link-cycles {link}")


(on_simulated_nodes if sys.argv[2:] == ["simulated"] else on_wall_clock)()

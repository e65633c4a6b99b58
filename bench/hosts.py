#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Jobs over hosts, which are network namespaces made here (tests/hosts; needs root): two ranks
of one host in a job of conduit ofi whose ranks of other hosts are silent, in turns with the
same two on conduit smp, and the median of what a turn of one took by the turn of the other
beside it, since a machine changes meanwhile; and how long a job of 64 ranks on 4 hosts takes from the launcher's
start to its end, and its ranks' memory. Medians of rounds, wall clock: run it alone.

usage: hosts.py --build DIR [--rounds N] [--blocks N] [--ranks N] [--strict] [--json FILE]
"""
import argparse
import json
import os
import statistics
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PAIR = {"am_rtt": 1.05, "put_8": 1.05, "get_8": 1.05, "flood": 1.05}  # times smp
MEMORY = 8192 + 64 + 32 * 2  # KiB of a rank with one other host, of two ranks
START = 15  # seconds
KEEP = {"FSHMEM_SEGMENT_MAX": "1M"}


def figures(output):
    return {line.split()[1]: float(line.split()[2]) for line in output.splitlines()
            if line.startswith("pair ")}


def pairs(args, tools):
    """Rows of operations of two ranks."""
    found = {test: {"smp": [], "ofi": []} for test in (*PAIR, "memory")}
    with tools.Hosts(2) as hosts:
        for turn in range(args.rounds):
            for conduit in ("smp", "ofi") if turn % 2 else ("ofi", "smp"):
                if conduit == "smp":
                    job = tools.Job(args.fshrun, "-n", "2", "--conduit", "smp", "--bind-to",
                                    "none", args.pair, args.blocks)
                    try:
                        code, output = job.await_end(120), job.output()
                    finally:
                        job.close()
                else:
                    code, output = tools.run_over(
                        hosts, tools.launchers()[-1], 2, args.pair, args.blocks,
                        env={"FSHMEM_CONDUIT": "ofi", **KEEP}, limit=120)
                got = figures(output)
                if code or set(got) != set(found):
                    sys.exit(f"hosts.py: {conduit}: exit {code}: {output.strip()[-300:]}")
                for test, ns in got.items():
                    found[test][conduit].append(ns)
    memory = found.pop("memory")
    rows = []
    for test, ns in found.items():
        ratios = sorted(ofi / smp for ofi, smp in zip(ns["ofi"], ns["smp"]))
        rows.append({"test": test, "ranks": 2, "smp_ns": statistics.median(ns["smp"]),
                     "ofi_ns": statistics.median(ns["ofi"]), "ratio": statistics.median(ratios),
                     "quartiles": (ratios[len(ratios) // 4], ratios[-1 - len(ratios) // 4]),
                     "target": PAIR[test]})
    return rows + \
        [{"test": "memory", "ranks": 4, "hosts": 2, "kib": max(memory["ofi"]),
          "target": MEMORY}]


def starts(args, tools):
    """Rows of launchers: seconds from start to end of a program that meets once."""
    rows = []
    for launcher in tools.launchers():
        with tools.Hosts(4) as hosts:
            took = []
            for _ in range(args.rounds):
                begin = time.monotonic()
                code, output = tools.run_over(hosts, launcher, args.ranks // 4, args.hello,
                                              env={"FSHMEM_CONDUIT": "ofi", **KEEP}, limit=120)
                took.append(time.monotonic() - begin)
                if code:
                    sys.exit(f"hosts.py: {launcher.name}: exit {code}: "
                             f"{output.strip()[-300:]}")
            rows.append({"test": "start", "launcher": launcher.name, "ranks": args.ranks,
                         "hosts": 4, "seconds": statistics.median(took), "most": max(took),
                         "target": START})
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--blocks", default="50", help="of 2000 operations each")
    parser.add_argument("--ranks", type=int, default=64)
    parser.add_argument("--strict", action="store_true", help="exit 1 if a target is missed")
    parser.add_argument("--json")
    args = parser.parse_args()
    build = os.path.abspath(args.build)
    args.fshrun, args.pair = f"{build}/bin/fshrun", f"{build}/bin/pair"
    args.hello = f"{build}/examples/01_hello"
    os.environ["FSH_BIN"], os.environ["FSH_TESTS"] = f"{build}/bin", f"{build}/tests"
    sys.path.insert(0, os.path.join(HERE, "..", "tests", "hosts"))
    import hosts as tools  # after the settings that it reads
    before = os.getloadavg()[0]
    try:
        rows = pairs(args, tools) + starts(args, tools)
    except tools.Skip as why:
        print(f"hosts.py: skipped: {why}")
        return 0
    print(f"# {len(os.sched_getaffinity(0))} processors, load average before {before:.2f}; "
          f"medians of {args.rounds} rounds, wall clock, thread mode SEQ, payloads not read")
    missed = False
    for row in rows:
        if row["test"] == "start":
            reached = row["seconds"] <= row["target"]
            print(f"{row['launcher']}: {row['ranks']} ranks on 4 hosts, start to end: "
                  f"{row['seconds']:.1f} s, at most {row['most']:.1f} "
                  f"(<= {row['target']}: {'pass' if reached else 'falls short'})")
        elif row["test"] == "memory":
            reached = row["kib"] <= row["target"]
            print(f"memory of a rank (anonymous, touched): {row['kib']:.0f} KiB "
                  f"(<= {row['target']}: {'pass' if reached else 'falls short'})")
        else:
            reached = row["ratio"] <= row["target"]
            print(f"{row['test']}: two ranks of a host, smp {row['smp_ns']:.1f} ns, ofi with "
                  f"silent remote ranks {row['ofi_ns']:.1f} ns: {row['ratio']:.3f} times, "
                  f"quartiles {row['quartiles'][0]:.2f} and {row['quartiles'][1]:.2f} "
                  f"(<= {row['target']}: {'pass' if reached else 'falls short'})")
        missed |= not reached
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
            file.write("\n")
    return 1 if missed and args.strict else 0


if __name__ == "__main__":
    sys.exit(main())

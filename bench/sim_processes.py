#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Node-cycles a second of the simulator in several processes (fshrun --simulators) beside
those in one, of wall time, a thread each: rings in which every node sends and receives
(fshperf sim-speed), in turns, medians of rounds. Figures are of this machine and what else it
does: run it alone, with a processor for each process.

usage: sim_processes.py --fshrun FILE --fshperf FILE [--processes N] [--nodes N]...
                        [--rounds N] [--least RATIO] [--json FILE]
"""
import argparse
import json
import os
import statistics
import subprocess
import sys

NODES = (8, 16, 32)
LIMIT = 900  # seconds of a job
LINES = {"evaluated": "Node-cycles evaluated", "seconds": "Wall time (s)"}


class Failed(Exception):
    """One line that says why."""


def node_cycles_a_second(args, nodes, processes):
    command = [args.fshrun, "-n", str(nodes), "--conduit", "fpga", "--topology", "ring",
               "--bind-to", "none", "--sim-threads", "1", "--simulators", str(processes),
               "--timeout", str(LIMIT), args.fshperf, "sim-speed"]
    done = subprocess.run(command, capture_output=True, text=True)
    found = {name: line.split()[-1] for line in done.stdout.splitlines()
             for name, start in LINES.items() if line.startswith(start)}
    if done.returncode or len(found) != len(LINES):
        said = (done.stderr or done.stdout).strip().splitlines() or ["nothing said"]
        raise Failed(f"{' '.join(command)}: exit {done.returncode}: {said[0]}")
    return float(found["evaluated"]) / float(found["seconds"])


def measure(args, nodes):
    """The rates of each number of processes, and the ratios of the two that ran next to
    each other."""
    rates = {1: [], args.processes: []}
    for turn in range(args.rounds):
        for processes in sorted(rates, reverse=turn % 2 == 1):
            rates[processes].append(node_cycles_a_second(args, nodes, processes))
    ratios = [many / one for one, many in zip(rates[1], rates[args.processes])]
    return {"nodes": nodes, "processes": args.processes, "rounds": args.rounds,
            "one": statistics.median(rates[1]),
            "many": statistics.median(rates[args.processes]),
            "ratio": statistics.median(ratios), "least": min(ratios), "most": max(ratios)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fshrun", required=True)
    parser.add_argument("--fshperf", required=True)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--nodes", action="append", type=int,
                        help="of a fabric; may be repeated (8, 16, 32)")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--least", type=float, help="fail if a median ratio is less")
    parser.add_argument("--json")
    args = parser.parse_args()
    fabrics = args.nodes or NODES
    if args.processes < 2 or min(fabrics) < args.processes or args.rounds < 1:
        parser.error("--processes: at least 2, and no more than nodes; --rounds: at least 1")
    before = os.getloadavg()[0]
    rows = [measure(args, nodes) for nodes in fabrics]
    print(f"# Node-cycles a second of wall time, a thread a process, {args.rounds} rounds in "
          f"turns: medians.\n# {len(os.sched_getaffinity(0))} processors; load average before "
          f"{before:.2f}.\n"
          f"{'# nodes':<10}{'one process':>14}{f'{args.processes} processes':>14}"
          f"{'ratio':>8}{'least':>8}{'most':>8}")
    for row in rows:
        print(f"{row['nodes']:<10}{row['one']:>14.0f}{row['many']:>14.0f}"
              f"{row['ratio']:>8.2f}{row['least']:>8.2f}{row['most']:>8.2f}")
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
            file.write("\n")
    slow = [row for row in rows if args.least and row["ratio"] < args.least]
    for row in slow:
        print(f"sim_processes: {row['nodes']} nodes: {row['ratio']:.2f}, less than "
              f"{args.least}", file=sys.stderr)
    return 1 if slow else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as error:
        sys.exit(f"sim_processes: {error}")

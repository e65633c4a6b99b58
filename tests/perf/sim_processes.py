#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""bench/sim_processes.py with a launcher that is played: which jobs it starts, in turns, and
the medians of their figures; its exit code where a ratio is not reached. And with the
simulator, of which no figure is judged."""
import json
import os
import re
import subprocess
import sys
import tempfile

SCRIPT, FSHRUN, FSHPERF = sys.argv[1:]

# Notes its arguments; node-cycles a second by the number of its call.
PLAYED = """#!/usr/bin/env python3
import sys
with open({calls!r}, "a+", encoding="utf-8") as file:
    file.write(" ".join(sys.argv[1:]) + "\\n")
    file.seek(0)
    rate = {rates}[len(file.readlines()) - 1]
print("Node-cycles evaluated            ", 2 * rate)
print("Wall time (s)                    2.000")
"""
RATES = [100, 150, 170, 100, 100, 120]  # one, two, two, one, one, two processes


def check(holds, what):
    if not holds:
        sys.exit(f"sim_processes: {what}")


def bench(*more, fshrun=FSHRUN, fshperf=FSHPERF):
    return subprocess.run([sys.executable, SCRIPT, "--fshrun", fshrun, "--fshperf", fshperf,
                           *more], capture_output=True, text=True, timeout=400)


def played(where):
    calls, fshrun = (os.path.join(where, name) for name in ("calls", "fshrun"))
    path = os.path.join(where, "rows.json")
    with open(fshrun, "w", encoding="utf-8") as file:
        file.write(PLAYED.format(calls=calls, rates=RATES))
    os.chmod(fshrun, 0o755)
    for least, code in ("1.5", 0), ("1.51", 1):
        done = bench("--nodes", "8", "--rounds", "3", "--least", least, "--json", path,
                     fshrun=fshrun)
        check(done.returncode == code, done)
        check(("8 nodes: 1.50, less than 1.51" in done.stderr) == bool(code), done)
        with open(calls, encoding="utf-8") as file:
            found = re.findall(r"^-n 8 .*--sim-threads 1 --simulators (\d) .* sim-speed$",
                               file.read(), re.M)
        os.unlink(calls)
        check("".join(found) == "122112", found)
    with open(path, encoding="utf-8") as file:
        row, = json.load(file)
    check((row["one"], row["many"], row["ratio"], row["least"], row["most"]) ==
          (100, 150, 1.5, 1.2, 1.7), row)


def main():
    with tempfile.TemporaryDirectory() as where:
        played(where)
    done = bench("--nodes", "2", "--processes", "3")
    check(done.returncode == 2 and "no more than nodes" in done.stderr, done)
    done = bench("--nodes", "2", "--rounds", "1")
    check(done.returncode == 0 and
          re.search(r"^2 +\d+ +\d+ +[\d.]+ +[\d.]+ +[\d.]+$", done.stdout, re.M), done)
    done = bench("--nodes", "2", "--rounds", "1", fshperf="/bin/false")
    check(done.returncode == 1 and "exit 1" in done.stderr, done)


main()

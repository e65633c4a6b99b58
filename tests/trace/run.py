#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""fshrun --trace, from outside.

usage: run.py whole|equal|jump|links FSHRUN ARGUMENTS...    a program that ends
       run.py rank|launcher FSHRUN ARGUMENTS...  jobs of die: somebody is killed

ARGUMENTS are those of fshrun, with the program. whole: the file is as it should be.
equal: two runs give the same file. jump: so does one that does not jump over idle time.
links: the nodes of a line have tracks of the links that have a cable.
rank: what the rank that died had recorded is there. launcher: the file of a launcher
that was killed opens, and nobody is left.
"""
import collections
import os
import signal
import subprocess
import sys
import tempfile
import time

import schema

DEADLINE = 60


def command(fshrun, trace, arguments):
    return [fshrun, "--trace", trace, "--timeout", "90"] + arguments


def nothing_else(folder):
    assert os.listdir(folder) == ["t.json"], os.listdir(folder)


def by_name(events, rank):
    return collections.Counter(event["name"] for event in events
                               if event["pid"] == rank and event["ph"] in "XB"
                               and event["cat"] != "wait")


def whole(fshrun, trace, arguments):
    subprocess.run(command(fshrun, trace, arguments), check=True, timeout=100,
                   stdout=subprocess.DEVNULL)
    events = schema.check(trace)
    calls = by_name(events, 0)
    for name in ("gasnet_put_bulk", "gasnet_get_bulk", "gasnet_AMRequestShort",
                 "gasnet_AMReplyLong", "gasnet_barrier_wait", "handler 200"):
        assert calls[name], f"no {name} in {calls}"
    assert any(event.get("cat") == "wait" for event in events)
    sizes = {event["args"].get("bytes") for event in events
             if event.get("name") == "gasnet_put_bulk"}
    assert 262144 in sizes, sizes
    if "fpga" not in arguments:
        return
    nodes = by_name(events, schema.NODES)
    for name in ("PUT", "GET_REPLY", "AM request", "reads", "writes", "PCIe to node"):
        assert nodes[name], f"no {name} in {nodes}"
    assert "simulated" not in arguments or any(
        event["ph"] == "f" and event["cat"] == "transfer" for event in events)
    data = sum(event["args"].get("bytes", 0) for event in events
               if event["pid"] == schema.NODES and event.get("name") == "writes")
    puts = sum(event["args"].get("bytes", 0) for event in events if event["pid"] == 1
               and event.get("cat") == "call" and event["name"] == "gasnet_put_bulk")
    assert data >= puts > 0, f"{data} bytes written, {puts} put"


def equal(fshrun, trace, arguments, other=()):
    files = []
    for more in ([], list(other)):
        subprocess.run(command(fshrun, trace, more + arguments), check=True, timeout=100,
                       stdout=subprocess.DEVNULL)
        schema.check(trace)
        with open(trace, "rb") as file:
            files.append(file.read())
    assert files[0] == files[1], "two runs, two traces"


def jump(fshrun, trace, arguments):
    equal(fshrun, trace, arguments, ["--sim-args", "--no-jump"])


def links(fshrun, trace, arguments):
    subprocess.run(command(fshrun, trace, ["--topology", "line"] + arguments),
                   check=True, timeout=100, stdout=subprocess.DEVNULL)
    events = schema.check(trace)
    ranks = events[0]["args"]["ranks"]
    found = [sum(name.startswith("link ") for name in schema.tracks(events, n).values())
             for n in range(ranks)]
    assert found == [1] + [2] * (ranks - 2) + [1], found


def rank(fshrun, trace, arguments):
    puts = int(arguments[-1])
    done = subprocess.run(command(fshrun, trace, arguments), timeout=100,
                          stderr=subprocess.PIPE, text=True)
    assert done.returncode == 128 + signal.SIGKILL, done
    events = schema.check(trace, whole=False)
    assert schema.load(trace)[1], "the launcher lived, and did not end the array"
    count = by_name(events, 1)["gasnet_put_bulk"]
    assert count == puts, f"{count} of {puts} puts of the killed rank"


def descendants(pid):
    found = []
    for task in os.listdir("/proc"):
        if task.isdigit():
            try:
                with open(f"/proc/{task}/stat") as file:
                    parent = int(file.read().rpartition(")")[2].split()[1])
            except (OSError, IndexError):
                continue
            if parent == pid:
                found += [int(task)] + descendants(int(task))
    return found


def is_there(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_for(condition, what):
    end = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.02)


def launcher(fshrun, trace, arguments):
    job = subprocess.Popen(command(fshrun, trace, arguments),
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for(lambda: os.path.exists(trace) and os.path.getsize(trace) > 200000,
             "the trace does not grow")
    all_of_it = descendants(job.pid)
    os.kill(all_of_it[0], signal.SIGKILL)  # the guard's child, which writes
    job.wait(timeout=DEADLINE)
    wait_for(lambda: not any(is_there(pid) for pid in all_of_it), "left behind")
    events = schema.check(trace, whole=False, dropped=True)
    assert len(events) > 500, len(events)


def main():
    what, fshrun, *arguments = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="fshmem-trace-") as folder:
        {"whole": whole, "equal": equal, "jump": jump, "links": links, "rank": rank,
         "launcher": launcher}[what](
            fshrun, os.path.join(folder, "t.json"), arguments)
        nothing_else(folder)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""fshtrace on files that are cut, foreign, or damaged at random.

usage: reader.py FSHRUN FSHTRACE PROGRAM [CASES [SEED]]

Cut anywhere behind the first event: read, and said. Foreign: refused, with file and
line. Damaged: read or refused within a second, never a signal.
"""
import os
import random
import subprocess
import sys
import tempfile
import time

FOREIGN = {
    "empty": b"",
    "text": b"hello\nworld\n",
    "object": b'{"traceEvents": []}\n',
    "chrome": b'[\n{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"x"}\n]\n',
    "array": b"[\n]\n",
    "numbers": b"[\n1,\n2\n]\n",
    "other version": b'[\n{"ph":"M","pid":0,"tid":0,"name":"fshmem_trace","args":'
                     b'{"version":2,"release":"9","conduit":"smp","ranks":1,'
                     b'"clock":"wall","mhz":250}}\n]\n',
    "no ranks": b'[\n{"ph":"M","pid":0,"tid":0,"name":"fshmem_trace","args":'
                b'{"version":1,"release":"9","conduit":"smp","ranks":0,'
                b'"clock":"wall","mhz":250}}\n]\n',
    "nul": b"[\n\0\0\0\n]\n",
}
HEAD = (b'[\n{"ph":"M","pid":0,"tid":0,"name":"fshmem_trace","args":{"version":1,'
        b'"release":"1","conduit":"smp","ranks":2,"clock":"wall","mhz":250}},\n')
WRONG = {  # an event, and what the message must name
    "an end alone": (b'{"ph":"E","pid":0,"tid":0,"ts":1}', "end"),
    "a time before all": (b'{"ph":"E","pid":0,"tid":0,"ts":-1}', "ts"),
    "no time": (b'{"ph":"E","pid":0,"tid":0}', "ts"),
    "a rank too many": (b'{"ph":"E","pid":2,"tid":0,"ts":1}', "pid"),
    "another kind": (b'{"ph":"Q","pid":0,"tid":0,"ts":1}', "ph"),
    "a foreign category": (b'{"ph":"X","pid":0,"tid":0,"ts":1,"dur":1,"cat":"x",'
                           b'"name":"y","args":{}}', "cat"),
    "a value that is none": (b'{"ph":"C","pid":0,"tid":0,"ts":1,"cat":"program",'
                             b'"name":"y","args":{"value":"z"}}', "value"),
    "a peer too many": (b'{"ph":"X","pid":0,"tid":0,"ts":1,"dur":1,"cat":"call",'
                        b'"name":"y","args":{"peer":7}}', "peer"),
}
DROPPED = (b'{"ph":"i","s":"p","pid":%d,"tid":0,"ts":0.000,"cat":"trace",'
           b'"name":"records dropped","args":{"count":3}}')


def run(fshtrace, path, data):
    with open(path, "wb") as file:
        file.write(data)
    start = time.monotonic()
    done = subprocess.run([fshtrace, path], capture_output=True, timeout=60)
    assert time.monotonic() - start < 20, "slow"
    assert done.returncode in (0, 1), (done.returncode, done.stderr)
    assert (done.returncode == 1) == bool(done.stderr), done.stderr
    assert done.returncode == 0 or path.encode() in done.stderr, done.stderr
    return done


def damage(data, rng):
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        at = rng.randrange(len(data))
        what = rng.randrange(5)
        if what == 0:
            data[at] = rng.randrange(256)
        elif what == 1:
            del data[at:at + rng.randrange(1, 40)]
        elif what == 2:
            data[at:at] = rng.choice((b'"', b"{", b"}", b"\n", b"9" * 20, b"e9", b"-"))
        elif what == 3:
            other = rng.randrange(len(data))
            data[at:at] = data[other:other + rng.randrange(200)]
        else:
            lines = bytes(data).split(b"\n")
            rng.shuffle(lines)
            data = bytearray(b"\n".join(lines))
    return bytes(data)


def main():
    fshrun, fshtrace, program = sys.argv[1:4]
    cases = int(sys.argv[4]) if len(sys.argv) > 4 else 150
    seed = int(sys.argv[5]) if len(sys.argv) > 5 else 1
    with tempfile.TemporaryDirectory(prefix="fshmem-reader-") as folder:
        trace = os.path.join(folder, "t.json")
        subprocess.run([fshrun, "-n", "2", "--conduit", "smp", "--trace", trace,
                        program, "64"], check=True, stdout=subprocess.DEVNULL)
        with open(trace, "rb") as file:
            whole = file.read()
        for name, data in FOREIGN.items():
            done = run(fshtrace, trace, data)
            assert done.returncode == 1, f"{name}: read"
            assert b"line " in done.stderr, done.stderr
        for name, (event, what) in WRONG.items():
            done = run(fshtrace, trace, HEAD + event + b"\n]\n")
            assert done.returncode == 1, f"{name}: read"
            assert b"line 3: " in done.stderr, done.stderr
            assert what.encode() in done.stderr, (what, done.stderr)
        for process in (0, 10000): # a rank, and a simulator
            done = run(fshtrace, trace, HEAD + DROPPED % process + b"\n]\n")
            assert done.returncode == 0, (process, done.stderr)
            assert b"3 records" in done.stdout, done.stdout
        assert b"truncated" not in run(fshtrace, trace, whole).stdout
        first = whole.index(b"\n", 2)
        for cut in [first] + [first + (len(whole) - 3 - first) * i // 40
                              for i in range(1, 41)]:
            done = run(fshtrace, trace, whole[:cut])
            assert done.returncode == 0, (cut, done.stderr)
            assert b"truncated" in done.stdout, cut
        for case in range(cases):
            try:
                run(fshtrace, trace, damage(whole, random.Random(seed + case)))
            except AssertionError:
                print(f"repeat with: {' '.join(sys.argv[:4])} 1 {seed + case}")
                raise


if __name__ == "__main__":
    main()

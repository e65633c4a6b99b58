#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A job's waveforms have the signals that sim/fshmem.gtkw shows and that
docs/01_user/waves.md names; asked for some cycles and nodes, they have these and no
others, of the same run as without waves. A fshsim that has none, and nothing beside it
that has, says so. The last line says "waves: pass".

usage: waves.py FSHRUN FSHSIM PROGRAM [ARGUMENT...]       a program for two nodes
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Blocks of a file, and marks in the list of names, as GTKWave's fstapi has them.
HEADER, GZIP, LZ4, LZ4_TWICE = 0, 4, 6, 7
NS = 4  # a cycle
ATTRIBUTE, ATTRIBUTE_END, SCOPE, SCOPE_END = 252, 253, 254, 255


def unpack(data, size):
    """One LZ4 block."""
    out, at = bytearray(), 0

    def count(start):
        nonlocal at
        if start == 15:
            while True:
                at += 1
                start += data[at - 1]
                if data[at - 1] != 255:
                    break
        return start

    while at < len(data):
        token = data[at]
        at += 1
        plain = count(token >> 4)
        out += data[at:at + plain]
        at += plain
        if at < len(data):
            back = int.from_bytes(data[at:at + 2], "little")
            at += 2
            for _ in range(4 + count(token & 15)):
                out.append(out[-back])
    assert len(out) == size, f"{len(out)} bytes, not {size}"
    return bytes(out)


def hierarchy(path):
    data, at = path.read_bytes(), 0
    while at < len(data):
        length = int.from_bytes(data[at + 1:at + 9], "big")
        body = data[at + 9:at + 1 + length]
        size = int.from_bytes(body[:8], "big")
        if data[at] == GZIP:
            return zlib.decompress(body[8:], 31)
        if data[at] == LZ4:
            return unpack(body[8:], size)
        if data[at] == LZ4_TWICE:
            half = int.from_bytes(body[8:16], "big")
            return unpack(unpack(body[16:], half), size)
        at += 1 + length
    raise ValueError(f"{path}: no list of names; was the file completed?")


def signals(text):
    """{name as GTKWave writes it: bits}"""
    found, scopes, at = {}, [], 0

    def word():
        nonlocal at
        end = text.index(0, at)
        at, start = end + 1, at
        return text[start:end].decode()

    def number():
        nonlocal at
        value = shift = 0
        while True:
            value |= (text[at] & 127) << shift
            shift += 7
            at += 1
            if text[at - 1] < 128:
                return value

    while at < len(text):
        mark = text[at]
        at += 1
        if mark == SCOPE:
            at += 1  # its kind
            scopes.append(word())
            word()
        elif mark == SCOPE_END:
            scopes.pop()
        elif mark == ATTRIBUTE:
            at += 2  # its kinds
            word()
            number()
        elif mark != ATTRIBUTE_END:
            at += 1  # direction
            name = ".".join([*scopes, word()]).replace(" [", "[")
            found[name] = number()
            number()  # of which other signal it is a copy
    return found


def times(path):
    """The first and the last time that the file has, in ns."""
    data = path.read_bytes()
    assert data[0] == HEADER
    return (int.from_bytes(data[9:17], "big"), int.from_bytes(data[17:25], "big"))


def run(fshrun, *words):
    return subprocess.run([fshrun, *words], check=True, capture_output=True,
                          text=True, timeout=90)


def node_names(path):
    return {name.split(".")[0] for name in signals(hierarchy(path))}


def check_job(fshrun, place, program):
    """Complaints about a job and its replay in simulated time."""
    waves, again, tape = place / "job.fst", place / "again.fst", place / "job.rec"
    run(fshrun, "-n", "2", "--conduit", "fpga", "--timeout", "60", "--clock",
        "simulated", "--record", tape, "--waves", waves, "--waves-cycles",
        ":3500", "--waves-nodes", "1", *program)
    begin, end = times(waves)
    # Cycles in which nothing happens are left out; simulated time begins later than
    # the fabric.
    if not 1000 <= (end - begin) / NS <= 3501 or begin < 5000 * NS:
        yield f"a job: from {begin} to {end} ns"
    if node_names(waves) != {"node1"}:
        yield f"a job: waves of {node_names(waves)}"
    run(fshrun, "--replay", tape, "--waves", again, "--waves-cycles", ":3500")
    # A replay looks at all nodes where simulated time begins, a job need not.
    first, last = times(again)
    if first > begin or first < begin - 600 * NS or last != end or \
            node_names(again) != {"node0", "node1"}:
        yield (f"its replay: {first} to {last} ns, not {begin} to {end}, of "
               f"{node_names(again)}")
    plain = run(fshrun, "--replay", tape).stdout
    shown = run(fshrun, "--replay", tape, "--waves", again, "--waves-cycles",
                ":9999999").stdout
    if "hash" not in plain or shown != plain:
        yield f"with waves another run: {plain} {shown}"
    if times(again)[0] != first or times(again)[1] < last:
        yield f"{times(again)} ns, so cycles before simulated time count"
    done = run(fshrun, "--replay", tape, "--waves", again, "--waves-cycles",
               "999999999:")
    if "the run ended before" not in done.stderr:
        yield "nothing is said of a run that has none of the cycles"


def check_cycles(fshrun, place, program):
    """Complaints about a replay with all cycles, counted from the start."""
    waves, tape = place / "all.fst", place / "all.rec"
    run(fshrun, "-n", "2", "--conduit", "fpga", "--timeout", "60", "--record",
        tape, *program)
    for first, last in (3000, 3500), (3000, 3000), (3000, None), (0, 40):
        run(fshrun, "--replay", tape, "--waves", waves, "--waves-cycles",
            f"{first or ''}:{'' if last is None else last}", "--sim-args",
            "--no-jump")
        begin, end = times(waves)
        # The half of a cycle before the edge of the first is that of the edge.
        if begin != max(first * NS - NS // 2, 0):
            yield f"from {first}: begins at {begin} ns"
        if end != last * NS if last is not None else end < 5000 * NS:
            yield f"to {last}: ends at {end} ns"


def check_alone(fshrun, fshsim, place, program):
    """Complaints about a fshsim whose neighbour is missing, as it may be copied."""
    alone, waves = place / "fshsim", place / "none.fst"
    shutil.copy(fshsim, alone)
    done = subprocess.run(
        [fshrun, "-n", "2", "--conduit", "fpga", "--timeout", "60", "--waves",
         waves, *program], env={**os.environ, "FSHMEM_SIM": str(alone)},
        capture_output=True, text=True, timeout=90)
    if done.returncode == 0 and waves.stat().st_size > 10000:
        return # it has them itself
    if f"fshsim-checked, which cannot be executed beside {alone}" not in \
            done.stderr or done.returncode == 0:
        yield f"alone: {done.returncode}, {done.stderr}"


def main():
    fshrun, fshsim, *program = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name)
        waves = place / "x.fst"
        run(fshrun, "-n", "2", "--conduit", "fpga", "--timeout", "60", "--waves",
            waves, *program)
        have = signals(hierarchy(waves))
        wrong = [*check_job(fshrun, place, program),
                 *check_cycles(fshrun, place, program),
                 *check_alone(fshrun, fshsim, place, program)]
    plain = {re.sub(r"\[[\d:]+\]$", "", name) for name in have}
    saved = [line for line in (ROOT / "sim/fshmem.gtkw").read_text().split("\n")
             if re.match(r"[a-z]+\d+\.", line)]
    page = (ROOT / "docs/01_user/waves.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:node|core)\d+\.[\w.]+)`", page)
    missing = [n for n in saved if n not in have]
    missing += [n for n in named if n not in plain]
    print(f"{len(have)} signals, {len(saved)} in the save file, "
          f"{len(named)} on the page")
    print("\n".join(wrong))
    if wrong:
        print("waves: FAILED: not the cycles or nodes that were asked for")
        return 1
    if missing or len(saved) < 30 or len(named) < 10:
        print(f"waves: FAILED: not in the waveforms: {missing}")
        return 1
    print("waves: pass")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""fshrun --report: the page of a job says what its trace says, and what the nodes have
counted, and which records are missing; whatever the program is called; also of a job that fails; nothing is left of
one that is killed. The last line says "job: pass".

usage: job.py FSHRUN EXAMPLES TALKER [fpga]"""
import collections
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import page

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "trace"))
import schema  # noqa: E402

FSHRUN, EXAMPLES = sys.argv[1], pathlib.Path(sys.argv[2])
TALKER = sys.argv[3]  # puts and sends messages until it is ended
FPGA = sys.argv[4:] == ["fpga"]
LONG = EXAMPLES / "06_matmul", "--size", "8192"  # ten seconds at least
NASTY = "<b>&\"x' é"


def fshrun(*words, **more):
    return subprocess.run([FSHRUN, *words], capture_output=True, text=True,
                          timeout=100, **more)


def traced(path):
    """(calls, bytes) of each call and of each pair of ranks, from the trace."""
    calls = collections.defaultdict(lambda: [0, 0])
    pairs = collections.defaultdict(lambda: [0, 0])
    for event in json.loads(path.read_text()):
        if event.get("cat") != "call" or event["ph"] not in "BX":
            continue
        args = event.get("args", {})
        keys = [(calls, event["name"])]
        if "peer" in args:
            keys.append((pairs, (event["pid"], args["peer"])))
        for table, key in keys:
            table[key][0] += 1
            table[key][1] += args.get("bytes", 0)
    return calls, pairs


def look(path):
    html = path.read_text(encoding="utf-8")
    complaints, texts = page.check(path)
    return html, texts, complaints + page.links(html)


def against_trace(place, ranks, *how):
    report, trace = place / "report.html", place / "trace.json"
    done = fshrun("-n", str(ranks), *how, "--report", report, "--trace", trace,
                  EXAMPLES / "05_selfcheck")
    if done.returncode:
        yield f"code {done.returncode}: {done.stderr}"
        return
    html, _, found = look(report)
    yield from found
    calls, pairs = traced(trace)
    shown = {r[0]: r[1:] for r in page.rows(html, "Calls, those")}
    for name, (count, size) in calls.items():
        if (shown[name][0], shown[name][3]) != (str(count), str(size)):
            yield f"{name}: {shown[name]}, not {count} with {size} bytes"
    table = page.rows(html, "from rank to rank")
    for (rank, peer), (count, _) in pairs.items():
        if not table[rank][peer + 1].endswith(f"({count})"):
            yield f"{rank} to {peer}: {table[rank][peer + 1]}, not {count}"
    for row in page.rows(html, "Time of each rank"):
        share = sum(float(cell.split()[0]) for cell in row[2:])
        if abs(share - 100) > 0.25:
            yield f"the time of a rank: {row} is {share} % in all"


def nodes(place):
    """Two runs in simulated time: the same page, but for the machine's time."""
    pages = []
    for i in range(2):
        report = place / f"{i}.html"
        done = fshrun("-n", "2", "--conduit", "fpga", "--clock", "simulated",
                      "--report", report, EXAMPLES / "06_matmul", "--size", "256")
        if done.returncode:
            yield f"code {done.returncode}: {done.stderr}"
            return
        html, texts, found = look(report)
        yield from found
        pages.append(re.sub(r"<dt>(Written|Ended)</dt><dd>.*?</dd>", "", html))
    if pages[0] != pages[1]:
        yield "two runs in simulated time have other pages"
    cores = page.rows(html, "Compute cores, from")
    if len(cores) != 2 or not all(float(c[2].split()[0]) > 80 and c[7] == "34"
                                  for c in cores):
        yield f"compute cores: {cores}"
    links = page.rows(html, "Links and device memory")
    for row in links:
        shares = [float(cell.split()[0]) for cell in row[1:6]]
        if not all(0 <= s <= 100 for s in shares) or shares[0] + shares[2] <= 0 \
                or shares[4] <= 0 or int(row[7]) < 1 or row[8] != "0":
            yield f"links: {row}"
    if len(links) != 2 or "links 30 cycles one way" not in html:
        yield f"links: {links}"


def names(place):
    """The program's name is text; only the page is left."""
    (place / NASTY).mkdir()
    program = place / NASTY / "a<i>"
    shutil.copy(EXAMPLES / "01_hello", program)
    report = place / NASTY / "r.html"
    done = fshrun("-n", "2", "--conduit", "smp", "--report", report, program, NASTY)
    html, texts, found = look(report)
    yield from found
    if done.returncode or sum(f"{program} {NASTY}" in t for t in texts) < 2:
        yield f"the name of the program: {done.stderr}"
    if {p.name for p in (place / NASTY).iterdir()} != {"a<i>", "r.html"}:
        yield f"left: {list((place / NASTY).iterdir())}"


def values(place, *how):
    """What a program records is a curve: the loss of each epoch, as it is printed."""
    report, trace = place / "values.html", place / "values.json"
    done = fshrun("-n", "2", *how, "--report", report, "--trace", trace,
                  EXAMPLES / "08_train", "--epochs", "4", "--width", "32")
    if done.returncode:
        yield f"values: code {done.returncode}: {done.stderr}"
        return
    recorded = [e for e in schema.check(trace) if e.get("cat") == "program"]
    if [(e["ph"], e["pid"], e["name"]) for e in recorded] != [("C", 0, "loss")] * 4:
        yield f"values: {recorded}"
    read = subprocess.run([pathlib.Path(FSHRUN).with_name("fshtrace"), trace],
                          capture_output=True, text=True, timeout=60)
    if read.returncode:
        yield f"values: fshtrace: {read.stderr}"
    html, _, found = look(report)
    yield from found
    printed = re.findall(r"^epoch \d+: loss ([\d.]+)$", done.stdout, re.M)
    rows = page.rows(html, "Values in order")
    if len(printed) != 4 or [r[:3] for r in rows] != [
            ["loss", "0", str(n)] for n in range(1, 5)] or any(
            abs(float(row[3]) - float(loss)) > 1e-5 for row, loss in zip(rows, printed)):
        yield f"values: {rows}, printed {printed}: {done.stderr}"
    if not re.search(r'<figcaption[^>]*>[^<]*loss|<title[^>]*>loss', html):
        yield "values: no figure of the loss"


def refused(place):
    done = fshrun("-n", "2", "--report", place / "none/r.html", "touch", place / "x")
    if done.returncode != 1 or "none/r.html" not in done.stderr or \
            (place / "x").exists():
        yield f"no directory: code {done.returncode}: {done.stderr}"
    for where in place, "", place / ("x" * 300):
        done = fshrun("-n", "2", "--report", where, "touch", place / "x")
        if done.returncode != 1 or (place / "x").exists():
            yield f"--report {where}: code {done.returncode}: {done.stderr}"
    os.mkfifo(place / "pipe")
    (place / "page").touch()
    (place / "link").hardlink_to(place / "page")
    for trace, report in (("pipe", "page"), ("/dev/null", "page"), ("one", "one"),
                          ("link", "page")):
        done = fshrun("-n", "2", "--trace", place / trace, "--report", place / report,
                      "touch", place / "x")
        if done.returncode != 1 or "--report" not in done.stderr or \
                (place / "x").exists():
            yield f"--trace {trace}: code {done.returncode}: {done.stderr}"
    done = fshrun("--replay", "x", "--report", place / "r.html")
    if done.returncode != 2 or "--report" not in done.stderr:
        yield f"a replay: code {done.returncode}: {done.stderr}"


def failing(place):
    report = place / "failed.html"
    done = fshrun("-n", "2", "--report", report, "--timeout", "1", *LONG)
    html, _, found = look(report)
    yield from found
    if done.returncode != 124 or "ended with code 124" not in html or \
            "waiting" not in html:
        yield f"a time limit: code {done.returncode}"


def killed(place):
    """No file, not even an empty one."""
    place = place / "killed"
    place.mkdir()
    job = subprocess.Popen([FSHRUN, "-n", "2", "--report", place / "r.html", *LONG],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(0.3)  # anywhere in the run
    os.kill(job.pid, signal.SIGKILL)
    job.wait(20)
    end = time.monotonic() + 20
    while list(place.iterdir()) and time.monotonic() < end:
        time.sleep(0.1)  # the launcher may be writing the page of a job that failed
        if (place / "r.html").exists() and not look(place / "r.html")[2]:
            return
    if list(place.iterdir()):
        yield f"left: {list(place.iterdir())}"


def child_of(pid):
    """The launcher, of the process that was started."""
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            if int(path.read_text().rpartition(")")[2].split()[1]) == pid:
                return int(path.parent.name)
        except OSError:
            continue
    return None


def dropped(place, *how):
    """Nobody writes for a while, and records are dropped: the page says whose."""
    report, trace = place / "dropped.html", place / "dropped.json"
    job = subprocess.Popen(
        [FSHRUN, "-n", "2", *how, "--timeout", "90", "--report", report, "--trace", trace,
         TALKER, "0"], stderr=subprocess.PIPE, text=True)
    note = '"pid":10000,.*records dropped' if FPGA else "records dropped"
    pause, end = 0.2, time.monotonic() + 60
    try:
        while not (trace.exists() and re.search(note, trace.read_text())):
            if time.monotonic() > end:
                yield "no record is dropped"
                return
            time.sleep(0.1)
            writer = child_of(job.pid)
            if writer:
                os.kill(writer, signal.SIGSTOP)
                time.sleep(pause)
                os.kill(writer, signal.SIGCONT)
                pause = min(2 * pause, 5)
    finally:
        job.terminate()
        said = job.communicate(timeout=30)[1]
    html, texts, found = look(report)
    yield from found
    notes = [e for e in json.loads(trace.read_text())
             if e.get("name") == "records dropped"]
    for nodes, whose in (False, "rank"), (True, "the nodes"):
        count = sum(e["args"]["count"] for e in notes if (e["pid"] >= 10000) == nodes)
        if bool(count) != any(t.startswith(f" {count} records dropped of {whose}") or
                              not nodes and
                              t.startswith(f" {count} records dropped of 2 ranks")
                              for t in texts):
            yield f"{count} records of {whose} dropped: {said}"
    if job.returncode != 128 + signal.SIGTERM or "records were dropped" not in said:
        yield f"code {job.returncode}: {said}"


def main():
    found = []
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name)
        if FPGA:
            found += against_trace(place, 2, "--conduit", "fpga")
            found += nodes(place)
            found += dropped(place, "--conduit", "fpga")
        else:
            found += against_trace(place, 3, "--conduit", "smp")
            found += dropped(place, "--conduit", "smp")
            found += names(place)
            found += values(place, "--conduit", "smp")
            found += refused(place)
            found += failing(place)
            found += killed(place)
    print("\n".join(found))
    print("job: FAILED" if found else "job: pass")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

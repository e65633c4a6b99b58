#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A report of a trace: every sum by hand; traces that are cut, damaged or foreign;
names. The last line says "run: pass".

usage: run.py REPORT_RUN [SEED]"""
import copy
import json
import random
import re
import subprocess
import sys
import tempfile

import page

PROGRAM = sys.argv[1]
NASTY = "<b>&\"x' GASNET_BLOCKUNTIL(a < b && c > \"d\")"


def head(ranks=2, clock="simulated", **more):
    args = {"version": 1, "release": "1", "conduit": "fpga", "ranks": ranks,
            "clock": clock, "mhz": 250} | more
    return {"ph": "M", "pid": 0, "tid": 0, "name": "fshmem_trace", "args": args}


def event(kind, rank, ts, category="", name="", tid=0, **more):
    given = {"ph": kind, "pid": rank, "tid": tid, "ts": ts}
    if category:
        given |= {"cat": category, "name": name}
    return given | more


# Rank 0: 10 us of the program, a call of 30 with a wait of 20 in it and in that a
# handler of 5, 10 of the program, a call of 40 that is still open at the end. Rank 1: a
# wait of 25 for rank 0, a put, and in a second thread a get until 80.
GOOD = [
    head(),
    event("X", 0, 0.0, "call", "gasnet_AMPoll", dur=0.0),
    event("B", 0, 10.0, "call", "gasnet_put", args={"peer": 1, "bytes": 4096}),
    event("B", 0, 15.0, "wait", NASTY, args={"peer": 1, "who": "x"}),
    event("X", 0, 20.0, "handler", "handler 200", dur=5.0, args={"peer": 1}),
    event("E", 0, 35.0), event("E", 0, 40.0),
    event("B", 0, 50.0, "call", "gasnet_exit"),
    event("C", 10000, 3.0, "node", "beats", args={"value": 3}),
    event("X", 1, 5.0, "wait", "gasnet_barrier_wait", dur=25.0, args={"peer": 0}),
    event("X", 1, 40.0, "call", "gasnet_put_nb", dur=10.0,
          args={"peer": 0, "bytes": 1000}),
    event("X", 1, 60.0, "call", "gasnet_get", dur=20.0, tid=1,
          args={"peer": 1, "bytes": 3}),
    event("i", 1, 90.0, "trace", "records dropped", args={"count": 7}),
    event("X", 0, 90.0, "call", "gasnet_late", dur=0.0),
]


def text_of(events, end=True):
    lines = ",\n".join(json.dumps(e) for e in events)
    return f"[\n{lines}" + ("\n]\n" if end else ",\n")


def run(data, command="prog", *more):
    return subprocess.run([PROGRAM, command, *more], input=data, capture_output=True,
                          timeout=60)


def expect(html, caption, wanted):
    found = page.rows(html, caption)
    if found != wanted:
        yield f"{caption}: {found}, not {wanted}"


def check_page(data):
    with tempfile.NamedTemporaryFile(suffix=".html") as file:
        file.write(data)
        file.flush()
        return page.check(file.name)


def sums():
    done = run(text_of(GOOD).encode(), NASTY)
    html = done.stdout.decode()
    yield from check_page(done.stdout)[0]
    yield from page.links(html)
    yield from expect(html, "Time of each rank", [
        ["0", "90.000 us", "55.6 %", "16.7 %", "5.6 %", "22.2 %"],
        ["1", "75.000 us", "13.3 %", "33.3 %", "0.0 %", "53.3 %"]])
    waits = page.rows(html, "Waits by cause")
    if [w[0:1] + w[2:] for w in waits] != [
            ["1", "0", "1", "25.000 us", "33.3 %"],
            ["0", "1", "1", "15.000 us", "16.7 %"]]:
        yield f"waits: {waits}"
    if sum(NASTY in t for t in check_page(done.stdout)[1]) < 3:
        yield "the names are not what a reader sees"
    calls = {r[0]: r[1:] for r in page.rows(html, "Calls, those")}
    if calls["gasnet_put"] != ["1", "30.000 us", "30.000 us", "4096"]:
        yield f"calls: {calls}"
    yield from tables(html, 2, 0)
    waits = over_time(html)["rank 1", "waiting"]  # it is there from 5 to 80 us
    if waits != [None] * 5 + [100] * 25 + [0] * 50 + [None] * 11:
        yield f"a rank that comes late and leaves early: {waits}"
    yield from expect(html, "from rank to rank", [
        ["rank 0", "-", "4K (1)"], ["rank 1", "0.977K (1)", "3 (1)"]])
    yield from expect(html, "by bytes", [
        ["2 to 3", "1", "3"], ["512 to 1023", "1", "1000"],
        ["4 K to 8 K", "1", "4096"]])
    for text in ("rank 1 waited 33 % of its time for gasnet_barrier_wait of rank 0 "
                 "(1 time)", "7 records dropped of rank 1:"):
        if text not in html:
            yield f"no advice: {text}"


def dropped():
    """Whose records are missing, and what to do about it; nothing if none are."""
    def warnings(events):
        html = run(text_of(events).encode()).stdout.decode()
        found = re.findall(r'<p class="advice warning"><strong>Warning:</strong> '
                           r'([^<]*)</p>', html)
        return [w for w in found if "dropped" in w]

    def note(pid, count):
        return event("i", pid, 5.0, "trace", "records dropped",
                     args={"count": count}, s="p")

    calls = [event("X", rank, 1.0, "call", "gasnet_put", dur=1.0) for rank in (0, 1)]
    for conduit, clock, notes, wanted in (
            ("fpga", "wall", [], []),
            ("fpga", "wall", [note(10000, 5), note(10000, 6)],
             [("11 records dropped of the nodes:", "--clock simulated")]),
            ("fpga", "wall", [note(1, 3), note(0, 1), note(10000, 2), note(1, 4)],
             [("8 records dropped of 2 ranks, most of them of rank 1:",
               "--clock simulated"),
              ("2 records dropped of the nodes:", "--clock simulated")]),
            ("smp", "wall", [note(1, 3)],
             [("3 records dropped of rank 1:", "Leave fshrun a processor")]),
            # Of no rank and no simulator.
            ("smp", "wall", [note(2, 3), note(10001, 3), note(-1, 3), note(0, -3)],
             [])):
        found = warnings([head(conduit=conduit, clock=clock), *calls, *notes])
        if len(found) != len(wanted) or not all(
                text in w for w, texts in zip(found, wanted) for text in texts):
            yield f"dropped: {found}, not {wanted}"


def many_nodes():
    """Of what all nodes suffer from the worst case is said, once."""
    html = run(text_of([head(64)]).encode(), "prog", "64", "2").stdout.decode()
    said = re.findall(r"</strong> (port [^<]*)</p>", html)
    if len(said) != 1 or not said[0].startswith(
            "port 1 of node 63 sent in 86 % of all cycles (127 others likewise):"):
        yield f"many nodes: {said}"
    yield from check_page(html.encode())[0]


def ports():
    """All that a node has, and no others: in the table, in the drawing, in advice."""
    for count in (1, 3, 6):
        html = run(text_of([head(2)]).encode(), "prog", "2", str(count)).stdout.decode()
        for row, node in zip(page.rows(html, "Links and device memory"), (0, 1), strict=True):
            wanted = [cell for port in range(count)
                      for cell in (f"{(800 + node + port) / 10} %", "0.0 %")]
            if row != [str(node), *wanted, "0.0 %", "0", "0", "0"]:
                yield f"{count} ports: {row}"
        drawn = set(re.findall(r">link, port (\d)<", html))
        if drawn != {str(port) for port in range(count)}:
            yield f"{count} ports: {drawn} drawn"
        if f"port {count - 1} of node 1 sent in 8" not in html:
            yield f"{count} ports: no advice for the busiest"
        yield from check_page(html.encode())[0]


def strips(html):
    """Heights of the first part of each strip, a bin each, by name."""
    found = {}
    for figure in re.findall(r"<figure>.*?</figure>", html, re.S):
        for name, path in re.findall(r'<text class="s e"[^>]*>([^<]*)</text>\s*'
                                     r'<path class="f0" d="M([^"]*)"', figure):
            points = re.findall(r"[\d.]+ ([\d.]+)H", path)
            half = len(points) // 2
            found[name] = [round((float(points[-1 - i]) - float(points[i])) / 26, 2)
                           for i in range(half)]
    return found


def over_time(html):
    """From the tables: by the name of a strip, of each bin its shares in percent, or
    None where there is nothing."""
    def us(text):
        number, unit = text.split()
        return float(number) * {"us": 1, "ms": 1e3, "s": 1e6}[unit]

    found, width = {}, us(re.search(r"in steps of ([\d.]+ \w+);", html)[1])
    for table in re.findall(r"<details><summary>[^<]* over time</summary>(.*?)"
                            r"</details>", html, re.S):
        heads = re.findall(r'<th scope="col"[^>]*>([^<]*)<', table)[2:]
        for row in page.rows(table, "over time"):
            begin, end = (us(cell) / width for cell in row[:2])
            for name, cell in zip(heads, row[2:], strict=True):
                name = name.replace("Rank", "rank").replace("Node", "node")
                of, state = re.match(r"(\w+ \d+) (.*)", name).groups()
                bins = found.setdefault((of, state), [])
                if len(bins) != round(begin):
                    bins.append(f"a row from {begin}")
                bins += [None if cell == "-" else int(cell.split()[0])] * \
                    round(end - begin)
    return found


def tables(html, ranks, nodes, links=0):
    """What is drawn over time stands in tables as well."""
    found, drawn = over_time(html), strips(html)
    states = {"rank": ("in calls", "waiting", "in handlers", "the program"),
              "node": (*(f"link {link}" for link in range(links)), "memory")}
    wanted = {(f"{what} {i}", state) for what, count in (("rank", ranks), ("node", nodes))
              for i in range(count) for state in states[what]}
    if set(found) != wanted:
        yield f"tables over time: {sorted(found)}"
        return
    for name, shares in drawn.items():
        of, _, use = name.partition(", ")
        cells = found[of, use or "in calls"]
        if len(cells) != len(shares) or not all(
                abs((cell or 0) - 100 * share) <= 1.5
                for cell, share in zip(cells, shares)):
            yield f"{name}: {cells} in the table, {shares} drawn"
    for rank in range(ranks):
        for bin in zip(*(found[f"rank {rank}", state] for state in states["rank"])):
            if None in bin and set(bin) != {None} or \
                    None not in bin and not 0 < sum(bin) <= 102:
                yield f"rank {rank}: {bin} in a bin"


def time_line():
    """960 us: a call, a wait, the program; a link that is busy in the middle."""
    events = [head(1), event("X", 0, 0.0, "call", "gasnet_put", dur=240.0),
              event("X", 0, 240.0, "wait", "x", dur=480.0),
              event("X", 0, 959.0, "call", "gasnet_put", dur=0.9)]
    events += [event("C", 10000, 4.096 * i, "node", "link 0 use (%)",
                     args={"value": 50}) for i in range(100, 125)]
    for links in (3, 6):  # the last of which is told of
        busy = event("C", 10000, 500.0, "node", f"link {links - 1} use (%)",
                     args={"value": 50})
        yield from tables(run(text_of([*events, busy]).encode()).stdout.decode(),
                          1, 1, links)
    html = run(text_of(events).encode()).stdout.decode()
    yield from tables(html, 1, 1, 1)
    yield from expect(html, "Rank 0 over time", [
        ["0.000 us", "240.000 us", "100 %", "0 %", "0 %", "0 %"],
        ["240.000 us", "720.000 us", "0 %", "100 %", "0 %", "0 %"],
        ["720.000 us", "952.000 us", "0 %", "0 %", "0 %", "100 %"],
        ["952.000 us", "960.000 us", "11 %", "0 %", "0 %", "88 %"]])
    found, bins = strips(html), 120  # of 8 us
    calls, link = found["rank 0"], found["node 0, link 0"]
    if len(calls) != bins or calls[:30] != [1] * 30 or set(calls[30:119]) != {0}:
        yield f"calls over time: {calls}"
    if link[52:64] != [0.5] * 12 or set(link[:51] + link[65:]) != {0}:
        yield f"a link over time: {link}"
    yield from check_page(html.encode())[0]


def strangers():
    """A rank that is none gets nothing."""
    events = [head(2), *(event("X", rank, 1.0, "call", "gasnet_put", dur=1.0,
                               args={"peer": peer, "bytes": 8})
                         for rank in (0, 1, 2) for peer in (-1, 0, 2, 3, 1 << 40))]
    yield from expect(run(text_of(events).encode()).stdout.decode(),
                      "from rank to rank", [["rank 0", "8 (1)", "-"],
                                            ["rank 1", "8 (1)", "-"]])
    waits = [event("X", 0, 10.0 * i, "wait", f"wait {i}", dur=9.0 - i,
                   args={"peer": peer})
             for i, peer in enumerate((1, 2, 1 << 40, (1 << 32) + 1, -7))]
    found = page.rows(run(text_of([head(2), *waits]).encode()).stdout.decode(),
                      "Waits by cause, ")
    if [row[2] for row in found] != ["1", "-", "-", "-", "-"]:
        yield f"waits for strangers: {found}"


def nothing():
    """A rank without events, and one in which no time passes."""
    html = run(text_of([head(2), event("X", 0, 3.0, "call", "gasnet_put", dur=0.0)])
               .encode()).stdout.decode()
    yield from check_page(html.encode())[0]
    yield from expect(html, "Time of each rank", [
        ["0", "0.000 us", *["0.0 %"] * 4], ["1", *["-"] * 5]])
    yield from expect(html, "over time", [["0.000 us", "4.000 us", *["-"] * 8]])


def many_ranks():
    """Blocks of ranks; strips of the first only; waits of other ranks as well."""
    events = [head(40)]
    for rank in range(40):
        events.append(event("X", rank, 0.0, "wait", "gasnet_barrier_wait",
                            dur=1e6 + rank))
        events.append(event("X", rank, 2e6, "call", "gasnet_put", dur=10.0,
                            args={"peer": 39 - rank, "bytes": 1 << 20}))
    html = run(text_of(events).encode()).stdout.decode()
    found = page.rows(html, "from rank to rank")
    if len(found) != 14 or found[0][0] != "0 to 2" or found[13][0] != "rank 39" or \
            found[0][-1] != "1M (1)" or found[0][-2] != "2M (2)":
        yield f"blocks: {found}"
    yield from tables(html, 32, 0)
    if "so did 39 other ranks" not in html or "ranks 0 to 31" not in html:
        yield "not of all ranks"
    yield from check_page(html.encode())[0]


def values():
    """Values of programs: a curve for each name, with a line for each rank, and every
    figure in a table; thinned out where there are many; extremes and damage."""
    def value(rank, number, name="loss <&>"):
        return event("C", rank, 1.0, "program", name, args={"value": number})

    given, shown = [[3.5, 0.25, 0.125], [-2, 7]], "loss &lt;&amp;&gt;"
    html = run(text_of([head(), value(0, 3.5), value(1, -2), value(0, 0.25), value(1, 7),
                        value(0, 0.125), value(2, 9)]).encode()).stdout.decode()
    yield from expect(html, "Values of the program", [
        [shown, str(rank), str(len(v)), f"{v[0]:g}", f"{min(v):g}", f"{max(v):g}", f"{v[-1]:g}"]
        for rank, v in enumerate(given)])
    yield from expect(html, "Values in order", [
        [shown, str(rank), str(i + 1), f"{x:g}"] for rank, v in enumerate(given)
        for i, x in enumerate(v)])
    if html.count('<path class="line k') != 2:
        yield "values: not one curve with two lines"
    yield from check_page(html.encode())[0]
    # 1000 are thinned out by 16; the last is there.
    html = run(text_of([head(), *(value(0, n, "n") for n in range(1, 1001))]).encode()
               ).stdout.decode()
    yield from expect(html, "Values of the program", [["n", "0", "1000", "1", "1", "1000",
                                                       "1000"]])
    yield from expect(html, "Values in order", [
        ["n", "0", str(n), str(n)] for n in [*range(1, 1001, 16), 1000]])
    # Beyond all axes, and so many series that not all are kept.
    wild = [0, 5e-324, 1e-300, 1e99, -1e99, 1e300, 3, 3 + 1e-15]
    for first in range(len(wild)):
        done = run(text_of([head(), *(value(0, n, "w") for n in wild[first:first + 2])]).encode())
        yield from check_page(done.stdout)[0]
    html = run(text_of([head(), *(value(0, 1, f"s{n}") for n in range(40))]).encode()
               ).stdout.decode()
    if len(page.rows(html, "Values of the program")) != 32 or \
            "8 values are left out" not in html:
        yield "values: 40 series"
    if "Values of the program" in run(text_of(GOOD).encode()).stdout.decode():
        yield "values: a section without any"


def cut():
    whole = text_of(GOOD)
    for n in range(0, len(whole), 7):
        done = run(whole[:n].encode())
        if done.returncode == 0:
            complaints, texts = check_page(done.stdout)
            yield from (f"cut at {n}: {c}" for c in complaints)
            if n < len(whole) - 2 and not any("its end missing" in t for t in texts):
                yield f"cut at {n}: not said"
        elif done.returncode != 1 or b"no trace" not in done.stderr:
            yield f"cut at {n}: code {done.returncode}"


def foreign():
    for data in (b"", b"[", b"[\n]\n", b"{}", b"\x7fELF" * 100, b"[\n{}\n]\n",
                 text_of(GOOD[1:]).encode(), text_of([head(version=2)]).encode(),
                 text_of([head(0)]).encode(), text_of([head(-1)]).encode(),
                 text_of([head(1 << 40)]).encode(), text_of([head("2")]).encode()):
        done = run(data)
        if done.returncode != 1 or done.stdout:
            yield f"{data[:60]!r}: code {done.returncode}"


def damaged(seed):
    """No trace makes it fail, or write a page that is none."""
    dice = random.Random(seed)
    values = [-1, -1 << 63, 0, 1e30, -1e300, 1 << 62, None, "x", [], {}, True, 1e-9, 1023, 256]
    for number in range(150):
        events = json.loads(json.dumps(GOOD))
        for _ in range(dice.randint(1, 6)):
            e = dice.choice(events[1:])
            into = e["args"] if isinstance(e.get("args"), dict) and \
                dice.random() < 0.4 else e
            into[dice.choice([*e, "bytes", "peer"])] = \
                copy.deepcopy(dice.choice(values))
            if dice.random() < 0.3:
                events.insert(dice.randint(1, len(events)), copy.deepcopy(dice.choice(events[1:])))
        done = run(text_of(events).encode())
        complaints = check_page(done.stdout)[0] if done.returncode == 0 else \
            [f"code {done.returncode}: {done.stderr.decode()[-2000:]}"]
        yield from (f"seed {seed}, case {number}: {c}" for c in complaints)


def main():
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 30)
    print(f"seed {seed}")
    found = [*sums(), *dropped(), *time_line(), *strangers(), *nothing(), *many_ranks(), *many_nodes(), *ports(),
             *values(), *cut(), *foreign(), *damaged(seed)]
    print("\n".join(found[:20]))
    print("run: FAILED" if found else "run: pass")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a file of fshrun --trace must be: docs/02_reference/traces.md, as checks.

usage: schema.py FILE
"""
import collections
import json
import sys

NODES = 10000
KEYS = {
    "M": {"args", "name"},
    "X": {"ts", "dur", "cat", "name", "args"},
    "B": {"ts", "cat", "name", "args"},
    "E": {"ts"},
    "s": {"ts", "cat", "name", "id"},
    "f": {"ts", "cat", "name", "id", "bp"},
    "t": {"ts", "cat", "name", "id"},
    "C": {"ts", "cat", "name", "args"},
    "i": {"ts", "cat", "name", "args", "s"},
}
CATEGORIES = {"call", "handler", "wait", "node", "message", "transfer", "trace",
              "retry", "program"}
ARGS = {"call": {"peer", "bytes"}, "handler": {"peer", "bytes"},
        "wait": {"peer", "who"}, "node": {"peer", "bytes"},
        "retry": {"peer"}, "trace": {"count"}}


def load(path):
    """The events of a file: whole, or cut short after a whole line."""
    with open(path) as file:
        text = file.read()
    assert text.startswith("[\n"), "no array"
    whole = text.endswith("\n]\n")
    if whole:
        return json.loads(text), True
    lines = text.split("\n")
    if not lines[-1].endswith("}"):
        lines.pop()
    return json.loads("\n".join(lines).rstrip(",\n") + "]"), False


def check_event(event):
    kind = event["ph"]
    assert kind in KEYS, event
    may = {"args"} if kind == "s" else set()
    assert set(event) - may == KEYS[kind] | {"ph", "pid", "tid"}, event
    if kind == "s" and "args" in event:
        assert set(event["args"]) == {"after"} and event["args"]["after"] > 0, event
    assert isinstance(event["pid"], int) and isinstance(event["tid"], int), event
    if kind == "M":
        return
    assert event["ts"] >= 0 and event.get("dur", 0) >= 0, event
    if kind == "E":
        return
    assert event["cat"] in CATEGORIES and event["name"], event
    if kind in "XBi":
        assert set(event["args"]) <= ARGS[event["cat"]], event


def ns(time):
    return round(time * 1000)


def check_nesting(events):
    """Slices of a track lie in one another or apart."""
    tracks = collections.defaultdict(list)
    for event in events:
        if event["ph"] in "XBE":
            tracks[event["pid"], event["tid"]].append(event)
    left_open = 0
    for track, own in tracks.items():
        spans, stack = [], []
        for event in own:
            if event["ph"] == "X":
                spans.append((ns(event["ts"]), ns(event["ts"]) + ns(event["dur"])))
            elif event["ph"] == "B":
                stack.append(event)
            else:
                assert stack, f"an end without a beginning: {event}"
                spans.append((ns(stack.pop()["ts"]), ns(event["ts"])))
        left_open += len(stack)
        spans.sort(key=lambda span: (span[0], -span[1]))
        outer = []
        for start, end in spans:
            while outer and outer[-1] <= start:
                outer.pop()
            assert not outer or end <= outer[-1], \
                f"track {track}: slices overlap at {start} ns"
            outer.append(end)
    return left_open


def check_flows(events, whole):
    """Every message that was sent has one handler, not before it was sent."""
    sent, came, passed = {}, {}, set()
    for event in events:
        if event["ph"] == "t":
            passed.add(event["id"])
        elif event["ph"] in "sf" and event["cat"] == "message":
            side = sent if event["ph"] == "s" else came
            assert event["id"] not in side, event
            side[event["id"]] = event
    if whole:
        assert set(sent) == set(came), set(sent) ^ set(came)
    for flow in set(sent) & set(came):
        assert sent[flow]["ts"] <= came[flow]["ts"], (sent[flow], came[flow])
    ids = {event["id"] for event in events if event["ph"] == "s"}
    assert not whole or passed <= ids, passed - ids
    if whole and passed:  # in simulated time: over which links
        assert passed & set(came), "no message passes a link"


def check_use(events):
    """Counters that are percents are; there are so many slots."""
    for event in events:
        if event["ph"] == "C":
            assert set(event["args"]) == {"value"}, event
            name, value = event["name"], event["args"]["value"]
            if event["cat"] == "program":
                assert event["pid"] < NODES and isinstance(value, (int, float)), event
                continue
            assert name.endswith((" (cycles)", " (commands)")) or \
                0 <= value <= (16 if name.startswith("AM slots") else 100), event


def tracks(events, node):
    """Names of the tracks of a node, by number."""
    return {event["tid"]: event["args"]["name"] for event in events
            if event["ph"] == "M" and event["name"] == "thread_name"
            and event["pid"] == NODES + node}


def check_tracks(events):
    """What a node does is on a track with a name."""
    named = {}
    for event in events:
        node = event["pid"] - NODES
        if node >= 0 and event["ph"] in "XBE":
            if node not in named:
                named[node] = tracks(events, node)
            assert event["tid"] in named[node], f"a track without a name: {event}"


def check(path, whole=True, dropped=False):
    """Check a file and return its events."""
    events, complete = load(path)
    assert complete or not whole, "the array does not end"
    first = events[0]
    assert first["name"] == "fshmem_trace" and first["args"]["version"] == 1, first
    for event in events:
        check_event(event)
    lost = sum(event["name"] == "records dropped" for event in events
               if event["ph"] == "i")
    assert dropped or not lost, "records were dropped"
    if not lost:
        still_open = check_nesting(events)
        assert not whole or not still_open, f"{still_open} slices do not end"
        check_flows(events, whole)
        check_use(events)
        check_tracks(events)
    names = {event["args"]["name"] for event in events
             if event["name" if event["ph"] == "M" else "ph"] == "process_name"}
    assert {f"rank {r}" for r in range(first["args"]["ranks"])} <= names, names
    return events


if __name__ == "__main__":
    found = check(sys.argv[1])
    print(f"{sys.argv[1]}: {len(found)} events")

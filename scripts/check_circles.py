#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Finds dependency cycles of more than LIMIT files of src/.

Two graphs. Includes: a node is a module, x.c with x.h, an edge an #include. Calls: a
node is a .c file, an edge a function that it calls (an undefined symbol of its object)
and the other defines; all flavours of a file together. Calls through a table of
functions or a registered pointer are not edges: that is how to break a cycle. Prints
each cycle, and each edge with its cause; exit 1 if there is any.

usage: check_circles.py BUILD [--limit N] [--all]
"""
import argparse
import collections
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMIT = 4
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def components(graph):
    """The strongly connected components of more than one node (Tarjan)."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for to in graph.get(node, ()):
            if to not in index:
                visit(to)
            if to in stack:
                low[node] = min(low[node], low[to])
        if low[node] == index[node]:
            cut = stack.index(node)
            found.append(sorted(stack[cut:]))
            del stack[cut:]

    sys.setrecursionlimit(10000)
    for node in sorted(graph):
        if node not in index:
            visit(node)
    return [c for c in found if len(c) > 1]


def includes(src):
    """{module: {module: names of headers}}."""
    graph = collections.defaultdict(lambda: collections.defaultdict(set))
    for source in sorted(src.rglob("*.[ch]")):
        me = str(source.relative_to(src).with_suffix(""))
        for name in INCLUDE.findall(source.read_text(encoding="utf-8")):
            for base in (source.parent, src):
                target = (base / name).resolve()
                if target.is_file() and target.is_relative_to(src):
                    other = str(target.relative_to(src).with_suffix(""))
                    if other != me:
                        graph[me][other].add(target.name)
                    break
    return graph


def objects(build, src):
    """{.c file relative to src: its objects}, as the build tree has been told."""
    found = collections.defaultdict(list)
    with open(build / "compile_commands.json", encoding="utf-8") as file:
        for entry in json.load(file):
            path = pathlib.Path(entry["file"])
            if path.suffix != ".c" or not path.is_relative_to(src):
                continue
            words = shlex.split(entry["command"])
            made = pathlib.Path(entry["directory"], words[words.index("-o") + 1])
            if made.is_file():
                found[str(path.relative_to(src))].append(made)
    return found


def calls(build, src):
    """{file: {file: functions}}."""
    made = objects(build, src)
    if not made:
        sys.exit(f"check_circles: {build} has no objects of {src}: build it first")
    defined, wanted = {}, collections.defaultdict(set)
    for source, outputs in sorted(made.items()):
        for output in outputs:
            text = subprocess.run([os.environ.get("NM", "nm"), "-P", output], text=True,
                                  check=True, stdout=subprocess.PIPE).stdout
            for line in text.splitlines():
                name, kind = line.split()[:2]
                if kind in "TW":
                    defined[name] = source
                elif kind == "U":
                    wanted[source].add(name)
    graph = collections.defaultdict(lambda: collections.defaultdict(set))
    for source, names in wanted.items():
        for name in names:
            if defined.get(name, source) != source:
                graph[source][defined[name]].add(name)
    return graph


def report(what, graph, limit, everything):
    """Prints the circles of a graph; how many are too large."""
    bad = 0
    for circle in sorted(components(graph), key=len):
        too_large = len(circle) > limit
        bad += too_large
        if not too_large and not everything:
            continue
        print(f"{what}: a circle of {len(circle)} files"
              f"{f', at most {limit} may be' if too_large else ''}: "
              f"{', '.join(circle)}")
        for node in circle:
            for to in sorted(graph[node]):
                if to in circle:
                    print(f"    {node} -> {to}: {', '.join(sorted(graph[node][to]))}")
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--limit", type=int, default=LIMIT)
    parser.add_argument("--all", action="store_true", help="the small ones, too")
    parser.add_argument("--src", type=pathlib.Path, default=ROOT / "src")
    args = parser.parse_args()
    src = args.src.resolve()
    bad = report("includes", includes(src), args.limit, args.all)
    bad += report("calls", calls(args.build.resolve(), src), args.limit, args.all)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

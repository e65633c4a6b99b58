#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Includes point downward only, through the layers below. No conduit includes
another, and public headers include public headers only. Prints each violation;
exit 1 if there is any."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Folders of src/, lowest first.
LAYERS = ["base", "gasnet_tools", "compute/number", "coll/fold", "coll/wire", "coll/program",
          "coll/direct", "coll/card", "compute/kernel", "compute/execute", "boot", "network", "device", "conduit", "compute/submit", "bridge", "gasnet",
          "compute/api", "coll/api"]
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def level(path):
    """Layer number of a path relative to src/, or None."""
    for folder in (path.parts[0], "/".join(path.parts[:2])):
        if folder in LAYERS:
            return LAYERS.index(folder)
    return None


def conduit_of(path):
    """Name of the conduit whose folder a path relative to src/ is in."""
    parts = path.parts
    return parts[1] if parts[0] == "conduit" and len(parts) > 2 else None


def resolve(source, name):
    """Where an include lands, relative to src/, or None if outside it."""
    for base in (source.parent, ROOT / "src"):
        target = (base / name).resolve()
        if target.is_file() and target.is_relative_to(ROOT / "src"):
            return target.relative_to(ROOT / "src")
    return None


def check_source(source):
    me = source.relative_to(ROOT / "src")
    for name in INCLUDE.findall(source.read_text()):
        target = resolve(source, name)
        if target is None:
            continue
        if level(target) > level(me):
            yield f"{source.relative_to(ROOT)} includes {name}, a layer above it"
        mine, theirs = conduit_of(me), conduit_of(target)
        if theirs and mine != theirs and (mine or level(me) == level(target)):
            yield f"{source.relative_to(ROOT)} includes {name}, of another conduit"


def check_public(header):
    for name in INCLUDE.findall(header.read_text()):
        if not (header.parent / name).is_file() and \
                not (ROOT / "include" / name).is_file():
            yield f"{header.relative_to(ROOT)} includes {name}, not a public header"


def main():
    found = []
    for source in sorted((ROOT / "src").rglob("*.[ch]")):
        if level(source.relative_to(ROOT / "src")) is None:
            found.append(f"{source.relative_to(ROOT)}: not in a layer ({LAYERS})")
            continue
        found += check_source(source)
    for header in sorted((ROOT / "include").rglob("*.h")):
        found += check_public(header)
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks for ambiguous names (docs/03_developer/glossary.md): conduits by name
above their table, and folders, files and identifiers with overloaded words. Prints
each finding; exit 1 if there is any."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CODE = {".c", ".h", ".cpp", ".sv", ".svh"}
# Folder or file names that mean nothing, or the same as another one.
OVERLOADED = {"core", "line", "tools", "util", "utils", "misc", "helper", "helpers"}
ALLOWED = {"tools"}  # the folder of the programs, at the top
IDENTIFIERS = [
    (r"\bfsh_core_\w+", "core: say gasnet or compute"),
    (r"\bFSH_CORE_\w+", "core: say GASNET or COMPUTE"),
    (r"\bfsh_(?!fpga_)\w*windows?(_\w+)?\b",
     "window: the submission window only; say segment or limit"),
]
# Nothing above the conduit table compares names.
ABOVE = ["src/base", "src/boot", "src/gasnet", "src/compute", "src/gasnet_tools"]


def places():
    for top in ("src", "sim", "tools", "hw", "include"):
        for path in sorted((ROOT / top).rglob("*")):
            if "build" not in path.parts and "__pycache__" not in path.parts:
                yield path.relative_to(ROOT)


def check_path(path):
    if path.stem in OVERLOADED and str(path) not in ALLOWED:
        yield f"{path}: a name that could mean several things"


def conduits():
    """Names in the tables src/conduit/*/: .name = "..."."""
    for source in (ROOT / "src/conduit").rglob("*.c"):
        yield from re.findall(r'fsh_conduit_\w+ = \{\s*\.name = "(\w+)"',
                              source.read_text())


def check_text(path, names):
    above = any(path.is_relative_to(folder) for folder in ABOVE)
    for number, line in enumerate((ROOT / path).read_text().splitlines(), 1):
        for pattern, why in IDENTIFIERS:
            for found in re.finditer(pattern, line):
                yield f"{path}:{number}: {found.group(0)}: {why}"
        if above:
            for name in names:
                if f'"{name}"' in line:
                    yield (f"{path}:{number}: conduit \"{name}\" by name: ask for "
                           "what it can do (conduit.h)")


def main():
    names = sorted(set(conduits()))
    found = [] if names else ["no conduit found: has their table changed its form?"]
    for path in places():
        found += check_path(path)
        if path.suffix in CODE and (ROOT / path).is_file():
            found += check_text(path, names)
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

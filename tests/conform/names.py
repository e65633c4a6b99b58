#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compile a use of every name in the file `names` in every thread mode.

    names.py <include directory> <compiler> <language> [options...]

A name may be a macro, a function, an object or a type. Programs ask for these,
whether a specification has them or not.
"""
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def names():
    """Section -> names; base{a,b} is basea baseb."""
    sections, current = {}, None
    for line in (HERE / "names").read_text(encoding="utf-8").splitlines():
        words = line.split("#")[0].split()
        if words and words[0].startswith("["):
            current = sections.setdefault(words[0].strip("[]"), [])
            continue
        for word in words:
            base, _, rest = word.partition("{")
            ends, _, tail = rest.partition("}")
            current += [base + end + tail for end in ends.split(",")]
    return sections


def program(headers, wanted):
    lines = [f"#include <{header}>" for header in headers]
    for number, name in enumerate(wanted):
        lines += [f"#ifndef {name}",
                  f"typedef __typeof__({name}) name_{number};", "#endif"]
    return "\n".join(lines) + "\n"


def missing(command, headers, wanted, mode):
    """What the compiler says of a program with all names; empty if nothing."""
    run = subprocess.run([*command, f"-DGASNET_{mode}", "-fsyntax-only", "-"],
                         input=program(headers, wanted), text=True, check=False,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return [] if run.returncode == 0 else [
        f"{mode}: {line}" for line in run.stdout.splitlines()
        if re.search(r"error:", line)]


def main():
    include, compiler, language, *options = sys.argv[1:]
    command = [compiler, "-x", language, f"-I{include}", *options]
    sections, faults = names(), []
    every = [name for section in sections.values() for name in section]
    for mode in ("SEQ", "PARSYNC", "PAR"):
        faults += missing(command, ["gasnet.h"], sections["gasnet.h"], mode)
        faults += missing(command, ["gasnet.h", "gasnet_vis.h", "gasnet_coll.h",
                                    "gasnet_tools.h", "gasnetex.h", "fshmem.h"],
                          every, mode)
    if not missing(command, ["gasnet.h"], ["gasnet_no_such_name"], "SEQ"):
        faults.append("a name that does not exist goes unnoticed")
    for fault in faults:
        print(fault)
    print(f"{len(every)} names, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Check that every rule of docs/02_reference/gasnet.md and gasnet-tools.md has a
test.

Fails on a rule that INDEX does not map, an entry of INDEX for a rule that is
not on the pages, a rule that stands twice, a test that does not exist, and a
program in this directory that no rule mentions.
"""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
PAGES = [HERE.parents[1] / "docs" / "02_reference" / name
         for name in ("gasnet.md", "gasnet-tools.md")]
RULE = re.compile(r"^- \*\*(R-[A-Z]+-\d+)\*\*")
HELPERS = {"run", "check_index"}


def page_rules(faults):
    rules = []
    for page in PAGES:
        before = len(rules)
        for line in page.read_text(encoding="utf-8").splitlines():
            match = RULE.match(line)
            if match:
                if match[1] in rules:
                    faults.append(f"{page.name}: rule {match[1]} stands twice")
                rules.append(match[1])
        if len(rules) == before:
            faults.append(f"{page}: no rules found")
    return rules


def index_entries(faults):
    """Rule -> names of tests. Lines: R-XX-NN  test test ..."""
    entries = {}
    for number, line in enumerate(
            (HERE / "INDEX").read_text(encoding="utf-8").splitlines(), 1):
        words = line.split("#")[0].split()
        if not words:
            continue
        rule, tests = words[0], words[1:]
        if rule in entries:
            faults.append(f"INDEX:{number}: {rule} stands twice")
        if not tests:
            faults.append(f"INDEX:{number}: {rule} names no test")
        entries[rule] = tests
    return entries


def scenarios(source, cmake, function):
    """Scenarios that a program has AND that its .cmake file runs."""
    program = set(re.findall(r'\{\s*"([a-z-]+)",', (HERE / source).read_text()))
    run = set(re.findall(rf"^{function}\(([a-z-]+)", (HERE / cmake).read_text(),
                         re.M))
    return program & run


def flavour_tests():
    """What flavours.cmake adds: programs, and runs of programs in other ways."""
    text = (HERE / "flavours.cmake").read_text(encoding="utf-8")
    names = set(re.findall(r"^conform_flavour_program\(\w+ \w+ (\w+)\.c ", text,
                           re.M))
    names |= {f"mismatch:{headers}-{library}" for headers, library in
              re.findall(r"^mismatch_test\((\w+) (\w+)", text, re.M)}
    served = re.search(r"^set\(served ([^)]*)\)", text, re.M)
    return names | {f"served:{name}" for name in served[1].split()}


def existing_tests():
    """Every name INDEX may use."""
    cmake = (HERE / "CMakeLists.txt").read_text(encoding="utf-8")
    built = set(re.findall(r"[a-z_0-9]+", cmake))
    names = {p.stem for pattern in ("*.c", "*.cc") for p in HERE.glob(pattern)
             if p.stem in built}
    names |= {f"exit_job:{s}" for s in
              scenarios("exit_job.c", "exit.cmake", "exit_test")}
    names |= {f"fatal_error:{s}" for s in
              scenarios("fatal_error.c", "fatal.cmake", "fatal_test")}
    names |= {f"{p}:{s}" for p in ("misuse", "misuse_coll") for s in
              scenarios(f"{p}.c", "flavours.cmake", f"{p}_test")}
    names |= flavour_tests()
    if "include(headers.cmake)" in cmake:
        names |= {f"header:{m}" for m in re.findall(
            r"header_test\((\w+) ", (HERE / "headers.cmake").read_text())}
        names |= {"header:languages", "header:tools", "header:names"}
    names |= {f"unit:{p.stem}" for p in (HERE.parent / "unit").glob("*.c")}
    return names


def main():
    faults = []
    rules = page_rules(faults)
    entries = index_entries(faults)
    tests = existing_tests()
    for rule in rules:
        if rule not in entries:
            faults.append(f"{rule} is mapped to no test in INDEX")
    for rule, names in entries.items():
        if rule not in rules:
            faults.append(f"INDEX maps {rule}, which no page has")
        for name in names:
            if name not in tests:
                faults.append(f"INDEX: {rule} names {name}, which does not exist")
    mentioned = {n.split(":")[0] for names in entries.values() for n in names}
    for pattern in ("*.c", "*.cc"):
        for program in HERE.glob(pattern):
            if program.stem not in mentioned | HELPERS:
                faults.append(f"{program.name} is in no line of INDEX")
    for fault in faults:
        print(fault)
    if not faults:
        print(f"{len(rules)} rules, each with a test")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

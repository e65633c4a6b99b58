#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The manual pages of the tools: each option has an entry of its own, and those of
a benchmark stand indented below it. Each call of fshmem.h and of what it includes
beside GASNet has a page. The last line says "man: pass".

usage: test_man.py DIRECTORY-OF-PAGES PROGRAM...
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Wrong(Exception):
    pass


def plain(line):
    return re.sub(r"\\f[BIR]", "", line).replace("\\-", "-")


def entries(page):
    """(depth, tag, text) of each .TP."""
    found, depth, lines = [], 0, page.read_text().split("\n")
    for number, line in enumerate(lines):
        depth += (line[:3] == ".RS") - (line[:3] == ".RE")
        if line == ".TP":
            text = []
            for more in lines[number + 2:]:
                if more.startswith("."):
                    break
                text.append(plain(more))
            found.append((depth, plain(lines[number + 1]), text))
    if depth != 0:
        raise Wrong(f"{page.name}: .RS without .RE")
    return found


def options(program):
    """(indent, words before the help) of the lines of --help that are options."""
    text = subprocess.run([program, "--help"], check=True, timeout=20,
                          stdout=subprocess.PIPE, text=True).stdout
    for line in text.split("\n"):
        hit = re.match(r"( {2,6})(-\S.*?)(?: {2,}\S.*)?$", line)
        if hit:
            yield len(hit[1]), hit[2]


def check_tool(pages, program):
    name = pathlib.Path(program).name
    have = entries(pages / "man1" / f"{name}.1")
    tags = [tag for _, tag, _ in have]
    count = 0
    for _, option in options(program):
        # What stands behind a long name is one blank away from its value.
        if not any(option == tag or option.startswith(tag + " ")
                   for tag in tags):
            raise Wrong(f"{name}(1): no entry of '{option}' in {tags}")
        count += 1
    for _, tag, text in have:
        stray = [line for line in text if re.match(r"--?[a-z]", line)]
        if stray or not text:
            raise Wrong(f"{name}(1): the text of '{tag}' is {text}")
    if name == "fshperf":
        commands = [tag for depth, tag, _ in have if depth == 0 and tag[0] != "-"]
        nested = [tag for depth, tag, _ in have if depth == 1]
        if "paper" not in commands or "--brief" not in nested or \
                any(tag[0] != "-" for tag in nested):
            raise Wrong(f"fshperf(1): {commands} and below them {nested}")
    if count < 3:
        raise Wrong(f"{name} --help: {count} options")
    return count


def check_calls(pages):
    calls = set()
    for header in (ROOT / "include").glob("fshmem*.h"):
        code = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
        calls |= set(re.findall(r"\b(fshmem_\w+)\(", code))
    for call in sorted(calls):
        page = pages / "man3" / f"{call}.3"
        if not page.exists():
            raise Wrong(f"there is no {call}(3)")
        target = re.fullmatch(r"\.so (man3/\S+)\n", page.read_text())
        text = (pages / target[1] if target else page).read_text()
        if f"{call}(" not in plain(text):
            raise Wrong(f"{call}(3) does not say what it is")
    if len(calls) < 40:
        raise Wrong(f"{len(calls)} calls in the headers")


def main():
    pages = pathlib.Path(sys.argv[1])
    try:
        check_calls(pages)
        counts = [check_tool(pages, program) for program in sys.argv[2:]]
    except Wrong as wrong:
        print(f"man: FAILED: {wrong}")
        return 1
    print(f"man: pass ({sum(counts)} options)")
    return 0


if __name__ == "__main__":
    sys.exit(main())

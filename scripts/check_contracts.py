#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Headers that are contracts say what each of their functions does: a prototype, or
a function pointer of a table, stands under a comment of its own or of its group
(lines without a blank one between them). In the headers of gasnet.h the comment
also names the rules it keeps ([R-...], docs/02_reference/gasnet.md). Prints each
finding; exit 1 if there is any."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CONTRACTS = ["include/fshmem.h", "src/conduit/conduit.h", "src/device/device.h",
             "src/boot/boot.h", "src/boot/job.h", "src/compute/submit/submit.h",
             "src/compute/execute/execute.h", "src/compute/kernel/kernels.h"]
RULED = []
RULE = re.compile(r"R-[A-Z]+-\d+")


def rules():
    """All rules of the reference page."""
    text = (ROOT / "docs/02_reference/gasnet.md").read_text()
    return set(re.findall(r"^- \*\*(R-[A-Z]+-\d+)\*\*", text, re.M))


def groups(text):
    """Blocks of lines between blank ones: (number of the first line, lines)."""
    lines, start = [], 1
    for number, line in enumerate(text.splitlines() + [""], 1):
        if line.strip():
            if not lines:
                start = number
            lines.append(line)
        elif lines:
            yield start, lines
            lines = []


FUNCTION = re.compile(r"^\s*(?!typedef|return|#|static inline|\*|/)[\w*\s]+?"
                      r"(?:\(\*(\w+)\)|\b(\w+))\(.*$")


def functions(lines):
    """(index, name) of each prototype or pointer that begins in these lines."""
    depth = 0
    comment = False
    for index, line in enumerate(lines):
        code = line
        if comment or code.lstrip().startswith("/*"):
            comment = "*/" not in code
            continue
        found = FUNCTION.match(code) if depth == 0 else None
        if found and not code.rstrip().endswith("\\"):
            yield index, found.group(1) or found.group(2)
        depth += code.count("(") - code.count(")")


def check(header, ruled, known):
    for start, lines in groups((ROOT / header).read_text()):
        named = list(functions(lines))
        if not named or "{" in lines[-1] and "inline" in lines[0]:
            continue
        first = named[0][0]
        above = "\n".join(lines[:first])
        if "/*" not in above and "/*" not in lines[first]:
            yield f"{header}:{start + first}: {named[0][1]}: no word about it"
        if ruled:
            said = set(RULE.findall("\n".join(lines)))
            if not said:
                yield f"{header}:{start + first}: {named[0][1]}: names no rule"
            for rule in sorted(said - known):
                yield f"{header}:{start + first}: there is no rule {rule}"


def main():
    known = rules()
    found = []
    for header in CONTRACTS:
        found += check(header, False, known)
    for header in RULED:
        found += check(header, True, known)
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

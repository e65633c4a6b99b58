#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compare what the public headers declare with what a library offers.

    exports.py <include directory> <compiler> <library> [<header>...] [-D...]

Every function and object that the headers declare, in any thread mode, must be
one that programs can link: macros and inline functions reference no others. A
shared library, in turn, exports nothing that no header declares. The last line
says "exports: pass".
"""
import pathlib
import re
import subprocess
import sys

# What the headers look at; a thread sanitizer's macro changes fences.
MODES = tuple([f"-DGASNET_{mode}", *more] for mode in ("SEQ", "PARSYNC", "PAR")
              for more in ([], ["-D__SANITIZE_THREAD__"]))
TOOLS_MODES = (["-DGASNETT_THREAD_SINGLE"], ["-DGASNETT_THREAD_SAFE"],
               ["-DGASNETT_THREAD_SAFE", "-D__SANITIZE_THREAD__"])
WORD = re.compile(r"[A-Za-z_]\w*")
ATTRIBUTE = re.compile(r"__attribute__|__asm__|__extension__")


def run(command, text=""):
    return subprocess.run(command, input=text, text=True, check=True,
                          stdout=subprocess.PIPE).stdout


def preprocessed(include, compiler, headers, options):
    """What stands in the headers of `include` itself."""
    text = "".join(f"#include <{header}>\n" for header in headers)
    out = run([compiler, "-E", "-x", "c", f"-I{include}", *options, "-"], text)
    own, kept = False, []
    for line in out.splitlines():
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            path = pathlib.Path(marker.group(1))
            own = path.exists() and include in path.resolve().parents
        elif own and not line.startswith("#"):
            kept.append(line)
    return "\n".join(kept)


def without(text, opening, closing):
    """The text less what stands in brackets, nested ones too."""
    kept, depth = [], 0
    for letter in text:
        depth += letter == opening
        if depth == 0:
            kept.append(letter)
        depth -= letter == closing
    return "".join(kept)


def without_attributes(text):
    while True:
        found = ATTRIBUTE.search(text)
        if not found:
            return text
        end, depth = found.end(), 0
        if found.group() != "__extension__":
            while depth or text[end] != ")":
                depth += text[end] == "("
                depth -= text[end] == ")"
                if depth == 0:
                    break
                end += 1
            end += 1
        text = text[:found.start()] + " " + text[end:]


def statements(text):
    """Those at file scope. Bodies in braces become `{}`, which also ends a
    function's."""
    text = re.sub(r'"(\\.|[^"\\])*"', '""', text)
    text = without(text.replace('extern "" {', ""), "{", "}")
    return re.split(r";", text)


def function_bodies_end(text):
    """A semicolon after every function body, so that statements part there."""
    return re.sub(r"(\)\s*)\{", r"\1;{", text)


def declared(include, compiler, headers, options):
    text = preprocessed(include, compiler, headers, options)
    text = function_bodies_end(without_attributes(text))
    names = set()
    for statement in statements(text):
        words = WORD.findall(statement)
        if not words or "static" in words or words[0] in ("typedef", "enum"):
            continue
        pointer = re.search(r"\(\s*\*\s*(\w+)", statement)
        head = statement.split("(")[0]
        if pointer:
            names.add(pointer.group(1))
        elif "(" in statement or words[0] == "extern":
            names.add(WORD.findall(head.split("[")[0])[-1])
    return names


def defined(library):
    shared = library.suffix != ".a"
    out = run(["nm", "-D" if shared else "-g", "--defined-only", str(library)])
    found = re.findall(r"^[0-9a-f]+ [A-TV-Z] (\w+)", out, re.MULTILINE)
    versions = re.findall(r"^0+ A (\w+)", out, re.MULTILINE)
    return set(found) - set(versions), shared


def main():
    include, compiler, library, *rest = sys.argv[1:]
    include = pathlib.Path(include).resolve()
    headers = [word for word in rest if not word.startswith("-")]
    options = [word for word in rest if word.startswith("-")]
    wanted, modes = set(), TOOLS_MODES
    if not headers:
        modes = MODES
        headers = ["gasnet.h", *sorted(p.name for p in include.glob("*.h"))]
    for mode in modes:
        wanted |= declared(include, compiler, headers, [*options, *mode])
    offered, shared = defined(pathlib.Path(library))
    faults = [f"declared, but not offered: {name}"
              for name in sorted(wanted - offered)]
    if shared:
        faults += [f"exported, but not declared: {name}"
                   for name in sorted(offered - wanted)]
    print("\n".join(faults + [f"{len(wanted)} names in {library}"]))
    if faults or not wanted:
        return 1
    print("exports: pass")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that contract headers document each of their functions: a prototype, an
inline function or a function pointer has a comment above, its own or that of its
group (declarations without a blank line between them), or one after it. In the
headers of gasnet.h and gasnet_tools.h that comment also names the rules that the
call implements, [R-...], of docs/02_reference/gasnet.md and gasnet-tools.md, and each
rule about a call is named by one. Prints each finding; exit 1 if there is any."""

import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ["docs/02_reference/gasnet.md", "docs/02_reference/gasnet-tools.md"]
RULED = ["include/gasnet*.h"]
CONTRACTS = ["include/*.h", "src/**/*.h", "sim/**/*.h", "tools/**/*.h",
             "bench/**/*.h"]
# Generated; C++ throughout.
LEFT_OUT = {"src/base/fsh_spec.h", "sim/wrap.h"}
# Not calls of GASNet: optimised forms of calls; another interface's names.
UNRULED = {"include/gasnet_direct.h", "include/gasnet_portable_platform.h",
           "include/gasnet_config.h", "include/gasnetex.h"}
RULE = re.compile(r"\bR-[A-Z]+-\d+\b")
# Names that a program may call; the rest is internal.
PUBLIC = re.compile(r"(gasnett?|GASNETT?)_")
# Rules of headers, flavours and builds as a whole, not of a single call.
GENERAL = re.compile(r"R-(HDR|FLV|DBG|ALL)-")

TOKEN = re.compile(
    r'/\*.*?\*/|^[ \t]*#(?:\\\n|/\*.*?\*/|[^\n])*|"(?:\\.|[^"\\])*"'
    r"|'(?:\\.|[^'\\])*'|\n|[(){};]|\w+|[ \t]+|.", re.M | re.S)
MACRO = re.compile(r"\s*#\s*define\s+(\w+)\(")

# A function, or a macro like one: where it ends, and what the group has said.
Call = collections.namedtuple("Call", "name line end said")


def without(text, word):
    """Text without word(...), however deep its parentheses."""
    found = re.search(rf"\b{word}\s*\(", text)
    if not found:
        return text
    end, depth = found.end(), 1
    while depth and end < len(text):
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        end += 1
    return without(text[:found.start()] + text[end:], word)


def declared(text):
    """The name of the function or function pointer that a declaration makes."""
    # Macros in capitals stand for attributes, or for whole definitions.
    for word in ("__attribute__", "_Alignas", "_Atomic", "_Static_assert",
                 r"[A-Z][A-Z0-9_]+"):
        text = without(text, word)
    found = re.search(r"(\w+)\s*\((?:\s*\*\s*(?:const\s+)?(\w+))?", text)
    return found and (found.group(2) or found.group(1))


class Header:
    """Reads a header into its calls, each with the comments that are about it."""

    def __init__(self, text):
        self.calls = []
        self.group = []   # comments of the group so far that own their line
        self.open = []    # kinds of the braces that are open
        self.forget()
        self.line, self.fresh = 1, True
        for token in TOKEN.findall(text):
            self.take(token)
            self.line += token.count("\n")
            self.fresh = token == "\n" or self.fresh and not token.strip()

    def forget(self):
        self.code, self.depth, self.start = "", 0, 0

    def take(self, token):
        skipping = bool(self.open) and self.open[-1] == "skip"
        if token == "\n":
            self.newline(skipping)
        elif token.startswith("/*"):
            self.comment(token)
        elif token.lstrip().startswith("#"):
            found = MACRO.match(token)
            if found and not skipping:
                self.start = 0
                self.found(found.group(1), self.line + token.count("\n"))
        elif token == "{" and not self.depth:
            self.brace(skipping)
        elif token == "}" and not self.depth:
            self.open.pop()
        elif not skipping:
            self.read(token)

    def newline(self, skipping):
        self.code += " " if self.code else ""
        if self.fresh and not self.depth and not skipping:
            # What has no semicolon by now was a macro that defines things.
            self.forget()
            self.group = []

    def comment(self, token):
        if self.fresh:
            self.group = self.group + [token]
        elif self.calls and self.calls[-1].end == self.line:
            self.calls[-1].said.append(token)

    def brace(self, skipping):
        code = without(without(self.code, "__attribute__"), "_Alignas")
        if skipping or re.search(r"^[^(]*\benum\b[^(]*$|=\s*$", code):
            self.open.append("skip")
        elif re.match(r"\s*extern\b", code) and '"C"' in code:
            self.open.append("extern")
        elif re.search(r"^[^(]*\b(struct|union)\b[^(]*$", code):
            self.open.append("struct")
        else:
            self.end()
            self.open.append("skip")
        self.forget()

    def read(self, token):
        if token == ";" and not self.depth:
            self.end()
            return
        if not self.code and token.strip():
            self.start = self.line
        if self.code or token.strip():
            self.code += token
        self.depth += {"(": 1, ")": -1}.get(token, 0)

    def end(self):
        name = declared(self.code)
        if name:
            self.found(name, self.line)
        self.forget()

    def found(self, name, end):
        self.calls.append(Call(name, self.start or self.line, end,
                               list(self.group)))


def check(header, text, ruled, known):
    """(findings, rules named) of a header."""
    calls = Header(text).calls
    named = set(RULE.findall(text))
    found = [f"{header}: there is no rule {rule}" for rule in sorted(named - known)]
    seen = set()
    for call in calls:
        place = f"{header}:{call.line}: {call.name}"
        again = call.name in seen  # a macro over a function of its name
        seen.add(call.name)
        macro = "#define" in text.splitlines()[call.line - 1]
        if again or macro and not PUBLIC.match(call.name):
            continue
        if not call.said:
            found.append(f"{place}: no word about it")
        elif ruled and PUBLIC.match(call.name) and not known.intersection(
                RULE.findall("".join(call.said))):
            found.append(f"{place}: names no rule")
    return found, named & known if ruled else set()


SAMPLE = """
/* Kept by nobody. */

int bare(int a);
int dumb(void); /* [R-JOB-01] */
int mute(void);

/* One. [R-JOB-01] */
int gasnet_one(void (*body)(int));
static inline int gasnet_two(int a)
{
    int b = a;

    return other(b);
}
struct ops {
    int n; /* of them */

    void (*hook)(int n);
    /* Said. */
    void (*said)(int n);
};

/* Without a rule, and with one that is none: R-JOB-77. */
int gasnet_three(void) __attribute__((__noreturn__));
"""
SAMPLE_FINDINGS = [
    "x.h: there is no rule R-JOB-77", "x.h:4: bare: no word about it",
    "x.h:6: mute: no word about it", "x.h:19: hook: no word about it",
    "x.h:25: gasnet_three: names no rule"]


def self_test():
    """What is wrong with a sample is found, and nothing else."""
    found, _ = check("x.h", SAMPLE, True, {"R-JOB-01"})
    if found != SAMPLE_FINDINGS:
        yield f"check_contracts.py: finds in its sample {found}"


def files(patterns):
    return sorted({str(path.relative_to(ROOT)) for pattern in patterns
                   for path in ROOT.glob(pattern)} - LEFT_OUT)


def main():
    pages = "".join((ROOT / page).read_text(encoding="utf-8") for page in PAGES)
    known = set(re.findall(r"^- \*\*(R-[A-Z]+-\d+)\*\*", pages, re.M))
    ruled = set(files(RULED)) - UNRULED
    found, named = list(self_test()), set()
    for header in files(CONTRACTS):
        text = (ROOT / header).read_text(encoding="utf-8")
        said, rules = check(header, text, header in ruled, known)
        found += said
        named |= rules
    found += [f"no header names rule {rule}" for rule in sorted(known - named)
              if not GENERAL.match(rule)]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Moves statements in functions that Verilator made, so that less is kept for long: what a
register or a row of a memory is to be after an edge is read at the start of a function of
thousands of lines, and stored at its end. Here it is read where it is first looked at, and
stored once nobody looks at the old value any more. Functions that are not of the expected
form stay as they are.

With SOURCES, the rest of the model, pins that fsh_pins keeps in registers are read where
they are driven instead, but for those that SOURCES look at: they stay until the next edge.
Not for a model with waves, which show the registers.

usage: shorten.py FILE [SOURCE...]     rewrites FILE
"""
import re
import sys
from collections import Counter

WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
INDEX = r"(?:\[\w+\])?"


class Body:
    """The statements of the outermost level of a function's body."""

    def __init__(self, lines):
        self.text = []
        for line in lines:
            if not self.text or re.match(r"    [^ }]", line):
                self.text.append(line)
            else:
                self.text[-1] += "\n" + line
        self.where = {}
        for number, text in enumerate(self.text):
            for word in set(WORD.findall(text)):
                self.where.setdefault(word, []).append(number)
        self.before, self.after, self.moved = {}, {}, set()

    def understood(self):
        """No calls that look at more than their arguments, no statement in pieces."""
        return not any(re.search(r"\(\s*vlSelf\s*[,)]", text) or
                       not (text.rstrip().endswith((";", "}")) or
                            text.lstrip().startswith("//"))
                       for text in self.text)

    def matching(self, numbers, pattern):
        return [n for n in numbers
                if re.fullmatch(pattern, self.text[n].strip(), re.S)]

    def move(self, old, uses, reads, stores):
        """The reads to before the first use, the stores to after the last one and the
        last look at the old value, if there is nothing that forbids it."""
        looks = [n for n in self.where.get(old, []) if n not in reads + stores]
        written = re.compile(r"[>.]" + old + r"(\[[^\]]*\])*\s*=[^=]")
        if not (reads and uses and stores) or max(reads) > min(uses) or \
                min(stores) < max(uses) or \
                any(min(stores) < n < max(stores) or written.search(self.text[n])
                    for n in looks):
            return
        last = max(n for n in uses + looks if n < min(stores))
        self.before.setdefault(min(uses), []).extend(reads)
        self.after.setdefault(last, []).extend(stores)
        self.moved.update(reads + stores)

    def move_register(self, name):
        numbers = self.where[name]
        reads = self.matching(numbers, name + INDEX + r"\s*=\s*vlSelf->\w+" +
                              INDEX + ";")
        stores = self.matching(numbers, r"vlSelf->\w+" + INDEX + r"\s*=\s*" + name +
                               INDEX + ";")
        olds = {re.search(r"vlSelf->(\w+)", self.text[n])[1] for n in reads + stores}
        if len(olds) == 1:
            self.move(olds.pop(), [n for n in numbers if n not in reads + stores],
                      reads, stores)

    def move_row(self, flag):
        memory = flag[len("__Vdlyvset__"):-len("__v0")]
        names = [f"__Vdlyv{kind}__{memory}__v0" for kind in ("set", "val", "dim0")]
        numbers = {n for name in names for n in self.where.get(name, [])}
        reads = self.matching(self.where[flag], flag + r"\s*=\s*0U;")
        stores = self.matching(self.where[flag], r"if \(" + flag + r"\) \{.*\}")
        olds = {old for n in stores
                for old in re.findall(r"vlSelf->(\w+)\[", self.text[n])}
        if len(olds) == 1 and f"__Vdlyvset__{memory}__v1" not in self.where:
            self.move(olds.pop(), [n for n in numbers if n not in reads + stores],
                      reads, stores)

    def lines(self):
        for name in list(self.where):
            if name.startswith("__Vdly__"):
                self.move_register(name)
            elif name.startswith("__Vdlyvset__") and name.endswith("__v0"):
                self.move_row(name)
        for number, text in enumerate(self.text):
            if number in self.moved:
                continue
            yield from (self.text[n] for n in self.before.get(number, []))
            yield text
            yield from (self.text[n] for n in self.after.get(number, []))


def shorten(lines):
    """Yields the lines of a file."""
    body = None
    for line in lines:
        if body is None:
            yield line
            if line == "    // Body":
                body = []
        elif line == "}":
            found = Body(body)
            yield from found.lines() if found.understood() else body
            yield line
            body = None
        else:
            body.append(line)


def without_registers(text, rest):
    """The text with pins in the place of their registers, if `rest` has none of these."""
    register = re.compile(r"\bfsh_pins__DOT__(\w+)_q\b")
    load = re.compile(r"\n +vlSelf->fsh_pins__DOT__(\w+)_q(\[\w+\])?\s*"
                      r"=\s*vlSelf->\1_i(\[\w+\])?;")
    written = re.compile(register.pattern + r"(?:\[\w+\])?\s*=[^=]")
    loads = [match[1] for match in load.finditer(text)]
    writes = Counter(written.findall(text))
    pins = {pin for pin, times in Counter(loads).items() if times == writes[pin]}
    pins -= set(register.findall(rest))
    text = load.sub(lambda m: "" if m[1] in pins else m[0], text)
    return register.sub(lambda m: m[1] + "_i" if m[1] in pins else m[0], text)


def read(name):
    with open(name, encoding="utf-8") as file:
        return file.read()


def main():
    name, *rest = sys.argv[1:]
    text = "\n".join(shorten(read(name).split("\n")))
    if rest:
        text = without_registers(text, "".join(map(read, rest)))
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main()

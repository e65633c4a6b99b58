#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Breaks the sources one edit at a time, and sees whether a test notices.

`make mutants` calls it (BUILD=, SEED=, MUTANTS= of each file). A mutant is one edit
of one line: an operator, a constant, a condition, a statement left out. It is built
against the tests that targets.json names for the file and killed by the first that
fails, also by its time. One that survives is either no fault (say so in
targets.json, under "equal") or a test that is missing. Those under "must" are tried
in every run and must be killed, or the exit code is 1; a line of theirs that is no
longer there is an error; one with a third text must be killed by what says that. The
rest is a random choice from the seed, bounded in
number and time; its survivors are listed.

C: the file is compiled as the build tree compiles it and linked in front of its
library ("debug": the debug library); "tests" are unit tests, "jobs" programs of
tests/conform with the number of ranks that fshrun starts, or that and their arguments;
"forked": they start their ranks themselves (GASNET_PSHM_NODES), so that the mutant may
be one of the launcher; "conduit": fpga instead of smp. RTL: the block is Verilated with
its testbench; "sources": C files of the library that this needs, "args": what it is
given behind the seed.
"""
import argparse
import json
import os
import pathlib
import random
import re
import shlex
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
VERILATOR_ROOT = os.environ.get("VERILATOR_ROOT", "/usr/share/verilator")

SWAPS = [(r" == ", " != "), (r" != ", " == "), (r" && ", " || "),
         (r" \|\| ", " && "), (r" < ", " <= "), (r" > ", " >= "),
         (r" >= ", " > "), (r" \+ ", " - "), (r" - ", " + ")]
C_SWAPS = SWAPS + [(r" <= ", " < "), (r" & ", " | "), (r" \| ", " & "),
                   (r" << ", " >> "), (r"\bif \((.*)\)( \{)?$", r"if (!(\1))\2"),
                   (r"\btrue\b", "false"), (r"\bfalse\b", "true"),
                   (r"\+\+;", "--;")]
V_SWAPS = SWAPS + [(r"1'b0", "1'b1"), (r"1'b1", "1'b0"), (r"!(?=[a-z(])", ""),
                   (r"\bif \((.*)\)( begin)?$", r"if (!(\1))\2")]
NUMBER = re.compile(r"(?<![\w.'])(\d+)(?=u?\b)(?!')")
C_STATEMENT = re.compile(r"^\s+(?!return|break|goto|continue|static|const|struct|enum|"
                         r"unsigned|int\b|uint|size_t|bool\b|char|void|FSH_|assert|"
                         r"_Static|case|default|else|extern|typedef|float|double|union)"
                         r"[\w*(][^;{}]*;$")
V_STATEMENT = re.compile(r"^\s+(if \([^)]*\) )?\w+(\[[^\]]*\])?\s*<= [^;]*;$")


class Trouble(Exception):
    """The run itself is impossible: no mutant's fault."""


def mutations(path):
    """All edits of a file: (line number, new line)."""
    verilog = path.suffix == ".sv"
    comment = claim = False
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n")):
        text = line.split("//")[0].rstrip() if verilog else line
        # An assertion that is wrong is found by the first run, in all its lines.
        claim = claim or bool(re.search(r"\bFSH_ASSERT\(|\bassert\(", text))
        if claim:
            claim = not text.endswith(";") and "*/" not in text
            continue
        comment = comment or "/*" in text
        if comment or not text.startswith(" ") or re.search(
                r'"|^\s*(//|`)|FSH_ASSERT|FSH_STABLE|localparam|\bassert', text):
            comment = comment and "*/" not in text
            continue
        for new in edits_of(text, verilog):
            yield number, new


def edits_of(text, verilog):
    for pattern, by in V_SWAPS if verilog else C_SWAPS:
        if verilog and pattern == r" <= ":
            continue
        for match in re.finditer(pattern, text):
            yield text[:match.start()] + match.expand(by) + text[match.end():]
    if not verilog:
        for match in NUMBER.finditer(text):
            yield text[:match.start()] + str(int(match[1]) + 1) + text[match.end():]
    if (V_STATEMENT if verilog else C_STATEMENT).match(text):
        yield re.match(r"\s*", text)[0] + ";"


class C:
    """A C file in a build tree, and programs of that tree that test it."""

    def __init__(self, target, build, work):
        self.path, self.work = ROOT / target["file"], work
        self.debug, self.said = target.get("debug", False), ""
        with open(build / "compile_commands.json", encoding="utf-8") as file:
            self.commands = json.load(file)
        self.compile = self.words(self.command_of(self.path))
        # Only where it is needed: <limits.h> would find a limits.h there.
        if re.search(r'#include "[^/"]+"', self.path.read_text(encoding="utf-8")):
            self.compile += ["-iquote", str(self.path.parent)]
        self.link = [w for i, w in enumerate(self.compile)
                     if i == 0 or w.startswith("-fsanitize")]
        self.tests = [(name, self.make_test(f"unit/{name}"), [])
                      for name in target.get("tests", [])]
        self.tests += [self.make_job(name, words, target, build)
                       for name, words in target.get("jobs", {}).items()]
        self.library = str(work / "libfshmem.a")  # another build may go on
        try:
            shutil.copy(build / ("debug" if self.debug else "") / "lib/libfshmem.a",
                        self.library)
        except OSError as error:
            raise Trouble(f"the library is not built: {error}") from None

    def command_of(self, path):
        """How the tree compiles a file for this flavour, or for none in particular."""
        found = [c for c in self.commands if c["file"] == str(path)]
        if not found:
            raise Trouble(f"{path} is not in the tree's compile_commands.json")
        flag = "FSH_CONFIG_DEBUG=1" if self.debug else "FSH_CONFIG_"
        return next((c for c in found if (flag in c["command"]) == self.debug),
                    found[0])

    def make_test(self, name):
        source, test = ROOT / "tests" / f"{name}.c", self.work / f"{name}.o"
        test.parent.mkdir(exist_ok=True)
        flavour = ["-DFSH_CONFIG_DEBUG=1"] if self.debug else []
        run(self.words(self.command_of(source)) +
            [*flavour, "-c", str(source), "-o", str(test)], 120, must=True)
        return test

    def make_job(self, name, words, target, build):
        """words: the number of ranks, or that and the program's arguments. Forked:
        the mutant is its own launcher, too."""
        ranks, *rest = words if isinstance(words, list) else [words]
        conduit = target.get("conduit", "smp")
        if target.get("forked"):
            start = ["env", f"GASNET_PSHM_NODES={ranks}", f"FSHMEM_CONDUIT={conduit}",
                     f"FSHMEM_SIM={build / 'bin/fshsim'}"]
        else:
            start = [str(build / "bin/fshrun"), "-n", str(ranks), "--conduit", conduit]
        return (name, self.make_test(f"conform/{name}"), start, *rest)

    @staticmethod
    def words(command):
        """The command without what it reads and writes, quick to compile. gcc and
        clang take no warning of a mutant for an error."""
        words, out = shlex.split(command["command"]), []
        skip = False
        for word in words:
            if skip or word in ("-c", "-MD") or word == command["file"]:
                skip = False
            elif word in ("-o", "-MT", "-MF"):
                skip = True
            elif not word.startswith("-Werror"):
                out.append(word)
        if "ccache" in os.path.basename(out[0]):  # would only fill up with mutants
            out = out[1:]
        return out + ["-w", "-O1"]

    def build(self, text):
        source, made = self.work / self.path.name, self.work / "mutant.o"
        source.write_text(text, encoding="utf-8")
        return run(self.compile + ["-c", str(source), "-o", str(made)], 60) == 0

    def kill(self, limit):
        """The test that notices, or None."""
        for name, test, start, *rest in self.tests:
            program = self.work / f"{name}.exe"
            run([*self.link, str(test), str(self.work / "mutant.o"), self.library, "-lm",
                 "-pthread", "-ldl", "-lrt", "-o", str(program)], 60, must=True)
            code, self.said = run_text([*start, str(program), *rest], limit,
                                       cwd=self.work)
            if code not in (0, 77):
                return name
        return None


class Rtl:
    """A block and its testbench, Verilated by itself."""

    def __init__(self, target, build, work):
        del build
        self.path, self.work = ROOT / target["file"], work
        self.bench, self.models = ROOT / target["bench"], target["models"]
        self.args, self.said = target.get("args", []), ""
        self.rtl = work / "rtl"
        if shutil.which("verilator") is None:
            raise Trouble("no verilator")
        shutil.rmtree(self.rtl, ignore_errors=True)
        shutil.copytree(ROOT / "hw/rtl", self.rtl)
        self.here = self.rtl / self.path.relative_to(ROOT / "hw/rtl")
        self.common = work.parent / "verilated.o"
        if not self.common.exists():
            unit = work / "verilated.cpp"
            unit.write_text('#include "verilated_threads.cpp"\n'
                            f'#include "{VERILATOR_ROOT}/include/verilated.cpp"\n',
                            encoding="utf-8")
            run(["g++", "-O1", "-w", f"-I{VERILATOR_ROOT}/include",
                 f"-I{VERILATOR_ROOT}/include/vltstd", "-c",
                 str(unit), "-o", str(self.common)],
                300, must=True)
        self.objects = [self.compile(path) for pattern in target.get("sources", [])
                        for path in sorted(ROOT.glob(pattern))]
        if "sources" in target and not self.objects:
            raise Trouble(f"{target['file']}: no such sources")

    def compile(self, source):
        """A file of the library, once for all targets of a run."""
        name = re.sub(r"\W", "_", str(source.relative_to(ROOT)))
        made = self.work.parent / f"{name}.o"
        if not made.exists() or made.stat().st_mtime < source.stat().st_mtime:
            run(["gcc", "-std=gnu11", "-O2", "-w", f"-I{ROOT / 'src'}",
                 f"-I{ROOT / 'include'}", "-c", str(source), "-o", str(made)], 120,
                must=True)
        return str(made)

    def build(self, text):
        self.here.write_text(text, encoding="utf-8")
        folders = [f"{self.rtl}/{d}" for d in
                   ("lib", "gasnet", "link", "host", "dma", "compute", "coll", "top")]
        packages = [str(self.rtl / "fsh_spec_pkg.sv")] + sorted(
            str(p) for p in self.rtl.glob("*_pkg.sv") if p.stem != "fsh_spec_pkg")
        for prefix, (top, *more) in self.models.items():
            words = ["verilator", "--cc", "--assert", "-DFSH_CHECKED", "-Wno-fatal",
                     "--x-assign", "unique", "--x-initial", "unique", "--prefix",
                     prefix, "--Mdir", str(self.work / prefix), "--top-module",
                     pathlib.Path(top).stem, *more]
            for folder in folders:
                words += ["-y", folder, f"-I{folder}"]
            shutil.rmtree(self.work / prefix, ignore_errors=True)
            source = ROOT / "hw" / top if top.startswith("tb/") else self.rtl / top
            if run(words + packages + [str(source)], 120) != 0:
                return False
        return True

    def kill(self, limit):
        made = [str(p) for prefix in self.models
                for p in (self.work / prefix).glob("*.cpp")]
        program = self.work / "bench.exe"
        includes = [ROOT / "hw/tb/common", ROOT / "src/base", ROOT / "src",
                    *(self.work / p for p in self.models),
                    f"{VERILATOR_ROOT}/include", f"{VERILATOR_ROOT}/include/vltstd"]
        unit = self.work / "all.cpp"
        unit.write_text("".join(f'#include "{p}"\n' for p in [*made, self.bench]),
                        encoding="utf-8")
        # What needs the library runs longer than it takes to compile.
        run(["g++", "-O1" if self.objects else "-O0", "-w",
             *(f"-I{i}" for i in includes), str(unit), str(self.common), *self.objects,
             "-pthread", "-lm", "-o", str(program)], 300, must=True)
        code, self.said = run_text([str(program), "1", *self.args], limit)
        return self.bench.stem if code != 0 else None


def run(words, limit, must=False, cwd=None):
    """Exit code; of one that was too slow, 124. Its children end with it."""
    code, text = run_text(words, limit, cwd)
    if must and code != 0:
        raise Trouble(f"{' '.join(words)}\n{text[-3000:]}")
    return code


def run_text(words, limit, cwd=None):
    """The same, and what it says."""
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, text=True, errors="replace",
                          start_new_session=True, cwd=cwd) as child:
        try:
            text, _ = child.communicate(timeout=limit)
            code = child.returncode
        except subprocess.TimeoutExpired:
            code, text = 124, f"no end after {limit} s"
        try:
            os.killpg(child.pid, 9)
        except ProcessLookupError:
            pass
    return code, text


def required(target, lines):
    """The edits under "must", as (line number, new line), and what is to be said."""
    for old, new, *says in target.get("must", []):
        at = [i for i, line in enumerate(lines) if old in line]
        if not at:
            raise Trouble(f"{target['file']}: no line has `{old}`")
        yield (at[0], lines[at[0]].replace(old, new)), says


def try_one(unit, lines, number, new, limit, says=()):
    """What killed the mutant: a test; "" if it does not compile; None: nothing, or
    not with these words."""
    text = "\n".join(lines[:number] + [new] + lines[number + 1:])
    if not unit.build(text):
        return ""
    by = unit.kill(limit)
    return None if by and any(text not in unit.said for text in says) else by


def try_target(target, args, rng, end):
    """Counts of killed, of not compiled; survivors; those of "must"."""
    work = args.work / re.sub(r"\W", "_", target["file"])
    work.mkdir(parents=True, exist_ok=True)
    kind = Rtl if target["file"].endswith(".sv") else C
    unit = kind(target, args.build, work)
    lines = unit.path.read_text(encoding="utf-8").split("\n")
    began = time.monotonic()
    if not unit.build("\n".join(lines)) or unit.kill(args.limit) is not None:
        raise Trouble(f"{target['file']}: its tests fail as it is")
    limit = 5 + 10 * (time.monotonic() - began)
    must, says = [], {}
    for index, (edit, words) in enumerate(required(target, lines)):
        must.append(edit)
        says[index] = words
    equal = target.get("equal", [])
    some = [m for m in mutations(unit.path) if m not in must and
            not any(e in lines[m[0]] for e in equal)]
    rng.shuffle(some)
    killed, broken, survivors, missed = 0, 0, [], []
    for index, (number, new) in enumerate(must + some[:args.mutants]):
        if index >= len(must) and time.monotonic() > end:
            break
        by = try_one(unit, lines, number, new, limit, says.get(index, ()))
        killed += bool(by)
        broken += by == ""
        if by is None or (by == "" and index < len(must)):
            (missed if index < len(must) else survivors).append((number, new))
    return killed, broken, survivors, missed, lines


def stale(targets):
    """The required edits whose lines are gone."""
    found = []
    for target in targets:
        lines = (ROOT / target["file"]).read_text(encoding="utf-8").split("\n")
        try:
            list(required(target, lines))
        except Trouble as trouble:
            found.append(str(trouble))
    return found


def report(name, lines, found, word):
    for number, new in found:
        print(f"  {word}  {name}:{number + 1}\n    - {lines[number].strip()}\n"
              f"    + {new.strip()}", flush=True)


def parse():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    p.add_argument("--targets", type=pathlib.Path, default=HERE / "targets.json")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--mutants", type=int, default=20, help="of each file, at most")
    p.add_argument("--seconds", type=float, default=900, help="for the random ones")
    p.add_argument("--limit", type=float, default=60, help="seconds of a test")
    p.add_argument("--stale", action="store_true",
                   help="only see that the lines of those required are there")
    p.add_argument("files", nargs="*", help="part of the names of those to try")
    args = p.parse_args()
    args.build = args.build.resolve()
    args.work = args.build / "mutants"
    return args


def main():
    args = parse()
    with open(args.targets, encoding="utf-8") as file:
        targets = [t for t in json.load(file)
                   if not args.files or any(f in t["file"] for f in args.files)]
    if not targets:
        sys.exit(f"mutants: no file of {args.targets} is called so")
    if args.stale:
        found = stale(targets)
        print("".join(f"mutants: {line}\n" for line in found), end="")
        return 1 if found else 0
    began, counts, bad = time.monotonic(), [0, 0, 0], 0
    print(f"mutants: seed {args.seed}, {len(targets)} files", flush=True)
    try:
        for i, target in enumerate(targets):
            now = time.monotonic()
            share = (began + args.seconds - now) / (len(targets) - i)
            killed, broken, left, missed, lines = try_target(
                target, args, random.Random(f"{target['file']} {args.seed}"),
                now + share)
            print(f"{target['file']}: {killed} killed, {len(left)} survive, {broken} "
                  f"do not compile, {time.monotonic() - now:.0f} s", flush=True)
            report(target["file"], lines, left, "survives")
            report(target["file"], lines, missed, "MUST BE KILLED")
            counts = [a + b for a, b in zip(counts, (killed, len(left), broken))]
            bad += len(missed)
    except Trouble as trouble:
        sys.exit(f"mutants: {trouble}")
    print(f"mutants: {counts[0]} killed, {counts[1]} survive, {counts[2]} do not "
          f"compile; {bad} that must be killed are not; "
          f"{time.monotonic() - began:.0f} s, seed {args.seed}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

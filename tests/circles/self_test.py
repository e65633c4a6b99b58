#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Does scripts/check_circles.py find a circle of five files, and only that? By calls,
by calls of one flavour only, by includes; not through a pointer."""
import json
import pathlib
import subprocess
import sys
import tempfile

CHECK = pathlib.Path(__file__).resolve().parents[2] / "scripts/check_circles.py"


def run(compiler, files, flags=("",)):
    """Exit code and text of the check on these sources, compiled with each flag."""
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name).resolve()
        src, commands = work / "src", []
        src.mkdir()
        for path, text in files.items():
            (src / path).write_text(text, encoding="utf-8")
        for path in files:
            for i, flag in enumerate(flags):
                if path.endswith(".h"):
                    continue
                words = [compiler, "-c", str(src / path), "-o", f"{path}.{i}.o"]
                words += [flag] if flag else []
                subprocess.run(words, check=True, cwd=work)
                commands.append({"directory": str(work), "file": str(src / path),
                                 "command": " ".join(words)})
        (work / "compile_commands.json").write_text(json.dumps(commands),
                                                    encoding="utf-8")
        done = subprocess.run([CHECK, work, "--src", src], text=True,
                              stdout=subprocess.PIPE)
        return done.returncode, done.stdout


def ring(n, last):
    """n files, each calling the next; what the last one has besides."""
    files = {f"f{i}.c": f"void f{i + 1}(void); void f{i}(void) {{ f{i + 1}(); }}\n"
             for i in range(n - 1)}
    files[f"f{n - 1}.c"] = last
    return files


def main():
    compiler = sys.argv[1]
    closed = "void f0(void); void f{0}(void) {{ f0(); }}\n"
    pointer = "extern void (*hook)(void); void f4(void) { hook(); }\n"
    debug = ("void f0(void);\nvoid f4(void)\n{\n#ifdef DEBUG\n    f0();\n#endif\n}\n")
    headers = {f"h{i}.h": f'#ifndef H{i}\n#define H{i}\n#include "h{(i + 1) % 5}.h"\n'
                          "#endif\n" for i in range(5)}
    cases = [
        ("five in a circle", ring(5, closed.format(4)), ("",), "f4.c -> f0.c: f0"),
        ("four in a circle", ring(4, closed.format(3)), ("",), None),
        ("five by a pointer", ring(5, pointer), ("",), None),
        ("a call of one flavour", ring(5, debug), ("", "-DDEBUG"), "f4.c -> f0.c: f0"),
        ("headers", {**headers, "a.c": "int a;\n"}, ("",), "h4 -> h0: h0.h"),
    ]
    bad = 0
    for name, files, flags, line in cases:
        code, text = run(compiler, files, flags)
        if code != (line is not None) or (line or "") not in text:
            print(f"{name}: code {code}, expected {line!r} in\n{text}")
            bad = 1
    return bad


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The mutation run itself: it finds what must be found, and says so where a mutant
survives that must not, or is no longer there. Argument: the build tree."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FILE = "src/compute/execute/check.c"


def run(*words):
    done = subprocess.run([sys.executable, str(HERE / "mutants.py"), "--build",
                           sys.argv[1], "--mutants", "0", *words], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False, timeout=100)
    return done.returncode, done.stdout


def expect(what, got, code, text):
    if got[0] != code or text not in got[1]:
        sys.exit(f"self_test: {what}: code {got[0]}, `{text}` expected\n{got[1]}")


def main():
    with open(HERE / "targets.json", encoding="utf-8") as file:
        target = next(t for t in json.load(file) if t["file"] == FILE)
    expect("all killed", run(FILE), 0, f"{len(target['must'])} killed, 0 survive")
    for what, edit, text in [("no edit", ["return true;", "return true; "],
                              "MUST BE KILLED"),
                             ("no such line", ["no such line", ""], "no line has")]:
        with tempfile.TemporaryDirectory() as folder:
            targets = os.path.join(folder, "targets.json")
            with open(targets, "w", encoding="utf-8") as file:
                json.dump([{**target, "must": [edit]}], file)
            expect(what, run("--targets", targets), 1, text)
    print("self_test: ok")


if __name__ == "__main__":
    main()

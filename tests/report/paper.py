#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""fshperf paper and case-study write a self-contained page, with the paper's figures,
the printed ones, the assumptions, and the non-default settings. The last line says
"paper: pass".

usage: paper.py FSHRUN FSHPERF"""
import pathlib
import re
import subprocess
import sys
import tempfile

import page

FSHRUN, FSHPERF = sys.argv[1:3]
# Quoted, assumed as set below, and of the settings.
PAPER = ["0.21", "0.45", "0.35", "0.59", "3813", "paper, 128 B: 2621", "141",
         "21 cycles one way, no link layer (no CRC, no replay)", "FSHMEM_SIM_ARGS",
         "--link-cycles 21", "QSFP+", "modelled, 84 ns"]
STUDY = ["979.4", "1898.5", "1931.3", "30 cycles one way, no link layer (no CRC, "
         "no replay)", "All settings have their defaults.", "computing"]


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True, timeout=250)
    if done.returncode != 0:
        sys.exit(f"paper.py: {words}: code {done.returncode}: {done.stderr}")
    return done.stdout


def look(path, wanted, figures, tables, output):
    """Complaints about one page beside what was printed with it."""
    complaints, texts = page.check(path)
    text = path.read_text(encoding="utf-8")
    complaints += page.links(text)
    complaints += [f"lacks {w!r}" for w in wanted
                   if not any(w in t for t in texts)]
    if (text.count("<figure>"), text.count("<table>")) != (figures, tables):
        complaints.append(f"{text.count('<figure>')} figures, "
                          f"{text.count('<table>')} tables")
    # The figures of the final table, and of the tables of the runs.
    printed = re.findall(r"^(?:P|G)UT .*?(\d+\.\d{3}) ", output, re.M)
    printed += re.findall(r"^matmul \d+ +\d+ +\d+ +(\d+\.\d)", output, re.M)
    complaints += [f"lacks {p}, which was printed" for p in printed
                   if not any(t == p or t.startswith(f"{p} ") for t in texts)]
    if len(printed) < 4:
        complaints.append("nothing was printed")
    return [f"{path.name}: {c}" for c in complaints]


def main():
    with tempfile.TemporaryDirectory() as place:
        paper = pathlib.Path(place) / "paper.html"
        study = pathlib.Path(place) / "study.html"
        output = run(FSHRUN, "-n", "2", "--conduit", "fpga", "--timeout", "240",
                     "--sim-args", "--link-cycles 21", FSHPERF, "paper", "--quick",
                     "--brief", "--report", paper)
        found = look(paper, PAPER, 9, 13, output)
        output = run(FSHPERF, "case-study", "--quick", "--report", study)
        found += look(study, STUDY, 5, 2, output)
    print("\n".join(found))
    print("paper: FAILED" if found else "paper: pass")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

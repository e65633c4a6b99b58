#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Plots of made-up results: no legend on a curve, no two lines alike, sizes as
people write them. The last line says "plots: pass".

usage: plots.py DIRECTORY-OF-THE-SCRIPTS
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SIZES = [1 << n for n in range(2, 22)]


def paper():
    """Columns as of fshperf paper --csv."""
    yield "test,mode,to,ports,,,,packet,bytes,,,mb_per_s,,us"
    for size in SIZES:
        for test in "put", "get":
            for to in "header", "last_byte":
                yield f"{test}_lat,long,{to},1,,,,1024,{size},,,,,{1 + size / 4e3}"
            for mode in "single", "pipelined":
                for ports in 1, 2:
                    for packet in 128, 256, 512, 1024:
                        rate = 3900 * ports * size / (size + packet + 100)
                        yield (f"{test}_bw,{mode},last_byte,{ports},,,,{packet},"
                               f"{size},,,{rate},,")


def study(most):
    """Columns as of fshperf case-study --csv."""
    yield "workload,size,nodes,,,,,gops,,speedup"
    for workload, size in (("matmul", 256), ("conv", 3)):
        for nodes in (n for n in (1, 2, 4, 8) if n <= most):
            yield f"{workload},{size},{nodes},,,,,{1000 * nodes},,{nodes}"


def fabric():
    """Columns as of fshperf fabric --links: a ring, its links as busy as their nodes' numbers."""
    yield "test,what,topology,nodes,node,port,peer,use"
    for node in range(4):
        for port, peer in ((0, (node + 1) % 4), (1, (node + 3) % 4)):
            yield f"hol,pass,ring,4,{node},{port},{peer},{0.11 * (2 * node + port + 1)}"


def check_heat(path):
    """Complaints about one heat map of the above."""
    found = [int(text) for text in re.findall(r">(\d+)</tspan>|>\s*(\d\d)\s*<",
                                              path.read_text()) for text in text if text]
    missing = [n for n in range(11, 89, 11) if n not in found]
    return [f"{path.name}: no {missing}"] if missing else []


def check(path):
    """Complaints about one plot."""
    # Without closed paths: the border, and the fields behind legends.
    text = re.sub(r"<path[^>]*[Zz] *'/>", "", path.read_text())
    lines, found = {}, []
    for part in re.split(r'<g id="gnuplot_plot_\d+" *>', text)[1:]:
        title = re.search(r"<title>(.*?)</title>", part)[1]
        legend = float(re.search(r"translate\(([\d.]+),", part)[1])
        # The first path begins with the sample in the legend.
        at = [float(x) for x in re.findall(r"[ML]([\d.]+),", part)]
        if at[2:] and max(at[2:]) >= min(legend, *at[:2]):
            found.append(f"the legend of '{title}' is on the curves")
        stroke = re.search(r"<path stroke='([^']*)'(?: stroke-dasharray='([^']*)')?",
                           part)
        if stroke:
            look = stroke.groups()
            if look in lines.values():
                found.append(f"'{title}' looks as another line does: {look}")
            lines[title] = look
    if re.search(r"> ?1x10<|> ?\d{5,}<", text):
        found.append("sizes in long or scientific numbers")
    return [f"{path.name}: {what}" for what in found]


def losses(place, scripts):
    """Runs of 08_train by epoch; a file without epochs is refused."""
    out = place / "loss"
    out.mkdir()
    files = []
    for wire, factor in (("fp32", 1.0), ("bfp16", 1.1)):
        files.append(out / f"{wire}.json")
        lines = [f'{{"epoch": {i}, "loss": {factor / i:.6f}}}' for i in range(1, 13)]
        lines.append('{"workload": "train", "nodes": 4, "wire": "' + wire
                     + '", "compute": "core", "held_out": 0.9750, "check": "passed"}')
        files[-1].write_text("\n".join(lines) + "\n")
    script = scripts / "plot-loss.sh"
    subprocess.run([script, out, *files], check=True, timeout=100, stdout=subprocess.DEVNULL)
    text = (out / "loss.svg").read_text()
    found = check(out / "loss.svg")
    found += [f"loss: {legend} is not in the legend" for legend in
              ("fp32, 4 ranks, core: 0.9750", "bfp16, 4 ranks, core: 0.9750")
              if legend not in text]
    files[0].write_text("{}\n")
    if subprocess.run([script, out, files[0]], stderr=subprocess.DEVNULL).returncode == 0:
        found.append("loss: a file without epochs is accepted")
    return found


def main():
    if not shutil.which("gnuplot"):
        print("plots: gnuplot is not installed")
        return 77
    scripts, found, count = pathlib.Path(sys.argv[1]), [], 0
    with tempfile.TemporaryDirectory() as place:
        for name, script, rows, plots in (
                ("paper", "plot.sh", paper(), 5),
                ("quick", "plot-study.sh", study(2), 1),
                ("full", "plot-study.sh", study(8), 2),
                ("fabric", "plot-fabric.sh", fabric(), 1)):
            out = pathlib.Path(place) / name
            out.mkdir()
            csv = out / "x.csv"
            csv.write_text("\n".join(rows) + "\n")
            subprocess.run([scripts / script, csv, out], check=True, timeout=100,
                           stdout=subprocess.DEVNULL)
            made = sorted(out.glob("*.svg"))
            if len(made) != plots:
                found.append(f"{name}: {len(made)} plots, not {plots}")
            for plot in made:
                count += 1
                # Bars have their legend in the same place.
                if name == "fabric":
                    found += check_heat(plot)
                elif "gops" not in plot.name:
                    found += check(plot)
        found += losses(pathlib.Path(place), scripts)
        count += 1
    print("\n".join(found))
    print("plots: FAILED" if found else f"plots: pass ({count})")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

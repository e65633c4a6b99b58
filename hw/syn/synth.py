#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Synthesizes card and compute core with yosys, block by block, and reports area
and depth.

`make synth` calls it: Xilinx UltraScale+ (levels of logic, LUT, block RAM) and
Intel Cyclone 10 GX (ALM, M20K: the same logic cell and memory as the paper's
Stratix 10, for which there is no free tool). No tool here gives a clock
frequency. Fails if a block, or a top as a whole, is deeper than the limit of
blocks.json (or than its own entry there, for known exceptions; null: only reported),
or if a group, optimally packed, is larger than twice the published area. Writes
<out>/synth.{txt,json}. With --levels only the longest path of each top as a whole:
a minute for the card without its core (for CI).
"""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import time

import netlist

HERE = pathlib.Path(__file__).resolve().parent
RTL = HERE.parent / "rtl"
TIMES = 2  # the published area, per group
WHAT = {"alm": "ALM", "bram": "M20K", "dsp": "DSP"}
OTHER = "interconnect"
# yosys ignores ram_style in this family: memories marked distributed become
# MLABs first, as the vendor's tool would map them.
MLAB = "memory_collect; memory_bram -rules +/intel_alm/common/lutram_mlab.txt " \
       "a:ram_style=distributed; opt_clean; "

TARGETS = {
    "xilinx": "synth_xilinx -family xcup -flatten -nowidelut -noiopad -noclkbuf",
    "intel": MLAB + "synth_intel_alm -family cyclone10gx -noiopad -noclkbuf",
    # Modules mapped one by one, then flattened: fast, keeps the names of ports
    # on a path, and a little deeper than a tool that optimizes across them.
    "whole": "synth_xilinx -family xcup -nowidelut -noiopad -noclkbuf",
}


def yosys(script, log):
    done = subprocess.run(["yosys", "-q", "-l", str(log), "-p", script],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"synth: yosys failed, see {log}\n{done.stdout[-2000:]}")


def base(name):
    """fsh_fifo of $paramod$1234\\fsh_fifo and $paramod\\fsh_fifo\\WIDTH=..."""
    parts = name.split("\\")
    return next((p for p in parts if p.startswith("fsh_")), name)


def elaborate(out, top, boxes=()):
    """The modules below top, except `boxes`, which stay black boxes as in synthesize()."""
    packages = sorted(RTL.glob("*_pkg.sv"))
    modules = sorted(f for f in RTL.rglob("*.sv") if not f.stem.endswith("_pkg"))
    yosys(f"read_verilog -sv -I{RTL}/lib " + " ".join(map(str, packages)) +
          f"; read_verilog -sv -defer -I{RTL}/lib " + " ".join(map(str, modules)) +
          f"; hierarchy -check -top {top}" + "".join(f"; blackbox {m}" for m in boxes) +
          "; proc; opt_clean"
          f"; write_rtlil {out}/elaborated.il; write_json {out}/elaborated.json",
          out / "elaborate.log")
    with open(out / "elaborated.json", encoding="utf-8") as file:
        modules = json.load(file)["modules"]
    return {name: body for name, body in modules.items() if name not in boxes}


def boxes_of(plan, top):
    """Tops of their own below this one, which are not counted here."""
    return plan["boxes"].get(top, [])


def find_blocks(modules, top, groups):
    """The contents of top: the listed blocks, modules that contain none, and the
    shells (modules that contain blocks, without these), each module name -> count."""
    known = {m for g in groups.values() for m in g}
    blocks, shells = collections.Counter(), collections.Counter()

    def holds_block(name):
        return any(c["type"] in modules and
                   (base(c["type"]) in known or holds_block(c["type"]))
                   for c in modules[name]["cells"].values())

    def walk(name, times):
        if base(name) in known or not holds_block(name):
            blocks[name] += times
            return
        shells[name] += times
        for cell in modules[name]["cells"].values():
            if cell["type"] in modules:
                walk(cell["type"], times)

    walk(top, 1)
    return blocks, shells


def renamed(out, stem, top):
    """Reads the same modules with names that do not depend on what else was elaborated:
    ABC breaks ties by names, which moves the area of the same RTL by 2 %."""
    plain = out / f"{stem}.il"
    yosys(f"{top}; rename -enumerate -pattern n%; write_rtlil {plain}", out / f"{stem}.log")
    text = plain.read_text(encoding="utf-8")
    plain.write_text(re.sub(r"^autoidx \d+$", "autoidx 1000000", text, flags=re.M),
                     encoding="utf-8")
    return f"read_rtlil {plain}; hierarchy -top block"


def synthesize(out, name, target, without=()):
    """One block, flat: cells and, for Xilinx, the longest path. Instances of the
    modules `without` stay black boxes: paths end there, and they are not counted."""
    stem = f"{base(name)}_{abs(hash(name)) % 10**8}_{target}"
    boxes = "".join(f"; blackbox {m}" for m in without)
    top = f"read_rtlil {out}/elaborated.il; hierarchy -top {name}{boxes}; rename -top block"
    if target == "intel":
        top = renamed(out, stem, top)
    yosys(f"{top}; {TARGETS[target]} -top block; flatten; opt_clean"
          f"; write_json {out}/{stem}.json", out / f"{stem}.log")
    nets = netlist.Netlist(out / f"{stem}.json", "block")
    (out / f"{stem}.json").unlink()
    cells = nets.count()
    if target == "intel":
        return {"area": netlist.intel_area(cells), "cells": cells}
    levels, path = nets.levels()
    return {"area": netlist.xilinx_area(cells), "cells": cells,
            "levels": levels, "path": path}


def add(total, area, times):
    for key, value in area.items():
        total[key] = total.get(key, 0) + value * times


def rows_of(blocks, groups, results):
    """Table rows: a group's sum, then its blocks, one instance each."""
    group_of = {m: g for g, ms in groups.items() for m in ms}
    for group in [*groups, OTHER]:
        members = [b for b in blocks if group_of.get(base(b), OTHER) == group]
        if not members:
            continue
        total, levels = {t: {} for t in results}, 0
        for block in members:
            for target, of_block in results.items():
                add(total[target], of_block[block]["area"], blocks[block])
            levels = max(levels, results["xilinx"][block]["levels"])
        yield group, None, total, levels
        for block in sorted(members, key=base):
            yield group, block, {t: r[block]["area"] for t, r in results.items()}, \
                results["xilinx"][block]["levels"]


def number(value):
    return f"{value:.1f}".rstrip("0").rstrip(".") if value % 1 else f"{value:.0f}"


def table(rows, blocks, paper):
    head = f"{'':34}{'levels':>7}{'LUT':>8}{'FF':>8}{'RAMB36':>8}{'DSP':>5}" \
           f"{'ALM':>9}{'..unpaired':>11}{'M20K':>6}"
    lines = [head, "-" * len(head)]
    for group, block, area, levels in rows:
        label = group if block is None else f"  {base(block)}" + \
            (f" x{blocks[block]}" if blocks[block] > 1 else "")
        x, i = area["xilinx"], area.get("intel")
        line = f"{label:34}{levels:>7}{x['lut']:>8.0f}{x['ff']:>8}" \
               f"{number(x['bram']):>8}{x['dsp']:>5}"
        if i:
            line += f"{i['alm']:>9.0f}{i['alm_unpaired']:>11.0f}{i['bram']:>6}"
        lines.append(line)
    for name, row in paper.items():
        total = sum_of(name, rows)
        lines += ["", f"Published, {row['what']} (Stratix 10, Quartus): " +
                  ", ".join(f"{row[w]:.0f} {unit}" for w, unit in WHAT.items())]
        if total:
            lines.append(f"{name} here: {total['alm']:.0f} ALM if all pair, "
                         f"{total['alm_unpaired']:.0f} if none does "
                         f"(x{total['alm'] / row['alm']:.2f}, "
                         f"x{total['alm_unpaired'] / row['alm']:.2f}), "
                         f"{total['bram']:.0f} M20K, {total['dsp']:.0f} DSP")
    return "\n".join(lines) + "\n"


def sum_of(name, rows):
    """Intel area of a group, or of all groups `name: ...`; {} if there are none."""
    total = {}
    for group, block, area, _ in rows:
        if block is None and "intel" in area and \
                (group == name or group.startswith(name + ":")):
            add(total, area["intel"], 1)
    return total


def too_large(paper, rows):
    for name, row in paper.items():
        total = sum_of(name, rows)
        for what in row["held"] if total else []:
            if total[what] > TIMES * row[what]:
                also = f" ({total['alm_unpaired']:.0f} unpaired)" \
                    if what == "alm" else ""
                yield f"{name}: {total[what]:.0f} {WHAT[what]}{also}, " \
                    f"published {row[what]:.0f}"


NOTE = """\
Area of each block in isolation, flattened, one instance; a group sums all of its
instances. Levels of logic: a LUT and its net; carry chains, block RAM and DSPs by
their delay in this unit (model: netlist.py), rounded up.
ALM: yosys for Cyclone 10 GX, if all functions of at most five inputs are paired, and
(..unpaired) if none is; a vendor's tool lands in between. A proxy:
no place and route, and no clock frequency is claimed. Interconnect is counted
without the blocks. Whole: including paths that cross blocks.

"""


def is_deep(plan, name, result, whole):
    name = f"whole of {name}" if whole else base(name)
    most = plan["deeper"].get(name, plan["limit"])
    return most is not None and result["levels"] > most


def longest_paths(out, plan, tops):
    """--levels: the longest path of each top as a whole."""
    deep = []
    for top in tops:
        elaborate(out, top, boxes_of(plan, top))
        result = synthesize(out, top, "whole")
        print(f"{top}: {result['levels']} levels:\n  " +
              "\n  ".join(result["path"]))
        if is_deep(plan, top, result, True):
            deep.append(top)
    return deep


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--top", help="only this module and its contents")
    parser.add_argument("--out", default=str(HERE.parent.parent / "build/synth"))
    parser.add_argument("--levels", action="store_true", help="longest paths only")
    parser.add_argument("--block", help="only this module, with its path")
    args = parser.parse_args()
    out = pathlib.Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    with open(HERE / "blocks.json", encoding="utf-8") as file:
        plan = json.load(file)
    groups = plan["groups"]
    targets = ["xilinx"] if args.block else [t for t in TARGETS if t != "whole"]
    tops = [args.block or args.top] if args.block or args.top else plan["tops"]
    if args.levels:
        deep = longest_paths(out, plan, tops)
        print(f"synth: {time.monotonic() - started:.0f} s")
        return verdict(plan, deep, [], len(tops))

    counts = collections.Counter()
    results = {t: {} for t in targets}
    wholes = {}
    for top in tops:
        modules = elaborate(out, top, boxes_of(plan, top))
        if args.block:
            blocks, shells = collections.Counter({top: 1}), {}
        else:
            blocks, shells = find_blocks(modules, top, groups)
        for target in targets:
            for name in blocks:
                results[target][name] = synthesize(out, name, target)
            for name in shells:
                inside = {c["type"] for c in modules[name]["cells"].values()}
                results[target][name] = synthesize(out, name, target,
                                                   sorted(inside & modules.keys()))
        counts += blocks
        counts.update(shells)
        if not args.block:
            wholes[top] = synthesize(out, top, "whole")

    rows = list(rows_of(counts, groups, results))
    for name, result in wholes.items():
        rows.append((f"whole of {name}", None, {"xilinx": result["area"]},
                     result["levels"]))
    text = NOTE + table(rows, counts, plan["paper"])
    deep = [n for n, r in results["xilinx"].items() if is_deep(plan, n, r, False)] + \
        [n for n, r in wholes.items() if is_deep(plan, n, r, True)]
    for name, result in [*results["xilinx"].items(), *wholes.items()]:
        if name in deep or name in wholes or args.block:
            text += f"\n{base(name)}: {result['levels']} levels:\n  " + \
                "\n  ".join(result["path"]) + "\n"
    (out / "synth.txt").write_text(text, encoding="utf-8")
    (out / "synth.json").write_text(json.dumps({
        "limit": plan["limit"], "paper": plan["paper"],
        "instances": {base(b): n for b, n in counts.items()},
        "rows": [{"group": g, "block": b and base(b), "levels": n, **a}
                 for g, b, a, n in rows],
        "paths": {base(b): r["path"] for b, r in
                  [*results["xilinx"].items(), *wholes.items()]}}, indent=1),
        encoding="utf-8")
    print(text)
    print(f"synth: {time.monotonic() - started:.0f} s, {out}/synth.txt")
    return verdict(plan, deep, list(too_large(plan["paper"], rows)), len(counts))


def verdict(plan, deep, large, count):
    if deep:
        print("synth: more levels than blocks.json permits: " +
              ", ".join(base(d) for d in deep))
    for line in large:
        print(f"synth: more than {TIMES} times the published area: {line}")
    if deep or large:
        return 1
    print(f"synth: {count} ok, at most {plan['limit']} levels; " +
          ", ".join(f"{n} {m or 'not held'}" for n, m in plan["deeper"].items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())

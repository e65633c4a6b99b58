# SPDX-License-Identifier: BSD-3-Clause
"""The command line of fshmodel."""
import argparse
import json
import re
import sys

from . import (bridged, collective, compare, compute, draw, paper, system, training,
               transfer)

SCALE_MOST = 4096


def size_of(text):
    """256, 4K, 2M."""
    found = re.fullmatch(r"(\d+)([KM]?)", text)
    if not found:
        raise argparse.ArgumentTypeError(f"{text}: not a size")
    return int(found[1]) << {"": 0, "K": 10, "M": 20}[found[2]]


def nodes_of(text):
    found = re.fullmatch(r"(\d+)(?:\.\.(\d+))?", text)
    low, high = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
    if not 1 <= low <= high <= SCALE_MOST:
        raise argparse.ArgumentTypeError(
            f"{text}: expected N or N..M, 1 to {SCALE_MOST}")
    return low, high


def doubled(low, high):
    """low, 2 low ..., high."""
    while low < high:
        yield low
        low *= 2
    yield high


def put_json(path, rows):
    if path:
        with open(path, "w") as file:
            json.dump(rows, file, indent=1)
            file.write("\n")


# ---- predict ----

def seconds(s, cycles):
    return cycles / (s["clock_mhz"] * 1e6)


def training_row(s, a, wire, nodes, batch):
    seen, bound = training.predict(s, wire, batch, nodes, shape(s, a))
    row = {"system": a.system, "wire": wire, "nodes": nodes, "batch": batch,
           "layers": len(shape(s, a) or training.widths(s)) - 1,
           "forward_s": seen.forward, "backward_s": seen.backward,
           "allreduce_exposed_s": seen.allreduce_exposed, "update_s": seen.update,
           "total_s": seen.total, "bound": bound}
    return row


def shape(s, a):
    if a.width or a.layers:
        default = s.get("training", {"width": 2048, "layers": 20})
        return [a.width or default["width"]] * ((a.layers or default["layers"]) + 1)
    return None if "training" in s else [2048] * 21


def print_training(rows):
    print(f"{'wire':<8}{'nodes':>6}{'batch':>7}{'forward':>12}{'backward':>12}"
          f"{'exposed':>12}{'update':>12}{'total (ms)':>13}  bound")
    for r in rows:
        ms = [1e3 * r[k + "_s"] for k in ("forward", "backward", "allreduce_exposed",
                                          "update", "total")]
        print(f"{r['wire']:<8}{r['nodes']:>6}{r['batch']:>7}"
              + "".join(f"{x:>12.4f}" for x in ms) + f"   {r['bound']}")


def cycle_rows(s, a):
    """Rows of predictions in cycles, for systems with a clock."""
    low, high = a.nodes
    for nodes in doubled(low, high):
        if a.what in ("put", "get"):
            way = transfer.put if a.what == "put" else transfer.get
            for n in a.bytes or [4 << i for i in range(20)]:
                yield a.what, n, 2, way(s, n, a.packet, a.ports, a.count)
        elif a.what == "matmul":
            yield f"matmul {a.size}", 0, nodes, compute.matmul(s, a.size, nodes)
        elif a.what == "conv":
            yield f"conv {a.size}", 0, nodes, compute.conv(s, a.size, nodes)
        elif a.what == "bridge":
            for (path, mode), n in ((k, n) for k in bridged.MODES
                                    for n in a.bytes or [65536, 1 << 20, 16 << 20]):
                yield (f"{path} {mode}", n, 1,
                       bridged.transfer(s, path, mode, n) * s["clock_mhz"] / 1e3)
        else:
            for op, algorithm in collective.KINDS:
                for n in a.bytes or [8, 4096, 1 << 20]:
                    if a.op in (None, op):
                        yield (f"{op} {algorithm}", n, nodes,
                               collective.hosts(s, op, algorithm, nodes, n))


def predict(a):
    s = system.change(system.load(a.system), a.set)
    if a.what == "training":
        rows = [training_row(s, a, wire, n, a.batch)
                for wire in ("fp32", "bfp16") for n in doubled(*a.nodes)]
        print_training(rows)
    else:
        if "clock_mhz" not in s:
            raise system.Problem(f"{a.what}: system {a.system} has rates only; it supports "
                                 "training")
        if a.what == "bridge" and a.nodes != (2, 2):
            raise system.Problem("--nodes: a bridge has one card")
        if a.what in ("matmul", "conv"):
            a.size = a.size or {"matmul": 1024, "conv": 3}[a.what]
        if a.what == "conv" and a.size not in compute.KERNELS:
            raise system.Problem(f"--size {a.size}: expected a kernel size of 3, 5 or 7")
        rows = [{"what": w, "bytes": n, "nodes": p, "model_cycles": round(c, 1),
                 "us": round(1e6 * seconds(s, c), 4)} for w, n, p, c in cycle_rows(s, a)]
        print(f"{'what':<32}{'bytes':>9}{'nodes':>7}{'cycles':>14}{'us':>14}")
        for r in rows:
            print(f"{r['what']:<32}{r['bytes']:>9}{r['nodes']:>7}"
                  f"{r['model_cycles']:>14.0f}{r['us']:>14.3f}")
    put_json(a.json, rows)
    return 0


# ---- scale ----

def scale(a):
    s = system.change(system.load(a.system), a.set)
    one = training.predict(s, "fp32", a.batch, 1, shape(s, a))[0].total
    rows, last = [], {}
    print(f"# {s['about']}; batch {a.batch} a node\n"
          f"{'nodes':>6}{'ideal':>10}{'fp32':>10}{'bound':>10}{'bfp16':>10}{'bound':>10}"
          f"  break points")
    for n in doubled(*a.nodes):
        row, breaks = {"nodes": n, "batch": a.batch}, []
        for wire in ("fp32", "bfp16"):
            seen, bound = training.predict(s, wire, a.batch, n, shape(s, a))
            row[wire] = {"total_s": seen.total, "speedup": n * one / seen.total,
                         "bound": bound}
            if last.get(wire, bound) != bound:
                breaks.append(f"{wire}: {last[wire]}- to {bound}-bound")
            last[wire] = bound
        row["breaks"] = breaks
        rows.append(row)
        print(f"{n:>6}{n:>10}" + "".join(
            f"{row[w]['speedup']:>10.2f}{row[w]['bound']:>10}" for w in ("fp32", "bfp16"))
            + "  " + "; ".join(breaks))
    if a.plot:
        with open(a.plot, "w") as file:
            file.write(draw.scale(rows, f"{s['about']}; batch {a.batch} a node"))
    put_json(a.json, rows)
    return 0


# ---- paper ----

def show_paper(a):
    s = system.load("smartnic")
    if a.fit:
        s = paper.fit(s)
    seen = paper.figures(s)
    print(f"# fitted, {len(s['fitted'])} for {len(seen)} figures: "
          + ", ".join(f"{k} {v:.4g}" for k, v in s["fitted"].items()))
    print(f"{'figure':<42}{'printed':>10}{'model':>10}{'off by':>10}")
    for name, value in seen.items():
        low, high = paper.PRINTED[name]
        print(f"{name:<42}{(low + high) / 2:>10.3f}{value:>10.3f}"
              f"{100 * paper.deviation(name, value):>9.1f}%")
    print("\n# throughput over nodes, one node = 1 (Fig. 4b)\n"
          f"{'batch':>6}{'nodes':>6}{'baseline':>10}{'fp32':>10}{'bfp16':>10}")
    curves = []
    for batch in (448, 1792):
        one = training.predict(s, "fp32", batch, 1)[0].total
        for n in (1, 3, 4, 5, 6, 8, 12, 16, 24, 32):
            y = [n * one / training.baseline(s, batch, n).total] + [
                n * one / training.predict(s, w, batch, n)[0].total
                for w in ("fp32", "bfp16")]
            curves.append({"batch": batch, "nodes": n, "baseline": y[0], "fp32": y[1],
                           "bfp16": y[2]})
            print(f"{batch:>6}{n:>6}" + "".join(f"{v:>10.2f}" for v in y))
    put_json(a.json, {"fitted": s["fitted"], "figures": seen, "curves": curves})
    return 0


# ---- check ----

def check(a):
    s = system.change(system.load(a.system), a.set)
    rows = list(compare.rows(s, a.files))
    if not rows:
        raise system.Problem("no result of conduit fpga that is modelled in these files")
    print(f"{'':<14}{'':<28}{'points':>7}{'within':>8}{'mean':>9}{'worst':>9}"
          "   at nodes, bytes: cycles, model")
    missed = 0
    for key in sorted({(r["family"], r["what"]) for r in rows}):
        mine = [r for r in rows if (r["family"], r["what"]) == key]
        worst = max(mine, key=lambda r: abs(r["model_error"]))
        within = sum(r["within"] for r in mine)
        missed += len(mine) - within
        mean = sum(abs(r["model_error"]) for r in mine) / len(mine)
        print(f"{key[0]:<14}{key[1]:<28}{len(mine):>7}{within:>8}{100 * mean:>8.2f}%"
              f"{100 * worst['model_error']:>8.2f}%   {worst['nodes']}, {worst['bytes']}: "
              f"{worst['cycles']:.0f}, {worst['model_cycles']:.0f}")
    for r in rows:
        if not r["within"]:
            print(f"# not within: {r['family']}, {r['what']}, {r['nodes']} nodes"
                  + (f", {r['bytes']} bytes" if r["bytes"] else "")
                  + f": {r['cycles']:.0f}, model {r['model_cycles']:.0f}"
                  f" ({100 * r['model_error']:+.1f} %)")
    print(f"# {len(rows) - missed} of {len(rows)} points within {compare.LIMIT:.0%}, or "
          f"{compare.START_UP:.0%} where start-up is more than half")
    put_json(a.json, rows)
    return 1 if a.strict and missed else 0


# ---- add ----

def add(a):
    s = system.change(system.load(a.system), a.set)
    for path in a.files:
        compare.add(s, path)
    return 0


# ---- the line ----

HELP = """usage: fshmodel predict training|put|get|matmul|conv|coll|bridge [OPTION...]
       fshmodel scale|paper [OPTION...]
       fshmodel check [OPTION...] FILE...
       fshmodel add [OPTION...] FILE...
Analytical model of what fshperf measures.

  predict     predict cycles or seconds
    --system NAME     fshmem, smartnic or a file (fshmem)
    --set S.N=V       override a system parameter, such as link.cycles=60
    --nodes N..M      node counts, doubling from N to M (2)
    --batch N         training: samples per node (448)
    --layers N        training: number of layers (20)
    --width N         training: width of all layers (2048)
    --bytes N         put, get, coll, bridge: size, such as 4K; repeatable
    --packet N        put, get: payload bytes per packet (the system's)
    --ports N         put, get: 1 or 2 (1)
    --count N         put, get: queued commands (1)
    --size N          matmul: matrix size; conv: kernel size
                      (1024; 3)
    --op NAME         coll: allreduce, broadcast ... (all)
    --json FILE       results as an array of objects
  scale       scaling of training with the number of nodes (2..4096), with its
              break points; training options as above
    --plot FILE       the curves as SVG, break points named
  paper       figures and curves of the smart NIC paper
    --fit             refit the parameters that the paper does not state
    --json FILE       results as an object
  check       compare predictions with results of fshperf paper, case-study,
              training, or coll or bridge in simulated time;
              options --system, --set and --json as above
    --strict          exit 1 if a point is out of tolerance
  add         add model_cycles and model_error to each result in these files, null
              where it is not modelled; --system, --set as above

  -h, --help          print this
      --version       print the version"""


def read_common(p):
    p.add_argument("--system", default="fshmem")
    p.add_argument("--set", action="append", default=[])


def read_training(p, nodes):
    p.add_argument("--nodes", type=nodes_of, default=nodes)
    p.add_argument("--batch", type=positive, default=448)
    p.add_argument("--layers", type=positive)
    p.add_argument("--width", type=positive)


def positive(text):
    if not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text}: expected 1 or more")
    return int(text)


class Parser(argparse.ArgumentParser):
    def format_help(self):
        return HELP + "\n"

    def error(self, message):
        self.exit(2, f"fshmodel: {message}; see fshmodel --help\n")


def parser(version):
    top = Parser(prog="fshmodel")
    top.add_argument("--version", action="version",
                     version=f"fshmodel (FSHMEM) {version}")
    sub = top.add_subparsers(dest="command", required=True)
    p = sub.add_parser("predict")
    p.add_argument("what", choices=["training", "put", "get", "matmul", "conv", "coll",
                                    "bridge"])
    read_common(p)
    read_training(p, (2, 2))
    p.add_argument("--bytes", type=size_of, action="append")
    p.add_argument("--packet", type=size_of)
    p.add_argument("--ports", type=int, choices=[1, 2], default=1)
    p.add_argument("--count", type=positive, default=1)
    p.add_argument("--size", type=positive)
    p.add_argument("--op", choices=sorted({op for op, _ in collective.KINDS}))
    p.set_defaults(run=predict)
    q = sub.add_parser("scale")
    read_common(q)
    read_training(q, (2, SCALE_MOST))
    q.add_argument("--plot")
    q.set_defaults(run=scale)
    r = sub.add_parser("paper")
    r.add_argument("--fit", action="store_true")
    r.set_defaults(run=show_paper)
    c = sub.add_parser("check")
    read_common(c)
    c.add_argument("files", nargs="+")
    c.add_argument("--strict", action="store_true")
    c.set_defaults(run=check)
    d = sub.add_parser("add")
    read_common(d)
    d.add_argument("files", nargs="+")
    d.set_defaults(run=add)
    for each in (p, q, r, c):
        each.add_argument("--json")
    return top


def main(version, argv=None):
    a = parser(version).parse_args(argv)
    try:
        return a.run(a)
    except (system.Problem, OSError) as error:
        print(f"fshmodel: {error}", file=sys.stderr)
        return 2

# SPDX-License-Identifier: BSD-3-Clause
"""Compares predictions with measurements of fshperf in simulated time (--json files)."""
import copy
import json

from . import bridged, collective, compute, compute_core, network, ring, transfer
from .system import Problem

LIMIT, START_UP = 0.03, 0.05  # of a point; of one that is start-up bound

# What a result assumes, and where a system has it.
ASSUMED = {"link_cycles": ("link", "cycles"), "dram_cycles": ("dram", "read_cycles"),
           "dram_write_cycles": ("dram", "write_cycles"),
           "dram_bytes_cycle": ("dram", "bytes_cycle"),
           "pcie_cycles": ("pcie", "cycles"),
           "pcie_bytes_cycle": ("pcie", "bytes_cycle"),
           "packet_bytes": ("link", "packet_bytes"), "network_ns": ("network", "delay_ns"),
           "read_mb_per_s": ("network", "read_mb_per_s"),
           "write_mb_per_s": ("network", "write_mb_per_s"),
           "entries": ("bridge", "entries"), "buffer": ("bridge", "buffer")}


def _assumed(system, row):
    out = copy.deepcopy(system)
    for name, (section, key) in ASSUMED.items():
        if row.get(name) and section in out:
            out[section][key] = row[name]
    return out


def _transfer(system, row):
    way = {"put": transfer.put, "get": transfer.get}[row["test"][:3]]
    cycles = way(system, row["bytes"], row["packet_bytes"], row["ports"], row["count"])
    fixed = way(system, 1, row["packet_bytes"])
    return "transfers", f"{row['test'][:3]} {row['mode']}", cycles, fixed


def _study(system, row):
    if row["workload"] == "matmul":
        cycles = compute.matmul(system, row["size"], row["nodes"])
        work = compute.matmul(system, row["size"]) / row["nodes"]
    else:
        cycles = compute.conv(system, row["size"], row["nodes"])
        work = compute.conv(system, row["size"]) / row["nodes"]
    return "studies", f"{row['workload']} {row['size']}", cycles, cycles - work


def _collective(system, row):
    key = row["op"], row["algorithm"]
    if row["engine"] == "card":
        return _card(system, row)
    if row.get("type") in ("float", "bfp16"):  # what hosts add are doubles
        return None
    if row["engine"] != "messages" or row["jobs"] != 1 or key not in collective.KINDS \
            or row["memory"] == "private" or row.get("topology", "ring") != "ring" \
            or row["cycles"] is None:
        return None
    args, rest = (system, *key, row["nodes"]), (row["host_costs"],)
    return ("collectives", " ".join(key), collective.hosts(*args, row["bytes"], *rest),
            collective.hosts(*args, 0, *rest))


def _card(system, row):
    """A ring by the engines, whose blocks are whole lines."""
    if (row["op"], row["algorithm"]) != ("allreduce", "ring") or row["jobs"] != 1 \
            or row["memory"] != "segment" or row["host_costs"] != 1 \
            or row["bytes"] % (ring.LINE * row["nodes"]) or row["cycles"] is None:
        return None
    wire = "bfp16" if row.get("type") == "bfp16" else "fp32"
    values = row["bytes"] // compute_core.FP32
    cycles = ring.cycles(system, values, row["nodes"], wire)
    fixed = ring.cycles(system, 1, row["nodes"], wire)
    return "engines", f"allreduce ring {wire}", cycles, fixed


def _training(system, row):
    wires = {"fp32": "fp32", "bfp": "bfp16"}
    if row["system"] not in ("host", *wires):  # conventional cards
        return None
    layers = network.shape(row["layers"], row["width"])
    if row["system"] == "host":  # of which only the sum is modelled
        if row["part"] != "total":
            return None
        cycles = network.hosts(system, row["batch"], row["nodes"], layers)
    else:
        cycles = getattr(network.iteration(system, wires[row["system"]], row["batch"],
                                           row["nodes"], layers), row["part"])
    start = network.submissions(system, row["part"], row["layers"])
    return "training", f"{row['system']} {row['part']}", cycles, start


def _bridge(system, row):
    args = row["path"], row["mode"]
    stage = row.get("stage")
    cycle = 1e3 / system["clock_mhz"]
    row["cycles"], row["nodes"] = row["ns"] / cycle, 1
    return ("bridge", f"{row['path']} {row['mode']}" if stage is None else stage,
            bridged.transfer(system, *args, row["bytes"], stage) / cycle,
            bridged.transfer(system, *args, 1, stage) / cycle)


def point(system, row):
    """Family, name, prediction and start-up of a result; None: not modelled."""
    system = _assumed(system, row)
    if "test" in row:
        if row.get("to") != "last_byte" or not row["test"].endswith("_bw"):
            return None
        return _transfer(system, row)
    if "path" in row:
        return _bridge(system, row)
    if "part" in row:
        return _training(system, row)
    if "workload" in row:
        return _study(system, row)
    return _collective(system, row) if "op" in row else None


def read(paths):
    for path in paths:
        try:
            with open(path) as file:
                rows = json.load(file)
            rows = [row for row in rows if row.get("conduit") == "fpga"
                    or row.get("clock") == "simulated" and "path" in row]
        except (OSError, ValueError, AttributeError) as error:
            raise Problem(f"{path}: {error}") from error
        yield from rows


def add(system, path):
    """Adds model_cycles and model_error to every result of a file; null: not modelled."""
    try:
        with open(path) as file:
            results = json.load(file)
        for row in results:
            found = point(system, dict(row)) if row.get("conduit") == "fpga" else None
            cycles = found and found[2]
            row["model_cycles"] = found and round(cycles, 1)
            row["model_error"] = round(cycles / row["cycles"] - 1, 5) \
                if found and row["cycles"] else None
    except (OSError, ValueError, AttributeError) as error:
        raise Problem(f"{path}: {error}") from error
    with open(path, "w") as file:
        json.dump(results, file, indent=1)
        file.write("\n")


def rows(system, paths):
    """Every modelled result, one dict per point."""
    for row in read(paths):
        found = point(system, row)
        if found is None:
            continue
        family, what, cycles, fixed = found
        startup = fixed > cycles / 2
        error = cycles / row["cycles"] - 1 if row["cycles"] else 0.0
        yield {"family": family, "what": what, "nodes": row.get("nodes", 2),
               "bytes": row.get("bytes", 0), "host_costs": row.get("host_costs"),
               "cycles": row["cycles"],
               "model_cycles": round(cycles, 1), "model_error": round(error, 5),
               "startup": startup,
               "within": abs(error) <= (START_UP if startup else LIMIT)}

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What fshinfo says is so: conduits, devices, settings, and the compute cores,
whose shape is that of the logic."""
import itertools
import json
import os
import pathlib
import random
import re
import tempfile
import tomllib

from fshjob import BIN, CLIENT, FSHRUN, Skip, check, main, run

FSHINFO = os.path.join(BIN, "fshinfo")
ROOT = pathlib.Path(__file__).resolve().parents[2]


def facts():
    code, text = run(FSHINFO, "--json")
    check(code == 0, text)
    return json.loads(text)


def settings_and_conduits():
    code, text = run(FSHINFO)
    check(code == 0 and "FSHMEM_START_TIMEOUT" in text, text)
    code, text = run(FSHINFO, "--json", env={"FSHMEM_DRAM": "64M",
                                          "FSHMEM_SIM": "/no/such/fshsim",
                                          "FSHMEM_PACKET": "300"})
    check(code == 0, text)
    info = json.loads(text)
    usable = {c["name"]: c for c in info["conduits"] + info["devices"]}
    check(usable["smp"]["usable"], "smp")
    check(not usable["fpga"]["usable"], "fpga without its simulator")
    check("/no/such/fshsim" in usable["sim"]["why"], usable["sim"]["why"])
    options = {o["name"]: o for o in info["options"]}
    check(options["FSHMEM_DRAM"] == {
        **options["FSHMEM_DRAM"], "value": "64M", "default": "2G",
        "source": "environment", "type": "size", "valid": True}, "FSHMEM_DRAM")
    check(options["FSHMEM_TOPOLOGY"]["source"] == "default", "source")
    check(not options["FSHMEM_PACKET"]["valid"], "an invalid value is shown")
    check(info["host"]["cpus"] >= 1 and info["version"], "host facts")


def core_is_that_of_the_logic():
    core = facts()["compute"]["fpga"]
    rtl = ROOT / "hw" / "rtl" / "compute"
    array = dict(re.findall(r"parameter int unsigned (\w+) += (\d+)",
                            (rtl / "fsh_array.sv").read_text()))
    check(core["rows"] == int(array["ROWS"]) and
          core["columns"] == int(array["COLS"]), f"{core} {array}")
    ports = {name: int(high) + 1 for high, name in re.findall(
        r"logic +\[(\d+):0\] m_core_(\w+)_[io]\b",
        (rtl.parent / "top" / "fsh_card.sv").read_text())}
    check(core["memory_ports"] == ports["arvalid"] and
          core["memory_ports"] * core["memory_port_bits"] == ports["rdata"],
          f"{core} {ports}")
    spec = tomllib.loads((ROOT / "spec" / "fshmem.toml").read_text())
    for enum in spec["enum"]:
        if enum["name"] == "COP":
            check(core["commands"] == [v[0] for v in enum["values"]],
                  f"{core['commands']}")


def core_adds_up():
    core = facts()["compute"]["fpga"]
    check(core["macs_per_cycle"] ==
          core["rows"] * core["columns"] * core["block"], f"{core}")
    check(core["gops"] == 2 * core["macs_per_cycle"] * core["clock_mhz"] / 1000,
          f"{core}")
    _, text = run(FSHINFO)
    for part in (f"{core['rows']} x {core['columns']} elements",
                 f"{core['gops']} GOPS at {core['clock_mhz']} MHz",
                 f"{core['memory_ports']} of {core['memory_port_bits']} bits",
                 " ".join(core["commands"])):
        check(part in text, f"no '{part}' in {text}")


def software_uses_what_the_processor_has():
    with open("/proc/cpuinfo") as f:
        flags = set(re.search(r"^flags\s*:(.*)|\Z", f.read(), re.M)[0].split())
    avx2 = {"avx2", "fma"} <= flags
    avx512 = avx2 and {"avx512f", "avx512bw", "avx512vl",
                       "avx512_vnni"} <= flags
    want = ["portable"] + ["avx2"] * avx2 + ["avx512"] * avx512
    core = facts()["compute"]["smp"]
    check(core == {"instructions": want[-1], "available": want},
          f"{core}, flags: {want}")
    _, text = run(FSHINFO)
    check(f" C, {want[-1]} chosen\n" in text, text)
    for i, isa in enumerate(("portable", "avx2", "avx512")):
        _, text = run(FSHINFO, env={"FSHMEM_INSTRUCTIONS": isa})
        check(f" C, {want[min(i, len(want) - 1)]} chosen\n" in text, text)


def fabric(*args, **more):
    code, text = run(FSHINFO, "fabric", *args, **more)
    check(code == 0, text)
    return text


def cables(*args):
    """Ends (node, port) of each cable, from --dot."""
    text = fabric(*args, "--dot")
    check(text.startswith("graph fabric {") and text.endswith("}\n"), text)
    found = [tuple(map(int, hit)) for hit in re.findall(
        r"^  (\d+) -- (\d+) \[taillabel=(\d), headlabel=(\d)\];$", text, re.M)]
    return [((a, p), (b, q)) for a, b, p, q in found]


def distances(nodes, ends):
    far = [[0 if a == b else 99 for b in range(nodes)] for a in range(nodes)]
    for (a, _), (b, _) in ends:
        far[a][b] = far[b][a] = 1
    for m, a, b in itertools.product(range(nodes), repeat=3):
        far[a][b] = min(far[a][b], far[a][m] + far[m][b])
    return [far[a][b] for a in range(nodes) for b in range(nodes) if a != b]


def least_cut(nodes, ends):
    return min(sum((a in half) != (b in half) for (a, _), (b, _) in ends)
               for half in map(set, itertools.combinations(range(nodes),
                                                           nodes // 2)))


def fabric_adds_up():
    """The summary is what follows from the cables: all cuts are tried here."""
    for name, nodes in (("ring", 2), ("ring", 7), ("line", 6), ("mesh:4x2", 8),
                        ("mesh:3x3", 9), ("torus:4x3", 12), ("torus:3x3", 9),
                        ("torus:2x2x2", 8), ("torus:4x2", 8), ("full", 7),
                        ("hypercube", 8), ("mesh:5x2", 10)):
        ends = cables("--topology", name, "-n", nodes)
        plugs = [end for cable in ends for end in cable]
        check(len(plugs) == len(set(plugs)), f"{name}: a port used twice")
        text = fabric("--topology", name, "-n", nodes)
        far = distances(nodes, ends)
        for line in (f"{name} of {nodes} nodes", f"nodes {nodes}",
                     f"cables {len(ends)}",
                     f"ports used {1 + max(p for _, p in plugs)}",
                     f"diameter {max(far)} link",
                     f"average path {sum(far) / len(far):.3f} links",
                     f"bisection {least_cut(nodes, ends)} cable",
                     "deadlock none: no cycle of channels"):
            check(line in re.sub(" +", " ", text), f"no '{line}' in {text}")


def fabric_without_sides():
    """Cables in no order, so that no half looks like another."""
    rng = random.Random(4711)
    for nodes in 9, 10, 11:
        lines = [f"{n} - {rng.randrange(n)}" for n in range(1, nodes)]
        lines += [f"{a} - {b}" for a, b in
                  (rng.sample(range(nodes), 2) for _ in range(nodes // 2))]
        with tempfile.NamedTemporaryFile("w", suffix=".cables") as f:
            f.write("\n".join(lines))
            f.flush()
            ends = cables("--topology", "file:" + f.name)
            text = re.sub(" +", " ", fabric("--topology", "file:" + f.name))
        check(len(ends) == len(lines), text)
        check(f"bisection {least_cut(nodes, ends)} cable" in text and
              "or fewer" not in text, f"{ends}: {text}")


def fabric_beyond_all_cuts():
    """Not all cuts are tried, but these are known."""
    for name, least in (("mesh:5x5", 6), ("mesh:7x5", 6), ("mesh:5x7", 6),
                        ("torus:5x5", 12), ("torus:7x7", 16)):
        text = re.sub(" +", " ", fabric("--topology", name))
        check(f"bisection {least} cables or fewer" in text, text)
    # The first again, with numbers that say nothing.
    number = random.Random(4712).sample(range(25), 25)
    with tempfile.NamedTemporaryFile("w", suffix=".cables") as f:
        for (a, _), (b, _) in cables("--topology", "mesh:5x5"):
            f.write(f"{number[a]} - {number[b]}\n")
        f.flush()
        text = re.sub(" +", " ", fabric("--topology", "file:" + f.name))
    check("bisection 6 cables or fewer" in text, text)


def fabric_is_drawn():
    text = fabric("--topology", "torus:3x2")
    check("\n  --  0 --  1 --  2 --\n     ||    ||    ||\n"
          "  --  3 --  4 --  5 --\n\n" in text, text)
    text = fabric("--topology", "mesh:2x2")
    check("\n      0 --  1\n      |     |\n      2 --  3\n\n" in text, text)
    text = fabric("--topology", "ring", "-n", 14)
    check(" 11 --\n  -- 12 -- 13 --\n" in text, text)
    text = fabric("--topology", "torus:2x1x3")
    check("  z = 2\n      4 ==  5\n  port 4" in text, text)
    check(max(map(len, fabric("--topology", "torus:12x5").splitlines())) <= 80,
          "too wide")
    text = fabric("--topology", "full", "-n", 3)
    check("\n   2:  0 to 0.1  1 to 1.1\n" in text, text)


def fabric_of_a_file():
    """Its number of nodes need not be told."""
    with tempfile.NamedTemporaryFile("w", suffix=".cables") as f:
        for n in range(23):
            f.write(f"{n} - {n + 1}\n")
        f.flush()
        text = fabric("--topology", "file:" + f.name)
        check("of 24 nodes" in text and "all shortest paths" in text and
              re.search(r"bisection +1 cable or fewer \(the least of \d+ cuts",
                        text), text)
        f.write("23 - 0\n")
        f.flush()
        text = fabric(env={"FSHMEM_TOPOLOGY": "file:" + f.name})
        check("up, then down; root is node 0" in text and
              re.search(r"bisection +2 cables or fewer", text), text)


def fabric_by_default():
    check(fabric().startswith("ring of 4 nodes (default)\n"), fabric())
    check(fabric("-n", 9).startswith("torus:3x3 of 9 nodes (default)\n"),
          fabric("-n", 9))
    _, text = run(FSHINFO)
    check(re.search(r"topology, fpga +ring", text), text)


def coll(*args, code=0):
    got, text = run(FSHINFO, "coll", *map(str, args))
    check(got == code, text)
    return text


def collectives_are_listed():
    """Each call with what can do it, and what a call of so many bytes gets."""
    text = coll("-n", 8)
    calls = re.findall(r"^  (\w+)\n((?:    .*\n)+)", text, re.M)
    check(len(calls) == 10, text)
    for call, lines in calls:
        names = re.findall(r"^    (\w+)  ", lines, re.M)
        chosen = re.search(r"    chosen: (.*)", lines)[1]
        taken = re.findall(r"(?:^|on )(\w+)", chosen)
        check(names and taken and set(taken) <= set(names), f"{call}: {lines}")
    _, text = run(FSHINFO, "coll", env={"FSHMEM_COLL_BROADCAST": "chain"})
    check("    chain, requested by FSHMEM_COLL_BROADCAST\n" in text, text)


def collectives_are_shown():
    """A binomial tree of 8: three levels; two trees, in which all others are reached."""
    text = coll("--show", "binomial", "--call", "broadcast", "-n", 8)
    check(text.count("  rank ") == 8, text)
    check(re.findall(r"-- (\d)", text) == list("1234567") and
          "\n  `-- 4\n      |-- 5\n      `-- 6\n          `-- 7\n" in text, text)
    text = coll("--show", "double_tree", "-n", 8, "--root", 3)
    first, second = text.split("From the root")[1:]
    for tree in first, second:
        check(sorted(re.findall(r"-- (\d)", tree)) == list("0124567"), text)
    text = coll("--show", "doubling", "--call", "scan", "-n", 2, "--exclusive")
    check("  rank 1\n    0:1 = DST[0]\n" in text.replace("SRC[0] + 0:0 = TMP[0]\n    ", ""),
          text)


def collectives_refuse():
    check("no such algorithm" in coll("--show", "best", code=2), "algorithm")
    check("does not support scan" in coll("--show", "ring", "--call", "scan", code=2), "call")
    check("ranks are 0 to 3" in coll("--show", "chain", "-n", 4, "--root", 4, code=2),
          "root")
    check("1 to 64" in coll("-n", 65, code=2), "ranks")


def cards_are_shown():
    """Whose node is which, in a job in which some ranks have no card."""
    for cards, nodes in (("2", [0, 1, None, None]), ("1,3", [None, 0, None, 1]),
                         ("2,", [None, None, 0, None])):
        code, text = run(FSHINFO, "fabric", "-n", 4, "--cards", cards)
        count = sum(node is not None for node in nodes)
        check(code == 0 and f" of {count} nodes" in text, text)
        table = text.split("  rank  node\n")[1].splitlines()
        check(len(table) == 4, text)
        for rank, node in enumerate(nodes):
            want = [str(rank), *(["no", "card"] if node is None else [str(node)])]
            check(table[rank].split() == want, f"{table[rank]} {want}")


def networks(name):
    """Providers of conduit ofi that can be used on that interface, or in that domain."""
    _, text = run(FSHINFO, "--json", env={"FSHMEM_OFI_INTERFACE": name})
    found = json.loads(text)["providers"]
    if not found:
        raise Skip("no libfabric")
    return [p["name"] for p in found if p["usable"]]


def only_the_interface_that_is_named():
    """A provider that does not look at the name, as net of libfabric 1.17, is not used."""
    check(networks("lo"), "lo")
    check(networks("nosuch0") == [], f"nosuch0: {networks('nosuch0')}")
    code, text = run(FSHRUN, "-n", 2, "--conduit", "ofi", CLIENT,
                     env={"FSHMEM_OFI_INTERFACE": "nosuch0"})
    check(code == 1 and "no network interface nosuch0" in text and "interfaces: lo" in text,
          f"{code} {text}")


CASES = [collectives_are_listed, collectives_are_shown, collectives_refuse,
         settings_and_conduits, only_the_interface_that_is_named, cards_are_shown,
         fabric_adds_up, fabric_without_sides, fabric_beyond_all_cuts, fabric_is_drawn,
         fabric_of_a_file, fabric_by_default, core_is_that_of_the_logic, core_adds_up,
         software_uses_what_the_processor_has]

if __name__ == "__main__":
    main(CASES)

# SPDX-License-Identifier: BSD-3-Clause
"""Counts cells and the time of the longest path of a flat yosys netlist
(write_json). Used by synth.py.

The unit is the level of logic: a LUT and the net to it. Other cells count by
their delay, so that levels represent time: the picoseconds of a path are summed and
divided by LEVEL, rounded up. The delays are those that yosys 0.23 gives its own
mapper (share/yosys/xilinx/cells_sim.v, from the timings of an Artix-7 that
prjxray measured; net: 300, the mapper's default). Newer parts are uniformly
faster: a level is not the time of a given part, and implies no clock frequency.

    net, to any input except those below                       300
    LUT, mean of its inputs; read of distributed RAM or SRL    420
    MUXF7, 8, 9: no net before them                            296
    carry chain, first bit: from S or DI, without LUT and net  580
        each further four bits                                 114
        from the chain to a sum, a carry in the middle         334, 271
    block RAM without output register: data, in excess of a
        register's (which is left out of every path)           2454 - 303
    DSP, between its registers, which may be its own or those
        around it: six levels. 2823 there, but LUTs have since
        improved more than DSPs                                4320
    inverters                                                  0, no net

A LUT that feeds a carry chain precedes it without a net. Fan-out and
placement are not modelled. Paths start at registers, block RAM and inputs,
and end there and at outputs.
"""
import collections
import json
import math
import re

LUT_OF_RAM = {"RAM32M16": 8, "RAM64M8": 8, "RAM32M": 4, "RAM64M": 4,
              "RAM32X1D": 2, "RAM64X1D": 2, "RAM128X1D": 4, "RAM32X1S": 1,
              "RAM64X1S": 1, "RAM128X1S": 2, "RAM256X1D": 8, "RAM512X1S": 8}
SEQUENTIAL = re.compile(r"FD[A-Z]+|LD[A-Z]+|RAMB\w+|URAM\w+|DSP\w+|MISTRAL_FF"
                        r"|MISTRAL_M\d+K|altsyncram|\$scopeinfo")
# Picoseconds, see above.
NET, LUT, MUXF = 300, 420, 296
LEVEL = NET + LUT
CARRY_IN, CARRY_FOUR, CARRY_SUM, CARRY_OUT = 580, 114, 334, 271
BLOCK_RAM = 2454 - 303
MULTIPLIER = 6 * LEVEL
FREE = {"INV", "MISTRAL_NOT", "BUFG", "IBUF", "OBUF"}
NAMED = re.compile(r"[A-Za-z_][\w.\[\]]*")


class Netlist:
    """One flat module: cells as (type, inputs by pin, outputs by pin)."""

    def __init__(self, path, top):
        with open(path, encoding="utf-8") as file:
            module = json.load(file)["modules"][top]
        self.cells = module["cells"]
        self.ports = module["ports"]
        self.names = {}
        for name, net in module["netnames"].items():
            for index, bit in enumerate(net["bits"]):
                known = self.names.get(bit)
                label = f"{name}[{index}]" if len(net["bits"]) > 1 else name
                if known is None or rank(label) < rank(known):
                    self.names[bit] = label

    def count(self):
        return collections.Counter(c["type"] for c in self.cells.values())

    def levels(self):
        """Longest path: (levels, names along it, start first, with the levels
        so far)."""
        arcs = collections.defaultdict(list)  # output bit -> [(input bit, ps)]
        ends = []
        self.luts = {bit for cell in self.cells.values()
                     if cell["type"].startswith("LUT")
                     for bit in cell["connections"]["O"]}
        for cell in self.cells.values():
            ends.extend(self.cell_arcs(cell, arcs))
        for port in self.ports.values():
            if port["direction"] == "output":
                ends.extend(port["bits"])
        depth = longest(arcs)
        ends = [b for b in ends if isinstance(b, int)]
        if not ends:
            return 0, []
        bit = max(ends, key=lambda b: depth.get(b, 0))
        path = [bit]
        while arcs.get(path[-1]):
            path.append(max(arcs[path[-1]],
                            key=lambda a: depth.get(a[0], 0) + a[1])[0])
        return math.ceil(depth.get(bit, 0) / LEVEL), [
            f"{depth.get(b, 0) / LEVEL:5.2f} {self.label(b)}"
            for b in reversed(path)]

    def label(self, bit):
        if isinstance(bit, str):
            return bit
        name = self.names.get(bit, "?")
        if NAMED.fullmatch(name):
            return name
        source = re.search(r"(fsh_\w+\.sv:\d+)", name)
        return source.group(1) if source else "."

    def dsp_arcs(self, cell, pins, arcs):
        """Inputs with a register end a path, an output with one starts it; what
        lies between is the multiplier, through which paths go otherwise."""
        def has(register):
            return int(str(cell.get("parameters", {}).get(register, "0")), 2) != 0

        inside = -1 - len(arcs)  # names the product, where it is not registered
        ends = []
        for pin, bit in pins["input"]:
            if has(pin[0] + "REG") or pin.startswith(("CLK", "CE", "RST")):
                ends.append(bit)
            else:
                arcs[inside].append((bit, MULTIPLIER))
        if not arcs[inside]:
            arcs[inside].append((inside - 1, MULTIPLIER))  # from its own registers
            arcs[inside - 1] = []
        if has("PREG") or has("MREG"):
            ends.append(inside)
        else:
            for _, out in pins["output"]:
                arcs[out].append((inside, 0))
        return ends

    def cell_arcs(self, cell, arcs):
        """Adds the arcs through a cell; gives the bits that end in it."""
        kind = cell["type"]
        if kind.startswith("CARRY"):
            return carry_arcs(cell, arcs, self.luts)
        pins = {"input": [], "output": []}
        for pin, bits in cell["connections"].items():
            pins[cell["port_directions"][pin]] += \
                [(pin, b) for b in bits if isinstance(b, int)]
        if kind.startswith("DSP"):
            return self.dsp_arcs(cell, pins, arcs)
        if SEQUENTIAL.fullmatch(kind) or "fsh_" in kind:  # ... or a box
            if kind.startswith("RAMB"):
                for _, out in pins["output"]:
                    arcs[out].append(("block RAM", BLOCK_RAM))
            return [b for _, b in pins["input"]]
        through = pins["input"]
        ends = []
        if kind in LUT_OF_RAM or kind.startswith("SRL") or kind == "MISTRAL_MLAB":
            through = [(p, b) for p, b in through if is_read_address(kind, p)]
            ends = [b for p, b in pins["input"] if not is_read_address(kind, p)]
        for _, out in pins["output"]:
            for pin, bit in through:
                arcs[out].append((bit, cost(kind, pin)))
        return ends


def carry_arcs(cell, arcs, luts):
    """Adds the arcs of a carry cell: a bit depends on those below it only."""
    through = [(pin, index, bit) for pin, bits in cell["connections"].items()
               if cell["port_directions"][pin] == "input"
               for index, bit in enumerate(bits) if isinstance(bit, int)]
    for pin, bits in cell["connections"].items():
        if cell["port_directions"][pin] != "output":
            continue
        for index, out in enumerate(bits):
            for source, place, bit in through:
                above = source == "CI_TOP" and index < 4
                if isinstance(out, int) and place <= index and not above:
                    time = carry_time(source, place, pin, index)
                    if source in ("S", "DI") and bit not in luts:
                        time += NET if source == "DI" else LEVEL
                    arcs[out].append((bit, time))
    return []


def carry_time(source, place, pin, index):
    """From bit `place` of input `source` to bit `index` of output `pin`."""
    fours = index // 4
    out = CARRY_SUM if pin == "O" else 0 if index % 4 == 3 else CARRY_OUT
    if source == "CI":
        return fours * CARRY_FOUR + (CARRY_FOUR if not out else out)
    if source == "CI_TOP":
        return CARRY_FOUR if not out else out
    fours -= place // 4
    if fours == 0:
        return CARRY_IN
    return CARRY_IN + (fours - 1) * CARRY_FOUR + (CARRY_FOUR if not out else out)


def is_read_address(kind, pin):
    if kind.startswith("SRL"):
        return pin.startswith("A")
    if kind == "MISTRAL_MLAB":
        return pin.startswith("B1ADDR")
    return pin.startswith(("ADDR", "DPRA")) or re.fullmatch(r"A\d*", pin)


def cost(kind, pin):
    if kind in FREE or (kind == "MISTRAL_ALUT_ARITH" and pin == "CI"):
        return 0
    return MUXF if kind.startswith("MUXF") else LEVEL


def rank(name):
    """Names a person chose first, then short ones."""
    return (0 if NAMED.fullmatch(name) else 1, len(name))


def longest(arcs):
    """Depth of every driven bit; raises on a combinational loop."""
    depth, state = {}, {}
    for root in list(arcs):
        stack = [root]
        while stack:
            bit = stack[-1]
            if state.get(bit) == 2:
                stack.pop()
                continue
            waiting = [b for b, _ in arcs.get(bit, ()) if state.get(b) != 2]
            if waiting and state.get(bit) == 1 and \
                    any(state.get(b) == 1 for b in waiting):
                raise ValueError(f"combinational loop at bit {bit}")
            state[bit] = 1
            if waiting:
                stack.extend(waiting)
                continue
            depth[bit] = max((depth.get(b, 0) + c for b, c in arcs.get(bit, ())),
                             default=0)
            state[bit] = 2
            stack.pop()
    return depth


def xilinx_area(cells):
    lut = sum(n for t, n in cells.items() if re.fullmatch(r"LUT\d|SRL\w+", t))
    lut += sum(LUT_OF_RAM.get(t, 0) * n for t, n in cells.items())
    return {"lut": lut,
            "ff": sum(n for t, n in cells.items() if t.startswith("FD")),
            "bram": cells["RAMB36E2"] + cells["RAMB18E2"] / 2,
            "dsp": sum(n for t, n in cells.items() if t.startswith("DSP"))}


def intel_area(cells):
    """ALMs as Intel packs them at best and at worst.

    An ALM holds one 6-input function, or two of at most five inputs if they
    share enough of them, two bits of arithmetic, and four registers. Twenty
    words of distributed RAM take ten ALMs. Best: all small functions pair and
    registers fit beside them. Worst: nothing pairs.
    """
    small = sum(cells[f"MISTRAL_ALUT{n}"] for n in (2, 3, 4, 5))
    fixed = cells["MISTRAL_ALUT_ARITH"] / 2 + cells["MISTRAL_MLAB"] / 2 \
        + cells["MISTRAL_ALUT6"]
    ff = cells["MISTRAL_FF"]
    return {"alm": max(fixed + small / 2, ff / 4),
            "alm_unpaired": max(fixed + small, ff / 4),
            "ff": ff,
            "bram": cells["altsyncram"] + cells["MISTRAL_M20K"]
            + cells["MISTRAL_M10K"],
            "dsp": sum(n for t, n in cells.items() if t.startswith("MISTRAL_MUL"))}

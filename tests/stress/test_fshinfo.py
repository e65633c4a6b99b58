#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What fshinfo says is so: conduits, devices, settings, and the compute cores,
whose shape is that of the logic."""
import json
import os
import pathlib
import re
import tomllib

from fshjob import BIN, check, main, run

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


CASES = [settings_and_conduits, core_is_that_of_the_logic, core_adds_up,
         software_uses_what_the_processor_has]

if __name__ == "__main__":
    main(CASES)

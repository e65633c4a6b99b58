#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the tools say of a wrong command line: the option as it was typed, the
limit, the remedy; never a path, never the setting behind an option."""
import json
import os
import tempfile

from fshjob import BIN, FSHRUN, HAVE_SIM, RANKS, check, main, run


def refused(tool, words, *texts, env=None, code=2):
    """One line of the tool's name that names what was typed."""
    got, output = run(os.path.join(BIN, tool), *words, env=env, limit=30)
    what = f"{tool} {words}: {output!r}"
    check(got == code, f"code {got}, not {code}: {what}")
    for text in texts:
        check(text in output, f"no '{text}': {what}")
    check(BIN not in output, f"a path: {what}")
    check("FSHMEM_" not in output, f"a setting: {what}")
    check(all(line.startswith((tool + ": ", f"Try '{tool} --help'"))
              for line in output.splitlines()), what)
    return output


def mistyped_options():
    smp = ["-n", 2, "--conduit", "smp"]
    for words, texts in {
            ("--tiemout", 5): ["--tiemout", "did you mean --timeout?"],
            ("--tiemout=5",): ["--tiemout", "did you mean --timeout?"],
            ("-timeout", 5): ["-timeout", "did you mean --timeout?"],
            ("-vz",): ["-vz: unknown option -z"],
            ("--xyzzy",): ["--xyzzy: unknown option; fshrun --help"],
            ("--ta=1",): ["--tag-output takes no value"],
            ("--t",): ["--t:", "--topology", "--timeout", "--tag-output"],
    }.items():
        output = refused("fshrun", [*smp, *words, "true"], *texts)
        check("--xyzzy" not in words or "did you mean" not in output, output)
    refused("fshrun", [*smp, "--timeout"], "--timeout: its value is missing")
    refused("fshrun", ["-n"], "-n: its value is missing")
    refused("fshinfo", ["--jsn"], "--jsn", "did you mean --json?")
    refused("fshinfo", ["-json"], "-json", "did you mean --json?")
    refused("fshinfo", ["settings"], "unexpected argument 'settings'")
    refused("fshinfo", ["fabrc"], "unexpected argument 'fabrc'")
    refused("fshinfo", ["fabric", "--dt"], "fabric: ", "did you mean --dot?")
    refused("fshinfo", ["fabric", "-n", 65], "fabric: -n 65: expected", "1 to 64")
    refused("fshinfo", ["fabric", "--topology", "torus:4x4", "-n", 12],
            "topology torus:4x4: it has 16 nodes, the job 12: use -n 16")
    refused("fshperf", ["smp", "--quik"], "--quik", "did you mean --quick?")
    refused("fshperf", ["--vresion"], "--vresion", "did you mean --version?")
    refused("fshperf", ["case-stduy"], "did you mean case-study?")
    refused("fshperf", ["smp", "--json"], "smp: --json: its value is missing")
    refused("fshperf", ["smp", "--mode", "x"], "smp: --mode x: expected one of "
            "seq|par|both")
    refused("fshperf", ["smp", "quick"], "smp: unexpected argument 'quick'")
    refused("fshperf", ["smp", "--xyzzy"], "fshperf smp --help lists them")
    if not HAVE_SIM:
        return
    refused("fshsim", ["--stast"], "--stast", "did you mean --stats?")
    refused("fshsim", ["--seed"], "--seed: its value is missing")
    refused("fshsim", ["--seed", "x"], "--seed x: expected a number from 0 to ")
    refused("fshsim", ["--link-cycles", str(1 << 32)],
            "expected a number from 0 to 4294967295")
    refused("fshsim", ["x"], "unexpected argument 'x'; try 'fshsim --help'")
    code, output = run(FSHRUN, "-n", 1, "--conduit", "fpga", "--sim-args",
                       "--lnk-cycles 3", RANKS)
    check(code == 1 and output.startswith("fshrun: simulator: --lnk-cycles: ")
          and "did you mean --link-cycles?" in output, f"{code} {output!r}")


def mistake_of_a_benchmark_is_said_once():
    """... also where each rank reads the command line."""
    for words, start in ((["paper", "--breif"], "paper: --breif: unknown"),
                         (["paper", "--link-cycles"], "paper: --link-cycles: "),
                         (["papre"], "unknown command papre; did you mean "),
                         ([], "no command given; commands: paper, ")):
        code, output = run(FSHRUN, "-n", 3, "--conduit", "smp",
                           os.path.join(BIN, "fshperf"), *words)
        check(code == 2 and output.count("\n") == 1 and
              output.startswith("fshperf: " + start), f"{code} {output!r}")


def wrong_values():
    """By the option that was typed; the environment by the setting."""
    for conduit, option, value, *texts in (
            ("fpga", "--packet", "100", "128|256|512|1024"),
            ("fpga", "--packet", "", "128|256|512|1024"),
            ("fpga", "--topology", "torus", "ring|line|mesh:AxB|torus:AxB|"),
            ("fpga", "--topology", "torus:4x4", "it has 16 nodes, the job 2: "
             "use -n 16, or torus:2x1"),
            ("fpga", "--topology", "file:/no/cables", "/no/cables: No such"),
            ("fpga", "--dram", "1K", "from 16M to "),
            ("fpga", "--dram", "", "from 16M to "),
            ("fpga", "--dram", "lots", "from 16M to "),
            ("smp", "--segment-max", "1", "from 4K to"),
            ("smp", "--timeout", "soon", "seconds")):
        refused("fshrun", ["-n", 2, "--conduit", conduit, option, value,
                           "true"], f"{option} {value}: ", *texts)
    code, output = run(FSHRUN, "-n", 2, "true", env={"FSHMEM_PACKET": "100"})
    check(code == 1 and output.startswith("fshrun: FSHMEM_PACKET=100: ") and
          "--packet" not in output, f"{code} {output!r}")
    # The option goes before the environment, and is right.
    code, output = run(FSHRUN, "-n", 2, "--segment-max", "1M", "true",
                       env={"FSHMEM_SEGMENT_MAX": "no"})
    check(code == 0, f"{code} {output!r}")


def topology_is_shown():
    """... and which one if none was asked for; one that cannot be is refused by
    the name of what was set, with what to do."""
    fpga = ["-t", "--conduit", "fpga", "-n"]
    for n, option, name in ((12, [], "torus:4x3 (default),"),
                            (4, ["--topology", "line"], "line,")):
        code, output = run(FSHRUN, *fpga, n, *option, "true")
        check(code == 0 and f"topology {name}" in output, output)
    code, output = run(FSHRUN, *fpga, 12, "true",
                       env={"FSHMEM_TOPOLOGY": "mesh:4x4"})
    check(code == 1 and output.startswith(
        "fshrun: FSHMEM_TOPOLOGY=mesh:4x4: it has 16 nodes, the job 12: use "
        "-n 16, or mesh:4x3"), f"{code} {output!r}")
    code, output = run(FSHRUN, *fpga, 4, "true",
                       env={"FSHMEM_TOPOLOGY": "star"})
    check(code == 1 and "FSHMEM_TOPOLOGY=star: expected one of" in output,
          f"{code} {output!r}")
    # Other conduits have none.
    code, output = run(FSHRUN, "-t", "-n", 3, "--conduit", "smp", "true",
                       env={"FSHMEM_TOPOLOGY": "mesh:4x4"})
    check(code == 0 and "topology" not in output.split("setting:")[0],
          f"{code} {output!r}")


def cards_are_shown():
    """Which ranks have one; a number that cannot be, or another conduit, is refused."""
    for cards, ranks in (("2", "0 1"), ("1,3", "1 3"), ("2,", "2"), ("4", "0 1 2 3")):
        code, output = run(FSHRUN, "-t", "-n", 4, "--cards", cards, "true")
        check(code == 0 and output.startswith(
            f"job: 4 ranks, conduit mixed, cards of ranks {ranks}, topology ring"), output)
    for cards in "0", "5", "x", "1,4", ",", "1,,3":
        refused("fshrun", ["-n", 4, "--cards", cards, "true"], f"--cards {cards}: 1 to 4")
    code, output = run(FSHRUN, "-n", 2, "--cards", 1, "--conduit", "smp", "true")
    check(code == 2 and "--cards is for conduit mixed" in output, output)
    code, output = run(FSHRUN, "-n", 2, "--cards", 1, "--clock", "simulated", "true")
    check(code == 1 and "ranks without a card have no simulated time" in output, output)


def mistake_in_a_cable_file():
    """... is named with its line."""
    with tempfile.NamedTemporaryFile("w", suffix=".cables") as f:
        f.write("0 - 1 # one\n1 - 7\n")
        f.flush()
        refused("fshrun", ["-n", 2, "--conduit", "fpga", "--topology",
                           f"file:{f.name}", "true"],
                f"--topology file:{f.name}: {f.name}:2: node 7 does not exist",
                "the job has 2 nodes")


def program_beside_the_launcher():
    """... is found, after those in PATH."""
    env = {"PATH": "/usr/bin:/bin"}
    code, output = run(FSHRUN, "-n", 1, "--conduit", "smp", "fshperf",
                       "--version", env=env)
    check(code == 0 and "fshperf" in output, f"{code} {output!r}")
    with tempfile.TemporaryDirectory() as place:
        other = os.path.join(place, "fshperf")
        with open(other, "w", encoding="utf-8") as f:
            f.write("#!/bin/sh\necho the one in PATH\n")
        os.chmod(other, 0o755)
        code, output = run(FSHRUN, "-n", 1, "fshperf",
                           env={"PATH": f"{place}:/usr/bin:/bin"})
        check(code == 0 and output == "the one in PATH\n", f"{code} {output!r}")
    code, output = run(FSHRUN, "-n", 1, "no-such-program", env=env)
    check(code == 127 and "not found in PATH or beside fshrun" in output,
          f"{code} {output!r}")


def waves_are_fst():
    if not HAVE_SIM:
        return
    with tempfile.TemporaryDirectory() as place:
        vcd = os.path.join(place, "x.vcd")
        words = ["-n", 1, "--conduit", "fpga", "--waves"]
        refused("fshrun", [*words, vcd, RANKS], "--waves", "FST",
                f"{vcd[:-4]}.fst")
        code, output = run(FSHRUN, "-n", 1, "--conduit", "fpga", "--sim-args",
                           f"--waves {vcd}", RANKS)
        check(code == 1 and "FST" in output, f"{code} {output!r}")
        check(not os.path.exists(vcd), "a file that nobody can read")


def settings_without_effect():
    """A list of their own; one line where somebody waits for a file."""
    env = {"GASNET_TRACEFILE": "trace-%", "GASNET_STATSFILE": "",
           "GASNET_BARRIER": "DISSEM"}
    code, output = run(FSHRUN, "-n", 3, RANKS, env=env)
    said = [l for l in output.splitlines() if l.startswith("fsh")]
    check(code == 0 and len(said) == 1 and said[0].startswith(
        "fshrun: GASNET_TRACEFILE=trace-%: no trace is written"), output)
    code, output = run(FSHRUN, "-n", 1, RANKS,
                       env={**env, "GASNET_QUIET": "1"})
    check(code == 0 and "TRACEFILE" not in output, output)
    info = os.path.join(BIN, "fshinfo")
    code, output = run(info, env={"GASNET_BARRIER": "DISSEM"})
    lines = [l for l in output.splitlines() if "GASNET_SPAWNER" in l]
    check(code == 0 and len(lines) == 1 and "default" not in output.split(
        "Accepted")[1], repr(lines))
    check(output.rstrip().endswith("GASNET_BARRIER=DISSEM"), output[-300:])
    _, text = run(info, "--json")
    rows = {o["name"]: o["effect"] for o in json.loads(text)["options"]}
    check(rows["FSHMEM_PACKET"] and not rows["GASNET_SPAWNER"], f"{rows}")


CASES = [mistyped_options, mistake_of_a_benchmark_is_said_once, wrong_values,
         topology_is_shown, cards_are_shown, mistake_in_a_cable_file,
         program_beside_the_launcher, waves_are_fst, settings_without_effect]

if __name__ == "__main__":
    main(CASES)

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks documents against the tree: numbers equal the constants they come from,
names of functions and macros in documents and comments exist, and so do the files
that documents name and link to. Prints each difference; exit 1 if there is any.

A number is a row of NUMBERS: file, pattern with a group for each number, and the
expected values. A blank in the pattern matches any white space. If the text changes, its
row must change with it."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "spec"))
import generate

# Headers whose plain #defines may be used below, in addition to constants and
# enumerations of spec/, defaults of the simulator (SIM_) and of settings (SET_).
HEADERS = ["include/gasnet_direct.h", "src/base/segment.h", "src/boot/job.h",
           "src/compute/submit/submit.h", "src/conduit/conduit.h",
           "src/conduit/fpga/dma.h", "src/conduit/smp/compute_queue.h",
           "src/conduit/smp/layout.h", "src/conduit/smp/port.h",
           "src/conduit/smp/ring.c", "src/conduit/smp/send.h",
           "src/device/sim/sim_shm.h", "src/gasnet/run.h",
           "src/compute/execute/execute.h"]

FPGA = "docs/01_user/conduit-fpga.md"
SMP = "docs/01_user/conduit-smp.md"
ARCH = "docs/03_developer/architecture.md"
CARD = "docs/01_user/simulator-vs-card.md"
MODEL = "docs/02_reference/fshmem.md"
SIM = "sim/README.md"
KI, GI = 1 << 10, 1 << 30

NUMBERS = [
    (FPGA, r"1 to (\d+) ranks", "MAX_NODES"),
    (FPGA, r"with 0 to (\d+) arguments", "MAX_ARGS"),
    (FPGA, r"index (\d+) and up", "OP_LIBRARY"),
    (FPGA, r"`AMMaxArgs` \| (\d+)", "MAX_ARGS"),
    (FPGA, r"`AMMaxMedium` \| (\d+) bytes", "MAX_MEDIUM"),
    (FPGA, r"one command \| (\d+) MiB", "MAX_MESSAGE // KI // KI"),
    (FPGA, r"`FSHMEM_PACKET`: (\d+), 256, 512, (\d+) \(default\)",
     "MIN_PACKET", "MAX_PACKET"),
    (FPGA, r"PUT and GET in flight \| (\d+) a node", "HOST_TAGS"),
    (FPGA, r"link ports \| (\d+);", "MAX_PORTS"),
    (FPGA, r"at most (\d+) GiB", "FSH_SEGMENT_MOST // GI"),
    (SMP, r"1 to (\d+) ranks", "FSH_JOB_MAX_RANKS"),
    (SMP, r"in jobs of up to (\d+) ranks", "MAX_NODES"),
    (SMP, r"every (\d+)th put, every (\d+)th get", "FSH_GASNET_QUIET + 1",
     "(FSH_GASNET_QUIET + 1) // FSH_GASNET_QUIET_CALL"),
    (SMP, r"each transfer of (\d+) KiB", "FSH_GASNET_QUIET_BYTES // KI"),
    (SMP, r"`AMMaxArgs` \| (\d+)", "MAX_ARGS"),
    (SMP, r"`AMMaxMedium` \| (\d+) bytes", "FSH_SMP_LARGE_BYTES"),
    (SMP, r"more than (\d+) GiB", "FSH_SEGMENT_MOST // GI"),
    ("docs/01_user/porting.md",
     r"is (\d+) KiB on `smp` and (\d+) KiB on `fpga`",
     "FSH_SMP_LARGE_BYTES // KI", "MAX_MEDIUM // KI"),
    ("README.md", r"\| ranks \| 1 to (\d+) \| 1 to (\d+) \| 1 to (\d+); ring",
     "FSH_JOB_MAX_RANKS", "FSH_JOB_MAX_RANKS", "MAX_NODES"),
    ("README.md", r"Simulated (\d+) MHz", "CLOCK_MHZ"),
    ("docs/02_reference/gasnet.md", r"`gasnet_AMMaxArgs\(\)` is (\d+)", "MAX_ARGS"),
    (MODEL, r"are (\d+) counters of 32 bits", "NUM_EVENTS"),
    (MODEL, r"with 2\^(\d+) or more signals pending", "EVENT_FULL.bit_length() - 1"),
    (MODEL, r"queue holds (\d+) submissions \(each of at most (\d+) commands",
     "FSH_SMP_LISTS", "FSH_COMMAND_ONCE"),
    (MODEL, r"most (\d+) commands of a rank are at one queue of one node, and (\d+) ",
     "FSH_AREA_COMMANDS", "FSH_COMMANDS_IN_FLIGHT"),
    (MODEL, r"handler index (\d+) \(COMPUTE\)", "OP_COMPUTE"),
    (MODEL, r"logic, (\d+) x (\d+) elements of (\d+)-wide dot products, (\d+) MAC",
     "FSH_COMPUTE_ROWS", "FSH_COMPUTE_COLUMNS", "FSH_COMPUTE_LINE_VALUES",
     "FSH_COMPUTE_ROWS * FSH_COMPUTE_COLUMNS * FSH_COMPUTE_LINE_VALUES"),
    ("hw/rtl/compute/fsh_cqueue.sv", r"int unsigned LISTS = (\d+);", "FSH_SMP_LISTS"),
    ("spec/fshmem.toml", r"at most (\d+) accumulators", "FSH_COMPUTE_ACCUMULATORS"),
    ("spec/fshmem.toml", r"stride \* row_words, at most (\d+)\.",
     "FSH_COMPUTE_OPERAND_WORDS"),
    ("docs/01_user/running.md", r"`FSHMEM_LEAVE_TIMEOUT` \((\d+) s\)",
     "SET_FSHMEM_LEAVE_TIMEOUT"),
    ("docs/01_user/running.md", r"job may take to start \((\d+)\)",
     "SET_FSHMEM_START_TIMEOUT"),
    ("docs/01_user/running.md", r"write response of simulated device memory, (\d+)",
     "SET_FSHMEM_DRAM_WRITE_CYCLES"),
    ("docs/02_reference/gasnet.md", r"`FSHMEM_HOLD_WARNING` seconds \((\d+);",
     "SET_FSHMEM_HOLD_WARNING"),
    (ARCH, r"[Aa] packet of up to (\d+) bytes is eager", "FSH_RUN_EAGER"),
    ("docs/03_developer/testing.md", r"to a poll \((\d+) puts, (\d+) gets",
     "FSH_GASNET_QUIET + 1", "(FSH_GASNET_QUIET + 1) // FSH_GASNET_QUIET_CALL"),
    ("docs/03_developer/testing.md", r"idle or busy, within (\d+) polls",
     "FSH_SMP_LATE_POLLS * FSH_SMP_LATE_LOOKS"),
    (ARCH, r"the DMA window \((\d+) MiB\)", "FSH_SIM_DMA_BYTES // KI // KI"),
    (ARCH, r"RING_ENTRIES × (\d+) B each", "RING_ENTRY_BYTES"),
    (ARCH, r"slot headers \((\d+) B each", "SLOT_HEADER_BYTES"),
    (ARCH, r"slot payloads \((\d+) B each", "MAX_MEDIUM"),
    (ARCH, r"requests and replies, (\d+) entries of (\d+) B each",
     "WINDOW_ENTRIES", "ENTRY_BYTES"),
    (ARCH, r"`window \+ \(index % (\d+)\) \* (\d+)`", "WINDOW_ENTRIES", "ENTRY_BYTES"),
    (ARCH, r"Free entries = (\d+) -", "WINDOW_ENTRIES"),
    (ARCH, r"`SLOT_HDR_BASE \+ index\*(\d+)`", "SLOT_HEADER_BYTES"),
    (ARCH, r"`SLOT_PAY_BASE \+ index\*(\d+) \+ offset`", "MAX_MEDIUM"),
    (ARCH, r"\(opcode ≥ (\d+)\)", "OP_LIBRARY"),
    (ARCH, r"So at most, with (\d+) ranks", "MAX_NODES"),
    (ARCH, r"ranks × SLOTS_PER_PEER \| (\d+) each", "MAX_NODES * SLOTS_PER_PEER"),
    (ARCH, r"tag of the host \| (\d+) \|", "HOST_TAGS"),
    (ARCH, r"SLOTS_PER_PEER × lanes \| (\d+) \|",
     "2 * MAX_NODES * SLOTS_PER_PEER * LANES"),
    (ARCH, r"\(FSH_COMMANDS_IN_FLIGHT\) \| (\d+) \|", "FSH_COMMANDS_IN_FLIGHT"),
    (ARCH, r"\(FSH_AREA_SEQUENCES\) \| (\d+) \|", "COLL_SEQUENCES"),
    (ARCH, r"three quarters, (\d+) entries", "RING_ENTRIES * 3 // 4"),
    (ARCH, r"more than the (\d+) and (\d+) above",
     "HOST_TAGS + 2 * MAX_NODES * SLOTS_PER_PEER * LANES + FSH_COMMANDS_IN_FLIGHT + "
     "COLL_SEQUENCES",
     "MAX_NODES * SLOTS_PER_PEER"),
    (ARCH, r"each of the two queues (\d+) slots of (\d+) bytes",
     "FSH_AREA_COMMANDS", "FSH_AREA_COMMAND_BYTES"),
    (ARCH, r"chunks of up to (\d+) commands", "FSH_COMMAND_ONCE"),
    (ARCH, r"(\d+) commands of a rank are in flight", "FSH_COMMANDS_IN_FLIGHT"),
    (ARCH, r"link (\d+) cycles; DRAM read (\d+) cycles, write response (\d+) cycles "
     r"after the last beat .{0,40}, (\d+) B/cycle shared; PCIe (\d+) cycles each way, "
     r"(\d+) B/cycle", "SIM_link_cycles", "SIM_dram_cycles", "SIM_dram_write_cycles",
     "SIM_dram_bytes_cycle", "SIM_pcie_cycles", "SIM_pcie_bytes_cycle"),
    (CARD, r"clock (\d+) MHz", "CLOCK_MHZ"),
    (CARD, r"\| (\d+) cycles \((\d+) ns\) one way", "SIM_link_cycles",
     "SIM_link_cycles * 1000 // CLOCK_MHZ"),
    (CARD, r"reads (\d+) cycles, write response (\d+) cycles after the last beat, "
     r"(\d+) B/cycle", "SIM_dram_cycles", "SIM_dram_write_cycles",
     "SIM_dram_bytes_cycle"),
    (CARD, r"\| (\d+) cycles each way, (\d+) B/cycle each way", "SIM_pcie_cycles",
     "SIM_pcie_bytes_cycle"),
    (CARD, r"2 to (\d+) nodes", "MAX_NODES"),
    (SIM, r"\| (\d+) cycles, one 128-bit beat", "SIM_link_cycles"),
    (SIM, r"\| (\d+) cycles \| `--dram-cycles`", "SIM_dram_cycles"),
    (SIM, r"\| (\d+) cycles \(the write is posted", "SIM_dram_write_cycles"),
    (SIM, r"\| (\d+) B a cycle \| `--dram-bytes-cycle`", "SIM_dram_bytes_cycle"),
    (SIM, r"\| (\d+) cycles \| `--pcie-cycles`", "SIM_pcie_cycles"),
    (SIM, r"\| (\d+) B a cycle \| `--pcie-bytes-cycle`", "SIM_pcie_bytes_cycle"),
]

# Not a name, but a prefix of several.
FAMILY = re.compile(r"_$|^(?:fsh|FSH)_?$")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
NAME = re.compile(r"\b(?:fsh|FSH)_\w+")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
QUOTED = re.compile(r"`([^`\n]+)`")
FOLDERS = ["bench", "cmake", "docs", "examples", "hw", "include", "scripts", "sim",
           "spec", "src", "tests", "tools"]
TOP = re.compile(rf"^(?:{'|'.join(FOLDERS)})/[\w./*{{}},-]+$")


def files(*suffixes):
    """Files of the tree with these suffixes, except build directories."""
    found = [f for f in ROOT.iterdir() if f.is_file()]
    for folder in FOLDERS:
        found += (ROOT / folder).rglob("*")
    return sorted(str(f.relative_to(ROOT)) for f in found
                  if f.suffix in suffixes and f.is_file())


def constants():
    """Everything that the expressions of NUMBERS may use."""
    spec = generate.load()
    values = {c["name"]: c["value"] for c in spec["const"]}
    for enum in spec["enum"]:
        for row in enum["values"]:
            values[f"{enum['name']}_{row[0]}"] = row[1]
    for header in HEADERS:
        whole = (ROOT / header).read_text().replace("\\\n", "")
        for name, text in re.findall(r"^#define (\w+) ([^\n]+)$", whole, re.M):
            text = COMMENT.sub("", text).replace("(size_t)", "")
            text = re.sub(r"\b(0x[0-9a-f]+|\d+)[uUlL]+\b", r"\1", text).strip()
            if re.fullmatch(r"[\d\sx<()a-f+*-]+", text):
                values[name] = eval(text)
    for name, text in re.findall(r"^\s+\.(\w+) = (\d+),$",
                                 (ROOT / "sim/fabric_make.c").read_text(), re.M):
        values.setdefault(f"SIM_{name}", int(text))
    for name, text in re.findall(r'\("([A-Z_]+)",\s*"(\d+)"',
                                 (ROOT / "src/base/option_table.c").read_text()):
        values[f"SET_{name}"] = int(text)
    return values | {"KI": KI, "GI": GI}


def check_numbers():
    values = constants()
    for path, pattern, *wanted in NUMBERS:
        text = " ".join((ROOT / path).read_text().split())
        found = re.findall(pattern, text)
        if not found:
            yield f"{path}: nothing like /{pattern}/: change scripts/check_docs.py too"
        for numbers in found:
            numbers = [numbers] if isinstance(numbers, str) else numbers
            for number, expression in zip(numbers, wanted, strict=True):
                value = eval(expression, {}, values)
                if int(number) != value:
                    yield f"{path}: /{pattern}/ says {number}, {expression} is {value}"


def known_names(sources):
    """Every word of the sources outside their comments."""
    words = set()
    for path in sources:
        text = (ROOT / path).read_text(errors="replace")
        if not path.endswith(".py"):
            text = COMMENT.sub(" ", text)
        words |= set(re.findall(r"\w+", text))
        words.add(pathlib.Path(path).stem)
    return words


def check_names(documents):
    sources = files(".c", ".h", ".cpp", ".sv", ".svh", ".py", ".toml", ".cmake",
                    ".txt", ".map", ".sh", ".in")
    known = known_names(sources)
    code = [f for f in sources if f.endswith((".c", ".h", ".cpp", ".sv", ".svh"))]
    for path in documents + code:
        text = (ROOT / path).read_text(errors="replace")
        parts = [text] if path in documents else COMMENT.findall(text)
        for name in sorted({n for part in parts for n in NAME.findall(part)}):
            if name not in known and not FAMILY.search(name):
                yield f"{path}: there is no {name}"


def expand(name):
    """a/{b,c} as a/b and a/c."""
    braces = re.search(r"\{([^}]*)\}", name)
    if not braces:
        return [name]
    return [whole for part in braces[1].split(",")
            for whole in expand(name[:braces.start()] + part + name[braces.end():])]


def check_files(documents):
    for path in documents:
        text = re.sub(r"```.*?```", "", (ROOT / path).read_text(), flags=re.S)
        for link in LINK.findall(text):
            if "://" not in link and not (ROOT / path).parent.joinpath(link).exists():
                yield f"{path}: link to {link}, which does not exist"
        for quoted in QUOTED.findall(text):
            name = quoted.removeprefix("<prefix>/")
            if not TOP.match(name) or name.endswith(".mak"):  # made by the build
                continue
            for one in expand(name.rstrip(".,")):
                if not any(ROOT.glob(one)) and not any(ROOT.glob(one + ".*")):
                    yield f"{path}: there is no {one}"


def main():
    documents = files(".md")
    findings = list(check_numbers())
    findings += check_names(documents)
    findings += check_files(documents)
    for finding in findings:
        print(f"check_docs: {finding}", file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Make the manual pages from what is there: section 1 from the tools' --help,
section 3 from the public headers and their pages in docs/02_reference,
one page a group of calls and a link a call, section 7 from pages of docs/01_user and
docs/02_reference. usage: man.py OUTPUT-DIRECTORY VERSION TOOL...
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"

# Section of gasnet.md, page, one line, what its calls look like.
GROUPS = [
    ("The header", "gasnet", "what gasnet.h defines", r"(?!)"),
    ("Starting", "gasnet_job", "start a job, ask about it",
     r"gasnet_(init|attach|getMax\w*|mynode|nodes|get(Segment|Node)Info|getenv"
     r"|Error\w+|client_attach_hook)$"),
    ("Ending", "gasnet_exit", "end a job", r"gasnet_exit$"),
    ("Active messages", "gasnet_am", "active messages",
     r"(gasnet_AM\w+|GASNET_BLOCKUNTIL)$"),
    ("Locks", "gasnet_hsl", "handler-safe locks",
     r"gasnet_(hsl_\w+|hold_\w+|resume_\w+)$"),
    ("Put and get", "gasnet_rma", "put and get in all forms",
     r"gasnet_(put|get|memset|wait_sync|try_sync|begin_nbi|end_nbi)"
     r"(?!env|Seg|Node|Max|[vis]_)\w*$"),
    ("Put and get of memory in pieces", "gasnet_vis",
     "put and get of memory in pieces",
     r"gasnet_(put|get)[vis]_\w+$"),
    ("Barriers", "gasnet_barrier", "barriers", r"gasnet_barrier\w*$"),
    ("Teams", "gasnet_team", "teams and their barriers",
     r"gasnet_coll_(team|barrier)\w*$"),
    ("Collectives", "gasnet_coll", "collectives, blocking and not",
     r"gasnet_coll_(?!team|barrier)\w+$"),
    ("Threads", "gasnet_threads", "threads and waiting",
     r"(gasnet_set_waitmode|GASNET_(GET|POST)_THREADINFO"
     r"|GASNET_BEGIN_FUNCTION)$"),
]
# Pages whose header is not gasnet.h.
HEADERS = {"gasnet_vis": "gasnet_vis.h"}
# The same of fshmem.h; text from a whole page of docs/02_reference.
EXTENSIONS = [
    ("fshmem_coll", "collectives with types and operations",
     r"fshmem_coll_\w+$", "collectives.md"),
    ("fshmem_bridge", "transfers to and from the card of another host",
     r"fshmem_bridge_\w+$", "bridge.md"),
    ("fshmem_compute", "compute cores: commands, events, counters",
     r"fshmem_(?!coll_|bridge_)\w+$", "fshmem.md"),
]
# gasnet_tools.h: page, header, one line, sections of gasnet-tools.md.
TOOLS = [
    ("gasnett_time", "gasnet_tools_time.h", "timers and memory barriers",
     ["Time and memory order"]),
    ("gasnett_atomic", "gasnet_tools_atomic.h", "atomic numbers", ["Atomics"]),
    ("gasnett_threads", "gasnet_tools_threads.h",
     "locks and thread-specific pointers", ["Threads"]),
    ("gasnett_system", "gasnet_tools_system.h",
     "settings, numbers as text, errors, process and machine",
     ["Settings and numbers", "The system"]),
    ("gasnett_diagnostics", "gasnet_tools_job.h", "the library's self-tests",
     []),
]
ATOMIC_OPS = ["init", "set", "read", "increment", "decrement",
              "decrement_and_test", "add", "subtract", "swap",
              "compare_and_swap"]
# Page of section 7, its source, one line.
TOPICS = [
    ("fshmem", "01_user/quickstart.md", "build, install and run a program"),
    ("fshmem-running", "01_user/running.md", "fshrun, exit codes, settings"),
    ("fshmem-porting", "01_user/porting.md", "port a GASNet program"),
    ("fshmem-flavours", "01_user/flavours.md", "debug and everything prefixes"),
    ("fshmem-settings", "02_reference/options.md", "environment variables"),
    ("fshmem-smp", "01_user/conduit-smp.md", "conduit over shared memory"),
    ("gasnet_tools", "02_reference/gasnet-tools.md",
     "the GASNet tools, with a job and without"),
    ("fshmem-fpga", "01_user/conduit-fpga.md", "conduit of FPGA nodes"),
    ("fshmem-ofi", "01_user/conduit-ofi.md", "conduit over libfabric"),
    ("fshmem-mixed", "01_user/conduit-mixed.md", "conduit of ranks with and without cards"),
    ("fshmem-cluster", "01_user/cluster.md", "jobs over several hosts"),
    ("fshmem-reports", "01_user/reports.md", "what a run did, as a page"),
    ("fshmem-traces", "01_user/traces.md", "where the time of a job goes"),
    ("fshmem-waves", "01_user/waves.md", "signals of the nodes in GTKWave"),
]
FAMILIES = ["RequestShort", "RequestMedium", "RequestLong", "RequestLongAsync",
            "ReplyShort", "ReplyMedium", "ReplyLong"]
SEE = "fshrun(1), fshinfo(1), fshmem(7), fshmem-settings(7), gasnet(3)"


def escape(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def inline(text):
    """Markdown within a paragraph."""
    text = escape(re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text))
    text = re.sub(r"`([^`]*)`", r"\\fB\1\\fR", text)
    text = re.sub(r"\*\*([^*]*)\*\*", r"\\fB\1\\fR", text)
    return re.sub(r"(?<!\w)\*([^*\s][^*]*)\*", r"\\fI\1\\fR", text)


def table_row(line):
    cells = [c.strip().replace("\\|", "|") for c in
             re.split(r"(?<!\\)\|", line.strip("|"))]
    rest = "; ".join(c for c in cells[1:] if c)
    return f".TP\n{inline(cells[0])}\n{inline(rest)}\n" if cells[0] else ""


def markdown(lines):
    """Paragraphs, headings, lists, tables and code blocks as man(7)."""
    out, block = [], []

    def flush():
        if not block:
            return
        if all(l.startswith("    ") for l in block):
            code = escape("\n".join(l[4:] for l in block))
            out.append(f".PP\n.RS 4\n.nf\n{code}\n.fi\n.RE\n")
        elif block[0].startswith("|"):
            out.extend(table_row(l) for l in block[2:])
        elif block[0].startswith("- "):
            for item in re.split(r"^- ", "\n".join(block), flags=re.M)[1:]:
                text = re.sub(r"\n\s+", "\n", item.strip())
                out.append(f".IP \\(bu 2\n{inline(text)}\n")
        else:
            out.append(f".PP\n{inline(chr(10).join(block))}\n")
        block.clear()

    for line in lines:
        heading = re.match(r"#+ (.*)", line)
        if heading or not line.strip() or line.startswith(("<!--", "![")):
            flush()
        if heading:
            out.append(f".SH {inline(heading[1]).upper()}\n")
        elif line.strip() and not line.startswith(("<!--", "![")):
            block.append(line)
    flush()
    return "".join(out)


def page(name, section, brief, body, version):
    return (f'.\\" Generated by scripts/man.py. Do not edit.\n'
            f'.TH {name.upper()} {section} "" "FSHMEM {version}"\n'
            ".ad l\n"  # names of signals are wide; lines are not padded
            f".SH NAME\n{name} \\- {escape(brief)}\n{body}"
            f".SH SEE ALSO\n{escape(SEE)}\n")


def option_lines(lines):
    """The lines of --help as man(7): entries of options, and of a tool's commands
    with their options indented below."""
    nested, open_entry, body = False, False, []

    def nest(wanted):
        nonlocal nested
        if nested != wanted:
            body.append(".RS\n" if wanted else ".RE\n")
            nested = wanted

    for line in lines:
        entry = re.match(r"( {2,6})(\S.*?)(?: {2,}(\S.*)| *)$", line)
        if entry and (entry[2][0] == "-" or entry[3]):
            # An option further right than the command above is of that command.
            nest(len(entry[1]) == 4 and (nested or open_entry == "command"))
            open_entry = "option" if entry[2][0] == "-" else "command"
            body.append(f".TP\n\\fB{escape(entry[2])}\\fR\n")
            if entry[3]:
                body.append(f"{escape(entry[3])}\n")
        elif not line.strip():
            nest(False)
            open_entry = False
            body.append(".PP\n")
        else:
            if line[0] != " " and open_entry:
                nest(False)
                open_entry = False
                body.append(".PP\n")
            body.append(f"{escape(line.strip())}\n")
    nest(False)
    return re.sub(r"(\.PP\n)+(?=\.TP|\.PP|\Z)", "", "".join(body))


def tool_page(tool, version):
    name = pathlib.Path(tool).name
    text = subprocess.run([tool, "--help"], check=True, timeout=20,
                          stdout=subprocess.PIPE, text=True).stdout
    lines = text.rstrip().split("\n")
    usage = [lines.pop(0)]
    while lines[0].startswith(" "):
        usage.append(lines.pop(0))
    usage = escape("\n".join(l[6:].strip() for l in usage))
    brief = re.split(r"[.;]", lines[0])[0] or "the benchmarks of FSHMEM"
    body = (f".SH SYNOPSIS\n.nf\n{usage}\n.fi\n.SH DESCRIPTION\n"
            + option_lines(lines))
    return page(name, 1, brief[0].lower() + brief[1:], body, version)


def declarations():
    """(names, text) of the public declarations, with the comment above."""
    found = []
    for header in ("gasnet.h", "gasnet_am.h", "gasnet_extended.h",
                   "gasnet_vis.h", "gasnet_coll.h", "fshmem.h",
                   "fshmem_coll.h", "fshmem_bridge.h"):
        text = (ROOT / "include" / header).read_text(encoding="utf-8")
        text = text.replace("\\\n", " ")
        blocks = re.split(r"\n\s*\n", text)
        for block in blocks:
            lines = [l for l in block.split("\n")
                     if not re.match(r"(#(if|el|en|un|pragma)|#error)", l)]
            code = re.sub(r"/\*.*?\*/", "", "\n".join(lines), flags=re.S)
            names = re.findall(r"\b((?:gasnet|fshmem)_\w+)\)?\(", code)
            names += re.findall(r"#define (GASNET_[A-Z_]+)\(", code)
            if names:
                found.append((names, lines))
    return found


def synopsis(pattern, declared):
    """What a program sees of the group's calls: prototypes and comments."""
    calls, out = [], []
    for names, lines in declared:
        mine = [n for n in names if re.match(pattern, n)
                and not re.match(r"gasnet_AM(Request|Reply)", n)]
        if not mine:
            continue
        calls += [n for n in mine if n not in calls]
        text = "\n".join(l for l in lines if not l.startswith("#define FSH"))
        text = re.sub(r"#define (\w+\([^)]*\)).*", r"\1;", text)
        text = re.sub(r"^[^/*\n;]*\bfsh_[^;]*;\n?", "", text, flags=re.M)
        out.append(text.replace(" __attribute__((__noreturn__))", ""))
    return calls, "\n\n".join(out)


def families():
    """The initiators, which are macros by the dozen in the header."""
    lines = ["/* M = 0 to 16 arguments, each cast to gasnet_handlerarg_t. */"]
    for family in FAMILIES:
        to = ("gasnet_node_t node" if family.startswith("Req")
              else "gasnet_token_t token")
        payload = "" if family.endswith("Short") else "void *src, size_t n, "
        dest = "void *dst, " if "Long" in family else ""
        lines.append(f"int gasnet_AM{family}M({to}, gasnet_handler_t handler,"
                     f"\n        {payload}{dest}...);")
    lines += ["", "/* The same without a number: the count comes first. */",
              "int gasnet_AMRequestShort(gasnet_node_t node, "
              "gasnet_handler_t handler,\n        int count, ...);"]
    return "\n".join(lines)


def call_pages(version):
    parts = sections("02_reference/gasnet.md")
    declared = declarations()
    pages = {}
    for heading, name, brief, pattern in GROUPS:
        calls, text = synopsis(pattern, declared)
        if name == "gasnet_am":
            calls += [f"gasnet_AM{f}{m}" for f in FAMILIES
                      for m in ["", *range(17)]]
            text += "\n\n" + families()
        body = (".SH SYNOPSIS\n.nf\n"
                f"#include <{HEADERS.get(name, 'gasnet.h')}>\n\n"
                f"{escape(text)}\n.fi\n.SH RULES\n"
                + markdown(parts[heading].split("\n")))
        pages[f"{name}.3"] = page(name, 3, brief, body, version)
        for call in calls:
            pages.setdefault(f"{call}.3", f".so man3/{name}.3\n")
    pages.update(extension_pages(declared, version))
    pages.update(tools_pages(version))
    return pages


def sections(path):
    text = (DOCS / path).read_text(encoding="utf-8")
    return dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", text,
                           flags=re.M | re.S))


def tools_synopsis(header):
    """(names, text) of a header of the tools: its first comment, then what it
    declares; inline functions without their bodies."""
    text = (ROOT / "include" / header).read_text(encoding="utf-8")
    intro = re.search(r"^/\*\n(.*?)\*/", text, flags=re.M | re.S)[0]
    body = text.split('extern "C" {\n#endif\n', 1)[1].replace("\\\n", " ")
    # A brace at the left margin opens a function's body.
    body = re.sub(r"\n\{\n.*?\n\}", ";", body, flags=re.S)
    body = re.sub(r"GASNETT_INLINE\(\w+\)\s*", "", body)
    body = re.sub(r"^#define (gasnett_\w+\([^)]*\)).*", r"\1;", body, flags=re.M)
    body = re.sub(r"^#.*\n", "", body, flags=re.M)
    # Types are opaque; marks of the formatter are not the reader's.
    body = re.sub(r"typedef struct \{\s*uint64_t fsh_word\[8\];\s*\} (\w+);",
                  r"typedef struct {...} \1;", body)
    body = re.sub(r"/\* clang-format \w+ \*/\n", "", body)
    blocks = [b for b in re.split(r"\n\s*\n", body)
              if re.search(r"gasnett_\w+[ )]*[(;]", b) and "FSH_" not in b]
    blocks = [re.sub(r"^[^/\n;]*\bfsh_[^;]*;\n?", "", b, flags=re.M)
              for b in blocks]
    # A macro over a function of its name, or for one of two modes.
    seen = set(re.findall(r"^\w.*[ *](gasnett_\w+)\(", body, flags=re.M))

    def first(match):
        known = match[1] in seen
        seen.add(match[1])
        return "" if known else match[0]

    blocks = [re.sub(r"^(gasnett_\w+)\(.*\);(?:\n|$)", first, b, flags=re.M)
              for b in blocks]
    names = re.findall(r"\b(gasnett_\w+)\)?\(", "\n".join(blocks))
    names += re.findall(r"EXTERN [^;(]*\b(gasnett_\w+);", "\n".join(blocks))
    # Not what comments alone are left of: those of the library's own.
    return names, intro + "\n\n" + "\n\n".join(
        b.strip() for b in blocks
        if "gasnett_" in re.sub(r"/\*.*?\*/", "", b, flags=re.S))


def tools_pages(version):
    pages, rules = {}, sections("02_reference/gasnet-tools.md")
    for name, header, brief, headings in TOOLS:
        if name == "gasnett_atomic":
            calls = [f"gasnett_{kind}{width}_{op}" for op in ATOMIC_OPS
                     for kind in ("atomic", "strongatomic")
                     for width in ("", "32", "64")]
            text = (ROOT / "include" / header).read_text(encoding="utf-8")
            text = re.search(r"^/\*\n(.*?)\*/", text, flags=re.M | re.S)[0]
        else:
            calls, text = tools_synopsis(header)
        body = (".SH SYNOPSIS\n.nf\n#include <gasnet_tools.h>\n\n"
                f"{escape(text)}\n.fi\n")
        if headings:
            body += ".SH RULES\n" + "".join(
                markdown(rules[h].split("\n")) for h in headings)
        pages[f"{name}.3"] = page(name, 3, brief, body, version)
        for call in calls:
            pages.setdefault(f"{call}.3", f".so man3/{name}.3\n")
    return pages


def extension_pages(declared, version):
    pages = {}
    for name, brief, pattern, source in EXTENSIONS:
        calls, text = synopsis(pattern, declared)
        manual = (DOCS / "02_reference" / source).read_text(encoding="utf-8")
        body = (f".SH SYNOPSIS\n.nf\n#include <fshmem.h>\n\n{escape(text)}\n.fi\n"
                ".SH DESCRIPTION\n" + markdown(manual.split("\n")[1:]))
        pages[f"{name}.3"] = page(name, 3, brief, body, version)
        for call in calls:
            pages.setdefault(f"{call}.3", f".so man3/{name}.3\n")
    return pages


def main():
    out, version, tools = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
    pages = call_pages(version)
    for tool in tools:
        pages[f"{pathlib.Path(tool).name}.1"] = tool_page(tool, version)
    for name, source, brief in TOPICS:
        text = (DOCS / source).read_text(encoding="utf-8").split("\n")
        body = ".SH DESCRIPTION\n" + markdown(text[1:])
        pages[f"{name}.7"] = page(name, 7, brief, body, version)
    for name, text in pages.items():
        place = out / f"man{name[-1]}"
        place.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Names are text in a report, whatever they are: tags, quotes, entities, control
characters, bytes that are no UTF-8. The last line says "names: pass".

usage: names.py REPORT_NAMES"""
import os
import subprocess
import sys
import tempfile

import page

NAMES = [
    b"plain",
    b"<script>alert(1)</script>",
    b"\"><img src=x onerror=alert(1)>",
    b"' onload='alert(1)",
    b"a & b < c > d \" e ' f",
    b"&lt;&amp;&#60;&nbsp;&bogus",
    b"]]><!-- --><![CDATA[<b>]]>",
    b"</title></style></svg></text></table><h1>",
    b"%s%n%d100 %",
    "Zürich 東京 \U0001f600".encode(),
    b"cut \xc3", b"cut \xe6\x9d A \xc3\xc3\xa9", b"wild \xff\xfe\x80", b"long \xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80",
    b"bell\x07 escape\x1b[31m \x01", b"\xef\xbf\xbf \xef\xbf\xbe",
    b"two\nlines\tand a tab", b"x" * 3000,
]


def shown(name):
    """As a reader sees it: bytes that are no character, one by one, as U+FFFD."""
    text, at = "", 0
    while at < len(name):
        for n in 1, 2, 3, 4:
            try:
                c = name[at:at + n].decode("utf-8")
                break
            except UnicodeDecodeError:
                c = None
        good = c and (c in "\n\t" or c >= " ") and c not in "\ufffe\uffff"
        text += c if good else "\ufffd"
        at += len(c.encode()) if good else 1
    return text


def main():
    found = []
    setting = "/tmp/<b>&\"x' \x01"
    environment = os.environ | {"GASNET_TMPDIR": setting}
    for first in range(len(NAMES)):
        given = NAMES[first:] + NAMES[:first] if first < 2 else [NAMES[first]]
        with tempfile.NamedTemporaryFile(suffix=".html") as file:
            subprocess.run([sys.argv[1].encode(), *given], check=True, timeout=30,
                           stdout=file, env=environment)
            complaints, texts = page.check(file.name)
        found += [f"{given[0]!r}: {c}" for c in complaints]
        for name in given:
            # Title, lead, section, paragraph, facts, table, charts.
            seen = shown(name)
            if complaints or sum(seen in t for t in texts) < 20:
                found.append(f"{name!r} is not what a reader sees")
        if setting.replace("\x01", "\ufffd") not in texts:
            found.append("the setting is not shown")
    print("\n".join(found[:20]))
    print("names: FAILED" if found else f"names: pass ({len(NAMES)})")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: BSD-3-Clause
"""What every report has to be: one file, well-formed both as XML and as HTML, nothing
from elsewhere, no script, a table and a description for who cannot see its charts."""
import html.parser
import pathlib
import re
import xml.etree.ElementTree

# All that a report is made of; anything else has been smuggled in.
TAGS = set("""html head meta title style body main section h1 h2 p strong div dl dt dd
table caption thead tbody tr th td figure figcaption svg desc defs pattern path rect
circle text details summary""".split())
ATTRIBUTES = set("""lang charset http-equiv content name class tabindex role aria-label
aria-labelledby aria-describedby aria-hidden scope viewBox id x y d width height
patternUnits stroke-width fill fill-opacity cx cy r""".split())
EMPTY = {"meta", "path", "rect", "circle"}


class Reader(html.parser.HTMLParser):
    """What a browser would take for tags, and the texts between."""

    def __init__(self):
        super().__init__()
        self.open, self.found, self.texts, self.count = [], [], [], {}

    def handle_starttag(self, tag, attrs):
        self.count[tag] = self.count.get(tag, 0) + 1
        if tag not in TAGS:
            self.found.append(f"<{tag}>")
        for name, value in attrs:
            # HTML has no capitals in names.
            if name not in {a.lower() for a in ATTRIBUTES}:
                self.found.append(f"<{tag} {name}>")
            if name != "content" and value and ":" in value and name != "class" \
                    and name != "aria-label":
                self.found.append(f"<{tag} {name}={value!r}>")
        self.open.append(tag)
        self.texts.append("")

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.found.append(f"</{tag}> ends something else")
        self.texts.append("")

    def handle_data(self, data):
        self.texts.append(data)


def check(path):
    """Complaints about a report, and its texts."""
    data = pathlib.Path(path).read_bytes()
    text = data.decode("utf-8")
    try:
        xml.etree.ElementTree.fromstring(data)
    except xml.etree.ElementTree.ParseError as error:
        return [f"no well-formed XML: {error}"], []
    reader = Reader()
    reader.feed(text)
    reader.close()
    found = reader.found
    if reader.open:
        found.append(f"{reader.open} are not ended")
    styles = re.search(r"<style>(.*?)</style>", text, re.S)[1]
    if re.search(r"url\((?!#)|@import|expression|</", styles):
        found.append("the style loads something")
    if not text.startswith("<!DOCTYPE html>"):
        found.append("no DOCTYPE")
    for figure in re.findall(r"<figure>.*?</figure>", text, re.S):
        if "<title " not in figure or "<desc " not in figure:
            found.append("a figure without title or description")
    return found, reader.texts


def links(text):
    """Addresses in a report; there are none."""
    return re.findall(r"(?i)\b(?:https?|ftp|data|javascript):[^\s'\"]*|\bsrc=|href=",
                      text)


def rows(html, caption):
    """The cells of a table, row by row."""
    for table in re.findall(r"<table>(.*?)</table>", html, re.S):
        if caption in table:
            return [[re.sub(r"<[^>]*>", "", c) for c in
                     re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S)]
                    for row in re.findall(r"<tr>(.*?)</tr>", table, re.S)[1:]]
    return []

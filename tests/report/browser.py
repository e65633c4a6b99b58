#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Opens reports in a real browser (headless Chromium, over its debugging pipe) at
widths from 400 to 1600 pixels, in light, dark and on paper, details closed and open: no
error on the console, nothing loaded, no text on another, no scrolling to the side but in
boxes meant for it, text that can be read. The last line says "browser: pass"; without Chromium the exit
code is 77.

usage: browser.py [--shots DIRECTORY] FILE.html..."""
import argparse
import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

WIDTHS = 400, 640, 1024, 1280, 1600
LIMIT = 60  # seconds for an answer

OPEN = "document.querySelectorAll('details').forEach(e => e.open = %s)"

# Run in the page: complaints as a list of lines.
LOOK = r"""(() => {
  const found = [], name = e => (e.textContent || e.tagName).trim().slice(0, 40);
  if (!document.querySelector('main h1')) return ['this is no report'];
  const root = document.scrollingElement;
  if (root.scrollWidth > innerWidth)
    found.push(`the page is ${root.scrollWidth} wide`);
  for (const svg of document.querySelectorAll('figure svg')) {
    const outer = svg.getBoundingClientRect();
    const all = [...svg.querySelectorAll('text')].map(
        e => [e, e.getBoundingClientRect()]);
    for (const [e, a] of all) {
      if (a.left < outer.left - 1 || a.right > outer.right + 1 ||
          a.top < outer.top - 1 || a.bottom > outer.bottom + 1)
        found.push(`"${name(e)}" leaves its figure`);
      if (a.height < 7) found.push(`"${name(e)}" is ${a.height} high`);
    }
    // Boxes of lines of text have air above and below.
    for (let i = 0; i < all.length; i++)
      for (let j = i + 1; j < all.length; j++) {
        const a = all[i][1], b = all[j][1], air = a.height / 5;
        if (a.left < b.right - 1 && b.left < a.right - 1 &&
            a.top + air < b.bottom - air && b.top + air < a.bottom - air)
          found.push(`"${name(all[i][0])}" is on "${name(all[j][0])}"`);
      }
    if (!svg.querySelector('title') || !svg.querySelector('desc'))
      found.push('a figure without title or description');
  }
  const parts = [...document.querySelectorAll(
      'h1, h2, main > p, section > p, dl, .box, figure, summary')].filter(
      e => e.matches('summary') || !e.closest('details:not([open])')).map(
      e => [e, e.getBoundingClientRect()]);
  for (let i = 0; i < parts.length; i++) {
    const [e, a] = parts[i];
    if (a.right > innerWidth + 1) found.push(`"${name(e)}" is cut off`);
    for (let j = i + 1; j < parts.length; j++) {
      const b = parts[j][1];
      if (a.left < b.right - 1 && b.left < a.right - 1 &&
          a.top < b.bottom - 1 && b.top < a.bottom - 1)
        found.push(`"${name(e)}" is on "${name(parts[j][0])}"`);
    }
  }
  for (const e of document.querySelectorAll('p, dd, th, td, caption, summary, svg text')) {
    const style = getComputedStyle(e);
    const ink = style[e.closest('svg') ? 'fill' : 'color'];
    const light = text => text.match(/[\d.]+/g).slice(0, 3).map(v => {
      v /= 255; return v <= 0.04 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    }).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
    const a = light(ink), b = light(getComputedStyle(document.body).backgroundColor);
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) found.push(`"${name(e)}": contrast ${contrast.toFixed(1)}`);
  }
  const loads = performance.getEntriesByType('resource').map(r => r.name);
  if (loads.length) found.push(`loads ${loads}`);
  return [...new Set(found)].slice(0, 20);
})()"""


class Browser:
    """Chromium at the other end of two pipes (descriptors 3 and 4)."""

    def __init__(self, program, place):
        down, self.write = os.pipe()
        self.read, up = os.pipe()
        # Through others first, as 3 or 4 may be one of them.
        high = [os.dup2(down, 60), os.dup2(up, 61)]
        script = 'exec 3<&60 4>&61 60<&- 61>&-; exec "$0" "$@"'
        self.process = subprocess.Popen(
            ["bash", "-c", script, program, "--headless", "--no-sandbox",
             "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--hide-scrollbars",
             f"--user-data-dir={place}", "--remote-debugging-pipe"],
            pass_fds=high, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for fd in (down, up, *high):
            os.close(fd)
        self.number, self.rest, self.session, self.events = 0, b"", None, []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target,
                                flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def receive(self):
        while b"\0" not in self.rest:
            part = os.read(self.read, 1 << 20)
            if not part:
                raise RuntimeError("Chromium has ended")
            self.rest += part
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def ask(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, url):
        self.events.clear()
        self.ask("Page.navigate", url=url)
        while not any(e.get("method") == "Page.loadEventFired"
                      for e in self.events):
            self.events.append(self.receive())

    def complaints(self):
        """What the console and the network have seen since the page was opened."""
        for event in self.events:
            params = event.get("params", {})
            if event.get("method") == "Runtime.exceptionThrown":
                yield f"script error: {params['exceptionDetails']['text']}"
            elif event.get("method") == "Log.entryAdded":
                yield f"console: {params['entry']['text']}"
            elif event.get("method") == "Network.requestWillBeSent":
                url = params["request"]["url"]
                if not url.startswith(("file:", "data:")):
                    yield f"asks for {url}"

    def close(self):
        os.close(self.write)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.read)


def looks():
    """Names, width, media, scheme and whether to open details of each way to look."""
    for width in WIDTHS:
        yield f"{width}", width, "screen", "light", False
        yield f"{width}-open", width, "screen", "light", True
    yield "1280-dark", 1280, "screen", "dark", True
    yield "print", 794, "print", "light", False  # A4 at 96 a inch


def check(browser, path, shots):
    browser.open(path.resolve().as_uri())
    found = [f"{path.name}: {c}" for c in browser.complaints()]
    for name, width, media, scheme, opened in looks():
        browser.ask("Emulation.setDeviceMetricsOverride", width=width, height=900,
                    deviceScaleFactor=1, mobile=False)
        browser.ask("Emulation.setEmulatedMedia", media=media, features=[
            {"name": "prefers-color-scheme", "value": scheme}])
        browser.ask("Runtime.evaluate", expression=OPEN % json.dumps(opened))
        answer = browser.ask("Runtime.evaluate", expression=LOOK,
                             returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]))
        found += [f"{path.name} at {name}: {c}" for c in answer["result"]["value"]]
        if shots:
            image = browser.ask("Page.captureScreenshot",
                                captureBeyondViewport=True)
            (shots / f"{path.stem}-{name}.png").write_bytes(
                base64.b64decode(image["data"]))
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--shots", type=pathlib.Path)
    parser.add_argument("file", type=pathlib.Path, nargs="+")
    given = parser.parse_args()
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if not program:
        print("browser: SKIPPED: Chromium is not installed (Debian: chromium, "
              "290 MB)")
        return 77
    if given.shots:
        given.shots.mkdir(parents=True, exist_ok=True)
    found = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        browser = Browser(program, place)
        try:
            for path in given.file:
                found += check(browser, path, given.shots)
        finally:
            browser.close()
    print("\n".join(found))
    print("browser: FAILED" if found else f"browser: pass ({len(given.file)} "
          f"pages, {len(list(looks()))} ways each)")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

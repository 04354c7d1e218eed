# SPDX-License-Identifier: BSD-3-Clause
"""What the pages mention in passing is there: commands with their options, files, links, named tests. (That whole blocks run, and
print what stands below them, the tests of single pages hold.)"""
import re
import subprocess
import unittest

from pages import PAGES, PROGRAM, ROOT

SPAN = re.compile(r"`([^`\n]+)`")
FENCED = re.compile(r"^```[^\n]*\n(.*?)^```", re.M | re.S)
LINE = re.compile(r"^(?:    |\$ )?(gpunetsim [^\n]*)$", re.M)
INDENTED = re.compile(r"^    (gpunetsim [^\n]*)$", re.M)
COMMAND = re.compile(r"^(?:\S*/)?gpunetsim +([a-z]+)\b(.*)$", re.S)
OPTION = re.compile(r"(?<!\S)(--[a-z][a-z-]*|-[a-zA-Z])(?=[\s=]|$)")
FILE = re.compile(r"(?<![\w/.])((?:sim|tests|scenarios|configs|docs|plots|claims|probe|cmake|examples|bench|completions)/[\w./*-]+)")
LINK = re.compile(r"\]\(([^)#\s]+)(#[^)]*)?\)")
TEST = re.compile(r"\btests? `([a-z]+)/(\w+)`")


def text_of(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=True).stdout


class Spans(unittest.TestCase):
    def commands(self):
        """(page, subcommand, the rest) of all that is written as a command."""
        for page in PAGES:
            text = page.read_text()
            spans = [span for span in SPAN.findall(text) if "gpunetsim " in span]
            for line in spans + INDENTED.findall(text) + LINE.findall("".join(FENCED.findall(text))):
                found = COMMAND.match(line.split("  #")[0].strip())
                if found:
                    yield page.name, *found.groups()

    def test_commands(self):
        known, count = {}, 0
        usage = set(re.findall(r"(?m)^  gpunetsim ([a-z]+)", text_of("help")))
        for page, name, rest in self.commands():
            with self.subTest(page=page, command=f"{name}{rest}"):
                self.assertIn(name, usage)
                if name not in known:
                    known[name] = set(re.findall(r"(?<!\S)(--?[a-zA-Z][a-z-]*)", text_of("help", name))) | {"--help", "-h"}
                for option in OPTION.findall(rest):
                    self.assertIn(option, known[name])
                count += 1
        self.assertGreater(count, 60)

    def test_files(self):
        """Also those that a command names. A page may leave the folder out, and what it lets the reader write is not there."""
        count = 0
        for page in PAGES:
            text = page.read_text()
            own = set(re.findall(r"file=(\S+)", text))
            for span in SPAN.findall(text):
                for name in FILE.findall(span):
                    name = name.rstrip(".:,")
                    if name in own or "NAME" in name or "ROOM" in name or "FILE" in name:
                        continue
                    with self.subTest(page=page.name, file=name):
                        as_test = "tests/" + re.sub(r"/(\w+)$", r"/test_\1.*", name)
                        self.assertTrue(any(list(ROOT.glob(place)) for place in (name, f"sim/{name}", f"{name}.*", as_test)))
                    count += 1
        self.assertGreater(count, 100)

    def test_links(self):
        for page in PAGES:
            for target, _ in LINK.findall(page.read_text()):
                if "://" not in target:
                    with self.subTest(page=page.name, link=target):
                        self.assertTrue((page.parent / target).exists())

    def test_tests(self):
        for page in PAGES:
            for room, name in TEST.findall(page.read_text()):
                places = [ROOT / "tests" / folder / f"test_{name}{ending}"
                          for folder in (room, "docs") for ending in (".c", ".py")]
                with self.subTest(page=page.name, test=f"{room}/{name}"):
                    self.assertTrue(any(place.exists() for place in places) or (ROOT / f"tests/{room}/{name}.py").exists())


if __name__ == "__main__":
    unittest.main()

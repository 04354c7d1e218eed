# SPDX-License-Identifier: BSD-3-Clause
"""Runs the blocks of a page in their order, in a folder of their own.

    ```lua file=NAME     is written to NAME
    ```sh                each line is a command: `gpunetsim`, the program under test, or `sqlite3 FILE QUERY`
    ```sh fails          each line is a command that ends with exit code 1 or 2
    ```sh not-run        needs what a test does not have, such as a cluster: not run
    ```text              is what the last command has printed, but for what stands for `...`

Within a ```text block a line `...` stands for any lines, and `...` in a line for anything. Blanks at the ends of lines and
how many blanks are in a row do not matter.
"""
import os
import pathlib
import re
import shlex
import sqlite3
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(os.environ["GPUNETSIM_ROOT"])
PROGRAM = os.environ["GPUNETSIM_PROGRAM"]
PAGES = [*(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "bench/README.md", "probe/README.md")),
         *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)(?: file=(\S+)| (fails|not-run))?\n(.*?)^```", re.M | re.S)


def pattern(text):
    """A regular expression for what a block says."""
    lines = []
    for line in text.strip("\n").splitlines():
        if line.strip() == "...":
            lines.append(r"(?:.*\n)*?")
            continue
        parts = [r"[ \t]+".join(map(re.escape, part.split())) for part in line.split("...")]
        gaps = [r"[ \t]*" if part else "" for part in parts]
        lines.append(r"[ \t]*" + r"[ \t]*.*?[ \t]*".join(parts) + r"[ \t]*\n")
    return re.compile("".join(lines) + r"\Z")


class Page(unittest.TestCase):
    """A page of docs/, as `page`."""

    page = None
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        for name in ("scenarios", "configs"):  # as in the project's folder
            (self.path / name).symlink_to(ROOT / name)

    def query(self, store, query):
        """What the program sqlite3 prints."""
        with sqlite3.connect(self.path / store) as database:
            return "".join("|".join(map(str, row)) + "\n" for row in database.execute(query))

    def expand(self, word):
        """As a shell does with `*`."""
        found = sorted(path.name for path in self.path.glob(word)) if "*" in word else []
        return found or [word]

    def command(self, line, fails):
        words = shlex.split(line, comments=True)
        if words[0] == "sqlite3":
            return self.query(*words[1:])
        self.assertEqual(words[0], "gpunetsim", line)
        words = [name for word in words for name in self.expand(word)]
        done = subprocess.run([PROGRAM, *words[1:]], cwd=self.path, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, check=False, env={**os.environ, "COLUMNS": "80"})
        self.assertIn(done.returncode, (1, 2) if fails else (0,), f"{line}\n{done.stdout}{done.stderr}")
        return done.stderr if fails else done.stdout

    def text(self):
        """What run_page runs: the page, or a part of it."""
        return (ROOT / self.page).read_text()

    def run_page(self):
        output, commands = None, 0
        for language, name, option, body in BLOCK.findall(self.text()):
            if option == "not-run":
                continue
            if name:
                (self.path / name).write_text(body)
            elif language == "sh":
                for line in body.replace("\\\n", "").splitlines():
                    output = self.command(line, option == "fails")
                    commands += 1
            elif language == "text":
                self.assertIsNotNone(output, f"{self.page}: no command stands before this output\n{body}")
                self.assertRegex(output, pattern(body), f"{self.page} says\n{body}\nand the program says\n{output}")
        return commands

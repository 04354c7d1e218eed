# SPDX-License-Identifier: BSD-3-Clause
"""docs/use/sensitivity.md: what its commands print is what stands below them, its numbers within 5 %, since any model that
moves by a picosecond moves them. GPUNETSIM_UPDATE=1 writes what they print now."""
import os
import re
import shlex
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "cli"))
from program import PROJECT, ProgramTest, unless_sanitized  # noqa: E402

PAGE = PROJECT / "docs/use/sensitivity.md"
FILE = re.compile(r"```lua file=(\S+)\n(.*?)```\n", re.DOTALL)
NUMBER = re.compile(r"\d+(?:\.\d+)?")
SESSION = re.compile(r"```console\n\$ gpunetsim ([^\n]+)\n(.*?)```\n", re.DOTALL)


class Page(ProgramTest):
    def printed(self, command):
        code, out, err = self.run_program(*shlex.split(command))
        self.assertIn(code, (0, 1), err)
        return "".join(line.rstrip() + "\n" for line in (out + err).splitlines())

    def assert_alike(self, printed, shown, message):
        """The same words, and numbers within 5 % or, of percents, within half a one."""
        words, expected = (" ".join(NUMBER.sub("#", text).replace("+", "-").split()) for text in (printed, shown))
        self.assertEqual(words, expected, message)
        for number, other in zip(NUMBER.findall(printed), NUMBER.findall(shown)):
            allowed = max(0.05 * float(other), 0.5)
            self.assertLessEqual(abs(float(number) - float(other)), allowed, f"{message}\n{printed}")

    @unless_sanitized
    def test_examples(self):
        page = PAGE.read_text()
        for name, text in FILE.findall(page):
            self.write(name, text)
        sessions = SESSION.findall(page)
        self.assertEqual(len(sessions), 6)
        for command, shown in sessions:
            printed = self.printed(command)
            if os.environ.get("GPUNETSIM_UPDATE"):
                page = page.replace(f"$ gpunetsim {command}\n{shown}```", f"$ gpunetsim {command}\n{printed}```")
            else:
                self.assert_alike(printed, shown, f"gpunetsim {command}; GPUNETSIM_UPDATE=1 writes what it prints now")
        if os.environ.get("GPUNETSIM_UPDATE"):
            PAGE.write_text(page)

    @unless_sanitized
    def test_commands(self):
        """The first command of the page, as it stands there."""
        command = re.search(r"```sh\ngpunetsim (sensitivity[^\n]+)\n", PAGE.read_text())[1]
        command = command.replace("scenarios/", f"{PROJECT}/scenarios/").replace("--band 64", "--band 8")
        self.assertIn("host.uncached_load", self.succeed(*shlex.split(command)))
        self.assertEqual(self.files(), ["table.csv", "tornado.svg"])
        command = re.search(r"```sh\ngpunetsim (params[^\n]+)\n", PAGE.read_text())[1]
        self.assertIn("gpu.bus_inbound", self.succeed(*shlex.split(command.replace("scenarios/", f"{PROJECT}/scenarios/"))))


if __name__ == "__main__":
    unittest.main()

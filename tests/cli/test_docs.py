# SPDX-License-Identifier: BSD-3-Clause
"""Studies that stand in the documentation run as they stand there."""
import re
import unittest

from program import PROJECT, ProgramTest, unless_sanitized


class Studies(ProgramTest):
    @unless_sanitized
    def test_studies_page(self):
        page = (PROJECT / "docs/use/studies.md").read_text()
        study = re.search(r"(?ms)^```lua file=bus_latency.lua\n(.*?)^```", page)[1]
        self.write("s.lua", study)
        self.succeed("check", "s.lua")
        self.assertIn("\n100 ", self.succeed("run", "s.lua", "--progress", "none"))

    def test_latin_as_in_the_table(self):
        """An entry of the table of axes, beside a list."""
        entry = 'latin(100, { bus_latency = node:range "bus.latency" })'
        self.assertIn(entry, (PROJECT / "docs/use/studies.md").read_text())
        self.write("s.lua", "local node = require 'configs.gcn3_node'\nreturn study { title = 't',\n"
                            "vary = { %s, bytes = { '8B', '16B' } },\n"
                            "machine = node, run = function(p) return { n = p.sample } end }" % entry)
        self.assertIn("200 points", self.succeed("check", "s.lua"))


if __name__ == "__main__":
    unittest.main()

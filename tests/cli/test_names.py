# SPDX-License-Identifier: BSD-3-Clause
"""Studies and machines by name from any folder, and what help says of the words of a study."""
import os
import shutil
import stat
import subprocess
import unittest

from program import PROGRAM, PROJECT, ProgramTest, unless_sanitized

STUDY = """
local node = require "configs.gcn3_node"
return study {
  title = "Two axes",
  machine = node { nodes = 2 },
  vary = { bytes = { "8B", "1KiB" }, count = { %s }, name = { "a", "b" } },
  run = function() return { time = "%s" } end,
  plot = { x = "%s", y = "time_us", %s },
}
"""


class Names(ProgramTest):
    def test_everywhere(self):
        for arguments in (("check", "fig08a_get_latency"), ("check", "compnet/fig08a_get_latency"), ("check", "gcn3_node"),
                          ("check", "scenarios/compnet/fig08a_get_latency.lua"), ("params", "gcn3_node"),
                          ("topo", "configs/gcn3_node.lua"),
                          ("explain", "fig08a_get_latency", "--point", "design=apu,bytes=8"),
                          ("trace", "fig08a_get_latency", "--point", "design=apu,bytes=8", "-o", "trace.json"),
                          ("run", "graph_launch", "--no-plot")):
            self.succeed(*arguments)
        self.assertTrue((self.folder / "out/graph_launch/results.csv").exists())

    def test_all_scenarios(self):
        """Each file of a folder of scenarios is listed, also one whose name a file of configs/ has that is no machine."""
        listed = {line.split()[0] for line in self.succeed("list", "scenarios").splitlines()[1:] if line.strip()}
        self.assertEqual({path.stem for path in PROJECT.glob("scenarios/*/*.lua")} - listed, set())
        self.succeed("run", "deepep", "-n")

    def test_a_file_here_comes_first(self):
        self.write("gcn3_node", "return 1")
        self.assertIn("gcn3_node: returns a number", self.fail_with(2, "params", "gcn3_node"))
        (self.folder / "summit").mkdir()
        self.succeed("params", "summit")

    def test_unknown(self):
        for command, *options in (("run",), ("explain",), ("sensitivity",), ("trace", "-o", "t.json")):
            sentence = self.fail_with(2, command, "fig08a", *options)
            self.assertEqual(sentence, 'there is no study "fig08a", nor a file of that name; did you mean "fig08a_get_latency"?')
        self.assertIn('did you mean "fig08a_get_latency"?', self.fail_with(2, "run", "fig08a_get_latencies"))
        self.assertRegex(self.fail_with(2, "run", "jacobi"), r'did you mean ("[^"]*jacobi[^"]*", ){4}"[^"]*jacobi[^"]*" or another of the \d+ names with it\?$')
        for command in ("run", "calibrate"):  # a letter is in nearly all names
            self.assertLess(self.fail_with(2, command, "s").count('"'), 5)
        self.assertIn('"gpunetsim list" tells their names', self.fail_with(2, "run", "qqqqqqqqqq"))
        self.assertIn('did you mean "gcn3_node"?', self.fail_with(2, "params", "gcn3_nod"))
        self.assertEqual(self.fail_with(2, "run", "fig08a.lua"), "fig08a.lua: cannot be read: no such file.")

    def test_ambiguous(self):
        root = self.folder / "root"
        for name in ("configs", "scenarios/one", "scenarios/other", "plots", "claims"):
            (root / name).mkdir(parents=True)
        (root / "views").symlink_to(PROJECT / "views")
        for name in ("one", "other"):
            shutil.copy(PROJECT / "scenarios/compnet/fig08a_get_latency.lua", root / f"scenarios/{name}/twice.lua")
        sentence = self.fail_with(2, "run", "twice", GPUNETSIM_ROOT=str(root))
        self.assertEqual(sentence, f'"twice" may be {root}/scenarios/one/twice.lua or {root}/scenarios/other/twice.lua; '
                                   "give the path of the one that is meant.")


class OwnCommand(ProgramTest):
    """A command is a Lua file and an entry of a list."""

    def setUp(self):
        super().setUp()
        self.root = self.folder / "root"
        self.root.mkdir()
        for name in ("configs", "scenarios", "plots", "claims"):
            (self.root / name).symlink_to(PROJECT / name)
        shutil.copytree(PROJECT / "views", self.root / "views")
        commands = self.root / "views/commands.lua"
        commands.write_text(commands.read_text().replace(
            "return {\n", 'return {\n  { name = "told", arguments = "WORD...", description = "Tells words." },\n', 1))
        (self.root / "views/commands/told.lua").write_text("""
return {
  options = { { "often", "whole", "How often", "N", short = "o" }, { "part", "texts", "Parts", "P" }, { "by", "number", "By", "X" }, "json" },
  least = 1, most = 2,
  run = function(given, ...)
    io.write(table.concat({ tostring(given.often), table.concat(given.part or { "none" }, "+"), tostring(given.by), tostring(given.json),
                            ... }, " "), "\\n")
    if given.often == 3 then program.exit(1) end
    if given.often == 4 then error({ sentence = "four is too often" }, 0) end
  end,
}
""")

    def told(self, *arguments):
        return self.run_program("told", *arguments, GPUNETSIM_ROOT=str(self.root))

    def test_options(self):
        self.assertEqual(self.told("a"), (0, "nil none nil false a\n", ""))
        self.assertEqual(self.told("-o2", "a", "--part", "x", "b", "--json", "--part=y", "--by", "1.5"), (0, "2 x+y 1.5 true a b\n", ""))
        self.assertEqual(self.told("-o", "3", "a")[0], 1)

    def test_faults(self):
        for arguments, sentence in ((("-o", "4", "a"), "four is too often."), ((), "told takes WORD..., but was given 0 arguments."),
                                    (("a", "b", "c"), "told takes WORD..., but was given 3 arguments."),
                                    (("a", "--oftn"), "unknown option --oftn; did you mean --often?")):
            self.assertEqual(self.fail_with(2, "told", *arguments, GPUNETSIM_ROOT=str(self.root)), sentence)

    def test_help(self):
        self.assertIn("-o, --often=N", self.told("--help")[1])
        self.assertIn("gpunetsim told WORD...\n      Tells words.\n", self.succeed("help", GPUNETSIM_ROOT=str(self.root)))
        self.assertIn('did you mean "told"?', self.fail_with(2, "tolt", GPUNETSIM_ROOT=str(self.root)))


class Words(ProgramTest):
    def test_help(self):
        for word in ("study", "machine", "vary", "run", "plot", "claims", "measured", "design", "program", "where", "pow2",
                     "only", "over", "least", "speedup", "share", "band", "title", "trials", "conclude", "long"):
            said = self.succeed("help", word)
            self.assertRegex(said, rf"\A{word}((, in a study)?: |\()")  # a call begins with its arguments
        self.assertIn("--no-plot", self.succeed("help", "run"))
        self.assertIn("polling_rounds", self.succeed("help", "design"))
        self.assertIn("did you mean measured", self.fail_with(2, "help", "mesured"))
        self.assertIn('"summit" is a machine: gpunetsim params summit', self.fail_with(2, "help", "summit"))
        self.assertIn('"graph_launch" is a study: gpunetsim run graph_launch', self.fail_with(2, "help", "graph_launch"))


class Figures(ProgramTest):
    def refused(self, count, time, x, rest):
        return self.fail_with(2, "check", self.write("s.lua", STUDY % (count, time, x, rest)))

    def test_means_over_sizes(self):
        self.assertIn('plot.over draws the mean, and "bytes" has different sizes', self.refused("1, 2", "1us", "count", 'over = "bytes"'))
        file = self.write("s.lua", STUDY % ("1, 2", "1us", "bytes", 'by = "name", over = "count"'))
        self.succeed("run", file)
        self.assertIn("mean over count", (self.folder / "out/s/figure.svg").read_text())

    def test_impossible_logarithms(self):
        self.assertIn('takes numbers above 0 as x, and "name" has a', self.refused("1, 2", "1us", "name", 'style = "loglog"'))
        self.assertIn('takes numbers above 0 as x, and "count" has 0', self.refused("0, 2", "1us", "count", 'style = "semilogx"'))
        file = self.write("s.lua", STUDY % ("1, 2", "0us", "count", 'style = "loglog"'))
        _, _, err = self.run_program("run", file)
        self.assertIn('plot.style is "loglog", which takes numbers above 0, and time_us has others', err)


@unless_sanitized
class Quickstart(ProgramTest):
    def test_after_the_build(self):
        """With a cmake and a dpkg-query that have nothing left to do: the script's own commands, and what it says at the end."""
        for name in ("quickstart.sh", "cmake/setup.sh", "README.md"):
            (self.folder / name).parent.mkdir(exist_ok=True)
            shutil.copy(PROJECT / name, self.folder / name)
        for name, text in (("cmake", ":"), ("dpkg-query", "printf installed")):
            tool = self.folder / "tools" / name
            tool.parent.mkdir(exist_ok=True)
            tool.write_text(f"#!/bin/sh\n{text}\n")
            tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
        (self.folder / "build/release").mkdir(parents=True)
        (self.folder / "build/release/gpunetsim").symlink_to(PROGRAM)
        done = subprocess.run(["./quickstart.sh"], cwd=self.folder, capture_output=True, text=True, check=False,
                              env={**os.environ, "PATH": f"{self.folder}/tools:{os.environ['PATH']}", "GPUNETSIM_ROOT": str(PROJECT)})
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        for figure in ("fig08a_get_latency", "cp_clock"):
            self.assertTrue((self.folder / "out" / figure / "figure.svg").exists())
        self.assertIn("link-time optimisation", done.stdout)
        # What it says comes next: the study is changed and run again.
        study = self.folder / "cp_clock.lua"
        study.write_text(study.read_text().replace("4GHz", "3GHz"))
        self.assertRegex(self.succeed("run", "cp_clock.lua"), r"clock \(GHz\)\nbytes +1 +2 +3\n")


if __name__ == "__main__":
    unittest.main()

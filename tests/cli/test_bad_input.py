# SPDX-License-Identifier: BSD-3-Clause
"""Bad input: one clear sentence, the right exit code, and nothing half-written under its final name.

All cases hold for root as well, whom permissions do not stop.
"""
import os
import resource
import shutil
import signal
import subprocess
import unittest

from program import PROGRAM, PROJECT, STUDY, SLOW_STUDY, ProgramTest, unless_sanitized

MACHINE_STUDY = """
return study {
  title = "t",
  machine = machine { name = "m", %s },
  run = function(p) return { n = 1 } end,
}
"""


class BadScripts(ProgramTest):
    """Exit code 2, and file:line of the fault."""

    def fault(self, text):
        self.write("bad.lua", text)
        sentence = self.fail_with(2, "run", "bad.lua")
        self.assertEqual(self.files(), ["bad.lua"])
        return sentence

    def test_unknown_key(self):
        sentence = self.fault(MACHINE_STUDY % 'network = { latncy = "1us" }')
        self.assertRegex(sentence, r"^bad\.lua:\d+: ")
        self.assertIn('"latncy"', sentence)
        self.assertIn('"latency"', sentence)
        self.assertIn("rate", sentence)

    def test_missing_unit(self):
        for bare in ("5", '"5"'):
            sentence = self.fault(MACHINE_STUDY % f"network = {{ latency = {bare} }}")
            self.assertRegex(sentence, r"^bad\.lua:\d+: .*latency.*\bns\b")

    def test_negative_latency(self):
        sentence = self.fault(MACHINE_STUDY % 'network = { latency = "-5ns" }')
        self.assertRegex(sentence, r"^bad\.lua:\d+: .*latency.*-5ns")

    def test_cyclic_require(self):
        self.write("a.lua", 'return require "b"')
        self.write("b.lua", 'return require "a"')
        self.write("bad.lua", 'return require "a"')
        sentence = self.fail_with(2, "run", "bad.lua")
        self.assertRegex(sentence, r"^\S*[ab]\.lua:1: .*a\.lua.*b\.lua")

    def test_endless_loop(self):
        sentence = self.fault("local n = 0\nwhile true do\n  n = n + 1\nend")
        self.assertRegex(sentence, r"^bad\.lua:[234]: ")

    def test_syntax_error(self):
        self.assertRegex(self.fault("return study {\n  title = ,\n}"), r"^bad\.lua:2: ")

    def test_unreadable_files(self):
        (self.folder / "folder.lua").mkdir()
        for name in ("nowhere.lua", "folder.lua"):
            self.assertIn(name, self.fail_with(2, "run", name))
        self.assertEqual(self.files(), [])

    def test_check_finds_the_same(self):
        self.write("bad.lua", MACHINE_STUDY % 'network = { latncy = "1us" }')
        self.assertIn('"latncy"', self.fail_with(2, "check", "bad.lua"))

    def test_check_rehearses_the_points(self):
        """All that is known before the first simulation, with the point at which it shows."""
        text = ("local m = machine { name = 'm' }\nreturn study { title = 't', machine = m,\n"
                "vary = { design = { 'dgpu', 'foo' } },\nrun = function(p)\n  %s\nend,\n%s }")
        call = "local r = get_latency { design = p.design, bytes = '8B' } "
        cases = [
            (call + "return r", "", r'^bad\.lua:5: .*"foo".*dgpu.*; at design=foo\.$'),
            ("return get_latency { design = 'dgpu', byte = '8B' }", "",
             r'^bad\.lua:5: .*"byte".*"bytes".*; at design=dgpu\.$'),
            ("return { a = '1us' }", "plot = { x = 'design', y = 'a_ns' }", r'"a_ns".*a_us'),
            ("return { a = '1us' }", "plot = { x = 'design', y = 'a_us', by = 'b' }", r"plot\.by"),
            ("return { a = 1 }", "plot = { x = 'design', y = 'a', by = 'design', colours = { apo = '#000000' } }",
             r"^bad\.lua:7: plot\.colours names apo"),
            ("return { a = 1 }", "plot = { x = 'design', y = 'a', order = { 'foo' } }", r"^bad\.lua:7: plot\.order names foo"),
            ("return { a = 1 }", "plot = { x = 'design', y = 'a', width = 88 }", r"^bad\.lua:7: plot\.width .*40mm"),
            ("return { a = 1 }", "plot = { x = 'design', y = 'a', gnuplot = 'set output \"x\"' }", r"^bad\.lua:7: plot\.gnuplot has"),
            ("return { a = 1 }", "plot = { x = 'design', y = 'a', legend = { { {} } } }", r"^bad\.lua:7: plot\.legend has to be"),
            ("return { a = 1 }", "claims = { 'Z-99' }", r"Z-99"),
            ("return { design = 1 }", "", r'"design" has the name of an axis; at design=dgpu'),
            ("while true do end", "", r"^bad\.lua:5: the script does not end.*; at design=dgpu"),
        ]
        for run, more, expected in cases:
            with self.subTest(run=run, more=more):
                self.write("bad.lua", text % (run, more))
                self.assertRegex(self.fail_with(2, "check", "bad.lua"), expected)
        known = text.replace("'foo'", "'apu'")
        for run in (call + "return r", call + "return { a = r.latency_us / 2 }", "return { a = 1 }",
                    call + "if p.design == 'dgpu' then return r end return { b = r.latency_us }"):
            with self.subTest(run=run):
                self.write("good.lua", known % (run, "plot = { x = 'design', y = 'b' }" if "b =" in run else ""))
                self.assertEqual(self.succeed("check", "good.lua"), "good.lua: no faults found; 2 points\n")

    def test_check_runs_a_point(self):
        """What shows in a run alone: of the first point; a plot's column that no point has."""
        text = ("return study { title = 't', machine = (require 'configs.gcn3_node') { nodes = 2 },\n"
                "vary = { design = { 'dgpu', 'apu' }, %s },\nrun = function(p)\n"
                "  local r = get_latency { design = p.design, bytes = '8B' }\n  %s\nend,\n%s }")
        cases = [
            ("latency = { 1, 2 }", "return r", "", r'"latency" has the name of an axis; at .*design=dgpu'),
            ("a = { 1 }", "return { b = r.nothing }", "", r'^bad\.lua:5: unknown measure "nothing"'),
            ("a = { 1 }", "local x = r.latency_us error('so')", "", r"^bad\.lua:5: so; at"),
            ("a = { 1 }", "return { b = r.latency_us < 0 and 1 or 0 / 0 }", "", r'^bad\.lua:3: measure "b" has to be a finite'),
            ("a = { 1 }", "return r", "plot = { x = 'a', y = 'latncy' }", r'"latncy".*did you mean latency'),
            ("a = range(1, 100, 1)", "return r", "plot = { x = 'a', y = { 'latency', 'b' } }", r'y is "b", which the results'),
        ]
        for vary, run, more, expected in cases:
            with self.subTest(run=run, more=more):
                self.write("bad.lua", text % (vary, run, more))
                self.assertRegex(self.fail_with(2, "check", "bad.lua"), expected)
                self.assertEqual(self.files(), ["bad.lua"])

    def test_points_that_all_fail_alike(self):
        """The first 20 decide, on any number of workers; what fails for several reasons, or not at first, goes on."""
        numbers = "local n = {} for i = 1, 60 do n[i] = i end\n"
        text = numbers + ("return study { title = 't', machine = machine {}, vary = { n = n },\n"
                          "run = function(p) if %s then error('as always') end return { a = 1 } end }")
        for condition, stops in (("true", True), ("p.n ~= 21", True), ("p.n ~= 20", False), ("p.n > 5", False)):
            self.write("s.lua", text % condition)
            for workers in ("1", "3"):
                for command in (["run", "s.lua", "--no-plot", "--force"], ["sweep", "s.lua", "--store", "s.db", "--redo", "all"]):
                    with self.subTest(condition=condition, workers=workers, command=command[0]):
                        sentence = self.fail_with(1, *command, "-j", workers)
                        self.assertEqual("first 20 points all failed for one reason, so the other 40 were not run" in sentence, stops)
                        self.assertIn("s.lua:3: as always", sentence)
                        self.assertIn("points failed", self.fail_with(1, *command, "-j", workers, "--keep-going"))
        self.write("s.lua", text.replace("'as always'", "'at ' .. p.n") % "true")
        self.assertIn("60 of 60 points failed", self.fail_with(1, "run", "s.lua", "--no-plot", "--force"))

    def test_plot_without_a_figure(self):
        self.write("s.lua", MACHINE_STUDY.replace("machine = machine { name = \"m\", %s },", "machine = machine {}, vary = { a = { 1 } },"))
        self.succeed("sweep", "s.lua", "--store", "s.db")
        for more in ([], ["-o", "svg:a.svg"]):
            self.assertIn("the study has no plot", self.fail_with(2, "plot", "s.lua", "--store", "s.db", *more))
        self.assertEqual(self.files(), ["s.db", "s.lua"])

    def test_what_is_no_file(self):
        os.mkfifo(self.folder / "pipe.lua")
        with open(self.folder / "large.lua", "wb") as large:
            large.truncate(1 << 30)
        for command in ("check", "run", "params"):
            for name in ("pipe.lua", "/dev/zero", "/dev/stdin", "large.lua"):
                with self.subTest(command=command, name=name):
                    self.assertIn(name, self.fail_with(2, command, name))

    def test_computing_time(self):
        """What no count of instructions covers ends with its time, which `script/sandbox_time` sees set; here it ends at once."""
        self.write("bad.lua", "local a = ('x'):rep(6000):rep(10000)\nlocal b = a:sub(2) .. 'y'\nprint('begun')\n"
                              "while true do local c = a < b end")
        program = self.start("run", "bad.lua")
        self.assertEqual(program.stderr.readline(), "begun\n")
        program.send_signal(signal.SIGPROF)
        _, err = program.communicate()
        self.assertEqual(program.returncode, 2)
        self.assertRegex(self.only_sentence(err), r"^bad\.lua:4: .* (30|150) s of computing")
        self.assertEqual(self.files(), ["bad.lua"])

    def test_bad_override(self):
        self.write("good.lua", STUDY % "")
        self.assertIn("latncy", self.fail_with(2, "run", "good.lua", "-s", "network.latncy=1us"))
        self.assertIn("-5ns", self.fail_with(2, "run", "good.lua", "-s", "network.latency=-5ns"))
        self.assertEqual(self.files(), ["good.lua"])

    def test_unknown_claim(self):
        self.write("bad.lua", STUDY % 'claims = { ["Z-99"] = function(r) return 1 end },')
        self.assertIn("Z-99", self.fail_with(2, "run", "bad.lua"))
        self.assertEqual(self.files(), ["bad.lua"])  # before the run, which may take long

    def test_published_values(self):
        """Both ends of a range are numbers: a text was taken for 0, and drawn."""
        study = ('return study { title = "t", machine = machine { name = "m" }, vary = { a = { 1, 2 } }, '
                 'run = function(p) return { n = p.a } end,\nplot = { x = "a", y = "n", published = { %s } } }')
        ends = "plot.published has entries with y = NUMBER or y = { LOW, HIGH }, in the column's unit."
        entry = 'plot.published is a list of { "CLAIM", by = ..., panel = ..., x = ..., y = ... }.'
        for given, problem in (('{ y = { "low", 2 } }', ends), ("{ y = { 1 } }", ends), ("{ y = true }", ends),
                               ("5", entry), ("{ x = 1 }", entry), ('{ "P-T01", z = 1 }', entry), ('{ "P-T01", 5 }', entry),
                               ("{ y = 1, x = 3 }", 'plot.published names 3, which axis "a" does not have.')):
            self.write("bad.lua", study % given)
            self.assertIn("bad.lua:2: " + problem, self.run_program("run", "bad.lua")[2])

    def test_plot_of_unknown_measure(self):
        self.write("bad.lua", (STUDY % "").replace('y = "latency_us"', 'y = "latency_ns"'))
        sentence = self.fail_with(2, "run", "bad.lua")
        self.assertIn("latency_ns", sentence)
        self.assertIn("latency_us", sentence)


class FailingPoints(ProgramTest):
    """One failed point is a row; the others are kept, and the exit code says so."""

    def run_failing(self, failure):
        self.write("s.lua", (STUDY % "").replace("local slow", f"{failure}\n    local slow"))
        sentence = self.fail_with(1, "run", "s.lua")
        self.assertIn("2 of 6 points failed; at bytes=64B,design=one: ", sentence)
        rows = (self.folder / "out/s/results.csv").read_text().splitlines()
        self.assertEqual(rows[0], "bytes,design,latency_us,share,failure")
        self.assertEqual(rows[1], "8,one,3,0.25,")
        self.assertEqual(rows[6], "512,two,6,0.5,")
        self.assertTrue(rows[3].startswith("64,one,,,"))
        self.assertEqual(self.files("out/s"), ["figure-180mm.pdf", "figure.gp", "figure.pdf", "figure.png", "figure.svg", "resolved.json", "results.csv"])
        return sentence

    def test_error_in_a_point(self):
        sentence = self.run_failing('if p.bytes == "64B" then error("no such size") end')
        self.assertIn("no such size", sentence)

    @unless_sanitized
    def test_endless_loop_in_a_point(self):
        sentence = self.run_failing('while p.bytes == "64B" do end')
        self.assertRegex(sentence, r"s\.lua:\d+")


class BadUse(ProgramTest):
    """Exit code 2, before anything is run."""

    def test_commands_and_options(self):
        self.write("s.lua", STUDY % "")
        cases = [
            (["rum", "s.lua"], 'did you mean "run"? "gpunetsim help" lists them all'),
            (["run"], "FILE.lua"),
            (["run", "s.lua", "t.lua"], "FILE.lua"),
            (["run", "s.lua", "--nosuch"], "--nosuch"),
            (["run", "s.lua", "-j", "-1"], "-j -1"),
            (["run", "s.lua", "-j2000"], "-j 2000"),
            (["run", "s.lua", "-snic.nosuch=1"], "nosuch"),
            (["run", "s.lua", "-j", "many"], "many"),
            (["run", "s.lua", "--seed", "-1"], "--seed -1"),
            (["run", "s.lua", "--progress", "loud"], "auto, plain, json, none"),
            (["run", "s.lua", "-o", "xml:f"], "csv|json|"),
            (["run", "s.lua", "-o", "csv:"], "csv|json|"),
            (["reproduce", "--only", "fig08a_get_latenci"], "did you mean fig08a_get_latency"),
            (["help", "nik"], "did you mean nic"),
            (["run", "s.lua", "--colums", "all"], "unknown option --colums; did you mean --columns?"),
            (["run", "s.lua", "--sotre=s.db"], "unknown option --sotre=s.db; did you mean --store?"),
            (["run", "s.lua", "--nothing-like-it"], "unknown option --nothing-like-it; \"gpunetsim run --help\" lists those there are"),
            (["run", "s.lua", "-z"], "unknown option -z; \"gpunetsim run --help\" lists those there are"),
            (["run", "s.lua", "--store", "nowhere/s.db"], "cannot open the store nowhere/s.db: there is no such folder"),
            (["new", "macine", "s"], 'there is no skeleton "macine"; did you mean "machine"? Accepted: design, machine'),
            (["help", "network.latncy"], "did you mean latency"),
            (["params", "nosuch"], "nosuch"),
        ]
        for arguments, part in cases:
            with self.subTest(arguments=arguments):
                self.assertIn(part, self.fail_with(2, *arguments))
        self.assertEqual(self.files(), ["s.lua"])

    def test_a_byte_of_zero_in_a_text(self):
        """What stands behind it would be lost without a word."""
        self.write("s.lua", (STUDY % "").replace('title = "', 'title = "a\\0b'))
        self.assertRegex(self.fail_with(2, "run", "s.lua"), r"s\.lua:\d+: a text has a byte of 0 in it")

    def test_files_that_may_not_grow(self):
        """ulimit -f: an error of the write, as a full disk is; no signal ends the program, and nothing half-written stays."""
        self.write("s.lua", STUDY % "")
        _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, most))
        try:
            sentence = self.fail_with(1, "run", "s.lua", "-o", "json:s.json")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        self.assertIn("File too large", sentence)
        self.assertFalse([name for name in self.files("out/s") if name.startswith(".gpunetsim-new")])

    def test_no_command(self):
        code, out, err = self.run_program()
        self.assertEqual((code, err), (2, ""))
        self.assertIn("gpunetsim run FILE.lua", out)

    def test_unwritable_output_folder(self):
        self.write("s.lua", SLOW_STUDY)
        self.write("file", "")
        for out in ("file", "file/below", "/proc/self"):
            self.assertIn(out, self.fail_with(2, "run", "s.lua", "--out", out))
            self.assertIn(out, self.fail_with(2, "reproduce", "--only", "order", "--out", out))
        self.assertIn("none", self.fail_with(2, "run", "s.lua", "-o", "csv:none/x.csv"))
        self.assertEqual(self.files(), ["file", "s.lua"])


class Accidents(ProgramTest):
    def test_designs_that_are_not_found(self):
        self.write("s.lua", """
return study {
  title = "t",
  machine = machine { name = "m", nodes = 2 },
  vary = { { "design", { "comp-net" } } },
  run = function(p) return get_latency { design = p.design, bytes = "8B" } end,
}
""")
        root = self.folder / "root"
        root.mkdir()
        for name in ("views", "benchmarks"):
            (root / name).symlink_to(PROJECT / name)
        sentence = self.fail_with(1, "run", "s.lua", GPUNETSIM_ROOT=str(root))
        self.assertIn(f'"comp-net" is not known: configs/designs.lua is not found in {root}; GPUNETSIM_ROOT', sentence)
        sentence = self.fail_with(2, "run", "s.lua", GPUNETSIM_ROOT="/nowhere")
        self.assertIn("views is not found in /nowhere; GPUNETSIM_ROOT", sentence)

    def test_missing_gnuplot(self):
        self.write("s.lua", STUDY % "")
        (self.folder / "bin").mkdir()
        sentence = self.fail_with(1, "run", "s.lua", PATH=str(self.folder / "bin"))
        self.assertIn("gnuplot is not installed", sentence)
        self.assertEqual([f for f in self.files("out") if "store.db" not in f], ["s/resolved.json", "s/results.csv"])

    def test_no_figure_no_gnuplot(self):
        self.write("s.lua", STUDY % "")
        self.succeed("run", "s.lua", "--no-plot", PATH="/nonexistent")

    def test_full_device(self):
        """By way of a link, so that no mistake can replace the machine's device."""
        self.write("s.lua", STUDY % "")
        link = self.folder / "full"
        link.symlink_to("/dev/full")
        sentence = self.fail_with(1, "run", "s.lua", "-o", "csv:full", "--no-plot")
        self.assertEqual(sentence, "cannot write full: No space left on device.")
        self.assertTrue(link.is_symlink())

    def test_full_standard_output(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([os.environ["GPUNETSIM_PROGRAM"], "list", "designs"], stdout=full,
                                  stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("standard output", self.only_sentence(done.stderr))

    def test_full_disk(self):
        disk = self.small_disk("16k")
        self.write("s.lua", STUDY % "")
        (disk / "out").mkdir()
        with open(disk / "filler", "wb", buffering=0) as filler:
            try:
                while filler.write(b"x" * 4096):
                    pass
            except OSError:
                pass
        sentence = self.fail_with(1, "run", "s.lua", "--out", "disk/out")
        self.assertEqual(sentence, "cannot write disk/out/results.csv: No space left on device.")
        self.assertEqual(self.files("disk/out"), [])

    def test_interrupted(self):
        self.write("s.lua", SLOW_STUDY)
        for number in (signal.SIGINT, signal.SIGTERM):
            program = self.start("run", "s.lua", "-j", "2", "--progress", "json")
            code, lines = self.interrupt(program, number)
            self.assertEqual(code, 130)
            self.assertTrue(all(line.startswith("{") for line in lines[:-2]), lines)
            self.assertRegex(lines[-2], "points were finished; they are in out/s/results-partial.csv")
            self.assertLess(len(lines), 60)
            self.assertEqual(lines[-1], "gpunetsim: interrupted; files that were not finished have "
                                        "been removed.")
            self.assertEqual(self.files(), ["out/s/results-partial.csv", "s.lua"])

    def test_no_folder_for_temporary_files(self):
        """Where TMPDIR names no folder, figures are drawn by way of /tmp."""
        self.write("s.lua", STUDY % "")
        self.succeed("run", "s.lua", TMPDIR=str(self.folder / "none"))
        self.assertIn("out/s/figure.svg", self.files())

    @unless_sanitized
    def test_small_stack(self):
        """A sentence, and no signal that ends the process."""
        self.write("s.lua", STUDY % "")
        done = subprocess.run([PROGRAM, "run", "s.lua"], cwd=self.folder, capture_output=True, text=True, check=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, (256 << 10, 256 << 10)))
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"^gpunetsim: [^\n]*stack of 1024 KiB[^\n]*\n$")

    def test_interrupted_while_gnuplot_draws(self):
        """gnuplot, which a terminal's Ctrl-C ends as well, is not to be blamed."""
        self.write("s.lua", STUDY % "")
        self.write("bin/gnuplot", "#!/bin/sh\nkill -INT $PPID\nexit 1\n")
        (self.folder / "bin/gnuplot").chmod(0o755)
        for command in (["run", "s.lua"], ["reproduce"]):
            shutil.rmtree(self.folder / "out", ignore_errors=True)  # of another file of this name
            path = f"{self.folder}/bin:{os.environ['PATH']}"
            environment = {"PATH": path}
            if command[0] == "reproduce":
                for name in ("claims", "plots", "views", "configs", "sim", "tests"):
                    (self.folder / name).symlink_to(PROJECT / name)
                self.write("scenarios/s.lua", STUDY % "")
                environment["GPUNETSIM_ROOT"] = str(self.folder)
            sentence = self.fail_with(130, *command, **environment)
            self.assertTrue(sentence.startswith("interrupted"))
            self.assertEqual([f for f in self.files("out") if "store.db" not in f and "resolved" not in f], ["s/results.csv"])


if __name__ == "__main__":
    unittest.main()

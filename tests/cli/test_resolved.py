# SPDX-License-Identifier: BSD-3-Clause
"""resolved.json: a run that is made again, whatever has become of its files; what is left of one that was interrupted."""
import json
import os
import shutil
import signal
import subprocess
import unittest

from program import PROJECT, SLOW_STUDY, STUDY, ProgramTest

STUDY_OF_TWO_FILES = """
local box = require "parts.box"
return study {
  title = "Two files",
  machine = box { nodes = 2 },
  vary = { { "bytes", { "8B", "64B" } }, { "design", { "apu", "comp-net", "none" } } },
  trials = 2,
  run = function(p)
    if p.design == "none" then error("nothing to run") end
    local r = get_latency { design = p.design, bytes = p.bytes, repeats = 3 }
    return { latency = r.latency }
  end,
  plot = { x = "bytes", y = "latency_us", by = "design", over = "trial" },
}
"""
BOX = 'local node = require "configs.gcn3_node"\nreturn function(changes) return node(changes) end -- caf\xe9\n'


class Resolved(ProgramTest):

    def write_study(self):
        self.write("here/s.lua", STUDY_OF_TWO_FILES)
        (self.folder / "here/parts").mkdir()
        (self.folder / "here/parts/box.lua").write_bytes(BOX.encode("latin-1"))

    def run_failing(self, *arguments):
        """One point of each size fails in each study."""
        code, out, err = self.run_program(*arguments)
        self.assertEqual(code, 1, err)
        return out

    def content(self, folder):
        return {name: (self.folder / folder / name).read_bytes() for name in self.files(folder)}

    def test_same_bytes_without_its_files(self):
        self.write_study()
        self.run_failing("run", "here/s.lua", "--out", "first", "--seed", "7", "-s", "network.latency=2us")
        first = self.content("first")
        self.assertEqual(sorted(first), ["figure-180mm.pdf", "figure.gp", "figure.pdf", "figure.png", "figure.svg", "resolved.json",
                                         "results.csv"])
        self.assertIn(b"here/s.lua:", first["results.csv"])  # why a point failed
        shutil.rmtree(self.folder / "here")
        (self.folder / "elsewhere").mkdir()
        self.run_failing("run", "first/resolved.json", "--out", "second")
        self.assertEqual(self.content("second"), first)
        self.run_failing("run", "second/resolved.json", "--out", "second")  # in its own place
        self.assertEqual(self.content("second"), first)

    def test_what_it_says(self):
        self.write_study()
        self.run_failing("run", "here/s.lua", "--out", "o", "--no-plot", "-s", "nic.command_gap=3ns")
        resolved = json.loads((self.folder / "o/resolved.json").read_text())
        self.assertEqual(resolved["seed"], "1")
        self.assertEqual(resolved["overrides"], ["nic.command_gap=3ns"])
        self.assertEqual(resolved["axes"]["bytes"], ["8B", "64B"])
        self.assertEqual(resolved["points"], 12)
        self.assertEqual(resolved["machine_of_first_point"]["nic.command_gap"], "3ns")
        self.assertEqual([file["names"] for file in resolved["files"]], ["", "parts.box", "configs.gcn3_node", "configs.power"])
        self.assertIn("base64", resolved["files"][1])  # it is not UTF-8
        self.assertEqual(resolved["files"][0]["text"], STUDY_OF_TWO_FILES)

    def test_store_knows_its_points(self):
        self.write("s.lua", STUDY % "")
        self.succeed("run", "s.lua", "--no-plot", "--store", "s.db")
        _, _, err = self.run_program("run", "out/s/resolved.json", "--no-plot", "--store", "s.db", "--out", "again",
                                     "--progress", "json")
        self.assertEqual(err, "")  # no point was run

    def test_changes(self):
        """What is set on the command line comes on top."""
        self.write_study()
        self.run_failing("run", "here/s.lua", "--out", "first", "--no-plot")
        self.run_failing("run", "first/resolved.json", "--out", "second", "--no-plot", "-s", "network.latency=5us")
        self.run_failing("run", "here/s.lua", "--out", "third", "--no-plot", "-s", "network.latency=5us")
        self.assertEqual(self.content("second"), self.content("third"))
        self.assertNotEqual(self.content("second"), self.content("first"))

    def test_what_only_tells(self):
        """Nobody changes the machine there and takes the old results for those of the new one."""
        self.write_study()
        self.run_failing("run", "here/s.lua", "--out", "o", "--no-plot")
        text = (self.folder / "o/resolved.json").read_text()
        changes = {"machine_of_first_point": ('"nic.doorbell_latency": "20ns"', '"nic.doorbell_latency": "90ns"'),
                   "axes": ('"bytes": ["8B", "64B"]', '"bytes": ["8B", "128B"]')}
        for told, (before, after) in changes.items():
            self.assertEqual(text.count(before), 1)
            self.write("changed.json", text.replace(before, after))
            code, _, err = self.run_program("run", "changed.json", "--out", "again")
            self.assertEqual(code, 2)
            self.assertIn(f'changed.json: "{told}" was changed, but only tells what was run', err)

    def test_bad_ones(self):
        self.write("s.lua", STUDY % "")
        self.succeed("run", "s.lua", "--no-plot")
        text = (self.folder / "out/s/resolved.json").read_text()
        for bad in ("", "{", "[]", "{}", text.replace("gpunetsim run 1", "gpunetsim run 9"),
                    text.replace('"files"', '"folders"'), text.replace('"seed": "1"', '"seed": "-1"')):
            self.write("bad.json", bad)
            self.assertIn("is no resolved.json", self.fail_with(2, "run", "bad.json"))
        self.write("bad.json", text.replace("slow * 3", "slow * 4"))
        self.assertIn("not what was run", self.fail_with(2, "run", "bad.json"))
        self.write("bad.json", text.replace('"version": "', '"version": "older than '))
        code, _, err = self.run_program("run", "bad.json", "--no-plot", "--out", "other")
        self.assertEqual(code, 0)
        self.assertIn("results of this one may differ", self.only_sentence(err))
        self.assertIn("cannot be read", self.fail_with(2, "run", "none.json"))

    def test_designs_of_the_project(self):
        """They are part of what was run."""
        other = self.folder / "project"
        for name in ("configs", "plots", "views", "claims"):
            shutil.copytree(PROJECT / name, other / name)
        self.write("s.lua", STUDY % "")
        self.succeed("run", "s.lua", "--no-plot", GPUNETSIM_ROOT=str(other))
        self.succeed("run", "out/s/resolved.json", "--no-plot", GPUNETSIM_ROOT=str(other))
        path = other / "configs/designs.lua"
        path.write_text(path.read_text().replace("return {", 'return {\n  ["mine"] = design { from = compnet, '
                                                 'description = "d", source = "s" },', 1))
        sentence = self.fail_with(2, "run", "out/s/resolved.json", "--no-plot", GPUNETSIM_ROOT=str(other))
        self.assertIn("configs/designs.lua", sentence)


class Interrupted(ProgramTest):

    def start_slow(self, *arguments):
        self.write("s.lua", SLOW_STUDY)
        return self.start("run", "s.lua", "-j", "2", "--progress", "json", *arguments)

    def test_partial_results(self):
        """What was finished stays, under a name that says so; the whole takes its place."""
        for place, arguments in (("out/s/results", ()), ("mine", ("-o", "csv:mine.csv", "--no-plot"))):
            program = self.start_slow(*arguments)
            code, lines = self.interrupt(program)
            self.assertEqual(code, 130)
            self.assertRegex(lines[-2], rf"^gpunetsim: \d+ of 60 points were finished; they are in {place}-partial\.csv$")
            rows = (self.folder / f"{place}-partial.csv").read_text().splitlines()
            self.assertEqual(rows[0], "number,sum")
            self.assertEqual(len(rows) - 1, int(lines[-2].split()[1]))
            self.assertFalse((self.folder / f"{place}.csv").exists())
            self.write("s.lua", SLOW_STUDY.replace("5000000", "5"))
            self.succeed("run", "s.lua", *arguments)
            self.assertTrue((self.folder / f"{place}.csv").exists())
            self.assertFalse((self.folder / f"{place}-partial.csv").exists())

    def test_progress_on_demand(self):
        self.write("s.lua", SLOW_STUDY)
        program = self.start("run", "s.lua", "-j", "2", "--no-plot", "--progress", "none", start_new_session=True)
        self.wait_until(lambda: self.running())
        self.wait_until(lambda: len(self.running()) > 1)  # a worker is there
        for number in range(2):
            os.killpg(program.pid, signal.SIGUSR1)  # to the workers, too: they go on
            self.assertRegex(program.stderr.readline(), r"^s: \d+ of 60 points, 0 failed")
        program.send_signal(signal.SIGTERM)
        program.communicate()
        self.assertEqual(program.returncode, 130)

    def test_progress_elsewhere(self):
        """It ends nothing, wherever the program is."""
        self.write("bin/gnuplot", "#!/bin/sh\nkill -USR1 $PPID\nexit 1\n")
        (self.folder / "bin/gnuplot").chmod(0o755)
        self.write("s.lua", STUDY % "")
        sentence = self.fail_with(1, "run", "s.lua", PATH=f"{self.folder}/bin:{os.environ['PATH']}")
        self.assertIn("gnuplot failed", sentence)


class Setting(ProgramTest):
    """-s in what takes a machine, and JSON of the rest."""

    def test_set(self):
        cases = (("topo", "summit"), ("params", "summit"), ("check", str(PROJECT / "configs/summit.lua")),
                 ("osu", "latency", "--sizes", "8B"), ("goal", "--generate", "ring:2", "--machine", "summit"))
        for case in cases:
            with self.subTest(case=case):
                self.assertIn("network.latncy", self.fail_with(2, *case, "-s", "network.latncy=5us"))
                self.assertIn("12", self.fail_with(2, *case, "-s", "network.latency=12"))
        before = self.succeed("osu", "latency", "--sizes", "8B", "-p", "inter-node")
        after = self.succeed("osu", "latency", "--sizes", "8B", "-p", "inter-node", "-s", "network.latency=5us")
        latency = [float(text.splitlines()[-1].split()[1]) for text in (before, after)]
        self.assertGreater(latency[1], latency[0] + 4)
        self.assertNotEqual(self.succeed("topo", "summit", "--node", "-s", "node.gpus_per_socket=2"),
                            self.succeed("topo", "summit", "--node"))
        self.write("s.lua", STUDY % "")
        self.assertIn("command_gp", self.fail_with(2, "check", "s.lua", "-s", "nic.command_gp=3ns"))
        self.assertIn("6 points", self.succeed("check", "s.lua", "-s", "nic.command_gap=3ns"))

    def test_osu_sizes(self):
        sizes = lambda text: [int(line.split()[0]) for line in text.splitlines() if not line.startswith("#")]
        self.assertEqual(sizes(self.succeed("osu", "latency", "--sizes", "8B:64B")), [8, 16, 32, 64])
        self.assertEqual(sizes(self.succeed("osu", "latency", "--sizes", "1000B,1KiB,3B")), [1000, 1024, 3])
        for bad, why in (("8:16", "not a quantity"), ("16B:8B", "larger"), ("8B,", "no size"), ("0B", "1B to 1GiB"),
                         ("2GiB", "1B to 1GiB"), ("", "no size")):
            self.assertIn(why, self.fail_with(2, "osu", "latency", "--sizes", bad), bad)

    def test_json(self):
        self.write("s.lua", STUDY % "")
        self.assertEqual(json.loads(self.succeed("check", "s.lua", "--json")),
                         {"file": "s.lua", "kind": "study", "points": 6})
        self.succeed("sweep", "s.lua", "--store", "s.db")
        status = json.loads(self.succeed("status", "s.db", "--json"))
        self.assertEqual((status["studies"][0]["study"], status["failures"], status["damaged"]), ("s", [], False))
        self.assertEqual([status["studies"][0][name] for name in ("done", "points", "failed")], [6, 6, 0])

    def test_merge_into_a_damaged_store(self):
        self.write("s.lua", STUDY % "")
        self.succeed("sweep", "s.lua", "--store", "s.db")
        (self.folder / "bad.db").write_bytes((self.folder / "s.db").read_bytes()[:5000])
        sentence = self.fail_with(1, "merge", "s.db", "-o", "bad.db")
        self.assertIn("give -o a new name", sentence)
        self.assertNotIn("gpunetsim merge", sentence)


class Twice(ProgramTest):
    """Keys that a table has twice: Lua would take the last."""

    def fault(self, text):
        self.write("d.lua", text)
        return self.fail_with(2, "check", "d.lua")

    def test_found(self):
        self.assertEqual(self.fault('return machine {\n  name = "m",\n  nodes = 2,\n  nic = {},\n  nodes = 4,\n}'),
                         'd.lua:5: "nodes" stands twice in one table, first on line 3; Lua would take the last.')
        self.assertIn('d.lua:1: "a b"', self.fault('local t = { ["a b"] = 1, [\'a b\'] = 2 } return t'))
        self.assertIn('d.lua:2: "a"', self.fault('local t = { f = function() return { a = 1 } end,\na = 1; ["a"] = 2 }'))
        self.assertIn('d.lua:1: "x"', self.fault("local t = { { x = 1, y = { x = 1 }, x = 2 } }"))

    def test_what_is_not_one(self):
        self.write("g.lua", """
            local t = { a = 1, b = { a = 2 }, { a = 3 }, [1] = 2, c = "a = 1, a = 2", d = [[, a = 3]], -- a = 4, a = 5
              f = function(x) local a, b = 1, 2; a = 3; b = { a = 1 }; if a == b then a = 1 else a = 2 end
                for i = 1, 2 do a = 1 end repeat a = 4 until true while false do a = 5 end return a end,
              e = (function(a) a = 1 a = 2 return a end)(1), g = t == a, h = 1 }
            return machine { name = "m" }""".replace("g = t == a, ", ""))
        self.assertIn("no faults", self.succeed("check", "g.lua"))


if __name__ == "__main__":
    unittest.main()

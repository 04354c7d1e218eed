# SPDX-License-Identifier: BSD-3-Clause
"""Good input: what comes out, and that it is the same bytes whenever and however it is run."""
import csv
import io
import json
import os
import re
import subprocess
import unittest
import xml.etree.ElementTree as ElementTree

from program import PROGRAM, STUDY, ProgramTest

EXPECTED_CSV = """bytes,design,latency_us,share
8,one,3,0.25
8,two,6,0.5
64,one,3,0.25
64,two,6,0.5
512,one,3,0.25
512,two,6,0.5
"""


class Run(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("s.lua", STUDY % "")

    def content(self, folder):
        return {name: (self.folder / folder / name).read_bytes() for name in self.files(folder)}

    def test_conclusion(self):
        """What a study concludes of all its results stands behind them as tables; a function that fails is told, and the results stay."""
        conclude = '''conclude = function(r)
          local rows = {}
          for _, row in ipairs(r.rows) do
            if row.bytes == "8B" then rows[#rows + 1] = { row.design, row.share, row.share > 0.3 and "more" or "" } end
          end
          return { { title = "Shares", columns = { "design", "share", "that is" }, rows = rows } }
        end'''
        self.write("s.lua", STUDY % conclude)
        self.assertIn("Shares\ndesign  share  that is\none     0.25\ntwo     0.5    more\n", self.succeed("run", "s.lua", "--no-plot"))
        self.write("s.lua", STUDY % r"conclude = function() return { { title = 'a\0b', columns = { 'c\td' }, rows = { { 'e\nf' } } } } end")
        self.assertIn("a b\nc d\ne f\n", self.succeed("run", "s.lua", "--no-plot", "--force"))
        for returned, words in (("3", "it returns a list of tables, not a number"), ("{ 3 }", "it returns a list of tables, not of a number"),
                                ("{ { title = 't', columns = { 'a' } } }", "a table has a title, columns and rows"),
                                ("{ { title = 't', columns = { 'a' }, rows = { 3 } } }", "a row is a list of cells, not a number"),
                                ("{ { title = 't', columns = { 'a' }, rows = { { {} } } } }", "a cell is a text or a number, not a table")):
            self.write("s.lua", STUDY % f"conclude = function() return {returned} end")
            code, out, err = self.run_program("run", "s.lua", "--no-plot", "--force")
            self.assertEqual(code, 1, err)
            self.assertIn("A made-up study", out)
            self.assertRegex(err, rf"nothing is concluded: \S*s\.lua:\d+: conclude: {words}")

    def test_what_is_written(self):
        out = self.succeed("run", "s.lua")
        self.assertEqual(self.files("out"), ["s/figure-180mm.pdf", "s/figure.gp", "s/figure.pdf", "s/figure.png", "s/figure.svg",
                                              "s/resolved.json", "s/results.csv"])
        self.assertEqual((self.folder / "out/s/results.csv").read_text(), EXPECTED_CSV)
        self.assertIn("A made-up study", out)
        self.assertRegex(out, r"(?m)^bytes +one +two$")
        self.assertRegex(out, r"(?m)^64 B +3 +6$")
        self.assertIn("out/s/results.csv", out)

    def test_figure(self):
        self.succeed("run", "s.lua")
        png = (self.folder / "out/s/figure.png").read_bytes()
        self.assertEqual(png[:8], b"\x89PNG\r\n\x1a\n")
        width, height = (int.from_bytes(png[i:i + 4], "big") for i in (16, 20))
        self.assertTrue(width >= 800 and height >= 500)
        svg = ElementTree.fromstring((self.folder / "out/s/figure.svg").read_text())
        texts = {"".join(e.itertext()).strip() for e in svg.iter("{http://www.w3.org/2000/svg}text")}
        expected = {"A made-up study", "Size", "Latency (µs)", "one", "two", "512 B"}
        self.assertLessEqual(expected, texts)

    def test_same_bytes(self):
        self.succeed("run", "s.lua", "--out", "first", "-j", "1")
        self.succeed("run", "s.lua", "--out", "second", "-j", "1")
        self.succeed("run", "s.lua", "--out", "third", "-j", "2")
        self.succeed("run", "s.lua", "--out", "fourth", LC_ALL="de_DE.UTF-8", TZ="Asia/Tokyo")
        first = self.content("first")
        self.assertEqual(len(first), 7)
        for other in ("second", "third", "fourth"):
            self.assertEqual(first, self.content(other))

    def test_to_standard_output(self):
        self.assertEqual(self.succeed("run", "s.lua", "-o", "csv:-", "--no-plot"), EXPECTED_CSV)
        rows = json.loads(self.succeed("run", "s.lua", "-o", "json:-", "--no-plot"))
        self.assertEqual(rows[1], {"bytes": 8, "design": "two", "latency_us": 6, "share": 0.5})
        self.assertEqual(self.files(), ["s.lua"])

    def test_to_files(self):
        self.succeed("run", "s.lua", "-o", "csv:a.csv", "-o", "json:b.json", "--no-plot")
        self.assertEqual(self.files(), ["a.csv", "b.json", "s.lua"])
        self.assertEqual((self.folder / "a.csv").read_text(), EXPECTED_CSV)

    def test_progress(self):
        code, _, err = self.run_program("run", "s.lua", "--progress", "json", "--no-plot")
        self.assertEqual(code, 0)
        told = [json.loads(line) for line in err.splitlines()]
        self.assertEqual([t["done"] for t in told], [1, 2, 3, 4, 5, 6])
        self.assertEqual(told[-1], {"scenario": "s", "done": 6, "points": 6, "failed": 0})
        _, _, err = self.run_program("run", "s.lua", "--progress", "plain", "--no-plot")
        self.assertRegex(err.splitlines()[-1], r"\As: 6 of 6 points, 0 failed, \d+\.\d points/s, 0 s to go, up to \d+ MiB a point\Z")

    def test_bar_on_a_terminal(self):
        """Only there: every other test of this file demands an empty standard error."""
        own, theirs = os.openpty()
        done = subprocess.run([PROGRAM, "run", "s.lua", "--no-plot"], cwd=self.folder, stderr=theirs,
                              stdout=subprocess.PIPE, check=False)
        os.close(theirs)
        shown = os.read(own, 100000).decode()
        os.close(own)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(shown, r"\r\x1b\[Ks \[#{5}\.{25}\] 1/6(?s:.*)\r\x1b\[Ks \[#{30}\] 6/6")
        self.assertRegex(shown, r"\r\x1b\[Ks: \d+\.\d s\r\n\Z")

    def test_claims(self):
        self.write("c.lua", STUDY % """claims = {
            ["N-39"] = function(r)
              local slow = r:value { bytes = "8B", design = "two" }
              local quick = r:value { bytes = "8B", design = "one" }
              return slow.latency_us / quick.latency_us
            end,
            ["N-40"] = function(r) return { holds = false, note = "made up" } end,
        },""")
        out = self.succeed("run", "c.lua", "--no-plot")
        self.assertRegex(out, r"(?m)^N-39 reproduced by a hair, obtained 2: ")
        self.assertRegex(out, r"(?m)^N-40 missed: .* made up$")

    def test_a_claim_that_fails(self):
        """What goes wrong in its function is an error with its place and its exit code, and no verdict on the model."""
        wrong = ("error('cannot say')", "return nil + 1", "return {{}}", "return 0 / 0", "return r:value { bytes = '7B' }",
                 "return { holds = 'yes' }", "while true do end")
        for number, body in enumerate(wrong):
            name = f"w{number}.lua"
            self.write(name, STUDY % ('''claims = {
                ["N-39"] = function(r) return 3 end,
                ["N-40"] = function(r)
                  %s
                end,
            },''' % body))
            with self.subTest(body=body):
                code, out, err = self.run_program("run", name, "--no-plot")
                self.assertEqual(code, 1)
                self.assertRegex(out, r"(?m)^N-39 reproduced")
                self.assertRegex(out, rf"(?m)^N-40 error: .*{name}:\d+: ")
                self.assertRegex(self.only_sentence(err), rf"claim N-40 could not be evaluated: .*{name}:\d+: ")


class OnHardware(ProgramTest):
    """A study on the project's machine, taken from a folder beside it."""

    def rows(self, *arguments):
        text = self.succeed("run", "get.lua", "-o", "csv:-", "--no-plot", *arguments)
        return list(csv.DictReader(io.StringIO(text)))

    def test_a_parameter_changes_the_result(self):
        """A get crosses the network twice, with at least one cable each time."""
        self.write("get.lua", """
            local node = require "configs.gcn3_node"
            return study {
              title = "A get",
              machine = node { nodes = 2 },
              vary = { design = { "apu", "comp-net" }, bytes = { "8B", "4KiB" } },
              run = function(p) return get_latency { design = p.design, bytes = p.bytes } end,
            }""")
        before, again = self.rows(), self.rows("--seed", "1")
        after = self.rows("-s", "network.latency=5us")
        self.assertEqual(len(before), 4)
        self.assertEqual(before, again)
        for a, b in zip(before, after):
            self.assertGreater(float(b["latency_us"]), float(a["latency_us"]) + 2 * 4)

    def test_an_override_fits_the_machine_of_the_study(self):
        """What goes together with the other values of that machine, and not of the defaults, is accepted; what does not, is not."""
        self.write("s.lua", """
            return study { title = "s", machine = require "configs.summit" { nodes = 2, noise = { nodes = 1 } }, vary = { bytes = { "8B" } },
                           run = function(p) return osu_latency { design = "openmpi-h", bytes = p.bytes, placement = "inter-node" } end }""")
        self.succeed("run", "s.lua", "--no-plot", "--out", "out", "-s", "noise.period=5ms")
        err = self.fail_with(1, "run", "s.lua", "--no-plot", "--out", "out", "-s", "noise.period=20us")
        self.assertIn("do not fit into noise.period = 20us", err)


class Telling(ProgramTest):
    """Commands that only tell."""

    def test_version(self):
        out = self.succeed("--version")
        for part in ("gpunetsim", "SimGrid", "Lua", "GLib", "gnuplot", "compiler"):
            self.assertRegex(out, rf"(?m)^{part} \S")

    def test_list(self):
        out = self.succeed("list")
        self.assertRegex(out, r"(?m)^fig08a_get_latency +\S")
        self.assertRegex(out, r"(?m)^get_latency +\S")
        self.assertRegex(out, r"(?m)^nic +\S")

    def test_help(self):
        self.assertIn("gpunetsim reproduce", self.succeed("help"))
        self.assertIn("--no-plot", self.succeed("help", "run"))
        self.assertRegex(self.succeed("help", "network"), r"(?m)^radix +\S")
        self.assertRegex(self.succeed("help", "network.latency"), r"(?m)^  units .*\bns\b")

    def test_check(self):
        self.write("s.lua", STUDY % "")
        self.assertEqual(self.succeed("check", "s.lua"), "s.lua: no faults found; 6 points\n")

    def test_params(self):
        out = self.succeed("params", "gcn3_node")
        self.assertRegex(out, r"(?m)^network\.latency +\S+ +\w+")
        changed = self.succeed("params", "gcn3_node", "-s", "network.latency=123ns")
        self.assertRegex(changed, r"(?m)^network\.latency +123ns +given")

    def test_topo(self):
        dot = self.succeed("topo", "gcn3_node", "--dot")
        self.assertRegex(dot, r"^(di)?graph\b")
        self.assertIn("node0", dot)
        xml = self.succeed("topo", "gcn3_node", "--xml")
        self.assertEqual(ElementTree.fromstring(re.sub(r"<!DOCTYPE[^>]*>", "", xml)).tag, "platform")

    def test_topo_of_summit(self):
        self.write("summit.lua", """return machine { nodes = 4608,
          node = { sockets = 2, gpus_per_socket = 3, gpu_link = "nvlink" },
          network = { topology = "fat-tree" } }""")
        node = self.succeed("topo", "summit.lua", "--node")
        for line in ('"node0.gpu0" -- "node0.gpu2" [label="nvlink-gpu0-gpu2',
                     '"node0.gpu5" -- "node0.cpu1" [label="nvlink-gpu5-cpu1',
                     '"node0.cpu1" -- "node0.nic1" [label="pcie-nic1',
                     '"node0.cpu0" -- "node0.cpu1" [label="socket-cpu0-cpu1'):
            self.assertIn(line, node)
        self.assertNotIn("node1", node)
        self.assertNotIn("leaf", node)
        self.assertIn('"node4607.nic1" -- "leaf255" [label="cable-node4607-nic1',
                      self.succeed("topo", "summit.lua"))
        self.assertIn("at most 1024, and this machine has 46080",
                      self.fail_with(2, "topo", "summit.lua", "--xml"))


if __name__ == "__main__":
    unittest.main()

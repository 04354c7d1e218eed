# SPDX-License-Identifier: BSD-3-Clause
"""gpunetsim osu: the layout of the OSU suite, and what it refuses."""
import unittest

from program import ProgramTest

SIZES = [str(2 ** i) for i in range(23)]


class Osu(ProgramTest):
    def rows(self, *arguments):
        """The head and the rows after it; every row in the columns of the suite."""
        lines = self.succeed("osu", *arguments).splitlines()
        rows = [line for line in lines if not line.startswith("#")]
        for row in rows:
            self.assertRegex(row, r"^\d+ *( +\d+\.\d\d)+$")
            self.assertEqual(len(row) % 18, 10)
        self.assertEqual([row.split()[0] for row in rows], SIZES)
        return lines[:len(lines) - len(rows)], [row.split() for row in rows]

    def test_latency(self):
        head, rows = self.rows("latency")
        self.assertEqual(head, [
            "# OSU MPI-CUDA Latency Test (simulated by gpunetsim: summit, openmpi-d, intra-socket)",
            "# Send Buffer on DEVICE (D) and Receive Buffer on DEVICE (D)",
            "# Size          Latency (us)"])
        times = [float(row[1]) for row in rows]
        self.assertGreater(times[-1], times[0])

    def test_bandwidth(self):
        head, rows = self.rows("bw", "--design", "charm-channel", "--placement", "inter-node")
        self.assertEqual(head[0], "# OSU MPI-CUDA Bandwidth Test (simulated by gpunetsim: summit, "
                                  "charm-channel, inter-node)")
        self.assertEqual(head[-1], "# Size      Bandwidth (MB/s)")
        self.assertGreater(float(rows[-1][1]), 1000)

    def test_host_buffers_both_ways(self):
        head, rows = self.rows("bibw", "-b", "host", "-W", "8", "-m", "lassen")
        self.assertIn("Bi-Directional Bandwidth Test (simulated by gpunetsim: lassen,", head[0])
        self.assertEqual(head[1], "# Send Buffer on HOST (H) and Receive Buffer on HOST (H)")

    def test_pairs(self):
        head, rows = self.rows("mbw_mr", "--pairs", "3", "-p", "cross-socket")
        self.assertEqual(head[2:], ["# [ pairs: 3 ] [ window size: 64 ]",
                                    "# Size                  MB/s        Messages/s"])
        for size, rate, messages in rows:
            self.assertAlmostEqual(float(rate), int(size) * float(messages) / 1e6, delta=0.02)

    def test_same_for_any_number_of_workers(self):
        self.assertEqual(self.succeed("osu", "latency", "-j", "1"),
                         self.succeed("osu", "latency", "-j", "4"))

    def test_exact_is_the_same(self):
        quick = self.succeed("osu", "latency", "-d", "ampi-h")
        self.assertEqual(self.succeed("osu", "latency", "-d", "ampi-h", "--exact"), quick)

    def test_settings_of_the_study(self):
        """The command is a shipped study, whose settings the command line gives."""
        self.write("own.lua", 'return require("configs.summit") { name = "own", nic = { command_latency = "1us" } }')
        asked = ["bw", "-d", "ampi-d", "-p", "inter-node", "-m", "own.lua", "--sizes", "8B:64B", "-W", "8"]
        given = [f"-sstudy.{setting}" for setting in ("benchmark=bw", "design=ampi-d", "placement=inter-node", "machine=own.lua",
                                                       "sizes=8B:64B", "window=8")]
        text = self.succeed("osu", *asked)
        self.assertIn("simulated by gpunetsim: own, ampi-d, inter-node)", text)
        self.assertEqual(self.succeed("run", "osu", *given, "--no-plot", "-o", "osu:-"), text)
        self.succeed("run", "osu", *given, "--no-plot", "--store", "r.db")
        self.succeed("run", "out/osu/resolved.json", "--no-plot", "--out", "again")
        self.assertEqual((self.folder / "again/results.csv").read_text(), (self.folder / "out/osu/results.csv").read_text())
        self.succeed("run", "osu", "--no-plot", "--store", "r.db", "--force")
        self.assertEqual(len(self.succeed("status", "r.db").splitlines()), 3)  # two studies: settings are a part of them

    def test_settings_refused(self):
        self.write("s.lua", "local set = settings { count = 1, flag = false, other = {} }\n")
        for part, call in (
                ("the study has no setting of this name", ("run", "osu", "-s", "study.windw=8")),
                ("this setting is true or false", ("run", "osu", "-s", "study.exact=maybe")),
                ("this setting is a number", ("run", "s.lua", "-s", "study.count=many")),
                ("a value is a text, a number, true, false or a machine", ("run", "s.lua", "-s", "study.other=1")),
                ('there is no machine "nik"', ("run", "osu", "-s", "study.machine=nik")),
                ("settings are of studies", ("params", "summit", "-s", "study.exact=true"))):
            self.assertIn(part, self.fail_with(2, *call))

    def test_refused(self):
        self.write("small.lua", 'return machine { name = "small", nodes = 1 }')
        for code, part, call in (
                (2, "osu takes latency|bw|bibw|mbw_mr", ()),
                (2, 'no benchmark "latncy"', ("latncy",)),
                (2, '"openmpi"', ("latency", "-d", "openmpi")),
                (2, "inter-node", ("latency", "-p", "internode")),
                (2, "osu_bandwidth.window", ("bw", "-W", "0")),
                (2, "window belongs to bw", ("latency", "-W", "8")),
                (2, "pairs belongs to mbw_mr", ("bw", "--pairs", "2")),
                (2, "-j -1", ("latency", "-j", "-1")),
                (2, "nowhere", ("latency", "-m", "nowhere")),
                (1, "room for 4", ("mbw_mr", "--pairs", "5")),
                (1, "at least 2 nodes", ("latency", "-m", "small.lua", "-p", "inter-node"))):
            self.assertIn(part, self.fail_with(code, "osu", *call))

    def test_a_figure_changes_no_other_output(self):
        """The form depends on whether the plot has a title; a figure that is drawn before is given the study's."""
        self.write("s.lua", 'return study { title = "T", machine = machine {}, vary = { bytes = { "8B", "64B" } },\n'
                            '  plot = { x = "bytes", y = "latency_us" },\n'
                            '  run = function(p) return get_latency { design = "dgpu", bytes = p.bytes } end }\n')
        alone = self.succeed("run", "s.lua", "--no-plot", "-o", "osu:-")
        self.assertEqual(self.succeed("run", "s.lua", "--no-plot", "-o", "svg:f.svg", "-o", "osu:-"), alone)


if __name__ == "__main__":
    unittest.main()

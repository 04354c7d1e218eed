# SPDX-License-Identifier: BSD-3-Clause
"""A measure that a run does not model has no value: tables for people say so, files have none, figures draw none."""
import csv
import json
import re
import unittest

from program import ProgramTest

STUDY = """
return study {
  title = "Who serves",
  machine = machine { name = "plain", nodes = 2 },
  vary = { { "design", { "gpu-verbs", "dgpu" } }, { "bytes", { "8B", "4KiB" } } },
  run = function(p)
    local r = get_latency { design = p.design, bytes = p.bytes, repeats = 2 }
    %s
  end,
  plot = { %s },
}
"""
CURVES = 'x = "bytes", y = "service_energy_uJ", by = "design", style = "loglog"'
BARS = 'x = "design", y = "service_energy_uJ", by = "bytes", style = "bars"'
PICKED = "return { service_energy = r.service_energy, latency = r.latency }"


class NotModelled(ProgramTest):

    def study(self, result="return r", plot=CURVES):
        self.write("s.lua", STUDY % (result, plot))
        return "s.lua"

    def check_files(self):
        with (self.folder / "r.csv").open() as rows:
            rows = list(csv.DictReader(rows))
        self.assertEqual([row["service_energy_uJ"] == "" for row in rows], [True, True, False, False])
        self.assertTrue(all(float(row["service_energy_uJ"]) > 0 for row in rows[2:]))
        rows = json.loads((self.folder / "r.json").read_text())
        self.assertEqual([row["service_energy_uJ"] is None for row in rows], [True, True, False, False])

    def test_tables_and_files(self):
        """Whether the study returns the whole result or picks the measure, and whichever row is first."""
        for result in ("return r", PICKED):
            code, out, err = self.run_program("run", self.study(result), "--no-plot", "-o", "csv:r.csv", "-o", "json:r.json",
                                              "--columns", "service_energy", COLUMNS="120")
            self.assertEqual(code, 0, err)
            self.assertRegex(out, r"(?m)^gpu-verbs +8 B +not modelled$")
            self.assertRegex(out, r"(?m)^dgpu +8 B +[0-9.]+$")
            self.check_files()

    def test_gpus_of_ranks(self):
        """A GPU on which a rank has memory draws its power at rest, 50 W each of two; one that no rank has touched is not modelled."""
        self.write("s.lua", """
            local summit = require "configs.summit"
            return study { title = "Held", machine = summit { nodes = 2, gpu = { idle_power = "50W" } },
              vary = { { "buffers", { "device", "host" } }, { "placement", { "intra-socket", "inter-node" } } },
              run = function(p) return osu_latency { design = "openmpi-d", buffers = p.buffers, placement = p.placement, bytes = "8B" } end }""")
        code, _, err = self.run_program("run", "s.lua", "-o", "csv:r.csv", "--columns", "gpu_idle_energy,energy_time,energy")
        self.assertEqual(code, 0, err)
        with (self.folder / "r.csv").open() as rows:
            rows = list(csv.DictReader(rows))
        for row in rows[:2]:
            self.assertAlmostEqual(float(row["gpu_idle_energy_uJ"]) / (2 * 50 * float(row["energy_time_us"])), 1, 3)
            self.assertGreater(float(row["energy_uJ"]), float(row["gpu_idle_energy_uJ"]))
        self.assertEqual([row["gpu_idle_energy_uJ"] for row in rows[2:]], ["", ""])

    def test_energies_have_sources(self):
        """Every power and energy of a machine says where it is from; gpu_host is where calibrate begins, and says nothing."""
        _, machines, _ = self.run_program("list", "machines")
        names = [line.split()[0] for line in machines.splitlines()[1:]]
        self.assertIn("summit", names)
        for name in set(names) - {"gpu_host"}:
            _, table, _ = self.run_program("params", name)
            rows = [line.split() for line in table.splitlines() if re.match(r"\S+(_power|_energy) ", line)]
            self.assertGreater(len(rows), 15)
            self.assertEqual([row[0] for row in rows if row[2] == "default"], [], name)

    def test_from_a_store(self):
        self.study()
        code, _, err = self.run_program("sweep", "s.lua", "--store", "s.db")
        self.assertEqual(code, 0, err)
        code, _, err = self.run_program("plot", "s.lua", "--store", "s.db", "-o", "csv:r.csv", "-o", "json:r.json")
        self.assertEqual(code, 0, err)
        self.check_files()

    def test_none_at_all(self):
        """A column of nothing else is there, with its unit."""
        self.study()
        text = (self.folder / "s.lua").read_text().replace(', "dgpu"', "")
        (self.folder / "s.lua").write_text(text)
        code, out, err = self.run_program("run", "s.lua", "--no-plot", "-o", "csv:r.csv", "--columns", "service_energy")
        self.assertEqual(code, 0, err)
        self.assertIn("not modelled", out)
        with (self.folder / "r.csv").open() as rows:
            self.assertEqual({row["service_energy_uJ"] for row in csv.DictReader(rows)}, {""})
        code, _, err = self.run_program("run", "s.lua")
        self.assertEqual(code, 1)
        self.assertIn("no point gave a value for it", err)

    def test_figures(self):
        for plot, name in ((CURVES, "GPU verbs (not modelled)"), (BARS, "GPU verbs (not modelled)")):
            self.study(plot=plot)
            code, out, err = self.run_program("run", "s.lua", "--force")
            self.assertEqual(code, 0, err)
            self.assertIn("not modelled", out)
            drawn = (self.folder / "out/s/figure.svg").read_text()
            self.assertIn(name, drawn)
            self.assertNotIn("dGPU (not modelled)", drawn)

    def test_modelled_has_no_such_word(self):
        self.study(plot=CURVES.replace("service_", ""))
        code, _, err = self.run_program("run", "s.lua")
        self.assertEqual(code, 0, err)
        self.assertNotIn("not modelled", (self.folder / "out/s/figure.svg").read_text())

    def test_scripts(self):
        """A script reads the same words, and cannot count with them."""
        self.study('return { told = r.service_energy == "not modelled" }', 'x = "bytes", y = "told"')
        code, out, err = self.run_program("run", "s.lua", "--no-plot", "--columns", "told")
        self.assertEqual(code, 0, err)
        self.assertRegex(out, r"(?m)^gpu-verbs +8 B +true$")
        self.assertRegex(out, r"(?m)^dgpu +8 B +false$")
        self.study("return { half = r.service_energy_uJ / 2 }", 'x = "bytes", y = "half"')
        code, _, err = self.run_program("run", "s.lua", "--no-plot")
        self.assertEqual(code, 1)
        self.assertIn("attempt to div a 'string'", err)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: BSD-3-Clause
"""Files to start from, what the program needs, and JSON for other programs."""
import json
import os
import unittest

from program import ProgramTest


class New(ProgramTest):

    def test_study_runs(self):
        self.assertEqual(self.succeed("new", "study", "mine"), "./mine.lua\n")
        self.assertIn("no faults found", self.succeed("check", "mine.lua"))
        self.assertIn("mine.lua is there already", self.fail_with(2, "new", "study", "mine.lua"))
        os.mkfifo(self.folder / "pipe")
        self.assertIn("pipe is a device or a pipe; name a file", self.fail_with(2, "new", "study", "pipe"))
        self.assertFalse((self.folder / "pipe.lua").exists())
        for name in ("a b", "a%1"):
            self.assertIn("is not a name", self.fail_with(2, "new", "study", name))
        self.assertIn('no skeleton "deisgn"; did you mean "design"?', self.fail_with(2, "new", "deisgn", "mine2"))

    def test_each_runs(self):
        """What is written is a study that runs as it is, with a value at every point."""
        for kind, points in (("study", 54), ("sweep", 40), ("program", 3), ("design", 20)):
            self.succeed("new", kind, f"my-{kind}")
            rows = json.loads(self.succeed("run", f"my-{kind}.lua", "--no-plot", "-o", "json:-"))
            measure = "turn_us" if kind == "program" else "latency_us"
            self.assertEqual([kind, points, True], [kind, len(rows), all(row[measure] > 0 for row in rows)])

    def test_machine_is_one(self):
        self.succeed("new", "machine", "box")
        self.assertIn("no faults found", self.succeed("check", "box.lua"))
        rows = json.loads(self.succeed("params", "box.lua", "--json"))
        cores = next(row for row in rows if row["parameter"] == "host.cores")
        self.assertEqual((cores["value"], cores["origin"]), ("16", "published"))

    def test_json(self):
        designs = json.loads(self.succeed("list", "designs", "--json"))
        self.assertIn("comp-net", [row["design"] for row in designs])
        machines = json.loads(self.succeed("list", "machines", "--json"))
        self.assertIn("gcn3_node", [row["machine"] for row in machines])
        rows = {row["machine"]: row for row in machines}
        self.assertIn("GCN3 GPU", rows["gcn3_node"]["what it is"])
        self.assertGreater(rows["h200x2"]["compared"], 20)  # scenarios/hardware
        self.assertGreater(rows["summit"]["compared"], 5)
        for name in ("gcn3_node", "h200x2"):
            origins = [row["origin"] for row in json.loads(self.succeed("params", name, "--json"))]
            for kind in ("published", "measured", "estimated", "fitted"):
                self.assertEqual(rows[name][kind], origins.count(kind), f"{name} {kind}")
        for row in machines:
            self.assertRegex(row["what it is"], r"^[A-Z].{20,}\.$")
        every = json.loads(self.succeed("list", "--json"))
        self.assertEqual((every["designs"], every["machines"]), (designs, machines))
        for name in ("", "design"):
            self.assertIn(f'there is no list "{name}"', self.fail_with(2, "list", name))

    def test_version(self):
        self.assertEqual(self.succeed("-V"), self.succeed("version"))


class Doctor(ProgramTest):

    def test_says_what_is_missing(self):
        code, out, _ = self.run_program("doctor", "--json")
        rows = {row["what"]: row for row in json.loads(out)}
        self.assertEqual(rows["gpunetsim"]["state"], "good")
        self.write("bin/nothing", "")
        code, out, _ = self.run_program("doctor", PATH=f"{self.folder}/bin")
        self.assertEqual(code, 1)
        self.assertRegex(out, r"(?m)^gnuplot, for figures +missing +Debian package gnuplot-nox")


if __name__ == "__main__":
    unittest.main()

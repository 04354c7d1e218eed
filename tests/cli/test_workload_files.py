#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Workloads whose course is a file of Lua (benchmarks/parts/workloads/): each file is one of a workload that is listed, and what is wrong with one
ends the run with a sentence that says where."""
import json
import os
import shutil
import subprocess
import unittest
from pathlib import Path

from program import PROGRAM, PROJECT, ProgramTest, connect_store

FOLDER = Path("benchmarks", "parts", "workloads")
STUDY = """return study {
  title = "A get", machine = (require "configs.gcn3_node") { nodes = 2 }, vary = { { "bytes", { "8B" } } },
  run = function(p) return get_latency { design = "comp-net", bytes = p.bytes, repeats = 2 } end,
}
"""


class WorkloadFiles(ProgramTest):
    def setUp(self):
        super().setUp()
        self.root = self.folder / "root" # the program's files but for the workloads
        self.root.mkdir()
        for name in ("configs", "views", "scenarios", "plots", "claims"):
            (self.root / name).symlink_to(PROJECT / name)

    def call(self, *arguments):
        return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=60,
                              env=dict(os.environ, GPUNETSIM_ROOT=str(self.root)))

    def failure_of(self, text):
        study, rows = self.folder / "study.lua", self.folder / "rows.json"
        study.write_text(text)
        self.call("run", study, "--out", self.folder, "--no-plot", "-o", f"json:{rows}")
        return json.loads(rows.read_text())[0].get("failure")

    def failure(self, before, after):
        """What a get says whose file has `after` in the place of `before`."""
        shutil.rmtree(self.root / FOLDER.parent, ignore_errors=True)
        shutil.copytree(PROJECT / FOLDER.parent, self.root / FOLDER.parent) # with what several of them share
        path = self.root / FOLDER / "get_latency.lua"
        text = path.read_text()
        self.assertIn(before, text)
        path.write_text(text.replace(before, after))
        return self.failure_of(STUDY)

    def test_a_store_has_no_results_of_another_text(self):
        """A store gives back what the same file gave, and nothing of before the file was changed."""
        path = self.root / FOLDER / "get_latency.lua"
        shutil.copytree(PROJECT / FOLDER.parent, self.root / FOLDER.parent)
        study, rows = self.folder / "study.lua", self.folder / "rows.json"
        study.write_text(STUDY)

        def events():
            self.call("run", study, "--out", self.folder, "--no-plot", "--store", self.folder / "r.db", "-o", f"json:{rows}")
            return json.loads(rows.read_text())[0]["events"]

        once = events()
        self.assertEqual(events(), once)
        line = "me:get(1, 0, 1, p.bytes)"
        path.write_text(path.read_text().replace(line, f"{line} {line}"))
        self.assertGreater(events(), once)
        with connect_store(self.folder / "r.db") as store:
            self.assertEqual(store.execute("SELECT count(*) FROM point").fetchone(), (2,))

    def test_without_them_what_needs_none_goes_on(self):
        missing = f"{FOLDER}/%s.lua is not found in {self.root}; GPUNETSIM_ROOT names the folder"
        for text in (STUDY, STUDY.replace("return get_latency {", "local get = get_latency return get {")):
            self.assertIn("study.lua:3: " + missing % "get_latency", self.failure_of(text))
        in_c = 'osu_latency { placement = "inter-node", iterations = 2,'
        self.assertIsNone(self.failure_of(STUDY.replace("get_latency {", in_c).replace(", repeats = 2", "")))
        done = self.call("list", "machines")
        self.assertEqual(done.returncode, 0)
        self.assertIn("gcn3_node", done.stdout)
        done = self.call("help", "osu_latency")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_each_is_of_a_workload(self):
        for path in (PROJECT / FOLDER).iterdir():
            done = subprocess.run([PROGRAM, "help", path.stem], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""), path)

    def test_what_is_wrong_is_told(self):
        for before, after, said in (("me:get(1,", "me:git(1,", "get_latency.lua:30: attempt to call a nil value (method 'git')"),
                                    ("local p = workload", "local p = = workload", "get_latency.lua:9: unexpected symbol near '='"),
                                    ('{ "bytes", "shared"', '{ "bytes", "shred"', "get_latency.lua:9: there is no kind of rows \"shred\""),
                                    ("me:get(1, 0, 1,", "me:get(1, 0, 9,", "get_latency.lua:30: buffer is 9; it is a whole number from 0 to 1"),
                                    ("me:get(1, 0, 1,", "me:get(7, 0, 1,", "get_latency.lua:30: from is 7; it is a whole number from 0 to 1"),
                                    ("me:get(1, 0, 1, p.bytes)", "me:get(1, 0, 1, 9)", "get_latency.lua:30: bytes: the buffer has 1 to 8 bytes"),
                                    ("me:get(1, 0, 1, p.bytes)", "me.get()", "get_latency.lua:30: a party's operations are called with a colon"),
                                    ("run.report(", "run.refuse('no report') run.report(", "study.lua:3: no report.")):
            with self.subTest(after):
                self.assertIn(said, self.failure(before, after))
        self.assertIsNone(self.failure("me:get(1,", "me:get(1,"))


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: BSD-3-Clause
"""No output replaces another one of the same command, or what the command reads: refused before anything runs, by
whatever name a file goes."""
import json
import os
import shutil
import subprocess
import unittest

from program import PROGRAM, PROJECT, STUDY, ProgramTest, connect_store

TWICE = "two outputs cannot both be in one file"
READ = "this command reads it"
MEASURED = 'measured = "m.csv",'


class Outputs(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("s.lua", STUDY % MEASURED)
        self.write("two.lua", 'local part = require "part"\n' + STUDY.replace('plot = {', 'plot = { part, {').replace(
            'style = "loglog" },', 'style = "loglog" } },') % "")
        self.write("part.lua", 'return { x = "bytes", y = "share" }')
        self.write("m.csv", "bytes,design,latency_us\n8,one,3\n")
        self.succeed("run", "s.lua", "--no-plot", "--store", "r.db", "-o", "csv:whole.csv")
        (self.folder / "folder").mkdir()
        os.symlink(".", self.folder / "here")
        os.symlink("whole.csv", self.folder / "link.csv")
        os.link(self.folder / "whole.csv", self.folder / "hard.csv")
        machine = (PROJECT / "configs/gcn3_node.lua")
        shutil.copy(machine, self.folder / "m.lua")
        self.write("ring.goal", "num_ranks 2\nrank 0 { calc 1 }\nrank 1 { calc 1 }\n")

    def refuse(self, sentence, *arguments):
        before = {name: (self.folder / name).read_bytes() for name in self.files()}
        with self.subTest(" ".join(arguments)):
            self.assertIn(sentence, self.fail_with(2, *arguments, "--force"))
            self.assertEqual({name: (self.folder / name).read_bytes() for name in self.files()}, before)

    def test_one_file_given_twice(self):
        """GLib would keep the second, and the first output would be missing."""
        self.refuse("--output is given twice; this command takes one", "export", "goal", "ring:2", "-o", "a.goal", "--output=b.goal")
        self.refuse("--out is given twice", "run", "s.lua", "--out", "a", "--out=b")
        self.refuse("-s nodes is given twice: 3 and 4", "run", "s.lua", "-s", "nodes=3", "-s", "bus.latency=1us", "-s", "nodes=4")
        self.refuse("--store is given twice", "run", "s.lua", "--store=a.db", "--store=b.db")

    def test_standard_output_takes_one(self):
        self.refuse("two outputs cannot both go to standard output", "run", "s.lua", "--no-plot", "-o", "csv:-", "-o", "json:-")

    def test_standard_output_by_its_other_names(self):
        """Whatever a shell's > has opened is not replaced, and a pipe takes one output."""
        def run(*words, **streams):
            return subprocess.run([PROGRAM, "run", "s.lua", "--no-plot", "--force", *words], cwd=self.folder, check=False, text=True,
                                  **streams)
        for words, stream, why in ((("-o", "csv:-", "-o", "json:x"), "stdout", "standard output goes there"),
                                   (("-o", "csv:x"), "stdout", "standard output goes there"),
                                   (("-o", "csv:/dev/stdout"), "stdout", "standard output goes there"),
                                   (("-o", "csv:x"), "stderr", "standard error goes there"),
                                   (("--stats", "x.csv"), "stdout", "standard output goes there")):
            name = "x.csv" if "--stats" in words else "x"
            with open(self.folder / name, "w", encoding="utf-8") as file, self.subTest(words=words, stream=stream):
                streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: file}
                done = run(*words, **streams)
                self.assertEqual(done.returncode, 2)
                told = done.stderr if stream == "stdout" else (self.folder / name).read_text()
                self.assertIn(why, told)
        for words in (("-o", "csv:/dev/stdout", "-o", "json:/dev/stdout"), ("-o", "csv:-", "-o", "json:/dev/stdout")):
            done = run(*words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("two outputs cannot both go to standard output", done.stderr)
        only = run("-o", "json:/dev/stdout", "-o", "csv:x", stdout=subprocess.PIPE).stdout
        self.assertEqual(len(json.loads(only)), 6, "no table is printed behind it")

    def test_a_name_that_is_too_long(self):
        """Found before the run: what is written under another name first would be lost at its end."""
        long = "x" * 300
        self.assertIn("File name too long", self.fail_with(2, "run", "s.lua", "--no-plot", "-o", f"csv:{long}", "--store", "new.db"))
        with connect_store(self.folder / "new.db") as store:
            self.assertEqual(store.execute("SELECT count(*) FROM point").fetchone(), (0,))

    def test_a_figure_of_a_study_without_one(self):
        """Known before the run, which would have taken its time for nothing."""
        self.write("n.lua", (STUDY % "").replace("plot = {", "--[[").replace('style = "loglog" },', "]]"))
        self.assertIn("the study has no plot", self.fail_with(2, "run", "n.lua", "-o", "csv:n.csv", "-o", "svg:n.svg"))
        self.assertNotIn("n.csv", self.files())
        self.succeed("run", "s.lua", "--no-plot", "--force", "-o", "csv:/dev/null", "-o", "json:/dev/null")
        os.mkfifo(self.folder / "pipe")
        self.assertIn(TWICE, self.fail_with(2, "run", "s.lua", "--no-plot", "--force", "-o", "csv:pipe", "-o", "json:./pipe"))

    def test_a_new_store_is_no_output(self):
        self.refuse(READ, "run", "s.lua", "--no-plot", "--store", "new.db", "-o", "csv:./new.db")

    def test_an_output_in_a_new_folder(self):
        self.succeed("run", "s.lua", "--out", "made", "-o", "csv:made/x.csv")
        self.assertTrue((self.folder / "made/x.csv").stat().st_size > 0)

    def test_one_file_for_two(self):
        run = ("run", "s.lua", "--no-plot")
        for one, other in (("a.csv", "a.csv"), ("a.csv", "./a.csv"), ("a.csv", "folder/../a.csv"), ("a.csv", "here/a.csv"),
                           ("folder/a.csv", "here/folder/a.csv"), ("whole.csv", "link.csv"), ("hard.csv", "whole.csv"),
                           ("a.csv", str(self.folder / "a.csv"))):
            self.refuse(TWICE, *run, "-o", f"csv:{one}", "-o", f"json:{other}")
            self.refuse(TWICE, *run, "-o", f"csv:{one}", "--stats", other)
            self.refuse(TWICE, "sensitivity", "two.lua", "--measure", "latency_us", "-o", one, "-o", other)
        self.refuse(TWICE, "plot", "s.lua", "--store", "r.db", "-o", "svg:a", "-o", "png:a")
        self.refuse(TWICE, "run", "two.lua", "-o", "svg:a.svg", "-o", "svg:a-2.svg")
        self.refuse(TWICE, "run", "s.lua", "--out", "folder", "-o", "csv:folder/figure.svg")
        self.refuse(TWICE, "run", "s.lua", "--out", "folder", "--stats", "folder/results.csv")
        self.refuse(TWICE, "run", "s.lua", "--out", "folder", "--stats", "folder/resolved.json")
        self.refuse(TWICE, "sweep", "s.lua", "--store", "r.db", "--out", "folder", "--no-plot", "-o", "csv:folder/resolved.json")
        self.refuse(TWICE, *run, "-o", "csv:a.csv", "-o", "json:a-partial.csv")
        self.refuse(TWICE, "calibrate", "m.lua", "m.csv", "-o", "a.lua", "--rows", "./a.lua")

    def test_what_is_read(self):
        for name in ("s.lua", "here/s.lua", "m.csv", "here/m.csv", "r.db", "r.db-wal"):
            self.refuse(READ, "run", "s.lua", "--no-plot", "--store", "r.db", "-o", f"csv:{name}")
            self.refuse(READ, "run", "s.lua", "--no-plot", "--store", "r.db", "-o", f"sqlite:{name}")
            if name.endswith(".csv"):
                self.refuse(READ, "run", "s.lua", "--no-plot", "--store", "r.db", "--stats", name)
            self.refuse(READ, "plot", "s.lua", "--store", "r.db", "-o", f"svg:{name}")
        shutil.copy(self.folder / "part.lua", self.folder / "part.csv")
        os.symlink("part.lua", self.folder / "part.json")
        self.refuse(READ, "run", "two.lua", "--no-plot", "-o", "csv:part.lua")
        self.refuse(READ, "trace", "two.lua", "--point", "bytes=8B,design=one", "-o", "part.json")
        self.refuse(READ, "explain", "two.lua", "-o", "part.json")
        self.refuse(READ, "solve", "two.lua", "--measure", "latency_us", "--target", "5us", "--vary", "nic.command_gap=1ns..2ns",
                    "-o", "part.json")
        self.refuse(READ, "calibrate", "m.lua", "m.csv", "-o", "m.lua")
        self.refuse(READ, "calibrate", "m.lua", "m.csv", "--rows", "m.csv")
        self.refuse(READ, "export", "goal", "ring.goal", "-o", "here/ring.goal")
        self.refuse(READ, "reproduce", "--only", "fig08a_get_latency", "--out", "folder", "--store",
                    "folder/report-fig08a_get_latency.html")

    def test_stores(self):
        shutil.copy(self.folder / "r.db", self.folder / "other.db")
        for target in ("r.db", "./r.db", "here/r.db"):
            before = (self.folder / "r.db").read_bytes()
            self.assertIn("is both a source and the target", self.fail_with(2, "merge", "other.db", "r.db", "-o", target))
            self.assertEqual((self.folder / "r.db").read_bytes(), before)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: BSD-3-Clause
"""Texts come from regular files of bounded size, whichever command reads them; and descriptors that were closed harm nothing."""
import itertools
import os
import socket
import subprocess
import unittest

from program import PROGRAM, PROJECT, STUDY, ProgramTest, connect_store

# What takes a text from a file, with X for its name; what it reads; and what the name ends with.
READERS = (
    *((f"{command} X", "a Lua file", ".lua") for command in ("run", "check", "sensitivity", "explain", "params", "topo", "calibrate")),
    ("trace X -o t.json", "a Lua file", ".lua"),
    ("solve X --target 5 --vary host.clock", "a Lua file", ".lua"),
    ("sweep X --store s.db", "a Lua file", ".lua"),
    ("osu latency --machine ./X", "a Lua file", ".lua"),
    ("goal --generate ring:2 --machine ./X", "a Lua file", ".lua"),
    ("calibrate ./X signal.tsv", "a Lua file", ".lua"),
    ("run requires.lua", "a Lua file", ".lua"),
    ("run measures.lua", "a table of measurements", ".tsv"),
    ("calibrate gpu_host X", "a table of measurements", ".tsv"),
    ("run X", "a resolved.json", ".json"),
    ("goal X", "a GOAL schedule", ".goal"),
    ("export goal X", "a GOAL schedule", ".goal"),
)


class Inputs(ProgramTest):
    def prepare(self):
        self.write("requires.lua", "require 'in'")
        self.write("measures.lua", STUDY % "measured = 'in.tsv',")
        self.write("signal.tsv", "#run\twhat\tparam\tmedian_ns\n1\tdev_op\tload\t200\n")

    def make(self, kind, name):
        path = self.folder / name
        if kind == "a FIFO":
            os.mkfifo(path)
        elif kind == "a folder":
            path.mkdir()
        elif kind == "a device":
            path.symlink_to("/dev/zero")
        else:
            there = socket.socket(socket.AF_UNIX)
            there.bind(str(path))
            there.close()
        return path

    def drop(self, path):
        if path.is_dir() and not path.is_symlink():
            path.rmdir()
        else:
            path.unlink()

    def test_no_regular_files(self):
        self.prepare()
        for kind in ("a FIFO", "a folder", "a device", "a socket"):
            for words, text, ending in READERS:
                if kind == "a folder" and words == "calibrate gpu_host X":
                    continue  # means the tables in it
                if kind == "a device" and text == "a table of measurements" and words.startswith("run"):
                    continue  # a link out of the study's folder, which is refused before
                path = self.make(kind, "in" + ending)
                with self.subTest(kind=kind, words=words):
                    sentence = self.fail_with(2, *words.replace("X", path.name).split())
                    self.assertIn(f"in{ending}: is {kind}", sentence)
                    self.assertIn(f"{text} is read from a regular file", sentence)
                self.drop(path)

    def test_large_files(self):
        self.prepare()
        for words, text, ending in READERS:
            path = self.folder / ("in" + ending)
            with path.open("wb") as file:
                file.truncate(1 << 40)
            with self.subTest(words=words):
                self.assertRegex(self.fail_with(2, *words.replace("X", path.name).split()),
                                 rf"in{ending}: is too large for {text}, which has \d+[MG]iB at most")
            with path.open("wb") as file:
                file.truncate(1 << 20)  # of bytes that are 0
            with self.subTest(words=words):
                self.assertRegex(self.fail_with(2, *words.replace("X", path.name).split()), rf"in{ending}:1: ")
            path.unlink()

    def test_unreadable_files(self):
        """Root reads everything: its tests drop to nobody."""
        self.prepare()
        self.folder.chmod(0o777)
        who = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        can_run = subprocess.run([PROGRAM, "version"], capture_output=True, check=False, **who).returncode == 0
        if not can_run:
            self.skipTest("others may not run the program where it stands")
        for words, _, ending in READERS:
            path = self.folder / ("in" + ending)
            path.write_text("")
            path.chmod(0)
            with self.subTest(words=words):
                done = subprocess.run([PROGRAM, *words.replace("X", path.name).split()], cwd=self.folder, capture_output=True, text=True,
                                      timeout=100, check=False, stdin=subprocess.DEVNULL, **who)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(f"in{ending}: cannot be read: Permission denied.", done.stderr)
            path.unlink()

    def test_claims(self):
        """What the project's own folder holds is read in the same way."""
        for name in ("configs", "plots", "views"):
            (self.folder / name).symlink_to(PROJECT / name)
        (self.folder / "claims").mkdir()
        self.write("scenarios/b/s.lua", STUDY % "")
        os.mkfifo(self.folder / "claims/claims.tsv")
        for name in ("modelled", "restated", "causes"):
            self.write(f"claims/{name}.tsv", (PROJECT / f"claims/{name}.tsv").read_text())
        self.assertIn("claims.tsv: is a FIFO; a table of claims is read from a regular file",
                      self.fail_with(2, "reproduce", "--no-plot", GPUNETSIM_ROOT=str(self.folder)))

    def test_values_of_claims(self):
        """A place that has no value, or whose machine file is not there, is told before anything is run; one with another is a miss."""
        for name in ("benchmarks", "configs", "plots", "views"):
            (self.folder / name).symlink_to(PROJECT / name)
        self.write("scenarios/b/s.lua", STUDY % "")
        for name in ("claims", "restated", "causes"):
            self.write(f"claims/{name}.tsv", (PROJECT / f"claims/{name}.tsv").read_text())
        modelled = (PROJECT / "claims/modelled.tsv").read_text()
        for place, sentence in (("configs/no.lua:node.sockets", "configs/no.lua: cannot be read: no such file."),
                                ("configs/summit.lua:node.color", 'there is no parameter "configs/summit.lua:node.color"'),
                                ("configs/designs.lua:comp-net.color", 'there is no parameter "configs/designs.lua:comp-net.color"')):
            self.write("claims/modelled.tsv", modelled.replace("configs/summit.lua:node.sockets", place, 1))
            told = self.fail_with(2, "reproduce", "--no-plot", GPUNETSIM_ROOT=str(self.folder))
            self.assertIn(f"claims/modelled.tsv:2: {sentence}" if "there" in sentence else sentence, told)
        self.write("claims/modelled.tsv", modelled.replace("node.sockets\t2", "node.sockets\t3", 1))
        self.succeed("reproduce", "--no-plot", GPUNETSIM_ROOT=str(self.folder))
        self.assertIn("configs/summit.lua:node.sockets is 2, not 3", (self.folder / "out/claims.csv").read_text())

    def test_standard_input(self):
        """A GOAL schedule may come from standard input, also through a pipe."""
        done = subprocess.run([PROGRAM, "goal", "-"], input="num_ranks 1\nrank 0 {\ncalc 5\n}\n", capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "makespan_ns\t5\n", ""))
        with open("/dev/zero", "rb") as zeros:
            done = subprocess.run([PROGRAM, "goal", "-"], stdin=zeros, capture_output=True, text=True, timeout=100, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("standard input:1: expected ", done.stderr)


class Descriptors(ProgramTest):
    def run_closed(self, closed, *words):
        """Runs the program with these descriptors closed; the others are files."""
        arguments = " ".join([PROGRAM, *words])
        redirections = "".join(f" {'0<' if fd == 0 else f'{fd}>'}{'&-' if fd in closed else ('/dev/null', 'out', 'err')[fd]}" for fd in range(3))
        return subprocess.run(["sh", "-c", f"exec {arguments}{redirections}"], cwd=self.folder, timeout=250, check=False).returncode

    def test_closed(self):
        """No result is lost, and no output lands in the store."""
        self.write("s.lua", STUDY % "")
        for count in range(4):
            for closed in itertools.combinations(range(3), count):
                with self.subTest(closed=closed):
                    name = "s" + "".join(map(str, closed)) + ".db"
                    # What was to be printed is lost, which the exit code says.
                    self.assertEqual(self.run_closed(closed, "sweep", "s.lua", "--store", name, "-j", "2"), 1 if 1 in closed else 0)
                    with connect_store(self.folder / name) as store:
                        self.assertEqual(store.execute("SELECT count(*) FROM point WHERE failure IS NULL").fetchone(), (6,))
                        self.assertEqual(store.execute("PRAGMA integrity_check").fetchone(), ("ok",))

    def test_run_closed(self):
        """Figures and results are as without."""
        self.write("s.lua", STUDY % "")
        self.assertEqual(self.run_closed((), "run", "s.lua", "--out", "whole"), 0)
        for closed in ((0,), (1, 2), (0, 1, 2)):
            with self.subTest(closed=closed):
                self.assertEqual(self.run_closed(closed, "run", "s.lua", "--out", "closed", "--force"), 1 if 1 in closed else 0)
                for name in ("results.csv", "figure.svg"):
                    self.assertEqual((self.folder / "closed" / name).read_bytes(), (self.folder / "whole" / name).read_bytes())


if __name__ == "__main__":
    unittest.main()

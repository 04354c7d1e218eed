# SPDX-License-Identifier: BSD-3-Clause
"""Sweeps into stores: nothing finished is lost, whatever happens, and nothing is run twice."""
import csv
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import unittest

from program import PROGRAM, PROJECT, STUDY, ProgramTest, unless_sanitized

# Real points on the project's machine: 8 sizes, 5 numbers of gets.
GETS = """
local node = require "configs.gcn3_node"
return study {
  title = "Gets",
  machine = node { nodes = 2 },
  vary = { bytes = pow2("8B", "1KiB"), repeats = { 1, 2, 3, 4, 5 } },
  run = function(p)
    return get_latency { design = "comp-net", bytes = p.bytes, repeats = p.repeats }
  end,
}
"""


class Sweep(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("gets.lua", GETS)

    def sweep(self, *arguments, store="r.db"):
        return self.succeed("sweep", "gets.lua", "--store", store, *arguments)

    def ask(self, question, store="r.db"):
        connection = sqlite3.connect(self.folder / store)
        try:
            return connection.execute(question).fetchall()
        finally:
            connection.close()

    def points(self, store="r.db"):
        """How many are in the store; none as long as there is no store."""
        if not (self.folder / store).exists():
            return 0
        try:
            return self.ask("SELECT count(*) FROM point", store)[0][0]
        except sqlite3.OperationalError:
            return 0

    def calls(self, store="r.db"):
        return self.ask("SELECT count(*) FROM call", store)[0][0]

    def straight(self):
        """What a run without a store gives."""
        self.succeed("run", "gets.lua", "--no-plot", "-o", "csv:straight.csv", "-j", "1")
        return (self.folder / "straight.csv").read_bytes()


class Store(Sweep):
    def test_same_bytes_and_nothing_twice(self):
        expected = self.straight()
        for workers in ("1", "2", "5"):
            store = f"r{workers}.db"
            self.sweep("-j", workers, "-o", f"csv:{workers}.csv", store=store)
            self.assertEqual((self.folder / f"{workers}.csv").read_bytes(), expected)
        before = self.ask("SELECT key, started_us FROM point ORDER BY key", "r2.db")
        self.sweep("-o", "csv:again.csv", store="r2.db")
        self.assertEqual(self.ask("SELECT key, started_us FROM point ORDER BY key", "r2.db"), before)
        self.assertEqual((self.folder / "again.csv").read_bytes(), expected)
        self.assertEqual(self.succeed("diff", "r1.db", "r5.db"),
                         "40 points compared, 0 differences\n")

    def test_what_is_kept(self):
        self.sweep()
        rows = self.ask("SELECT study, axes, json_extract(columns, '$.latency_us'), parameters, host,"
                        " version FROM point JOIN machine ON machine.id = point.machine"
                        " WHERE axes = '{\"bytes\":\"8\",\"repeats\":\"2\"}'")
        self.assertEqual(len(rows), 1)
        study, _, latency, machine, host, version = rows[0]
        self.assertEqual(study, "gets")
        self.assertGreater(latency, 1)
        self.assertIn('"nodes":"2"', machine)
        self.assertTrue(host)
        self.assertTrue(version.startswith("0."))

    def test_another_study_shares_results(self):
        """Another text, other axes and a run that does something with the result: 5 of its 10 calls
        are known."""
        self.sweep()
        self.assertEqual(self.calls(), 40)
        self.write("other.lua", GETS.replace('pow2("8B", "1KiB")', '{ "64B", "65B" }').replace(
            "return get_latency", "local r = get_latency").replace(
            "repeats = p.repeats }", "repeats = p.repeats } return { half = r.latency_us / 2 }"))
        self.succeed("sweep", "other.lua", "--store", "r.db")
        self.assertEqual(self.calls(), 45)
        half, = self.ask("SELECT json_extract(columns, '$.half') FROM point WHERE study = 'other'"
                         " AND axes = '{\"bytes\":\"64\",\"repeats\":\"2\"}'")[0]
        whole, = self.ask("SELECT json_extract(columns, '$.latency_us') FROM point WHERE study = 'gets'"
                          " AND axes = '{\"bytes\":\"64\",\"repeats\":\"2\"}'")[0]
        self.assertEqual(half, whole / 2)

    def test_overrides_and_seeds_are_other_points(self):
        self.sweep()
        self.sweep("-s", "network.latency=5us")
        self.sweep("--seed", "2")
        self.assertEqual(self.ask("SELECT count(*) FROM point")[0][0], 3 * 40)

    def test_shards(self):
        expected = self.straight()
        for i in (1, 2, 3):
            self.sweep("--shard", f"{i}/3", store=f"s{i}.db")
        counts = [self.ask("SELECT count(*) FROM point", f"s{i}.db")[0][0] for i in (1, 2, 3)]
        self.assertEqual(counts, [14, 13, 13])
        self.succeed("merge", "s1.db", "s2.db", "s3.db", "-o", "all.db")
        before = self.ask("SELECT max(started_us) FROM point", "all.db")
        self.sweep("-o", "csv:all.csv", store="all.db")
        self.assertEqual(self.ask("SELECT max(started_us) FROM point", "all.db"), before)
        self.assertEqual((self.folder / "all.csv").read_bytes(), expected)

    def test_slurm_script(self):
        """docs/use/slurm/sweep.sh as Slurm would run it, the first job twice."""
        folder = os.path.dirname(PROGRAM)
        for job in ("1", "1", "2"):
            done = subprocess.run(["bash", str(PROJECT / "docs/use/slurm/sweep.sh"), "gets.lua"],
                                  cwd=self.folder, capture_output=True, text=True, check=False,
                                  env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}",
                                       "SLURM_SUBMIT_DIR": str(self.folder), "SLURM_ARRAY_TASK_ID": job,
                                       "SLURM_ARRAY_TASK_COUNT": "2", "SLURM_CPUS_PER_TASK": "2"})
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.files("stores"), ["share-1.db", "share-2.db"])
        self.succeed("merge", "stores/share-1.db", "stores/share-2.db", "-o", "all.db")
        self.assertRegex(self.succeed("status", "all.db"), r"(?m)^gets +40 +40 +0 ")

    def test_diff_finds_a_change(self):
        self.sweep()
        self.sweep("-s", "network.latency=101ns", store="far.db")
        code, out, _ = self.run_program("diff", "r.db", "far.db")
        self.assertEqual(code, 1)
        self.assertIn("40 points compared", out)
        self.assertEqual(self.run_program("diff", "r.db", "far.db", "--tol", "1")[0], 0)
        self.assertEqual(self.run_program("diff", "r.db", "r.db")[0], 0)

    def test_status(self):
        self.sweep("--shard", "1/4")
        self.assertRegex(self.succeed("status", "r.db"), r"(?m)^gets +10 +40 +0 ")

    def test_outputs(self):
        self.write("s.lua", STUDY % "")
        self.succeed("sweep", "s.lua", "--store", "m.db", "-o", "csv:a.csv", "-o", "json:a.json", "-o",
                     "tsv:a.tsv", "-o", "osu:a.osu", "-o", "sqlite:a.db", "-o", "pdf:a.pdf")
        self.assertEqual(self.ask("SELECT latency_us, share FROM results WHERE bytes = 64 AND"
                                  " design = 'two'", "a.db"), [(6, 0.5)])
        self.assertIn("# A made-up study: two\n# Size          Latency (us)\n"
                      "8                       6.00\n", (self.folder / "a.osu").read_text())
        self.assertTrue((self.folder / "a.tsv").read_text().startswith("# bytes\tdesign\tlatency_us"))
        self.assertEqual((self.folder / "a.pdf").read_bytes()[:5], b"%PDF-")

    def test_plot_from_the_store(self):
        self.write("s.lua", STUDY % "")
        self.sweep()
        self.assertIn("has 0 of the study's 6 points",
                      self.fail_with(2, "plot", "s.lua", "--store", "r.db"))
        self.succeed("sweep", "s.lua", "--store", "r.db")
        before = self.ask("SELECT count(*), max(started_us) FROM point")
        self.succeed("plot", "s.lua", "--store", "r.db", "--out", "figures")
        self.succeed("run", "s.lua", "--out", "straight")
        for name in ("figure.svg", "figure.png", "figure.pdf", "figure-180mm.pdf", "figure.gp"):
            self.assertEqual((self.folder / "figures" / name).read_bytes(),
                             (self.folder / "straight" / name).read_bytes())
        self.assertEqual(self.ask("SELECT count(*), max(started_us) FROM point"), before)


LARGE = """
local node = require "configs.gcn3_node"
return study {
  title = "All to all",
  machine = node { nodes = 4096 },
  vary = { messages = { 1, 4096 } },
  run = function(p)
    local nodes = p.messages == 1 and 2 or 4096
    return all_to_all { design = "comp-net", nodes = nodes, messages = p.messages, bytes = "8B" }
  end,
}
"""


class Accidents(Sweep):
    def test_killed_at_any_moment(self):
        """kill -9 for the parent, again and again; then one that is let through."""
        expected = self.straight()
        for least in (0, 1, 10, 20):
            program = self.start("sweep", "gets.lua", "--store", "r.db", "-j", "2")
            self.wait_until(lambda: self.points() >= least)  # pylint: disable=cell-var-from-loop
            seen = self.points()
            program.send_signal(signal.SIGKILL)
            program.communicate()
            self.assertIn(program.returncode, (-signal.SIGKILL, 0))  # 0: it was through, on a slow machine
            self.assertGreaterEqual(self.points(), seen)
        self.sweep("-j", "2", "-o", "csv:r.csv")
        self.assertEqual((self.folder / "r.csv").read_bytes(), expected)
        self.assertEqual(self.ask("PRAGMA integrity_check"), [("ok",)])

    def test_no_worker_outlives_the_sweep(self):
        self.write("slow.lua", GETS.replace("return get", """for i = 1, 100000 do
      get_latency { design = "comp-net", bytes = i .. "B" }
    end
    return get"""))  # minutes a point
        program = self.start("sweep", "slow.lua", "--store", "r.db", "-j", "2")
        self.wait_until(lambda: len(self.running()) >= 5)  # two workers with a point each
        program.send_signal(signal.SIGKILL)
        program.communicate()
        self.wait_until(lambda: not self.running())
        self.assertEqual(self.points(), 0)

    def failing(self, line, *arguments):
        self.write("s.lua", (STUDY % "").replace("local slow", f"{line}\n    local slow"))
        sentence = self.fail_with(1, "sweep", "s.lua", "--store", "r.db", *arguments)
        self.assertIn("2 of 6 points failed", sentence)
        self.assertEqual(self.ask("SELECT count(*) FROM point WHERE failure IS NULL")[0][0], 4)
        return sentence

    def test_failed_points_are_rows_and_can_be_run_again(self):
        self.assertIn("no such size", self.failing('if p.bytes == "64B" then error("no such size") end'))
        before = self.ask("SELECT axes, started_us FROM point ORDER BY axes")
        self.fail_with(1, "sweep", "s.lua", "--store", "r.db")
        self.assertEqual(self.ask("SELECT axes, started_us FROM point ORDER BY axes"), before)
        self.fail_with(1, "sweep", "s.lua", "--store", "r.db", "--redo", "failed")
        after = self.ask("SELECT axes, started_us FROM point ORDER BY axes")
        changed = [a[0] for a, b in zip(after, before) if a != b]
        self.assertEqual(len(changed), 2)
        self.assertTrue(all('"bytes":"64"' in axes for axes in changed))
        self.assertIn("no such size", self.run_program("status", "r.db")[1])

    def test_a_hung_point(self):
        """A loop in Lua ends by its instructions; the clock is quicker."""
        sentence = self.failing('while p.bytes == "64B" do end', "--time-limit", "200ms")
        self.assertIn("it took longer than the limit of 0.2 s", sentence)
        again = ("sweep", "s.lua", "--store", "r.db", "--time-limit")
        before = self.ask("SELECT axes, started_us FROM point ORDER BY axes")
        self.fail_with(1, *again, "200ms")
        self.assertEqual(self.ask("SELECT axes, started_us FROM point ORDER BY axes"), before)
        self.assertIn("it took longer than the limit of 0.3 s", self.fail_with(1, *again, "300ms"))

    @unless_sanitized
    def test_a_point_without_memory(self):
        """Its messages under way take more than there is; the others are run."""
        self.write("large.lua", LARGE)
        code, _, err = self.run_program("sweep", "large.lua", "--store", "r.db", "--memory-limit", "2GiB", "--any-memory", LANG="C")
        self.assertEqual(code, 1)
        self.assertRegex(err, r"1 of 2 points failed; at messages=4096: its process ended with exit code 1 and no result: "
                              r"gpunetsim: there is not enough memory: failed to allocate \d+ bytes")
        begun = "SELECT started_us FROM point ORDER BY failure IS NULL"
        failed, done = self.ask(begun)
        self.run_program("sweep", "large.lua", "--store", "r.db", "--memory-limit", "2GiB", "--any-memory", LANG="C")
        self.assertEqual([one == other for one, other in zip(self.ask(begun), (failed, done))], [False, True], "it may have more now")

    def test_full_disk(self):
        disk = self.small_disk("256k")
        many = GETS.replace("{ 1, 2, 3, 4, 5 }", "range(1, 40, 1)")
        self.write("gets.lua", many)
        sentence = self.fail_with(1, "sweep", "gets.lua", "--store", "disk/r.db")
        self.assertIn("disk/r.db: no space left on device", sentence)
        subprocess.run(["mount", "-o", "remount,size=16m", str(disk)], check=True)
        kept = self.ask("SELECT count(*), max(started_us) FROM point", "disk/r.db")[0]
        self.assertGreater(kept[0], 0)
        self.sweep("-o", "csv:r.csv", store="disk/r.db")
        self.assertEqual(self.ask("SELECT count(*) FROM point WHERE started_us <= %d" % kept[1],
                                  "disk/r.db")[0][0], kept[0])
        self.assertEqual((self.folder / "r.csv").read_bytes(), self.straight())

    def test_a_sweep_is_a_run_that_only_stores(self):
        said = self.sweep()
        self.assertEqual(self.succeed("run", "gets.lua", "--store", "r.db", "--only-store"), said)
        self.succeed("run", "gets.lua", "--store", "share.db", "--shard", "2/2")
        self.assertRegex(self.succeed("status", "share.db"), r"(?m)^gets +20 +40 ")
        self.assertEqual(self.files(), ["gets.lua", "r.db", "share.db"])
        names = [self.succeed(command, "--help").split("Application Options:")[1] for command in ("run", "sweep")]
        self.assertEqual(*names)

    def test_a_damaged_store(self):
        """It is refused or read, never believed; merge saves the rest, and a sweep fills the gap."""
        expected = self.straight()
        self.sweep()
        path = self.folder / "r.db"
        size = path.stat().st_size
        with open(path, "r+b") as file:
            file.seek(size // 4096 // 2 * 4096)
            file.write(b"Z" * 8192)
        code, _, err = self.run_program("merge", "r.db", "-o", "saved.db")
        self.assertIn(code, (0, 1), err)
        self.sweep("-o", "csv:saved.csv", store="saved.db")
        self.assertEqual((self.folder / "saved.csv").read_bytes(), expected)

    def test_a_truncated_store(self):
        """All rows on the pages that are left are saved, and a sweep fills the gap."""
        expected = self.straight()
        self.sweep()
        path = self.folder / "r.db"
        os.truncate(path, path.stat().st_size - 4096)
        sentence = self.fail_with(1, "status", "r.db")
        self.assertIn("gpunetsim merge r.db -o NEW.db", sentence)
        code, out, err = self.run_program("merge", "r.db", "-o", "saved.db")
        self.assertEqual(code, 1)
        self.assertIn("1 of the stores is damaged", err)
        self.assertRegex(out, r"\A(3[5-9]|40) points, ")
        self.sweep("-o", "csv:saved.csv", store="saved.db")
        self.assertEqual((self.folder / "saved.csv").read_bytes(), expected)

    def test_merge_leaves_nothing_behind_when_a_source_is_not_there(self):
        self.sweep()
        self.fail_with(2, "merge", "r.db", "none.db", "-o", "all.db")
        self.fail_with(2, "merge", "r.db", "./r.db", "-o", "r.db")
        self.assertEqual(self.files(), ["gets.lua", "r.db"])

    def as_another(self, *arguments):
        """The program as a user who does not own the files; where this one cannot change, as itself."""
        user = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        return subprocess.run([PROGRAM, *arguments], cwd=self.folder, capture_output=True, text=True, check=False, **user)

    @unless_sanitized  # who may not write has no place for counts of lines, either
    def test_stores_that_one_may_only_read(self):
        """Every command that reads a store, whatever of the file and its folder may be written."""
        self.write("gets.lua", GETS.replace("  run =", '  plot = { x = "bytes", y = "latency_us", by = "repeats" },\n  run ='))
        self.sweep()
        shutil.copy(self.folder / "r.db", self.folder / "other.db")
        before = (self.folder / "r.db").read_bytes()
        own = self.folder / "own"
        own.mkdir(mode=0o777)
        own.chmod(0o777)
        commands = (["status", "r.db"], ["diff", "r.db", "other.db"], ["merge", "r.db", "other.db", "-o", "own/all.db"],
                    ["plot", "gets.lua", "--store", "r.db", "-o", "svg:own/a.svg"],
                    ["plot", "gets.lua", "--store", "r.db", "--out", "own/figures"],
                    ["plot", "gets.lua", "--store", "r.db", "-s", "nodes=3", "--partial", "-o", "svg:own/b.svg", "--force"])
        for folder, file in ((0o555, 0o444), (0o777, 0o444), (0o555, 0o666), (0o777, 0o666)):
            (self.folder / "r.db").chmod(file)
            (self.folder / "other.db").chmod(file)
            self.folder.chmod(folder)
            for command in commands:
                with self.subTest(folder=oct(folder), file=oct(file), command=command[0]):
                    done = self.as_another(*command)
                    if "nodes=3" in command:
                        self.assertIn("the store has", self.only_sentence(done.stderr))
                    else:
                        self.assertEqual((done.returncode, done.stderr), (0, ""))
                    self.assertEqual((self.folder / "r.db").read_bytes(), before)
                    if file == 0o444:
                        self.assertEqual(list(self.folder.glob("*.db-*")), [])
        self.folder.chmod(0o755)
        (self.folder / "r.db").chmod(0o444)
        for command in (["run", "gets.lua", "--store", "r.db"], ["sweep", "gets.lua", "--store", "r.db", "--redo", "all"]):
            sentence = self.only_sentence(self.as_another(*command).stderr)
            self.assertIn("r.db may only be read by this user, not written; status, diff, merge and plot read it", sentence)

    @unless_sanitized
    @unittest.skipUnless(os.geteuid() == 0, "who owns the folder may write into it")
    def test_a_log_that_one_may_only_read(self):
        self.sweep()
        self.folder.chmod(0o755)
        (self.folder / "r.db-wal").write_bytes(b"rows")
        nobody = self.as_another("status", "r.db")
        self.assertEqual(nobody.returncode, 2)
        self.assertIn("-wal file beside it", self.only_sentence(nobody.stderr))

    def test_sweeps_that_start_together_share_a_store(self):
        for _ in range(5):
            programs = [self.start("sweep", "gets.lua", "--store", "r.db", "--shard", f"{i}/4")
                        for i in range(1, 5)]
            for program in programs:
                _, err = program.communicate()
                self.assertEqual((program.returncode, err), (0, ""))
            self.assertEqual(self.ask("SELECT count(*) FROM point")[0][0], 40)
            (self.folder / "r.db").unlink()

    def test_leftovers_of_a_killed_sweep(self):
        """What SIGKILL leaves of the log goes over into the store at the next look at it."""
        program = self.start("sweep", "gets.lua", "--store", "r.db", "--progress", "json")
        for _ in range(5):
            program.stderr.readline()
        program.send_signal(signal.SIGKILL)
        program.communicate()
        self.assertEqual(self.files(), ["gets.lua", "r.db", "r.db-shm", "r.db-wal"])
        self.succeed("status", "r.db")
        self.assertEqual(self.files(), ["gets.lua", "r.db"])

    def test_not_a_store(self):
        (self.folder / "r.db").write_text("this is a text")
        sentence = self.fail_with(2, "sweep", "gets.lua", "--store", "r.db")
        self.assertIn("r.db is not a store", sentence)
        self.assertEqual((self.folder / "r.db").read_text(), "this is a text")
        # A text never was a store, so merge could save nothing of it.
        self.assertEqual(self.fail_with(2, "status", "gets.lua"), "gets.lua is not a store of gpunetsim, but a text.")

    def test_bad_use(self):
        for arguments, part in [
                (["sweep", "gets.lua"], "--store"),
                (["run", "gets.lua", "--only-store"], "--store"),
                (["run", "gets.lua", "--shard", "1/2"], "--store"),
                (["sweep", "gets.lua", "--store", "r.db", "--columns", "all"], "--columns"),
                (["run", "gets.lua", "--store", "r.db", "--only-store", "--defaults"], "--defaults"),
                (["sweep", "gets.lua", "--store", "r.db", "--shard", "4/3"], "--shard 4/3"),
                (["sweep", "gets.lua", "--store", "r.db", "--shard", "0/0"], "--shard 0/0"),
                (["sweep", "gets.lua", "--store", "r.db", "--shard", "1/-1"], "--shard 1/-1"),
                (["sweep", "gets.lua", "--store", "r.db", "--shard", "1/99999999999"], "--shard"),
                (["sweep", "gets.lua", "--store", "r.db", "--shard", "1/2/3"], "--shard 1/2/3"),
                (["sweep", "gets.lua", "--store", "r.db", "-j", "0"], "-j 0"),
                (["sweep", "gets.lua", "--store", "r.db", "-j", "-1"], "-j -1"),
                (["sweep", "gets.lua", "--store", "r.db", "-j", "1025"], "-j 1025"),
                (["osu", "latency", "-j", "0"], "-j 0"),
                (["params", "nik"], 'there is no machine "nik", nor a file of that name; accepted: ac922,'),
                (["params", "gcn3_nod"], 'did you mean "gcn3_node"?'),
                (["topo", "lasen"], 'did you mean "lassen"?'),
                (["params", "summit", "-s", "machine.nodes=3"], "stand alone; write nodes=3."),
                (["sweep", "gets.lua", "--store", "r.db", "--seed", "-1"], "--seed -1"),
                (["sweep", "gets.lua", "--store", "."], "folder"),
                (["status", "/dev/zero"], "device"),
                (["sweep", "gets.lua", "--store", "r.db", "--time-limit", "5"], "--time-limit 5"),
                (["sweep", "gets.lua", "--store", "r.db", "--redo", "some"], "failed and all"),
                (["status", "none.db"], "no such file"),
                (["merge", "none.db"], "-o")]:
            with self.subTest(arguments=arguments):
                self.assertIn(part, self.fail_with(2, *arguments))


class Progress(Sweep):
    def test_plain(self):
        code, _, err = self.run_program("sweep", "gets.lua", "--store", "r.db", "--progress", "plain",
                                        "--best", "latency_us")
        self.assertEqual(code, 0)
        line = r"gets: 40 of 40 points, 0 failed, best latency_us \d+\.\d+, \d+\.\d points/s, 0 s to go, up to \d+ MiB a point"
        self.assertRegex(err.splitlines()[-1], line)
        with open(self.folder / "r.csv", "w", encoding="utf-8"):
            pass
        self.sweep("-o", "csv:r.csv")
        with open(self.folder / "r.csv", newline="", encoding="utf-8") as file:
            least = min(float(row["latency_us"]) for row in csv.DictReader(file))
        self.assertIn(f"best latency_us {least:.6g}", err.splitlines()[-1])

    def test_a_tolerance_is_named(self):
        """2,000 points of 500 iterations each, of which 16 would do, take minutes: it is said once, after the first."""
        numbers = ", ".join(map(str, range(2000)))
        self.write("slow.lua", f"""
            local node = require "configs.gcn3_node"
            return study {{ title = "Slow", machine = node {{ nodes = 8 }}, vary = {{ n = {{ {numbers} }} }},
              run = function() return jacobi2d {{ design = "comp-net", nodes = 8, edge = 256, iterations = 500 }} end }}""")
        program = self.start("run", "slow.lua", "--no-plot", "--progress", "plain")
        self.assertRegex(program.stderr.readline(), r"\Aslow: jacobi2d simulates every step; tolerance = 0\.005 ends a run when its "
                         r"steps agree within 0\.5 %, which may save about [\d.]+ (s|min|h) \(gpunetsim help jacobi2d\.tolerance\)\n")


class DryRun(Sweep):
    """40 points; nothing is written."""

    def test_without_and_with_a_store(self):
        told = r"\Agets: 40 points: about \d+ s with \d+ workers \(3 points were tried\)\n" \
               r"The largest point, bytes 8B, repeats 1, will take about \d+ MiB; \d+ MiB of memory are left\.\n\Z"
        for more in ([], ["--store", "new.db"]):
            self.assertRegex(self.succeed("run", "gets.lua", "--dry-run", *more), told)
        self.assertEqual(self.files(), ["gets.lua"])
        self.sweep("--shard", "1/4")
        before = (self.folder / "r.db").read_bytes()
        self.assertIn("gets: 40 points, 10 of them in the store, 30 to run: about",
                      self.succeed("sweep", "gets.lua", "-n", "--store", "r.db"))
        self.sweep()
        self.assertEqual(self.succeed("run", "gets.lua", "-n", "--store", "r.db"),
                         "gets: 40 points, 40 of them in the store, 0 to run\n")
        self.assertEqual((self.points(), before != b""), (40, True))

    def test_a_point_that_fails(self):
        self.write("bad.lua", STUDY.replace("return { latency", 'error("no") return { latency') % "")
        self.assertIn("a point that was tried failed: bad.lua:9: no", self.fail_with(1, "run", "bad.lua", "-n"))

    @unless_sanitized
    def test_of_scenarios(self):
        lines = self.succeed("reproduce", "--only", "programs", "--quick", "-n").splitlines()
        points = [int(line.split(": ")[1].split()[0]) for line in lines if re.match(r"\w+: \d+ points", line)]
        self.assertEqual(points[-1], sum(points[:-1]))
        self.assertEqual(self.files(), ["gets.lua"])


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: BSD-3-Clause
"""Does what docs/change/extending.md says in a copy of the source tree, builds the program there and runs what was added."""

import csv
import io
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(os.environ["GPUNETSIM_ROOT"])
BUILD = pathlib.Path(os.environ["GPUNETSIM_PROGRAM"]).parent
BLOCK = re.compile(r"^```(\w+) file=(\S+)\n(.*?)^```", re.M | re.S)
SOURCES = ("VERSION", "CMakeLists.txt", "LICENSE", "cmake", "library", "sim", "benchmarks", "configs", "views")


def cached(name):
    """A value of this build's configuration, or nothing."""
    match = re.search(rf"(?m)^{name}:\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text())
    return match.group(1) if match else ""


class Extending(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="gpunetsim-extending-")
        cls.addClassCleanup(folder.cleanup)
        cls.tree = pathlib.Path(folder.name)
        for name in SOURCES:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, cls.tree / name)
        for folder in ("tests", "bench"):  # the program alone is built
            (cls.tree / folder).mkdir()
            (cls.tree / folder / "CMakeLists.txt").touch()
        cls.added = []
        for language, name, body in BLOCK.findall((ROOT / "docs/change/extending.md").read_text()):
            cls.add(language, cls.tree / name, body)
            cls.added.append(name)
        cls.build()

    @classmethod
    def add(cls, language, path, body):
        if language != "diff":
            assert not path.exists(), path
            path.parent.mkdir(exist_ok=True)
            path.write_text(body)
            return
        before, new = body.splitlines()
        assert before[0] == " " and new[0] == "+", body
        lines = path.read_text().split("\n")  # how far a line's backslash is from its text does not matter
        places = [i for i, line in enumerate(lines) if line.split() == before[1:].split()]
        assert len(places) == 1, (path, before)
        lines.insert(places[0] + 1, new[1:])
        path.write_text("\n".join(lines))

    @classmethod
    def build(cls):
        launchers = [f"-DCMAKE_{language}_COMPILER{what}={cached(f'CMAKE_{language}_COMPILER{what}')}"
                     for language in ("C", "CXX") for what in ("", "_LAUNCHER")]
        environment = dict(os.environ, CCACHE_BASEDIR=str(cls.tree), CCACHE_NOHASHDIR="1")
        # With all checks, and no more optimised than warnings need: it runs a few points, once.
        for command in (["cmake", "-G", "Ninja", "-S", ".", "-B", "build", "-DCMAKE_BUILD_TYPE=Debug",
                         "-DCMAKE_C_FLAGS_DEBUG=-O1", "-DCMAKE_CXX_FLAGS_DEBUG=-O1", "-DGPUNETSIM_WERROR=ON",
                         "-DGPUNETSIM_COMMON_HEADERS=ON", *launchers],
                        ["cmake", "--build", "build", "--target", "gpunetsim"]):
            done = subprocess.run(command, cwd=cls.tree, env=environment, capture_output=True, text=True)
            assert done.returncode == 0, done.stdout[-3000:] + done.stderr

    def run_program(self, *arguments):
        environment = dict(os.environ, GPUNETSIM_ROOT=str(self.tree))  # its configs
        done = subprocess.run([self.tree / "build/gpunetsim", *arguments], cwd=self.tree,
                              env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def rows(self, study, *options):
        self.run_program("run", study, *options, "--no-plot", "--output", "csv:r.csv")
        return list(csv.DictReader(io.StringIO((self.tree / "r.csv").read_text())))

    def test_one_of_each(self):
        """A file and a line each, and a file in Lua for the workload and the command, as the page's table says."""
        new = [name for name in self.added if not (ROOT / name).exists()]
        self.assertEqual(len([name for name in new if name.endswith(".c")]), 2)
        self.assertEqual(len([name for name in new if name.endswith(".lua") and not name.startswith("scenarios/")]), 2)
        lists = [name for name in self.added if (ROOT / name).exists()]
        self.assertEqual(len(lists), len(set(lists)))
        self.assertEqual(len(lists), 5)

    def test_design(self):
        rows = self.rows("scenarios/extended_design.lua")
        self.assertEqual(len({row["latency_us"] for row in rows}), 4)
        self.assertIn("gpu-warp-host-queue", self.run_program("list", "designs"))

    def test_mpi(self):
        rows = {(row["runtime"], row["bytes"]): float(row["latency_us"]) for row in self.rows("scenarios/extended_mpi.lua")}
        self.assertEqual(len(rows), 4)
        for size in ("8", "1048576"):
            self.assertLess(rows["mympi", size], rows["openmpi", size])
        slow = self.rows("scenarios/extended_mpi.lua", "-s", "mympi.call=1us")
        for row in slow:  # send took 80 ns
            more = 0.92 if row["runtime"] == "mympi" else 0
            self.assertAlmostEqual(float(row["latency_us"]), rows[row["runtime"], row["bytes"]] + more, places=6)

    def test_workload_and_agents(self):
        rows = {row["server"]: float(row["latency_us"]) for row in self.rows("scenarios/extended.lua")}
        self.assertEqual(set(rows), {"gpu_warp", "gpu_quarter_warp", "none"})
        self.assertTrue(all(value > 1 for value in rows.values()), rows)
        self.assertIn("Payload of a put.", self.run_program("help", "put_latency"))
        self.assertIn("gpu_quarter_warp", self.run_program("help", "design"))

    def test_agent_in_explain(self):
        """The new kind gets the reasons of what it is: on the GPU, beside its queue; or across the bus from it."""
        study = (self.tree / "scenarios/extended.lua").read_text()
        (self.tree / "far.lua").write_text(
            study.replace('{ server = { "gpu_warp", "gpu_quarter_warp", "none" } }', '{ queue = { "gpu", "host" } }')
            .replace("p.server == ", "p.queue == ").replace("server = p.server", 'server = "gpu_quarter_warp", queue = { memory = p.queue }'))
        output = self.run_program("explain", "far.lua", "--point", "queue=gpu", "--point", "queue=host")
        self.assertIn("queue gpu: quarters of wavefronts on the GPU poll queues through its L2: no bus lies between; they come to "
                      "each queue in turn (server = gpu_quarter_warp, queue.memory = gpu)", output)
        self.assertIn("queue host: polling over PCIe: each look of quarters of wavefronts at a queue in host memory", output)
        self.assertIn("by queue.memory (gpu, host)", output)
        self.run_program("trace", "far.lua", "--point", "queue=gpu", "-o", "t.json", "--only", "service")

    def test_command(self):
        self.assertIn("ComPNet18, section 4", self.run_program("sources"))
        self.assertIn("Tells where each named design", self.run_program("help", "sources"))


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: BSD-3-Clause
"""bench/run measures no build whose times compare with no others, and its studies can be run."""
import re
import subprocess
import unittest

from program import PROJECT, ProgramTest


class BenchRun(ProgramTest):
    def test_other_builds_are_refused(self):
        """As quickstart.sh leaves one, and a debug build."""
        (self.folder / "build").mkdir()
        self.write("build/build.ninja", "")
        for kind, optimised, words in (("Release", "OFF", "GPUNETSIM_LTO=ON"), ("Debug", "ON", "CMAKE_BUILD_TYPE=Release")):
            self.write("build/CMakeCache.txt", f"CMAKE_BUILD_TYPE:STRING={kind}\nGPUNETSIM_LTO:BOOL={optimised}\n")
            done = subprocess.run([PROJECT / "bench/run", self.folder / "build"], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertRegex(done.stderr, rf"\Abench/run: \S+ is not built with {words}, [^\n]+\n\Z")

    def test_studies_are_read(self):
        """bench/run is started by hand, so nothing else would notice that a part of a study is gone."""
        studies = re.findall(r"(?:bench|scenarios/compnet)/\w+\.lua", (PROJECT / "bench/run").read_text())
        self.assertEqual(len(set(studies)), 2)
        for study in sorted(set(studies)):
            self.assertIn("points: about", self.succeed("run", "-n", PROJECT / study))


if __name__ == "__main__":
    unittest.main()

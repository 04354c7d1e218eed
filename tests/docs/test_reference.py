# SPDX-License-Identifier: BSD-3-Clause
"""The reference by Doxygen: it is written without a warning, and all of the C interface is described."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(os.environ["GPUNETSIM_ROOT"])
PROGRAM = os.environ["GPUNETSIM_PROGRAM"]


@unittest.skipIf(os.environ.get("GPUNETSIM_SANITIZED"), "the optimised build runs it")
@unittest.skipUnless(shutil.which("doxygen"), "doxygen is not installed (Debian package doxygen)")
class Reference(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def warnings(self):
        return (self.folder / "warnings.txt").read_text().replace(f"{ROOT}/", "")

    def test_reference(self):
        subprocess.run(["cmake", f"-DPROGRAM={PROGRAM}", f"-DSOURCE={ROOT}", f"-DFOLDER={self.folder}", "-DVERSION=1.2.3",
                        "-P", ROOT / "cmake/reference.cmake"], capture_output=True, check=True)
        self.assertEqual(self.warnings(), "")
        pages = {name: (self.folder / "html" / f"{name}.html").read_text() for name in ("components", "designs", "index")}
        self.assertIn("doorbell_latency", pages["components"])
        self.assertIn("comp-net", pages["designs"])
        self.assertIn("1.2.3", pages["index"])
        self.check_header()

    def check_header(self):
        """Each declaration has a comment of its own, and its page shows it."""
        strict = f"\nINPUT = {ROOT}/library\nEXTRACT_ALL = NO\nWARN_IF_UNDOCUMENTED = YES\n"
        (self.folder / "Doxyfile").write_text((self.folder / "Doxyfile").read_text() + strict)
        subprocess.run(["doxygen", self.folder / "Doxyfile"], capture_output=True, check=True)
        self.assertEqual(self.warnings(), "")
        declared = set(re.findall(r"\b(gpunetsim_\w+)\(", (ROOT / "library/gpunetsim.h").read_text()))
        page = (self.folder / "html/gpunetsim_8h.html").read_text()
        self.assertGreater(len(declared), 20)
        self.assertEqual([name for name in sorted(declared) if name not in page], [])


if __name__ == "__main__":
    unittest.main()

"""The version: of the last tag, or of the file VERSION where there is no checkout."""
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(os.environ["GPUNETSIM_ROOT"])


@unittest.skipUnless(shutil.which("git"), "git is not installed")
class Version(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.source = self.folder / "source"
        self.source.mkdir()
        for name in ("VERSION", ".gitattributes"):
            shutil.copy(ROOT / name, self.source)
        self.git("init", "--quiet")
        self.git("add", ".")
        self.commit("first")

    def git(self, *words):
        done = subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@localhost", *words], cwd=self.source,
                              capture_output=True, check=True)
        return done.stdout

    def commit(self, message):
        self.git("commit", "--quiet", "--allow-empty", "-m", message)
        return self.git("rev-parse", "--short", "HEAD").decode().strip()

    def said(self, source):
        header = self.folder / "git_id.h"
        subprocess.run(["cmake", f"-DHEADER={header}", f"-DSOURCE={source}", "-P", ROOT / "cmake/version.cmake"],
                       check=True)
        return header.read_text().split('"')[1]

    def in_file(self):
        return (ROOT / "VERSION").read_text().splitlines()[0]

    def test_without_a_tag(self):
        commit = self.commit("second")
        self.assertEqual(self.said(self.source), f"{self.in_file()} (git {commit})")
        (self.source / "VERSION").write_text("7.0.0\nchanged\n")
        self.assertEqual(self.said(self.source), f"7.0.0 (git {commit}-dirty)")

    def test_of_the_last_tag(self):
        self.git("tag", "v1.2.3")
        self.git("tag", "some-other")
        commit = self.commit("second")
        self.assertEqual(self.said(self.source), f"1.2.3 (git {commit})")

    def test_of_a_tarball(self):
        """Also where it is unpacked within another checkout."""
        commit = self.commit("second")
        self.git("tag", "v1.2.3")
        unpacked = self.source / "unpacked"
        unpacked.mkdir()
        subprocess.run(["tar", "-x", "-C", unpacked], input=self.git("archive", "HEAD"), check=True)
        self.assertEqual(self.said(unpacked), f"{self.in_file()} (git {commit})")

    def test_of_a_copy(self):
        copied = self.folder / "copied"
        copied.mkdir()
        shutil.copy(ROOT / "VERSION", copied)
        self.assertEqual(self.said(copied), f"{self.in_file()} (git unknown)")


if __name__ == "__main__":
    unittest.main()

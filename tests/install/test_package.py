# SPDX-License-Identifier: BSD-3-Clause
"""The Debian package: what it depends on is what its files link, it installs into an empty root and goes again without a trace,
and its program runs from there. The image of the Dockerfile, where an engine builds it. And what cites the project."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(os.environ["GPUNETSIM_ROOT"])
BUILD = Path(os.environ["GPUNETSIM_PROGRAM"]).parent


def call(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def has_engine():
    """Whether Docker is there and its engine answers."""
    docker = shutil.which("docker")
    return docker and subprocess.run([docker, "info"], capture_output=True, timeout=60, check=False).returncode == 0


@unittest.skipUnless(shutil.which("cpack") and shutil.which("dpkg-shlibdeps"), "no cpack or dpkg-shlibdeps (Debian package dpkg-dev)")
class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        call("cpack", "--config", BUILD / "CPackConfig.cmake", "-B", cls.folder / "packed")
        cls.package, = (cls.folder / "packed").glob("*.deb")
        cls.files = cls.folder / "files"
        call("dpkg", "-x", cls.package, cls.files)

    def field(self, name):
        return call("dpkg-deb", "-f", self.package, name).strip()

    def test_fields(self):
        self.assertEqual(self.field("Package"), "gpunetsim")
        self.assertEqual(self.field("Version"), (ROOT / "VERSION").read_text().split()[0])
        self.assertEqual(self.field("Recommends"), "gnuplot-nox")

    def test_dependencies_are_what_is_linked(self):
        """Each library that a file of the package needs is its own or of a package that is named."""
        named = set(re.findall(r"(?:^|, )([a-z0-9.+-]+)", self.field("Depends")))
        names = {path.name for path in self.files.rglob("*.so*")}
        places = dict(re.findall(r"^\s(\S+) \(.*\) => (\S+)$", call("/sbin/ldconfig", "-p"), re.M))
        needed = set()
        for path in self.files.rglob("*"):
            if path.is_file() and not path.is_symlink() and path.open("rb").read(4) == b"\x7fELF":
                needed |= set(re.findall(r"NEEDED\s+(\S+)", call("objdump", "-p", path))) - names
        self.assertIn("libsqlite3.so.0", needed)
        owners = set()
        for library in needed:
            place = Path(places[library])
            found = subprocess.run(["dpkg", "-S", f"*/{place.resolve().name}"], capture_output=True, text=True, check=True).stdout
            owner = {line.split(":")[0] for line in found.splitlines()}
            self.assertTrue(owner & named or library.startswith("ld-linux"), f"{library} is of {owner}, which Depends lacks: {named}")
            owners |= owner & named
        self.assertEqual(named - owners, set(), "Depends has no more than that")

    def test_the_program_runs(self):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GPUNETSIM_")}
        told = call(self.files / "usr/bin/gpunetsim", "params", "gcn3_node", env=environment, cwd=self.folder)
        self.assertIn("nic.doorbell_latency", told)
        self.assertTrue((self.files / "usr/share/man/man1/gpunetsim.1").exists())
        self.assertTrue((self.files / "usr/lib/python3/dist-packages/gpunetsim.py").exists())

    @unittest.skipUnless(os.geteuid() == 0, "only root has dpkg install packages")
    def test_installs_and_goes(self):
        root = self.folder / "root"
        for name in ("var/lib/dpkg/info", "var/lib/dpkg/updates"):
            (root / name).mkdir(parents=True)
        (root / "var/lib/dpkg/status").touch()
        call("dpkg", f"--root={root}", "--force-depends", "--force-script-chrootless", "--install", self.package)
        self.assertEqual(call("dpkg-query", f"--admindir={root}/var/lib/dpkg", "-W", "-f", "${Status}", "gpunetsim"),
                         "install ok installed")
        installed = {path.relative_to(root / "usr") for path in (root / "usr").rglob("*")}
        self.assertEqual(installed, {path.relative_to(self.files / "usr") for path in (self.files / "usr").rglob("*")})
        call("dpkg", f"--root={root}", "--force-depends", "--force-script-chrootless", "--purge", "gpunetsim")
        self.assertFalse((root / "usr").exists())


class Image(unittest.TestCase):
    @unittest.skipUnless(has_engine(), "no engine answers `docker info`")
    def test_is_built_and_runs(self):
        call("docker", "build", "-t", "gpunetsim-test", ROOT, timeout=3000)
        self.assertRegex(call("docker", "run", "--rm", "gpunetsim-test", "-V"), r"\d+\.\d+\.\d+")


class Citation(unittest.TestCase):
    def test_is_complete_and_of_this_version(self):
        """What CFF 1.2.0 demands, and the version of the file VERSION."""
        text = (ROOT / "CITATION.cff").read_text()
        fields = dict(re.findall(r"(?m)^([a-z-]+):\s*(.*)$", text))
        self.assertEqual({"cff-version", "message", "title", "authors"} - set(fields), set())
        self.assertEqual(fields["cff-version"], "1.2.0")
        self.assertEqual(fields["version"], (ROOT / "VERSION").read_text().split()[0])
        self.assertRegex(text, r"(?m)^  - name: \S")
        self.assertIn(fields["license"], (ROOT / "docs/README.md").read_text() + (ROOT / "README.md").read_text())


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: BSD-3-Clause
"""Every source file stands as .clang-format says. One with another version of the formatter is left out: versions
differ in what they break."""
import pathlib
import re
import subprocess
import sys

VERSION = "14."
SUFFIXES = {".c", ".h", ".cpp", ".cu"}
FOLDERS = ("sim", "library", "tests", "bench", "examples", "probe")

root = pathlib.Path(sys.argv[1])
version = subprocess.run(["clang-format", "--version"], capture_output=True, text=True, check=True).stdout
if f"version {VERSION}" not in version:
    print(f"clang-format {VERSION}x is wanted, this is {version.strip()}")
    sys.exit(77)  # skipped
files = [path for folder in FOLDERS for path in sorted((root / folder).rglob("*")) if path.suffix in SUFFIXES]
assert len(files) > 500, f"only {len(files)} source files found"
told = subprocess.run(["clang-format", "--style=file", "--dry-run", "--Werror", *files], capture_output=True, text=True)
places = re.findall(r"^(\S+?:\d+):\d+: error", told.stderr, re.M)
if told.returncode:
    print(*places[:20], sep="\n")
    sys.exit(f"{len(places)} places are not as .clang-format says; clang-format -i FILE mends them")
print(f"{len(files)} files as .clang-format says")

# SPDX-License-Identifier: BSD-3-Clause
"""spdx.py ROOT [--write]: every source file names its licence in its first line, or behind a line that has to be first. With --write
it is put there where it is missing."""
import pathlib
import sys

LICENCE = "SPDX-License-Identifier: BSD-3-Clause"
FOLDERS = ("sim", "library", "benchmarks", "configs", "scenarios", "plots", "views", "cmake", "tests", "bench", "probe", "examples", "python", "completions", "docs", ".ci")
STYLES = {ending: "/* %s */" for ending in (".c", ".h", ".cpp", ".cu", ".cuh", ".inc")}
STYLES |= {ending: "# %s" for ending in (".py", ".cmake", ".sh", ".gp", ".in", ".bash", ".fish", ".sed")}
STYLES |= {".lua": "-- %s"}
NAMES = {"CMakeLists.txt", "Dockerfile", "_gpunetsim", "run", "keep"}  # scripts without an ending
NOT_SOURCES = ("tests/fuzz/seeds/",)


def style_of(path):
    return "# %s" if path.name in NAMES else STYLES.get(path.suffix)


def sources(root):
    files = [*root.glob("*.sh"), *root.glob("CMakeLists.txt"), *root.glob("Dockerfile")]
    for folder in FOLDERS:
        files += (root / folder).rglob("*")
    for path in sorted(set(files)):
        name = str(path.relative_to(root))
        if path.is_file() and style_of(path) and not name.startswith(NOT_SOURCES) and "__pycache__" not in name:
            yield path


def main():
    root = pathlib.Path(sys.argv[1])
    missing = [path for path in sources(root) if LICENCE not in "".join(path.open(encoding="utf-8").readlines()[:3])]
    for path in missing:
        if "--write" in sys.argv[2:]:
            lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
            place = 1 if lines and lines[0].startswith(("#!", "#compdef")) else 0
            lines.insert(place, style_of(path) % LICENCE + "\n")
            path.write_text("".join(lines), encoding="utf-8")
        else:
            print(f"{path.relative_to(root)}: names no licence; tests/spdx.py ROOT --write does it")
    return 1 if missing and "--write" not in sys.argv[2:] else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: BSD-3-Clause
"""coverage.py BUILD: lines of sim/ that were run, by file and by folder, from what gcov says of a build with GPUNETSIM_COVERAGE.
With --missing FILE: the lines of that file that were not. With --sentences: where an error is told that no test has met."""
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENOUGH_PERCENT = 80
TELLS = re.compile(r"\b(error_set|error_set_code|g_set_error|script_fail|script_fail_at|command_tell|refuse|fail)\(.*")


def counts(build):
    """{file: {line: times}}, summed up over all objects that hold the line."""
    lines = {}
    for data in sorted(Path(build).rglob("*.gcda")):
        said = subprocess.run(["gcov", "--json-format", "--stdout", data.resolve()], capture_output=True, text=True,
                              check=True, cwd=build).stdout
        for document in map(json.loads, said.splitlines()):
            for file in document["files"]:
                path = (Path(document["current_working_directory"]) / file["file"]).resolve()
                if path.is_relative_to(ROOT / "sim"):
                    of_file = lines.setdefault(str(path.relative_to(ROOT)), {})
                    for line in file["lines"]:
                        number = line["line_number"]
                        of_file[number] = of_file.get(number, 0) + line["count"]
    return lines


def row(name, of_file):
    run = sum(count > 0 for count in of_file.values())
    return 100 * run / len(of_file), run, len(of_file), name


def by_folder(lines):
    """A row for each folder of sim/, with all below it."""
    folders = {}
    for name, of_file in lines.items():
        folders.setdefault("/".join(name.split("/")[:2]), {}).update({(name, n): count for n, count in of_file.items()})
    return [row(name, of_folder) for name, of_folder in folders.items()]


def unmet_sentences(lines):
    """FILE:LINE: and the call, for each that tells an error and was never made."""
    for name, of_file in sorted(lines.items()):
        source = (ROOT / name).read_text().splitlines()
        for number, count in sorted(of_file.items()):
            found = TELLS.search(source[number - 1])
            if count == 0 and found:
                following = source[number].strip() if number < len(source) and not found[0].endswith(";") else ""
                yield f"{name}:{number}: {found[0]} {following}".rstrip()


def main():
    lines = counts(sys.argv[1])
    if not lines:
        raise SystemExit(f"coverage.py: {sys.argv[1]} has no counts: build with GPUNETSIM_COVERAGE and run tests")
    if sys.argv[2:3] == ["--missing"]:
        print(*sorted(n for n, count in lines[sys.argv[3]].items() if count == 0))
        return
    if sys.argv[2:3] == ["--sentences"]:
        print(*unmet_sentences(lines), sep="\n")
        return
    rows = sorted(row(name, of_file) for name, of_file in lines.items())
    for percent, run, all_lines, name in rows:
        print(f"{percent:6.1f} %  {run:5} of {all_lines:5}  {name}")
    print()
    for percent, run, all_lines, name in sorted(by_folder(lines)):
        print(f"{percent:6.1f} %  {run:5} of {all_lines:5}  {name}")
    few = sum(percent < ENOUGH_PERCENT for percent, *_ in rows)
    run, all_lines = sum(r[1] for r in rows), sum(r[2] for r in rows)
    print(f"{100 * run / all_lines:6.1f} %  {run} of {all_lines} lines of sim/; {few} of {len(rows)} files under "
          f"{ENOUGH_PERCENT} %")


if __name__ == "__main__":
    main()

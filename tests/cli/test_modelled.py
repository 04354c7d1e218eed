# SPDX-License-Identifier: BSD-3-Clause
"""claims/modelled.tsv against the project: every place and every test that it names is there, and no fact is without one or a reason."""
import json
import re
import shutil
import subprocess
import unittest
from pathlib import Path

from program import PROGRAM, PROJECT, ProgramTest

CTEST = shutil.which("ctest")


def table(name):
    lines = (PROJECT / f"claims/{name}.tsv").read_text().splitlines()
    names = lines[0].split("\t")
    return [dict(zip(names, line.split("\t"))) for line in lines[1:]]


def rows():
    """Of what is modelled."""
    return [row for row in table("modelled") if row["place"]]


def refused():
    return {row["id"] for row in table("modelled") if not row["place"]}


def cases_of_script(path):
    """Test methods of a script, by class."""
    cases = []
    for kind, name in re.findall(r"(?m)^class (\w+)|^    def (test_\w+)", (PROJECT / path).read_text()):
        of = kind or of
        cases += [f"{of}.{name}"] if name else []
    return cases


def name_in_ctest(path):
    """ "models/dispatch" of tests/models/test_dispatch.c; those in Python are called cli/..."""
    path = Path(path)
    room = "cli" if path.suffix == ".py" else path.parent.name
    return f"{room}/{path.stem.removeprefix('test_')}"


class Modelled(ProgramTest):
    def test_no_row_stands_twice(self):
        self.assertEqual(len(rows()), len({tuple(row.values()) for row in rows()}))

    def test_no_fact_is_left(self):
        facts = {claim["id"] for claim in table("claims") if claim["use"] == "config"}
        self.assertEqual(facts, {row["id"] for row in rows()} | refused())

    def test_numbers_in_the_docs(self):
        docs = (PROJECT / "docs/trust/validation.md").read_text()
        self.assertIn(f"| modelled | {len({row['id'] for row in rows()})} |", docs)
        self.assertIn(f"| not-modelled | {len(refused())} |", docs)

    def parameters(self, machine):
        return {line.split()[0]: line.split()[1]
                for line in self.succeed("params", str(PROJECT / machine)).splitlines()}

    def designs(self):
        names = [line.split()[0] for line in self.succeed("list", "designs").splitlines()[1:] if line]
        return {f"{name}.{line.split()[0]}": line.split()[1] for name in names
                for line in self.succeed("help", name).splitlines()[4:] if line}

    def test_parameters(self):
        """As the program prints them."""
        stated = [row for row in rows() if row["value"]]
        for machine in {row["place"].split(":")[0] for row in stated}:
            printed = self.designs() if machine == "configs/designs.lua" else self.parameters(machine)
            for row in stated:
                file, parameter = row["place"].split(":")
                if file == machine:
                    self.assertEqual(printed[parameter], row["value"], row)

    def test_functions_and_structs(self):
        for row in rows():
            if row["value"]:
                continue
            file, name = row["place"].split(":")
            found = re.search(rf"^(?!\s)[^;#]*\b{re.escape(name)}(\([^;]*$| \{{$)", (PROJECT / file).read_text(),
                              re.MULTILINE)
            self.assertTrue(found, row)

    @unittest.skipUnless(CTEST, "ctest is not installed (Debian package cmake)")
    def test_tests_are_known_to_ctest(self):
        """By their names there, and their cases by the programs that hold them."""
        listing = subprocess.run([CTEST, "--test-dir", Path(PROGRAM).parent, "--show-only=json-v1"],
                                 capture_output=True, text=True, check=True).stdout
        commands = {test["name"]: test.get("command") for test in json.loads(listing)["tests"]}
        cases = {}
        for row in rows():
            path, case = row["test"].split(":", 1)
            self.assertIn(name_in_ctest(path), commands, row)
            if path.endswith(".py"):
                cases[path] = cases_of_script(path)
            if path not in cases:
                command = commands[name_in_ctest(path)]
                cases[path] = subprocess.run([*command, "-l"], capture_output=True, text=True,
                                             check=True).stdout.splitlines()
            self.assertIn(case, cases[path], row)


if __name__ == "__main__":
    unittest.main()

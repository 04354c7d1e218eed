# SPDX-License-Identifier: BSD-3-Clause
"""The reader in Python: the same rows as results.csv, from a run and from a store, with pandas and without; its notebook runs."""
import csv
import importlib.util
import json
import math
import os
import shutil
import subprocess
import sys
import unittest

from program import PROGRAM, PROJECT, STUDY, ProgramTest

sys.path.insert(0, str(PROJECT / "python"))
import gpunetsim  # noqa: E402

NOTEBOOK = PROJECT / "examples/notebook"
HAS_PANDAS = importlib.util.find_spec("pandas") is not None
HAS_JUPYTER = shutil.which("jupyter-nbconvert") is not None and importlib.util.find_spec("ipykernel") is not None


class Python(ProgramTest):

    def setUp(self):
        super().setUp()
        self.write("s.lua", STUDY % "")
        self.path = self.folder / "s.lua"

    def csv_rows(self):
        self.succeed("run", "s.lua", "--no-plot", "-o", "csv:rows.csv")
        with open(self.folder / "rows.csv", newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def check_equal(self, results, rows):
        def key(row):
            return str(row["design"]), float(row["bytes"])
        self.assertEqual(len(results), len(rows))
        for one, other in zip(sorted(results, key=key), sorted(rows, key=key)):
            self.assertEqual(sorted(one), sorted(other))
            for name, value in one.items():
                self.assertEqual(value if isinstance(value, str) else float(value),
                                 other[name] if isinstance(value, str) else float(other[name]))

    def test_run(self):
        results = gpunetsim.run(self.path)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["s.lua"])
        self.check_equal(results, self.csv_rows())
        self.assertEqual(results.columns, ["bytes", "design", "latency_us", "share"])
        self.assertEqual(results.units, {"bytes": "B", "latency_us": "us"})
        self.assertEqual([row["latency_us"] for row in results.where(design="two")], [6, 6, 6])

    def test_store(self):
        store = self.folder / "a b#?.db"
        results = gpunetsim.run(self.path, store=store)
        with gpunetsim.open_store(store) as opened:
            self.assertEqual([(one["name"], one["points"]) for one in opened.studies()], [("s", 6)])
            self.check_equal(opened.results("s"), results)
            self.check_equal(opened.results(), results)
            self.assertEqual(opened.results("t"), [])
        before = store.read_bytes()
        gpunetsim.open_store(store).close()
        self.assertEqual(store.read_bytes(), before)

    def test_settings(self):
        gets = NOTEBOOK / "gets.lua"
        slower = gpunetsim.run(gets, settings={"bus.latency": "180ns"}, seed=1, workers=1)
        for one, other in zip(gpunetsim.run(gets), slower):
            self.assertGreater(other["latency_us"], one["latency_us"])

    def test_errors(self):
        with self.assertRaisesRegex(gpunetsim.Error, "cannot be read"):
            gpunetsim.run(self.folder / "none.lua")
        with self.assertRaisesRegex(gpunetsim.Error, "no such store"):
            gpunetsim.open_store(self.folder / "none.db")
        with self.assertRaisesRegex(gpunetsim.Error, "is no store"):
            gpunetsim.open_store(self.path)
        self.write("bad.lua", STUDY.replace("return { latency", 'if p.bytes == "64B" then error("bad") end return { latency') % "")
        results = gpunetsim.run(self.folder / "bad.lua")
        self.assertEqual([row["failure"] is not None for row in results], [False, False, True, True, False, False])

    def test_without_pandas(self):
        code = "import sys; sys.modules['pandas'] = None; import gpunetsim; print(len(gpunetsim.run('s.lua')))"
        done = subprocess.run([sys.executable, "-c", code], cwd=self.folder, capture_output=True, text=True, check=True,
                              env={**os.environ, "PYTHONPATH": str(PROJECT / "python")})
        self.assertEqual(done.stdout, "6\n")

    @unittest.skipUnless(HAS_PANDAS, "python3-pandas is not installed")
    def test_frame(self):
        results = gpunetsim.run(self.path)
        frame = results.frame()
        self.assertEqual(list(frame.columns), results.columns)
        self.assertEqual(frame.attrs["units"], results.units)
        self.assertTrue(math.isclose(frame["latency_us"].sum(), sum(row["latency_us"] for row in results)))

    def environment(self):
        (self.folder / "bin").mkdir()
        os.symlink(PROGRAM, self.folder / "bin/gpunetsim")
        return {**os.environ, "PYTHONPATH": str(PROJECT / "python"), "PATH": f"{self.folder}/bin:{os.environ['PATH']}",
                "HOME": str(self.folder), "GPUNETSIM_ROOT": str(PROJECT)}

    @unittest.skipUnless(HAS_PANDAS, "python3-pandas is not installed")
    def test_cells(self):
        """The notebook's cells one after the other, in a plain Python."""
        cells = json.loads((NOTEBOOK / "gets.ipynb").read_text(encoding="utf-8"))["cells"]
        shutil.copy(NOTEBOOK / "gets.lua", self.folder)
        code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code") + "\nassert (table['ratio'] > 1).all()"
        done = subprocess.run([sys.executable, "-c", code], cwd=self.folder, capture_output=True, text=True, check=False,
                              env=self.environment())
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"(?m)^dgpu +\d\.\d{3} us$")

    def test_page(self):
        """The block of docs/use/library.md; without pandas, without its frame."""
        block = (PROJECT / "docs/use/library.md").read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
        shutil.copy(NOTEBOOK / "gets.lua", self.folder / "get.lua")
        gpunetsim.run(self.folder / "get.lua", store=self.folder / "results.db")
        lines = [line for line in block.splitlines() if HAS_PANDAS or "frame" not in line]
        done = subprocess.run([sys.executable, "-c", "\n".join([*lines, "print(len(rows))"])], cwd=self.folder, capture_output=True, text=True,
                              check=False, env=self.environment())
        self.assertEqual((done.returncode, done.stderr, done.stdout.split()[-1]), (0, "", "6"))

    @unittest.skipUnless(HAS_PANDAS and HAS_JUPYTER, "python3-pandas, jupyter-nbconvert or python3-ipykernel is not installed")
    def test_notebook(self):
        for name in ("gets.lua", "gets.ipynb"):
            shutil.copy(NOTEBOOK / name, self.folder)
        done = subprocess.run(["jupyter-nbconvert", "--to", "notebook", "--execute", "--output", "done.ipynb", "gets.ipynb"], cwd=self.folder,
                              capture_output=True, text=True, check=False, env=self.environment())
        self.assertEqual(done.returncode, 0, done.stderr)
        text = (self.folder / "done.ipynb").read_text(encoding="utf-8")
        self.assertIn("comp-net", text)
        self.assertNotIn('"output_type": "error"', text)


if __name__ == "__main__":
    unittest.main()

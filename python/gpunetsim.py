# SPDX-License-Identifier: BSD-3-Clause
"""Studies and stores of gpunetsim from Python, without anything to compile and without a package beyond Python's own.

    import gpunetsim
    results = gpunetsim.run("study.lua", settings={"nic.command_gap": "5ns"})
    for row in results:
        print(row["bytes"], row["latency_us"])
    frame = results.frame()                       # a pandas.DataFrame, if pandas is there
    print(frame.attrs["units"]["latency_us"])     # "us"

    store = gpunetsim.open_store("results.db")    # what `gpunetsim sweep --store` has kept, also while a sweep runs
    results = store.results("study")

A column's name ends with its unit, as in results.csv; `units` says it alone. A value that a point does not have is None.
"""
import json
import os
import shutil
import sqlite3
import subprocess
import tempfile
from pathlib import Path

__all__ = ["Error", "Results", "Store", "open_store", "run"]

UNITS = {"ps": "ps", "ns": "ns", "us": "us", "ms": "ms", "s": "s", "bytes": "B", "GBps": "GB/s", "GHz": "GHz", "MHz": "MHz", "W": "W",
         "uJ": "uJ", "percent": "%"}


class Error(Exception):
    """What the program said, in its own words."""


def _unit(column):
    """The unit of a column, or None: "us" of "latency_us", "B" of "bytes"."""
    suffix = column.rsplit("_", 1)[-1]
    is_rate = "_per_" in column
    return UNITS.get(suffix) if not is_rate and (suffix != column or column == "bytes") else None


class Results(list):
    """A dict for each point: its axes, then its measures, and `failure` (a sentence, or None) if some point failed."""

    @property
    def columns(self):
        """All names, in the order in which rows have them first."""
        return list(dict.fromkeys(name for row in self for name in row))

    @property
    def units(self):
        """The unit of each column that has one."""
        return {name: _unit(name) for name in self.columns if _unit(name)}

    def where(self, **values):
        """The rows with these values of columns: results.where(design="dgpu", bytes=8)."""
        return Results(row for row in self if all(row.get(name) == value for name, value in values.items()))

    def frame(self):
        """A pandas.DataFrame, whose attrs["units"] is `units`. ImportError without pandas."""
        import pandas  # pylint: disable=import-outside-toplevel
        frame = pandas.DataFrame(list(self), columns=self.columns)
        frame.attrs["units"] = self.units
        return frame


def _program(given):
    found = given or os.environ.get("GPUNETSIM_PROGRAM") or shutil.which("gpunetsim")
    if not found:
        raise Error("gpunetsim is not in PATH; give its file as program=..., or in GPUNETSIM_PROGRAM")
    return str(found)


def run(study, *, settings=None, seed=None, workers=None, store=None, program=None):
    """Runs a study (a file, or the name of a scenario), and returns its Results.

    settings: changed parameters, {"nic.command_gap": "5ns"}; seed: the master seed; workers: points at a time; store: a file
    that keeps results, so that what it has is not run again. Nothing else is written. Points that fail are rows with their
    `failure`. Error if nothing could be run.
    """
    with tempfile.TemporaryDirectory(prefix="gpunetsim-") as folder:
        out = Path(folder) / "rows.json"
        command = [_program(program), "run", str(study), "--no-plot", "--progress", "none", "--out", folder, "-o", f"json:{out}"]
        for name, value in (settings or {}).items():
            command += ["-s", f"{name}={value}"]
        for option, value in (("--seed", seed), ("-j", workers), ("--store", store)):
            command += [option, str(value)] if value is not None else []
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        if not out.exists():
            raise Error(done.stderr.strip().removeprefix("gpunetsim: ") or f"gpunetsim ended with exit code {done.returncode}")
        return Results(json.loads(out.read_text(encoding="utf-8")))


def _value(text):
    """A value of an axis, which a store has as a text."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


class Store:
    """A store, opened for reading only. Use it in a `with`, or close it."""

    def __init__(self, path):
        if not Path(path).is_file():
            raise Error(f"{path}: there is no such store")
        self._database = sqlite3.connect(f"{Path(path).resolve().as_uri()}?mode=ro", uri=True)
        try:
            self._database.execute("SELECT study, axes, columns, failure FROM point LIMIT 1")
        except sqlite3.DatabaseError as error:
            self._database.close()
            raise Error(f"{path}: this is no store of gpunetsim ({error})") from None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """The store cannot be asked after that."""
        self._database.close()

    def studies(self):
        """A dict for each study with its `name`, `title`, `seed`, `version` and `points`, all that it has."""
        names = ("name", "title", "seed", "version", "points")
        rows = self._database.execute(f"SELECT {', '.join(names)} FROM study ORDER BY name, seed, version")
        return [dict(zip(names, row)) for row in rows]

    def results(self, study=None):
        """The Results of the points that have been run, of one study by its name or of all; sorted by their axes."""
        query = "SELECT axes, columns, failure FROM point WHERE ?1 IS NULL OR study = ?1"
        rows = []
        for axes, columns, failure in self._database.execute(query, (study,)):
            values = {name: _value(text) for name, text in json.loads(axes).items()}
            rows.append((list(values.values()), {**values, **json.loads(columns or "{}"), **({"failure": failure} if failure else {})}))
        rows.sort(key=lambda row: [(isinstance(value, str), value) for value in row[0]])
        return Results(row for _, row in rows)


def open_store(path):
    """The Store in a file. Error if there is none."""
    return Store(path)

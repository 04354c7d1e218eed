# SPDX-License-Identifier: BSD-3-Clause
"""Runs every scenario that is not long once, for all tests that look at what comes out: its outputs in a folder of its name below
$GPUNETSIM_SCENARIOS, all results in `store.db`. CTest runs it before these tests."""
import os
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PROGRAM = os.environ["GPUNETSIM_PROGRAM"]
PROJECT = Path(os.environ["GPUNETSIM_ROOT"])
FOLDER = Path(os.environ["GPUNETSIM_SCENARIOS"])

# Samples of each point of a study with a band: a figure of two has what one of eight has. Two studies, whose samples take longest, go
# without; of the study that cli/reproduce runs again all samples are run.
SAMPLES = {"command_processor": 0, "nvshmem": 0, "fig08a_get_latency": 8}

# No test reads what these two give, but for their figures: one run of each point instead of the four or more that its means need.
RUN_ONCE = {"allreduce_within_node", "cp_design"}


def is_long(path):
    """Whether it says so itself, or the part of several scenarios that it is made with."""
    text = path.read_text()
    made = re.search(r'^local (\w+) = require "(parts\.\w+)"$.*^return \1\.\w+', text, re.M | re.S)
    if made:
        text += (path.parent / made[2].replace(".", "/")).with_suffix(".lua").read_text()
    return re.search(r"^ +long = true", text, re.M) is not None


def short_scenarios():
    """Those that do not take minutes."""
    return [path for path in sorted((PROJECT / "scenarios").glob("*/*.lua")) if not is_long(path)]


def run(scenario, options):
    """Claims that are missed are no failure here, nor are points that fail by design; a figure that cannot be drawn is."""
    command = [PROGRAM, "run", str(scenario), "--out", scenario.stem, "--store", "store.db", "--progress", "none", *options]
    if re.search(r"^ +band = ", scenario.read_text(), re.M):
        command += ["--band", str(SAMPLES.get(scenario.stem, 2))]
    if scenario.stem in RUN_ONCE:
        command += ["-s", "software.phases=fixed"]
    done = subprocess.run(command, cwd=FOLDER, text=True, capture_output=True, check=False)
    if done.returncode not in (0, 1) or "gnuplot" in done.stderr:
        raise SystemExit(f"{scenario}: exit code {done.returncode}\n{done.stderr}")


def main():
    if os.environ.get("GPUNETSIM_SANITIZED"):
        return  # minutes, and nobody there looks at them
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    options = [] if shutil.which("gnuplot") else ["--no-plot"]
    # Two at a time: while one draws its figure, or ends its last point, the other one has the cores.
    with ThreadPoolExecutor(2) as pool:
        for _ in pool.map(lambda scenario: run(scenario, options), short_scenarios()):
            pass


if __name__ == "__main__":
    main()

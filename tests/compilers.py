# SPDX-License-Identifier: BSD-3-Clause
"""compilers.py PROGRAM OTHER: the same studies from two builds of the program (gcc and clang, optimised and
with sanitizers) give the same bytes."""
import subprocess
import sys
import tempfile
from pathlib import Path

STUDY = """
local node = require "configs.gcn3_node"
local ac922 = require "configs.ac922"
return study {
  title = "Two compilers",
  machine = function(p) return p.workload == "osu" and ac922 { nodes = 2 } or node { nodes = 2 } end,
  vary = { workload = { "gets", "queue", "caches", "neighbours", "osu" }, bytes = { "8B", "1000B", "64KiB" } },
  trials = 2,
  run = function(p)
    if p.workload == "gets" then
      return get_latency { design = "comp-net", bytes = p.bytes, repeats = 5 }
    elseif p.workload == "queue" then
      return queue_service { design = "dgpu", operation = "nop", work_groups = 3, operations = 5 }
    elseif p.workload == "caches" then
      return l2_hit_rate { design = "comp-net", bytes = p.bytes, networking = 2, streaming = 4 }
    elseif p.workload == "neighbours" then
      return neighbour_exchange { design = "apu", bytes = p.bytes, work_groups = 2 }
    end
    return osu_latency { design = "charm-channel", iterations = 20, bytes = p.bytes }
  end,
}
"""

# Each is run in a folder with study.lua; what it prints and study.csv are compared.
COMMANDS = [
    ["run", "study.lua", "--no-plot", "-o", "csv:study.csv"],
    ["goal", "--generate", "halo3d:3x4x5,iterations=3,bytes=10007,calc=999", "--loggp", "L=1.5us,G=40ps", "--ends"],
    ["goal", "--generate", "permutation:12,iterations=3,bytes=100007", "--machine", "lassen", "--transport", "flow",
     "--ends"],
    ["goal", "--generate", "alltoall:9,bytes=100007", "--machine", "lassen", "--transport", "segment", "--ends"],
]


def answers(program, project):
    """What each command gives, in order."""
    given = []
    with tempfile.TemporaryDirectory(prefix="gpunetsim-compilers-") as folder:
        (Path(folder) / "study.lua").write_text(STUDY)
        for command in COMMANDS:
            done = subprocess.run([program, *command], cwd=folder, capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, env={"GPUNETSIM_ROOT": project}, check=False)
            if done.returncode != 0 or not done.stdout:
                sys.exit(f"{program} {' '.join(command)}: {done.stderr}")
            given.append(done.stdout)
        given.append((Path(folder) / "study.csv").read_text())
    return given


def main():
    one, other = (str(Path(program).resolve()) for program in sys.argv[1:])
    project = str(Path(__file__).resolve().parent.parent)
    names = [" ".join(command) for command in COMMANDS] + ["study.csv"]
    ours, theirs = answers(one, project), answers(other, project)
    for name, here, there in zip(names, ours, theirs, strict=True):
        for number, (a, b) in enumerate(zip(here.splitlines(), there.splitlines()), 1):
            if a != b:
                sys.exit(f"{name}, line {number}: {one} says\n{a}\n{other} says\n{b}")
        if here != there:
            sys.exit(f"{name} is longer in one than in the other")
    print(f"{len(names)} outputs, {sum(map(len, ours))} characters, the same")


main()

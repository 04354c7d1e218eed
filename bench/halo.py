# SPDX-License-Identifier: BSD-3-Clause
"""The halo exchange of a Jacobi3D as an MPI program under smpirun (smpi_halo.c) and ours with a process a rank
(bench_halo.c), one after the other: processor seconds and memory of both, and their ratio.

halo.py BENCH_HALO FOLDER [QUICK]; FOLDER holds the compiled program `halo`. QUICK: a tenth of the iterations."""
import os
import pathlib
import resource
import subprocess
import sys

PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="tree" prefix="h" suffix="" radical="0-521" speed="1Gf" bw="25GBps" lat="120ns" loopback_bw="50GBps"
    loopback_lat="250ns" topology="FAT_TREE" topo_parameters="2;18,29;1,18;1,1"/>
</platform>
"""
RANKS_A_NODE = 6
RUNS = (((8, 8, 8), 100, 20), ((16, 16, 12), 10, 50))  # grid, iterations, times faster that is asked


def measure(command):
    """Simulated seconds, processor seconds and MB of a command; its memory is read by itself, in a child of ours."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        done = subprocess.run(command, capture_output=True, text=True)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        lines = done.stdout.split() if done.returncode == 0 else ["nan"]
        os.write(writer, f"{lines[-1]} {used.ru_utime + used.ru_stime} {used.ru_maxrss / 1024}".encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return [float(number) for number in text.split()]


def smpirun(folder, ranks):
    (folder / "tree.xml").write_text(PLATFORM)
    (folder / "tree_hosts").write_text("".join(f"h{rank // RANKS_A_NODE}\n" for rank in range(ranks)))
    return ["smpirun", "-np", str(ranks), "-platform", str(folder / "tree.xml"), "-hostfile", str(folder / "tree_hosts"),
            "--cfg=smpi/simulate-computation:no", "--log=root.thresh:critical", str(folder / "halo")]


def main():
    bench, folder, *quick = sys.argv[1:]
    folder = pathlib.Path(folder)
    for sides, iterations, asked in RUNS:
        ranks = sides[0] * sides[1] * sides[2]
        iterations = max(1, iterations // 10) if quick else iterations
        arguments = [str(number) for number in (*sides, iterations)]
        theirs = measure([*smpirun(folder, ranks), *arguments])
        ours = measure([bench, *arguments])
        for name, (simulated, seconds, megabytes) in (("smpirun", theirs), ("bench_halo", ours)):
            print(f"{ranks:5} ranks x {iterations:3} iterations  {name:10} {seconds:9.2f} s {megabytes:7.0f} MB "
                  f"(simulated {simulated * 1e6:.1f} us)")
        print(f"{ranks:5} ranks x {iterations:3} iterations  {theirs[1] / ours[1]:.0f} times faster (asked: {asked}), "
              f"{ours[2]:.0f} MB (asked: at most 100)")


main()

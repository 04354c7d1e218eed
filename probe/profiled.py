#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes FOLDER/profiled.tsv: what PyTorch's profiler tells of kernels that do nothing, meet, or store a word, 30 one behind the other.

usage: profiled.py FOLDER; needs PyTorch, and nvcc for a GPU of compute capability 9.0 or higher.
"""
import ctypes
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import torch

SOURCE = """
#include <cooperative_groups.h>
__global__ void __launch_bounds__(1024, 1) measured(int meetings, int *word)
{
    extern __shared__ char room[];
    for (int i = 0; i < meetings; i++)
        cooperative_groups::this_grid().sync();
    if (word != nullptr && threadIdx.x == 0)
        *word = 1;
}
extern "C" int go(int blocks, int threads, int cluster, int cooperative, int shared, int meetings, void *word, void *stream)
{
    cudaFuncSetAttribute(measured, cudaFuncAttributeMaxDynamicSharedMemorySize, 210000);
    cudaLaunchAttribute attributes[2] = {};
    cudaLaunchConfig_t config = {};
    if (cooperative) {
        attributes[config.numAttrs].id = cudaLaunchAttributeCooperative;
        attributes[config.numAttrs++].val.cooperative = 1;
    }
    if (cluster > 1) {
        attributes[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
        attributes[config.numAttrs++].val.clusterDim = {(unsigned)cluster, 1, 1};
    }
    config.gridDim = dim3(blocks), config.blockDim = dim3(threads), config.dynamicSmemBytes = shared;
    config.stream = (cudaStream_t)stream, config.attrs = attributes;
    return cudaLaunchKernelEx(&config, measured, meetings, (int *)word);
}
"""
SHAPES = [(1, 32, 1, 0, 0), (128, 1024, 1, 0, 0), (128, 1024, 1, 1, 0), (128, 1024, 2, 1, 0), (128, 1024, 2, 1, 205000)]
POINTS = [(shape, 0, store) for shape in SHAPES for store in (0, 1)] + [(SHAPES[i], meetings, 0) for i in (3, 4) for meetings in (1, 2, 4)]


def kernels_of(run, folder):
    """The durations in us of the kernels that `run` launches, in their order."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        run()
    trace = folder / "trace.json"
    profile.export_chrome_trace(str(trace))
    events = [event for event in json.loads(trace.read_text())["traceEvents"] if event.get("cat") == "kernel" and "measured" in event["name"]]
    return [event["dur"] for event in sorted(events, key=lambda event: event["ts"])]


def main():
    with tempfile.TemporaryDirectory() as name, open(Path(sys.argv[1]) / "profiled.tsv", "w") as table:
        folder = Path(name)
        (folder / "measured.cu").write_text(SOURCE)
        subprocess.run(["nvcc", "-arch=sm_90", "-shared", "-Xcompiler", "-fPIC", "-o", folder / "measured.so", folder / "measured.cu"], check=True)
        go = ctypes.CDLL(folder / "measured.so").go
        word, large = torch.zeros(64, dtype=torch.int, device="cuda"), torch.randn(8192, 8192, device="cuda")
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        table.write("# durations of kernels as PyTorch's profiler tells them, of 30 one behind the other, behind a matrix product\n"
                    "#run\tblocks\tthreads\tcluster\tcooperative\tshared_bytes\tmeetings\tstores\tus_mean\tus_min\tus_max\n")
        for shape, meetings, store in POINTS:
            def run():
                large @ large
                for _ in range(30):
                    assert go(*shape, meetings, ctypes.c_void_p(word.data_ptr() if store else 0), stream) == 0
                torch.cuda.synchronize()
            run()
            times = kernels_of(run, folder)
            table.write("\t".join(map(str, (1, *shape, meetings, store))) + "\t%.3f\t%.3f\t%.3f\n" % (sum(times) / len(times), min(times), max(times)))


if __name__ == "__main__":
    main()

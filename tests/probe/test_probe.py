# SPDX-License-Identifier: BSD-3-Clause
"""The micro-benchmarks build where nvcc is; without a GPU they say so; the tables that are kept are whole."""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(os.environ["GPUNETSIM_ROOT"])
SKIPPED = 77
FIRST_QUANTITIES = {  # table: columns without which nothing can be calibrated
    "launch": {"what", "param", "median_us"},
    "copies": {"dir", "mem", "bytes", "total_median_us", "GBps_window"},
    "signal": {"what", "param", "median_ns"},
    "scaling": {"memory", "what", "address", "blocks"},
    "host_queues": {"wgs", "servers", "service_ns", "variant", "lat_mean_us"},
    "gpu_agent": {"wgs", "servers", "service_ns", "variant", "lat_mean_us"},
    "power": {"activity", "gpu0_power_W"},
}
JACOBI3D = {"jacobi3d": {"gpus", "n", "path", "fusion", "graph", "blocks", "median_us"}}
TRIALS = {"loads_beside_streams": {"bytes", "streaming", "mean_ns"}, "launch_blockingsync": {"what", "param", "median_us"}}
TWO_GPUS = {"messages": {"path", "bytes", "one_way_median_us", "GBps_window"},
            "jacobi2d": {"way", "edge", "median_us"}}
FENCES = {"fences": {"what", "address", "blocks", "warps", "mean_ns_per_op_median"},
          "fence_turns": {"what", "blocks", "warps", "step_ns", "place", "end_ns"}, "store_ways": {"what", "sm", "ns_median"}}
MEETINGS = {"host_threads": FIRST_QUANTITIES["host_queues"], "agents_at_saturation": FIRST_QUANTITIES["gpu_agent"],
            "copies_beside_streams": {"what", "streaming", "copies_GBps", "streams_GBps"}, "one_thread": {"what", "gpus", "median_us"}}
POSTS = {"host_posts": FIRST_QUANTITIES["host_queues"], "host_threads": FIRST_QUANTITIES["host_queues"],
         "stores_and_looks": {"what", "lines", "stores", "lookers", "how", "period_ns", "ns_mean"},
         "answers_and_polls": {"lines", "polled", "how", "ns_mean"}}
COLLECTIVES = {"collectives": {"what", "type", "how", "protocol", "gpus", "bytes", "median_us"}}
EXCHANGE = {"kernel_nodes": {"what", "blocks", "threads", "cluster", "each_us"}, "exchanges": {"how", "blocks", "threads", "rounds", "each_us"}}
MIXES = {"mixes": {"what", "blocks", "threads", "under_way", "gpus", "bytes", "us_median", "GBps_loaded", "GBps_stored"}}
SLICES = {"slices": {"what", "blocks", "cluster", "slice_bytes", "flagged_1_us", "all_us"}}
EXPERTS = {"experts": {"what", "gpus", "blocks", "warps", "far", "rounds", "median_us", "last_us"}, "profiled": {"blocks", "meetings", "stores", "us_mean"}}
STRIDES = {"strides": {"what", "piece_bytes", "stride_bytes", "limit_bytes", "pieces_per_ns"}}
IN_ROW = {"slices_in_row": {"way", "what", "between", "words", "shared_bytes", "blocks", "slice_bytes", "each_us", "taken_taken_us"},
          "nccl_ranks": {"shared_bytes", "operation", "channels", "kib", "time_us"},
          "nccl_stamps": {"channels", "kib", "slice", "event", "median_us"}}
APART = {"slices_apart": {"what", "blocks", "slice_bytes", "chunks", "wait_us", "each_us", "all_most_us"},
         "slices_of_blocks": {"what", "blocks", "slice_bytes", "block", "median_us"}}
OVERLAP = {"allreduce_beside": {"beside", "blocks", "rings", "bytes", "alone_us", "beside_us", "rate_alone", "rate"},
           "backward": {"kind", "blocks", "bucket", "compute_us", "allreduce_us", "computed_us", "pass_us"}}
TWO_IN_ROW = {"slices_in_row": IN_ROW["slices_in_row"]}
NVSHMEM = {"nvshmem": {"what", "scope", "blocks", "bytes", "median_ns"}}
MEMORY = {"loads_by_line": {"offset", "sm", "what", "streaming", "mean_cycles"},
          "throughput": {"what", "loads", "threads", "GBps"}}
SHAPES = {"copies_by_occupancy": {"bytes", "loads", "threads", "GBps"},
          "kernel_shapes": {"what", "n", "pitch", "first", "block_x", "GBps"},
          "loads_revisited": {"streaming", "lines", "revisit_us", "mean_cycles", "GBps"}}
PARTS = {"agent_parts": {"wgs", "ring", "streaming", "part", "mean_ns", "GBps"}, "partial_sectors": {"bytes", "away", "mean_ns"},
         "agents_at_saturation": FIRST_QUANTITIES["gpu_agent"], "agents_beside_counting": FIRST_QUANTITIES["gpu_agent"],
         "agent_streams": FIRST_QUANTITIES["gpu_agent"],
         "streams": {"what", "streaming", "median_ns", "GBps"}, "copies_beside_streams": MEETINGS["copies_beside_streams"]}
LINES = {"line_gaps": {"stores", "looks", "pause_ns", "gap_ns", "one_seen", "two_seen", "apart_p50_ns"},
         "line_owner": {"layout", "stores", "looks", "delay_ns", "block", "one_seen", "two_seen", "lead_ns"},
         "line_crowds": {"blocks", "stores", "looks", "lookers", "spread_ns", "of", "one_seen", "two_seen"}}
ALL = FIRST_QUANTITIES | JACOBI3D
BETWEEN = {name: columns for name, columns in FIRST_QUANTITIES.items() if name != "power"}
KEPT = {"h200x2_twentythird": OVERLAP, "h100": FIRST_QUANTITIES, "h100_second": ALL, "h200": JACOBI3D | TRIALS, "h200x2": ALL | TRIALS | TWO_GPUS | FENCES,
        "h200x2_between": BETWEEN, "h200x2_between_2": BETWEEN,
        "h200x2_second": {name: FIRST_QUANTITIES[name] for name in ("host_queues", "gpu_agent")},
        "h200_second": MEMORY, "h100_fourth": MEMORY, "h200_third": SHAPES, "h200_fourth": PARTS, "h200_fifth": LINES,
        "h100_third": ALL | TRIALS, "h200x2_third": ALL | TRIALS,
        "h200x2_sixth": FENCES, "h200x2_seventh": MEETINGS, "h200x2_ninth": POSTS, "h200x2_tenth": POSTS | COLLECTIVES,
        "h200x2_eleventh": ALL | TRIALS | TWO_GPUS | FENCES | MEETINGS | POSTS | COLLECTIVES,
        "h200x2_twelfth": NVSHMEM, "h200x2_twelfth_between": NVSHMEM,
        "h200x2_thirteenth": COLLECTIVES | EXCHANGE, "h200x2_thirteenth_between": COLLECTIVES,
        "h200x2_fourteenth": COLLECTIVES | EXCHANGE, "h200x2_fourteenth_between": COLLECTIVES, "h200x2_fifteenth": EXCHANGE, "h200x2_seventeenth": SLICES,
        "h100x4": ALL | TRIALS | TWO_GPUS | FENCES | MEETINGS | POSTS | COLLECTIVES | EXCHANGE | LINES, "h100x4_between": COLLECTIVES,
        "h100x2": MIXES | EXCHANGE, "h100x2_second": NVSHMEM, "h100x2_second_between": NVSHMEM,
        "h200x2_sixteenth": MIXES | COLLECTIVES, "h200x2_sixteenth_unmixed": COLLECTIVES, "h200x2_sixteenth_unclustered": COLLECTIVES,
        "h200_seventh": IN_ROW, "h200x2_nineteenth": SLICES | TWO_IN_ROW, "h200x2_twentieth": SLICES | TWO_IN_ROW,
        "h200x2_twentyfirst": APART, "h200x2_twentysecond": APART,
        "h200_sixth": {"kernel_nodes": EXCHANGE["kernel_nodes"], "launch": FIRST_QUANTITIES["launch"]},
        "h200x2_eighth": COLLECTIVES, "h200x4": COLLECTIVES, "h200x4_between": COLLECTIVES,
        "h100_fifth": STRIDES, "h200x4_third": EXPERTS | STRIDES, "h200x2_eighteenth": {"experts": EXPERTS["experts"], "deepep": {"operation", "tokens", "part", "us_gpu0"}},
        "h200x4_second": COLLECTIVES | {"flags": {"what", "median_ns"}, "put_signal": {"bytes", "threads"}},
        "h200x2_fourth": {name: FIRST_QUANTITIES["host_queues"] for name in ("host_queues", "host_windows")}}


def check_tables(folder):
    for name, wanted in KEPT[folder.name].items():
        lines = (folder / f"{name}.tsv").read_text().splitlines()
        header = [line for line in lines if line.startswith("#run")]
        assert len(header) == 1, f"{folder}/{name}: one line names the columns"
        columns = header[0][1:].split("\t")
        assert wanted <= set(columns), f"{folder}/{name}: {wanted - set(columns)} missing"
        rows = [line.split("\t") for line in lines if not line.startswith("#")]
        assert rows and all(len(row) == len(columns) for row in rows), f"{folder}/{name}: uneven rows"
        assert not any("nan" in row for row in rows), f"{folder}/{name}: a value is missing"


def check_build_and_refusals():
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "probe", f"{folder}/probe", ignore=shutil.ignore_patterns("tables"))
        # No more optimised than gcc's warnings need: it is not run where there is no GPU.
        environment = dict(os.environ, CMAKE_BUILD_TYPE="None", CUDAFLAGS="-O1")
        run = lambda *arguments: subprocess.run(
            [f"{folder}/probe/run", f"{folder}/out", *arguments], env=environment, capture_output=True, text=True)
        unknown = run("no_such_experiment")
        assert unknown.returncode == 2 and "no_such_experiment" in unknown.stderr, unknown.stderr
        if shutil.which("nvidia-smi") is None:
            refused = run()
            assert refused.returncode == 2 and refused.stderr.count("\n") == 1, refused.stderr
            assert "no GPU can be used here" in refused.stderr
            assert not Path(f"{folder}/out").exists(), "nothing is written without a GPU"


for tables in sorted((ROOT / "probe/tables").iterdir()):
    check_tables(tables)
if shutil.which("nvcc") is None:
    print("skipped: nvcc was not found, so only the tables that are kept were checked")
    sys.exit(SKIPPED)
check_build_and_refusals()

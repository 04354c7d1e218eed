-- SPDX-License-Identifier: BSD-3-Clause
-- A host with two H100 SXM on PCIe 5.0 x16, joined by 18 NVLinks. The GPU has the die of an H200, whose primitives are in
-- configs/h200x2.lua; values that differ were measured by this project's probe on three hosts with one H100
-- (probe/tables/h100, _second, _third: the median of the runs), its fences on two hosts with several. Nothing was measured
-- between two H100 before this file was written, and no other value is from there.
local h200x2 = require "configs.h200x2"

local sheet = "NVIDIA H100 SXM data sheet"
local alike = "as two H200 have it (configs/h200x2.lua): the same die and generation of NVLink"

return h200x2 {
  name = "h100x2",
  gpu = {
    memory_rate = published("3.35TB/s", sheet),
    memory_channels = published(160, "NVIDIA H100 white paper: five stacks of HBM3; JESD238: 32 pseudo channels a stack"),
    device_fence = measured("337ns", "scaling.tsv: device store_release_gpu, 1 block, 329 to 337 ns"),
    system_fence = measured("1.56us", "h100x4, h100x2: flags.tsv fence_sys_alone on both hosts with several; 652 to 736 ns on the three with one"),
    fence_reads_back = measured(false, "signal.tsv: host_op store_plus_fence_sys takes what fence_sys_alone does"),
  },
  cuda = {
    kernel_launch = measured("4.19us", "launch.tsv: launch_enqueue grid=1x32, 3.86 to 4.93 us"),
    synchronize = measured("1.74us", "launch.tsv: stream_sync_idle, 1.66 to 1.80 us"),
    kernel_start = measured("4.1us", "launch.tsv: launch_plus_sync grid=1x32 10.03 us, less kernel_launch and synchronize"),
    kernel_ahead = measured("2.15us", "launch.tsv: stream_chain_period_grid1 spin=5us 6.95 us"),
    call_serial = measured("1.8us", "launch.tsv: multi_thread_total_per_launch_per_thread 4threads_1gpu 7.22 us"),
    graph_launch = measured("2.1us", "launch.tsv: graph_launch_call nodes=1_chain, 1.73 to 2.70 us"),
    graph_node_start = measured("960ns", "launch.tsv: graph_launch_plus_sync, 128 nodes 129.8 us, 16 nodes 22.1 us"),
  },
  nvlink = {
    latency = estimated("87ns", "60ns", "130ns", alike),
    efficiency = estimated(0.874, 0.82, 0.9, alike),
    access_efficiency = estimated(0.825, 0.77, 0.86, alike),
  },
}

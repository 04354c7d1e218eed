-- SPDX-License-Identifier: BSD-3-Clause
-- A host with eight B200 SXM on NVSwitches (HGX B200). This project has measured nothing there: sizes and rates are from public
-- documents, times are a Hopper's (configs/h200x2.lua) with a range that the hosts with H100 and H200 bound, so all results
-- are predictions. Both dies of a GPU are one to software; the other die's L2 is the far partition.
local h200x2 = require "configs.h200x2"

local cheese = "Chips and Cheese, Nvidia's B200 (2025)"
local cornell = "Cornell Virtual Workshop, Blackwell B200"
local like = "an H200's (configs/h200x2.lua); "
local source = "NCCL, src/graph/topo.h: 40.1 of a link's 50 GB/s; the same file's 20.6 of 25 for Hopper are what stores reached there"

return h200x2 {
  name = "b200",
  node = { sockets = 2, gpus_per_socket = 4, nics_per_socket = 4, gpus_per_switch = 1, peer_link = "nvswitch" },
  gpu = {
    clock = estimated("1.965GHz", "1.83GHz", "1.98GHz", cheese .. ": much like an H100 SXM5's"),
    compute_units = published(148, cheese .. ": 74 of each die's 80"),
    l1_size = published("256KiB", cheese),
    l1_latency_cycles = estimated(39, 33, 42, cheese .. ": 19.6 ns, with OpenCL"),
    l2_size = published("126MiB", cheese .. ", as besthub.dev sums it up: 126 MB"),
    l2_latency_cycles = estimated(390, 330, 480, like .. cheese .. ": about 150 ns within a partition, which includes no fence or scope"),
    far_partition = estimated("105ns", "80ns", "250ns", like .. "here over the link between both dies"),
    memory_latency = estimated("250ns", "150ns", "450ns", like .. "HBM3e, too"),
    memory_rate = published("8TB/s", cornell),
    memory_channels = estimated(256, 192, 256, "192 GB in eight stacks of HBM3e of 24 GB; JESD238 (HBM3): 32 pseudo channels a stack"),
    device_fence = estimated("343ns", "300ns", "500ns", like .. "337 ns on H100"),
    system_fence = estimated("644ns", "550ns", "1.56us", like .. "1.56 us on two hosts with several H100"),
    wave_in_flight = estimated("169B", "140B", "340B", like .. "more is under way at 8 TB/s"),
  },
  cuda = {
    kernel_launch = estimated("2.64us", "2us", "4.9us", like .. "3.86 to 4.93 us on hosts with H100"),
    kernel_start = estimated("3.72us", "3us", "4.5us", like .. "4.1 us on hosts with H100"),
    kernel_ahead = estimated("2.14us", "1.8us", "2.5us", like .. "2.15 us on hosts with H100"),
    synchronize = estimated("1.33us", "1us", "1.8us", like .. "1.66 to 1.8 us on hosts with H100"),
    graph_node_start = estimated("693ns", "500ns", "960ns", like .. "960 ns on hosts with H100"),
    event_edge = estimated("118ns", "80ns", "250ns", like .. "another host"),
    local_rate = estimated("3.43TB/s", "2.06TB/s", "4TB/s", like .. "in the ratio of both memories"),
  },
  nvlink = {
    latency = estimated("43.5ns", "30ns", "75ns", "half of an H200's between two GPUs, which has a switch in it; NVLink 5 signals twice as fast"),
    rate = published("900GB/s", "NVLink 5: 18 links of 50 GB/s a direction (NCCL, issue 1807; Azure/AI-benchmarking-guide, issue 7)"),
    efficiency = estimated(0.856, 0.82, 0.9, "nvbandwidth from GPU to GPU about 770 GB/s on GB200 (Azure/AI-benchmarking-guide, issue 7)"),
    access_efficiency = estimated(0.802, 0.77, 0.85, source),
  },
}

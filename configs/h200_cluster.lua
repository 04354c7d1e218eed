-- SPDX-License-Identifier: BSD-3-Clause
-- A cluster of hosts with eight H200 SXM on NVSwitches. Each GPU shares a PCIe switch with a ConnectX-7 of 400 Gbit/s, its
-- rail. GPU, host core and CUDA have the measured values of configs/h200x2.lua; the NIC has those of configs/h200_cx7.lua at
-- its full rate. Results of libraries on this cluster are predictions.
local h200x2 = require "configs.h200x2"

local cx7 = "configs/h200_cx7.lua: with the wire and both buses, V-030 to V-035"

return h200x2 {
  name = "h200-cluster",
  nodes = 2,
  node = { sockets = 2, gpus_per_socket = 4, nics_per_socket = 4, gpus_per_switch = 1, peer_link = "nvswitch" },
  host = { cores = estimated(32, 16, 32, "sockets of such hosts have more; the model keeps the caches of at most 32 coherent") },
  nic = {
    doorbell_latency = estimated("100ns", "20ns", "300ns", cx7),
    command_latency = estimated("900ns", "300ns", "1.5us", cx7),
    command_gap = estimated("5ns", "3ns", "10ns", "100 to 300 million messages a second"),
    packet_latency = estimated("600ns", "200ns", "900ns", cx7),
    fetch_depth = estimated(90, 32, 256, "outstanding reads of a PCIe 5 device, as configs/h200_cx7.lua has it"),
  },
  nvlink = { latency = measured("43.5ns", "flags.tsv: remote_dependent_load 906 ns between GPUs with a switch between them; configs/h200x2.lua has it as one link") },
  ucx = {
    gpu_direct = estimated("1TiB", "0B", "1TiB", "a NIC reads and writes GPU memory where the peer-memory module is loaded, as such hosts have it"),
  },
  network = {
    topology = "fat-tree",
    latency = estimated("250ns", "100ns", "600ns", "a cable or a leaf switch"),
    rate = estimated("47GB/s", "46GB/s", "50GB/s", "of 400 Gbit/s, 46 to 48 GB/s for one NIC, as NVIDIA's engineers expect (nccl-tests, issue 290)"),
  },
}

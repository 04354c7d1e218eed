-- SPDX-License-Identifier: BSD-3-Clause
-- A rack of GB200 NVL72: 18 trays of two Grace CPUs and four B200, whose GPUs are all joined by NVSwitches. A node of a machine
-- file is what NVLink joins, so the rack is one node of 36 sockets with two GPUs each, as NCCL makes one node of it (MNNVL);
-- a tray alone is node = { sockets = 2 }. GPUs are those of configs/b200.lua, of which nothing was measured. Not modelled:
-- that NVLink-C2C has a rate of its own (copies to the host have one of cuda), and that trays have hosts of their own.
local b200 = require "configs.b200"

local grace = "Arm Neoverse V2, Grace, as configs/gh200.lua"
local azure = "nvbandwidth on ND GB200 v6 (Azure/AI-benchmarking-guide, Azure_Results)"
local like = "an H200's on Xeon (configs/h200x2.lua); "

return b200 {
  name = "gb200",
  node = { sockets = 36, gpus_per_socket = 2, nics_per_socket = 2, gpu_link = "nvlink", peer_link = "nvswitch" },
  host = {
    cores = estimated(32, 16, 32, "72 cores of " .. grace .. "; the model keeps the caches of at most 32 coherent"),
    clock = estimated("3.4GHz", "3.1GHz", "3.5GHz", grace),
    l1_size = estimated("64KiB", "64KiB", "64KiB", grace), l1_ways = estimated(4, 4, 4, grace), l1_latency_cycles = estimated(4, 4, 5, grace),
    l2_size = estimated("1MiB", "1MiB", "2MiB", grace), l2_ways = estimated(8, 8, 16, grace), l2_latency_cycles = estimated(10, 10, 14, grace),
    memory_latency = estimated("140ns", "110ns", "200ns", "LPDDR5X"),
    memory_rate = estimated("512GB/s", "400GB/s", "512GB/s", "LPDDR5X of a Grace, by its data sheet"),
  },
  cuda = {
    kernel_launch = estimated("2.64us", "2us", "6us", like .. "a Grace's core alone is slower, its way to the GPU shorter"),
    to_device_rate = published("201GB/s", azure),
    to_host_rate = published("193GB/s", azure),
    both_ways_rate = estimated("337GB/s", "200GB/s", "394GB/s", "at most their sum; configs/gh200.lua, 672 GB/s over C2C, for two GPUs"),
  },
}

-- SPDX-License-Identifier: BSD-3-Clause
-- Nodes of one GH200: a Grace CPU and a Hopper GPU over NVLink-C2C, a NIC of 400 Gbit/s on the CPU. For designs with node =
-- "coherent", whose single memory is here the GPU's HBM: the GPU is next to its directory, a core's miss crosses C2C there
-- and back, and a core polls in its own caches. Not modelled: the CPU's own LPDDR5X, the way of a NIC's lines over C2C (450
-- GB/s never limits a NIC of 50 GB/s), and more than 32 cores. None of the pages cited below was read in full, so their
-- values are `estimated`. GPU and CUDA are otherwise an H200's, measured (configs/h200x2.lua).
local h200x2 = require "configs.h200x2"

local blog = "DataCrunch, Data movement in the GH200: NVLink-C2C 450 GB/s a direction, HBM3 up to 4 TB/s"
local stream = "Schieffer et al. 2024, as quoted by HPCwire: STREAM 3.4 TB/s in HBM; over C2C 375 GB/s to the device, 297 GB/s to the host"
local v2 = "Arm Neoverse V2, Grace"
local c2c = "between two dies of a module: some hundred nanoseconds a miss beyond a core's own memory"

return h200x2 {
  name = "gh200",
  nodes = 2,
  node = { sockets = 1, gpus_per_socket = 1, nics_per_socket = 1, gpu_link = "nvlink", peer_link = "as-gpu-link" },
  host = {
    cores = estimated(32, 16, 32, "72 cores of " .. v2 .. "; the model keeps the caches of at most 32 coherent"),
    clock = estimated("3.4GHz", "3.1GHz", "3.5GHz", v2),
    l1_size = estimated("64KiB", "64KiB", "64KiB", v2), l1_ways = estimated(4, 4, 4, v2), l1_latency_cycles = estimated(4, 4, 5, v2),
    l2_size = estimated("1MiB", "1MiB", "2MiB", v2), l2_ways = estimated(8, 8, 16, v2), l2_latency_cycles = estimated(10, 10, 14, v2),
    l3_latency_cycles = estimated(1, 1, 100, "a memory-side cache of the model; before HBM there is none"),
    memory_latency = estimated("250ns", "150ns", "400ns", "HBM3 behind the GPU's L2, as gpu.memory_latency of configs/h200x2.lua"),
    memory_rate = estimated("4TB/s", "3.4TB/s", "4TB/s", blog .. "; " .. stream),
    directory_latency = estimated("150ns", "60ns", "300ns", "one way over the CPU's mesh and C2C, " .. c2c),
    bus_latency = estimated("142ns", "60ns", "250ns", "to the root complex, as another server's (configs/h200x2.lua)"),
  },
  gpu = {
    memory_rate = estimated("4TB/s", "3.4TB/s", "4TB/s", blog),
    memory_channels = estimated(192, 160, 192, "96 GB of HBM3 in six stacks of 16 GB; JESD238: 32 pseudo channels a stack"),
    directory_latency = estimated("5ns", "0ns", "20ns", "the directory stands before the GPU's own HBM"),
  },
  nvlink = {
    rate = estimated("450GB/s", "450GB/s", "450GB/s", blog),
    efficiency = estimated(0.83, 0.66, 0.9, stream),
    latency = estimated("150ns", "60ns", "300ns", "as host.directory_latency"),
  },
  cuda = {
    to_device_rate = estimated("375GB/s", "300GB/s", "420GB/s", stream),
    to_host_rate = estimated("297GB/s", "250GB/s", "400GB/s", stream),
    both_ways_rate = estimated("672GB/s", "450GB/s", "800GB/s", stream .. ": their sum"),
  },
  nic = {
    command_gap = estimated("5ns", "3ns", "10ns", "as configs/h200_cluster.lua"),
    command_latency = estimated("900ns", "300ns", "1.5us", "as configs/h200_cluster.lua"),
    packet_latency = estimated("600ns", "200ns", "900ns", "as configs/h200_cluster.lua"),
  },
  network = {
    latency = estimated("250ns", "100ns", "600ns", "a cable or a switch"),
    rate = estimated("47GB/s", "46GB/s", "50GB/s", "of 400 Gbit/s, as configs/h200_cluster.lua"),
  },
}

-- SPDX-License-Identifier: BSD-3-Clause
-- A cluster of hosts with eight AMD Instinct MI300X, every two of which are joined by a link of Infinity Fabric (XGMI). Each GPU has
-- a ConnectX-7 of 400 Gbit/s. Hosts, NICs and software have the values of configs/h200_cx7.lua. No public row gives costs of
-- primitives of this GPU: values of data sheets are `published`, all others are estimates with a range, as in configs/mi300a.lua,
-- which were written down before the first run.
local h200_cx7 = require "configs.h200_cx7"
local sheet = "AMD Instinct MI300X data sheet"
local guide = "AMD CDNA 3 instruction set architecture"

return h200_cx7 {
  name = "mi300x-cx7",
  nodes = 2,
  node = { sockets = 2, gpus_per_socket = 4, nics_per_socket = 4, gpus_per_switch = 1, gpu_link = "pcie", peer_link = "node" },
  gpu = {
    clock = published("2.1GHz", sheet),
    compute_units = published(304, sheet),
    lanes = published(64, guide),
    waves_per_cu = published(32, guide),
    instruction_cycles = estimated(4, 4, 8, "a wavefront's instructions issue 4 cycles apart"),
    l1_size = published("32KiB", sheet),
    l1_latency_cycles = estimated(120, 100, 140, "micro-benchmarks of CDNA"),
    l2_size = published("32MiB", sheet .. ": 4 MiB for each of eight dies"),
    l2_banks = estimated(64, 16, 64, "16 channels a die; at most what is simulated"),
    l2_latency_cycles = estimated(250, 200, 350, "micro-benchmarks of CDNA"),
    memory_latency = estimated("200ns", "120ns", "350ns", "behind the L2: Infinity Cache or HBM"),
    memory_rate = published("5.3TB/s", sheet),
    memory_channels = published(256, sheet .. ": 8,192 bits of HBM3; JESD238: 32 bits a pseudo channel"),
    copy_rate = estimated("25GB/s", "15GB/s", "50GB/s", "34.9 to 47.7 GB/s of an H200's multiprocessor; a compute unit has half of its share of the memory's rate"),
    system_fence = estimated("600ns", "250ns", "2us", "what is written has to leave an L2 that is not coherent with others, over the bus: an H200's takes 576 ns"),
    fence_reads_back = estimated(false, false, true, "false as an H200 (configs/h200_cx7.lua); a read may follow"),
    idle_power = estimated("140W", "90W", "180W", "a part of 750 W at rest; 119.6 W of an H200 of 700 W (configs/h200x2.lua)"),
    spin_power = estimated("50mW", "20mW", "200mW", "46 mW of an H200's block that polls"),
    memory_energy = estimated("80pJ", "31pJ", "130pJ", "108 pJ of an H200, HBM3e as HBM3"),
    link_energy = estimated("80pJ", "0pJ", "150pJ", "123 pJ of an H200, its end of the link among them"),
  },
  bus = { rate = published("63GB/s", sheet .. ": PCIe 5.0 x16, 32 GT/s, 128b/130b") },
  nvlink = {
    rate = published("64GB/s", sheet .. ": seven links of 128 GB/s, both directions together"),
    efficiency = estimated(0.75, 0.6, 0.9, "headers and flow control; as other links of GPUs"),
    latency = estimated("300ns", "150ns", "600ns", "a way between packages, with both ends' fabric"),
    byte_energy = estimated("40pJ", "16pJ", "80pJ", "as configs/mi300a.lua"),
  },
  network = { rate = estimated("47GB/s", "46GB/s", "50GB/s", "of 400 Gbit/s, as configs/h200_cluster.lua") },
}

-- SPDX-License-Identifier: BSD-3-Clause
-- A node of four AMD Instinct MI300A, joined by Infinity Fabric, for rocSHMEM's rows (V-271 to V-276). No public row gives
-- costs of primitives for it: values of data sheets are `published`, all others are estimates with a range, which were
-- written down before the first run. Designs with node = "coherent" have the one memory of an APU, which CPU and GPU share
-- (host.memory_rate, directory_latency); with peer = "work_group" they load and store that of other sockets. Designs with
-- node = "discrete" see separate memories of CPU and GPU, joined by a bus as short as the way on the package.

local power = require "configs.power"
local sheet = "AMD Instinct MI300A data sheet"
local guide = "AMD CDNA 3 instruction set architecture"
local zen = "a core of Zen 4"
local package = "a way between chiplets of a package: latencies of tens of nanoseconds"

return power {
  name = "mi300a",
  nodes = 2,
  node = { sockets = 4, gpus_per_socket = 1, gpu_link = "pcie", peer_link = "node" },

  host = {
    cores = published(24, sheet),
    clock = published("3.7GHz", sheet),
    instructions_per_cycle = estimated(1.0, 0.7, 3.0, "polling and posting loops are chains of loads and branches"),
    l1_latency_cycles = estimated(4, 4, 5, zen), l2_latency_cycles = estimated(14, 12, 16, zen),
    memory_latency = estimated("200ns", "120ns", "260ns", "HBM behind Infinity Fabric and Infinity Cache, slower than DDR5"),
    memory_rate = published("5.3TB/s", sheet .. ": of the memory that CPU and GPU share"),
    directory_latency = estimated("30ns", "10ns", "100ns", package),
    bus_latency = estimated("20ns", "5ns", "100ns", package),
    loads_in_flight = estimated(12, 8, 16, zen),
  },
  gpu = {
    clock = published("2.1GHz", sheet),
    compute_units = published(228, sheet),
    lanes = published(64, guide),
    waves_per_cu = published(32, guide),
    instruction_cycles = estimated(4, 4, 8, "a wavefront's instructions issue 4 cycles apart"),
    l1_size = published("32KiB", sheet),
    l1_latency_cycles = estimated(120, 100, 140, "micro-benchmarks of CDNA"),
    l2_size = published("24MiB", sheet .. ": 4 MiB for each of six dies"),
    l2_banks = estimated(64, 16, 64, "16 channels a die; at most what is simulated"),
    l2_latency_cycles = estimated(250, 200, 350, "micro-benchmarks of CDNA"),
    memory_latency = estimated("200ns", "120ns", "350ns", "behind the L2: Infinity Cache or HBM"),
    memory_rate = published("5.3TB/s", sheet),
    memory_channels = published(256, sheet .. ": 8,192 bits of HBM3; JESD238: 32 bits a pseudo channel"),
    directory_latency = estimated("30ns", "10ns", "100ns", package),
    bus_outbound = estimated("60ns", "20ns", "150ns", package),
    bus_inbound = estimated("60ns", "20ns", "150ns", package),
    system_fence = estimated("250ns", "60ns", "1us", "what is written has to leave an L2 that is not coherent with others; geometric mean of the range"),
    idle_power = estimated("90W", "50W", "150W", "a part of 550 W at rest; 119.6 W of an H200 of 700 W (configs/h200x2.lua)"),
    spin_power = estimated("50mW", "20mW", "200mW", "46 mW of an H200's block that polls"),
    memory_energy = estimated("80pJ", "31pJ", "130pJ", "108 pJ of an H200, HBM3e as HBM3"),
    link_energy = estimated("80pJ", "0pJ", "150pJ", "123 pJ of an H200, its end of the link among them"),
  },
  bus = {
    latency = estimated("15ns", "5ns", "50ns", package),
    switch_latency = estimated("15ns", "5ns", "50ns", package),
    rate = estimated("1TB/s", "500GB/s", "1.2TB/s", "between chiplets of the package"),
    byte_energy = estimated("8pJ", "2pJ", "20pJ", "0.25 to 2.5 pJ a bit: the least as a link between dies on an interposer (0.297; Nishi et al., VLSI 2022, ieeexplore.ieee.org/document/9830174)"),
  },
  nvlink = {
    rate = published("128GB/s", sheet .. ": two links of 64 GB/s a direction between every two of four"),
    efficiency = estimated(0.8, 0.6, 0.95, "as other links of GPUs"),
    latency = estimated("150ns", "80ns", "250ns", "a way between sockets, with both ends' fabric"),
    byte_energy = estimated("40pJ", "16pJ", "80pJ", "2 to 10 pJ a bit: 5.6 of a SerDes of 112 Gbit/s in 5 nm (said of a paper at VLSI 2022, second hand: the paper was not found)"),
  },
  socket_link = {
    rate = published("128GB/s", sheet .. ": the same links"),
    latency = estimated("150ns", "80ns", "250ns", "as nvlink.latency"),
    byte_energy = estimated("40pJ", "16pJ", "80pJ", "as nvlink.byte_energy"),
  },
}

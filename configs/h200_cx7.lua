-- SPDX-License-Identifier: BSD-3-Clause
-- A host with H200 GPUs and ConnectX-7 NICs, for the libraries of scenarios/libraries/. Costs of primitives come from
-- published rows that are marked for calibration (V-ids below: a put, a fence, a load, a post by itself, on an H200 NVL with
-- a ConnectX-7; github.com/harshanavkis/loom-motivation-experiments); results of libraries with these costs are predictions.
-- Values without such a row are `estimated`.

local power = require "configs.power"
local loom = "loom-motivation-experiments, "
local sheet = "NVIDIA H200 NVL data sheet"
local bench = "V-030 to V-035: post to completion 2.67 us inline, 4.12 us from GPU memory, 1.0 us more if the NIC fetches the command; "
  .. "with the wire and both buses"

return power {
  name = "h200-cx7",
  nodes = 2,

  host = {
    cores = estimated(32, 16, 32, "a socket of a recent server"),
    clock = estimated("3GHz", "2GHz", "3.8GHz", "a recent server"),
    instructions_per_cycle = estimated(1.0, 0.7, 3.0, "polling and posting loops are chains of loads and branches"),
    memory_latency = estimated("90ns", "70ns", "130ns", "DDR5"),
    bus_latency = estimated("20ns", "5ns", "100ns", "on-die way to the root complex"),
    loads_in_flight = estimated(10, 4, 16, "fill buffers of a core"),
  },
  gpu = {
    clock = published("1.785GHz", sheet),
    compute_units = published(132, sheet),
    lanes = published(32, "CUDA C programming guide"),
    waves_per_cu = published(64, "CUDA C programming guide, compute capability 9.0"),
    instruction_cycles = estimated(4, 2, 6, "dependent instructions of a warp issue 4 cycles apart"),
    l1_size = published("256KiB", sheet),
    l1_latency_cycles = estimated(33, 28, 40, "micro-benchmarks of Hopper"),
    l2_size = published("50MiB", sheet),
    l2_banks = estimated(64, 32, 64, "slices of both partitions"),
    l2_latency_cycles = estimated(270, 200, 330, "micro-benchmarks of Hopper"),
    memory_latency = estimated("200ns", "150ns", "400ns", "behind the L2: HBM3e"),
    memory_rate = published("4.8TB/s", sheet),
    memory_channels = published(192, "NVIDIA H100 white paper and JESD238, as configs/h200x2.lua: six stacks of 32 pseudo channels"),
    copy_rate = measured("34.9GB/s", "V-096: 16 B stores of one multiprocessor"),
    bus_outbound = estimated("130ns", "80ns", "250ns", "with the bus: a load of a host page takes 0.704 us (V-039)"),
    bus_inbound = estimated("130ns", "60ns", "250ns", "as outbound"),
    system_fence = measured("576ns", "V-036: store and __threadfence_system, " .. loom .. "fence_cost_numa0.csv"),
    fence_reads_back = measured(false, "V-037: behind a store to a host page the same 0.576 us, less than a load of it (V-039)"),
    idle_power = estimated("100W", "60W", "120W", "119.6 W of an H200 SXM of 700 W (power.tsv); this one's limit is 600 W"),
    spin_power = measured("46mW", "an H200 SXM: power.tsv, as configs/h200x2.lua has it"),
    memory_energy = measured("108pJ", "an H200 SXM: power.tsv, as configs/h200x2.lua has it"),
    link_energy = measured("123pJ", "an H200 SXM: power.tsv, as configs/h200x2.lua has it"),
  },
  cuda = {
    timed_kernel = measured("7.2us", "of an H200 by this project: inkernel_bw.tsv, as configs/h200x2.lua has it"),
  },
  nic = {
    doorbell_latency = estimated("100ns", "20ns", "300ns", bench),
    command_latency = estimated("900ns", "300ns", "1.5us", bench),
    command_gap = estimated("5ns", "3ns", "10ns", "100 to 300 million messages a second"),
    packet_latency = estimated("600ns", "200ns", "900ns", bench),
    fetch_depth = estimated(90, 32, 256, "outstanding reads of a PCIe 5 device; geometric mean of the range, chosen with IBGDA's rate in view"),
    idle_power = estimated("17W", "12W", "26W", "ConnectX-5 12.95 W (configs/ac922.lua); four times its rate, in a newer process; 25.9 W told of a ConnectX-7, second hand"),
    active_power = estimated("7W", "3W", "12W", "likewise, up to 15.55 W"),
  },
  bus = {
    latency = estimated("60ns", "40ns", "100ns", "with gpu.bus_outbound: V-039"),
    switch_latency = estimated("50ns", "20ns", "150ns", "root complex"),
    rate = published("31.5GB/s", "PCIe 5.0 x8: 32 GT/s, 128b/130b"),
    byte_energy = estimated("40pJ", "16pJ", "80pJ", "2 to 10 pJ a bit for a transmitter, its receiver and their link layers: 5.6 of one of 112 Gbit/s in 5 nm (said of a paper at VLSI 2022, second hand: the paper was not found)"),
  },
  network = {
    topology = "star",
    latency = estimated("250ns", "100ns", "600ns", "a cable or a leaf switch"),
    rate = published("200Gbit/s", "V-001: port to port, 200 Gbit/s RoCE"),
    byte_energy = estimated("100pJ", "20pJ", "300pJ", "2.5 pJ a bit for a cable's SerDes at least; an optical HDR cable's end takes up to 6 W, 240 pJ (NVIDIA, DGX SuperPOD, cabling data centers: port power)"),
  },
  software = {
    library_instructions = estimated(900, 570, 2800,
      "one message in a library: 71 ns (UCX) to 0.35 us (Omni-Path); a CPU thread posts 2.3 M/s (V-061)"),
    command_instructions = estimated(225, 200, 330, "V-029: 0.075 us in ibv_post_send, at 3 GHz"),
    post_instructions = estimated(40, 12, 100, "a request of several words into a channel"),
  },
}

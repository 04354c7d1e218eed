-- A host with two H200 SXM on PCIe 5.0 x16, joined by 18 NVLinks: where a calibration starts. What has no other source
-- is `estimated` with the range in which "gpunetsim calibrate" may search; configs/h200x2_calibrated.lua is what it
-- found from the measurements in scenarios/hardware/data.

local sheet = "NVIDIA H200 data sheet"
local guide = "CUDA C programming guide, compute capability 9.0"
local wide = "searched for by calibrate"

return machine {
  name = "h200x2",
  nodes = 2,
  node = { gpus_per_socket = 2, gpu_link = "pcie", peer_link = "node" },

  host = {
    cores = published(32, "platform.txt: 32 virtual CPUs"),
    clock = estimated("3GHz", "2GHz", "3.8GHz", "Intel Xeon; the time-stamp counter runs at 2.1 GHz"),
    instructions_per_cycle = estimated(2.0, 1.0, 4.0, "short loops of an out-of-order core"),
    l1_size = published("48KiB", "Intel Xeon, 4th generation"), l1_ways = published(12, "likewise"),
    l1_latency_cycles = estimated(5, 4, 6, "likewise"),
    l2_latency_cycles = estimated(11, 9, 14, "likewise"),
    l2_ways = published(16, "likewise"),
    l3_size = estimated("64MiB", "32MiB", "128MiB", "likewise"),
    l3_latency_cycles = estimated(150, 60, 300, wide .. ": another core's line, or what a device wrote"),
    memory_latency = estimated("110ns", "80ns", "160ns", "DDR5"),
    memory_rate = estimated("300GB/s", "150GB/s", "400GB/s", "eight channels of DDR5"),
    bus_latency = estimated("100ns", "10ns", "250ns", "root complex and virtualisation"),
    loads_in_flight = estimated(12, 8, 16, "fill buffers of a core"),
    atomic_gap = estimated("1us", "10ns", "3us", wide),
    written_line = estimated("200ns", "0ns", "600ns", wide),
    bounced_line = estimated("80ns", "20ns", "300ns", wide),
  },
  gpu = {
    clock = measured("1.98GHz", "h200x2/README.md: cycle counts over the measured clock"),
    compute_units = published(132, sheet),
    lanes = published(32, guide), waves_per_cu = published(64, guide),
    work_groups_per_cu = published(32, guide),
    instruction_cycles = estimated(4, 2, 6, "dependent instructions of a warp issue 4 cycles apart"),
    l1_size = published("256KiB", sheet),
    l1_latency_cycles = estimated(33, 28, 40, "micro-benchmarks of Hopper"),
    l2_size = published("50MiB", sheet), l2_banks = estimated(64, 32, 64, "slices of both partitions"),
    l2_latency_cycles = estimated(300, 150, 600, wide),
    memory_latency = estimated("250ns", "150ns", "400ns", "behind the L2: HBM3e"),
    memory_rate = published("4.8TB/s", sheet),
    bus_outbound = estimated("100ns", "20ns", "400ns", wide),
    bus_inbound = estimated("80ns", "10ns", "400ns", wide),
    device_fence = estimated("300ns", "100ns", "1us", wide),
    system_fence = estimated("600ns", "200ns", "2us", wide),
    fence_setup = estimated("150ns", "10ns", "600ns", wide),
    fences_at_once = measured(2, "scaling.tsv: 2 work-groups a CU fence side by side, 4 and 8 by turns"),
    atomic = estimated("100ns", "10ns", "500ns", wide),
    atomic_gap = estimated("1ns", "100ps", "10ns", wide),
  },
  bus = {
    latency = estimated("60ns", "40ns", "100ns", "as other hosts"),
    switch_latency = estimated("50ns", "20ns", "150ns", "root complex"),
    rate = published("63GB/s", "PCIe 5.0 x16: 32 GT/s, 128b/130b"),
  },
  nvlink = {
    latency = estimated("200ns", "50ns", "600ns", wide),
    rate = published("450GB/s", "18 links of 25 GB/s a direction"),
    efficiency = estimated(0.87, 0.7, 0.95, wide),
  },
}

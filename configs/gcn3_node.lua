-- SPDX-License-Identifier: BSD-3-Clause
-- The node of ComP-Net's evaluation: a CPU, a GCN3 GPU with command processors, a NIC (ComPNet18, Table 1).
--
-- Values that the table prints are `published`. Values that it leaves open are `estimated` from measurements of similar
-- hardware, with the range in which a better source may move them. No value was chosen by looking at a claim marked `test`.

local power = require "configs.power"
local table1 = "ComPNet18, Table 1"
local pcie_bench = "NIC reads 64 B of host memory in 547 ns (pcie-bench, SIGCOMM 2018)"
local gdrcopy = "CPU loads mapped GPU memory in 0.77 to 1.10 us (gdrcopy README, copylat on a P100)"

return power {
  name = "gcn3-node",
  nodes = 2,

  host = {
    cores = published(16, table1),
    clock = published("4GHz", table1),
    instructions_per_cycle = estimated(2.0, 1.0, 4.0,
      "8-wide out-of-order core on branchy library code"),
    l1_size = published("64KiB", table1),
    l1_ways = published(2, table1),
    l1_latency_cycles = published(2, table1),
    l2_size = published("2MiB", table1),
    l2_ways = published(8, table1),
    l2_latency_cycles = published(8, table1),
    l3_size = published("16MiB", table1),
    l3_ways = published(16, table1),
    l3_latency_cycles = published(20, table1),
    memory_latency = estimated("60ns", "45ns", "90ns", "DDR4-2400 behind the L3"),
    memory_rate = published("153.6GB/s", table1 .. ": 8 channels of DDR4-2400, 19.2 GB/s each"),
    bus_latency = estimated("20ns", "5ns", "60ns", "on-die way to the root complex; with the bus: "
      .. pcie_bench),
    loads_in_flight = estimated(10, 4, 16,
      "line fill buffers of an out-of-order core of the time (Intel Nehalem to Skylake: 10; gem5: 4)"),
    device_writes = estimated("memory", "last_level", "memory",
      "gem5's DMA writes go to memory; Intel's DDIO puts them into the L3. A served entry of a queue in host memory, "
        .. "which missed in the thread's caches, took 63 to 78 ns of a host thread beside an H200"),
    device_loads_in_flight = estimated(1, 1, 10,
      "x86 uncached loads are strongly ordered, and the reads block the CPU (ComPNet18, section 3.1); "
      .. "up to a core's fill buffers with streaming loads of a write-combining mapping"),
    uncached_load = estimated("16B", "8B", "64B",
      "one SSE register a load of a write-combining mapping; 16 B take 0.86 us, 32 B 1.70, 64 B 3.10 "
      .. "(gdrcopy on a V100); up to a line with AVX-512 streaming loads"),
    directory_latency = estimated("60ns", "30ns", "80ns",
      "120 cycles (gem5 GPU_VIPER, cpu_to_dir) at a directory clock of 1.5 to 4 GHz"),
    flops_per_cycle = estimated(8, 4, 16,
      "two 4-wide double-precision instructions a cycle of an 8-wide core; 16 with multiply and add in one"),
    bytes_per_cycle = estimated(64, 32, 96, "two loads and a store of 16 to 32 B a cycle"),
    parallel_region = estimated("1us", "500ns", "4us",
      "fork, join and barrier of 16 threads on a socket (EPCC OpenMP microbenchmarks: 1 to 2 us)"),
    active_power = estimated("10W", "5W", "20W", "8-wide out-of-order core at 4 GHz"),
    polling_power = estimated("8W", "4W", "20W",
      "a loop of a few integer instructions at the same rate, all hits: no misses, no floating point"),
    stalled_power = estimated("6W", "3W", "12W", "clock and leakage of such a core"),
    idle_power = estimated("3W", "1W", "6W", "clock gated: leakage, a third of the active power"),
  },

  gpu = {
    clock = published("1.5GHz", table1),
    compute_units = published(12, table1),
    simds_per_cu = published(4, table1),
    waves_per_cu = estimated(40, 40, 160,
      "the table's 40 waves are read as a CU's, since 480 work-groups fill 12 CUs (section 5.2); it prints them a SIMD"),
    lanes = published(64, table1),
    instruction_cycles = published(4, "GCN3: 64 lanes on a SIMD-16"),
    wave_in_flight = estimated("1KiB", "256B", "4KiB",
      "four loads of 4 B a lane; a wavefront of GCN3 counts up to 16 (vmcnt)"),
    registers = published("256KiB", "GCN3: 64 KiB a SIMD"),
    barrier_cycles = estimated(32, 4, 200, "a few instructions and the slowest wavefront"),
    l1_size = published("16KiB", table1),
    l1_ways = published(16, table1),
    l1_latency_cycles = published(12, table1),
    l2_size = published("1MiB", table1),
    l2_ways = published(16, table1),
    l2_banks = published(8, table1),
    l2_latency_cycles = published(150, table1),
    memory_latency = estimated("100ns", "60ns", "200ns",
      "100 cycles at 1 GHz behind the L2 of an R9 Nano (MGPUSim)"),
    memory_rate = estimated("512GB/s", "96GB/s", "512GB/s",
      "512 GB/s of an R9 Nano (GCN3, 64 CUs; data sheet); 12 CUs' share of it"),
    memory_channels = estimated(32, 8, 32, "four stacks of HBM of an R9 Nano, 8 channels each; table 1 has 8 channels of DDR4"),
    bus_outbound = estimated("220ns", "180ns", "320ns",
      "flag there and back over PCIe 3 in 1.106 us (gdrcopy pplat); H200: load of host memory "
      .. "1275 ns against 214 ns of its own"),
    bus_inbound = estimated("130ns", "60ns", "250ns", gdrcopy),
    directory_latency = estimated("60ns", "30ns", "80ns",
      "120 cycles (gem5 GPU_VIPER, gpu_to_dir) at a directory clock of 1.5 to 4 GHz"),
    kernel_launch = fitted("6us", "3us", "10us", { "N-01" },
      "with kernel_end upwards of 10 us for a kernel boundary"),
    kernel_end = fitted("4us", "1us", "10us", { "N-01" },
      "with kernel_launch upwards of 10 us for a kernel boundary"),
    idle_power = estimated("10W", "3W", "30W", "12 CUs, clocked: what a card of 64 CUs draws at rest, by its CUs and more"),
    spin_power = estimated("60mW", "20mW", "200mW", "46 mW of an H200's block that polls (configs/h200x2.lua), in an older process"),
    memory_energy = estimated("80pJ", "31pJ", "150pJ", "HBM2 itself 3.92 pJ a bit: activation 1.21, moves on the die 2.24, pins 0.3 (O'Connor et al., Fine-Grained DRAM, MICRO 2017, doi 10.1145/3123939.3124545; numbers second hand); an H200 takes 108 pJ with the way through its L2 (configs/h200x2.lua)"),
    link_energy = estimated("80pJ", "0pJ", "150pJ", "123 pJ of an H200, its end of the link among them"),
  },

  cp = {
    cores = published(2, table1),
    clock = published("2GHz", table1),
    instructions_per_cycle = estimated(1.0, 0.5, 2.0,
      "2-wide out-of-order core on branchy library code"),
    dcache_size = published("32KiB", table1),
    dcache_ways = published(8, table1),
    dcache_latency_cycles = published(4, table1),
    loads_in_flight = estimated(4, 1, 8,
      "miss registers of a small core's data cache (4 in gem5's configurations); only an unrolled poll loop "
      .. "(axis poll_loop) uses them"),
    private_data = estimated("24KiB", "8KiB", "64KiB",
      "connection tables, descriptors and free lists of a network library"),
    private_data_a_queue = estimated("160B", "128B", "192B",
      "a context's line of queue indices, and the library's context with its counters; gets and puts carry no handle "
        .. "(Sandia OpenSHMEM on Portals 4)"),
    active_power = estimated("1W", "500mW", "3W", "2-wide out-of-order core at 2 GHz"),
    polling_power = estimated("800mW", "400mW", "3W", "as for a CPU core: four fifths of the active power"),
    stalled_power = estimated("600mW", "300mW", "2W", "clock and leakage of such a core"),
    idle_power = estimated("300mW", "100mW", "600mW", "clock gated: leakage, a third of the active power"),
  },

  nic = {
    doorbell_latency = estimated("20ns", "5ns", "100ns", "a few cycles of a NIC clock"),
    command_latency = estimated("50ns", "20ns", "200ns", "with packet_latency and the wire 0.5 to 0.7 us from NIC to NIC and back: N-02"),
    command_gap = estimated("10ns", "5ns", "50ns", "100 million messages a second"),
    packet_latency = estimated("50ns", "20ns", "200ns", "see command_latency"),
    packet_header = estimated("42B", "16B", "64B",
      "InfiniBand: local route, base, RDMA headers and both checksums; the paper's Portals 4 network states none"),
    packet_payload = estimated("4KiB", "1KiB", "4KiB",
      "InfiniBand: largest MTU; the paper's Portals 4 network states none"),
    fetch_depth = estimated(8, 1, 64, "outstanding reads of a small DMA engine"),
    idle_power = estimated("11W", "8W", "13W", "ConnectX-5, two ports of 25 Gbit/s: 12.95 W typical, 15.55 W at most, passive cables (NVIDIA's user manual, OCP 2.0 cards)"),
    active_power = estimated("4W", "2W", "8W", "as idle_power: 2.6 W between both"),
  },

  -- The times of a process on the host, for designs cpu and inter-kernel. Launch and start together are gpu.kernel_launch,
  -- synchronising is gpu.kernel_end, as a process sees them: also 10 us for a kernel boundary.
  cuda = {
    kernel_launch = estimated("3us", "2us", "5us", "the core in a launch: 3.3 to 3.5 us on x86 (kokkos PR 3151)"),
    kernel_start = estimated("3us", "1us", "5us", "with kernel_launch the 6 us of gpu.kernel_launch"),
    synchronize = estimated("4us", "2us", "6us", "as gpu.kernel_end"),
    copy_call = estimated("2us", "1us", "3us", "cudaMemcpy of few bytes: 6 to 7 us in all (gdrcopy README, x86)"),
    copy_setup = estimated("1us", "500ns", "2us", "likewise"),
    gdr_call = measured("90ns", "gdrcopy README, x86"),
    gdr_read_rate = measured("500MB/s", "gdrcopy README: CPU loads of mapped GPU memory over PCIe"),
    gdr_write_rate = measured("9.5GB/s", "gdrcopy README: CPU stores to it, write-combined"),
    pointer_query = estimated("300ns", "100ns", "500ns", "a driver call on x86"),
  },
  host_copy = {
    call = estimated("25ns", "10ns", "50ns", "a call and a cached line"),
    rate = estimated("12GB/s", "8GB/s", "16GB/s", "one core's copy within DDR4-2400"),
    handoff_rate = estimated("10GB/s", "6GB/s", "14GB/s", "lines out of another core's cache"),
  },
  -- MPI on a library over the NIC, on cores of 4 GHz.
  ucx = {
    send = estimated("100ns", "50ns", "200ns", "request and lane selection on x86"),
    control = estimated("30ns", "10ns", "80ns", "a header and its send"),
    post = estimated("60ns", "30ns", "150ns", "a 64-byte command and its fence"),
    progress = estimated("50ns", "20ns", "120ns", "a polled interface and its handler"),
    poll = estimated("25ns", "10ns", "60ns", "the interfaces of a worker, all silent"),
    memory_type = estimated("25ns", "10ns", "80ns", "a look-up in an interval tree"),
    registration_hit = estimated("90ns", "50ns", "180ns", "UCX: 90 to 180 ns for a hit"),
    eager = estimated("8KiB", "4KiB", "32KiB", "where two copies cost what the handshake does"),
    inline = estimated("64B", "32B", "256B", "one command"),
    device_eager = estimated("1KiB", "0B", "8KiB",
      "loads over PCIe at 500 MB/s: from 2 us on a rendezvous is sooner"),
    gpu_direct = published("1TiB", "ComPNet18, section 5.1: GPUDirect RDMA, whatever the size"),
    direct_setup = estimated("300ns", "100ns", "1us",
      "ib_send_lat with GPU buffers: 1.72 to 1.83 us against 1.5 us and less (linux-rdma/perftest PR 98)"),
  },
  openmpi = {
    call = estimated("60ns", "30ns", "150ns", "MPI_Isend or MPI_Irecv above the library, x86"),
    wait = estimated("30ns", "10ns", "100ns", "a completed request"),
    device = estimated("50ns", "0ns", "200ns", "a check of a pointer"),
  },

  bus = {
    latency = estimated("90ns", "60ns", "150ns", pcie_bench),
    switch_latency = estimated("50ns", "20ns", "150ns", pcie_bench),
    rate = estimated("15.754GB/s", "7.877GB/s", "31.508GB/s",
      "PCIe 3.0 x16: 8 GT/s, 128b/130b; the paper states no generation"),
    header = estimated("24B", "20B", "28B",
      "PCIe 3.0: framing and sequence 4, header 16, LCRC 4; the paper states no generation"),
    max_payload = estimated("256B", "128B", "512B", "usual setting of root complexes"),
    byte_energy = estimated("40pJ", "16pJ", "80pJ", "2 to 10 pJ a bit for a transmitter, its receiver and their link layers: 5.6 of one of 112 Gbit/s in 5 nm (said of a paper at VLSI 2022, second hand: the paper was not found)"),
  },

  network = {
    topology = "star",
    latency = estimated("100ns", "50ns", "100ns",
      table1 .. " prints 100 ns of the network; here of each of a path's two cables, node to switch and switch to node"),
    rate = published("100Gbit/s", table1),
    byte_energy = estimated("100pJ", "20pJ", "300pJ", "2.5 pJ a bit for a cable's SerDes at least; an optical HDR cable's end takes up to 6 W, 240 pJ (NVIDIA, DGX SuperPOD, cabling data centers: port power)"),
  },

  software = {
    queue_entries = published(64, "ComPNet18, section 5.1"),
    runtime_call = measured("6us", "cudaMemcpy of few bytes: 6 to 7 us (gdrcopy README, x86); two calls a "
      .. "round in 12.3 us on H200; 11 us on AC922"),
    post_instructions = estimated(12, 6, 40, "addresses, six fields, a 64-byte store"),
    trigger_instructions = estimated(8, 4, 20, "the trigger's address from a tag, a value, a store"),
    wait_instructions = estimated(4, 3, 10, "load, compare, branch"),
    poll_instructions = estimated(12, 6, 40, "queue context, index, load, compare, branch"),
    dispatch_instructions = estimated(40, 20, 200, "decode, call, checks of arguments"),
    library_instructions = fitted(1600, 570, 2800, { "N-05" },
      "a message in a library takes 71 ns (UCX, 14 million a second), 0.12 us (openib put), 0.31 to 0.35 us (Omni-Path, "
        .. "mbw_mr), at 8 instructions a ns"),
    complete_instructions = estimated(40, 20, 200, "one entry of an event queue"),
    mark_instructions = estimated(10, 5, 40, "two stores and their addresses"),
    pack_instructions = estimated(20, 8, 60, "a head of four fields, where it goes, the loop"),
  },
}

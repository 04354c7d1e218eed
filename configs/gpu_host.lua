-- SPDX-License-Identifier: BSD-3-Clause
-- Any host with one or two GPUs on PCIe, those joined by NVLink, and a second one behind a NIC: the file from which a
-- calibration by its own micro-benchmarks starts (docs/use/calibrate.md). Copy it and enter the known values of the machine:
-- published("...", source) stays, every other value is searched for within its range. The number of compute units and their
-- clock are in the probe's table `platform`.

local wide = "searched for by calibrate"
local cpu = "a server's core of the last ten years"
local gpu = "micro-benchmarks of GPUs of the last ten years"

return machine {
  name = "gpu_host",
  nodes = 2,
  node = { gpus_per_socket = 2, gpu_link = "pcie", peer_link = "node" },

  host = {
    cores = 32,
    clock = "3GHz",
    instructions_per_cycle = 2.0,
    software_rate = published("6GHz", "the core that the times of cuda are told for: clock times instructions a cycle"),
    l1_size = estimated("32KiB", "32KiB", "64KiB", cpu), l1_ways = 8, l1_latency_cycles = estimated(5, 4, 6, cpu),
    l2_ways = 16, l2_latency_cycles = estimated(13, 9, 20, cpu),
    l3_size = estimated("32MiB", "8MiB", "256MiB", cpu),
    l3_latency_cycles = estimated(120, 40, 500, "another core's line, or what a device wrote"),
    memory_latency = estimated("110ns", "60ns", "250ns", cpu),
    memory_rate = estimated("200GB/s", "20GB/s", "800GB/s", cpu),
    bus_latency = estimated("100ns", "2ns", "800ns", "root complex, IOMMU"),
    loads_in_flight = estimated(12, 4, 16, "fill buffers of a core"),
    mispredict_cycles = estimated(17, 10, 30, cpu),
    atomic_gap = estimated("500ns", "5ns", "5us", wide),
    bounced_line = estimated("80ns", "5ns", "1us", wide),
    handed_line = estimated("50ns", "10ns", "200ns", "line_gaps.tsv of one H200; wide"),
  },
  gpu = {
    clock = "1.5GHz",
    compute_units = 100,
    lanes = 32, waves_per_cu = 64, work_groups_per_cu = 32,
    instruction_cycles = estimated(4, 1, 12, "from an instruction to one that depends on it"),
    l1_size = estimated("128KiB", "16KiB", "256KiB", gpu),
    l1_latency_cycles = estimated(33, 20, 150, gpu),
    l2_size = estimated("32MiB", "1MiB", "256MiB", gpu), l2_banks = 64,
    l2_latency_cycles = estimated(250, 80, 1000, wide),
    memory_latency = estimated("250ns", "80ns", "800ns", gpu),
    memory_rate = estimated("1.5TB/s", "100GB/s", "8TB/s", gpu),
    memory_channels = estimated(64, 8, 256, gpu .. ": of HBM2 and HBM3 10 to 32 GB/s each"),
    bus_outbound = estimated("100ns", "5ns", "2us", wide),
    bus_inbound = estimated("100ns", "5ns", "2us", wide),
    bus_allocates = true,
    dispatch_gap = estimated("500ps", "50ps", "20ns", wide),
    device_fence = estimated("300ns", "10ns", "3us", wide),
    system_fence = estimated("600ns", "20ns", "8us", wide),
    fence_gather = estimated("150ns", "5ns", "1us", wide),
    fence_reads_back = true, -- see the probe's table `signal`
    atomic = estimated("100ns", "2ns", "2us", wide),
    atomic_gap = estimated("1ns", "100ps", "100ns", wide),
    peer_atomic_gap = estimated("5ns", "100ps", "100ns", "atomics on one line that come from another GPU"),
    copy_rate = estimated("30GB/s", "2GB/s", "500GB/s", "loads and stores of a compute unit"),
  },
  cuda = {
    kernel_launch = estimated("3us", "300ns", "30us", wide),
    kernel_start = estimated("3us", "300ns", "30us", wide),
    kernel_ahead = estimated("1us", "0ns", "10us", wide),
    synchronize = estimated("2us", "100ns", "30us", wide),
    graph_launch = estimated("3us", "300ns", "30us", wide),
    graph_node = estimated("100ns", "0ns", "5us", wide),
    graph_branch = estimated("500ns", "10ns", "5us", wide),
    graph_node_start = estimated("1us", "50ns", "20us", wide),
    graph_turn = estimated("1.5us", "0ns", "20us", "of a graph's branches behind another launch"),
    call_serial = estimated("1us", "50ns", "10us", wide),
    wake = estimated("8us", "500ns", "50us", "a thread that sleeps until an interrupt"),
    slept_call = estimated("400ns", "0ns", "10us", "more of its next call"),
    event_edge = estimated("100ns", "0ns", "5us", wide),
    timed_kernel = estimated("5us", "0ns", "20us", "two events around a kernel"),
    copy_call = estimated("2us", "200ns", "30us", wide),
    peer_call = estimated("200ns", "0ns", "20us", "more of it between two GPUs"),
    copy_setup = estimated("3us", "300ns", "30us", wide),
    to_host_setup = estimated("200ns", "0ns", "10us", wide),
    to_device_setup = estimated("200ns", "0ns", "10us", wide),
    copy_ahead = estimated("1us", "0ns", "10us", wide),
    to_host_ahead = estimated("200ns", "0ns", "10us", wide),
    to_device_ahead = estimated("200ns", "0ns", "10us", wide),
    copy_chunk = "64B",
    inline_copy = "8KiB",
    inline_setup = estimated("2us", "100ns", "30us", wide),
    inline_ahead = estimated("500ns", "0ns", "10us", wide),
    inline_pageable_ahead = estimated("200ns", "0ns", "10us", "of it, more if the memory is pageable"),
    inline_rate = estimated("5GB/s", "200MB/s", "50GB/s", wide),
    to_device_rate = estimated("25GB/s", "2GB/s", "500GB/s", wide),
    to_host_rate = estimated("25GB/s", "2GB/s", "500GB/s", wide),
    peer_chunk = "64B",
    pageable_chunk = "256KiB",
    pageable_setup = estimated("1us", "10ns", "30us", wide),
    pageable_rate = estimated("8GB/s", "500MB/s", "100GB/s", wide),
    front_end_gap = estimated("8us", "200ns", "30us", "an H200; no row sets it"),
    front_end_operation = estimated("1.3us", "100ns", "10us", "likewise"),
  },
  software = {
    post_instructions = estimated(10, 2, 200, wide),
    wait_instructions = estimated(5, 1, 200, wide),
    poll_instructions = estimated(12, 2, 200, wide),
    dispatch_instructions = estimated(12, 5, 200, "of a loop that takes an entry"),
    gpu_dispatch_instructions = estimated(60, 5, 1000, wide),
    mark_instructions = estimated(10, 2, 500, wide),
  },
  bus = {
    latency = estimated("60ns", "2ns", "300ns", wide),
    switch_latency = estimated("50ns", "1ns", "200ns", "root complex; little within a package"),
    rate = estimated("121GB/s", "10GB/s", "2TB/s", "PCIe 6.0 x16; 5.0 63 GB/s, 4.0 32, 3.0 16, NVLink-C2C 450, a package more"),
  },
  nvlink = {
    latency = estimated("200ns", "20ns", "2us", wide),
    rate = estimated("300GB/s", "20GB/s", "900GB/s", "a direction"),
    efficiency = 1.0, -- rate is that of copies
    access_efficiency = estimated(0.85, 0.4, 1.0, "of it, what a kernel's loads get"),
  },
  -- Between two such hosts; searched from the output of perftest and OSU.
  nic = {
    doorbell_latency = "0ns", -- part of command_latency: no measurement separates them
    command_latency = estimated("200ns", "20ns", "2us", wide),
    command_gap = estimated("10ns", "2ns", "1us", wide),
    packet_latency = estimated("100ns", "50ns", "200ns", "a packet's handling; more is the network's"),
  },
  network = {
    topology = "star",
    latency = estimated("300ns", "20ns", "5us", wide),
    rate = estimated("25GB/s", "1GB/s", "100GB/s", wide),
  },
  ucx = {
    post = estimated("60ns", "10ns", "500ns", wide),
    poll = estimated("30ns", "20ns", "50ns", "a look at a completion queue"),
    -- OSU's message rate of small messages shows the sender's time, the latency that of both sides; a good library takes 70
    -- ns for a message.
    send = estimated("30ns", "5ns", "1us", wide),
    progress = estimated("20ns", "10ns", "40ns", "a round of progress that finds something"),
  },
  openmpi = {
    call = estimated("20ns", "10ns", "40ns", "beside ucx.send"),
    wait = estimated("10ns", "5ns", "20ns", "a look at a request"),
  },
}

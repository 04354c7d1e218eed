-- SPDX-License-Identifier: BSD-3-Clause
-- IBM Power System AC922, the node of Summit and Lassen: two POWER9 sockets with V100 GPUs on NVLink 2.0 and a
-- port of a dual-rail EDR adapter each. Summit and Lassen differ in how many GPUs a socket has
-- (configs/summit.lua, configs/lassen.lua).
--
-- The costs of message-passing software on this node: UCX, Charm++ and the runtimes on it, as of late 2020 (ParCo22,
-- IPDPSW21). Values marked `fitted` name the claims that they were fitted to; no other value was chosen by looking at a
-- claim.

local power = require "configs.power"
local olcf = "Summit user guide (olcf/olcf-user-docs)"
local ucx_source = "openucx/ucx v1.10, source"
local benchpress = "BenchPress, Summit"
local volta = "Jia et al., Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking, 2018, arXiv 1804.06826, figure 3.2"
local no_device_threshold = "openucx/ucx 971aad12, source: no threshold by type of memory, so as the host's"
local ping_pong = "BenchPress, Summit: ping-pong under Spectrum MPI"
local gdr_cached = "AC922: cached mapping (openucx/ucx issue 5218, gdrcopy PR 46), in a loop over a buffer that no GPU rewrites"
local shared_out = "one share of six: only their sum is measured, 0.48 us for 4 B from process to process on a socket (BenchPress)"
local as_pami = "as under Spectrum MPI, on the same node"
local lassen_gdr = "Lassen, MVAPICH2-GDR (BenchPress)"
local copies = "cudaMemcpyAsync and synchronize take 11.1 us for 1 KiB"
local p9_calls = "AC922: a call costs 1.5 to 2 times what it costs on x86"

return power {
  name = "ac922",
  nodes = 2,

  node = {
    sockets = published(2, olcf),
    gpus_per_socket = published(3, olcf),
    nics_per_socket = published(1, "mlx5_0,1 on socket 0, mlx5_2,3 on socket 1: an EDR rail each "
      .. "(rapidsai/ucx-py issue 616)"),
    gpu_link = "nvlink",
  },
  nvlink = {
    rate = published("50GB/s", olcf .. ": two bricks of 25 GB/s per direction"),
    efficiency = measured(0.94, "BenchPress: pinned copies between GPU and its socket reach 47 GB/s"),
    latency = estimated("250ns", "100ns", "500ns",
      "a load of host memory by a V100 over NVLink takes about half a microsecond there and back"),
    byte_energy = estimated("40pJ", "10pJ", "90pJ", "1.3 pJ a bit of NVLink-C2C at least, 5.5 of a SerDes of 112 Gbit/s (besthub.dev, Why NVLink C2C Is Redefining GPU-CPU Interconnects)"),
  },
  socket_link = {
    rate = published("64GB/s", "ParCo22, section 4.1; 4 bytes x 16 GT/s, read per direction"),
    efficiency = estimated(0.94, 0.66, 1, "as NVLink's; no public measurement loads the link with more than one copy"),
    latency = estimated("150ns", "80ns", "300ns", "a remote memory access of a POWER9 beyond a local one"),
    byte_energy = estimated("40pJ", "16pJ", "80pJ", "as the bus"),
  },

  bus = {
    rate = published("15.754GB/s", "PCIe 4.0 x8 a socket: 16 GT/s, 128b/130b"),
    latency = estimated("90ns", "60ns", "200ns",
      "NIC reads 64 B of host memory in 547 ns (pcie-bench, SIGCOMM 2018)"),
    switch_latency = estimated("50ns", "20ns", "150ns", "host bridge of the socket"),
    header = published("24B", "PCIe: framing and sequence 4, header 16, LCRC 4"),
    max_payload = estimated("256B", "128B", "512B", "usual setting of host bridges"),
    byte_energy = estimated("40pJ", "16pJ", "80pJ", "2 to 10 pJ a bit for a transmitter, its receiver and their link layers: 5.6 of one of 112 Gbit/s in 5 nm (said of a paper at VLSI 2022, second hand: the paper was not found)"),
  },
  nic = {
    doorbell_latency = estimated("20ns", "5ns", "100ns", "a few cycles of a NIC clock"),
    command_latency = estimated("150ns", "50ns", "300ns",
      "EDR adapters add 0.6 us a message in all (" .. ucx_source .. ": latency of an EDR device)"),
    command_gap = estimated("10ns", "5ns", "50ns", "ConnectX-5: 100 million messages a second and more"),
    packet_latency = estimated("150ns", "50ns", "300ns", "see command_latency"),
    packet_payload = published("4KiB", "InfiniBand: largest MTU"),
    packet_header = published("42B", "InfiniBand: local route, base, RDMA headers and both checksums"),
    idle_power = estimated("11W", "8W", "13W", "ConnectX-5, two ports of 25 Gbit/s: 12.95 W typical, 15.55 W at most, passive cables (NVIDIA's user manual, OCP 2.0 cards)"),
    active_power = estimated("4W", "2W", "8W", "as idle_power: 2.6 W between both"),
  },
  network = {
    topology = "fat-tree",
    radix = published(18, "36-port EDR leaf switches: half of the ports to nodes"),
    uplinks = estimated(36, 18, 36, "derived from \"non-blocking\" (Async22, section IV-A): as many cables up as rails of 18 nodes"),
    pod = estimated(18, 9, 36, "36-port switches above the leaves, too, half of the ports down: 18 leaves"),
    pod_uplinks = estimated(18, 9, 36, "non-blocking: as many cables up as down"),
    routing = published("adaptive", "enabled (An evaluation of the CORAL interconnects, SC19, abstract)"),
    rate = published("12.5GB/s", "ParCo22, section 4.1; EDR: 4 x 25.78125 Gbit/s x 64/66. Headers are the NIC's"),
    latency = estimated("120ns", "90ns", "200ns", "Switch-IB 2: 90 ns a switch, and the cable"),
    byte_energy = estimated("100pJ", "20pJ", "300pJ", "2.5 pJ a bit for a cable's SerDes at least; an optical HDR cable's end takes up to 6 W, 240 pJ (NVIDIA, DGX SuperPOD, cabling data centers: port power)"),
  },

  gpu = {
    compute_units = published(80, "V100 SXM2 white paper"),
    clock = published("1.53GHz", "V100 SXM2 white paper"),
    l2_size = published("6MiB", olcf),
    l1_latency_cycles = published(28, volta),
    l2_latency_cycles = published(165, volta .. ": a load that hits in the L2 takes 193 cycles with the L1's"),
    memory_latency = published("132ns", volta .. ": a load that misses the L2 and hits the TLB takes 182 cycles more, at 1.38 GHz"),
    memory_rate = estimated("800GB/s", "750GB/s", "840GB/s", "what STREAM reaches of HBM2's 900 GB/s"),
    memory_channels = published(64, "V100 white paper: 4,096 bits of HBM2 in four stacks; JESD235A: 64 bits a pseudo channel (Accel-Sim counts 32 channels)"),
    lanes = published(32, "V100 white paper: a warp"),
    waves_per_cu = published(64, "V100 white paper: warps of an SM"),
    work_groups_per_cu = published(32, "V100 white paper: thread blocks of an SM"),
    instruction_cycles = published(4, "V100 white paper: 8 lanes for double precision in each of an SM's four parts"),
    wave_in_flight = estimated("256B", "256B", "1KiB", "a double precision load of each lane"),
    idle_power = estimated("50W", "30W", "60W", "an H200 119.6 W with a context (configs/h200x2.lua), of 700 W; a V100 of 300 W in proportion"),
    spin_power = estimated("50mW", "20mW", "200mW", "46 mW of an H200's block that polls"),
    memory_energy = estimated("80pJ", "31pJ", "130pJ", "HBM2 itself 3.92 pJ a bit: activation 1.21, moves on the die 2.24, pins 0.3 (O'Connor et al., Fine-Grained DRAM, MICRO 2017, doi 10.1145/3123939.3124545; numbers second hand); an H200 takes 108 pJ with the way through its L2 (configs/h200x2.lua)"),
    link_energy = estimated("80pJ", "0pJ", "150pJ", "123 pJ of an H200, its end of the link among them"),
  },
  host = {
    cores = published(22, olcf),
    software_rate = estimated("8GHz", "4GHz", "12GHz",
      "this node's own core, on which ucx, charm and all else below were measured or fitted: host.clock times "
      .. "host.instructions_per_cycle; POWER9: up to 3.8 GHz, one to three instructions a cycle"),
    l1_size = published("32KiB", "POWER9 data cache of a core"),
    l1_ways = published(8, "POWER9 data cache of a core"),
  },

  -- rtla-osnoise-hist(1) of Linux 6.8 prints the time that 12 CPUs of a host under Fedora 34 lost within a minute, in
  -- classes of 10 us: all CPUs together, 658,773 interruptions, 6.2 us on the average and 1,017 a second on each. Reserved
  -- cores take over the daemons, but not the ticks.
  noise = {
    period = estimated("1ms", "1ms", "10ms", "Linux ticks 100 to 1,000 times a second, 1,000 on that host"),
    durations = published("10us 580463; 20us 77830; 30us 285; 40us 154; 50us 37; 60us 4", "rtla-osnoise-hist(1), Linux 6.8: x86, not this node"),
  },
  host_copy = {
    call = estimated("50ns", "20ns", "100ns", "a call and a cached line"),
    rate = measured("15.7GB/s", benchpress .. ": ping-pong of host buffers on a socket, 128 KiB and more: of two processes, taken for any copy"),
    cross_socket_rate = measured("6.6GB/s", benchpress .. ": slope from 16 to 512 KiB from socket to socket"),
    handoff_rate = measured("11.6GB/s", benchpress .. ": slope from 1 to 4 KiB on a socket, less a copy at 15.7 GB/s"),
    cross_socket_handoff_rate = measured("3.8GB/s", benchpress .. ": the same from socket to socket"),
    allocate = estimated("150ns", "50ns", "300ns", "malloc and free of a cached size, " .. p9_calls),
    page = published("64KiB", "Linux on ppc64le"),
    page_fault = estimated("5us", "2us", "10us", "clearing 64 KiB at 15.7 GB/s takes 4.2 us, and the fault"),
  },
  cuda = {
    copy_call = estimated("3us", "2.5us", "5us", "6 to 7 us for the whole on x86 (gdrcopy README); " .. copies),
    copy_setup = estimated("2.2us", "1us", "4us", copies),
    synchronize = estimated("5.65us", "5us", "6.3us", benchpress .. ": a remainder: " .. copies .. ", less call, setup and NVLink"),
    shared_setup = measured("3.1us", benchpress .. ": two processes a GPU, 14.18 us for 4 B, less call, setup, NVLink and synchronize"),
    shared_rate = measured("25GB/s", benchpress .. ": two processes a GPU, 59.3 us for 512 KiB, half of it for each copy"),
    cross_socket_rate = measured("42.2GB/s", benchpress .. ": copies to the other socket's GPU reach 41.5 to 42.5 GB/s"),
    cross_socket_setup = measured("1.2us", benchpress .. ": 12.5 us for 1 KiB to the other socket's GPU, less the socket link"),
    peer_setup = measured("2.2us", ping_pong .. ": GPU buffers, 16.1 us and bytes at 47 GB/s from 128 KiB on"),
    peer_chunk = estimated("4KiB", "256B", "80kB", ping_pong .. ": 64 KiB take no longer than 4 B, so no chunk of "
      .. "that size is read first"),
    copy_chunk = measured("80kB", benchpress .. ": 12.8 us and bytes at 47 GB/s from 128 KiB on, 1.7 us more than "
      .. "small copies"),
    local_rate = estimated("400GB/s", "375GB/s", "420GB/s",
      "copies within a GPU read and write: half of what STREAM reaches on HBM2, 750 to 840 GB/s"),
    event_record = estimated("400ns", "250ns", "600ns", "0.25 us on x86 (NVTX issue 3), " .. p9_calls),
    event_query = estimated("300ns", "150ns", "500ns", "0.2 us on x86 (parsec PR 576), " .. p9_calls),
    event_wait = estimated("400ns", "250ns", "600ns", "as cudaEventRecord"),
    graph_instantiate = estimated("20us", "5us", "50us", "once a graph; before the measured iterations"),
    graph_launch = estimated("7us", "5us", "15us", "no public measurement on this node: a kernel's launch and more; 15 us "
      .. "and 0.58 us a node on a GeForce under WSL2 (ocannl issue 488)"),
    graph_node = estimated("500ns", "200ns", "1us", "0.58 us a node (ocannl issue 488), " .. p9_calls),
    graph_node_start = estimated("1us", "500ns", "2us", "V100: 3.4 us a kernel of 2.9 us in a graph, 3.8 us in a stream "
      .. "(NVIDIA's blog on CUDA graphs, from memory and not checked)"),
    kernel_launch = estimated("6us", "5us", "8us", "3.3 to 3.5 us on x86 (kokkos PR 3151), " .. p9_calls),
    kernel_start = estimated("2us", "1us", "4us", "shortest kernels last 3 us from event to event"),
    pointer_query = estimated("500ns", "200ns", "1us", "a driver call, " .. p9_calls),
    pageable_setup = estimated("1us", "0us", "5us", "a buffer of the driver's and a second copy"),
    pageable_rate = estimated("11.8GB/s", "10GB/s", "20GB/s",
      "not measured publicly; a copy by the core at 15.7 GB/s and one by the engine at 47 GB/s, one after the other. "
      .. "Only Charm4py's received arrays are pageable"),
    map = estimated("60us", "20us", "1ms", "once a buffer; before the measured iterations: gdr_pin 70 us at 64 KiB, and gdr_map (gdrcopy README)"),
    gdr_call = estimated("150ns", "80ns", "300ns", "0.09 us on x86 (gdrcopy README); 0.73 us for all of an "
      .. "on-socket ping-pong on Lassen (MVAPICH2-GDR, BenchPress)"),
    gdr_cross_socket = measured("180ns", "Lassen, MVAPICH2-GDR: 1.09 us off-socket against 0.73 us, two copies (BenchPress)"),
    gdr_read_rate = measured("37GB/s", gdr_cached),
    gdr_write_rate = measured("37GB/s", gdr_cached),
  },

  ucx = {
    send = estimated("200ns", "80ns", "400ns", "request and lane selection; 50 to 100 ns on x86, " .. p9_calls),
    control = estimated("50ns", "20ns", "150ns", "a header and its send, " .. p9_calls),
    post = estimated("100ns", "50ns", "200ns", "a 64-byte command and its fence"),
    progress = estimated("100ns", "40ns", "200ns", "a polled interface and its handler, " .. p9_calls),
    poll = estimated("50ns", "20ns", "100ns", "the interfaces of a worker, all silent; a callback and the request's return to its pool"),
    memory_type = estimated("50ns", "20ns", "150ns", "a look-up in an interval tree"),
    registration_growth = published("61.44ns", ucx_source .. ": 0.06 ns a byte (MEM_REG_GROWTH)"),
    registration_hit = published("135ns", ucx_source .. ": 90 to 180 ns for a hit"),
    same_socket_latency = published("80ns", ucx_source .. ": latency of shared memory"),
    cross_socket_latency = estimated("350ns", "200ns", "600ns",
      "Spectrum MPI: 0.95 us against 0.48 us in a socket (BenchPress), a third of it at this place"),
    intra_node_eager = published("8KiB", ucx_source .. ": smallest rendezvous of 8,256 bytes"),
    cross_attach = estimated("1.5us", "400ns", "2.5us", ucx_source .. ": 0.4 us, later 2 us"),
    intra_node_device_eager = published("8KiB", no_device_threshold),
    eager = estimated("30KiB", "16KiB", "64KiB", ucx_source .. ": computed by hand from its formula for EDR, not observed"),
    inline = published("2033B", "mlx5: eager messages of host memory are short up to there (openucx/ucx PR 5151, "
      .. "issue 11097); GPU memory is never"),
    device_eager = published("30KiB", no_device_threshold),
    rails = fitted(1, 1, 2, { "P-B02", "P-B04" }, "UCX's own default is 2; the published peak is below that of one rail"),
    segment = published("8256B", ucx_source .. ": am_bcopy of rc"),
    gdr_copy = published(true, "GDRCopy 2.0 (the papers' scripts)"),
    gpu_direct = published("0B", "ParCo22, section 4.2.1: staged through host memory between nodes"),
    fragment = published("512KiB", ucx_source .. ": RNDV_FRAG_SIZE"),
    fragments_in_flight = published(1024, "openucx/ucx 971aad12, source: all fragments of a message are asked for at once"),
    fragments_on_wire = fitted(1, 1, 16, { "P-B02", "P-B04" },
      "nothing in UCX's source limits it: stands for what the peak of 10 GB/s loses against the 12.3 of a rail"),
    fragment_cost = fitted("578ns", "500ns", "3us", { "P-B02", "P-B04" }, "a buffer from a pool and a request, " .. p9_calls),
    direct_setup = estimated("300ns", "100ns", "1us",
      "ib_send_lat with GPU buffers: 1.72 to 1.83 us against 1.5 us and less (linux-rdma/perftest PR 98)"),
    device_send = estimated("100ns", "20ns", "300ns", "memory domains and their caches"),
  },
  pami = {
    send = estimated("100ns", "50ns", "200ns", shared_out),
    control = measured("300ns", ping_pong .. ": rendezvous from 16 KiB on, beside copy and system call"),
    post = estimated("100ns", "50ns", "200ns", "a 64-byte store and its fence"),
    progress = estimated("60ns", "30ns", "120ns", shared_out),
    poll = estimated("30ns", "15ns", "60ns", shared_out),
    memory_type = estimated("20ns", "0ns", "100ns", "a look-up of known allocations"),
    registration_hit = estimated("300ns", "90ns", "500ns", "two of them in a rendezvous between nodes"),
    segment = estimated("8256B", "4KiB", "64KiB", "as UCX"),
    same_socket_latency = estimated("120ns", "60ns", "200ns", shared_out),
    cross_socket_latency = measured("590ns", ping_pong .. ": 0.95 us off-socket against 0.48 us"),
    intra_node_eager = measured("8KiB", ping_pong .. ": between 4 and 16 KiB the time triples"),
    cross_attach = measured("1.9us", ping_pong .. ": 3.4 us and bytes at 15.7 GB/s from 128 KiB on"),
    intra_node_device_eager = measured("0B", ping_pong .. ": 17.4 us for 4 B as for 64 KiB"),
    device_queue = true,
    fragments_on_wire = estimated(16, 1, 16, "one message has one fragment"),
    eager = measured("8KiB", ping_pong .. ": off-node, 2.5 GB/s up to 8 KiB, 12.3 GB/s from 128 KiB on"),
    inline = estimated("64B", "32B", "256B", "as UCX"),
    device_eager = measured("0B", ping_pong .. ": GPU buffers off-node take 4 us more than the host's, for 4 B too"),
    rails = estimated(1, 1, 2, ping_pong .. ": 12.3 GB/s off-node is one rail"),
    gpu_direct = measured("256KiB", ping_pong .. ": 30.6 us for 256 KiB, 105.7 us for 512 KiB"),
    fragment = estimated("512KiB", "512KiB", "4MiB", "512 KiB take as long as copy, wire and copy one after the other"),
    fragments_in_flight = estimated(2, 1, 8, "a fragment comes while another goes"),
    fragment_cost = estimated("2us", "1us", "4us", ping_pong .. ": a remainder: 105.7 us for 512 KiB less two copies of 23.8 us and 51 us of wire"),
    direct_setup = measured("300ns", ping_pong .. ": GPU buffers off-node"),
    device_send = estimated("100ns", "20ns", "300ns", "as UCX"),
  },
  spectrum = {
    call = estimated("60ns", "30ns", "120ns", shared_out),
    wait = estimated("30ns", "15ns", "60ns", shared_out),
    device = estimated("1us", "500ns", "2us", ping_pong .. ": GPU buffers, a remainder beside copies and announcements"),
  },
  mrail = {
    send = estimated("100ns", "50ns", "300ns", as_pami),
    control = estimated("300ns", "50ns", "500ns", as_pami),
    post = estimated("100ns", "50ns", "200ns", as_pami),
    progress = estimated("60ns", "30ns", "200ns", as_pami),
    poll = estimated("30ns", "20ns", "100ns", as_pami),
    memory_type = estimated("20ns", "0ns", "100ns", as_pami),
    registration_hit = estimated("300ns", "90ns", "500ns", as_pami),
    segment = estimated("8KiB", "4KiB", "64KiB", "as UCX"),
    same_socket_latency = estimated("120ns", "80ns", "200ns", as_pami),
    cross_socket_latency = measured("360ns", lassen_gdr .. ": GPU buffers of 4 B off-socket take 1.09 us against 0.73 us, "
      .. "less what two copies take more"),
    intra_node_eager = estimated("8KiB", "4KiB", "64KiB", as_pami),
    cross_attach = estimated("1.9us", "400ns", "2.5us", as_pami),
    intra_node_device_eager = estimated("8KiB", "4KiB", "64KiB", lassen_gdr .. ": 4 KiB take 1.03 us, so they are eager"),
    device_queue = true,
    eager = estimated("8KiB", "4KiB", "32KiB", as_pami),
    inline = estimated("64B", "32B", "256B", "as UCX"),
    device_eager = measured("2KiB", lassen_gdr .. ": off-node 3.16 us for 2 KiB, 6.6 us for 4 KiB"),
    rails = measured(2, lassen_gdr .. ": off-node 23.6 GB/s from 256 to 512 KiB"),
    gpu_direct = estimated("1TiB", "512KiB", "1TiB", lassen_gdr .. ": no jump up to 512 KiB"),
    direct_setup = estimated("300ns", "100ns", "1us", as_pami),
    device_send = estimated("100ns", "20ns", "300ns", "as UCX"),
  },
  mvapich = {
    call = estimated("60ns", "30ns", "200ns", as_pami),
    wait = estimated("30ns", "20ns", "100ns", as_pami),
    device = estimated("50ns", "0ns", "300ns", "as Open MPI"),
  },
  openmpi = {
    call = estimated("150ns", "50ns", "300ns", "MPI_Isend or MPI_Irecv above UCX, " .. p9_calls),
    wait = estimated("80ns", "20ns", "200ns", "a completed request"),
    device = estimated("50ns", "0ns", "300ns", "Open MPI's own check of a pointer"),
  },

  charm = {
    pack = fitted("774ns", "200ns", "1us", { "P-T04", "I-T04" },
      "an entry method call of 0.1 to 0.25 us on x86 (charm issue 370), " .. p9_calls),
    schedule = fitted("987ns", "400ns", "1.2us", { "P-T04", "I-T04" },
      "0.83 us for an entry method called on itself (charm PR 3676), with pack"),
    callback = estimated("250ns", "100ns", "500ns",
      "a message to the PE itself: 0.09 to 0.25 us on x86 (charm issue 370); dd1753a50 on an EPYC, by a callback and by a "
      .. "call alike: 0.06 us, 0.13 in Jacobi3D's loop of callbacks and whens; " .. p9_calls),
    resume = fitted("1.1us", "400ns", "4us", { "P-T04" },
      "about 2 us to create or switch a user-level thread (charm issue 370, an older version)"),
    metadata = fitted("478ns", "100ns", "500ns", { "P-T04", "I-T04" }, "a couple of heap allocations (ParCo22, section 4.2.1)"),
    probe = estimated("200ns", "100ns", "400ns", "a search of the unexpected messages"),
    header = estimated("96B", "64B", "160B", "envelope of core and Converse headers"),
  },
  ampi = {
    call = fitted("551ns", "300ns", "2us", { "P-L01", "P-T05" }, "MPI call above Charm++: datatype, communicator, request"),
    match = fitted("290ns", "100ns", "1us", { "P-L01", "P-T05" }, "request and unexpected queues"),
    device_check = estimated("100ns", "50ns", "300ns", "a hash table of known addresses"),
    device_request = fitted("296ns", "200ns", "1us", { "P-L01", "P-T05" }, "heap allocations, CkDeviceBuffer, callback"),
    switch = fitted("682ns", "300ns", "2us", { "P-L01", "P-T05" },
      "about 2 us to create or switch a user-level thread (charm issue 370, an older version)"),
    zero_copy_cost = estimated("2us", "500ns", "5us", "a record of the buffer with its keys, and a callback"),
  },
  charm4py = {
    send = fitted("8.92us", "5us", "20us", { "P-T06" }, "Python and Cython, 20 us and more a message in all (D-05)"),
    receive = fitted("7.33us", "2us", "10us", { "P-T06" }, "a future and a suspended coroutine"),
    resume = fitted("11.1us", "5us", "20us", { "P-T06" }, "a future fulfilled, a coroutine resumed"),
    cuda_call = estimated("500ns", "200ns", "2us", "a Cython function around a CUDA call"),
    kernel_launch = estimated("40us", "20us", "60us", "Numba: 20.5 us and about 10 us an array argument, of which kernels "
      .. "have two (numba issue 3003)"),
  },
}

-- IBM Power System AC922, the node of Summit and Lassen: two POWER9 sockets with V100 GPUs on NVLink 2.0 and a
-- port of a dual-rail EDR adapter each. Summit and Lassen differ in how many GPUs a socket has
-- (configs/summit.lua, configs/lassen.lua).
--
-- What message-passing software costs on this node: UCX, Charm++ and what stands on it as of late 2020
-- (ParCo22, IPDPSW21). Values marked `fitted` name the claims that they were fitted to; no other was chosen by
-- looking at a claim.

local olcf = "Summit user guide (olcf/olcf-user-docs)"
local ucx_source = "openucx/ucx v1.10, source"
local benchpress = "BenchPress, Summit"
local ping_pong = "BenchPress, Summit: ping-pong under Spectrum MPI"
local copies = "cudaMemcpyAsync and synchronize take 11.1 us for 1 KiB"
local p9_calls = "AC922: a call costs 1.5 to 2 times what it costs on x86"

return machine {
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
  },
  socket_link = {
    rate = published("64GB/s", "ParCo22, section 4.1; 4 bytes x 16 GT/s, read per direction"),
    efficiency = measured(0.66, "BenchPress: copies to the other socket's GPU reach 41.5 to 42.5 GB/s"),
    latency = estimated("150ns", "80ns", "300ns", "a remote memory access of a POWER9 beyond a local one"),
  },

  bus = {
    rate = published("15.754GB/s", "PCIe 4.0 x8 a socket: 16 GT/s, 128b/130b"),
    latency = estimated("90ns", "60ns", "200ns",
      "NIC reads 64 B of host memory in 547 ns (pcie-bench, SIGCOMM 2018)"),
    switch_latency = estimated("50ns", "20ns", "150ns", "host bridge of the socket"),
  },
  nic = {
    doorbell_latency = estimated("20ns", "5ns", "100ns", "a few cycles of a NIC clock"),
    command_latency = estimated("150ns", "50ns", "300ns",
      "EDR adapters add 0.6 us a message in all (" .. ucx_source .. ": latency of an EDR device)"),
    command_gap = estimated("10ns", "5ns", "50ns", "ConnectX-5: 100 million messages a second and more"),
    packet_latency = estimated("150ns", "50ns", "300ns", "see command_latency"),
    packet_payload = published("4KiB", "InfiniBand: largest MTU"),
  },
  network = {
    topology = "fat-tree",
    radix = published(18, "36-port EDR leaf switches: half of the ports to nodes"),
    uplinks = published(36, "non-blocking (Async22, section IV-A): as many cables up as rails of 18 nodes"),
    rate = published("12.1GB/s", "EDR: 4 x 25.78125 Gbit/s x 64/66 less what UCX counts for packets"),
    latency = estimated("120ns", "90ns", "200ns", "Switch-IB 2: 90 ns a switch, and the cable"),
  },

  gpu = {
    compute_units = published(80, "V100 SXM2 white paper"),
    clock = published("1.53GHz", "V100 SXM2 white paper"),
    l2_size = published("6MiB", olcf),
    memory_rate = published("900GB/s", olcf),
  },
  host = {
    cores = published(22, olcf),
    l1_size = published("32KiB", "POWER9 data cache of a core"),
    l1_ways = published(8, "POWER9 data cache of a core"),
  },

  host_copy = {
    call = estimated("50ns", "20ns", "100ns", "a call and a cached line"),
    rate = measured("15.7GB/s", benchpress .. ": ping-pong of host buffers on a socket, 128 KiB and more"),
    far_rate = measured("6.6GB/s", benchpress .. ": slope from 16 to 512 KiB from socket to socket"),
    handoff_rate = measured("11.6GB/s", benchpress .. ": slope from 1 to 4 KiB on a socket, less a copy at 15.7 GB/s"),
    far_handoff_rate = measured("3.8GB/s", benchpress .. ": the same from socket to socket"),
    allocate = estimated("150ns", "50ns", "300ns", "malloc and free of a cached size, " .. p9_calls),
    page = published("64KiB", "Linux on ppc64le"),
    kept = estimated("16MiB", "256KiB", "64MiB",
      "glibc: twice the largest block freed so far, at most 64 MiB; the start of a process frees some megabytes"),
    page_fault = estimated("5us", "2us", "10us", "clearing 64 KiB at 15.7 GB/s takes 4.2 us, and the fault"),
  },
  cuda = {
    copy_call = fitted("3us", "2.5us", "5us", { "P-B06" }, "6 to 7 us for the whole on x86 (gdrcopy README); " .. copies),
    copy_setup = estimated("2.2us", "1us", "4us", copies),
    synchronize = measured("5.65us", benchpress .. ": " .. copies .. ", less call, setup and NVLink"),
    far_setup = measured("1.2us", benchpress .. ": 12.5 us for 1 KiB to the other socket's GPU, less the socket link"),
    peer_setup = measured("2.2us", ping_pong .. ": GPU buffers, 16.1 us and bytes at 47 GB/s from 128 KiB on"),
    peer_chunk = estimated("4KiB", "256B", "80kB", ping_pong .. ": 64 KiB take no longer than 4 B, so no chunk of "
      .. "that size is read first"),
    copy_chunk = measured("80kB", benchpress .. ": 12.8 us and bytes at 47 GB/s from 128 KiB on, 1.7 us more than "
      .. "small copies"),
    event_record = estimated("400ns", "250ns", "600ns", "0.25 us on x86 (NVTX issue 3), " .. p9_calls),
    event_query = estimated("300ns", "150ns", "500ns", "0.2 us on x86 (parsec PR 576), " .. p9_calls),
    event_wait = estimated("400ns", "250ns", "600ns", "as cudaEventRecord"),
    kernel_launch = estimated("6us", "5us", "8us", "3.3 to 3.5 us on x86 (kokkos PR 3151), " .. p9_calls),
    kernel_start = estimated("2us", "1us", "4us", "shortest kernels last 3 us from event to event"),
    pointer_query = estimated("500ns", "200ns", "1us", "a driver call, " .. p9_calls),
    pageable_setup = estimated("1us", "0us", "5us", "a buffer of the driver's and a second copy"),
    pageable_rate = estimated("11.8GB/s", "10GB/s", "20GB/s",
      "not measured publicly; a copy by the core at 15.7 GB/s and one by the engine at 47 GB/s, one after the other"),
    ipc_open = estimated("60us", "20us", "200us", "once a buffer; before the measured iterations"),
    gdr_call = estimated("150ns", "80ns", "300ns", "0.09 us on x86 (gdrcopy README); 0.73 us for all of an "
      .. "on-socket ping-pong on Lassen (MVAPICH2-GDR, BenchPress)"),
    gdr_far = measured("180ns", "Lassen, MVAPICH2-GDR: 1.09 us off-socket against 0.73 us, two copies (BenchPress)"),
    gdr_read_rate = measured("37GB/s", "AC922: cached mapping (openucx/ucx issue 5218, gdrcopy PR 46)"),
    gdr_write_rate = measured("37GB/s", "AC922: cached mapping (openucx/ucx issue 5218, gdrcopy PR 46)"),
    gdr_map = estimated("100us", "20us", "1ms", "gdr_pin 70 us at 64 KiB, and gdr_map (gdrcopy README)"),
  },

  ucx = {
    send = estimated("200ns", "80ns", "400ns", "request and lane selection; 50 to 100 ns on x86, " .. p9_calls),
    receive = estimated("100ns", "40ns", "200ns", "request and a queue, " .. p9_calls),
    match = estimated("10ns", "2ns", "30ns", "a compare and a cached line"),
    progress = estimated("100ns", "40ns", "200ns", "a polled interface and its handler, " .. p9_calls),
    poll = estimated("50ns", "20ns", "100ns", "the interfaces of a worker, all silent"),
    complete = estimated("50ns", "20ns", "100ns", "callback and the request's return to its pool"),
    memory_type = estimated("50ns", "20ns", "150ns", "a look-up in an interval tree"),
    registration = published("16us", ucx_source .. ": model of the cost of registration"),
    registration_hit = published("135ns", ucx_source .. ": 90 to 180 ns for a hit"),
    near_latency = published("80ns", ucx_source .. ": latency of shared memory"),
    far_latency = estimated("350ns", "200ns", "600ns",
      "Spectrum MPI: 0.95 us against 0.48 us in a socket (BenchPress), a third of it at this place"),
    near_eager = published("8KiB", ucx_source .. ": smallest rendezvous of 8,256 bytes"),
    cross_attach = estimated("1.5us", "400ns", "2.5us", ucx_source .. ": 0.4 us, later 2 us"),
    device_near_eager = measured("8KiB", "openucx/ucx PR 5132: rendezvous of GPU memory from about 8 KB"),
    eager = published("30KiB", ucx_source .. ": its formula for EDR"),
    inline = published("2033B", "mlx5: eager messages of host memory are short up to there (openucx/ucx PR 5151, "
      .. "issue 11097); GPU memory is never"),
    device_eager = measured("8KiB", "openucx/ucx PR 5132: rendezvous of GPU memory from about 8 KB"),
    rails = estimated(1, 1, 2, "the published peak is that of one rail (ParCo22, section 4.2.2), though UCX "
      .. "may use 2"),
    gpu_direct = published("0B", "ParCo22, section 4.2.1: staged through host memory between nodes"),
    fragment = published("512KiB", ucx_source .. ": RNDV_FRAG_SIZE"),
    fragments_in_flight = fitted(1, 1, 8, { "P-B06" }, "fragments of one message"),
    fragments_on_wire = fitted(1, 1, 16, { "P-B02", "P-B04" }, "fragments of all messages of a process"),
    fragment_cost = fitted("500ns", "500ns", "3us", { "P-B06" }, "a buffer from a pool and a request, " .. p9_calls),
    direct_setup = estimated("300ns", "100ns", "1us",
      "ib_send_lat with GPU buffers: 1.72 to 1.83 us against 1.5 us and less (linux-rdma/perftest PR 98)"),
    device_send = estimated("100ns", "20ns", "300ns", "memory domains and their caches"),
  },
  pami = {
    send = measured("100ns", ping_pong .. ": 0.48 us for 4 B on a socket, shared out"),
    receive = estimated("60ns", "30ns", "200ns", "a request and a queue, off the path of a ping-pong"),
    control = measured("300ns", ping_pong .. ": rendezvous from 16 KiB on, beside copy and system call"),
    post = estimated("100ns", "50ns", "200ns", "a 64-byte store and its fence"),
    match = estimated("10ns", "2ns", "30ns", "a compare and a cached line"),
    progress = measured("60ns", ping_pong .. ": 0.48 us for 4 B on a socket, shared out"),
    poll = estimated("30ns", "20ns", "100ns", "interfaces that are all silent"),
    complete = measured("30ns", ping_pong .. ": 0.48 us for 4 B on a socket, shared out"),
    memory_type = estimated("20ns", "0ns", "100ns", "a look-up of known allocations"),
    registration = published("16us", ucx_source .. ": model of the cost of registration"),
    registration_hit = estimated("300ns", "90ns", "500ns", "two of them in a rendezvous between nodes"),
    segment = estimated("8256B", "4KiB", "64KiB", "as UCX"),
    near_latency = measured("120ns", ping_pong .. ": 0.48 us for 4 B on a socket, shared out"),
    far_latency = measured("590ns", ping_pong .. ": 0.95 us off-socket against 0.48 us"),
    near_eager = measured("8KiB", ping_pong .. ": between 4 and 16 KiB the time triples"),
    cross_attach = measured("1.9us", ping_pong .. ": 3.4 us and bytes at 15.7 GB/s from 128 KiB on"),
    device_near_eager = measured("0B", ping_pong .. ": 17.4 us for 4 B as for 64 KiB"),
    device_queue = true,
    eager = measured("8KiB", ping_pong .. ": off-node, 2.5 GB/s up to 8 KiB, 12.3 GB/s from 128 KiB on"),
    inline = estimated("64B", "32B", "256B", "as UCX"),
    device_eager = measured("0B", ping_pong .. ": GPU buffers off-node take 4 us more than the host's, for 4 B too"),
    rails = estimated(1, 1, 2, ping_pong .. ": 12.3 GB/s off-node is one rail"),
    gpu_direct = measured("256KiB", ping_pong .. ": 30.6 us for 256 KiB, 105.7 us for 512 KiB"),
    fragment = estimated("512KiB", "512KiB", "4MiB", "512 KiB take as long as copy, wire and copy one after the other"),
    fragments_in_flight = estimated(2, 1, 8, "a fragment comes while another goes"),
    fragment_cost = measured("2us", ping_pong .. ": 105.7 us for 512 KiB less two copies of 23.8 us and 51 us of wire"),
    direct_setup = measured("300ns", ping_pong .. ": GPU buffers off-node"),
    device_send = estimated("100ns", "20ns", "300ns", "as UCX"),
  },
  spectrum = {
    send = measured("60ns", ping_pong .. ": 0.48 us for 4 B on a socket, shared out"),
    receive = estimated("60ns", "30ns", "200ns", "off the path of a ping-pong"),
    wait = measured("30ns", ping_pong .. ": 0.48 us for 4 B on a socket, shared out"),
    device = measured("1us", ping_pong .. ": GPU buffers, what is left beside copies and announcements"),
  },
  openmpi = {
    send = estimated("150ns", "50ns", "300ns", "MPI_Isend above UCX, " .. p9_calls),
    receive = estimated("150ns", "50ns", "300ns", "MPI_Irecv above UCX, " .. p9_calls),
    wait = estimated("80ns", "20ns", "200ns", "a completed request"),
    device = estimated("50ns", "0ns", "300ns", "Open MPI's own check of a pointer"),
  },

  charm = {
    pack = fitted("900ns", "200ns", "1us", { "P-T04", "I-T04" },
      "an entry method call of 0.1 to 0.25 us on x86 (charm issue 370), " .. p9_calls),
    schedule = fitted("1us", "400ns", "1.2us", { "P-T04", "I-T04" },
      "0.83 us for an entry method called on itself (charm PR 3676), with pack"),
    callback = fitted("480ns", "100ns", "600ns", { "P-T04", "I-T04" }, "a message to the PE itself"),
    metadata = fitted("300ns", "100ns", "500ns", { "P-T04", "I-T04" }, "a couple of heap allocations (ParCo22, section 4.2.1)"),
    probe = estimated("200ns", "100ns", "400ns", "a search of the unexpected messages"),
    header = estimated("96B", "64B", "160B", "envelope of core and Converse headers"),
    device_metadata = estimated("64B", "40B", "128B", "pointer, size, tag, callback"),
    eager = published("32KiB", "charm, machine layer ucx"),
    posted_receives = published(64, "charm, machine layer ucx"),
    tag_counter_bits = published(28, "ParCo22, section 3.1"),
    channel_id_bits = published(28, "ParCo22, section 3.1"),
  },
  ampi = {
    call = fitted("600ns", "300ns", "2us", { "P-L01", "P-T05" }, "MPI call above Charm++: datatype, communicator, request"),
    match = fitted("300ns", "100ns", "1us", { "P-L01", "P-T05" }, "request and unexpected queues"),
    device_check = estimated("100ns", "50ns", "300ns", "a hash table of known addresses"),
    device_request = fitted("300ns", "200ns", "1us", { "P-L01", "P-T05" }, "heap allocations, CkDeviceBuffer, callback"),
    switch = fitted("600ns", "300ns", "2us", { "P-L01", "P-T05" },
      "about 2 us to create or switch a user-level thread (charm issue 370, an older version)"),
    zero_copy = published("102400B", "AMPI_RDMA_THRESHOLD_DEFAULT"),
    zero_copy_cost = estimated("24us", "10us", "40us",
      "registration of 16 us (" .. ucx_source .. ") and its end, with metadata"),
    pool_messages = published(32, "AMPI"),
    pool_message = published("128B", "AMPI"),
  },
  charm4py = {
    send = fitted("10us", "5us", "20us", { "P-T06" }, "Python and Cython, 20 us and more a message in all (D-05)"),
    receive = fitted("5us", "2us", "10us", { "P-T06" }, "a future and a suspended coroutine"),
    resume = fitted("10us", "5us", "20us", { "P-T06" }, "a future fulfilled, a coroutine resumed"),
    cuda_call = estimated("500ns", "200ns", "2us", "a Cython function around a CUDA call"),
    serialize_rate = estimated("8GB/s", "3GB/s", "15GB/s", "pickling copies the array once more"),
  },
}

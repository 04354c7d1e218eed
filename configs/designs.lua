-- SPDX-License-Identifier: BSD-3-Clause
-- Named designs: points in the design space, whose axes "gpunetsim help design" lists. A point for one study needs
-- no name here: design { from = "comp-net", server = "gpu_warp" }.

-- The values that all designs of ComPNet18 share.
local compnet = design {
  initiator = "kernel", runtime = "shmem", payload = "direct",
  nic_queue = { sharers = estimated(0, 0, 1, "how ComPNet18, section 4.2.2 is read: mutexes protect "
    .. "shared network structures across the CPs' threads; it does not say which; 1: each thread has its own") },
  completion = published("together", "ComPNet18, section 4.2.1: the CP completes all outstanding requests"),
  quiet_by = estimated("counter", "counter", "entries", "how ComPNet18, section 4.1 is read: Sandia OpenSHMEM on "
    .. "Portals 4, whose quiet waits for counting events"),
  queue = {
    polling = estimated("loads", "loads", "runtime_call", "how ComPNet18, section 5.2 is read: service threads "
      .. "must poll over PCIe; section 3.1 names the runtime call as the other way"),
    wait_on = published("entries", "ComPNet18, section 4.2.1: polling on the status bits on all requests between the read "
      .. "and the write index"),
  },
  poll_loop = estimated("single", "single", "unrolled", "how ComPNet18, section 4.2.1 is read: an acquire with each look "
    .. "at a queue's next entry; a loop unrolled over several queues could share one"),
  polling_rounds = estimated(8, 1, 64, "the paper says a predefined number; geometric mean of the range"),
}

-- Kernels pass requests to host threads, by channels in host memory; the threads post to ordered queues. Steps: ring entry
-- (two fences on the GPU), poll, post, doorbell, command fetch, completion entry, mark.
local proxy = design {
  from = compnet,
  node = "discrete", server = "host_thread", queue = { memory = "host" }, heap = "gpu",
  nic_queue = { memory = "host", sharers = 1, order = "queue" },
  completion = "by_context", polling_rounds = 1, signal = "after", fence = "order",
}

local fetch_and_add = "NCCL, src/transport/net_ib/gin.cc: a put and a fetch-and-add on the signal are posted together; GIN's signals are counters"
local one_channel = "NVSHMEM, src/host/proxy/proxy_host.h: CHANNEL_COUNT 1; src/include/non_abi/device/pt-to-pt/proxy_device.cuh: an "
  .. "atomic on an index in GPU memory gives a place, and a quiet waits for an index of the proxy"
local proxy_loop = "NVSHMEM, src/modules/transport/ibrc/ibrc.cpp, progress_send: one entry of the completion queue at a time; "
  .. "src/host/proxy/proxy.cpp, progress: once in each round, and in quiets"

-- Warps write the NIC's queues in GPU memory themselves. Steps: reserve by an atomic, write, order, fences, doorbell,
-- command fetch, completion entry.
local verbs = design {
  from = compnet,
  node = "discrete", server = "initiator", queue = { memory = "gpu" }, heap = "gpu",
  nic_queue = { memory = "gpu", sharers = 1, reserve = "atomic", order = "queue" },
  signal = "after", fence = "order",
}

-- Processes on hosts that pass messages: each process serves its own calls.
local function messages(runtime, payload, description, source, label)
  return design {
    label = label, description = description, source = source,
    initiator = "host", server = "none", runtime = runtime, payload = payload,
  }
end
local osu = "ParCo22, section 4.1: OSU micro-benchmarks on Summit"

return {
  ["dgpu"] = design {
    label = "dGPU",
    from = compnet,
    description = "Host threads serve queues in GPU memory over the bus.",
    source = "ComPNet18, sections 3.1 and 5.1",
    node = "discrete", server = "host_thread", queue = { memory = "gpu" }, nic_queue = { memory = "host" }, heap = "gpu",
  },
  ["dgpu-host-queue"] = design {
    label = "dGPU, host queue",
    from = compnet,
    description = "Host threads serve queues in host memory; the GPU crosses the bus.",
    source = "ComPNet18, section 3.1 and Fig 4a",
    node = "discrete", server = "host_thread", queue = { memory = "host" }, nic_queue = { memory = "host" }, heap = "gpu",
  },
  ["apu"] = design {
    label = "APU",
    from = compnet,
    description = "CPU threads of an APU serve queues in coherent memory.",
    source = "ComPNet18, section 5.1",
    node = "coherent", server = "host_thread", queue = { memory = "host" }, nic_queue = { memory = "host" }, heap = "host",
  },
  ["comp-net"] = design {
    label = "ComP-Net",
    from = compnet,
    description = "Command processors serve queues in GPU memory through the GPU's L2.",
    source = "ComPNet18, section 4",
    node = "discrete", server = "command_processor", queue = { memory = "gpu" }, nic_queue = { memory = "gpu" }, heap = "gpu",
  },

  ["gpu-thread"] = design {
    label = "GPU threads",
    from = compnet,
    description = "Threads of a resident kernel serve queues through the GPU's L2.",
    source = "beyond the papers: ComP-Net's service on a wavefront's thread, as measured on an H200",
    node = "discrete", server = "gpu_thread", queue = { memory = "gpu" }, nic_queue = { memory = "gpu" }, heap = "gpu",
  },
  ["gpu-warp"] = design {
    label = "GPU wavefronts",
    from = compnet,
    description = "Wavefronts of a resident kernel poll many queues in parallel.",
    source = "beyond the papers: ComP-Net's service on a whole wavefront, as measured on an H200",
    node = "discrete", server = "gpu_warp", queue = { memory = "gpu" }, nic_queue = { memory = "gpu" }, heap = "gpu",
  },
  ["smart-nic"] = design {
    label = "SmartNIC",
    from = compnet,
    description = "Cores of a SmartNIC serve queues in GPU memory over the bus.",
    source = "beyond the papers: ComP-Net's service on the cores of NVIDIA's BlueField",
    node = "discrete", server = "smart_nic", queue = { memory = "gpu" }, nic_queue = { memory = "nic" }, heap = "gpu",
  },
  ["gravel"] = design {
    label = "Gravel",
    from = compnet,
    description = "CPU threads of an APU gather puts by destination before they send them.",
    source = "Gravel (Orr et al., SC'17)",
    node = "coherent", server = "host_thread", queue = { memory = "host" }, nic_queue = { memory = "host" }, heap = "host",
    coalesce = {
      count = estimated(64, 2, 1024, "the number of entries of a queue"),
      timeout = estimated("10us", "1us", "125us", "the time of some messages; Gravel itself waits 125 us"),
    },
  },
  ["gpu-verbs"] = design {
    label = "GPU verbs",
    from = compnet,
    description = "Work-groups post to NIC queues of their own in GPU memory.",
    source = "GPUrdma (Daoud et al., ROSS 2016); NVSHMEM's IBGDA transport",
    node = "discrete", server = "initiator", queue = { memory = "gpu" }, nic_queue = { memory = "gpu", sharers = 1 }, heap = "gpu",
  },
  ["triggered"] = design {
    label = "Triggered",
    from = compnet,
    description = "Work-groups pull triggers of commands that a host thread has posted beforehand.",
    source = "GPU-TN (LeBeane et al., SC'17); triggered operations of Portals 4",
    server = "nic_trigger",
    node = "discrete", queue = { memory = "gpu" }, heap = "gpu",
  },
  ["triggered-chain"] = design {
    label = "Triggered, chained",
    from = compnet,
    description = "Triggered puts whose completion triggers their signal in the NIC: a chain, started by one store of the work-group.",
    source = "chained triggered operations of Portals 4 (SAND2018-12790); GPU-TN (LeBeane et al., SC'17)",
    server = "nic_trigger", signal = "chained",
    node = "discrete", queue = { memory = "gpu" }, heap = "gpu",
  },

  ["nvshmem-ibrc"] = design {
    label = "NVSHMEM IBRC",
    from = proxy, peer = "work_group",
    description = "NVSHMEM's IBRC: one host thread per GPU posts what kernels request, on ordered queues.",
    source = "NVSHMEM, transport ibrc (github.com/NVIDIA/nvshmem); V-106, V-048 to V-056",
    queue = { count = published(1, one_channel) },
    quiet_by = published("each_round", proxy_loop),
    take_instructions = estimated(370, 150, 900, "progress_send and progress_recv of ibrc.cpp: two mutexes, a look at each of two "
      .. "completion queues, a map from queue to connection: 50 to 300 ns at 3 GHz; geometric mean of the range"),
    verb_instructions = estimated(530, 200, 2430, "a library's message takes 900 (570 to 2,800: configs/h200_cx7.lua), including its "
      .. "completion; take_instructions are subtracted"),
    signal_by = published("server", "the same source as word_set_by; signals that are added are atomics of the NIC (atomic)"),
    word_set_by = published("server", "NVSHMEM, src/modules/transport/ibrc/ibrc.cpp: with GDRCopy, a signal that is set goes "
      .. "as a message to the other host, which loads and stores the word and answers; with DISABLE_GDRCOPY: nic"),
  },
  ["nvshmem-libfabric"] = design {
    label = "NVSHMEM libfabric",
    from = proxy, peer = "work_group", nic_queue = { order = "none" }, signal = "quiet", fence = "quiet",
    description = "NVSHMEM's libfabric proxy: no order between messages, so it waits before each signal.",
    queue = { count = published(1, one_channel) },
    source = "NVSHMEM, transport libfabric; nvshmem issue 87, V-245 to V-247",
  },
  ["nccl-gin-proxy"] = design {
    label = "NCCL GIN proxy",
    from = proxy, peer = "work_group", service_threads = 1,
    signal_by = published("atomic", fetch_and_add),
    queue = {
      room_by = published("read_index", "NCCL, src/include/nccl_device/gin/proxy/gin_proxy.h: each post loads the index up to which entries are consumed"),
    },
    description = "NCCL's device API over a host thread that polls descriptors and posts them.",
    source = "NCCL GIN, proxy back end (arXiv 2511.15076); V-105",
  },
  ["rocshmem-ro"] = design {
    label = "rocSHMEM offload",
    from = proxy, signal = "quiet", fence = "quiet",
    description = "rocSHMEM's reverse offload: host threads turn requests of kernels into MPI calls.",
    source = "rocSHMEM, reverse offload back end (github.com/ROCm/rocSHMEM); V-272",
  },
  ["rocshmem-ipc"] = design {
    label = "rocSHMEM IPC",
    from = verbs, peer = "work_group", nic_queue = { order = "none" }, signal = "nic_fence", fence = "nic_fence",
    description = "rocSHMEM's IPC: work-groups load and store memory of the node's other GPUs; beyond the node, they have NIC queues of their own.",
    source = "rocSHMEM, IPC back end (github.com/ROCm/rocSHMEM); V-271, V-273 to V-276",
  },
  ["uccl-ep"] = design {
    label = "UCCL-EP",
    from = proxy, service_threads = 4,
    description = "UCCL-EP: four host threads per GPU post commands of 16 bytes; the receiver puts them in order.",
    source = "UCCL-EP (uccl-project.github.io); V-240, V-241",
  },
  ["nvshmem-ibgda"] = design {
    label = "NVSHMEM IBGDA",
    from = verbs, peer = "work_group", nic_queue = { fences = 3 },
    signal_by = published("atomic", "NVSHMEM, src/include/non_abi/device/pt-to-pt/ibgda_device.cuh: signals are atomics, set or added"),
    verb_instructions = estimated(1900, 1480, 2290, "V-042: 6.0 to 7.8 us of a GPU's multiprocessor inside a put, of which "
      .. "the fences, the atomic and the stores of configs/h200_cx7.lua take 2.7 us; the rest at 2.24 ns per instruction"),
    description = "NVSHMEM's IBGDA: warps write to the NIC queue of their block, in turn, with three fences per post.",
    source = "NVSHMEM, device code of transport ibgda; V-006, V-047 to V-055",
  },
  ["nccl-gin-gdaki"] = design {
    label = "NCCL GIN GDAKI",
    from = verbs, peer = "work_group", nic_queue = { fences = 1 },
    signal_by = published("atomic", fetch_and_add),
    verb_instructions = estimated(680, 480, 900, "V-040: 3.07 us of a GPU's multiprocessor inside a put of DeepEP, whose code is as lean, "
      .. "of which fence, atomic and stores take 1.55 us; the rest at 2.24 ns per instruction, down to half of it less and up to a library's 900"),
    description = "NCCL's device API over queues that the kernel itself writes (GDAKI, DOCA GPUNetIO).",
    source = "NCCL GIN, GDAKI back end (arXiv 2511.15076); V-104",
  },

  ["cpu"] = design {
    label = "CPU",
    description = "OpenMP loops on the CPU's cores, and MPI; no GPU.",
    source = "ComPNet18, section 5.1",
    initiator = "host", server = "none", runtime = "openmpi", payload = "direct", heap = "host",
  },
  ["inter-kernel"] = messages("openmpi", "direct",
    "Kernels that the host launches, and MPI with GPU buffers at their boundaries (GPUDirect RDMA).",
    "ComPNet18, section 5.1", "Inter-kernel"),

  ["charm-h"] = messages("charm", "staged", "Charm++, entry methods with host data.", osu, "Charm++ (host)"),
  ["charm-messaging"] = messages("messaging", "direct", "Charm++ GPU Messaging API.", "ParCo22, section 3.2.1",
    "Charm++ (Messaging)"),
  ["charm-channel"] = messages("channel", "direct", "Charm++ Channel API.", "ParCo22, section 3.2.2",
    "Charm++ (Channel)"),
  ["cp-messaging"] = design {
    label = "CP (Messaging)",
    from = messages("messaging", "direct"), server = "command_processor",
    description = "Charm++ GPU Messaging API, its PE on a command processor of the GPU.",
    source = "beyond the papers: the GPU Messaging API (ParCo22, section 3.2.1) on ComPNet18's command processor",
  },
  ["cp-channel"] = design {
    label = "CP (Channel)",
    from = messages("channel", "direct"), server = "command_processor",
    description = "Charm++ Channel API, its PE on a command processor of the GPU.",
    source = "beyond the papers: the Channel API (ParCo22, section 3.2.2) on ComPNet18's command processor",
  },
  ["ampi-h"] = messages("ampi", "staged", "AMPI with host buffers.", osu, "AMPI (host)"),
  ["ampi-d"] = messages("ampi", "direct", "AMPI with GPU buffers.", "ParCo22, section 3.3", "AMPI (GPU)"),
  ["charm4py-h"] = messages("charm4py", "staged", "Charm4py channels with host data.", osu, "Charm4py (host)"),
  ["charm4py-d"] = messages("charm4py", "direct", "Charm4py channels with GPU buffers.", "ParCo22, section 3.4",
    "Charm4py (GPU)"),
  ["openmpi-h"] = messages("openmpi", "staged", "Open MPI with host buffers.", osu, "Open MPI (host)"),
  ["openmpi-d"] = messages("openmpi", "direct", "Open MPI with GPU buffers.", osu, "Open MPI (GPU)"),
  ["spectrum-h"] = messages("spectrum", "staged", "Spectrum MPI with host buffers.", "IPDPSW21, section IV",
    "Spectrum MPI (host)"),
  ["mvapich-h"] = messages("mvapich", "staged", "MVAPICH2-GDR with host buffers.", "BenchPress, Lassen",
    "MVAPICH2 (host)"),
  ["mvapich-d"] = messages("mvapich", "direct", "MVAPICH2-GDR with GPU buffers.", "BenchPress, Lassen",
    "MVAPICH2 (GPU)"),
  ["spectrum-d"] = messages("spectrum", "direct", "Spectrum MPI with GPU buffers.", "IPDPSW21, section IV",
    "Spectrum MPI (GPU)"),
}

-- SPDX-License-Identifier: BSD-3-Clause
-- Allreduces of GPUs of one node, half precision, each a kernel of a graph: what libraries take, and the algorithm that their source
-- has, on a machine of primitives. Nothing is set by a row of the measurements.
--
--   NCCL            what it chooses, and its channels step by step (benchmarks/parts/collective.lua), as gpunetsim collective has them
--   NCCL symmetric  likewise (benchmarks/parts/symmetric.lua)
--   TensorRT-LLM    pushes to all peers, or a reduce-scatter and an allgather: the faster of both (customAllReduceKernels.cu); its newest
--                   kernels need no fence
--   vLLM            loads from all peers between two barriers, 36 blocks of 512 threads (custom_all_reduce.cuh)
local collective = require "benchmarks.parts.collective"
local cuda = require "benchmarks.parts.cuda"
local h200x2 = require "configs.h200x2"

local copies = design { from = "rocshmem-ipc", copy_unroll = 4 } -- four loads of 16 B a thread under way

local libraries = {
  ["TensorRT-LLM"] = { rings = 32, "one_shot", "two_shot" },
  ["vLLM"] = { rings = 36, "one_shot_get" },
}

-- What two GPUs measure of a crossing is two links and the switch between them.
local function behind_switch(gpus)
  return h200x2 { node = { gpus_per_socket = gpus, peer_link = "nvswitch" }, nvlink = { latency = "43.5ns" } }
end

local function nccl(p)
  local of = collective.plan { operation = "all_reduce", gpus = p.gpus, bytes = p.bytes, element = 2, version = "2.28",
                               symmetric = p.library == "NCCL symmetric" }
  return collective.time(of, collective.machine(p.gpus == 2 and h200x2 or behind_switch(p.gpus))).total * 1e12 // 1
end

-- What a kernel takes that does nothing, one behind the other in a graph.
local function graph_node()
  local function chain(kernels)
    return quantity(cuda.launch { measured = "synchronize", kernels = kernels, launches = 4 }.time)
  end
  return (chain(32) - chain(16)) // 16
end

return study {
  title = "Allreduce within a node by libraries",
  machine = function(p) return p.gpus == 2 and h200x2 or behind_switch(p.gpus) end,
  measured = { file = "data/allreduce_libraries.tsv", gpus = "gpus", library = "library", bytes = "bytes", time = "time_us" },
  vary = {
    { "gpus", { 2, 4 } },
    { "library", { "NCCL", "NCCL symmetric", "TensorRT-LLM", "vLLM" } },
    { "bytes", { 512, 2048, 8192, 32768, 131072, 524288, 2097152 } },
  },
  run = function(p)
    if p.library:find "NCCL" then return { time = nccl(p) .. "ps" } end
    if p.gpus > 2 then return { unmeasured = 1 } end
    local library, least = libraries[p.library], math.huge
    for _, algorithm in ipairs(library) do
      local r = allreduce { design = copies, nodes = 1, gpus_per_node = p.gpus, bytes = p.bytes .. "B", threads = 512,
                            rings = library.rings, algorithm = algorithm, repeats = 4 }
      least = math.min(least, quantity(r.duration))
    end
    return { time = (least + graph_node()) .. "ps" }
  end,
  plot = { x = "bytes", x_label = "Buffer", y = "time_us", by = "library", panels = "gpus", style = "loglog" },
}

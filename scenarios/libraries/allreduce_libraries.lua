-- SPDX-License-Identifier: BSD-3-Clause
-- Allreduces of GPUs of one node, of half precision (the libraries': bfloat16), each a kernel of a graph: what libraries take, as gpunetsim collective has them.
-- Nothing is set by a row of the measurements.
--
--   NCCL                what it chooses, and its channels step by step (benchmarks/parts/collective.lua)
--   NCCL symmetric      likewise (benchmarks/parts/symmetric.lua)
--   TensorRT-LLM, vLLM  the kernels of their source, or NCCL where they call it (benchmarks/parts/custom_allreduce.lua)
local collective = require "benchmarks.parts.collective"
local custom = require "benchmarks.parts.custom_allreduce"
local h200x2 = require "configs.h200x2"

local IN_ROW = 5 -- allreduces of a graph: AIConfigurator, collector/network/collect_all_reduce.py
local LIBRARIES = { ["TensorRT-LLM"] = "trtllm", ["vLLM"] = "vllm" }

-- The sizes, by powers of two: of all libraries, and those that have rows of two GPUs only.
local OF_ALL = " 9 11 13 15 17 19 21 "
local OF_ONE = { ["TensorRT-LLM"] = " 8 18 20 23 24 26 28 ", ["vLLM"] = " 8 14 16 24 25 26 27 28 29 " }

-- What two GPUs measure of a crossing is two links and the switch between them.
local four = h200x2 { node = { gpus_per_socket = 4, peer_link = "nvswitch" }, nvlink = { latency = "43.5ns" } }
local function machine_of(p) return p.gpus == 2 and h200x2 or four end

local sizes = {}
for power = 8, 29 do sizes[#sizes + 1] = 1 << power end

local function is_run(p)
  local powers = OF_ALL .. (p.gpus == 2 and OF_ONE[p.library] or "")
  return powers:find(" " .. math.floor(math.log(p.bytes, 2) + 0.5) .. " ", 1, true) ~= nil
end

return study {
  title = "Allreduce within a node by libraries",
  machine = machine_of,
  measured = { file = "data/allreduce_libraries.tsv", gpus = "gpus", library = "library", bytes = "bytes", time = "time_us" },
  vary = {
    { "gpus", { 2, 4 } },
    { "library", { "NCCL", "NCCL symmetric", "TensorRT-LLM", "vLLM" } },
    { "bytes", sizes },
  },
  run = function(p)
    if not is_run(p) then return { unmeasured = 1 } end
    local library, machine = LIBRARIES[p.library], collective.machine(machine_of(p))
    if library then custom.machine(machine, machine_of(p), IN_ROW) end
    local of = collective.plan({ operation = "all_reduce", gpus = p.gpus, bytes = p.bytes, element = 2, type = "bfloat16", library = library,
                                 version = library and custom.given[library].nccl or "2.28", in_row = library and IN_ROW or nil,
                                 symmetric = p.library == "NCCL symmetric" }, machine_of(p))
    return { time = collective.time(of, machine).total * 1e12 // 1 .. "ps" }
  end,
  plot = { x = "bytes", x_label = "Buffer", y = "time_us", by = "library", panels = "gpus", style = "loglog" },
}

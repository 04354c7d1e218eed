-- SPDX-License-Identifier: BSD-3-Clause
-- Which allreduce for which size: every algorithm that the machine can do, by kernels that store into each other's memory within a
-- node and have NIC queues beyond it; two H200, four of them on an NVSwitch, two nodes of four. Marks are libraries on H200, each call a
-- kernel of a graph (scenarios/libraries/allreduce_libraries.lua has their algorithms and its table the sources); launches are not in the curves.
local h200x2 = require "configs.h200x2"
local h200_cluster = require "configs.h200_cluster"

local copies = design { from = "rocshmem-ipc", copy_unroll = 4 }
local shapes = { ["2 GPUs"] = { 1, 2 }, ["4 GPUs"] = { 1, 4 }, ["2 x 4 GPUs"] = { 2, 4 } }
local within = { one_shot = true, two_shot = true, one_shot_get = true, two_shot_get = true }

-- Microseconds at 512 B, 8 KiB, 128 KiB, 2 MiB.
local libraries = {
  ["NCCL"] = { ["2 GPUs"] = { 5.9, 6.7, 7.3, 27.1 }, ["4 GPUs"] = { 9.3, 9.9, 11.2, 26.9 } },
  ["NCCL symmetric"] = { ["2 GPUs"] = { 3.8, 4.3, 11.1, 19.2 }, ["4 GPUs"] = { 4.4, 4.9, 14.1 } },
  ["TensorRT-LLM"] = { ["2 GPUs"] = { 2.62, 2.80, 3.14 } },
  ["vLLM"] = { ["2 GPUs"] = { 4.41, nil, 4.82, 12.4 } },
}
local sizes = { 512, 8192, 131072, 2097152 }

-- What two GPUs measure of a crossing is two links and the switch between them.
local function behind_switch(gpus)
  return h200x2 { node = { gpus_per_socket = gpus, peer_link = "nvswitch" }, nvlink = { latency = "43.5ns" } }
end

local function measured_us(p)
  for i, bytes in ipairs(sizes) do
    if bytes == p.bytes then return (libraries[p.algorithm][p.gpus] or {})[i] end
  end
end

local function is_possible(p)
  local nodes = shapes[p.gpus][1]
  if libraries[p.algorithm] then return measured_us(p) ~= nil end
  if nodes > 1 then return not within[p.algorithm] end
  return p.algorithm ~= "hierarchical"
end

return study {
  title = "Allreduce by algorithm",
  long = true,
  machine = function(p)
    local nodes, gpus = table.unpack(shapes[p.gpus])
    if nodes > 1 then return h200_cluster { nodes = nodes } end
    return gpus == 2 and h200x2 or behind_switch(gpus)
  end,
  vary = {
    { "gpus", { "2 GPUs", "4 GPUs", "2 x 4 GPUs" } },
    { "algorithm", { "ring", "hierarchical", "doubling", "tree", "one_shot", "two_shot", "one_shot_get", "two_shot_get", "NCCL",
                     "NCCL symmetric", "TensorRT-LLM", "vLLM" } },
    { "bytes", sizes },
  },
  where = is_possible,
  run = function(p)
    local nodes, gpus = table.unpack(shapes[p.gpus])
    if libraries[p.algorithm] then return { time_us = measured_us(p) } end
    local r = allreduce { design = copies, nodes = nodes, gpus_per_node = gpus, bytes = p.bytes .. "B", threads = 512, rings = 16,
                          chunk = "16KiB", algorithm = p.algorithm }
    return { time_us = quantity(r.duration) / 1e6 }
  end,
  plot = { x = "bytes", x_label = "Buffer", y = "time_us", by = "algorithm", panels = "gpus", style = "loglog",
           marks = { "NCCL", "NCCL symmetric", "TensorRT-LLM", "vLLM" } },
}

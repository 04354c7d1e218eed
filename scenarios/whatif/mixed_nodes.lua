-- SPDX-License-Identifier: BSD-3-Clause
-- A cluster that grew: of eight nodes with an H200 each, some have cables of 200 Gbit/s instead of 400, or an A100 instead, whose
-- smaller L2 holds what these programs use, too. What do the others wait for, in a ring that reduces 16 MiB, in a layer of experts with
-- its kernels, and in Jacobi3D of 512 cells along an edge for each node?
local h200_cluster = require "configs.h200_cluster"

local NODES, WEIGHTS = 8, 400 << 20 -- bytes that the kernel of a GPU's experts reads
local ampere = "NVIDIA A100 80 GB SXM data sheet and architecture white paper"

local older = {
  ["200 Gbit/s"] = { network = { rate = estimated("23.5GB/s", "23GB/s", "25GB/s", "half of what configs/h200_cluster.lua has") } },
  ["an A100"] = {
    gpu = {
      clock = published("1.41GHz", ampere), compute_units = published(108, ampere), memory_rate = published("2.039TB/s", ampere),
      memory_channels = published(80, ampere .. ": five stacks of HBM2e, 16 pseudo channels each"),
    },
  },
}

local function mixed(p)
  local kind = { nodes = ("%d..%d"):format(NODES - p.older, NODES - 1) }
  for component, values in pairs(older[p.with]) do kind[component] = values end
  return h200_cluster { nodes = NODES, kinds = p.older > 0 and { older = kind } or nil }
end

-- Every GPU sends every other the tokens for its experts, and their kernel reads the weights.
local function experts()
  local w = program { design = "openmpi-d", nodes = NODES, channels = true, barrier = true }
  local data = w:buffer("1MiB")
  w:parties { program = function(rank)
    local function all_to_all()
      local messages = {}
      for far = 1, NODES - 1 do
        messages[#messages + 1] = rank:receive { from = (rank.rank - far) % NODES, buffer = data, bytes = "1MiB" }
        messages[#messages + 1] = rank:send { to = (rank.rank + far) % NODES, buffer = data, bytes = "1MiB" }
      end
      rank:wait(table.unpack(messages))
    end
    all_to_all() -- registers memory
    rank:barrier()
    local start = rank:now()
    all_to_all()
    rank:launch { work_groups = 1056, threads = 256, bytes = WEIGHTS // 1056 .. "B" }
    rank:synchronise()
    all_to_all()
    rank:barrier()
    rank:record("layer", rank:now() - start)
  end }
  local r = w:run()
  return r.layer_max or r.layer
end

local applications = {
  ["allreduce"] = function()
    return allreduce { design = "openmpi-d", nodes = NODES, bytes = "16MiB", algorithm = "ring", repeats = 2 }.duration
  end,
  ["experts"] = experts,
  ["Jacobi3D"] = function()
    return jacobi3d { design = "openmpi-d", nodes = NODES, gpus = 1, grid = 512, iterations = 4 }.iteration
  end,
}

return study {
  title = "Some nodes are older",
  machine = mixed,
  vary = { { "application", { "allreduce", "experts", "Jacobi3D" } }, { "with", { "200 Gbit/s", "an A100" } }, { "older", { 0, 1, 2, 4, 8 } } },
  run = function(p) return { time = applications[p.application]() } end,
  plot = { x = "older", y = "time_us", by = "with", panels = "application", x_label = "Older nodes of eight", y_label = "Time",
           title = "One older node among eight" },
}

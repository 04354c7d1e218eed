-- SPDX-License-Identifier: BSD-3-Clause
-- Fractions of ComPNet18's figures, of which many machines and readings of its text can be run: gets of 8 B, 512 B and 1 MiB; 480
-- work-groups with 2 and 16 threads, of 4 operations each; 0 to 39 streams in five runs of 300 us; all sizes of Jacobi 2D; allreduces on 2
-- and 8 nodes; one run each, with fixed phases. They were fixed before a result was seen. parts/judged.lua judges them.

local fig09 = require "parts.fig09"

local fractions = { run = {} }

-- What a figure's machine has beside `changes`, which it changes and returns.
function fractions.machine(figure, design, changes)
  changes.nodes = (figure == "Fig 9" or figure == "Fig 10") and 8 or 2
  changes.software = changes.software or {}
  if figure ~= "Fig 9" and figure ~= "Fig 10" or design ~= "cpu" and design ~= "inter-kernel" then changes.software.phases = "fixed" end
  changes.gpu = changes.gpu or {}
  if figure == "Fig 4" then changes.gpu.compute_units = 64 end
  if figure:match("^Fig 7") then
    changes.gpu.compute_units, changes.gpu.l2_size, changes.gpu.l2_locking = 1, "85KiB", figure == "Fig 7, locked"
  end
  if figure == "Fig 8" and design == "comp-net" then
    changes.cp = changes.cp or {}
    changes.cp.cores = 16
  end
  return changes
end

local function us(text) return quantity(text) / 1e6 end

local function with_threads(of, threads) return design { from = of, service_threads = threads } end

local run = fractions.run

run["Fig 4"] = function(_, of, arguments)
  local result = {}
  for _, groups in ipairs { 1, 16, 256 } do
    for _, threads in ipairs { 1, 16 } do
      result["t" .. threads .. "_" .. groups] = us(queue_service { design = with_threads(of, threads), bytes = "1B",
        operation = arguments.operation or "put", work_groups = groups, operations = 10 }.latency)
    end
  end
  return result
end

local function hit_rates(streams)
  return function(_, of, arguments)
    local result = {}
    for _, count in ipairs(streams) do
      local r = l2_hit_rate { design = of, networking = 40 - count, streaming = count, queues = arguments.queues or "grid",
                              warmup = "200us", duration = "300us" }
      result["hit_" .. count] = r.hit_rate
      result["lock_" .. count] = r.lock_mean and us(r.lock_mean)
    end
    return result
  end
end

run["Fig 7"] = hit_rates { 0, 8, 39 }
run["Fig 7, locked"] = hit_rates { 8, 39 }

run["Fig 8"] = function(_, of)
  local result = {}
  for _, bytes in ipairs { "8B", "512B", "1MiB" } do
    result["get_" .. bytes] = us(get_latency { design = of, bytes = bytes, repeats = 10 }.latency)
  end
  for _, threads in ipairs { 2, 16 } do
    local r = queue_service { design = with_threads(of, threads), operation = "get", bytes = "8B", work_groups = 480, operations = 4 }
    result["load_" .. threads] = us(r.duration)
    result["energy_" .. threads] = quantity(r.service_energy) / 1e9
  end
  return result
end

run["Fig 9"] = function(_, of)
  local result = {}
  for _, edge in ipairs(fig09.edges) do
    result["edge_" .. edge] = us(jacobi2d { design = of, edge = edge, nodes = 8, iterations = 100, tolerance = 0.01 }.iteration)
  end
  return result
end

run["Fig 10"] = function(design_name, of, arguments)
  local result, in_kernel = {}, design_name ~= "inter-kernel"
  for _, nodes in ipairs { 2, 8 } do
    local chunk = arguments.chunk == "eighth" and (1024 // nodes) .. "KiB" or "64KiB"
    local r = allreduce { design = of, nodes = nodes, bytes = "64MiB", algorithm = "ring", rings = 8, chunk = chunk, warmup = 0,
                          tolerance = 0.02 }
    result["nodes_" .. nodes] = us(r.duration)
    result["energy_" .. nodes] = in_kernel and quantity(r.service_energy) / 1e9 or nil
  end
  return result
end

return fractions

-- SPDX-License-Identifier: BSD-3-Clause
-- NCCL's collectives between two and four H200, as gpunetsim collective has them, beside what was measured. Nothing is set by these rows.
local collective = require "benchmarks.parts.collective"
local h200x2 = require "configs.h200x2"
-- What two GPUs measure of a crossing is two links and the switch between them.
local switched = h200x2 { node = { gpus_per_socket = 4, peer_link = "nvswitch" }, nvlink = { latency = "43.5ns" } }

local sizes = {}
for power = 9, 29 do sizes[#sizes + 1] = 1 << power end

local file = "data/collectives.tsv"
local columns = { source = "source", gpus = "gpus", how = "how", operation = "operation", bytes = "bytes", time = "time_us", file = file }

-- Which points have a row.
local measured = {
  ["AIConfigurator 2 all_gather"] = "10 11 15 18 20 21 22 23 25 29",
  ["AIConfigurator 2 alltoall"] = "9 12 14 16 18 19 20 22 23 25 26 28 29",
  ["AIConfigurator 2 reduce_scatter"] = "10 12 16 18 21 22 23 26 28",
  ["AIConfigurator 2 all_reduce"] = "10 11 16 18 20 22 23 24",
}
local function is_measured(p)
  local is_reached = p.operation == "all_reduce" or p.operation == "all_gather" or p.operation == "reduce_scatter"
  if p.how == "symmetric" and not (p.source == "probe" and is_reached) then return false end
  local power = math.floor(math.log(p.bytes, 2) + 0.5)
  if p.source == "probe" then return power % 2 == 1 end
  local powers = measured[table.concat({ p.source, p.gpus, p.operation }, " ")]
  return powers ~= nil and (" " .. powers .. " "):find(" " .. power .. " ", 1, true) ~= nil
end

return study {
  title = "NCCL's collectives between H200",
  machine = function(p) return p.gpus == 2 and h200x2 or switched end,
  vary = {
    { "source", { "AIConfigurator", "probe" } },
    { "gpus", { 2, 4 } },
    { "how", { "graph", "symmetric" } }, -- symmetric: with arrays in symmetric memory, in a graph, too
    { "operation", { "all_reduce", "all_gather", "reduce_scatter", "broadcast", "alltoall" } },
    { "bytes", sizes },
  },
  measured = columns,
  run = function(p)
    if not is_measured(p) then return { unmeasured = 1 } end
    local of = collective.plan { operation = p.operation, gpus = p.gpus, bytes = p.bytes, element = 2, symmetric = p.how == "symmetric",
                                 version = p.source == "probe" and "2.28" or "2.29", in_row = p.source == "probe" and 20 or 100 }
    return { time = collective.time(of, collective.machine(p.gpus == 2 and h200x2 or switched)).total * 1e12 // 1 .. "ps" }
  end,
  plot = { x = "bytes", x_label = "Buffer", y = "time_us", by = "operation", panels = "gpus", style = "loglog",
           only = { source = "probe", how = "graph" }, labels = { ["2"] = "2 GPUs", ["4"] = "4 GPUs" } },
}

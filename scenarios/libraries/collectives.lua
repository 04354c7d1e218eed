-- SPDX-License-Identifier: BSD-3-Clause
-- NCCL's collectives between two and four H200 and H100, as gpunetsim collective has them, beside what was measured. Nothing is set by these rows.
local collective = require "benchmarks.parts.collective"
local h200x2 = require "configs.h200x2"
local h100x2 = require "configs.h100x2"
-- What two GPUs measure of a crossing is two links and the switch between them.
local four = { node = { gpus_per_socket = 4, peer_link = "nvswitch" }, nvlink = { latency = "43.5ns" } }
local switched, h100 = h200x2(four), h100x2(four)
local function machine_of(p)
  if p.source == "probe H100" then return h100 end
  return p.gpus == 2 and h200x2 or switched
end

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
-- Of the H100 a third of the rows of its table.
local of_h100 = { graph = " 11 17 21 25 ", symmetric = " 13 19 27 " }
local function is_measured(p)
  local is_reached = p.operation == "all_reduce" or p.operation == "all_gather" or p.operation == "reduce_scatter"
  if p.how == "symmetric" and not (p.source ~= "AIConfigurator" and is_reached) then return false end
  local power = math.floor(math.log(p.bytes, 2) + 0.5)
  if p.source == "probe H100" then return of_h100[p.how]:find(" " .. power .. " ", 1, true) ~= nil end
  if p.source == "probe" then return power % 2 == 1 end
  local powers = measured[table.concat({ p.source, p.gpus, p.operation }, " ")]
  return powers ~= nil and (" " .. powers .. " "):find(" " .. power .. " ", 1, true) ~= nil
end

return study {
  title = "NCCL's collectives between H200 and H100",
  machine = machine_of,
  vary = {
    { "source", { "AIConfigurator", "probe", "probe H100" } },
    { "gpus", { 2, 4 } },
    { "how", { "graph", "symmetric" } }, -- symmetric: with arrays in symmetric memory, in a graph, too
    { "operation", { "all_reduce", "all_gather", "reduce_scatter", "broadcast", "alltoall" } },
    { "bytes", sizes },
  },
  measured = columns,
  run = function(p)
    if not is_measured(p) then return { unmeasured = 1 } end
    local is_launched, machine = p.source == "AIConfigurator", collective.machine(machine_of(p))
    if is_launched then machine.called = 0 end
    local of = collective.plan { operation = p.operation, gpus = p.gpus, bytes = p.bytes, element = 2, symmetric = p.how == "symmetric",
                                 version = is_launched and "2.29" or "2.28", in_row = is_launched and 100 or 20, launched = is_launched }
    return { time = collective.time(of, machine).total * 1e12 // 1 .. "ps" }
  end,
  plot = { x = "bytes", x_label = "Buffer", y = "time_us", by = "operation", panels = "gpus", style = "loglog",
           only = { source = "probe", how = "graph" }, labels = { ["2"] = "2 GPUs", ["4"] = "4 GPUs" } },
}

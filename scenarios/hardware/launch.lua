-- SPDX-License-Identifier: BSD-3-Clause
-- What launches cost a process: the call, the call with its synchronisation, many launches in a row, several threads, and the period of
-- kernels that were all launched beforehand, in one stream, in two streams joined by events, or in a graph.
local cuda = require "benchmarks.parts.cuda"
local h200x2 = require "configs.h200x2"
local tables = require "parts.tables"

local grids = { "grid=1x32", "grid=132x256", "grid=1056x256", "grid=16896x256" }
local rows = { "N=8", "N=32", "N=128", "N=1000" }
local spins = { "spin=0us", "spin=1us", "spin=2us", "spin=3us", "spin=5us", "spin=10us", "spin=20us", "spin=50us" }

-- By the name in the tables: its parameters, and the workload that measures the same.
local function grid(param) return param:match "(%d+)x(%d+)" end
local function number(param) return tonumber(param:match "%d+") end
local measurements = {
  launch_enqueue = { grids, function(param)
    local groups, threads = grid(param)
    return { measured = "call", work_groups = groups + 0, threads = threads + 0 }
  end },
  launch_plus_sync = { grids, function(param)
    local groups, threads = grid(param)
    return { work_groups = groups + 0, threads = threads + 0 }
  end },
  back_to_back_total_per_launch = { rows, function(param)
    return { measured = "back_to_back", launches = number(param), repeats = 1 }
  end },
  multi_thread_total_per_launch_per_thread = { { "2threads_1gpu", "4threads_1gpu" }, function(param)
    return { measured = "back_to_back", launches = 64, processes = number(param) }
  end },
  cross_stream_event_chain_period = { spins, function(param)
    return { measured = "period", spin = number(param) .. "us", streams = 2 }
  end },
  graph_chain_period_grid1 = { spins, function(param) return { measured = "period", spin = number(param) .. "us", kernels = 16 } end },
  stream_chain_period_grid1 = { spins, function(param) return { measured = "period", spin = number(param) .. "us" } end },
  stream_chain_period_grid1056x256 = { spins, function(param)
    return { measured = "period", spin = number(param) .. "us", work_groups = 1056, threads = 256 }
  end },
}

local order = { "launch_enqueue", "launch_plus_sync", "back_to_back_total_per_launch",
                "multi_thread_total_per_launch_per_thread", "stream_chain_period_grid1", "stream_chain_period_grid1056x256",
                "cross_stream_event_chain_period", "graph_chain_period_grid1" }
local points = {}
for _, what in ipairs(order) do
  for _, param in ipairs(measurements[what][1]) do points[#points + 1] = { what, param } end
end

local whats, params = {}, {}
for i, point in ipairs(points) do whats[i], params[i] = point[1], point[2] end

return study {
  title = "What launches cost",
  machine = h200x2,
  vary = zip { what = whats, param = params },
  measured = tables.only("data/h200x2/launch.tsv", "what", order, { param = "param", time = "median_us" }),
  run = function(p) return { time = cuda.launch(measurements[p.what][2](p.param)).time } end,
  plot = {
    x = "param", x_label = "What is launched", y = "time_us", by = "what", style = "bars",
    labels = {
      launch_enqueue = "the call", launch_plus_sync = "the call and its synchronisation",
      back_to_back_total_per_launch = "a launch of N in a row",
      multi_thread_total_per_launch_per_thread = "a launch of 64 by each thread",
      stream_chain_period_grid1 = "a kernel of one block in a stream",
      stream_chain_period_grid1056x256 = "a kernel of 1056 blocks in a stream",
      cross_stream_event_chain_period = "a kernel of two streams joined by events",
      graph_chain_period_grid1 = "a kernel of a graph",
    },
  },
}

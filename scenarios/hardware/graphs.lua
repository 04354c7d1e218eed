-- SPDX-License-Identifier: BSD-3-Clause
-- Graphs of 1 to 128 kernels, in a chain or all side by side: the call, the call and its synchronisation, many in a row.
local cuda = require "benchmarks.parts.cuda"
local h200x2 = require "configs.h200x2"
local tables = require "parts.tables"

local measured = { graph_launch_call = "call", graph_launch_plus_sync = "synchronize", graph_back_to_back_per_graph = "back_to_back" }

local params = {}
for _, kind in ipairs { "chain", "parallel" } do
  for _, nodes in ipairs { 1, 2, 4, 8, 16, 32, 64, 128 } do params[#params + 1] = "nodes=" .. nodes .. "_" .. kind end
end
local whats = { "graph_launch_call", "graph_launch_plus_sync", "graph_back_to_back_per_graph" }

return study {
  title = "Graphs of kernels",
  machine = h200x2,
  vary = { { "what", whats }, { "param", params } },
  measured = tables.only("data/h200x2/launch.tsv", "what", whats, { param = "param", time = "median_us" }),
  run = function(p)
    local r = cuda.launch { measured = measured[p.what], kernels = tonumber(p.param:match "%d+"),
                              branches = p.param:find "parallel" ~= nil, launches = 16 }
    return { time = r.time }
  end,
  plot = { x = "param", x_label = "Kernels of the graph", y = "time_us", by = "what", style = "bars" },
}

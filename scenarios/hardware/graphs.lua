-- Graphs of 1 to 128 kernels, in a chain: the call, the call and its synchronisation, many in a row, and the period of their kernels.
local h200x2 = require "configs.h200x2"

local measured = { graph_launch_call = "call", graph_launch_plus_sync = "synchronize", graph_back_to_back_per_graph = "back_to_back" }

return study {
  title = "Graphs of kernels",
  machine = h200x2,
  vary = {
    { "what", { "graph_launch_call", "graph_launch_plus_sync", "graph_back_to_back_per_graph" } },
    { "param", { "nodes=1_chain", "nodes=2_chain", "nodes=4_chain", "nodes=8_chain", "nodes=16_chain", "nodes=32_chain",
                 "nodes=64_chain", "nodes=128_chain" } },
  },
  measured = { file = "data/h200x2/launch.tsv", what = "what", param = "param", time = "median_us" },
  run = function(p)
    local kernels = tonumber(p.param:match "%d+")
    return { kernels = kernels, time = kernel_launch { measured = measured[p.what], kernels = kernels, launches = 16 }.time }
  end,
  plot = { x = "param", y = "time_us", by = "what", style = "bars" },
}

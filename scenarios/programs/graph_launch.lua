-- SPDX-License-Identifier: BSD-3-Clause
-- A CUDA graph as a program: a chain of kernels that is captured once and launched by one call, beside the same kernels launched
-- one by one. benchmarks/parts/cuda.lua measures both, too (`workload`, `workload_apart`): equal to the picosecond.

local cuda = require "benchmarks.parts.cuda"
local summit = require "configs.summit"

local function chains(kernels)
  local w = program { design = "openmpi-d", nodes = 1 }
  w:host(0):process(function(p)
    local stream = p:stream()
    local function launch_all(where)
      for _ = 1, kernels do p:launch { threads = 32, stream = where } end
    end
    local chain = p:graph(function() launch_all() end, stream)
    for i = 0, 4 do
      local start = p:now()
      p:launch { graph = chain }
      p:synchronise(stream)
      if i > 0 then p:record("graph", p:now() - start) end
      start = p:now()
      launch_all(stream)
      p:synchronise(stream)
      if i > 0 then p:record("apart", p:now() - start) end
    end
  end)
  return w:run()
end

return study {
  title = "A chain of kernels, as a graph and one by one, as a program in Lua",
  machine = summit { nodes = 1 },
  vary = { kernels = { 1, 2, 8, 16 } },
  run = function(p)
    local r = chains(p.kernels)
    local graph = cuda.launch { kernels = p.kernels }
    local apart = cuda.launch { measured = "back_to_back", launches = p.kernels }
    return { graph = r.graph, workload = graph.time, apart = r.apart, workload_apart = apart.time * p.kernels }
  end,
  plot = { x = "kernels", y = { "graph_us", "apart_us" }, style = "loglog", x_label = "Kernels", y_label = "Until all have ended" },
}

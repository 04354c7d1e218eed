-- SPDX-License-Identifier: BSD-3-Clause
-- Points of bench_programs: the same puts by a workload in C and by a program.
local node = require "configs.gcn3_node"

return study {
  title = "Puts of 480 work-groups, in C and in Lua",
  machine = node { nodes = 2 },
  vary = { { "design", { "dgpu", "comp-net", "gpu-verbs" } }, { "way", { "c", "lua" } } },
  run = function(p)
    if p.way == "c" then
      return { latency = queue_service { design = p.design, operation = "put", work_groups = 480, operations = 100 }.latency }
    end
    local w = program { design = p.design, kernels = 1 }
    local data = w:buffer("8B")
    w:gpu(0):kernel { work_groups = 480, program = function(wg)
      for i = 1, 100 do
        local start = wg:now()
        wg:put { to = 1, buffer = data }
        wg:record("latency", wg:now() - start)
      end
    end }
    return { latency = w:run().latency }
  end,
}

-- SPDX-License-Identifier: BSD-3-Clause
-- ComPNet18, Fig 4b: service time by the number of work-groups and of host helper threads, one GPU of 64 CUs.
-- The work-groups "participate in a network operation": a put of one byte, as in Fig 5.

local node = require "configs.gcn3_node"
local fig04 = require "parts.fig04"

local counts = { 1, 4, 16, 64, 256 }
local threads = { 1, 2, 4, 8, 16 }

local function time(r, work_groups, service_threads)
  return r:value { work_groups = work_groups, service_threads = service_threads }.latency_us
end

return study {
  title = "ComPNet18, Fig 4b: host helper threads for one GPU of 64 CUs",
  machine = node { nodes = 2, gpu = { compute_units = 64 } },
  vary = {
    { "service_threads", threads },
    { "work_groups", counts },
  },
  run = function(p)
    return queue_service { design = design { from = "dgpu", service_threads = p.service_threads }, operation = "put",
                           bytes = "1B", work_groups = p.work_groups, operations = 50 }
  end,
  plot = { x = "work_groups", y = "latency_us", by = "service_threads", style = "loglog",
           x_label = "Work-groups", y_label = "Service time" },
  claims = {
    ["N-10"] = function(r)
      local holds = fig04.rises_and_falls(counts, threads, function(groups, n) return time(r, groups, n) end)
      return { obtained = time(r, 256, 1) / time(r, 256, 16), holds = holds,
               note = "256 work-groups: one thread over sixteen; holds if the time rises with "
                 .. "work-groups (to 2 %) and falls with threads" }
    end,
  },
}

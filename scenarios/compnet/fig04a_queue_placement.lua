-- ComPNet18, Fig 4a: how long a work-group waits for one host thread's answer through a producer/consumer
-- queue, with the queue in GPU memory (dgpu) and in host memory (dgpu-host-queue). No network.

local node = require "configs.gcn3_node"

local function time(r, design, work_groups)
  return r:value { design = design, work_groups = work_groups }.latency_us
end

return study {
  title = "Queue between work-groups and one host thread",
  machine = node { gpu = { compute_units = 64 } },
  vary = {
    { "design", { "dgpu", "dgpu-host-queue" } },
    { "work_groups", { 1, 2, 4, 8, 16, 32, 64, 128, 256 } },
  },
  run = function(p)
    return queue_service { design = p.design, operation = "nop", work_groups = p.work_groups,
                           operations = 50 }
  end,
  plot = { x = "work_groups", y = "latency_us", by = "design", style = "loglog",
           x_label = "Work-groups", y_label = "Service time (us)" },
  claims = {
    ["N-05"] = function(r)
      local low, high = time(r, "dgpu-host-queue", 1), time(r, "dgpu-host-queue", 256)
      return { obtained = high, holds = low < 80 and high > 5,
               note = string.format("host memory: %.1f us with 1 work-group to %.1f us with 256; "
                 .. "holds if that meets 5 to 80 us", low, high) }
    end,
    ["N-06"] = function(r)
      local holds = true
      for _, work_groups in ipairs { 1, 2, 4, 8, 16, 32, 64, 128, 256 } do
        holds = holds and time(r, "dgpu", work_groups) > time(r, "dgpu-host-queue", work_groups)
      end
      return { obtained = time(r, "dgpu", 256) / time(r, "dgpu-host-queue", 256), holds = holds,
               note = "GPU memory over host memory with 256 work-groups; holds if larger throughout" }
    end,
  },
}

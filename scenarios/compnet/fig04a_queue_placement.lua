-- SPDX-License-Identifier: BSD-3-Clause
-- ComPNet18, Fig 4a: how long a work-group waits for one host thread's answer through a producer/consumer
-- queue, with the queue in GPU memory (dgpu) and in host memory (dgpu-host-queue).
--
-- The text says "a simple producer/consumer queue", of work-groups that "participate in a network operation" in
-- Fig 4b. So both are shown: to the server and back (nop), and a put of one byte to another node (put), as in Fig 5.

local node = require "configs.gcn3_node"
local fig04 = require "parts.fig04"

local counts = { 1, 2, 4, 8, 16, 32, 64, 128, 256 }

local function time(r, design, operation, work_groups)
  return r:value { design = design, operation = operation, work_groups = work_groups }.latency_us
end

return study {
  title = "ComPNet18, Fig 4a: queue between work-groups and one host thread",
  machine = node { nodes = 2, gpu = { compute_units = 64 } },
  vary = {
    { "operation", { "nop", "put" } },
    { "design", { "dgpu", "dgpu-host-queue" } },
    { "work_groups", counts },
  },
  run = function(p)
    return queue_service { design = p.design, operation = p.operation, bytes = "1B", work_groups = p.work_groups,
                           operations = 50 }
  end,
  plot = { x = "work_groups", y = "latency_us", by = "design", panels = "operation", style = "loglog",
           x_label = "Work-groups", y_label = "Service time",
           published = { { "N-05", by = "dgpu-host-queue" } } },
  claims = {
    ["N-05"] = function(r)
      local low, high = time(r, "dgpu-host-queue", "put", 1), time(r, "dgpu-host-queue", "put", 256)
      return { obtained = { low, high }, limits = { { 3.75, 6.25 }, { 60, 100 } }, holds = fig04.is_five_to_eighty(low, high),
               note = string.format("host memory, puts: %.1f us with 1 work-group to %.1f us with 256; holds if both ends "
                 .. "are within 25 %% of 5 and 80 us. Without a network operation %.1f to %.1f us", low, high,
                 time(r, "dgpu-host-queue", "nop", 1), time(r, "dgpu-host-queue", "nop", 256)) }
    end,
    ["N-06"] = function(r)
      local function ratio_of(operation)
        return function(groups) return time(r, "dgpu", operation, groups) / time(r, "dgpu-host-queue", operation, groups) end
      end
      local smallest, most, holds = fig04.slower(counts, ratio_of("put"))
      local smallest_nop = fig04.slower(counts, ratio_of("nop"))
      return { obtained = most, holds = holds,
               note = string.format("GPU memory over host memory with 256 work-groups that put, %.1f at least with any number; "
                 .. "holds if above 1 throughout. Without a network operation %.1f at least, with one work-group", smallest,
                 smallest_nop) }
    end,
  },
}

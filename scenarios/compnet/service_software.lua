-- SPDX-License-Identifier: BSD-3-Clause
-- What the service threads' software and hardware are assumed to do, one thing otherwise at a time: 480 work-groups
-- that get 8 B again and again, two service threads (as ComPNet18, Fig 8c). docs/trust/validation.md says what is read
-- from it.

local node = require "configs.gcn3_node"

local changes = {
  ["no private"] = { -- and a NIC queue for each thread
    cp = { private_data = "0B", private_data_a_queue = "0B" },
  },
  ["streaming"] = { host = { device_loads_in_flight = 10, uncached_load = "64B" } },
  ["quick library"] = { software = { library_instructions = 570 } },
}

-- What is otherwise in the design. Only dgpu has queues that the host can copy by calls of the GPU's runtime.
local function changed(p)
  local axes = ({
    ["own queue"] = { nic_queue = { sharers = 1 } },
    ["no private"] = { nic_queue = { sharers = 1 } },
    ["unrolled"] = { poll_loop = "unrolled" },
    ["streaming"] = p.design == "dgpu" and { poll_loop = "unrolled" } or {},
    ["entries"] = { quiet_by = "entries" },
    ["contexts"] = { completion = "by_context" },
    ["runtime"] = p.design == "dgpu" and { queue = { polling = "runtime_call" } } or {},
  })[p.change] or {}
  axes.from = p.design
  return design(axes)
end

return study {
  title = "480 work-groups, two service threads, one assumption changed",
  machine = function(p) return node(changes[p.change] or {}) end,
  vary = {
    { "design", { "dgpu", "apu", "comp-net" } },
    { "change", { "base", "own queue", "no private", "unrolled", "entries", "contexts", "runtime",
                  "streaming", "quick library" } },
  },
  run = function(p)
    return queue_service { design = design { from = changed(p), service_threads = 2 }, operation = "get", bytes = "8B",
                           work_groups = 480, operations = 20 }
  end,
  plot = { x = "change", y = "latency_us", by = "design", style = "bars",
           x_label = "What is otherwise", y_label = "Time of a get" },
}

-- SPDX-License-Identifier: BSD-3-Clause
-- ComPNet18, section 5.1.1: for most results APU and ComP-Net perform alike. Here over those of Figs 8a and 8b: a get
-- by one work-group for each payload, and by 480 work-groups for each number of service threads.

local node = require "configs.gcn3_node"
local fig08 = require "parts.fig08"

local results = {}
for _, bytes in ipairs(pow2("8B", "1MiB")) do
  results[#results + 1] = bytes
end
local threads = { ["1 thread"] = 1, ["2 threads"] = 2, ["4 threads"] = 4, ["8 threads"] = 8, ["16 threads"] = 16 }
for _, name in ipairs { "1 thread", "2 threads", "4 threads", "8 threads", "16 threads" } do
  results[#results + 1] = name
end

return study {
  title = "APU and ComP-Net",
  machine = function(p)
    return node { nodes = 2, cp = threads[p.result] and p.design == "comp-net" and { cores = 16 } or {} }
  end,
  vary = { { "result", results }, { "design", { "apu", "comp-net" } } },
  run = function(p)
    if not threads[p.result] then
      return get_latency { design = p.design, bytes = p.result, repeats = 100 }
    end
    return queue_service { design = design { from = p.design, service_threads = threads[p.result] }, operation = "get",
                           bytes = "8B", work_groups = 480, operations = 20 }
  end,
  plot = { x = "result", y = "latency_us", by = "design", style = "bars", x_label = "Result",
           y_label = "Time of a get" },
  claims = {
    ["N-47"] = function(r)
      local function time(design, result) return r:value { result = result, design = design }.latency_us end
      local alike, holds, low, high = fig08.alike(time, results)
      return { obtained = alike / #results, limits = { 0.5 }, holds = holds,
               note = string.format("part of the %d results of Figs 8a and 8b in which comp-net takes 0.8 to 1.25 times as "
                 .. "long as apu; holds for most. The ratio goes from %.2f to %.1f, the least where the network decides, "
                 .. "the most with 480 work-groups (docs/trust/validation.md)", #results, low, high) }
    end,
  },
}

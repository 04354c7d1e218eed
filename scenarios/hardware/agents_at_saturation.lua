-- SPDX-License-Identifier: BSD-3-Clause
-- One to eight threads or warps of the GPU as agents, beside so many streaming work-groups that these need nearly all that the memory
-- gives: how much do the agents' operations slow down? Predicted before it was measured with the probe (experiment meetings), and measured again
-- beside streams that do not count on the host (probe/README.md).
local h200x2 = require "configs.h200x2"
local queues = require "parts.queues"

local function latency(p, streaming)
  return queue_service {
    design = design { from = p.variant == "warp" and queues.gpu_warp or queues.gpu_thread, service_threads = p.servers },
    operation = "nop", work_groups = p.wgs, post = "fenced", threads = 32, warmup = 12, operations = math.max(200 // p.wgs, 12),
    streaming = streaming, streaming_lines = 512,
  }.latency
end

return study {
  title = "Agents of the GPU at the memory's limit",
  machine = h200x2 { nodes = 2, gpu = { l2_model = "statistical" } },
  vary = { { "variant", { "thread", "warp" } }, { "servers", { 1, 2, 4, 8 } }, { "wgs", { 8, 32 } }, { "streaming", { 64, 96, 120, 130 } } },
  long = true,
  measured = { file = "data/h200x2/agents_at_saturation.tsv", variant = "variant", servers = "servers", wgs = "wgs",
               streaming = "streaming", slowdown = "slowdown" },
  run = function(p)
    local beside = latency(p, p.streaming)
    return { latency = beside, slowdown = quantity(beside) / quantity(latency(p, 0)) }
  end,
  plot = { x = "streaming", y = "slowdown", y_label = "Time of an operation, alone 1", by = "servers", panels = "variant", only = { wgs = 32 } },
}

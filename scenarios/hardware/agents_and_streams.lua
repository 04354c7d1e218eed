-- SPDX-License-Identifier: BSD-3-Clause
-- One thread or warp of the GPU as an agent, alone and beside work-groups that stream through memory: how much do its operations slow
-- down? Each streaming block of 1,024 work-items has one load of 16 B and its store in flight for each work-item, which is 512 lines.
-- Measured with the project's probe, whose agent takes longer for a single operation than the agent of the other tables. So the ratio
-- is compared.
local h200x2 = require "configs.h200x2"
local queues = require "parts.queues"

local function latency(p, streaming)
  return queue_service {
    design = p.variant == "warp" and queues.gpu_warp or queues.gpu_thread, operation = "nop", work_groups = p.wgs,
    post = "fenced", threads = 32, warmup = 12, operations = math.max(200 // p.wgs, 12), streaming = streaming, streaming_lines = 512,
  }.latency
end

return study {
  title = "Agents of the GPU beside streams",
  machine = h200x2 { nodes = 2, gpu = { l2_model = "statistical" } },
  vary = { { "variant", { "thread", "warp" } }, { "wgs", { 1, 2, 4, 8, 16, 32 } }, { "streaming", { 4, 8, 16, 24, 32, 48 } } },
  -- Two tables: the first's points, and points between them, predicted before they were measured.
  where = function(p)
    local is_first = p.streaming == 8 or p.streaming == 32
    return is_first == (p.wgs == 1 or p.wgs == 4 or p.wgs == 16)
  end,
  measured = { file = "data/h200x2/agent_slowdown.tsv", variant = "variant", wgs = "wgs", streaming = "streaming", slowdown = "slowdown" },
  run = function(p)
    local beside = latency(p, p.streaming)
    return { latency = beside, slowdown = quantity(beside) / quantity(latency(p, 0)) }
  end,
  plot = { x = "wgs", y = "slowdown", y_label = "Time of an operation, alone 1", by = "variant", panels = "streaming", style = "semilogx" },
}

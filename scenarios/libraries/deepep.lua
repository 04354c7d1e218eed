-- SPDX-License-Identifier: BSD-3-Clause
-- DeepEP's low-latency kernels between eight H200, as gpunetsim collective dispatch and combine have them, beside what was measured.
-- Nothing is set by these rows; probe/predicted_deepep.md says what was known before.
local collective = require "benchmarks.parts.collective"
local experts = require "benchmarks.parts.expert_parallel"
-- What two GPUs measure of a crossing is two links and the switch between them.
local machine = require "configs.h200x2" { node = { gpus_per_socket = 8, peer_link = "nvswitch" }, nvlink = { latency = "43.5ns" } }

return study {
  title = "DeepEP's low-latency kernels between eight H200",
  machine = machine,
  vary = {
    { "operation", { "dispatch", "combine" } },
    { "tokens", { 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024 } },
  },
  measured = { operation = "operation", tokens = "tokens", time = "time_us", file = "data/deepep.tsv" },
  run = function(p)
    local of = experts.plan { operation = p.operation, gpus = 8, tokens = p.tokens, hidden = 7168, top_k = 8, experts = 256, type = "fp8" }
    local total, parts = experts.time(of, experts.machine(collective.machine(machine), of))
    local row = { time = total * 1e12 // 1 .. "ps" }
    for _, part in ipairs(parts) do row[part[1]:gsub(" ", "_")] = part[2] * 1e12 // 1 .. "ps" end
    return row
  end,
  plot = { x = "tokens", x_label = "Tokens of a GPU", y = "time_us", by = "operation", style = "loglog" },
}

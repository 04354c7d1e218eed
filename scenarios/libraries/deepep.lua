-- SPDX-License-Identifier: BSD-3-Clause
-- DeepEP's low-latency kernels between two and eight H200, as gpunetsim collective dispatch and combine have them, beside what was
-- measured. Nothing is set by these rows; probe/predicted_deepep.md says what was known when.
local collective = require "benchmarks.parts.collective"
local experts = require "benchmarks.parts.expert_parallel"
local h200x2 = require "configs.h200x2"
-- What two GPUs measure of a crossing is two links and the switch between them.
local eight = h200x2 { node = { gpus_per_socket = 8, peer_link = "nvswitch" }, nvlink = { latency = "43.5ns" } }
local GPUS = { AIConfigurator = 8, probe = 2 }
local function machine_of(p) return p.source == "probe" and h200x2 or eight end

return study {
  title = "DeepEP's low-latency kernels between H200",
  machine = machine_of,
  vary = {
    { "source", { "AIConfigurator", "probe" } },
    { "operation", { "dispatch", "combine" } },
    { "tokens", { 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024 } },
  },
  measured = { source = "source", operation = "operation", tokens = "tokens", time = "time_us", file = "data/deepep.tsv" },
  run = function(p)
    local of = experts.plan { operation = p.operation, gpus = GPUS[p.source], tokens = p.tokens, hidden = 7168, top_k = 8, experts = 256, type = "fp8" }
    local total, parts = experts.time(of, experts.machine(collective.machine(machine_of(p)), of))
    local row = { time = total * 1e12 // 1 .. "ps" }
    for _, part in ipairs(parts) do row[part[1]:gsub(" ", "_")] = part[2] * 1e12 // 1 .. "ps" end
    return row
  end,
  plot = { x = "tokens", x_label = "Tokens of a GPU", y = "time_us", by = "operation", panels = "source", style = "loglog" },
}

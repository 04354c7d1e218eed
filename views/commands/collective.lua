-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim collective OPERATION: the study benchmarks/collective.lua, in the layout in which nccl-tests prints.
local command = require "command"

local MOST_MIB = 16 -- a plan has some thousand steps a GPU, of a hundred bytes each

-- The study's settings, each with the option that sets it.
local SETTINGS = { { "from", "minbytes" }, { "to", "maxbytes" }, { "factor", "stepfactor" }, { "gpus", "ngpus" }, { "nodes", "nodes" },
                   { "type", "datatype" }, { "machine", "machine" }, { "protocol", "protocol" }, { "how", "how" },
                   { "version", "library" } }

return {
  options = {
    { "minbytes", "text", "Least size, of the larger of what a GPU gives and gets (default: 512B)", "SIZE", short = "b" },
    { "maxbytes", "text", "Largest size (default: 512MiB)", "SIZE", short = "e" },
    { "stepfactor", "text", "From one size to the next (default: 2)", "FACTOR", short = "f" },
    { "ngpus", "text", "GPUs of each node (default: 2)", "COUNT", short = "g" },
    { "nodes", "text", "Nodes, joined by their NICs (default: 1)", "COUNT" },
    { "datatype", "text", "int8, half, bfloat16, float (default: float)", "TYPE", short = "d" },
    { "machine", "file", "Machine file, or a machine of the project (default: h200x2)", "MACHINE", short = "m" },
    { "protocol", "text", "LL, LL128 or Simple (default: what NCCL chooses)", "PROTOCOL", short = "p" },
    { "how", "text", "launched (each call by itself), graph, or either in symmetric memory: symmetric, symmetric_graph " ..
      "(default: launched)", "HOW" },
    { "library", "text", "NCCL's version: 2.27 to 2.30 (default: 2.29)", "VERSION", short = "l" },
    { "plan", "file", "MSCCL's XML or MSCCL++'s JSON, run beside what NCCL takes", "FILE" },
    { "explain", "flag", "Print what NCCL chooses, and where the time goes" },
    { "output", "files", "As of run: csv:-, json:FILE; if none is -, the text of nccl-tests is printed", "FORM:FILE", short = "o" },
    "set", "workers",
  },
  least = 1,
  most = 1,
  run = function(given, operation)
    local settings, plan = {}, given.plan
    for i, setting in ipairs(SETTINGS) do settings[i] = { setting[1], given[setting[2]] } end
    local steps = plan and require "plan".steps(core.text_file(plan, "a plan", MOST_MIB), plan, operation)[1]
    table.move({ { "plan", steps }, { "operation", operation }, { "explain", given.explain and "true" } }, 1, 3, #settings + 1, settings)
    local outputs = given.output or {}
    if not require "outputs".use_stdout(outputs) then outputs[#outputs + 1] = "osu:-" end
    command.run_study("benchmarks/collective.lua", outputs, settings, given)
  end,
}

-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim collective OPERATION: the study benchmarks/collective.lua, in the layout in which nccl-tests prints; of experts' tokens
-- benchmarks/expert_parallel.lua.
local command = require "command"

local DEFAULT_MOST = "512MiB" -- largest size, as benchmarks/collective.lua has it
local MOST_MIB = 16 -- a plan has some thousand steps a GPU, of a hundred bytes each

-- The study's settings, each with the option that sets it.
local SETTINGS = { { "from", "minbytes" }, { "to", "maxbytes" }, { "factor", "stepfactor" }, { "gpus", "ngpus" }, { "nodes", "nodes" },
                   { "type", "datatype" }, { "machine", "machine" }, { "protocol", "protocol" }, { "how", "how" },
                   { "version", "library" } }
-- The same of dispatch and combine, and those that both have.
local OF_EXPERTS = { { "tokens", "tokens" }, { "hidden", "hidden" }, { "top_k", "topk" }, { "experts", "experts" } }
local OF_BOTH = { { "gpus", "ngpus" }, { "type", "datatype" }, { "machine", "machine" } }

-- Refuses what is given of `list` except for what is in `also`.
local function refuse_other(given, operation, list, also)
  local has = {}
  for _, setting in ipairs(also) do has[setting[2]] = true end
  for _, setting in ipairs(list) do
    if given[setting[2]] and not has[setting[2]] then command.fail("--%s says nothing about %s", setting[2], operation) end
  end
end

return {
  options = {
    { "minbytes", "text", "Least size, of the larger of what a GPU gives and gets (default: 512B)", "SIZE", short = "b" },
    { "maxbytes", "text", "Largest size (default: " .. DEFAULT_MOST .. ")", "SIZE", short = "e" },
    { "stepfactor", "text", "From one size to the next (default: 2)", "FACTOR", short = "f" },
    { "ngpus", "text", "GPUs of each node (default: 2; dispatch, combine: 8)", "COUNT", short = "g" },
    { "nodes", "text", "Nodes, joined by their NICs (default: 1)", "COUNT" },
    { "datatype", "text", "int8, half, bfloat16, float (default: float); dispatch: fp8, bf16 (default: fp8)", "TYPE", short = "d" },
    { "machine", "file", "Machine file, or a machine of the project (default: h200x2)", "MACHINE", short = "m" },
    { "protocol", "text", "LL, LL128 or Simple (default: what NCCL chooses)", "PROTOCOL", short = "p" },
    { "how", "text", "launched (each call by itself), graph, or either in symmetric memory: symmetric, symmetric_graph " ..
      "(default: launched)", "HOW" },
    { "library", "text", "NCCL's version: 2.27 to 2.30 (default: 2.29); or trtllm, vllm: their all_reduce", "LIBRARY", short = "l" },
    { "tokens", "text", "Of dispatch and combine: tokens of a GPU (default: 1 to 1024 by powers of two)", "N,..." },
    { "hidden", "text", "Numbers of a token (default: 7168)", "N" },
    { "topk", "text", "Experts to which each token goes (default: 8)", "N" },
    { "experts", "text", "Experts of all GPUs together (default: 256)", "N" },
    { "plan", "file", "MSCCL's XML or MSCCL++'s JSON, run beside what NCCL takes", "FILE" },
    { "explain", "flag", "Print what NCCL chooses, and where the time goes" },
    { "output", "files", "As of run: csv:-, json:FILE; if none is -, the text of nccl-tests is printed", "FORM:FILE", short = "o" },
    "set", "workers",
  },
  least = 1,
  most = 1,
  run = function(given, operation)
    local settings, plan = { { "operation", operation }, { "explain", given.explain and "true" } }, given.plan
    local is_of_experts = operation == "dispatch" or operation == "combine"
    local function take(list)
      for _, setting in ipairs(list) do settings[#settings + 1] = { setting[1], given[setting[2]] } end
    end
    if is_of_experts then
      if plan then command.fail("--plan says nothing about %s", operation) end
      refuse_other(given, operation, SETTINGS, OF_BOTH)
      take(OF_EXPERTS)
      take(OF_BOTH)
    else
      refuse_other(given, operation, OF_EXPERTS, {})
      take(SETTINGS)
      settings[#settings + 1] = { "plan", plan and require "plan".steps(core.text_file(plan, "a plan", MOST_MIB), plan, operation, given.ngpus,
                                  given.maxbytes or DEFAULT_MOST)[1] }
    end
    local outputs = given.output or {}
    if not require "outputs".use_stdout(outputs) then outputs[#outputs + 1] = "osu:-" end
    command.run_study(is_of_experts and "benchmarks/expert_parallel.lua" or "benchmarks/collective.lua", outputs, settings, given)
  end,
}

-- SPDX-License-Identifier: BSD-3-Clause
-- Times of DeepEP's low-latency kernels between GPUs of a node. gpunetsim collective dispatch --tokens 1,128 is run
-- benchmarks/expert_parallel.lua -o osu:- --no-plot -s study.operation=dispatch -s study.tokens=1,128.
local collective = require "benchmarks.parts.collective"
local deepep = require "configs.deepep"
local experts = require "benchmarks.parts.expert_parallel"

local set = settings {
  operation = "dispatch",
  machine = require "configs.h200x2",
  tokens = "1,2,4,8,16,32,64,128,256,512,1024", -- of each GPU
  gpus = "8",
  hidden = "7168", -- numbers of a token
  top_k = "8", -- experts to which each token goes
  experts = "256", -- of all GPUs
  type = "", -- of a dispatch: fp8, bf16
  explain = false,
}

local function refuse(...) error(string.format(...), 0) end

local function whole(what, text, least, most)
  local number = math.tointeger(tonumber(text))
  if not number or number < least or number > most then refuse("%s is %s; it is a whole number from %d to %d", what, text, least, most) end
  return number
end

local operation = set.operation
if operation ~= "dispatch" and operation ~= "combine" then refuse('there is no operation "%s"; accepted are dispatch, combine', operation) end
local kind = set.type ~= "" and set.type or operation == "dispatch" and "fp8" or "bf16"
if kind ~= "bf16" and (kind ~= "fp8" or operation == "combine") then
  refuse('there is no type "%s" for a %s; accepted %s', kind, operation, operation == "combine" and "is bf16" or "are fp8, bf16")
end
local gpus, hidden = whole("gpus", set.gpus, 2, 8), whole("hidden", set.hidden, 1, 1 << 20)
if not deepep.hidden[hidden] then
  local known = {}
  for one in pairs(deepep.hidden) do known[#known + 1] = one end
  table.sort(known)
  refuse("DeepEP has no low-latency kernel for tokens of %d numbers; accepted are %s", hidden, table.concat(known, ", "))
end
local top_k, count = whole("topk", set.top_k, 1, deepep.most_choices), whole("experts", set.experts, gpus, deepep.most_experts)
if count % gpus ~= 0 then refuse("%d experts cannot be divided equally among %d GPUs", count, gpus) end
if top_k > count then refuse("a token cannot go to %d different experts of %d", top_k, count) end
local tokens = {}
for text in (set.tokens .. ","):gmatch "([^,]*)," do tokens[#tokens + 1] = whole("tokens", text, 1, 4096) end

local head = { string.format("# %s of DeepEP's low-latency kernels (simulated by gpunetsim: %s, %d GPUs of a node, %s)", operation, set.machine.name, gpus, kind),
  string.format("# tokens of a GPU, each of %d numbers to %d of %d experts; bytes of a message to an expert; messages that a GPU sends; time as a profiler tells a "
    .. "kernel's; GB/s: of all messages; low, high: between them lies the time, by the ranges of what is estimated", hidden, top_k, count) }
if gpus > math.tointeger(set.machine:value "node.sockets" * set.machine:value "node.gpus_per_socket") then
  head[2] = head[2] .. "; a node like this machine's with more GPUs"
end
local parts = { dispatch = { "begins", "sends", "counts", "tells", "meets", "takes counts", "unpacks" }, combine = { "begins", "sends", "tells", "waits", "meets", "sums" } }
head[3] = string.format("#%9s %10s %10s", "tokens", "bytes", "messages")
if set.explain then
  head[2] = head[2] .. "; parts in us, one behind the other, and the kernel's start and end"
  for _, name in ipairs(parts[operation]) do head[3] = head[3] .. string.format(" %12s", name) end
  head[3] = head[3] .. "       kernel"
end
head[3] = head[3] .. "   time(us)     GB/s       low      high"

return study {
  title = "DeepEP: " .. operation,
  machine = set.machine,
  vary = { tokens = tokens },
  run = function(p)
    local of = experts.plan { operation = operation, gpus = gpus, tokens = p.tokens, hidden = hidden, top_k = top_k, experts = count, type = kind,
                              multiprocessors = math.tointeger(set.machine:value "gpu.compute_units") }
    local machine = experts.machine(collective.machine(set.machine), of)
    local total, taken = experts.time(of, machine)
    local low, high = experts.band(of, machine)
    local rate = of.sent.all * of.message / total / 1e9
    local row = { time_us = total * 1e6, low_us = low * 1e6, high_us = high * 1e6, rate_GBps = rate, message_bytes = of.message, messages = of.sent.all,
                  messages_far = of.sent.far, blocks = of.blocks, threads = of.threads, kernel_us = deepep.kernel * 1e6 }
    local line = string.format("%10d %10d %10d", p.tokens, of.message, of.sent.all)
    for _, part in ipairs(taken) do
      row[part[1]:gsub(" ", "_") .. "_us"] = part[2] * 1e6
      if set.explain then line = line .. string.format(" %12.2f", part[2] * 1e6) end
    end
    if set.explain then line = line .. string.format(" %12.2f", deepep.kernel * 1e6) end
    row.line = line .. string.format(" %10.2f %8.2f %9.2f %9.2f", total * 1e6, rate, low * 1e6, high * 1e6)
    return row
  end,
  plot = { x = "tokens", y = "line", title = table.concat(head, "\n"), style = "semilogx", x_label = "# nccl-tests" },
}

-- SPDX-License-Identifier: BSD-3-Clause
-- Times of NCCL's collectives between GPUs of a node or of several, in nccl-tests' own form with -o osu:-. gpunetsim
-- collective all_reduce -b 8B -e 1GiB is run benchmarks/collective.lua -o osu:- --no-plot -s study.operation=all_reduce -s
-- study.from=8B -s study.to=1GiB.
local collective = require "benchmarks.parts.collective"
local custom = require "benchmarks.parts.custom_allreduce"
local rails = require "benchmarks.parts.rails"
local plans = require "benchmarks.parts.plan"

local set = settings {
  operation = "all_reduce",
  machine = require "configs.h200x2",
  from = "512B", to = "512MiB", factor = "2",
  gpus = "", -- of each node; empty: 2, or those of the plan
  nodes = "1",
  type = "float", -- int8, half, bfloat16, float
  protocol = "", -- LL, LL128, Simple; empty: what NCCL chooses
  how = "launched", -- graph; symmetric, symmetric_graph: with arrays in symmetric memory
  version = "2.29", -- of NCCL: 2.27, 2.28, 2.29, 2.30; or trtllm, vllm: their all_reduce
  explain = false,
  plan = "", -- steps of a plan to run beside it, as gpunetsim collective --plan FILE reads them
}

local function refuse(...) error(string.format(...), 0) end

local function one_of(what, given, accepted)
  for _, word in ipairs(accepted) do
    if given == word then return given end
  end
  refuse('there is no %s "%s"; accepted are %s', what, given, table.concat(accepted, ", "))
end

local function whole(what, text, least, most)
  local number = math.tointeger(tonumber(text))
  if not number or number < least or number > most then refuse("%s is %s; it is a whole number from %d to %d", what, text, least, most) end
  return number
end

local operation = one_of("operation", set.operation, { "all_reduce", "all_gather", "reduce_scatter", "broadcast", "alltoall" })
local element = ({ int8 = 1, half = 2, bfloat16 = 2, float = 4 })[one_of("type", set.type, { "int8", "half", "bfloat16", "float" })]
local protocol = set.protocol ~= "" and one_of("protocol", set.protocol, { "LL", "LL128", "Simple" }) or nil
local how = one_of("how", set.how, { "launched", "graph", "symmetric", "symmetric_graph" })
local is_launched = not how:find "graph"
local version = one_of("library", set.version, { "2.27", "2.28", "2.29", "2.30", "trtllm", "vllm" })
local library = custom.given[version] and version or nil
if library then version = custom.given[library].nccl end
local plan = set.plan ~= "" and plans.read(set.plan) or nil
local nodes, factor = whole("nodes", set.nodes, 1, 64), whole("factor", set.factor, 2, 1024)
if plan and (nodes > 1 or set.explain or how:find "symmetric") then
  refuse("a plan is run within a node, without --explain and with arrays that are not symmetric")
end
local there = math.tointeger(set.machine:value "node.sockets" * set.machine:value "node.gpus_per_socket")
local per_node = whole("gpus", plan and tostring(plan.gpus) or set.gpus ~= "" and set.gpus or "2", nodes > 1 and 1 or 2, math.max(8, there))
local gpus = nodes * per_node
if nodes > 1 and gpus > 64 then refuse("%d nodes with %d GPUs each are %d; at most 64 GPUs are followed", nodes, per_node, gpus) end
if nodes > 1 and how ~= "launched" then
  refuse("over nodes only launched collectives are modelled: in a graph a host function starts the proxies, and symmetric memory ends at the node")
end
if nodes > 1 and operation == "alltoall" and protocol == "LL" then refuse("sends and receives to other nodes are Simple: NCCL has no buffers of LL for them") end
if how:find "symmetric" and protocol then refuse("kernels for symmetric memory choose their protocol; only for other kernels can it be given") end
if library and (operation ~= "all_reduce" or nodes > 1 or plan or protocol or how:find "symmetric") then
  refuse("%s has a kernel of its own for all_reduce within a node, launched or in a graph, without a protocol or plan", custom.given[library].name)
end
if library and element == 1 then refuse("%s adds up half, bfloat16 and float, not int8", custom.given[library].name) end
if library and not table.concat(custom.given[library].gpus, " "):find(gpus, 1, true) then
  refuse("%s takes %s GPUs; %d are asked for", custom.given[library].name, table.concat(custom.given[library].gpus, ", "), gpus)
end
if operation == "alltoall" and protocol == "LL128" then refuse("alltoall is by sends and receives, which have LL and Simple") end

-- nccl-tests' 8, 1K, 128M, 1G, or a size with its unit.
local function bytes_of(text)
  local count, unit = text:match "^(%d+)([KMG]?)$"
  return quantity(count and count .. ({ K = "KiB", M = "MiB", G = "GiB", [""] = "B" })[unit] or text)
end

local sizes, size, most = {}, bytes_of(set.from), bytes_of(set.to)
local least = element * (plan and math.max(plan.chunks, gpus) or gpus)
if size < least or size > most or most > 1 << 34 then
  refuse("sizes are from %d B, an element of each %s, to 16 GiB; from is %s, to is %s", least, least > element * gpus and "chunk" or "GPU", set.from, set.to)
end
while size <= most do
  sizes[#sizes + 1] = math.tointeger(size) .. "B"
  size = size * factor
end

-- Rounds as nccl-tests does, so that numbers fit the columns.
local function number(value, width)
  local digits = value < 1 and 0 or math.floor(math.log(value, 10)) + 1
  return string.format("%" .. width .. (digits < width - 2 and ".2f" or digits < width - 1 and ".1f" or ".0f"), value)
end

local function body(bytes, seconds)
  local rate = bytes / seconds / 1e9
  return string.format("  %s  %s  %s     N/A", number(seconds * 1e6, 7), number(rate, 6),
    number(rate * collective.operations[operation].factor(gpus), 6))
end

local function us(seconds) return string.format("%.2fus", seconds * 1e6) end

local head = { string.format("# %s_perf of %s (simulated by gpunetsim: %s, %s, %s)", operation,
  library and custom.given[library].name .. ", with NCCL " .. version .. " where it calls that" or "NCCL " .. version, set.machine.name,
  nodes > 1 and string.format("%d nodes of %d GPUs", nodes, per_node) or gpus .. " GPUs of a node", (is_launched and "launched" or "in a graph") .. (how:find "symmetric" and ", in symmetric memory" or "")),
  "# All GPUs of a node are joined alike; as with NCCL_NVLS_ENABLE=0 and NCCL_PAT_ENABLE=0; low, high: between them lies the time out of place (us), "
    .. "by the ranges of what is estimated of the kernels and of the machine" }
if per_node > there then
  head[2] = string.format("%s; %s has %d GPUs a node, so this is a node like it with more", head[2], set.machine.name, there)
end
if set.explain then
  head[3] = "#       size  algorithm protocol channels threads   kernel    setup  moves and waits    of that waits      low     high"
  if nodes > 1 then head[3] = head[3] .. "  NICs  network steps  of each: fence     seen     wire      way     told" end
else
  head[3] = string.format("#%61s%16s%22s%s", "", "out-of-place", "", "in-place")
  head[4] = "#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong"
  head[5] = "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)             low     high"
end
if plan then
  head[2] = string.format("# A plan of %d chunks by %s; NCCL: what it takes by its own choice (us); share: what the plan takes of that", plan.chunks,
    plan.protocol)
  head[5] = head[5]:gsub("     low     high$", "    NCCL    share")
end

return study {
  title = "nccl-tests: " .. operation,
  machine = set.machine,
  vary = { bytes = sizes },
  run = function(p)
    local bytes = math.tointeger(quantity(p.bytes))
    bytes = math.max(bytes // (element * gpus), 1) * element * gpus
    local machine = collective.machine(set.machine, nodes, per_node)
    if library then custom.machine(machine, set.machine, not is_launched and 20 or nil) end
    local function take(in_place)
      local of = collective.plan({ operation = operation, gpus = gpus, bytes = bytes, element = element, protocol = protocol, in_place = in_place,
                                   launched = is_launched, version = version, symmetric = how:find "symmetric" ~= nil,
                                   nodes = nodes, per_node = per_node, library = library, type = set.type }, set.machine)
      return collective.time(of, machine), of
    end
    local apart, of = take(false)
    local within = take(true)
    local own = plan and plan.place == "in" and within or apart -- the library's
    if plan then
      local function planned(in_place) return plans.time(plan, { bytes = bytes, element = element, launched = is_launched, in_place = in_place }, machine) end
      apart = planned(plan.place == "in")
      within = plan.place == "both" and planned(true) or apart
    end
    local low, high = collective.band(of, machine)
    local last = plan and string.format("  %s  %7.3f", number(own.total * 1e6, 7), apart.total / own.total)
      or string.format("  %s  %s", number(low * 1e6, 7), number(high * 1e6, 7))
    local row = string.format("%12d  %12d  %8s  %6s  %6d", bytes, bytes // element // (operation == "alltoall" and gpus or 1), set.type,
      collective.operations[operation].adds and "sum" or "none", operation == "broadcast" and 0 or -1) .. body(bytes, apart.total)
      .. body(bytes, within.total) .. last
    local step = nodes > 1 and rails.step(of, machine, 0)
    if set.explain then
      row = string.format("%12d %10s %8s %8d %7d %8s %8s %16s %16s %8s %8s", bytes, of.algorithm, of.protocol, of.channels, of.threads, us(apart.node),
        us(apart.setup), us(apart.moved), us(apart.waited), us(low), us(high))
      if step then
        row = row .. string.format("%6d %14d %15s %8s %8s %8s %8s", of.nics, rails.hops(of), us(step.fence), us(step.seen), us(step.wire), us(step.way),
          us(step.told))
      end
    end
    local row_of = { time_us = apart.total * 1e6, low_us = not plan and low * 1e6 or nil, high_us = not plan and high * 1e6 or nil,
      library_us = plan and own.total * 1e6 or nil, in_place_us = within.total * 1e6, bus_rate_GBps = bytes / apart.total / 1e9
      * collective.operations[operation].factor(gpus), algorithm = of.algorithm, protocol = of.protocol, channels = of.channels,
      threads = of.threads, kernel_us = apart.node * 1e6, setup_us = apart.setup * 1e6, moved_us = apart.moved * 1e6, line = row }
    if step then
      row_of.nics, row_of.network_steps = of.nics, rails.hops(of)
      row_of.step_us = (step.fence + step.seen + step.way + step.told) * 1e6
    end
    return row_of
  end,
  plot = { x = "bytes", y = "line", title = table.concat(head, "\n"), style = "semilogx", x_label = "# nccl-tests" },
}

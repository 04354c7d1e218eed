-- SPDX-License-Identifier: BSD-3-Clause
-- Explanations: tables of stages, and sentences. A reason is the mechanism that the design's axes choose for a stage: of the
-- rows for a stage the first that fits holds. No kind of agent and no runtime is named here: what is particular to one is in
-- its own file.
--
-- A run is a point with its name, the workload's own measure (nil: none), the statistics of its simulation (nil: none), and
-- what was observed: a list of operations by their origin, which views/observed.lua writes. Each has path, callers, count,
-- latency_ps and stages_ps (sums), latency and stages (each with name, component, description, mean_ps, p50_ps, p99_ps),
-- places and iterations (each with number, count, latency_ps, stages_ps), left and like (of iterations that were not
-- simulated), and its design: number (in this run), facts (script/explain/explain.c), own (sentences of its server's kind or its
-- runtime, by stages), servers and axes (name, value, is_default).
local export = require "export"
local ports = require "ports"
local terminal = require "terminal"
local text = require "text"
local explain = {}

local MOST_REASONS = 4
local THRASHES_BELOW = 0.9 -- the part of accesses that hit, below which the L2 thrashes

-- --- reasons -------------------------------------------------------------------------------------

-- Of each stage in turn: traits by which the reason holds (traits_of; "": always, of an unknown design, too), the
-- sentence, in which "%s" is who serves, and the axes that make the stage what it is: before the bar they are always said,
-- behind it where they depart from their defaults. All of a stage's reasons together name the axes that act on it.
local REASONS = {
  posted = {
    { "polled across in_host",
      "the work-group writes its entry to host memory over PCIe, and its release waits for that",
      "queue.memory | queue.count queue.room_by" },
    { "polled", "the work-group writes an entry of its queue and makes it visible",
      "queue.memory | queue.count queue.room_by node" },
  },
  stored = {
    { "kernel", "the work-group itself loads and stores the bytes, line by line, between the " ..
      "memories of two GPUs", "peer | copy_unroll" },
  },
  seen = {
    { "calls", "the host copies the queues by calls of the GPU's runtime, each of which takes " ..
      "microseconds", "server queue.memory queue.polling" },
    { "polled coherent",
      "%s poll memory that the CPU shares coherently with the GPU: no bus lies between",
      "server node | service_threads poll_loop completion polling_rounds" },
    { "polled in_gpu near", "%s on the GPU poll queues through its L2: no bus lies between; they " ..
      "come to each queue in turn",
      "server queue.memory | service_threads queue.locked poll_loop completion polling_rounds" },
    { "polled in_host near",
      "%s poll queues in their own memory, which the work-groups write over PCIe",
      "server queue.memory | service_threads poll_loop completion polling_rounds" },
    { "polled in_gpu",
      "polling over PCIe: each look of %s at a queue in GPU memory is a read across the bus",
      "server queue.memory | service_threads poll_loop completion polling_rounds" },
    { "polled",
      "polling over PCIe: each look of %s at a queue in host memory is a read across the bus",
      "server queue.memory | service_threads poll_loop completion polling_rounds quiet_by " ..
      "take_instructions marks" },
  },
  mutex = {
    { "kernel shared", "threads share one network library, and one at a time holds its mutex",
      "nic_queue.sharers | service_threads nic_queue.reserve" },
  },
  served = {
    { "by_self", nil,
      "server | nic_queue.sharers nic_queue.reserve nic_queue.fences verb_instructions initiator" },
    { "gathers", "puts to one node wait for others that go in the same message, at most until " ..
      "their timeout", "server coalesce.count coalesce.timeout | coalesce.size service_threads" },
    { "kernel moves", "within a node the server moves the data by its own loads and stores, or " ..
      "starts a copy of the copy engine; to other nodes it runs the network library",
      "server peer | copy_unroll service_threads nic_queue.sharers nic_queue.reserve " ..
      "nic_queue.fences nic_queue.order fence signal" },
    { "kernel", "instructions of the network library on the server's core; entries that were " ..
      "seen together are served one after the other",
      "server | service_threads nic_queue.sharers nic_queue.reserve nic_queue.fences " ..
      "nic_queue.order fence signal" },
  },
  doorbell = {
    { "kernel on_nic", "a store to the NIC on the server's own board", "nic_queue.memory" },
    { "kernel", "a store across PCIe to the NIC", "nic_queue.memory" },
  },
  fetched = {
    { "kernel on_nic", "the NIC reads the command on its own board", "nic_queue.memory" },
    { "kernel", "the NIC reads the command across PCIe", "nic_queue.memory | nic_queue.order fence signal" },
    { "", "the NIC has the command", "" },
  },
  on_wire = {
    { "kernel", "the NIC's pipeline, and its reads of what it sends", "heap | nic_queue.order fence signal" },
  },
  delivered = {
    { "kernel", "the network, and memory on both sides", "heap | signal signal_by word_set_by" },
    { "", "the network, and memory on both sides", "" },
  },
  completed = {
    { "by_self", nil, "server | quiet_by signal fence" },
    { "together", "the server first goes on with its other queues; then it waits for all that it " ..
      "has issued, of all work-groups, before it marks anything as done; faster polls make the rounds " ..
      "shorter, so that they gather fewer operations, and the others wait for those first",
      "completion polling_rounds | quiet_by marks take_instructions fence" },
    { "kernel", "the server goes on with its other queues before it looks for completions, and " ..
      "marks each call when its own context has nothing pending",
      "completion polling_rounds | quiet_by marks take_instructions fence" },
  },
  noticed = {
    { "by_self", nil, "server" },
    { "polled across in_gpu far",
      "the mark is written back over PCIe, and the work-group polls for it",
      "server queue.memory | marks queue.wait_on" },
    { "polled across in_host",
      "the work-group polls the mark of its entry in host memory, across PCIe",
      "queue.memory | marks queue.wait_on" },
    { "polled", "the work-group polls the mark of its entry", "queue.memory | marks queue.wait_on" },
    { "", nil, "runtime" },
  },
  matched = {
    { "message", "the message is compared with the receives that are posted", "runtime" },
  },
  staged = {
    { "staged", "host staging: the program copies to host memory before it sends, and to the GPU " ..
      "after it has received", "payload" },
    { "message", "the library stages fragments through host memory, in a pipeline",
      "payload runtime | server" },
  },
  packed = {
    { "message", "calls of the runtime and the library, until the NIC or the peer is told",
      "runtime | payload" },
  },
  late_receive = {
    { "message", "the receiver's program posts it after the message has come", "runtime" },
  },
  taken = {
    { "message", "a core polls, and handles what it finds one after the other", "runtime" },
  },
  copy = {
    { "message", "CUDA IPC: a copy engine moves the data from GPU to GPU", "payload" },
    { "", "the copy engine", "" },
  },
  copied = {
    { "message", "a core copies: host buffers, or GPU memory that is mapped (GDRCopy)", "payload" },
  },
  callback = {
    { "message", "the runtime makes a callback of the transfer's end", "runtime" },
  },
  scheduled = {
    { "message", "scheduler wait: the message stands in its queue until the scheduler picks it",
      "runtime" },
  },
  launched = {
    { "", "launch overhead: the core in the CUDA call", "initiator runtime" },
  },
  started = {
    { "message", "launch latency: the kernel or copy has been given to the GPU, which has not " ..
      "begun with it", "" },
  },
  exposed = {
    { "", "exposed communication: nothing of the place computes while it waits", "" },
  },
  busy = {
    { "", "the core computes, or waits in the CUDA call that tells it of the GPU's end", "" },
  },
}

local function axis_of(design, name)
  for _, axis in ipairs(design.axes) do
    if axis.name == name then return axis end
  end
end

-- Traits that decide which reasons apply. Either processes send messages, and the program itself may copy (stage) GPU data; or
-- work-groups of a kernel start transfers, which they serve themselves (by_self), or which a polling server serves, which may
-- move data between GPUs of its node itself (moves). Servers may be command processors; threads may share one network library,
-- and the NIC's queues may be in its own memory.
local function traits_of(design)
  local facts = design.facts
  local function is(name, value) return axis_of(design, name).value == value end
  local is_message = is("initiator", "host")
  local is_polled = not is_message and facts.polled
  local is_coherent, in_gpu = is("node", "coherent"), is("queue.memory", "gpu")
  return {
    message = is_message, kernel = not is_message, staged = is_message and is("payload", "staged"),
    by_self = not is_message and not facts.polled, moves = facts.moves, on_cp = facts.on_cp,
    shared = not is_message and facts.shared, on_nic = not is_message and is("nic_queue.memory", "nic"),
    -- A server that polls queues: it is separated from the work-groups by no bus (coherent) or by one (across); the queues are
    -- in memory of the host or of the GPU, in the server's own memory (near) or not (far); it looks at them by calls of the
    -- GPU's runtime; it gathers puts into one message, and completes the puts of all work-groups together.
    polled = is_polled, coherent = is_polled and is_coherent, across = is_polled and not is_coherent,
    in_host = is_polled and is("queue.memory", "host"), in_gpu = is_polled and in_gpu,
    near = is_polled and facts.near, far = is_polled and not facts.near,
    calls = is_polled and facts.calls and is("queue.polling", "runtime_call") and in_gpu and not is_coherent,
    gathers = is_polled and not is("coalesce.count", "0"), together = is_polled and is("completion", "together"),
  }
end

local function has_trait(design, trait)
  design.traits = design.traits or traits_of(design)
  return design.traits[trait]
end

local function holds(design, traits)
  for _, trait in ipairs(text.split(traits, " ")) do
    if not (design and has_trait(design, trait)) then return false end
  end
  return true
end

local function reason_of(stage, design)
  for _, reason in ipairs(REASONS[stage.name] or {}) do
    if holds(design, reason[1]) then return reason end
  end
end

-- " (completion = together, polling_rounds = 8)"
local function own_axes(design, names)
  local parts, is_said = {}, true
  for _, name in ipairs(text.split(names, " ")) do
    local axis = axis_of(design, name)
    is_said = is_said and name ~= "|"
    if axis and (is_said or not axis.is_default) then
      parts[#parts + 1] = axis.name .. " = " .. axis.value
    end
  end
  return #parts > 0 and " (" .. table.concat(parts, ", ") .. ")" or ""
end

-- Why a stage takes what it takes in that design (nil: unknown), as the mechanism says, with the axes that choose it:
-- "... (queue = gpu)"; nil: nothing particular.
local function reason_text(stage, design)
  local reason = reason_of(stage, design)
  local sentence = design and design.own[stage.name] or reason and reason[2]
  if not sentence then return nil end
  local first, last = sentence:find("%s", 1, true)
  if first then sentence = sentence:sub(1, first - 1) .. design.servers .. sentence:sub(last + 1) end
  return sentence .. (design and reason and own_axes(design, reason[3]) or "")
end

-- Whether the axis acts on the stage in any design.
local function acts_on(name, stage)
  for _, reason in ipairs(REASONS[stage.name] or {}) do
    for _, axis in ipairs(text.split(reason[3], " ")) do
      if axis == name then return true end
    end
  end
end

-- --- what is explained ---------------------------------------------------------------------------

local function of_path(run, path)
  for _, of in ipairs(run.observed) do
    if of.path == path then return of end
  end
end

-- The operations that make up the workload's time: an application's iterations, if it has some; else the messages, if it
-- sends any; else the operations of the first path.
local function main_of(run)
  local found = of_path(run, "iterations") or of_path(run, "messages")
  if found then return found end
  for _, of in ipairs(run.observed) do
    if not found or of.path < found.path then found = of end
  end
  return found
end

-- The critical path of an application's iterations: where the time of what they waited for
-- went; nil: none.
local function critical_path(run)
  local iterations = run.chosen == main_of(run) and of_path(run, "iterations") or run.chosen
  if #iterations.places == 0 or not iterations.design then return nil end
  for _, of in ipairs(run.observed) do
    local is_same = of.design and of.design.number == iterations.design.number
    if is_same and of.path:find("^critical_path") then return of end
  end
end

-- The other operations that were measured: "messages (48, 4.612 us each)"; nil: none.
local function others_text(run)
  local parts = {}
  for _, of in ipairs(run.observed) do
    if of ~= run.chosen then
      parts[#parts + 1] = string.format("%s (%d, %.3f us each)", of.path, of.count, of.latency.mean_ps / 1e6)
    end
  end
  return #parts > 0 and table.concat(parts, ", ") or nil
end

-- Chooses the operations of a run to explain: those of that path (nil: the main ones). An error if there are none.
local function choose(run, path)
  if path then run.chosen = of_path(run, path) else run.chosen = main_of(run) end
  if run.chosen then return end
  if path then
    error { sentence = string.format("--of %s: at %s none was measured; those that were are %s", path, run.name,
                                     others_text(run) or "none") }
  end
  error { sentence = "at " .. run.name .. " nothing passes stages: no put, get, message or copy was measured",
          code = core.ERROR_RUN }
end

-- --- tables --------------------------------------------------------------------------------------

-- Microseconds with picoseconds rounded down, as in workloads' means.
local function us_text(ps)
  local whole = math.floor(ps)
  return string.format("%d.%06d", whole // 1000000, whole % 1000000)
end

local function share_percent(of, ps)
  return of.latency.mean_ps > 0 and 100 * ps / of.latency.mean_ps or 0
end

local function times_row(times, share, stage, component, description)
  return { stage, component, us_text(times.mean_ps), string.format("%.1f", share),
           us_text(times.p50_ps), us_text(times.p99_ps), description }
end

-- A row for each stage that took time, in the order of first use; the last row is the sum.
local function stages_table(of)
  local rows = {}
  for i, stage in ipairs(of.stages) do
    if of.stages_ps[i] > 0 then
      rows[#rows + 1] = times_row(stage, share_percent(of, stage.mean_ps), stage.name,
                                  stage.component, stage.description)
    end
  end
  rows[#rows + 1] = times_row(of.latency, 100, "sum", "", "from the call until its end is noticed")
  return terminal.of_texts({ "stage", "component", "mean_us", "share_percent", "p50_us", "p99_us",
                             "until" }, rows, 3, 6)
end

-- A row a component.
local function components_table(of)
  local sums_ps, order, rows = {}, {}, {}
  for _, stage in ipairs(of.stages) do
    if not sums_ps[stage.component] then order[#order + 1] = stage.component end
    sums_ps[stage.component] = (sums_ps[stage.component] or 0) + stage.mean_ps
  end
  for _, component in ipairs(order) do
    local ps = sums_ps[component]
    if ps ~= 0 then
      rows[#rows + 1] = { component, us_text(ps), string.format("%.1f", share_percent(of, ps)) }
    end
  end
  return terminal.of_texts({ "component", "mean_us", "share_percent" }, rows, 2, 3)
end

local function mean_text(sum_ps, count) return us_text(count > 0 and sum_ps / count or 0) end

-- A row for each place, or for each iteration from 0 on: its number, the count, the mean, and the mean of each stage
-- ("kernel_us").
local function parts_table(of, parts, number, count)
  local names, rows = { number, count, "mean_us" }, {}
  for i, stage in ipairs(of.stages) do
    if of.stages_ps[i] > 0 then names[#names + 1] = stage.name .. "_us" end
  end
  for k, part in ipairs(parts) do
    local row = { tostring(part.number), tostring(part.count), mean_text(part.latency_ps, part.count) }
    for i in ipairs(of.stages) do
      if of.stages_ps[i] > 0 then row[#row + 1] = mean_text(part.stages_ps[i], part.count) end
    end
    rows[k] = row
  end
  return terminal.of_texts(names, rows, 1, #names)
end

-- --- one point -----------------------------------------------------------------------------------

-- "99 operations of iterations (place); their stages sum up to ...", and how many of them were not simulated.
local function sum_text(of)
  local stages_ps = 0
  for _, ps in ipairs(of.stages_ps) do stages_ps = stages_ps + ps end
  local sum = string.format(
    "%d operations of %s (%s); their stages sum up to %d ps, their latencies to %d ps", of.count,
    of.path, of.callers, stages_ps, of.latency_ps)
  if of.left == 0 then return sum end
  return sum .. string.format("; the last %d of each %s are not simulated: they are like %d of " ..
                              "the ones before", of.left, of.callers, of.like)
end

-- The stages' numbers, sorted from the largest value down, ties in the order of stages.
local function ranked(numbers)
  local order = {}
  for i in ipairs(numbers) do order[i] = i end
  table.sort(order, function(a, b)
    if numbers[a] ~= numbers[b] then return numbers[a] > numbers[b] end
    return a < b
  end)
  return order
end

-- Sentences, one on each line, about the stages that take longest.
local function why_text(of)
  local means_ps, lines = {}, {}
  for i, stage in ipairs(of.stages) do means_ps[i] = stage.mean_ps end
  for _, i in ipairs(table.move(ranked(means_ps), 1, MOST_REASONS, 1, {})) do
    local stage = of.stages[i]
    if stage.mean_ps > 0 then
      lines[#lines + 1] = string.format("%s, %.1f %%: %s.\n", stage.name,
                                        100 * stage.mean_ps / of.latency.mean_ps,
                                        reason_text(stage, of.design) or stage.description)
    end
  end
  return table.concat(lines)
end

-- ", that of place 0: 12.345678 us": the mean of an application's first place, whose time workloads measure.
local function first_place(of)
  local first = of.places[1]
  if not first then return "" end
  return ", that of " .. of.callers .. " 0: " .. mean_text(first.latency_ps, first.count) .. " us"
end

-- How often command processors found their lines in the L2; "" if the server runs on none, or they made no accesses.
local function cache_text(run)
  local sums, design = { l2_hits_cp = 0, l2_misses_cp = 0 }, run.chosen.design
  if not (design and has_trait(design, "on_cp")) then return "" end
  for _, line in ipairs(text.split(run.stats or "", "\n")) do
    local name, value = line:match("^[^\t]*\t([^\t]*)\t[^\t]*\t[^\t]*\t[^\t]*\t([^\t]*)$") -- path, name, unit, description, field, value
    if sums[name] then sums[name] = sums[name] + core.number(value) end
  end
  local accesses = sums.l2_hits_cp + sums.l2_misses_cp
  if accesses == 0 then return "" end
  local rate = sums.l2_hits_cp / accesses
  return string.format("%sommand processors found their lines in the GPU's L2 in %.1f %% of %.0f accesses.\n",
                       rate < THRASHES_BELOW and "Cache thrash: c" or "C", 100 * rate, accesses)
end

-- That the workload's time is a mean over runs in two groups, of which one run is explained.
local function groups_text(run)
  local groups = run.groups
  if not groups then return "" end
  return string.format("One run is explained; over all phases of the polling loops runs fall into two groups: %s %s (%.0f %%) or %s (%.0f %%).\n",
                       run.mean, terminal.quantity(groups.lower), 100 * groups.share, terminal.quantity(groups.upper),
                       100 - 100 * groups.share)
end

local function shown(table) return terminal.whole(table)[1] .. "\n" end

local function point_text(run)
  local of, path, others, parts = run.chosen, critical_path(run), others_text(run), {}
  local function add(...) parts[#parts + 1] = table.concat({ ... }) end
  add(run.name, "\n\n", shown(stages_table(of)), shown(components_table(of)), sum_text(of), "\n")
  if run.measured then add("The workload's ", run.measured, first_place(of), "\n", groups_text(run)) end
  if others then add("Measured as well (--of): ", others, "\n") end
  add("\n", why_text(of), cache_text(run), ports.sentence(run.stats), "\n")
  if path then
    add("The critical path of these iterations, through peers, NICs and servers:\n\n",
        shown(stages_table(path)), sum_text(path), "\n\n", why_text(path), "\n")
  end
  return table.concat(parts)
end

-- An application's iterations by place, or by their number.
local function by_text(run, by)
  local of = of_path(run, "iterations")
  if not of then
    error { sentence = "--by " .. by .. ": at " .. run.name .. " no application runs that has iterations" }
  end
  if by == "place" then return shown(parts_table(of, of.places, "place", "iterations")) end
  return shown(parts_table(of, of.iterations, "iteration", "places"))
end

-- --- two points ----------------------------------------------------------------------------------

-- "queue (gpu, host)" for each axis in which their designs differ.
local function differing_axes(a, b)
  local axes = {}
  for i, axis in ipairs(a.of.design and b.of.design and a.of.design.axes or {}) do
    local other = b.of.design.axes[i]
    if axis.value ~= other.value then
      axes[#axes + 1] = { name = axis.name,
                          text = axis.name .. " (" .. axis.value .. ", " .. other.value .. ")" }
    end
  end
  return axes
end

local function list_of(start, texts)
  return #texts > 0 and start .. table.concat(texts, ", ") .. ".\n" or ""
end

local function whole_text(a, b)
  local a_us, b_us = a.of.latency.mean_ps / 1e6, b.of.latency.mean_ps / 1e6
  local whole = string.format("%s takes %.6f us, %s %.6f us: ", a.name, a_us, b.name, b_us)
  if a_us == b_us then return whole .. "the same.\n" end
  return whole .. string.format("%.6f us %s, %.2f times as long.\n", math.abs(b_us - a_us),
                                b_us > a_us and "more" or "less", b_us / a_us)
end

-- The differing axes that act on the stage. If only one axis differs, it causes all differences.
local function causes_text(stage, axes)
  local texts = {}
  for _, axis in ipairs(axes) do
    if #axes == 1 or acts_on(axis.name, stage) then texts[#texts + 1] = axis.text end
  end
  return #texts > 0 and "    by " .. table.concat(texts, ", ") .. "\n" or ""
end

local function stage_text(i, axes, a, b)
  local stage = a.of.stages[i]
  local a_us, b_us = stage.mean_ps / 1e6, b.of.stages[i].mean_ps / 1e6
  local all_us = (b.of.latency.mean_ps - a.of.latency.mean_ps) / 1e6
  local parts = { string.format("%s: %.6f us %s %s (%.6f us, then %.6f us", stage.name,
                                math.abs(b_us - a_us), b_us > a_us and "more" or "less",
                                stage.description, a_us, b_us) }
  local function add(part) parts[#parts + 1] = part end
  local function add_reason(reason, of)
    if reason and of.of.stages_ps[i] > 0 then add("    " .. of.name .. ": " .. reason .. ".\n") end
  end
  if all_us ~= 0 then
    add(string.format("; %.0f %% of the difference", 100 * (b_us - a_us) / all_us))
  end
  add(").\n")
  add(causes_text(stage, axes))
  local one, other = reason_text(stage, a.of.design), reason_text(stage, b.of.design)
  add_reason(one, a)
  if one ~= other or a.of.stages_ps[i] == 0 then add_reason(other, b) end
  return table.concat(parts)
end

-- What makes two points ({ name, of }) differ, in sentences, one a line: in all, by design and machine (a text for each
-- parameter), and stage by stage from the greatest difference down.
local function difference_text(a, b, machines)
  local axes, names, changes_ps = differing_axes(a, b), {}, {}
  for i, axis in ipairs(axes) do names[i] = axis.text end
  for i, stage in ipairs(a.of.stages) do
    changes_ps[i] = math.abs(b.of.stages[i].mean_ps - stage.mean_ps)
  end
  local parts = { whole_text(a, b), list_of("Their designs differ in ", names),
                  list_of("Their machines differ in ", machines) }
  for _, i in ipairs(ranked(changes_ps)) do
    if changes_ps[i] > 0 then parts[#parts + 1] = stage_text(i, axes, a, b) end
  end
  return table.concat(parts)
end

local function pair_text(a, b, machines)
  local function differ(one, other)
    return difference_text({ name = a.name, of = one }, { name = b.name, of = other }, machines)
  end
  local one, other = critical_path(a), critical_path(b)
  return differ(a.chosen, b.chosen) ..
         (one and other and "\nAlong the critical paths:\n" .. differ(one, other) or "")
end

-- --- bars ----------------------------------------------------------------------------------------

-- A row for each point: its name, then the mean of each stage that any of them uses ("posted_us").
local function bar_table(runs)
  local names, used, rows = { "point" }, {}, {}
  for i, stage in ipairs(runs[1].chosen.stages) do
    for _, run in ipairs(runs) do
      if run.chosen.stages_ps[i] > 0 and used[#used] ~= i then used[#used + 1] = i end
    end
    if used[#used] == i then names[#names + 1] = stage.name .. "_us" end
  end
  for k, run in ipairs(runs) do
    rows[k] = { run.name }
    for _, i in ipairs(used) do
      table.insert(rows[k], string.format("%.6f", run.chosen.stages[i].mean_ps / 1e6))
    end
  end
  local bars = terminal.of_texts(names, rows, 2, #names)
  bars.columns[1].is_axis = true
  for k, i in ipairs(used) do
    local column = bars.columns[k + 1]
    column.key, column.kind, column.unit = runs[1].chosen.stages[i].name, "quantity", "time"
  end
  return bars
end

-- The axes of a point's name, "design dgpu, bytes 8B", with their values.
local function axes_of(name)
  local axes = {}
  for axis, value in (", " .. name):gsub(", ([%w_]+) ", "\n%1\t"):gmatch("\n([^\t]*)\t([^\n]*)") do
    axes[#axes + 1] = { axis = axis, value = value }
  end
  return axes
end

-- Names each bar by the values that distinguish its point from the others: "dGPU, 8 B".
local function name_bars(bars)
  local label, axes, values = require "label", {}, {}
  for k, row in ipairs(bars.rows) do
    axes[k] = axes_of(row[1])
    for _, one in ipairs(axes[k]) do
      values[one.axis] = values[one.axis] or {}
      values[one.axis][one.value] = true
    end
  end
  for k, row in ipairs(bars.rows) do
    local words = {}
    for _, one in ipairs(axes[k]) do
      if next(values[one.axis], next(values[one.axis])) or #bars.rows == 1 then
        words[#words + 1] = label.value_of({ key = one.axis, kind = "text" }, one.value)
      end
    end
    row[1] = #words > 0 and table.concat(words, ", ") or row[1]
  end
end

local function drawn(bars, title)
  local figure, stages = require "figure", {} -- loaded here, since most explanations draw nothing
  for i = 2, #bars.columns do stages[i - 1] = bars.columns[i].key end
  name_bars(bars)
  return figure.of_table(bars, { x = "point", y = table.concat(stages, ","), style = "stack", title = title,
                                 x_label = "", y_label = "Time of an operation" })
end

-- --- the whole -----------------------------------------------------------------------------------

-- Reads the observations of a run; an error if the run failed.
function explain.read(run)
  if run.fault then error(run.fault, 0) end
  run.observed = load(run.observed)()
end

-- Raises an error if the run has no observations of what is asked for.
function explain.check(run, asked) choose(run, asked.of) end

-- Prints the explanation of each run, and of the difference of two if `asked.machines` says in which parameters their
-- machines differ. `asked` has perhaps the path `of` and `by`, the figure's title, and whether it draws. Returns nothing
-- more that is to be shown, the stages as CSV and as JSON, and a figure's scripts.
function explain.answer(runs, asked)
  for _, run in ipairs(runs) do choose(run, asked.of) end
  for _, run in ipairs(runs) do
    core.print(point_text(run))
    if asked.by then core.print(by_text(run, asked.by)) end
  end
  if asked.machines then core.print(pair_text(runs[1], runs[2], asked.machines)) end
  local bars = bar_table(runs)
  local texts = { "", export.csv(bars), export.json(bars) }
  if asked.draws then table.move({ drawn(bars, asked.title) }, 1, 3, 4, texts) end
  return texts
end

return explain

-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim export program: writes a GOAL schedule as a study whose parties (work-groups or ranks) do one thing after the
-- other, so that designs whose transfers a GPU starts can run it, too.
--
-- Each rank takes its operations in the order of one run of all of them, with rough times for messages. So a rank only waits
-- for messages that come earlier in that order, and there is no deadlock.
local heap = require "heap"
local schedule = {}

-- The time of a message in the rough run, which only determines the order of events.
local MESSAGE_NS, BYTES_PER_NS = 2000, 20

local function fail(...) error({ sentence = string.format(...) }, 0) end

-- --- the schedule, as goal_writer.c writes it ----------------------------------------------------

local function new_op(rank, kind, size, rest)
  local op = { rank = rank, kind = kind, size = math.tointeger(tonumber(size)), deps = {}, starts = {}, waiters = {}, missing = 0, ready_ns = 0 }
  if kind == "calc" then return op end
  local peer, tag = rest:match("^b %a+ (%-?%d+) tag (%-?%d+)")
  op.peer, op.tag = tonumber(peer), tonumber(tag)
  if op.peer < 0 or op.tag < 0 then fail("a program's messages have one sender and one tag, and rank %d receives any", rank.number) end
  if op.peer == rank.number then fail("a program's parties send to others, and rank %d sends to itself", rank.number) end
  return op
end

local function read_line(rank, line)
  local kind, size, rest = line:match("^l%d+: (%a+) (%d+)(.*)$")
  if kind then
    rank.ops[#rank.ops + 1] = new_op(rank, kind, size, rest)
    return
  end
  local waiter, how, on = line:match("^l(%d+) (i?)requires l(%d+)$")
  waiter, on = rank.ops[tonumber(waiter)], rank.ops[tonumber(on)]
  waiter.missing = waiter.missing + 1
  local waiters = how == "" and on.waiters or on.starts
  waiters[#waiters + 1] = waiter
  if how == "" then waiter.deps[#waiter.deps + 1] = on end
end

local function read(text)
  local ranks, rank = {}, nil
  for line in text:gmatch("[^\n]+") do
    local number = line:match("^rank (%d+)")
    if number then
      rank = { number = tonumber(number), ops = {}, steps = {}, sends = {} }
      ranks[rank.number] = rank
    elseif line:match("^l") then
      read_line(rank, line)
    end
  end
  return ranks
end

-- Pairs sends with receives: those of a pair of ranks and a tag match in order.
local function pair_messages(ranks)
  local waiting = {}
  for number = 0, #ranks do
    for _, op in ipairs(ranks[number].ops) do
      if op.kind ~= "calc" then
        local from, to = number, op.peer
        if op.kind == "recv" then from, to = to, from end
        local key = string.format("%d %d %d", from, to, op.tag)
        local flow = waiting[key] or { send = {}, recv = {} }
        waiting[key] = flow
        table.insert(flow[op.kind], op)
        local send, receive = flow.send[#flow[op.kind]], flow.recv[#flow[op.kind]]
        if send and receive then send.other, receive.other = receive, send end
      end
    end
  end
end

-- --- a run ---------------------------------------------------------------------------------------

local function is_before(one, other) return one.at_ns < other.at_ns or (one.at_ns == other.at_ns and one.number < other.number) end

-- Adds a rank's next step, by its letter in the study; messages get their numbers when all steps are known.
local function put(op, letter) table.insert(op.rank.steps, { letter = letter, op = op }) end

-- Adds waits for the messages that the operation depends on: received ones once; sent ones if the study is asked to wait for
-- sends.
local function wait_for_deps(op)
  for _, on in ipairs(op.deps) do
    if on.kind ~= "calc" and not on.is_waited then
      on.is_waited = true
      put(on, on.kind == "recv" and "w" or "v")
    end
  end
end

local function schedule_event(of, op, at_ns, does)
  of.count = of.count + 1
  heap.push(of.events, { at_ns = at_ns, number = of.count, op = op, does = does }, is_before)
end

local finish

-- Counts one dependency less for each waiting operation.
local function release(of, waiters, at_ns)
  for _, waiter in ipairs(waiters) do
    waiter.missing, waiter.ready_ns = waiter.missing - 1, math.max(waiter.ready_ns, at_ns)
    if waiter.missing == 0 then schedule_event(of, waiter, waiter.ready_ns, of.start) end
  end
end

-- Sends a message, which its receiver has after a while if it has begun to receive.
local function send(of, op, at_ns)
  local sends = op.rank.sends
  sends[op.peer] = sends[op.peer] or {}
  table.insert(sends[op.peer], op.other)
  put(op, "s")
  op.other.come_ns = at_ns + MESSAGE_NS + op.size // BYTES_PER_NS
  if op.other.is_begun then schedule_event(of, op.other, op.other.come_ns, finish) end
  schedule_event(of, op, at_ns, finish)
end

-- Starts an operation whose dependencies are done.
local function start(of, op, at_ns)
  wait_for_deps(op)
  if op.kind == "send" then
    send(of, op, at_ns)
  elseif op.kind == "recv" then
    op.is_begun = true
    put(op, "r")
    if op.come_ns then schedule_event(of, op, math.max(at_ns, op.come_ns), finish) end
  else
    if op.size > 0 then put(op, "c") end
    schedule_event(of, op, at_ns + op.size, finish)
  end
  release(of, op.starts, at_ns)
end

finish = function(of, op, at_ns)
  of.left = of.left - 1
  release(of, op.waiters, at_ns)
end

local function run(ranks)
  local of = { events = {}, count = 0, left = 0, start = start }
  for number = 0, #ranks do
    for _, op in ipairs(ranks[number].ops) do
      of.left = of.left + 1
      if op.missing == 0 then schedule_event(of, op, 0, start) end
    end
  end
  while #of.events > 0 do
    local event = heap.pop(of.events, is_before)
    event.does(of, event.op, event.at_ns)
  end
  if of.left > 0 then fail("%d operations of the schedule wait for ever", of.left) end
end

-- --- the study -----------------------------------------------------------------------------------

-- The rank's text. Receives of a pair are begun in the order of its sends: those of earlier ones with this one.
local function text_of(ranks, rank)
  local texts, messages, begun = {}, 0, {}
  local function begin(op, letter)
    messages = messages + 1
    op.message = messages
    texts[#texts + 1] = string.format('"%s", %d, %d', letter, op.peer, op.kind == "recv" and op.other.size or op.size)
  end
  for _, step in ipairs(rank.steps) do
    local op = step.op
    if step.letter == "c" then texts[#texts + 1] = '"c", ' .. op.size end
    if step.letter == "w" or step.letter == "v" then texts[#texts + 1] = string.format('"%s", %d', step.letter, op.message) end
    if step.letter == "s" then begin(op, "s") end
    while step.letter == "r" and not op.message do
      begun[op.peer] = (begun[op.peer] or 0) + 1
      begin(ranks[op.peer].sends[rank.number][begun[op.peer]], "r")
    end
  end
  return table.concat(texts, ", ")
end

local STUDY = [[
-- %s as a program: each rank does one thing after the other. gpunetsim export program wrote this file.
--   gpunetsim run FILE.lua -s study.design=gpu-verbs -s study.machine=h200_cluster -s study.nodes=1 -s study.gpus_per_node=8
-- c: computes so many ns. s, r: begins a message to or from a rank, of so many bytes. w: waits for the rank's message of
-- that number; v: likewise, if sends are waited for (-s study.sends=waited).
-- The machine and the design are these, whatever the messages were recorded with; -s sets others, as above.
local set = settings { machine = require "configs.summit", design = "openmpi-d", nodes = %d, gpus_per_node = %d, sends = "posted" }
local ranks = {
%s
}

local function play(me, data)
  local steps, messages, i = ranks[me.rank] or {}, {}, 1
  while steps[i] do
    local letter, first, bytes = steps[i], steps[i + 1], steps[i + 2]
    i = i + ((letter == "s" or letter == "r") and 3 or 2)
    if letter == "c" then
      me:compute(first .. "ns")
    elseif letter == "s" then
      messages[#messages + 1] = me:send { to = first, buffer = data, bytes = bytes .. "B" }
    elseif letter == "r" then
      messages[#messages + 1] = me:receive { from = first, buffer = data, bytes = bytes .. "B" }
    elseif letter == "w" or set.sends == "waited" then
      me:wait(messages[first])
      messages[first] = false
    end
  end
  for _, message in ipairs(messages) do
    if message then me:wait(message) end
  end
end

return study {
  title = %s,
  machine = set.machine { nodes = set.nodes },
  vary = { design = { set.design } },
  run = function(p)
    local w = program { design = p.design, nodes = set.nodes, gpus_per_node = set.gpus_per_node, channels = true }
    local data = w:buffer("%dB")
    w:parties { program = function(me)
      local start = me:now()
      play(me, data)
      me:record("rank", me:now() - start)
    end }
    local r = w:run()
    return { makespan = r.rank_max or r.rank }
  end,
}
]]

local MOST_GPUS = 6 -- GPUs of a node of the machine with which the study begins

local function largest(ranks)
  local most = 1
  for number = 0, #ranks do
    for _, op in ipairs(ranks[number].ops) do
      if op.kind ~= "calc" then most = math.max(most, op.size) end
    end
  end
  return most
end

-- The study of a schedule's text; `source` is what it was made from. Its ranks are on so many `nodes`; nil: on as few as there may be. `point`: the
-- name of the study's point of which it is; nil: of none.
function schedule.program(text, source, nodes, point)
  local ranks = read(text)
  pair_messages(ranks)
  run(ranks)
  local lines, count = {}, #ranks + 1
  for number = 0, #ranks do lines[number + 1] = string.format("  [%d] = { %s },", number, text_of(ranks, ranks[number])) end
  local gpus = math.min((count + (nodes or 1) - 1) // (nodes or 1), MOST_GPUS)
  source = source:gsub("%c", "?") -- it is shown in a comment of one line
  local origin = point and source .. ", " .. point:gsub("%c", "?") or source
  return { string.format(STUDY, origin, (count + gpus - 1) // gpus, gpus, table.concat(lines, "\n"), core.quoted(source), largest(ranks)) }
end

return schedule

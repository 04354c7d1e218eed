-- SPDX-License-Identifier: BSD-3-Clause
-- A listener for `gpunetsim export`: records the calls of a run's parties as GOAL. Ranks of a runtime are ranks; work-groups
-- of a GPU are CPU streams of its rank.
--
-- A party does one thing after the other: a call depends on the start of the last send or receive, and on everything that
-- the party has waited for. What takes time between two calls is a calculation; what takes time in them belongs to the
-- design, which adds it again when the schedule runs. No program receives puts and the requests of gets: they are received
-- in order on a CPU stream of their own.
local recorded = {}

-- Kinds of calls, by their numbers (core/observe.h).
local OPEN, BEGIN, END, WORK, NOTICE, SEND, RECEIVE, WAIT = 1, 2, 3, 4, 5, 6, 7, 8
local PUT, GET, QUIET, ARRIVE, MEET, WORDS, BESIDE, BESIDE_OVER = 9, 10, 11, 12, 13, 14, 15, 16

local BESIDE_STREAM = 2 -- the CPU stream of what goes on beside a rank; 1 would be launched kernels (goal --placement both)
local REQUEST_BYTES = 8
local MOST_TAGS, PS_PER_NS = 65536, 1000

local runs, run = {}, nil -- the runs in which parties began, one for each simulation; and the present one

local function new_run(gpus, is_kernel)
  run = { gpus = gpus, is_kernel = is_kernel, parties = {}, ranks = {}, flows = {}, keys = {}, tags = {}, end_ps = 0 }
  runs[#runs + 1] = run
end

local function refuse(why) run.refused = run.refused or why end

-- --- operations of a rank ------------------------------------------------------------------------

-- Adds an operation. `after` has the numbers of the operations on whose ends it depends; negative ones on whose starts.
-- Returns its number.
local function add(rank, op, after)
  rank.count = rank.count + 1
  rank.ops[rank.count], op.after = op, after
  return rank.count
end

-- The flow between two parties on a channel, whose sends and receives match in order.
local function flow_of(from, to, channel)
  local key = string.format("%d %d %d", from.number, to.number, channel)
  local flow = run.flows[key]
  if flow then return flow end
  local pair = from.rank.number << 32 | to.rank.number
  local tag = run.tags[pair] or 0
  if tag >= MOST_TAGS then refuse(string.format("ranks %d and %d have more than %d channels", from.rank.number, to.rank.number, MOST_TAGS)) end
  flow, run.tags[pair] = { from = from, to = to, tag = tag, sends = {}, receives = {} }, tag + 1
  run.flows[key], run.keys[#run.keys + 1] = flow, key
  return flow
end

local function add_message(party, kind, flow, bytes, after, stream)
  local op = { kind = kind, size = bytes, peer = (kind == "send" and flow.to or flow.from).rank, tag = flow.tag, cpu = stream or party.stream }
  local list = kind == "send" and flow.sends or flow.receives
  list[#list + 1] = op
  return add(party.rank, op, after)
end

-- --- a party's course ----------------------------------------------------------------------------

-- Adds a calculation of whole nanoseconds; the remainder counts for the party's next one.
local function add_calc(party, ps, stream, after)
  local ns = (ps + party.rest_ps) // PS_PER_NS
  party.rest_ps = (ps + party.rest_ps) % PS_PER_NS
  return ns > 0 and add(party.rank, { kind = "calc", size = ns, cpu = stream }, after) or nil
end

local function work_until(party, ps)
  local label = ps > party.last_ps and add_calc(party, ps - party.last_ps, party.stream, party.after)
  if label then party.after = { label } end
end

local function wait_for(party, label)
  party.rank.ops[label].is_waited = true
  local after = table.move(party.after, 1, #party.after, 1, {})
  after[#after + 1], party.after = label, after
end

local function wait_for_handle(party, handle)
  local label = party.under_way[handle]
  party.under_way[handle] = nil
  if label then wait_for(party, label) end
end

-- Begins an operation that a wait for `handle`, or a quiet, will wait for.
local function begin(party, label, handle)
  party.after = { -label }
  if handle then party.under_way[handle] = label else party.posted[#party.posted + 1] = label end
end

-- Adds the peer's side of an operation in which the peer's program has no part.
local function add_aside(party, kind, flow, bytes)
  local aside = party.aside
  local label = add_message(party, kind, flow, bytes, aside, party.stream + party.groups - party.group)
  party.aside = { kind == "send" and -label or label }
end

local calls = {}

calls[SEND] = function(party, peer, channel, bytes, handle)
  begin(party, add_message(party, "send", flow_of(party, peer, channel), bytes, party.after), handle)
end

calls[RECEIVE] = function(party, peer, channel, bytes, handle)
  begin(party, add_message(party, "recv", flow_of(peer, party, channel), bytes, party.after), handle)
end

calls[WAIT] = function(party, _, _, _, handle) wait_for_handle(party, handle) end

calls[PUT] = function(party, peer, _, bytes, handle)
  local flow = flow_of(party, peer, -1)
  begin(party, add_message(party, "send", flow, bytes, party.after), handle)
  add_aside(peer, "recv", flow, bytes)
end

calls[GET] = function(party, peer, _, bytes, handle)
  local request, answer = flow_of(party, peer, -2), flow_of(peer, party, -3)
  local asked = add_message(party, "send", request, REQUEST_BYTES, party.after)
  begin(party, add_message(party, "recv", answer, bytes, { -asked }), handle)
  add_aside(peer, "recv", request, REQUEST_BYTES)
  add_aside(peer, "send", answer, bytes)
end

calls[QUIET] = function(party)
  for _, label in ipairs(party.posted) do wait_for(party, label) end
  party.posted = {}
end

-- A barrier of all parties of a place.
calls[ARRIVE] = function(party)
  local number = party.met + 1
  local meeting = party.rank.meetings[number] or {}
  party.rank.meetings[number] = meeting
  for _, label in ipairs(party.after) do meeting[#meeting + 1] = label end
end

calls[MEET] = function(party)
  party.met = party.met + 1
  party.after = party.rank.meetings[party.met]
end

calls[WORDS] = function() refuse "its work-groups load, store or change words, which are no messages" end

calls[BESIDE] = function(party, _, _, _, handle, ps) party.beside[handle] = { since_ps = ps, after = party.after } end

-- Work beside the party, whose parts follow one another.
calls[BESIDE_OVER] = function(party, _, _, _, handle, ps)
  local beside = party.beside[handle]
  party.beside[handle] = nil
  local since_ps, after = math.max(beside.since_ps, party.beside_ps), table.move(beside.after, 1, #beside.after, 1, {})
  after[#after + 1], party.beside_ps = party.beside_label, ps
  local label = add_calc(party, math.max(0, ps - since_ps), BESIDE_STREAM, after)
  if label then
    party.beside_label = label
    wait_for(party, label)
  end
end

local function nothing() end
calls[END], calls[WORK] = nothing, nothing
-- Work on a message depends on that message alone; operations that the party begins then depend on everything done before.
calls[NOTICE] = function(party, _, _, _, handle)
  local label = handle and party.under_way[handle]
  if not label then return end
  party.under_way[handle] = nil
  party.rank.ops[label].is_waited = true
  for _, on in ipairs(party.after) do party.apart[#party.apart + 1] = on end
  party.after = { label }
end

local function join(party)
  if #party.apart == 0 then return end
  for _, on in ipairs(party.after) do party.apart[#party.apart + 1] = on end
  party.after, party.apart = party.apart, {}
end

-- Whether the time before a call was spent in calls or waiting, and so is no calculation of the party.
local function is_waited(party, kind, handle)
  return kind == NOTICE or kind == MEET or kind == BESIDE_OVER and party.beside[handle]
end

local function begin_party(number, node, gpu, groups)
  if run.parties[number] then return refuse "several jobs run at the same time, and a schedule is of one" end
  local rank_number = number // groups
  local rank = run.ranks[rank_number] or { number = rank_number, node = node, gpu = gpu, ops = {}, count = 0, meetings = {} }
  run.ranks[rank_number] = rank
  run.parties[number] = { number = number, rank = rank, stream = number % groups, group = number % groups, groups = groups, after = {},
                          last_ps = 0, rest_ps = 0, under_way = {}, posted = {}, met = 0, beside = {}, beside_ps = 0, aside = {}, apart = {} }
end

-- --- what is heard -------------------------------------------------------------------------------

function recorded.call(kind, actor, peer, channel, bytes, from_ps, to_ps, handle, is_in_gpu)
  if kind == OPEN then
    if not run or run.has_called then new_run(bytes, channel == 1) end
    return
  end
  if kind == BEGIN then return begin_party(actor, peer, channel, bytes) end
  run.has_called = true
  if run.refused then return end
  if handle == 0 then handle = nil end
  if kind == SEND and is_in_gpu == 1 then run.memory = "gpu" end
  local party = run.parties[actor]
  if kind == BESIDE_OVER and not party.beside[handle] then kind = WORK end
  if not is_waited(party, kind, handle) then work_until(party, from_ps) end
  if kind ~= NOTICE and kind ~= WORK then join(party) end
  calls[kind](party, run.parties[peer], channel, bytes, handle, to_ps)
  party.last_ps, run.end_ps = to_ps, math.max(run.end_ps, to_ps)
end

function recorded.counted_on(...)
  local left = select(-2, ...)
  if run and left > 0 then run.left = math.max(run.left or 0, left) end
end

function recorded.stages() end
function recorded.design() end
function recorded.reset() end
function recorded.begin() run = nil end

-- --- the schedule --------------------------------------------------------------------------------

-- Pairs sends with receives. A receive gets the size of its message; messages that no program receives are received aside.
local function pair_messages()
  for _, key in ipairs(run.keys) do
    local flow = run.flows[key]
    for i, send in ipairs(flow.sends) do
      if flow.receives[i] then flow.receives[i].size = send.size else add_aside(flow.to, "recv", flow, send.size) end
    end
    for i = #flow.sends + 1, #flow.receives do
      local receive = flow.receives[i]
      if receive.is_waited then refuse "a party waits for what no message brings" end
      receive.kind, receive.size = "calc", 0 -- it was posted for a message that would have come later
    end
  end
end

-- Numbers the ranks. If each GPU has one rank, ranks keep the GPUs' places, and unused GPUs of the nodes have ranks that do
-- nothing. nil: no placement gives these GPUs.
local function number_ranks()
  if run.is_kernel then return nil end
  local by_gpu, per_node, most = {}, {}, 0
  for number = 0, #run.ranks do
    local rank = run.ranks[number]
    per_node[rank.node] = (per_node[rank.node] or 0) + 1
    most = math.max(most, per_node[rank.node])
    by_gpu[rank.node * run.gpus + rank.gpu] = rank
  end
  local is_even = true
  for number = 0, #run.ranks do
    local rank = run.ranks[number]
    is_even = is_even and rank.node == number // most and rank.gpu == number % most * run.gpus // most
  end
  local memory = "both,memory=" .. (run.memory or "host")
  if is_even then return string.format("%s,ranks_per_node=%d", memory, most) end
  local numbered, last = {}, 0
  for place, rank in pairs(by_gpu) do
    if numbered[rank] then return nil end
    numbered[rank], last = place, math.max(last, place)
  end
  for number = 0, #run.ranks do
    if not numbered[run.ranks[number]] then return nil end
    run.ranks[number].number = numbered[run.ranks[number]]
  end
  run.count = last + 1
  return memory
end

local function op_text(op)
  if op.kind == "calc" then return string.format("calc %d cpu %d", op.size, op.cpu) end
  return string.format("%s %db %s %d tag %d cpu %d", op.kind, op.size, op.kind == "send" and "to" or "from", op.peer.number, op.tag, op.cpu)
end

local function rank_text(rank)
  local lines = { string.format("rank %d {", rank.number) }
  for label, op in ipairs(rank.ops) do
    local seen = {}
    lines[#lines + 1] = string.format("l%d: %s", label, op_text(op))
    for _, on in ipairs(op.after) do
      if not seen[on] then lines[#lines + 1] = string.format("l%d %s l%d", label, on < 0 and "irequires" or "requires", math.abs(on)) end
      seen[on] = true
    end
  end
  return table.concat(lines, "\n") .. "\n}"
end

local function totals()
  local messages, bytes = 0, 0
  for _, key in ipairs(run.keys) do
    for _, send in ipairs(run.flows[key].sends) do messages, bytes = messages + 1, bytes + send.size end
  end
  return messages, bytes
end

local function value_of()
  if not run.refused then pair_messages() end
  if not run.refused and #run.keys == 0 then refuse "its parties send nothing to each other" end
  if run.refused then return string.format("{ refused = %q }", run.refused) end
  local placement, ranks = number_ranks(), {}
  for number = 0, #run.ranks do ranks[number + 1] = rank_text(run.ranks[number]) end
  local messages, bytes = totals()
  local nodes = 0
  for number = 0, #run.ranks do nodes = math.max(nodes, run.ranks[number].node + 1) end
  return string.format("{ placement = %s, ranks = %d, nodes = %d, is_kernel = %s, messages = %d, bytes = %d, end_ps = %d, left = %d, goal = %q }",
                       placement and core.quoted(placement) or "nil", run.count or #ranks, nodes, run.is_kernel, messages, bytes, run.end_ps,
                       run.left or 0, string.format("num_ranks %d\n%s\n", run.count or #ranks, table.concat(ranks, "\n")))
end

-- The schedules of all simulations, as the text of a Lua table.
function recorded.result()
  local values = {}
  for i, one in ipairs(runs) do
    run = one
    values[i] = value_of()
  end
  return "return { " .. table.concat(values, ", ") .. " }"
end

return recorded

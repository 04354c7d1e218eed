-- SPDX-License-Identifier: BSD-3-Clause
-- Dispatch and combine of a mixture of experts: each GPU sends each of its tokens to the experts that its router chose,
-- on whatever GPUs these are, and gets their answers back. Packed, all tokens for a GPU go in one message; else each
-- goes in one of its own. What DeepEP, pplx-kernels and NVSHMEM's users build GPU-initiated networking for.
-- `work_groups` work-groups, each with a queue of its own, share out what is sent: packed, the GPUs that it goes to; else the
-- tokens, each of which is posted by the work-group that has it. With posting = last they meet, and one posts all. A rank
-- sends all in any case. GPUs of a node whose memory work-groups reach by their own stores (peer = work_group) get their tokens
-- from several work-groups each, if there are more work-groups than such GPUs: a range of the tokens from each, as the channels
-- of DeepEP divide them (csrc/kernels/intranode.cu, get_channel_task_range).
-- With telling_groups experts are told how many tokens come, even if none does, as pplx-kernels does it: a signal for each
-- expert from each GPU, 256 of a GPU whatever its tokens (csrc/all_to_all/internode_dispatch.cu; combine: internode_combine.cu).
-- The expert of choice k of token t of GPU p is drawn by the seed, all experts equally likely, `top_k` different ones. An
-- expert that is on the sender's own GPU takes no message.
local p = workload {
  description = "Tokens go to their experts on other GPUs, and the answers back.",
  { "places", "shared", "nodes=2" },
  { "tokens", "count", "16", "1", "65536", "Tokens of a GPU; the seed draws to which experts each goes, so trials differ by more than the spread over phases." },
  { "top_k", "count", "8", "1", "64", "Experts to which each token goes." },
  { "experts", "count", "256", "1", "65536", "Experts, divided equally among all GPUs." },
  { "token", "bytes", "1KiB", "1B", "1MiB", "Bytes of a token on its way to an expert." },
  { "combine", "bytes", "2KiB", "1B", "1MiB", "Bytes of an expert's answer." },
  { "packing", { "packed", "token" }, "packed", "All tokens for a GPU in one message, or one message for each token. Where work-groups store into other GPUs themselves (peer = work_group), packed tokens for a GPU of the same node are divided among work-groups, a message from each." },
  { "posting", { "each", "last", "choice" }, "each", "Every work-group posts its own tokens as soon as it has them; or the last work-group that is ready posts all, as if a proxy must be told how many there are; or work-groups divide the tokens' choices of experts, as if the warps of a block post one choice each." },
  { "phase", { "dispatch", "both" }, "both", "What is measured: dispatch, or dispatch and combine." },
  { "work_groups", "count", "8", "1", "256", "Work-groups of a kernel that send and receive." },
  { "telling_groups", "count", "0", "0", "256", "This many work-groups first tell every expert, by a signal of its own, how many tokens to expect, and the other work-groups post the tokens (if all tell, all post). Receivers wait for these signals first. Combine begins with a signal to each GPU. 0: no signals; receivers know the numbers." },
  { "threads", "shared", "threads=256" },
  { "repeats", "shared", "repeats=4" },
  { "warmup", "shared", "warmup=1" },
  { "copies", "flag", "false", "Work-groups copy what they send into the buffer that the NIC has registered. When all that is sent to a GPU has arrived, its work-groups copy it out in equal parts (gpu.copy_rate), as pplx-kernels does." },
  { "timed_by", { "kernel", "events" }, "kernel", "The time of a phase is measured by its work-groups, or by two events of a stream around a kernel, which include its launch and end (cuda.timed_kernel)." },
  { "check", { "false", "true", "lost_token", "wrong_expert" }, "false", "Carry the tokens' data and compare with a plain loop. Other values carry wrong data, to test the check: a token that is not sent on, or a token that goes to another GPU's expert." },
  rules = {
    { "combine", "phase", "|both|" },
  },
}

local MOST_CHECKED = 1024 -- tokens times choices
local MOST_CHOICES = 1 << 28 -- of all GPUs
local SIGNAL_BYTES = 8
local DISPATCH, COMBINE = 0, 1 -- the phases, also the channels of their messages
local BUFFER, TOLD, READY = 1, 1, 2 -- the buffer; signals: how many tokens will come; a GPU has begun to combine

local tokens, top_k, experts = p.tokens, p.top_k, p.experts
local node_of, places = run.places(p.nodes, p.gpus_per_node)
local is_packed, is_checked, is_kernel = p.packing == "packed", p.check ~= "false", run.axis "initiator" ~= "host"
local is_copied, is_last, has_answers = p.copies, p.posting == "last", p.phase == "both"

if top_k > experts then
  run.refuse(("a token cannot go to %d different experts of %d"):format(top_k, experts))
elseif p.telling_groups > 0 and not is_kernel then
  run.refuse "telling_groups are work-groups of a kernel; a rank's messages say themselves what comes"
elseif p.copies and not is_kernel then
  run.refuse "copies are made by work-groups of a kernel; a rank's messages go from where data lie"
elseif is_checked and (p.phase ~= "both" or p.warmup + p.repeats ~= 1 or tokens * top_k > MOST_CHECKED) then
  run.refuse(("check = true takes phase = both, repeats = 1, warmup = 0, and at most %d tokens times choices"):format(MOST_CHECKED))
elseif tokens * top_k * places > MOST_CHOICES then
  run.refuse(("more than %d choices in all"):format(MOST_CHOICES))
end
if p.timed_by == "events" then
  run.check_events()
end

-- --- who sends to whom ---

local groups = is_kernel and p.work_groups or 1 -- parties of a place
local tellers = math.min(p.telling_groups, groups)

local function first_expert(place)
  return (place * experts + places - 1) // places
end

local function experts_of(place)
  return first_expert(place + 1) - first_expert(place)
end

-- The words of a place, divided equally among its parties, whichever kind these are.
local most_experts = 0
for place = 0, places - 1 do
  most_experts = math.max(most_experts, experts_of(place))
end
local told_each = (most_experts * places + groups - 1) // groups
local ready_each = (places + groups - 1) // groups

-- The number of the party on `from` that sends a choice of `token` to `to`; the party of the same number there takes it.
local first_poster = tellers < groups and tellers or 0
local posters = groups - first_poster
-- How many work-groups divide the packed tokens for another GPU of the node.
local per_node = p.gpus_per_node
local parts = is_packed and not is_last and is_kernel and run.axis "peer" == "work_group"
  and math.min(posters // math.max(per_node - 1, 1), tokens) or 1
local function is_divided(from, to)
  return parts > 1 and node_of[from] == node_of[to]
end

local group_of
if is_last then
  function group_of() return first_poster end
elseif is_packed then
  function group_of(from, to, token)
    if is_divided(from, to) then
      return first_poster + ((to - from - 1) % per_node * parts + token * parts // tokens) % posters
    end
    return first_poster + (from + to) % posters
  end
elseif p.posting == "choice" then
  function group_of(_, _, token, choice) return first_poster + (token * top_k + choice) % posters end
else
  function group_of(_, _, token) return first_poster + token % posters end
end

-- By GPU: choices of its tokens, by `to * groups + group`; how many of them each of its parties copies; how many come from
-- others. By party: how many messages it has under way. By GPU and token, if data are checked: where the token's choices go.
local flows, copied, came, under_way, choices = {}, {}, {}, {}, {}
for place = 0, places - 1 do
  flows[place], copied[place], came[place], under_way[place], choices[place] = {}, {}, 0, {}, {}
end

-- A token that is not packed is copied once by each party that sends it.
local function count_copies(from, token, places_of)
  local copies, has_sent = copied[from], {}
  for k = 1, top_k do
    local to = places_of[k]
    local group = group_of(from, to, token, k - 1)
    if to ~= from then
      came[to] = came[to] + 1
      copies[group] = (copies[group] or 0) + ((is_packed or not has_sent[group]) and 1 or 0)
      has_sent[group] = true
    end
  end
end

-- Draws the different experts of each token, and counts the choices by target. Where one party sends everything that goes to
-- a GPU, that party is found afterwards.
local rng = run.rng "moe.router"
local is_of_one = is_packed and parts == 1 or is_last
local function choose(from, token, places_of)
  local flow = flows[from]
  rng:different(top_k, experts, places_of)
  for k = 1, top_k do
    local to = places_of[k] * places // experts
    local key = is_of_one and to or to * groups + group_of(from, to, token, k - 1)
    flow[key] = (flow[key] or 0) + 1
    places_of[k] = to
  end
end

local function add_parties(from)
  local flow = {}
  for to, count in pairs(flows[from]) do
    flow[to * groups + group_of(from, to)] = count
  end
  flows[from] = flow
end

local places_of = {} -- the places of the present token's choices
for from = 0, places - 1 do
  for token = 0, tokens - 1 do
    choose(from, token, places_of)
    if is_copied then
      count_copies(from, token, places_of)
    end
    if is_checked then
      choices[from][token], places_of = places_of, {}
    end
  end
  if is_of_one then
    add_parties(from)
  end
end

local longest = 1 -- message, in tokens
local function count_messages(from, to, group, tokens_there)
  local count = is_packed and 1 or tokens_there
  longest = math.max(longest, is_packed and tokens_there or 1)
  for _, place in ipairs { from, to } do
    under_way[place][group] = (under_way[place][group] or 0) + count
  end
end
for from = 0, places - 1 do
  for key, count in pairs(flows[from]) do
    if key // groups ~= from then
      count_messages(from, key // groups, key % groups, count)
    end
  end
end

local function choices_between(from, to, group)
  return flows[from][to * groups + group] or 0
end

-- The GPUs to which a party sends, and from which it gets, in dispatch, each followed by the number of choices. They begin at
-- the party's own number, so that not all send to the same GPU first. Made for all parties at once, so that it takes a step for
-- each flow, not for each pair of GPUs.
local sends, gets = {}, {} -- by party: place * groups + group
for party = 0, places * groups - 1 do
  sends[party], gets[party] = {}, {}
end

-- Moves what comes before `place` behind the rest.
local function begin_behind(others, place)
  local turned = {}
  for _, is_before in ipairs { false, true } do
    for i = 1, #others, 2 do
      if (others[i] < place) == is_before then
        turned[#turned + 1], turned[#turned + 2] = others[i], others[i + 1]
      end
    end
  end
  return turned
end

for from = 0, places - 1 do
  local keys = {}
  for key in pairs(flows[from]) do
    keys[#keys + 1] = key
  end
  table.sort(keys)
  for _, key in ipairs(keys) do
    local to, group, count = key // groups, key % groups, flows[from][key]
    if to ~= from then
      local sent, got = sends[from * groups + group], gets[key]
      sent[#sent + 1], sent[#sent + 2] = to, count
      got[#got + 1], got[#got + 2] = from, count
    end
  end
end

local each = math.max(p.token, p.combine)
run.world {
  application = true,
  groups = groups,
  threads = p.threads,
  served_places = places,
  cooperative = true,
  channels = true,
  barrier = true,
  buffers = { (tellers > 0 and math.max(each, SIGNAL_BYTES) or each) * longest },
  signals = tellers > 0 and { told_each, ready_each } or nil,
}
if p.copies then
  run.uses("gpu", "copy_rate")
end

local repeats = run.units() -- of one party
local since, first, last, messages = nil, 0, 0, 0 -- of place 0
local dispatches = {} -- by counted repeat: the time until the last party of place 0 has its tokens

-- --- data, if they are checked ---

local flows, sums = require("benchmarks.parts.carried").new "GPU", {} -- messages on their way; sums of answers by place and token

local function value_of(place, token)
  return place * 1000 + token + 1
end

-- The answer of a GPU's expert to a token's value.
local function answer_of(place, value)
  return value * (place + 2)
end

-- Calls `with` for the tokens that the parties of number `group` carry from `from` to `to`, in order.
local function each_token(from, to, group, with)
  for token = 0, tokens - 1 do
    for k, place in ipairs(choices[from][token]) do
      if place == to and group_of(from, to, token, k - 1) == group then
        with(token)
      end
    end
  end
end

local function send_data(from, to, group, phase, values)
  local is_fault = phase == DISPATCH and from == 0 and to == 1
  if is_fault and p.check == "wrong_expert" then
    to = 2 % places
  elseif is_fault and p.check == "lost_token" then
    table.remove(values)
  end
  if #values > 0 then
    flows:give(values, from, to, group, phase)
  end
end

-- `count` values, or none.
local function take_data(from, to, group, phase, count)
  local values = count > 0 and flows:take(from, to, group, phase)
  if count > 0 and (not values or #values ~= count) then
    flows:note_wrong("tokens were not sent", to)
    return {}
  end
  return values or {}
end

local function send_tokens(from, to, group)
  local values = {}
  each_token(from, to, group, function(token)
    values[#values + 1] = value_of(from, token)
  end)
  send_data(from, to, group, DISPATCH, values)
end

local function send_answers(from, to, group)
  local values = take_data(to, from, group, DISPATCH, choices_between(to, from, group))
  for i, value in ipairs(values) do
    values[i] = answer_of(from, value)
  end
  send_data(from, to, group, COMBINE, values)
end

local function add_answer(place, token, answer)
  local key = place * tokens + token
  sums[key] = (sums[key] or 0) + answer
end

-- Adds up the answers of `from`.
local function take_answers(from, to, group)
  local values, count = take_data(from, to, group, COMBINE, choices_between(to, from, group)), 0
  each_token(to, from, group, function(token)
    count = count + 1
    add_answer(to, token, values[count] or 0)
  end)
end

-- Answers of experts on the token's own GPU.
local function answer_at_home(place)
  for group = 0, groups - 1 do
    each_token(place, place, group, function(token)
      add_answer(place, token, answer_of(place, value_of(place, token)))
    end)
  end
end

local function compare()
  for place = 0, places - 1 do
    for token = 0, tokens - 1 do
      local sum = 0
      for _, expert in ipairs(choices[place][token]) do
        sum = sum + answer_of(expert, value_of(place, token))
      end
      if sums[place * tokens + token] ~= sum then
        flows:note_wrong("a token's answers differ from a plain loop's", place)
      end
    end
  end
  flows:finish()
end

-- --- counts that receivers are told before tokens come ---

-- A teller tells the experts on other GPUs, one by one, how many tokens they get; a party waits for its part of the words
-- that its GPU gets. `epoch`: the number of the dispatch, from 1 on.
local function tell(me, place, group, epoch)
  for expert = group, experts - 1, tellers do
    local owner = expert * places // experts
    local word = (expert - first_expert(owner)) * places + place
    if owner ~= place then
      me:set_signal(owner, word // told_each, TOLD, word % told_each, epoch)
    end
  end
end

local function wait_until_told(me, place, group, epoch)
  local words = experts_of(place) * places
  for i = 0, told_each - 1 do
    local word = group * told_each + i
    local from, expert = word % places, first_expert(place) + word // places
    if word < words and from ~= place then
      me:wait_until(from, expert % tellers, BUFFER, SIGNAL_BYTES, TOLD, i, epoch)
    end
  end
end

-- Tells each GPU that this one has begun to combine, and waits until all have.
local function announce(me, place, group, epoch)
  for to = group, places - 1, groups do
    if to ~= place then
      me:set_signal(to, place // ready_each, READY, place % ready_each, epoch)
    end
  end
end

local function wait_for_all(me, place, group, epoch)
  for i = 0, ready_each - 1 do
    local from = group * ready_each + i
    if from < places and from ~= place then
      me:wait_until(from, place % groups, BUFFER, SIGNAL_BYTES, READY, i, epoch)
    end
  end
end

-- --- a party ---

local token_bytes, answer_bytes = p.token, p.combine

-- Posts all messages of a flow in one direction; `peer` and counts are as in dispatch.
local function post(me, operate, peer, group, count, phase)
  local bytes = phase == DISPATCH and token_bytes or answer_bytes
  if is_packed then
    operate(me, peer, group, BUFFER, bytes * count, phase)
    return 1
  end
  for _ = 1, count do
    operate(me, peer, group, BUFFER, bytes, phase)
  end
  return count
end

local function send(me, place, to, group, choices_of, phase)
  local count = post(me, me.send, to, group, choices_of, phase)
  messages = messages + (place == 0 and count or 0)
end

-- By node: the latency of a GPU's first load, and the rate at which a work-group copies.
local loads, rates = {}, {}
if is_copied then
  for node = 0, p.nodes - 1 do
    local clock, cycles = run.first("gpu", "clock", node), run.first("gpu", "l2_latency_cycles", node)
    loads[node] = (cycles * 1000000000000 + clock - 1) // clock + run.first("gpu", "memory_latency", node)
    rates[node] = run.first("gpu", "copy_rate", node)
  end
end

-- Copies tokens one after the other, behind the latency of the first load.
local function copy(me, place, count, bytes)
  local node = node_of[place]
  if count > 0 then
    me:compute(loads[node] + run.transfer_time(count * bytes, rates[node]))
  end
end

local function copies_sent(place, group)
  return copied[place][group] or 0
end

-- The part of its GPU's incoming tokens that a party copies.
local function copies_received(place)
  return (came[place] + groups - 1) // groups
end

-- Copies received tokens out, once all parties have met, so that none is still being written.
local function copy_out(me, place, count, bytes)
  me:group_barrier()
  copy(me, place, count, bytes)
end

local function dispatch(me, place, group, to_whom, from_whom, epoch)
  if group < tellers then
    tell(me, place, group, epoch)
  end
  if is_copied then
    copy(me, place, copies_sent(place, group), p.token)
  end
  for i = 1, #from_whom, 2 do
    post(me, me.receive, from_whom[i], group, from_whom[i + 1], DISPATCH)
  end
  for i = 1, #to_whom, 2 do
    local other = to_whom[i]
    send(me, place, other, group, to_whom[i + 1], DISPATCH)
    if is_checked then
      send_tokens(place, other, group)
    end
  end
  if tellers > 0 then
    me:group_barrier()
    wait_until_told(me, place, group, epoch)
  end
  me:wait_received()
  if is_copied then
    copy_out(me, place, copies_received(place), p.token)
  end
end

-- Combine: sends each answer to where the token came from.
local function combine(me, place, group, to_whom, from_whom, epoch)
  if tellers > 0 then
    announce(me, place, group, epoch)
  end
  if is_copied then
    copy(me, place, copies_received(place), p.combine)
  end
  for i = 1, #to_whom, 2 do
    post(me, me.receive, to_whom[i], group, to_whom[i + 1], COMBINE)
  end
  for i = 1, #from_whom, 2 do
    local other = from_whom[i]
    send(me, place, other, group, from_whom[i + 1], COMBINE)
    if is_checked then
      send_answers(place, other, group)
    end
  end
  me:wait_received()
  if tellers > 0 then
    wait_for_all(me, place, group, epoch)
  end
  if is_copied then
    copy_out(me, place, copies_sent(place, group), p.combine)
  end
  for i = 1, is_checked and #to_whom or 0, 2 do
    take_answers(to_whom[i], place, group)
  end
end

-- Waits until all parties of the GPU are ready, where one posts for all.
local function meet(me)
  if is_last then
    me:group_barrier()
  end
end

local function once(me, place, group, to_whom, from_whom, turn)
  local begun, counted = me:now(), turn - p.warmup
  meet(me)
  dispatch(me, place, group, to_whom, from_whom, turn)
  if place == 0 and counted > 0 then
    dispatches[counted] = math.max(dispatches[counted] or 0, me:now() - begun)
  end
  if has_answers then
    meet(me)
    combine(me, place, group, to_whom, from_whom, turn)
  end
end

-- The measured part begins; what was observed of a warm-up is forgotten.
local measure_from = p.warmup > 0 and run.reset or run.measure_from

-- Notes a repeat's time, kept by the first party of place 0.
local function note_repeat(me, is_first)
  local now = me:now()
  if is_first then
    first, messages = now, 0
    measure_from(now)
  end
  if since then
    repeats:add(now - since)
  end
  since = now
end

run.parties(function(me, place, group)
  local is_timed = place == 0 and group == 0
  local party = place * groups + group
  local to_whom, from_whom = begin_behind(sends[party], place), begin_behind(gets[party], place)
  me:messages(under_way[place][group] or 0)
  for turn = 1, p.warmup + p.repeats do
    me:begin_repeat(true) -- each repeat is a kernel: no work-group begins one before all have ended the last one
    if group == 0 and turn > p.warmup + 1 then
      me:end_iteration()
    end
    if group == 0 and turn > p.warmup then
      me:begin_iteration()
    end
    if is_timed and turn > p.warmup then
      note_repeat(me, turn == p.warmup + 1)
    end
    once(me, place, group, to_whom, from_whom, turn)
    if group == 0 and is_checked then
      answer_at_home(place)
    end
  end
  me:barrier_all()
  if is_timed then
    note_repeat(me, false)
    run.measure_to(since)
  end
  if place == 0 then
    last = math.max(last, me:now())
  end
  me:end_last()
end)

if is_checked then
  compare()
end
if flows.wrong then
  run.refuse(flows.wrong)
end
local events = p.timed_by == "events" and run.seen_by_events() or 0
local dispatch_ps, units = events, run.units()
for _, time in ipairs(dispatches) do
  dispatch_ps = dispatch_ps + time // p.repeats
  units:add(time)
end
run.time("duration", (last - first) // p.repeats + (p.phase == "both" and 2 or 1) * events, repeats)
run.time("dispatch", dispatch_ps, units)
run.count("messages", messages // p.repeats)
run.report(p.repeats)

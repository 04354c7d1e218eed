-- SPDX-License-Identifier: BSD-3-Clause
-- Allreduce: every place gets the sum of all places' buffers. ComPNet18 section 5.4, Figs 10 and 11 (M-085, M-086).
--
--   ring      reduce-scatter and allgather around a ring: N - 1 steps each, with an N-th of the buffer. In a kernel there are
--             several rings, one for each work-group: work-group i receives from work-group i of the previous place and
--             sends its slice to that of the next place, in chunks. Ranks have one ring of whole blocks (me:ring).
--   hierarchical  the same within each node, and between nodes
--   doubling  recursive doubling with the whole buffer: few steps, for small buffers. Places beyond the power of two send
--             their data before, and get the result afterwards (Thakur et al., IJHPCA 2005).
--   tree      two trees, each with half of the buffer, in chunks up and back (benchmarks/parts/trees.lua)
--   one_shot, two_shot  every GPU puts its buffer, or parts of it, to all others of its node; ..._get: it reads theirs. They
--             are kernels of TensorRT-LLM (customAllReduceKernels.cu) and vLLM (custom_all_reduce.cuh).
--   auto      the fastest algorithm that the machine and the design can run: each is tried once, rings until their steps are
--             steady
local p = workload {
  description = "Every place gets the sum of all places' buffers.",
  settles = true,
  { "places", "shared", "" },
  { "bytes", "bytes", "64MiB", "4B", "16GiB", "Size of each GPU's buffer, of numbers of 4 B." },
  { "algorithm", { "auto", "ring", "hierarchical", "doubling", "tree", "one_shot", "two_shot", "one_shot_get", "two_shot_get" }, "auto", "ring: through all GPUs; hierarchical: rings within nodes, and between nodes for each part; doubling: few steps with all of the buffer; tree: two trees, each with half; one_shot: each GPU of a node puts all it has to every other, two_shot: parts, then sums of parts; one_shot_get, two_shot_get: the others read it; auto: the fastest on this machine, by a short trial of each that it can do." },
  { "rings", "shared", "rings=8" },
  { "chunk", "shared", "chunk=64KiB" },
  { "threads", "shared", "threads=256" },
  { "memory", { "design", "host", "copied" }, "design", "Where ranks' buffers lie: where the design has them; in host memory; or in GPU memory, copied once to the host before the allreduce and back after it, as MPI libraries do with small buffers, and as CPUs do that reduce what GPUs computed." },
  { "repeats", "shared", "repeats=1" },
  { "warmup", "count", "1", "0", "100000", "Warm-up allreduces that are not measured; a barrier follows them." },
  { "tolerance", "shared", "tolerance=0" },
  { "check", { "false", "true", "lost_chunk", "wrong_block" }, "false", "Carry real data and compare the result with a plain sum, for small buffers. Other values carry wrong data, to test the check: a chunk that is not reduced, or a chunk that is mistaken for its neighbour." },
}

local carried = require "benchmarks.parts.carried"
local rings = require "benchmarks.parts.rings"
local trees = require "benchmarks.parts.trees"

local ELEMENT_BYTES, SIGNAL_BYTES = 4, 8
local MOST_CHECKED_BYTES = 16384
local TRIAL_TOLERANCE = 0.02 -- tolerance for a ring's steps in a trial
local WINDOW = 8 -- steps whose means are compared
local ALGORITHMS = { "ring", "hierarchical", "doubling", "tree", "one_shot", "two_shot", "one_shot_get", "two_shot_get" }

local node_of, places = run.places(p.nodes, p.gpus_per_node)
local is_kernel, is_checked, has_fault = run.axis "initiator" ~= "host", p.check ~= "false", p.check ~= "false" and p.check ~= "true"

-- --- what is possible, and the choice of an algorithm ---

local function is_direct(algorithm)
  return algorithm:find "_shot" ~= nil
end

-- Why the machine or the design cannot run the algorithm; nil: they can.
local function refusal(algorithm)
  if algorithm == "hierarchical" and (p.nodes == 1 or p.gpus_per_node == 1) then
    return "takes several nodes with several GPUs each"
  elseif (algorithm == "hierarchical" or algorithm == "tree") and places < p.nodes * p.gpus_per_node then
    return "takes nodes with equally many GPUs"
  elseif is_direct(algorithm) and not (p.nodes == 1 and is_kernel and run.axis "peer" ~= "nic") then
    return "takes GPUs of one node, and a design whose kernels reach their memory (peer)"
  end
  return nil
end

if places < 2 then
  run.refuse "an allreduce of one GPU: it takes two nodes, or two GPUs of one"
elseif is_checked and (p.bytes > MOST_CHECKED_BYTES or p.tolerance ~= 0 or p.warmup + p.repeats ~= 1) then
  run.refuse(("check = true takes at most %d bytes, tolerance = 0, repeats = 1 and warmup = 0"):format(MOST_CHECKED_BYTES))
elseif p.tolerance > 0 and p.repeats > 1 then
  run.refuse "tolerance above 0 takes repeats = 1: the steps of one allreduce are extrapolated"
elseif refusal(p.algorithm) then
  run.refuse(("algorithm = %s %s"):format(p.algorithm, refusal(p.algorithm)))
elseif p.memory ~= "design" and is_kernel then
  run.refuse(("memory = %s is for designs whose processes pass messages"):format(p.memory))
end

-- The fastest algorithm by trials; the first one of several equal ones.
local function fastest()
  local best, least
  for _, tried in ipairs(ALGORITHMS) do
    local took = not refusal(tried) and run.trial {
      algorithm = tried,
      repeats = 1,
      warmup = 0,
      check = "false",
      tolerance = math.max(p.tolerance, TRIAL_TOLERANCE),
    }
    if took and (not least or took < least) then
      best, least = tried, took
    end
  end
  return best
end

local algorithm = p.algorithm == "auto" and fastest() or p.algorithm
run.settle("algorithm", algorithm)

-- --- the plan ---

local function divided_up(number, parts)
  return math.max((number + parts - 1) // parts, 1)
end

local is_ring = algorithm == "ring" or algorithm == "hierarchical"
local elements = divided_up(p.bytes, ELEMENT_BYTES)
local is_divided = is_kernel and algorithm ~= "doubling"
local groups = is_divided and math.min(p.rings, math.max(elements // places, 1)) or 1 -- a ring has an element of each place's block
local slice = divided_up(elements, groups) -- elements of a work-group
local most = is_kernel and divided_up(p.chunk, ELEMENT_BYTES) or 0 -- elements of a message; 0: any

local plan, longest, steps = nil, slice, {} -- elements of the longest message; steps of each phase of a ring
if is_ring then
  plan = {
    places = places,
    gpus = p.gpus_per_node,
    nodes = p.nodes > 1 and rings.nodes(node_of, places) or nil,
    rotates = is_kernel,
    hierarchical = algorithm == "hierarchical",
    elements = elements,
    slice = slice,
    chunk = most,
  }
  local phases = rings.phases(plan, 0, 0)
  longest = phases[1].chunk
  for number, phase in ipairs(phases) do
    steps[number] = phase.members - 1
  end
elseif algorithm == "tree" and most > 0 then
  longest = math.min(most, slice)
end

-- Whether ranks' messages use the design's own memory; with a CPU's design that holds for `copied`, too.
local is_of_cpu = not is_kernel and run.axis "node" == "discrete" and run.axis "heap" == "host"
local is_in_place = p.memory == "design" or is_of_cpu

-- The part of its place's elements that a work-group reduces.
local function slice_of(group)
  local first = math.min(group * slice, elements)
  return first, math.min(slice, elements - first)
end

-- Direct algorithms have a slot for each place, and two sets of flags, which are used in turn, since no place can be ahead by two:
-- flags before gets or after the first exchange, after the second exchange, at the end.
local FIRST, SECOND, LAST, MEETINGS = 0, 1, 2, 3
local FLAGS, LINES = 1, -1 -- signals, and the buffer of their lines

local slots = {}
for place = 1, is_direct(algorithm) and places or 1 do
  slots[place] = longest * ELEMENT_BYTES
end
run.world {
  application = true,
  groups = groups,
  threads = p.threads,
  served_places = places,
  cooperative = true,
  channels = true,
  barrier = p.warmup > 0,
  buffers = slots,
  host_buffer = not is_in_place and 1 or 0,
  signals = is_direct(algorithm) and { 2 * MEETINGS * places } or nil,
}

local stops = {} -- for the steps of each phase
for phase, count in ipairs(steps) do
  stops[phase] = run.steady { steps = count, window = WINDOW, tolerance = run.is_interrupted() and 0 or p.tolerance }
end

-- --- data, if they are checked ---

local data, flows = {}, carried.new "place" -- elements by place; messages on their way

local function give_data(from, to, group, first, count)
  if is_checked then
    flows:give(table.move(data[from], first, first + count - 1, 1, { n = count }), from, to, group)
  end
end

-- The oldest message that was not taken; nil, and a note of the fault, if it is missing or of another length.
local function take_message(from, to, group, count, fault)
  local message = flows:take(from, to, group)
  if not message or message.n ~= count then
    flows:note_wrong(fault, to)
    return nil
  end
  return message
end

-- Adds a message to the elements from `first` on, or replaces them by it.
local function add_data(place, first, message, reduces)
  local own = data[place]
  for i = 1, message and message.n or 0 do
    own[first + i - 1] = message[i] + (reduces and own[first + i - 1] or 0)
  end
end

local function take_data(from, to, group, first, count, reduces)
  if is_checked then
    add_data(to, first, take_message(from, to, group, count, "a part was not sent"), reduces)
  end
end

for place = 0, is_checked and places - 1 or -1 do
  data[place] = {}
  for i = 0, elements - 1 do
    data[place][i] = (place + 1.0) * (i % 97 + 1)
  end
end

-- Compares the results with sums of whole numbers, which are exact in any order.
local function compare()
  for place = 0, places - 1 do
    for i = 0, elements - 1 do
      if data[place][i] ~= places * (places + 1) // 2 * (i % 97 + 1) then
        flows:note_wrong("an element differs from a plain sum", place)
      end
    end
  end
  flows:finish()
end

-- Bytes that a wavefront which adds up has under way, of so many arrays that it loads or stores. Work-groups that reach other GPUs'
-- memory by themselves move 16 B of each array a lane at a time, unrolled as their copies are (probe/allreduce.cu, float4; NCCL,
-- src/device/common_kernel.h, packs of 16 B). 0: what the machine's kernels have (gpu.wave_in_flight).
local LANE_BYTES = 16
local function in_flight(arrays)
  if not is_kernel or run.axis "peer" ~= "work_group" then return 0 end
  return run.value("gpu", "lanes") * LANE_BYTES * run.axis "copy_unroll" * arrays
end

-- --- rings ---

-- Carries out the party's ring; with `counts` its steps end when they are steady.
local function go_around(me, place, group, counts)
  local function sent(to, first, count)
    give_data(place, to, group, first, count)
  end
  local function received(from, first, count, reduces, step)
    local message = take_message(from, place, group, count, "a chunk was not sent")
    local is_fault = has_fault and place == 1 and group == 0 and reduces and step == 0
    if is_fault and p.check == "lost_chunk" then
      return
    elseif is_fault then
      first = first > 0 and first - 1 or first + 1
    end
    add_data(place, first, message, reduces)
  end
  local phases = rings.phases(plan, place, group)
  me:ring(phases, most > 0, 2 * p.bytes, in_flight(3), counts and stops or nil, is_checked and sent or nil, is_checked and received or nil)
end

-- --- messages of trees and of doubling ---

local function begin_send(me, place, to, group, first, count, bytes)
  me:send(to, group, 1, bytes, 0)
  give_data(place, to, group, first, count)
end

-- What a loop takes that adds up two buffers of so many bytes: two loads and a store.
local function add_up(me, bytes)
  if is_in_place then
    me:loop(0, divided_up(bytes, ELEMENT_BYTES), 1, 3 * ELEMENT_BYTES, 2 * p.bytes, 1, in_flight(3))
    me:finish(0)
  end
end

local function take(me, place, from, group, reduces, first, count, bytes)
  if reduces then
    add_up(me, bytes)
  end
  take_data(from, place, group, first, count, reduces)
end

local function get_from(me, place, from, group, reduces, first, count, bytes)
  me:receive(from, group, 1, bytes, 0)
  me:wait()
  take(me, place, from, group, reduces, first, count, bytes)
end

local function give_to(me, place, to, group, first, count, bytes)
  begin_send(me, place, to, group, first, count, bytes)
  me:wait_received()
end

-- --- doubling ---

local power = 1 -- the largest power of two among the places
while power * 2 <= places do
  power = power * 2
end

local function double(me, place, group)
  local bytes = p.bytes
  if place >= power then
    give_to(me, place, place - power, group, 0, elements, bytes)
    get_from(me, place, place - power, group, false, 0, elements, bytes)
    return
  end
  if place + power < places then
    get_from(me, place, place + power, group, true, 0, elements, bytes)
  end
  local step = 1
  while step < power do
    local peer = place ~ step
    if not has_fault or step * 2 < power then
      me:receive(peer, group, 1, bytes, 0)
      begin_send(me, place, peer, group, 0, elements, bytes)
      me:wait_received()
      take(me, place, peer, group, true, 0, elements, bytes)
    end
    step = step * 2
  end
  if place + power < places then
    give_to(me, place, place + power, group, 0, elements, bytes)
  end
end

-- --- trees ---

-- Moves one chunk up or down a tree, in which the party's part begins at `way.first`.
local function move_chunk(me, place, group, way, chunk, is_up)
  local from = chunk * longest
  local first, count = way.first + from, math.min(longest, way.count - from)
  local bytes = count * ELEMENT_BYTES
  if count <= 0 then
    return
  end
  if not is_up and way.at.up then
    get_from(me, place, way.at.up, group, false, first, count, bytes)
  end
  for _, below in ipairs(way.at) do
    if is_up then
      get_from(me, place, below, group, not has_fault or way.at.up ~= nil, first, count, bytes)
    else
      give_to(me, place, below, group, first, count, bytes)
    end
  end
  if is_up and way.at.up then
    give_to(me, place, way.at.up, group, first, count, bytes)
  end
end

-- Work-groups use the trees alternately; a single party sends half of its elements through each.
local function ways_of(place, group)
  local first, count = slice_of(group)
  local ways, used = {}, groups > 1 and 1 or trees.COUNT
  local part = (count + used - 1) // used
  for i = 0, used - 1 do
    ways[i] = {
      at = trees.place_of(places, p.gpus_per_node, place, (group + i) % trees.COUNT, group),
      first = first + i * part,
      count = math.min(part, count - i * part),
    }
  end
  return ways, used
end

-- Chunks go up the tree, and come down as many chunks later as the tree has steps, so that both directions are busy.
local function climb(me, place, group)
  local ways, used = ways_of(place, group)
  local chunks = (ways[0].count + longest - 1) // longest
  local behind = math.min(2 * trees.steps(places, p.gpus_per_node), chunks)
  for i = 0, chunks + behind - 1 do
    for way = 0, i < chunks and used - 1 or -1 do
      move_chunk(me, place, group, ways[way], i, true)
    end
    for way = 0, i >= behind and used - 1 or -1 do
      move_chunk(me, place, group, ways[way], i - behind, false)
    end
  end
end

-- --- direct access to the memory of other GPUs ---
--
-- One-shot, every place gets the whole buffer of every other place and adds them up; two-shot, it gets and adds up one part of the
-- buffers, of as many as there are places, and then gets the sums of the other parts. Puts write the data into a slot at each peer,
-- which has one slot for each place; after all puts follows a fence, then a flag to each peer. Gets have flags first, and flags again
-- at the end, since only then may a place change its buffer; only sums of parts have a fence before their flags. A work-group handles
-- one peer after the other; real kernels look at all flags, and load from all peers, at once, and take less time from the third GPU on.

local gets, is_two_shot = algorithm:find "_get$" ~= nil, algorithm:find "^two" ~= nil

-- Calls `with` for each other place, beginning behind the party's own.
local function each_peer(place, with)
  for step = 1, places - 1 do
    with((place + step) % places)
  end
end

-- Signals every peer that the party has arrived, and waits until all have.
local function meet(me, place, group, meeting, turn)
  local first = (turn % 2 * MEETINGS + meeting) * places
  each_peer(place, function(peer)
    me:set_signal(peer, group, FLAGS, first + place, turn)
  end)
  each_peer(place, function(peer)
    me:wait_until(peer, group, LINES, SIGNAL_BYTES, FLAGS, first + peer, turn)
  end)
end

-- The elements of `count` that go from one place to another: in an exchange of all, of parts (`scatters`), or of sums of parts
-- (`gathers`).
local function part_of(exchange, from, to, count)
  if exchange == "all" then
    return 0, count
  end
  local block = (count + places - 1) // places
  local first = math.min((exchange == "scatters" and to or from) * block, count)
  return first, math.min(block, count - first)
end

local function carry_out(me, place, group, exchange, meeting, turn)
  local own, all = slice_of(group)
  each_peer(place, function(peer)
    local first, count = part_of(exchange, place, peer, all)
    if count > 0 and not gets then
      me:post_put(peer, group, place + 1, count * ELEMENT_BYTES)
    end
    give_data(place, peer, group, own + first, count)
  end)
  if not gets or exchange == "gathers" then
    me:fence()
  end
  meet(me, place, group, meeting, turn)
  if gets then
    each_peer(place, function(peer)
      local _, count = part_of(exchange, peer, place, all)
      if count > 0 then
        me:post_get(peer, group, peer + 1, count * ELEMENT_BYTES)
      end
    end)
    me:quiet()
  end
  each_peer(place, function(peer)
    local first, count = part_of(exchange, peer, place, all)
    if has_fault and peer == (place + 1) % places then
      take_message(peer, place, group, count, "a part was not sent") -- its data are not added
    else
      take_data(peer, place, group, own + first, count, exchange ~= "gathers")
    end
  end)
  local _, count = part_of(exchange, place, place, all)
  if exchange ~= "gathers" and count > 0 then -- adds one load for each place
    me:loop(0, count, places - 1, (places + 1) * ELEMENT_BYTES, (places + 1) * p.bytes, 1, in_flight(places + 1))
    me:finish(0)
  end
end

local function reach_across(me, place, group, turn)
  local _, count = slice_of(group)
  if count == 0 then
    return
  end
  carry_out(me, place, group, is_two_shot and "scatters" or "all", FIRST, turn)
  if is_two_shot then
    carry_out(me, place, group, "gathers", SECOND, turn)
  end
  if gets then
    meet(me, place, group, LAST, turn)
  end
end

-- --- the run ---

local repeats = run.units() -- of one party
local since, first -- of the first party of place 0
local ends, ended = {}, 0 -- of places; parties of place 0 that have ended

local function reduce(me, place, group, turn)
  if is_ring then
    go_around(me, place, group, p.tolerance > 0 and turn > p.warmup)
  elseif algorithm == "tree" then
    climb(me, place, group)
  elseif algorithm == "doubling" then
    double(me, place, group)
  else
    reach_across(me, place, group, turn)
  end
end

local function note_repeat(me)
  local now = me:now()
  if since then
    repeats:add(now - since)
  end
  since = now
end

-- The measured part begins; what was observed of a warm-up is forgotten.
local measure_from = p.warmup > 0 and run.reset or run.measure_from

run.parties(function(me, place, group)
  local is_timed = place == 0 and group == 0
  me:messages(2)
  for turn = 1, p.warmup + p.repeats do
    if turn == p.warmup + 1 and turn > 1 then -- else data from a place ahead would cost no time
      me:barrier_all()
    end
    if is_timed and turn == p.warmup + 1 then
      first = me:now()
      measure_from(first)
    end
    if is_timed and turn > p.warmup then
      note_repeat(me)
    end
    if group == 0 and turn > p.warmup + 1 then
      me:end_iteration()
    end
    if group == 0 and turn > p.warmup then
      me:begin_iteration()
    end
    if p.memory == "copied" then
      me:copy_buffer(p.bytes, true)
    end
    reduce(me, place, group, turn)
    if p.memory == "copied" then
      me:copy_buffer(p.bytes, false)
    end
  end
  if is_timed then
    note_repeat(me)
  end
  ends[place] = math.max(ends[place] or 0, me:now())
  me:end_last()
  ended = ended + (place == 0 and 1 or 0)
  if place == 0 and ended == groups then
    run.measure_to(ends[0])
  end
end)

if is_checked then
  compare()
end
if flows.wrong then
  run.refuse(flows.wrong)
end

-- The end of the first place if all places are alike, else of the last one: nodes may be of several kinds, and a tree's root, which
-- may be the first place, ends half-way.
local last = ends[0]
if algorithm == "tree" or not run.nodes_alike() then
  for place = 1, places - 1 do
    last = math.max(last, ends[place])
  end
end
local simulated, steps_run = last - first, 0
local total = simulated
for phase, count in ipairs(steps) do
  local _, last_step = stops[phase]:steps()
  total = total + stops[phase]:rest()
  steps_run = steps_run + last_step + 1
end
local bound = 2.0 * (places - 1) / places * p.bytes
run.time("duration", total // p.repeats, repeats)
run.rate("bus_bandwidth", math.floor(bound * 1e12 / (math.max(total, 1) / p.repeats)))
run.count("steps_run", steps_run)
run.report(p.repeats / (total / math.max(simulated, 1)))

-- SPDX-License-Identifier: BSD-3-Clause
-- Litmus tests of order between work-groups, NICs and peers: does a design keep what its calls promise?
--
--   message_passing  put data, fence, put flag      |  wait for the flag, load the data: they are there
--   signal           put data with a signal         |  wait for the signal, load the data: they are there
--   peer_read        store data, release, put flag  |  wait for the flag, get the data: the new ones
--   store_buffering  put x to the peer, quiet,      |  put y to the peer, quiet, load x: not both
--                    load y                         |  old
--
-- Each in many rounds, with pauses between the calls drawn by chance, on a network whose packets overtake
-- each other by up to `spread`. What must not be is counted; or the first one ends the run with its trace.
-- A pass proves nothing: rounds are a sample.
local p = workload {
  description = "Litmus tests of order between work-groups, NICs and peers.",
  in_kernel = true,
  { "design", "design", "The design whose order is tested." },
  { "rounds", "count", "50", "1", "100000", "Rounds of each test." },
  { "bytes", "bytes", "64B", "8B", "64B", "Data of a round, up to a cache line; the first word is checked." },
  { "spread", "time", "3us", "0ns", "1ms", "Packets arrive up to this much later than by the shortest path, in addition to the machine's nic.packet_spread." },
  { "work_groups", "count", "2", "1", "64", "Pairs of work-groups that are tested at a time." },
  { "goes_on", "flag", "false", "Count violations and continue; otherwise the first violation ends the run with its trace." },
}

run.world {
  groups = p.work_groups,
  threads = 64,
  in_kernel = true,
  cooperative = true,
  barrier = true,
  signals = { 1, 1, 1 },
  packet_spread = p.spread,
}
local FLAG = 3 -- the flag's signal; signals 1 and 2 are the data that the work-groups of nodes 0 and 1 write on both nodes
local MOST_EVENTS, LONGEST_PAUSE = 16, 500000 -- of a round: the most events; the longest pause between two calls
local pairs_of_groups = {} -- by group: events of its round on both nodes, and what each node loaded
local forbidden, trace = {}, nil -- outcomes by test; events of the first forbidden one

-- --- what a work-group does, and notes ---

local function note(a, what, value)
  local events = a.pair.events
  if #events < MOST_EVENTS then
    events[#events + 1] = { at = a.me:now(), node = a.node, what = what, value = value or a.round }
  end
end

local function rest(a)
  a.me:compute(a.rng:below(LONGEST_PAUSE + 1))
end

local function store_data(a)
  note(a, "stores the data")
  a.me:store(a.node + 1, 0, a.round)
end

local function put_data(a)
  note(a, "puts the data")
  a.me:post_put(a.other, a.group, -(a.node + 1), p.bytes)
end

local function put_flag(a)
  note(a, "puts the flag")
  a.me:put_word(a.other, a.group, FLAG, 0, a.round)
  note(a, "has put the flag")
end

local function wait_for(a, signals)
  a.me:wait_until(a.other, a.group, -1, p.bytes, signals, 0, a.round)
end

local function wait_for_flag(a)
  wait_for(a, FLAG)
  note(a, "sees the flag")
end

-- The other party's data as they are here.
local function load_data(a)
  local word = a.me:load(a.other + 1, 0)
  note(a, "loads the data", word)
  return word
end

-- --- what must not be ---

local function tell(a, test)
  local what = test == "store_buffering" and "both sides load what was there before the other's put"
    or "the flag is seen before its data"
  local lines = { ("design %s breaks %s: %s, in round %d of %d."):format(run.design(), test, what, (a.round - 1) % p.rounds + 1, p.rounds) }
  for _, event in ipairs(a.pair.events) do
    lines[#lines + 1] = ("  %12.3f us  node %d, work-group %d  %s: %d."):format(event.at / 1e6, event.node, a.group, event.what, event.value)
  end
  return table.concat(lines, "\n")
end

local function forbid(a, test)
  forbidden[test] = (forbidden[test] or 0) + 1
  trace = trace or tell(a, test)
end

-- --- the tests ---

local function expect_data(a, test)
  if load_data(a) ~= a.round then
    wait_for(a, a.other + 1)
    note(a, "finds the data at last")
    forbid(a, test)
  end
end

local function message_passing(a)
  if a.node == 1 then
    wait_for_flag(a)
    expect_data(a, "message_passing")
    return
  end
  store_data(a)
  rest(a)
  put_data(a)
  note(a, "fences")
  a.me:fence()
  put_flag(a)
end

local function signal(a)
  if a.node == 1 then
    wait_for_flag(a)
    expect_data(a, "signal")
    return
  end
  store_data(a)
  rest(a)
  note(a, "puts the data with a signal")
  a.me:put_signal(1, a.group, -1, p.bytes, FLAG, 0, a.round)
end

local function peer_read(a)
  if a.node == 0 then
    store_data(a)
    rest(a)
    put_flag(a)
    return
  end
  wait_for_flag(a)
  note(a, "gets the data")
  a.me:get(0, a.group, -1, p.bytes)
  if load_data(a) ~= a.round then
    forbid(a, "peer_read")
  end
end

local function store_buffering(a)
  local seen = a.pair.seen
  store_data(a)
  rest(a)
  put_data(a)
  a.me:quiet()
  note(a, "has been quiet")
  seen[a.node] = load_data(a)
  a.me:barrier()
  if a.node == 0 and seen[0] ~= a.round and seen[1] ~= a.round then
    forbid(a, "store_buffering")
  end
end

-- --- all rounds of all tests, with barriers in between, so that a round leaves nothing behind ---

run.parties(function(me, place, group)
  pairs_of_groups[group] = pairs_of_groups[group] or { events = {}, seen = {} }
  local rng = run.rng(("litmus.node%d.%d"):format(place, group))
  local a = { me = me, node = place, other = 1 - place, group = group, pair = pairs_of_groups[group], rng = rng, round = 0 }
  for _, test in ipairs { message_passing, signal, peer_read, store_buffering } do
    for _ = 1, p.rounds do
      me:barrier()
      if place == 0 then
        a.pair.events = {}
      end
      a.round = a.round + 1
      rest(a)
      test(a)
      me:quiet()
      me:barrier()
    end
  end
end)

for _, test in ipairs { "message_passing", "signal", "peer_read", "store_buffering" } do
  run.count(test, forbidden[test] or 0)
end
run.count("rounds", p.rounds * p.work_groups)
run.observe(1)
if trace and not p.goes_on then
  run.refuse(trace)
end

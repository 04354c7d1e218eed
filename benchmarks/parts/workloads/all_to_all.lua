-- SPDX-License-Identifier: BSD-3-Clause
-- All to all: every party sends `messages` to the party of its number at every other place, and waits for all that
-- it is sent, in rounds. With one message a peer it is a small all-to-all; with many, in many groups, it has the
-- shape of a dispatch of tokens to experts. With sharing = peers the parties of a GPU share out its peers, as the lanes of
-- a block do in NVSHMEM's alltoall (src/include/non_abi/device/coll/alltoall.cuh): each sends to those of other nodes
-- that are its own, and the first party, all of its work-items together, copies to all of its own node.
local p = workload {
  description = "Every party sends to all others and waits for what they send.",
  { "places", "shared", "nodes=16" },
  { "groups", "count", "1", "1", "1024", "Parties of a GPU: work-groups of its kernel, or ranks." },
  { "sharing", { "nothing", "peers" }, "nothing", "Every party sends to the party with its number at every other GPU; or the parties divide the GPUs of other nodes among themselves, and the first party sends to the GPUs of its own node." },
  { "threads", "count", "0", "0", "1024", "Work-items of a work-group; 0: those of one wavefront." },
  { "messages", "count", "1", "1", "4096", "Messages of a party to each peer." },
  { "bytes", "shared", "bytes=64B" },
  { "repeats", "count", "2", "1", "100000", "Measured rounds, after one that is not measured." },
  { "timed_by", { "kernel", "events" }, "kernel", "The time of an exchange is measured by its work-groups, or by two events of a stream around a kernel, which include its launch and end (cuda.timed_kernel)." },
}

local lanes = run.value("gpu", "lanes")
if p.timed_by == "events" then
  run.check_events()
end
local node_of, places = run.places(p.nodes, p.gpus_per_node)
run.world {
  groups = p.groups,
  threads = p.threads > 0 and p.threads or lanes,
  cooperative = true,
  buffers = { p.bytes },
  channels = true,
  barrier = true,
}
local rounds = run.units() -- of one party
local first, last = math.maxinteger, 0 -- beginning and end of the measured rounds, over all parties
local exchanges = {} -- by measured round: the time of the slowest party of place 0

-- Whether the parties of number `group` carry what `from` sends to `to`.
local function is_of_group(from, to, group)
  if p.sharing == "nothing" then
    return true
  end
  local is_near = node_of[from] == node_of[to]
  return (is_near and 0 or (from + to) % p.groups) == group
end

-- One message with every peer of the party. Each party has its own order, so that not all send to the same peer at a time.
local function post(me, place, group, does_send)
  for step = 1, places - 1 do
    local peer = (place + (does_send and step or places - step)) % places
    if is_of_group(place, peer, group) then
      if does_send then
        me:send(peer, group, 1, p.bytes, 0)
      else
        me:receive(peer, group, 1, p.bytes, 0)
      end
    end
  end
end

local function exchange(me, place, group)
  for _, does_send in ipairs { false, true } do
    for _ = 1, p.messages do
      post(me, place, group, does_send)
    end
  end
  me:wait()
end

run.parties(function(me, place, group)
  me:messages(2 * p.messages * (places - 1))
  local is_timed = place == 0 and group == 0
  exchange(me, place, group)
  me:begin_repeat(p.sharing == "peers") -- parties that share out the peers belong to one block
  first = math.min(first, me:now())
  if is_timed then
    run.reset(me:now()) -- what was observed of the first round is forgotten, too
  end
  for i = 1, p.repeats do
    local start = me:now()
    exchange(me, place, group)
    if place == 0 then
      exchanges[i] = math.max(exchanges[i] or 0, me:now() - start)
    end
    me:begin_repeat(p.sharing == "peers")
    if is_timed then
      rounds:add(me:now() - start)
    end
  end
  if is_timed then
    run.measure_to(me:now())
  end
  last = math.max(last, me:now())
end)

local events = p.timed_by == "events" and run.seen_by_events() or 0
local exchange_ps, units = events, run.units()
for _, time in ipairs(exchanges) do
  exchange_ps = exchange_ps + time // p.repeats
  units:add(time)
end
run.time("round", (last - first) // p.repeats + events, rounds)
run.time("exchange", exchange_ps, units)
run.report(p.repeats)

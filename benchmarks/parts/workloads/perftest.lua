-- SPDX-License-Identifier: BSD-3-Clause
-- perftest's measurements between two nodes: RDMA by verbs, by a core that posts and polls.
--
--   latency    write, send: ping-pong, half of a round trip; a write is seen in memory, a send by its completion.
--              read, atomic: from the post to the completion that the core has seen.
--   bandwidth  write, read, send: as many posted as the send queue takes, of which each `cq_mod`-th has a completion;
--              one way, or both at a time.
--
-- The core's time for a post is ucx.post, for taking up what has come ucx.poll: the same calls of verbs stand below
-- UCX. An atomic's word is read, and written behind the answer, by the NIC that has it: it takes what a read of 8
-- bytes takes.
local p = workload {
  description = "RDMA between two nodes, as perftest measures it.",
  { "operation", { "write_lat", "read_lat", "send_lat", "atomic_lat", "write_bw", "read_bw", "send_bw" }, "write_lat", "What is measured: ib_write_lat and so on; an atomic has 8 bytes." },
  { "bytes", "shared", "bytes=8B" },
  { "memory", { "host", "gpu" }, "host", "Memory of the messages, on both nodes." },
  { "inline", "bytes", "220B", "0B", "1KiB", "Writes and sends from host memory up to this size travel inside the command." },
  { "iterations", "shared", "iterations=1000" },
  { "tx_depth", "count", "128", "1", "65536", "Of bandwidths: operations of a node in flight at a time." },
  { "cq_mod", "count", "100", "1", "65536", "Of bandwidths: one in this many operations has a completion; at most tx_depth." },
  { "outstanding_reads", "count", "16", "1", "65536", "Of bandwidths: reads of a queue pair in flight." },
  { "queues", "count", "1", "1", "1024", "Of bandwidths: queue pairs, which take turns." },
  { "both_ways", "flag", "false", "Of bandwidths: both nodes transfer at the same time; their rates add up." },
  rules = {
    { "bytes", "operation", "|write_lat|read_lat|send_lat|write_bw|read_bw|send_bw|" },
    { "inline", "operation", "|write_lat|send_lat|write_bw|send_bw|" },
    { "inline", "memory", "|host|" },
    { "outstanding_reads", "operation", "|read_bw|" },
    { "cq_mod", "operation", "|write_bw|send_bw|" },
  },
}

local WARM_UP = 4 -- iterations of a latency until the next ones are alike
local ATOMIC_BYTES = 8
local verb, what = p.operation:match "^(%a+)_(%a+)$"
local is_latency, is_read, fetches = what == "lat", verb == "read", verb == "read" or verb == "atomic"
local is_on_gpu = p.memory == "gpu"
local bytes = verb == "atomic" and ATOMIC_BYTES or p.bytes
local is_inline = not is_on_gpu and not fetches and p.bytes <= p.inline

local has_own = p.tx_depth ~= 128 or p.cq_mod ~= 100 or p.queues ~= 1 or p.outstanding_reads ~= 16 or p.both_ways
if is_latency and has_own then
  run.refuse "tx_depth, cq_mod, outstanding_reads, queues and both_ways are of bandwidths (write_bw)"
elseif p.operation == "write_lat" and is_on_gpu then
  run.refuse "a write is seen by a core that polls its memory: memory = gpu is for the others"
end
run.must_carry(2.0 * (WARM_UP + p.iterations) * p.bytes)
run.world {}
local sides = { [0] = run.side(0, p.queues), run.side(1, p.queues) }
local starts, ends = {}, {} -- by place

local function post(side, is_signalled, is_polled)
  side:post(bytes, fetches, is_on_gpu, is_inline, is_signalled, is_polled)
end

local function start(side, place)
  starts[place] = side:now()
  if place == 0 then
    run.measure_from(starts[place])
  end
end

local function fetch_in_turn(side, place)
  for i = 0, WARM_UP + p.iterations - 1 do
    if i == WARM_UP then
      start(side, place)
    end
    post(side, true, false)
    side:take_entry()
  end
end

-- Plays one side of the ping-pong; the receive of a send is posted again.
local function play(side, place)
  for i = 0, WARM_UP + p.iterations - 1 do
    if i == WARM_UP then
      start(side, place)
    end
    if place == 1 then
      side:take_arrival(verb == "send")
    end
    post(side, true, true)
    side:take_entry()
    if place == 0 then
      side:take_arrival(verb == "send")
    end
  end
end

-- Posts a stream of operations, with one completion entry for `cq_mod` of them.
local function stream(side)
  local covers = is_read and 1 or math.min(p.cq_mod, p.tx_depth)
  local depth = is_read and math.min(p.tx_depth, p.outstanding_reads * p.queues) or p.tx_depth
  local taken = 0
  for i = 0, p.iterations - 1 do
    while i - taken * covers >= depth do
      taken = side:take_entry()
    end
    post(side, (i + 1) % covers == 0 or i + 1 == p.iterations, false)
  end
  while taken < (p.iterations + covers - 1) // covers do
    taken = side:take_entry()
  end
end

run.parties(function(_, place)
  local side = sides[place]
  start(side, place)
  if is_latency and not fetches then
    play(side, place)
  elseif is_latency and place == 0 then
    fetch_in_turn(side, place)
  elseif not is_latency and (place == 0 or p.both_ways) then
    stream(side)
  end
  ends[place] = side:settle()
  if place == 0 or p.both_ways then
    run.measure_to(ends[place])
  end
end)

if is_latency then
  local ways = p.iterations * (fetches and 1 or 2)
  run.time("latency", (ends[0] - starts[0] + ways // 2) // ways)
  run.report(ways)
  return
end
local bytes_per_ps, messages_per_ps, streams = 0, 0, p.both_ways and 2 or 1
for place = 0, streams - 1 do
  local took = ends[place] - starts[place]
  messages_per_ps = messages_per_ps + p.iterations / took
  bytes_per_ps = bytes_per_ps + (p.iterations + 0.0) * p.bytes / took
end
run.rate("bandwidth", math.floor(bytes_per_ps * 1e12 + 0.5))
run.ratio("messages_per_us", messages_per_ps * 1e6)
run.report(p.iterations * streams)

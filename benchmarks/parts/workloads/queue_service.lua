-- SPDX-License-Identifier: BSD-3-Clause
-- How long work-groups wait for their operations when many of them share a node's service threads:
-- ComPNet18 Figs 4 and 8b, 8c.
--
-- Node 0 runs a kernel of `work_groups` work-groups; each calls `operations` blocking operations on node 1,
-- one after the other, on buffers of its own. The service time is what a work-group sees of one of them.
--
-- With `posts` above 1 the operations do not block: after so many of them the work-group waits for all
-- (quiet). How many are under way then is bounded by the depth of its queue.
local p = workload {
  description = "Service time of many work-groups' operations by a node's service threads.",
  in_kernel = true,
  { "kernel", "shared" },
  { "operation", { "get", "put", "nop" }, "get", "What the work-groups call: a remote get or put, or nop, which goes to the server and back." },
  { "bytes", "shared", "bytes=8B" },
  { "work_groups", "shared", "work_groups=" },
  { "operations", "count", "100", "1", "1000000", "Operations of each work-group." },
  { "warmup", "count", "0", "0", "1000000", "Warm-up operations of each work-group that are not counted." },
  { "streaming", "count", "0", "0", "65536", "Additional work-groups, each of which continuously reads one buffer of 16 MiB and writes another." },
  { "streaming_lines", "count", "16", "1", "4096", "Lines that a wavefront of these work-groups keeps in flight: by default four vector loads of 4 B per work-item, unrolled four times." },
  { "posts", "count", "1", "1", "1000000", "Operations that a work-group posts before it waits: 1 for blocking calls. With more, the latency of gets and puts is that of the wait (quiet); nops are posted together after one fence, and waited for one by one." },
  { "post", { "released", "fenced", "packed", "line" }, "released", "How a work-group posts: the entry, a fence, its status word, a fence; the same without the last fence, the entry by three stores; or with one store, of 16 bytes (nop only) or of the line, without a fence." },
  { "service_time", "time", "0ns", "0ns", "1ms", "Time that a server spends on a nop." },
  { "think_time", "time", "0ns", "0ns", "1ms", "Time of a work-group between two operations, or between two windows of operations." },
  rules = {
    { "bytes", "operation", "|get|put|" },
    { "streaming_lines", "streaming" },
  },
}

local NOPS_MOST = 64 -- nops that are posted together

local is_nop, is_blocking = p.operation == "nop", p.posts == 1
if is_nop and not run.has_server() then
  run.refuse(("operation = nop goes to a server and back; design %s has nobody who polls"):format(run.design()))
elseif not is_nop and (p.post == "packed" or p.service_time > 0) then
  run.refuse "post = packed and service_time are for operation = nop"
elseif p.post ~= "released" and not run.has_server() then
  run.refuse(("post = %s is to a server's queue; the design has no such server"):format(p.post))
end
local most_nops = is_nop and math.min(NOPS_MOST, run.value("software", "queue_entries"))
if is_nop and p.posts > most_nops then
  run.refuse(("%d nops at once do not fit: a queue takes %d"):format(p.posts, most_nops))
end
local method = (is_blocking and "" or "post_") .. p.operation
run.world {
  groups = p.work_groups,
  threads = p.threads,
  served_places = 1,
  streams = p.streaming,
  stream_lines = p.streaming_lines,
  post = ({ released = 0, fenced = 1, packed = 2, line = 3 })[p.post],
  nop = p.service_time,
  in_kernel = true,
  buffers = { p.bytes },
}
local first, last = 0, 0 -- first call, last return
local running, most_running, ended = 0, 0, 0 -- work-groups
local begun, warm = 0, 0 -- work-groups whose warm-up has begun; and those whose warm-up is over

local bytes, posts, think_time = p.bytes, p.posts, p.think_time

local function think(me)
  if think_time > 0 then
    me:compute(think_time)
  end
end

-- Posts windows of nops, each with one release.
local function nop_all(me, operations)
  for left = operations, 1, -posts do
    me:nops(math.min(left, posts))
    think(me)
  end
end

local function operate_all(me, group, operations)
  if is_nop and not is_blocking then
    nop_all(me, operations)
    return
  elseif is_blocking and not is_nop and think_time == 0 then
    me[p.operation .. "_times"](me, 1, group, 1, bytes, operations)
    return
  end
  local operate = me[method] -- a nop takes none of the arguments
  for i = 1, operations do
    operate(me, 1, group, 1, bytes)
    if think_time > 0 then
      think(me)
    end
    if not is_blocking and (i % posts == 0 or i == operations) then
      me:quiet()
    end
  end
end

local function counting_begins(me)
  first = me:now()
  run.measure_from(first)
end

-- Counting begins when the last work-group's warm-up is over. The others go on meanwhile, since a server may prefer some of
-- them, and otherwise only the last one's operations would count. Work-groups that start as others end cannot be waited for.
local function warm_up(me, group)
  begun = begun + 1
  operate_all(me, group, p.warmup)
  warm = warm + 1
  if warm == p.work_groups then
    counting_begins(me)
    run.reset(first)
  end
  while warm < begun do
    operate_all(me, group, p.posts)
  end
end

run.parties(function(me, _, group)
  if p.warmup > 0 then
    warm_up(me, group)
  elseif group == 0 then
    counting_begins(me)
  end
  running = running + 1
  most_running = math.max(most_running, running)
  operate_all(me, group, p.operations)
  running = running - 1
  last = me:now()
  ended = ended + 1
  if ended == p.work_groups then
    run.measure_to(last)
    run.end_streams()
  end
end)

local service = run.service()
local took, latencies, queues = last - first, run.latencies(), service.queue_bytes
local l2 = run.first("gpu", "l2_size")
run.uses("gpu", "l2_size")
run.uses("host", "cores")
run.times("latency", latencies)
run.report(1)
run.percentiles("latency", latencies, p.percentiles)
run.count("host_cores_left", service.cores_left)
run.count("work_groups_at_once", most_running)
run.time("duration", took, "whole")
run.time("kernel_boundary", service.kernel_time - took)
run.bytes("queue_memory", queues) -- the bytes of all queues, also as a multiple of the GPU's L2
run.ratio("queue_memory_of_l2", queues / l2)
local states, all = { run.state_times() }, 0 -- each one's part of the service threads' time
for _, time in ipairs(states) do
  all = all + time
end
for i, state in ipairs { "active", "polling", "stalled", "idle" } do
  run.ratio("time_" .. state, all > 0 and states[i] / all or 0)
end
run.ratio("operations_per_us", p.work_groups * p.operations * 1e6 / took, run.served())
run.count("locks_taken", service.locks_taken)
run.count("locks_contended", service.locks_contended)
run.time("lock_wait", service.lock_wait)

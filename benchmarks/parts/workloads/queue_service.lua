-- SPDX-License-Identifier: BSD-3-Clause
local p = ...

local is_nop, is_blocking = p.operation == "nop", p.posts == 1
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
local begun, warm = 0, 0 -- those whose warm-up has begun, and is over

local bytes, posts, think_time = p.bytes, p.posts, p.think_time

local function think(me)
  if think_time > 0 then
    me:compute(think_time)
  end
end

-- Windows of nops are posted together.
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

-- Counting begins as the last one's warm-up is over. The others go on meanwhile, since a server may prefer some: were their
-- operations over by then, it would be the last one's alone that count. Those that start as others end cannot be waited for.
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
run.time("duration", took)
run.time("kernel_boundary", service.kernel_time - took)
run.bytes("queue_memory", queues) -- of all queues, and as a multiple of the GPU's L2
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

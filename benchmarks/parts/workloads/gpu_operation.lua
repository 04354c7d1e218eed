-- SPDX-License-Identifier: BSD-3-Clause
-- The time of one operation of a GPU thread: a load, store, atomic or fence on memory of its own GPU, of another one or of
-- the host, repeated by one work-group or by many at a time.
local p = workload {
  description = "What one load, store, atomic or fence of a GPU thread takes.",
  { "operation", { "load", "load_acquire", "store_fence", "store_release", "fence", "atomic" }, "load", "What is timed: a load (past the L1), a load followed by an acquire, a store and a fence (store_release: the fence first), a fence alone, or an atomic that returns a value." },
  { "memory", { "host", "gpu", "peer" }, "gpu", "Memory of the host, of the GPU, of another GPU." },
  { "scope", { "device", "system" }, "system", "Scope of fences." },
  { "work_groups", "count", "1", "1", "4096", "Work-groups that do this at the same time." },
  { "same_line", "flag", "false", "All work-groups use one line; otherwise each uses a line of its own." },
  { "repeats", "shared", "repeats=20" },
  rules = {
    { "memory", "operation", "|load|load_acquire|store_fence|store_release|atomic|" },
    { "scope", "operation", "|store_fence|store_release|fence|" },
    { "same_line", "operation", "|load|load_acquire|atomic|" },
  },
}

local LINE_BYTES = 64

run.node(p.memory == "peer" and 2 or 1)
local lines = run.lines(p.memory == "peer" and 1 or 0, p.memory == "host" and "host" or "gpu", p.work_groups)
local took, ended = 0, 0 -- the time of all work-groups; how many have ended

local function store_and_fence(me, at)
  me:store(at, 0)
  me:release(p.scope)
end

local operations = {
  load = function(me, at)
    me:poll(at)
  end,
  load_acquire = function(me, at)
    me:poll(at)
    me:acquire(p.scope)
  end,
  store_fence = store_and_fence,
  store_release = store_and_fence, -- repeated, this is a row of stores with fences between
  fence = function(me)
    me:release(p.scope)
  end,
  atomic = function(me, at)
    me:add(at, 0)
  end,
}
local operate = operations[p.operation]

run.kernel(0, p.work_groups, 1, function(me, number)
  local at = lines + (p.same_line and 0 or number * LINE_BYTES)
  operate(me, at) -- the first one warms up
  local start = me:now()
  if number == 0 then
    run.measure_from(start)
  end
  for _ = 1, p.repeats do
    operate(me, at)
  end
  took = took + me:now() - start
  ended = ended + 1
  if ended == p.work_groups then
    run.measure_to(me:now())
  end
end)
run.finish()

local count = p.work_groups * p.repeats
run.time("time", (took + count // 2) // count)
run.observe(count)
run.events()

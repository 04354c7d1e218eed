-- SPDX-License-Identifier: BSD-3-Clause
-- What a machine's GPUs take for the operations of which a collective is made, each simulated on the point's machine first: a
-- flag from GPU to GPU, a load, a fence, copies of multiprocessors, a kernel. And how these change with the machine's
-- estimated values, and which generation of GPUs NCCL takes them for.
local cuda = require "benchmarks.parts.cuda"
local nccl = require "configs.nccl"
local rails = require "benchmarks.parts.rails"
local primitives = {}

local function seconds(time) return quantity(time) / 1e12 end

-- The time of a put from GPU to GPU: a block stores a word, then fences and sets a flag that the other GPU polls.
local function put_one_way()
  local w = program { design = "rocshmem-ipc", nodes = 1, gpus_per_node = 2 }
  local ball, bell = w:buffer "8B", w:signals(2)
  w:parties { threads = 512, program = function(me)
    local start
    for turn = 1, 4 do
      local word = { from = 1 - me.rank, buffer = ball, signal = bell, index = turn % 2, value = turn }
      local hit = { to = 1 - me.rank, buffer = ball, signal = bell, index = turn % 2, value = turn }
      if turn == 2 then start = me:now() end
      if me.rank == 0 then me:put_signal(hit) end
      me:wait_until(word)
      if me.rank == 1 then me:put_signal(hit) end
    end
    if me.rank == 0 then me:record("one_way", (me:now() - start) / 6) end
  end }
  return seconds(w:run().one_way)
end

-- What NCCL has for the GPUs of `machine` (nil: Hopper's), by the rate of their NVLink.
function primitives.generation(machine, version)
  local all, names = nccl.generations[version or "2.29"], {}
  if not machine then return all[1] end
  for i, one in ipairs(all) do
    if quantity(machine:value "nvlink.rate") == one.nvlink_rate then return one end
    names[i] = string.format("%s (%.0f GB/s)", one.name, one.nvlink_rate / 1e9)
  end
  error(string.format("what is known of NCCL here is for GPUs whose NVLink has the rate a direction of %s; %s has %s", table.concat(names, " or "),
    machine.name, machine:value "nvlink.rate"), 0)
end

-- The values of a machine that may be only estimated, and how an operation's time follows from one: so many times the
-- value's difference in s, as simulated machines have it within a third. `links`: as many more times as there are links
-- between two GPUs.
local FOLLOWS = {
  { "gpu.far_partition", { far = 1, batch = 1 } },
  { "gpu.system_fence", { put = 3 / 4 } },
  { "nvlink.latency", { way = 1, far_load = 2, put = 3 }, is_link = true },
  { "gpu.memory_latency", { memory = 1 } },
  { "cuda.kernel_ahead", { behind = -1 } },
  { "cuda.kernel_start", { behind = 1, ends = 1, graph_ends = 1 } },
  { "cuda.kernel_launch", { ends = 1, called = 1 } },
  { "cuda.synchronize", { ends = 1, graph_ends = 1 } },
  { "cuda.graph_node_start", { node = 1, graph_ends = -1 } },
  { "cuda.event_edge", { edge = 1 } },
}

-- The machine's operations with an estimated value at either end of its range, as changes of `known`: a list of tables.
local function changes_of(machine, known)
  local list, links = {}, machine:value "node.peer_link" == "nvswitch" and 2 or 1
  local function ends(name, number_of, change)
    local low, high = machine:bounds(name)
    if low then list[#list + 1] = { change(number_of(low)), change(number_of(high)) } end
  end
  for _, one in ipairs(FOLLOWS) do
    local name, follows = one[1], one[2]
    local value, crossed = seconds(machine:value(name)), one.is_link and links or 1
    ends(name, seconds, function(other)
      local changed = {}
      for key, times in pairs(follows) do changed[key] = known[key] + times * crossed * (other - value) end
      return changed
    end)
  end
  -- A load of its own L2 is in each of these, once or with the way there and back.
  local function with_L2(more, changed)
    for key, times in pairs { load = 1, way = 2, far_load = 2, put = 4 } do changed[key] = known[key] + times * more end
    return changed
  end
  local clock, cycles = quantity(machine:value "gpu.clock"), tonumber(machine:value "gpu.l2_latency_cycles")
  ends("gpu.l2_latency_cycles", tonumber, function(other) return with_L2((other - cycles) / clock, {}) end)
  ends("gpu.clock", quantity, function(other)
    return with_L2(cycles / other - cycles / clock, { cycle = 1 / other, near = known.near * clock / other })
  end)
  local share = tonumber(machine:value "nvlink.access_efficiency")
  ends("nvlink.access_efficiency", tonumber, function(other) return { link = known.link * other / share } end)
  return list
end

-- The times and rates of operations on `machine`, the point's machine, in s and bytes/s; with several `nodes` also those of
-- the network.
function primitives.machine(machine, nodes, gpus)
  local generation = primitives.generation(machine)
  local is_wide = nodes and nodes > 1
  if is_wide then rails.check(nodes, gpus) end
  local function chain(kernels)
    return seconds(cuda.launch { measured = "synchronize", kernels = kernels, launches = 4 }.time)
  end
  local function period(streams) return seconds(cuda.launch { measured = "period", launches = 16, streams = streams }.time) end
  local function rate(bytes, copy) return bytes / seconds(kernel_copy(copy).time) end
  local function operation(what, memory) return seconds(gpu_operation { operation = what, memory = memory or "gpu" }.time) end
  local load, far_load = operation("load"), operation("load", "peer")
  local far = seconds(machine:value "gpu.far_partition")
  local known = {
    net = is_wide and rails.machine(machine), generation = generation,
    cycle = 1 / quantity(machine:value "gpu.clock"), near = tonumber(machine:value "gpu.l1_latency_cycles") / quantity(machine:value "gpu.clock"),
    cache = quantity(machine:value "gpu.l2_size"), memory = seconds(machine:value "gpu.memory_latency"), batch = nccl.load + far,
    node = (chain(32) - chain(16)) / 16, graph_ends = 2 * chain(16) - chain(32),
    called = seconds(cuda.launch { measured = "call", launches = 16 }.time),
    behind = period(1), edge = period(2) - period(1), ends = seconds(cuda.launch {}.time),
    way = seconds(flag_round_trip { partner = "peer", ordered = false, rounds = 8 }.time) / 2, put = put_one_way() - load, load = load, far = far, far_load = far_load,
    link = rate(24 << 20, { bytes = "24MiB", work_groups = 24, threads = 512, to = "peer" }),
  }
  known.changes = changes_of(machine, known)
  return known
end

return primitives

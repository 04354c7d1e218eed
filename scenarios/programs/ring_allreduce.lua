-- SPDX-License-Identifier: BSD-3-Clause
-- A ring allreduce as a program: reduce-scatter, then allgather, N - 1 steps each of an N-th of the buffer.
--
-- In a kernel a ring is a work-group: a block goes in chunks, each as soon as it has come in the step before. By
-- processes it is one ring of whole blocks. `workload` is the allreduce written in C: with fixed phases
-- equal to the picosecond.

local node = require "configs.gcn3_node"

local function ceil(a, b) return (a + b - 1) // b end

local function ring_allreduce(a)
  local kernels = a.design ~= "charm-channel"
  local elements, places, rings = quantity(a.bytes) // 4, a.nodes, kernels and a.rings or 1
  local slice = ceil(elements, rings) -- of a ring, in elements; then of a step, of a message
  local block = ceil(slice, places)
  local chunk = kernels and math.min(quantity(a.chunk) // 4, block) or block
  local first, last
  local w = program { design = a.design, nodes = places, channels = true, cooperative = true }
  local data = w:buffer(chunk * 4 .. "B")

  w:parties { work_groups = rings, threads = 256, program = function(me)
    local to, from, steps = (me.rank + 1) % places, (me.rank - 1) % places, 2 * (places - 1)

    -- Elements of a chunk; the last ones of a block, of a slice, of the buffer may be fewer, or none.
    local function count(owner, step, number)
      local start = me.group * slice + (owner - step) % places * block + number * chunk
      local block_end = me.group * slice + ((owner - step) % places + 1) * block
      local stop = math.min(start + chunk, block_end, (me.group + 1) * slice, elements)
      return math.max(stop - start, 0)
    end
    local function size(n) return math.max(n, 1) * 4 .. "B" end
    local function send(step, number)
      return me:send { to = to, buffer = data, bytes = size(count(me.rank, step, number)) }
    end
    local function expect(step, number)
      return me:receive { from = from, buffer = data, bytes = size(count(from, step, number)) }
    end
    local function reduce(step, number)
      local n = count(from, step, number)
      if step >= places - 1 or n == 0 then return end
      me:compute { elements = n, flops = 1, bytes = "12B", working_set = 2 * a.bytes }
      me:finish()
    end

    if me.rank == 0 and me.group == 0 then first = me:now() end
    for step = 0, kernels and steps or steps - 1 do
      for number = 0, ceil(block, chunk) - 1 do
        if not kernels then
          local coming = expect(step, number)
          me:wait(coming, send(step, number))
          reduce(step, number)
        else
          if step > 0 then
            me:wait(expect(step - 1, number))
            reduce(step - 1, number)
          end
          if step < steps then send(step, number) end
        end
      end
    end
    if me.rank == 0 and (not last or last < me:now()) then last = me:now() end
  end }
  w:run()
  return last - first
end

return study {
  title = "Ring allreduce as a program in Lua",
  machine = node { nodes = 8 },
  vary = {
    { "design", { "dgpu", "comp-net", "charm-channel" } },
    { "nodes", { 2, 3, 8 } },
    { "bytes", { "100000B", "1MiB" } },
  },
  run = function(p)
    local a = { design = p.design, nodes = p.nodes, bytes = p.bytes, rings = 4, chunk = "16KiB" }
    local c = allreduce { design = p.design, nodes = p.nodes, bytes = p.bytes, rings = 4, chunk = "16KiB",
                          algorithm = "ring", warmup = 0 }
    return { duration = ring_allreduce(a), workload = c.duration }
  end,
  plot = { x = "nodes", y = "duration_us", by = "design", panels = "bytes", style = "lines" },
}

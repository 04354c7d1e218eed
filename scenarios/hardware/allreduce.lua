-- A ring allreduce between the two GPUs: within a kernel, whose work-groups store into each other's memory, and by processes that
-- launch kernels and pass messages. A prediction: no table of this host has it.
local h200x2 = require "configs.h200x2"

-- Each of `rings` work-groups sends its part's half, adds the other's, and sends the sum.
local function in_kernel(bytes, rings)
  local half = quantity(bytes) // 2 // rings
  local w = program { design = "rocshmem-ipc", nodes = 1, gpus_per_node = 2, cooperative = true }
  local data, bell = w:buffer(half .. "B"), w:signals(2)
  w:parties { work_groups = rings, threads = 512, program = function(me)
    local other, start = 1 - me.rank, nil
    for turn = 1, 2 do -- the first warms up
      start = me:now()
      for step = 0, 1 do
        me:put_signal { to = other, buffer = data, signal = bell, index = step, value = turn }
        me:wait_until { from = other, buffer = data, signal = bell, index = step, value = turn }
        if step == 0 then
          me:compute { elements = half // 4, flops = 1, bytes = "12B", working_set = half .. "B" }
          me:finish()
        end
      end
      if turn == 2 then me:record("duration", me:now() - start) end
    end
  end }
  return w:run().duration_max
end

-- The same steps by two processes: a message, a kernel that adds, a message.
local function by_processes(bytes)
  local half = quantity(bytes) // 2
  local w = program { design = "openmpi-d", nodes = 1, gpus_per_node = 2, channels = true }
  local data = w:buffer(half .. "B")
  w:parties { program = function(me)
    local other, start = 1 - me.rank, nil
    for turn = 1, 2 do
      start = me:now()
      for step = 0, 1 do
        local coming = me:receive { from = other, buffer = data }
        me:wait(coming, me:send { to = other, buffer = data })
        if step == 0 then
          me:launch { work_groups = math.max(half // 16384, 1), threads = 256, bytes = math.min(half, 16384) * 3 .. "B" }
          me:synchronise()
        end
      end
      if turn == 2 then me:record("duration", me:now() - start) end
    end
  end }
  return w:run().duration_max
end

return study {
  title = "Ring allreduce between two H200",
  machine = h200x2,
  vary = { { "way", { "kernel", "processes" } }, { "bytes", { "8KiB", "64KiB", "512KiB", "4MiB" } } },
  run = function(p)
    if p.way == "kernel" then return { duration = in_kernel(p.bytes, p.bytes < "512KiB" and 4 or 16) } end
    return { duration = by_processes(p.bytes) }
  end,
  plot = { x = "bytes", y = "duration_us", by = "way", style = "loglog" },
}

-- SPDX-License-Identifier: BSD-3-Clause
-- A pipelined staged copy as a program: data of a GPU go to the other node's GPU in pieces by way of pinned host
-- memory, so that the copy of one piece runs beside the message of the piece before.
--
-- A kernel makes the data first; the copies' stream waits for its event. `alone` is one copy to the host, as
-- benchmarks/parts/cuda.lua measures it (`workload`): equal to the picosecond.

local cuda = require "benchmarks.parts.cuda"
local summit = require "configs.summit"

local function staged_copy(bytes, piece)
  local w = program { design = "openmpi-h", channels = true }
  local device = w:buffer(bytes)
  local staging = { w:buffer(piece, "pinned"), w:buffer(piece, "pinned") }
  local pieces = bytes // piece

  w:host(0):process(function(p)
    local kernels, copies = p:stream(), p:stream()
    local start = p:now()
    p:launch { work_groups = 80, threads = 256, bytes = bytes / 80, stream = kernels }
    p:wait_event(p:event(kernels), copies)
    local sent = {}
    for i = 1, pieces do
      local slot = (i - 1) % 2 + 1
      if sent[slot] then p:wait(sent[slot]) end
      p:copy { to = staging[slot], from = device, bytes = piece, stream = copies }
      p:synchronise(copies)
      sent[slot] = p:send { to = 1, buffer = staging[slot], bytes = piece }
    end
    p:wait(sent[1], sent[2])
    p:record("sent", p:now() - start)
  end)

  w:host(1):process(function(p)
    local copies, start = p:stream(), p:now()
    for i = 1, pieces do
      local slot = (i - 1) % 2 + 1
      p:wait(p:receive { from = 0, buffer = staging[slot], bytes = piece })
      p:synchronise(copies) -- the slot's copy before
      p:copy { to = device, from = staging[slot], bytes = piece, stream = copies }
    end
    p:synchronise(copies)
    p:record("duration", p:now() - start)
  end)
  return w:run()
end

local function one_copy(bytes)
  local w = program { design = "openmpi-h", nodes = 1 }
  local device, host = w:buffer(bytes), w:buffer(bytes, "pinned")
  w:host(0):process(function(p)
    local stream = p:stream()
    for i = 0, 10 do
      local start = p:now()
      p:copy { to = host, from = device, stream = stream }
      p:synchronise(stream)
      if i > 0 then p:record("copy", p:now() - start) end
    end
  end)
  return w:run().copy
end

return study {
  title = "Staged copy in a pipeline, as a program in Lua",
  machine = summit { nodes = 2 },
  vary = { piece = { "64KiB", "256KiB", "1MiB", "4MiB" } },
  run = function(p)
    local r = staged_copy("8MiB", p.piece)
    local c = cuda.copy { direction = "device-to-host", bytes = p.piece, repeats = 10 }
    return { duration = r.duration, rate = "8MiB" / r.duration, alone = one_copy(p.piece), workload = c.time }
  end,
  plot = { x = "piece", y = "duration_us", style = "semilogx" },
}

-- SPDX-License-Identifier: BSD-3-Clause
-- Ping-pong and windows of messages between the two GPUs. `direct` and `staged` are two host threads that copy GPU data to the other GPU,
-- or through pinned host memory, and tell each other by flags (probe/messages.cu is this program); the others are two processes of the
-- OSU micro-benchmarks, GPU data or staged by the program, for which no table of this host exists.
local h200x2 = require "configs.h200x2"

local WARMUP, TURNS, WINDOW = 1, 4, 64

-- What a thread does with its half of the way: towards the other GPU, and from host memory.
local function threads(path, bytes, act)
  local w = program { design = "openmpi-d", nodes = 1, gpus_per_node = 2 }
  local data, pinned = w:buffer(bytes), w:buffer(bytes, "pinned")
  w:parties { program = function(me)
    local other = 1 - me.rank
    local function give()
      if path == "staged" then me:copy { to = pinned, from = data } else me:copy { to = data, to_rank = other, from = data } end
    end
    local function fetch() me:copy { to = data, from = pinned, from_rank = other } end
    local start
    for turn = 1, WARMUP + TURNS do
      if turn == WARMUP + 1 then start = me:now() end
      act(me, other, give, fetch)
    end
    if me.rank == 0 then me:record("turn", (me:now() - start) / TURNS) end
  end }
  return w:run().turn
end

local function latency(path, bytes)
  local function send(me, other, give)
    give()
    me:synchronise()
    me:tell(other)
  end
  local function receive(me, other, fetch)
    me:wait_told(other)
    if path == "staged" then
      fetch()
      me:synchronise()
    end
  end
  return threads(path, bytes, function(me, other, give, fetch)
    if me.rank == 0 then send(me, other, give) end
    receive(me, other, fetch)
    if me.rank == 1 then send(me, other, give) end
  end) / 2
end

-- Messages that go directly are all synchronised and told of at once, staged ones each.
local function window(path, bytes)
  local each = path == "staged"
  local function send(me, other, give)
    for i = 1, WINDOW do
      give()
      if each or i == WINDOW then
        me:synchronise()
        me:tell(other)
      end
    end
    me:wait_told(other)
  end
  local function receive(me, other, fetch)
    for _ = 1, each and WINDOW or 1 do
      me:wait_told(other)
      if each then fetch() end
    end
    if each then me:synchronise() end
    me:tell(other)
  end
  return threads(path, bytes, function(me, other, give, fetch)
    if me.rank == 0 then send(me, other, give) else receive(me, other, fetch) end
  end)
end

return study {
  title = "Messages between two GPUs of a host",
  machine = h200x2,
  vary = { { "path", { "direct", "staged", "openmpi-d", "openmpi-h" } }, { "bytes", pow2("8B", "16MiB") } },
  measured = { file = "data/h200x2/messages.tsv", path = "path", bytes = "bytes", latency = "one_way_median_us",
               window_GBps = "GBps_window" },
  run = function(p)
    if p.path:match "^openmpi" then
      local call = { design = p.path, placement = "intra-socket", bytes = p.bytes }
      return { latency = osu_latency(call).latency, window_GBps = quantity(osu_bandwidth(call).bandwidth) / 1e9 }
    end
    return { latency = latency(p.path, p.bytes), window_GBps = quantity(p.bytes) * WINDOW * 1e3 / quantity(window(p.path, p.bytes)) }
  end,
  band = 8,
  plot = { { x = "bytes", y = "latency_us", by = "path", style = "loglog" },
           { x = "bytes", y = "window_GBps", y_label = "Bandwidth (GB/s)", by = "path", style = "semilogx" } },
}

-- SPDX-License-Identifier: BSD-3-Clause
-- BenchPress's node_pong and mult_pong on two nodes of Summit under Spectrum MPI, and node_pong on Lassen under
-- MVAPICH2-GDR: GPU data between two nodes, by one process or by several. Simulated; beside it what was measured, as far as
-- it is printed. node_pong splits a total over pairs that play at a time; in mult_pong one process sends to several,
-- one blocking send after the other, and then receives from them.

local summit = require "configs.summit"
local lassen = require "configs.lassen"
local benchpress = require "parts.benchpress"

local WARMUP, TURNS = 10, 20

-- mult_pong: the first rank sends to each of several on the other node, one blocking send after the other, and then receives their
-- answers in turn. Half the round trip of all.
local function fan(design, partners, bytes)
  local w = program { design = design, nodes = 2, gpus_per_node = partners, channels = true }
  local ball = w:buffer(bytes)
  w:parties { program = function(me)
    local is_first = me.rank == 0
    if not is_first and me.rank < partners then return end -- the others of its node rest
    local function send(to) me:wait(me:send { to = to, buffer = ball }) end
    local function receive(from) me:wait(me:receive { from = from, buffer = ball }) end
    for turn = 1, WARMUP + TURNS do
      local start = me:now()
      if is_first then
        for rank = partners, 2 * partners - 1 do send(rank) end
        for rank = partners, 2 * partners - 1 do receive(rank) end
        if turn > WARMUP then me:record("latency", (me:now() - start) / 2) end
      else
        receive(0)
        send(0)
      end
    end
  end }
  return w:run()
end

local function measured(p)
  if p.test == "mult_pong" then return p.bytes == "512KiB" and benchpress.fan[p.processes] or nil end
  if p.test == "node_pong" then return benchpress.split[p.bytes][p.processes] end
  return benchpress.split_lassen[p.bytes][p.processes]
end

return study {
  title = "GPU data between two nodes by several processes, simulated and measured",
  machine = function(p) return (p.test == "node pong, Lassen" and lassen or summit) { nodes = 2 } end,
  vary = {
    { "test", { "node_pong", "mult_pong", "node pong, Lassen" } },
    { "processes", { 1, 2, 3, 4, 6 } },
    { "bytes", { "4KiB", "64KiB", "256KiB", "512KiB" } },
  },
  where = function(p) return p.test ~= "node pong, Lassen" or p.processes <= 4 end,
  run = function(p)
    local r
    if p.test == "mult_pong" then
      r = fan("spectrum-d", p.processes, p.bytes)
    else
      r = osu_latency { design = p.test == "node_pong" and "spectrum-d" or "mvapich-d", placement = "inter-node",
                        pairs = p.processes, bytes = quantity(p.bytes) // p.processes .. "B" }
    end
    local was = measured(p)
    if not was then return { time = r.latency } end
    return { time = r.latency, measured = was .. "us", deviation_percent = benchpress.deviation(r.latency_us, was) }
  end,
  plot = { x = "bytes", y = "time_us", by = "processes", panels = "test", style = "loglog", x_label = "Message size",
           y_label = "One-way time",
           published = function(r) return benchpress.marks(r, measured, "test") end },
}

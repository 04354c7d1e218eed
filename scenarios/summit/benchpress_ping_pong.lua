-- SPDX-License-Identifier: BSD-3-Clause
-- BenchPress's ping-pong under Spectrum MPI on Summit: simulated beside measured, by message size, for CPU and GPU
-- buffers on a socket, across the sockets of a node and between nodes.
--
-- BenchPress sends and receives with blocking calls, as the OSU latency test does. No parameter but those of the
-- machine file.

local summit = require "configs.summit"
local benchpress = require "parts.benchpress"

return study {
  title = "BenchPress: ping-pong under Spectrum MPI, simulated and measured",
  machine = summit { nodes = 2 },
  vary = {
    { "path", benchpress.paths },
    { "bytes", benchpress.sizes },
    { "origin", { "simulated", "measured" } },
  },
  run = function(p)
    local number = benchpress.number_of(p.bytes)
    local measured = benchpress.ping_pong[p.path][number]
    if p.origin == "measured" then
      return { time = measured .. "us", deviation_percent = 0 }
    end
    local buffers, placement = benchpress.arguments(p.path)
    local r = osu_latency { design = "spectrum-d", buffers = buffers, placement = placement, bytes = p.bytes }
    return { time = r.latency, deviation_percent = benchpress.deviation(r.latency_us, measured) }
  end,
  plot = {
    { x = "bytes", y = "time_us", by = "origin", panels = "path", style = "loglog", marks = { "measured" },
      x_label = "Message size", y_label = "One-way time" },
    { x = "bytes", y = "deviation_percent", by = "path", only = { origin = "simulated" }, style = "semilogx",
      x_label = "Message size", y_label = "Simulated beyond measured",
      title = "BenchPress: how much longer the simulated ping-pong takes than the measured one" },
  },
}

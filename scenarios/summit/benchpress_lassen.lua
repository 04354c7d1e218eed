-- BenchPress's ping-pong under MVAPICH2-GDR on Lassen, simulated beside measured as far as it is printed: GDRCopy within a
-- node, eager and GPUDirect over both rails between nodes.

local lassen = require "configs.lassen"
local benchpress = require "parts.benchpress"

local row, paths, sizes = {}, {}, {}
for i, measurement in ipairs(benchpress.lassen) do
  row[measurement.path .. measurement.bytes] = measurement.measured
  paths[i], sizes[i] = measurement.path, measurement.bytes
end

return study {
  title = "Ping-pong under MVAPICH2-GDR on Lassen, simulated and measured",
  machine = lassen { nodes = 2 },
  vary = { zip { path = paths, bytes = sizes }, { "origin", { "simulated", "measured" } } },
  run = function(p)
    local measured = row[p.path .. p.bytes]
    if p.origin == "measured" then return { time = measured .. "us", deviation_percent = 0 } end
    local buffers, placement = benchpress.arguments(p.path)
    local r = osu_latency { design = "mvapich-d", buffers = buffers, placement = placement, bytes = p.bytes }
    return { time = r.latency, deviation_percent = benchpress.deviation(r.latency_us, measured) }
  end,
  plot = { x = "bytes", y = "time_us", by = "origin", panels = "path", style = "loglog", marks = { "measured" },
           x_label = "Message size", y_label = "One-way time" },
}

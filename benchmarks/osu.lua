-- SPDX-License-Identifier: BSD-3-Clause
-- The micro-benchmarks of the OSU suite between ranks of one runtime, in the suite's own form with -o osu:-. Settings are
-- given as -s study.benchmark=bw; gpunetsim osu bw --design ampi-d is run benchmarks/osu.lua -o osu:- --no-plot -s
-- study.benchmark=bw -s study.design=ampi-d.

local sizes_of = require "benchmarks.parts.sizes"

local set = settings {
  benchmark = "latency", -- latency, bw, bibw, mbw_mr
  machine = require "configs.summit",
  design = "openmpi-d",
  placement = "intra-socket",
  buffers = "device", -- or host
  window = "", -- messages of an iteration; empty: as the suite has it
  pairs = "", -- pairs that communicate at a time, for mbw_mr; empty: as the suite has it
  sizes = "1B:4MiB", -- powers of two from one to another, or a list such as 8B,1000B,1MiB
  exact = false, -- simulate every iteration, even if they repeat
}

local benchmarks = {
  latency = { run = osu_latency, title = "Latency Test", measures = "Latency (us)" },
  bw = { run = osu_bandwidth, title = "Bandwidth Test", measures = "Bandwidth (MB/s)", has_window = true },
  bibw = { run = osu_bandwidth, title = "Bi-Directional Bandwidth Test", measures = "Bandwidth (MB/s)", has_window = true,
    both_ways = true },
  mbw_mr = { run = osu_bandwidth, title = "Multiple Bandwidth / Message Rate Test", measures = "MB/s,Messages/s",
    has_window = true, has_pairs = true },
}
local benchmark = benchmarks[set.benchmark]
if not benchmark then
  error('there is no benchmark "' .. set.benchmark .. '"; accepted are latency, bw, bibw, mbw_mr', 0)
elseif set.window ~= "" and not benchmark.has_window then
  error("window belongs to bw, bibw and mbw_mr", 0)
elseif set.pairs ~= "" and not benchmark.has_pairs then
  error("pairs belongs to mbw_mr", 0)
end

local window = set.window ~= "" and (tonumber(set.window) or set.window) or nil
local pairs_given = set.pairs ~= "" and (tonumber(set.pairs) or set.pairs) or benchmark.has_pairs and 2 or nil
local memory = set.buffers == "host" and "HOST (H)" or "DEVICE (D)"
local head = "OSU MPI-CUDA " .. benchmark.title .. " (simulated by gpunetsim: " .. set.machine.name .. ", " .. set.design .. ", " .. set.placement
  .. ")\nSend Buffer on " .. memory .. " and Receive Buffer on " .. memory
if benchmark.has_pairs then
  head = head .. "\n[ pairs: " .. pairs_given .. " ] [ window size: " .. (window or 64) .. " ]"
end

return study {
  title = "OSU " .. benchmark.title,
  machine = set.exact and set.machine { software = { exact = true } } or set.machine,
  vary = { bytes = sizes_of(set.sizes) },
  run = function(p)
    local r = benchmark.run {
      design = set.design, bytes = p.bytes, placement = set.placement, buffers = set.buffers, window = window,
      pairs = pairs_given, both_ways = benchmark.both_ways,
    }
    if set.benchmark == "latency" then
      return { ["Latency (us)"] = r.latency:us() }
    end
    local rate = quantity(r.bandwidth) / 1e6
    return benchmark.has_pairs and { ["MB/s"] = rate, ["Messages/s"] = r.messages_per_us * 1e6 } or { ["Bandwidth (MB/s)"] = rate }
  end,
  plot = { x = "bytes", y = benchmark.measures, title = head, style = "loglog", x_label = "Message size" },
}

-- SPDX-License-Identifier: BSD-3-Clause
-- Flags: round trips between a GPU thread and a host thread, with flags in host memory, by the number of pairs; and between
-- threads of two GPUs, each polling its own memory or the other's.
local h200x2 = require "configs.h200x2"

local function between_gpus(way, order)
  return flag_round_trip { partner = "peer", polled = way, ordered = order == "release_acquire" }
end
local function with_host(pairs, order) return flag_round_trip { pairs = pairs, ordered = order == "release_acquire" } end

local points, names = {}, {}
local function add(name, point)
  points[name] = point
  names[#names + 1] = name
end
for _, pairs in ipairs { 1, 2, 4, 8, 14 } do
  for _, order in ipairs { "release_acquire", "relaxed" } do add("pairs=" .. pairs .. "_" .. order, { pairs, order }) end
end
for _, polled in ipairs { "local", "remote" } do
  for _, order in ipairs { "release_acquire", "relaxed" } do add("rtt_poll_" .. polled .. "_" .. order, { polled, order }) end
end

return study {
  title = "Round trips of flags",
  machine = h200x2,
  vary = { { "flags", names } },
  measured = {
    { file = "data/h200x2/flags.tsv", flags = "what", time = "median_ns" },
    { file = "data/h200x2/signal.tsv", only = { what = "rtt_gpu" }, flags = "param", time = "median_ns" },
  },
  run = function(p)
    local point = points[p.flags]
    local r = (type(point[1]) == "number" and with_host or between_gpus)(point[1], point[2])
    return { time = r.time }
  end,
  band = 8,
  plot = { x = "flags", x_label = "Flags and order of their stores", y = "time_us", style = "bars" },
}

-- SPDX-License-Identifier: BSD-3-Clause
-- ComPNet18, Fig 7: how often the command processor hits in the GPU's L2 while other work-groups stream.
--
-- As in the paper one compute unit and an L2 that is smaller accordingly: 1 MiB over 12 is 85.3 KiB; 85 KiB
-- is the nearest that makes whole sets of 16 ways. The unit's 40 places are shared out between
-- networking and streaming work-groups: the paper sweeps their ratio. All 40 have a queue, and the command
-- processor polls all 40. Networking work-groups call blocking puts and gets of 64 B, as in the paper's
-- other micro-benchmarks.

local node = require "configs.gcn3_node"
local assumptions = require "scenarios.compnet.parts.assumptions"
local fig07 = require "parts.fig07"

local places = 40
local streaming = { 0, 1, 2, 4, 8, 12, 16, 20, 24, 28, 32, 36, 39 }

local function machine(p)
  local changes = assumptions.machine(p.assumption, true)
  changes.nodes = 2
  changes.gpu = { compute_units = 1, l2_size = "85KiB", l2_locking = p.locking == "on" }
  return node(changes)
end

local function point(r, locking, count)
  return r:value { assumption = "stated", locking = locking, streaming = count }
end

local function hit_rate(r, locking, count)
  return point(r, locking, count).hit_rate
end

local function hit_of(r)
  return function(locking, count) return hit_rate(r, locking, count) end
end

-- Of the mean times for which a line is locked beside each number of streams: the shortest, the longest, the median.
local function locked(r)
  local means = {}
  for _, count in ipairs(streaming) do
    if count > 0 then
      means[#means + 1] = point(r, "on", count).lock_mean_us
    end
  end
  table.sort(means)
  return means[1], means[#means], means[(#means + 1) // 2]
end

return study {
  title = "ComPNet18, Fig 7: L2 hit rate of the command processor beside streaming work-groups",
  machine = machine,
  vary = {
    { "assumption", assumptions.names },
    { "locking", { "off", "on" } },
    { "streaming", streaming },
  },
  run = function(p)
    return l2_hit_rate { design = assumptions.design("comp-net", p.assumption), networking = places - p.streaming,
                         streaming = p.streaming }
  end,
  plot = { x = "streaming", y = "hit_rate", by = "locking", over = "assumption",
           x_label = "Streaming work-groups of 40", y_label = "L2 hit rate of the CP",
           published = function(r)
             local alone = hit_rate(r, "off", 0)
             return { { "N-13", x = 39, by = "off", y = 0 }, { "N-14", x = 39, by = "on", y = { 0.8 * alone, alone } } }
           end },
  claims = {
    ["N-12"] = function(r)
      local alone = hit_rate(r, "off", 0)
      return { obtained = alone, limits = { 0.75 }, holds = fig07.is_high(alone),
               note = "hit rate without streams; relatively high above 0.75" }
    end,
    ["N-13"] = function(r)
      local smallest, at = fig07.worst(hit_of(r), "off", streaming)
      local rise = fig07.largest_rise(hit_of(r), streaming)
      return { obtained = smallest, limits = { 0.1 }, holds = fig07.falls(smallest, rise),
               note = string.format("smallest hit rate, beside %d streams; largest rise from one number of streams to the "
                 .. "next %.2f; holds below 0.1 and 0.05", at, rise) }
    end,
    ["N-14"] = function(r)
      local _, at = fig07.worst(hit_of(r), "on", streaming)
      return { obtained = fig07.kept(hit_of(r), streaming),
               note = string.format("worst hit rate with locking, beside %d streams, over that without streams; with %.2f "
                 .. "without locking: most accesses are looks at entries that nobody has written, and no locked store "
                 .. "holds their lines", at, hit_rate(r, "off", at)) }
    end,
    ["N-15"] = function(r)
      local shortest, longest, median = locked(r)
      return { obtained = { shortest, longest }, limits = { { 0.6 }, { 1.25 } }, holds = fig07.is_locked_for_a_microsecond(shortest, longest),
               note = string.format("means beside 1 to 39 streams, %.2f us in the median; holds if all "
                 .. "are within 25 %% of 0.8 to 1 us. A line is locked until the CP comes round to it: 40 looks, and "
                 .. "what it serves on the way", median) }
    end,
    ["D-18"] = function(r)
      local shortest, longest = locked(r)
      local l2_us = point(r, "on", 0).l2_latency_us
      return { obtained = 1000 * l2_us, holds = shortest / l2_us >= 8 and longest / l2_us <= 10,
               note = string.format("a line stays locked for %.0f to %.0f L2 latencies, of 8 to 10; misses with N-15",
                 shortest / l2_us, longest / l2_us) }
    end,
  },
}

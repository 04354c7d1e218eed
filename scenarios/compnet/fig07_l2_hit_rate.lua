-- ComPNet18, Fig 7: how often the command processor hits in the GPU's L2 while other work-groups stream.
--
-- As in the paper one compute unit and an L2 that is smaller accordingly: 1 MiB over 12 is 85.3 KiB; 85 KiB
-- is the nearest that makes whole sets of 16 ways. The unit's 40 places are shared out between
-- networking and streaming work-groups: the paper sweeps their ratio. Networking work-groups call blocking
-- puts and gets of 64 B, as in the paper's other micro-benchmarks.

local node = require "configs.gcn3_node"

local places = 40
local streaming = { 0, 1, 2, 4, 6, 8, 12, 16, 20, 24, 28, 32, 36, 39 }

local function machine(p)
  return node {
    nodes = 2,
    gpu = { compute_units = 1, l2_size = "85KiB", l2_locking = p.locking == "on" },
  }
end

local function hit_rate(r, locking, count)
  return r:value { locking = locking, streaming = count }.hit_rate
end

-- The smallest hit rate beside any stream, and how many work-groups stream there.
local function worst(r, locking)
  local smallest, at = math.huge, nil
  for _, count in ipairs(streaming) do
    if count > 0 and hit_rate(r, locking, count) < smallest then
      smallest, at = hit_rate(r, locking, count), count
    end
  end
  return smallest, at
end

-- The most by which the hit rate rises from one number of streams to the next.
local function largest_rise(r, locking)
  local rise = 0
  for i = 2, #streaming do
    rise = math.max(rise, hit_rate(r, locking, streaming[i]) - hit_rate(r, locking, streaming[i - 1]))
  end
  return rise
end

return study {
  title = "L2 hit rate of the command processor beside streaming work-groups",
  machine = machine,
  vary = {
    { "locking", { "off", "on" } },
    { "streaming", streaming },
  },
  run = function(p)
    return l2_hit_rate { networking = places - p.streaming, streaming = p.streaming }
  end,
  plot = { x = "streaming", y = "hit_rate", by = "locking",
           x_label = "Streaming work-groups of 40", y_label = "L2 hit rate of the CP" },
  claims = {
    ["N-12"] = function(r)
      local alone = hit_rate(r, "off", 0)
      return { obtained = alone, holds = alone > 0.75,
               note = "hit rate without streams; relatively high above 0.75" }
    end,
    ["N-13"] = function(r)
      local smallest, at = worst(r, "off")
      local rise = largest_rise(r, "off")
      return { obtained = smallest, holds = smallest < 0.1 and rise < 0.05,
               note = string.format("smallest hit rate, beside %d streams; then a rise of %.2f: with few "
                 .. "queues the CP's polls, and the work-groups that wait for their entries, bring a "
                 .. "line back before it is pushed out; and an entry is read twice, the second time "
                 .. "always a hit", at, rise) }
    end,
    ["N-14"] = function(r)
      local smallest, at = worst(r, "on")
      local shared = r:value { locking = "on", streaming = at }.hit_rate_shared
      return { obtained = 100 * smallest / hit_rate(r, "off", 0),
               note = string.format("worst hit rate with locking, beside %d streams, over that without "
                 .. "streams; %.2f without the CP's private data: most accesses are polls of entries "
                 .. "that no locked store has written yet", at, shared) }
    end,
    ["N-15"] = function(r)
      local shortest, longest, most_queues = math.huge, 0, nil
      for _, count in ipairs(streaming) do
        local mean = r:value { locking = "on", streaming = count }.lock_mean_us
        if mean > longest then
          longest, most_queues = mean, places - count
        end
        shortest = math.min(shortest, mean)
      end
      local half = r:value { locking = "on", streaming = places // 2 }.lock_mean_us
      return { obtained = half, holds = half > 0.3 and half < 3,
               note = string.format("mean with half the places streaming; from %.2f us with 1 queue to "
                 .. "%.1f us with %d: a line is locked as long as the CP needs to come round to it",
                 shortest, longest, most_queues) }
    end,
    ["D-18"] = function(r)
      local row = r:value { locking = "on", streaming = places // 2 }
      local latencies = row.lock_mean_us / row.l2_latency_us
      return { obtained = 1000 * row.l2_latency_us, holds = latencies >= 8 and latencies <= 10,
               note = string.format("a line stays locked for %.1f L2 latencies with half the places "
                 .. "streaming, of 8 to 10; misses with N-15", latencies) }
    end,
  },
}

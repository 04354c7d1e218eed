-- SPDX-License-Identifier: BSD-3-Clause
-- What the claims of Fig 7 are judged by, for its scenario and for the readings. `hit(locking, streams)` is the hit rate with locking "on" or
-- "off"; `streams` lists how many work-groups stream, beginning with 0.
local fig07 = {}

-- N-12: relatively high.
function fig07.is_high(alone) return alone > 0.75 end

-- The smallest hit rate beside any stream, and how many work-groups stream there.
function fig07.worst(hit, locking, streams)
  local smallest, at = math.huge, nil
  for i = 2, #streams do
    if hit(locking, streams[i]) < smallest then smallest, at = hit(locking, streams[i]), streams[i] end
  end
  return smallest, at
end

-- The most by which the hit rate rises from one number of streams to the next, without locking.
function fig07.largest_rise(hit, streams)
  local rise = 0
  for i = 2, #streams do rise = math.max(rise, hit("off", streams[i]) - hit("off", streams[i - 1])) end
  return rise
end

-- N-13: almost zero, and never up again.
function fig07.falls(smallest, rise) return smallest < 0.1 and rise < 0.05 end

-- N-14: the worst with locking, in percent of that without streams.
function fig07.kept(hit, streams) return 100 * fig07.worst(hit, "on", streams) / hit("off", 0) end

-- N-15: all within 25 % of 0.8 to 1 us.
function fig07.is_locked_for_a_microsecond(shortest, longest) return shortest > 0.75 * 0.8 and longest < 1.25 end

return fig07

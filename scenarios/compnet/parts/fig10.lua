-- SPDX-License-Identifier: BSD-3-Clause
-- What the claims of Fig 10 are judged by, for its scenario and for the readings. `time(design, nodes)` is an allreduce's,
-- `energy(design, nodes)` of its service threads.
local fig10 = { on_gpu = { "inter-kernel", "dgpu", "apu", "comp-net" } }

-- N-53: slowest over fastest GPU design; alike below 1.10.
function fig10.spread(time, nodes)
  local most, least = 0, math.huge
  for _, design in ipairs(fig10.on_gpu) do
    most, least = math.max(most, time(design, nodes)), math.min(least, time(design, nodes))
  end
  return most / least, most / least < 1.10
end

-- N-54: the better of dgpu and inter-kernel over comp-net, on few and on many nodes, and whether it grows.
function fig10.gaps(time, few, many)
  local function gap(nodes) return math.min(time("dgpu", nodes), time("inter-kernel", nodes)) / time("comp-net", nodes) end
  return gap(few), gap(many), gap(many) > gap(few) and gap(many) > 1.02
end

-- N-56: by how many percent comp-net's energy is lower than another design's, the mean over node counts; and whether that is half of it,
-- within 10 %.
function fig10.lower(energy, other, counts)
  local sum = 0
  for _, nodes in ipairs(counts) do sum = sum + 100 * (1 - energy("comp-net", nodes) / energy(other, nodes)) end
  return sum / #counts
end

function fig10.is_half(percent) return percent > 45 and percent < 55 end

return fig10

-- SPDX-License-Identifier: BSD-3-Clause
-- What the claims of Fig 9 are judged by, for its scenario and for the readings. Regions, fixed before the run: in Region 1, the smallest
-- stencils, the CPU is fastest; in Region 3, the largest, the GPU designs are within 10 % of each other; Region 2 is what lies between.
local fig09 = { edges = pow2(64, 4096), kibi_elements = {}, on_gpu = { "inter-kernel", "dgpu", "apu", "comp-net" } }

-- The paper's x axis.
for i, edge in ipairs(fig09.edges) do fig09.kibi_elements[i] = edge * edge // 1024 end

-- `time(design, edge)` is an iteration's.
function fig09.fastest_on_gpu(time, edge)
  local best = math.huge
  for _, design in ipairs(fig09.on_gpu) do best = math.min(best, time(design, edge)) end
  return best
end

function fig09.spread(time, edge)
  local most = 0
  for _, design in ipairs(fig09.on_gpu) do most = math.max(most, time(design, edge)) end
  return most / fig09.fastest_on_gpu(time, edge)
end

-- How many of the sizes, from the smallest on, are of Region 1; and from which on they are of Region 3.
function fig09.regions(time)
  local edges = fig09.edges
  local first, third = 0, #edges + 1
  while first < #edges and time("cpu", edges[first + 1]) < fig09.fastest_on_gpu(time, edges[first + 1]) do first = first + 1 end
  while third > first + 1 and fig09.spread(time, edges[third - 1]) < 1.10 do third = third - 1 end
  return first, third
end

-- By how many percent the slower of comp-net and apu is better than the better of the other two, in the mean over Region 2, and how many
-- sizes that has.
function fig09.gain(time)
  local first, third = fig09.regions(time)
  local sum, count = 0, 0
  for i = first + 1, third - 1 do
    local edge = fig09.edges[i]
    local slower = math.max(time("comp-net", edge), time("apu", edge))
    local better = math.min(time("dgpu", edge), time("inter-kernel", edge))
    sum, count = sum + 100 * (better / slower - 1), count + 1
  end
  return count > 0 and sum / count or 0, count
end

return fig09

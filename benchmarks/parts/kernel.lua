-- SPDX-License-Identifier: BSD-3-Clause
-- What kernels of NCCL have in common: instructions of warps, loads that find their lines near or far, stores of few blocks over a link.
local nccl = require "configs.nccl"
local kernel = {}

-- Time of `count` instructions of a warp among the others of its scheduler, each of which begins one and then waits for its result: mean
-- value analysis of a closed queue.
function kernel.instructions(of, machine, count)
  local begins, warps = 1 + nccl.integers[of.protocol], math.ceil(of.threads / 32 / nccl.schedulers)
  local waits, queued, took = nccl.cycles - begins, 0, nil
  for others = 1, warps do
    took = begins * (1 + queued)
    queued = others * took / (waits + took)
  end
  return count * (waits + took) * machine.cycle
end

-- Of `chains` of loads, each of which finds its line in the near or the far partition, the most far ones that are to be expected in one.
function kernel.most_far(loads, chains)
  local expected, below, ways = 0, 0, 1
  for k = 0, loads - 1 do
    below = below + ways / 2 ^ loads
    expected, ways = expected + 1 - below ^ chains, ways * (loads - k) / (k + 1)
  end
  return expected
end

-- What the stores of so many blocks reach of the link's rate, between those that were measured.
function kernel.link_rate(machine, blocks, threads)
  local given = nccl.few_blocks
  local function share(row)
    local most, least = math.log(given.threads[2]), math.log(given.threads[1])
    local place = math.max(0, math.min(1, (math.log(threads) - least) / (most - least)))
    return row[2] + place * (row[3] - row[2])
  end
  local below, above = given[1], given[#given]
  for _, row in ipairs(given) do
    if row[1] <= blocks then below = row end
  end
  for i = #given, 1, -1 do
    if given[i][1] >= blocks then above = given[i] end
  end
  if above[1] == below[1] then return machine.link * share(below) end
  local place = math.max(0, math.min(1, math.log(blocks / below[1]) / math.log(above[1] / below[1])))
  return machine.link * (share(below) + place * (share(above) - share(below)))
end

return kernel

-- SPDX-License-Identifier: BSD-3-Clause
-- Async22, Fig 7c: Jacobi3D on Summit, strong scaling of 3072^3 cells, as Fig 7a, from 8 nodes to the paper's 512 (3,072 GPUs).

local async = require "parts.jacobi3d_async"

local nodes, odfs = { 8, 32, 128, 512 }, { 1, 2, 4 }
local last = nodes[#nodes]

local function ratio_at(r, design, n) -- of ODF-2 to ODF-1
  return async.time(r, design, n, 2) / async.time(r, design, n, 1)
end

-- Best ODF at some node counts.
local function odf_at(design, some, odf)
  return function(r)
    local count, text = async.best_odfs(r, design, some, odfs, odf)
    return { obtained = count / #some, holds = count == #some,
             note = string.format("share of these node counts at which ODF-%d is best, all; best by nodes %s", odf, text) }
  end
end

local claims = {
  ["A-29"] = odf_at(async.host, { 8 }, 4),
  ["A-30"] = odf_at(async.host, { 32, 128 }, 2),
  ["A-32"] = odf_at(async.direct, nodes, 2),
  ["A-31"] = odf_at(async.host, { last }, 1),
  ["A-33"] = function(r)
    local value = ratio_at(r, async.host, last)
    return { obtained = 100 * (value - 1), limits = { 1.7, 24.3 }, holds = math.abs(value - 1.13) <= 0.113, note = "ODF-2 over ODF-1 of Charm-H at 512 nodes; within 10 % of 1.13x" }
  end,
  ["A-34"] = function(r)
    local value = 1 / ratio_at(r, async.direct, last)
    return { obtained = 100 * (value - 1), limits = { 1.7, 24.3 }, holds = math.abs(value - 1.13) <= 0.113, note = "ODF-1 over ODF-2 of Charm-D at 512 nodes; within 10 % of 1.13x" }
  end,
  ["A-37"] = function(r)
    local value = async.time(r, async.direct, last, 2) / 1000
    return { obtained = value, limits = { 1 }, holds = value < 1, note = "Charm-D, ODF-2, 512 nodes, in ms" }
  end,
  ["A-35"] = function(r)
    local least = math.huge
    for _, n in ipairs(nodes) do
      if n <= 128 then
        least = math.min(least, math.min(async.time(r, "spectrum-h", n), async.time(r, "spectrum-d", n)) / async.best(r, async.host, n, odfs))
      end
    end
    return { obtained = least, limits = { 1 }, holds = least > 1, note = "least ratio of the better MPI version to Charm-H, 8 to 128 nodes" }
  end,
  ["A-36"] = function(r)
    local least = math.huge
    for _, n in ipairs(nodes) do
      local other = math.min(async.time(r, "spectrum-h", n), async.time(r, "spectrum-d", n), (async.best(r, async.host, n, odfs)))
      least = math.min(least, other / async.best(r, async.direct, n, odfs))
    end
    return { obtained = least, limits = { 1 }, holds = least > 1, note = "least ratio of the best other version to Charm-D" }
  end,
  ["A-38"] = function(r)
    local function loss(n) return async.time(r, "spectrum-d", n) / async.time(r, "spectrum-h", n) end
    return { obtained = loss(last), holds = loss(last) < loss(nodes[1]),
             note = string.format("MPI-D over MPI-H at %d nodes; has to be below that at 8, %.3f", last, loss(nodes[1])) }
  end,
  ["A-39"] = function(r)
    local falls = true
    local texts = {}
    for _, design in ipairs { async.host, async.direct } do
      local before = math.huge
      for _, n in ipairs(nodes) do
        local _, best = async.best(r, design, n, odfs)
        falls = falls and best <= before
        before = best
        texts[#texts + 1] = string.format("%s %d: %d", async.labels[design], n, best)
      end
    end
    return { obtained = falls and 1 or 0, holds = falls, note = "the best ODF never rises with nodes; " .. table.concat(texts, ", ") }
  end,
  ["A-60"] = function(r)
    local function gain(n) return async.time(r, async.host, n, 1) / math.min(async.time(r, async.host, n, 2), async.time(r, async.host, n, 4)) end
    return { obtained = gain(last), holds = gain(nodes[1]) > 1 and gain(last) < 1,
             note = string.format("ODF-1 over the better of ODF-2 and 4, Charm-H: %.3f at 8 nodes, above 1; below 1 at %d", gain(nodes[1]), last) }
  end,
}

return async.figure {
  long = true,
  title = "Async22, Fig 7c: Jacobi3D, strong scaling of 3072³ cells",
  nodes = nodes, odfs = odfs, grid = 3072, scaling = "strong",
  published = { { "A-37", by = async.direct, x = last, y = 1000 } },
  published_by_odf = { { "A-37", by = 2, panel = async.direct, x = last, y = 1000 } },
  claims = claims,
}

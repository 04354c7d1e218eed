-- SPDX-License-Identifier: BSD-3-Clause
-- Async22, Fig 7a: Jacobi3D on Summit, weak scaling of 1536^3 cells a node: MPI and Charm++, host-staging and GPU-aware, Charm++
-- with several blocks a GPU.

local async = require "parts.jacobi3d_async"

local nodes, odfs = async.most(512, 16)
local last = nodes[#nodes]

-- By how many percent Charm-D's best is better than Charm-H's.
local function gain(r, n)
  return 100 * (async.best(r, async.host, n, odfs) / async.best(r, async.direct, n, odfs) - 1)
end

return async.figure {
  long = true,
  title = "Async22, Fig 7a: Jacobi3D, weak scaling of 1536³ cells a node",
  nodes = nodes, odfs = odfs, grid = 1536, scaling = "weak",
  claims = {
    ["A-17"] = async.odf_claim(async.host, nodes, odfs, 4),
    ["A-18"] = async.odf_claim(async.direct, nodes, odfs, 2),
    ["A-19"] = function(r)
      local low, high = math.huge, -math.huge
      for _, n in ipairs(nodes) do low, high = math.min(low, gain(r, n)), math.max(high, gain(r, n)) end
      return { obtained = { low, high }, holds = low >= 0 and high >= 2.5 and high <= 7.5,
               note = string.format("best ODF of Charm-D over that of Charm-H, %.1f to %.1f %%; never a loss, the largest 2.5 to 7.5", low, high) }
    end,
    ["A-20"] = function(r)
      local value = async.time(r, async.host, last, 1) / async.time(r, async.direct, last, 2)
      return { obtained = 100 * (value - 1), limits = { 44.9, 77.1 }, holds = math.abs(value - 1.61) <= 0.161,
               note = string.format("at %d nodes (published: 512); within 10 %% of 1.61x (D-23)", last) }
    end,
    ["A-21"] = function(r)
      local best = 0
      for _, n in ipairs(nodes) do
        if n >= 4 then best = math.max(best, async.time(r, "spectrum-h", n) / async.time(r, "spectrum-d", n)) end
      end
      return { obtained = best, limits = { 1.03 }, holds = best <= 1.03, note = "largest gain of MPI-D over MPI-H from 8 nodes on; none is at most 1.03" }
    end,
    ["A-24"] = function(r)
      local function growth(design, best_of)
        return async.best(r, design, last, best_of) / async.best(r, design, 1, best_of)
      end
      local charm = math.max(growth(async.host, odfs), growth(async.direct, odfs))
      local mpi = math.min(growth("spectrum-h", { 1 }), growth("spectrum-d", { 1 }))
      return { obtained = charm, holds = charm < mpi,
               note = string.format("time at %d nodes over that at 1: Charm++ at most %.3f, MPI at least %.3f", last, charm, mpi) }
    end,
  },
}

-- SPDX-License-Identifier: BSD-3-Clause
-- Async22, Fig 7b: Jacobi3D on Summit, weak scaling of 192^3 cells a node, as Fig 7a, with the node counts and overdecomposition
-- factors that a scenario takes.

local async = require "parts.jacobi3d_async"

local small = {}

function small.figure(f)
  local nodes, odfs = f.nodes, f.odfs
  return async.figure {
    long = f.long,
    title = "Async22, Fig 7b: Jacobi3D, weak scaling of 192³ cells a node",
    nodes = nodes, odfs = odfs, grid = 192, scaling = "weak",
    claims = {
      ["A-25"] = function(r)
        local least = math.huge
        for _, n in ipairs(nodes) do
          least = math.min(least, async.time(r, "spectrum-h", n) / async.time(r, "spectrum-d", n),
            async.best(r, async.host, n, odfs) / async.best(r, async.direct, n, odfs))
        end
        return { obtained = least, limits = { 1.15 }, holds = least >= 1.15,
                 note = "least ratio of host-staging to GPU-aware, of MPI and Charm++; substantial is 1.15 at each node count" }
      end,
      ["A-26"] = function(r)
        local h, texts_h = async.best_odfs(r, async.host, nodes, odfs, 1)
        local d, texts_d = async.best_odfs(r, async.direct, nodes, odfs, 1)
        return { obtained = (h + d) / 2 / #nodes, holds = h == #nodes and d == #nodes,
                 note = "share of points at which ODF-1 is best, all; Charm-H by nodes " .. texts_h .. "; Charm-D " .. texts_d }
      end,
      ["A-27"] = function(r)
        local count, least = 0, math.huge
        for _, n in ipairs(nodes) do
          local ratio = async.best(r, async.host, n, odfs) / async.time(r, "spectrum-h", n)
          least = math.min(least, ratio)
          if ratio > 1 then count = count + 1 end
        end
        return { obtained = least, holds = count > #nodes / 2,
                 note = string.format("Charm-H over MPI-H, least of all node counts; above 1 at %d of %d, more than half", count, #nodes) }
      end,
    },
  }
end

return small

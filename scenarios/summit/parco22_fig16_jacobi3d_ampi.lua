-- SPDX-License-Identifier: BSD-3-Clause
-- ParCo22, Fig 16: Jacobi3D in AMPI and Open MPI, by host-staging and GPU-aware, on Summit: weak scaling of 1536^3 cells a
-- node and strong scaling of 3072^3.

local jacobi = require "parts.jacobi3d"

local host, direct = "ampi-h", "ampi-d"

-- AMPI over Open MPI, both GPU-aware: mean and largest ratio of communication up to 16 nodes or beyond.
local function against_mpi(r, is_small)
  local sum, count = 0, 0
  for _, nodes in ipairs(jacobi.weak_nodes) do
    if (nodes <= 16) == is_small then
      sum, count = sum + jacobi.speedup(r, direct, "openmpi-d", "weak", nodes, "communication_us"), count + 1
    end
  end
  return sum / count
end

return jacobi.parco_figure {
  title = "ParCo22, Fig 16: Jacobi3D in AMPI",
  designs = { host, direct, "openmpi-h", "openmpi-d" },
  host = host, direct = direct,
  ranges = {
    ["P-J06"] = { "weak", "communication_us", 1.3, 12.8 },
    ["P-J07"] = { "weak", "iteration_us", nil, 1.41 },
    ["P-J09"] = { "strong", "communication_us", 1.9, 2.6 },
    ["P-J10"] = { "strong", "iteration_us", 1.27, 1.74 },
  },
  claims = {
    ["P-J08"] = function(r)
      local few, many = against_mpi(r, true), against_mpi(r, false)
      return { obtained = many, holds = few < 1.15 and many > 1.15,
               note = string.format("communication of AMPI over Open MPI, both GPU-aware: %.2f on the average up to 16 nodes, "
                 .. "%.2f beyond; similar is below 1.15", few, many) }
    end,
  },
}

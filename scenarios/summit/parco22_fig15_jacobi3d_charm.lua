-- SPDX-License-Identifier: BSD-3-Clause
-- ParCo22, Fig 15: Jacobi3D in Charm++ by host-staging and by the GPU Messaging API on Summit, weak scaling of 1536^3 cells a
-- node and strong scaling of 3072^3.

local jacobi = require "parts.jacobi3d"

local host, direct = "charm-h", "charm-messaging"

return jacobi.parco_figure {
  title = "ParCo22, Fig 15: Jacobi3D in Charm++",
  designs = { host, direct },
  host = host, direct = direct,
  ranges = {
    ["P-J01"] = { "weak", "communication_us", 1.1, 12.4, 1 },
    ["P-J02"] = { "weak", "iteration_us", 1 / (1 - 0.05), 1 / (1 - 0.37) },
    ["P-J04"] = { "strong", "communication_us", 1.12, 1.82 },
    ["P-J05"] = { "strong", "iteration_us", 1.09, 1.27, jacobi.strong_nodes[1] },
  },
  claims = {
    ["P-J03"] = function(r)
      local first, middle, last = 1, 8, jacobi.weak_nodes[#jacobi.weak_nodes]
      local function at(nodes) return jacobi.speedup(r, host, direct, "weak", nodes, "communication_us") end
      return { obtained = at(last), holds = at(first) > at(middle) and at(middle) > at(last),
               note = string.format("speedup of communication %.2f at 1 node, %.2f at 8, %.2f at %d: has to fall", at(first),
                 at(middle), at(last), last) }
    end,
  },
}

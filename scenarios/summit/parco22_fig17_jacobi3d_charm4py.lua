-- SPDX-License-Identifier: BSD-3-Clause
-- ParCo22, Fig 17: Jacobi3D in Charm4py, by host-staging and GPU-aware, on Summit: weak scaling of 1536^3 cells a node and
-- strong scaling of 3072^3. Messages are 8 times as long as faces, as the program had it. Charm++ and AMPI stand beside it for
-- what is said of all three.

local jacobi = require "parts.jacobi3d"

local host, direct = "charm4py-h", "charm4py-d"

local function share(r, design, nodes)
  local row = r:value { design = design, scaling = "weak", nodes = nodes }
  return row.communication_us / row.iteration_us
end

return jacobi.parco_figure {
  title = "ParCo22, Fig 17: Jacobi3D in Charm4py",
  designs = { host, direct, "charm-h", "charm-messaging", "ampi-h", "ampi-d" },
  host = host, direct = direct,
  ranges = {
    ["P-J11"] = { "weak", "communication_us", 1.9, 19.7 },
    ["P-J12"] = { "weak", "iteration_us", 1.9, 7.3 },
    ["P-J13"] = { "strong", "communication_us", 1.4, 3.0 },
    ["P-J14"] = { "strong", "iteration_us", 1.5, 2.7 },
  },
  claims = {
    ["P-J15"] = function(r)
      local least = math.huge
      for _, nodes in ipairs(jacobi.weak_nodes) do
        least = math.min(least, share(r, direct, nodes) / share(r, "charm-messaging", nodes),
          share(r, direct, nodes) / share(r, "ampi-d", nodes), share(r, host, nodes) / share(r, "charm-h", nodes),
          share(r, host, nodes) / share(r, "ampi-h", nodes))
      end
      return { obtained = least, limits = { 1 }, holds = least > 1,
               note = "least ratio of communication's share in an iteration, Charm4py over Charm++ or AMPI, weak scaling" }
    end,
    ["P-C14"] = function(r)
      local function most(h, d)
        local best = 0
        for _, nodes in ipairs(jacobi.weak_nodes) do
          best = math.max(best, jacobi.speedup(r, h, d, "weak", nodes, "communication_us"))
        end
        return best
      end
      local python, ampi, charm = most(host, direct), most("ampi-h", "ampi-d"), most("charm-h", "charm-messaging")
      return { obtained = python, holds = python > ampi and ampi > charm,
               note = string.format("largest speedup of communication, weak scaling: Charm4py %.1f, AMPI %.1f, Charm++ %.1f",
                 python, ampi, charm) }
    end,
  },
}

-- SPDX-License-Identifier: BSD-3-Clause
-- Async22, Fig 6: Jacobi3D in Charm++ with host-staging and four blocks a GPU, before and after: two synchronisations an
-- iteration or one, copies in the stream of the kernels or in two of their own. Weak scaling of 1536^3 cells a node, strong of 3072^3.

local jacobi = require "parts.jacobi3d"

local scaling, nodes = {}, {}
for _, n in ipairs { 1, 2, 8, 32 } do scaling[#scaling + 1], nodes[#nodes + 1] = "weak", n end
for _, n in ipairs { 8, 32 } do scaling[#scaling + 1], nodes[#nodes + 1] = "strong", n end

local function least_gain(r, which)
  local least, texts = math.huge, {}
  for i, n in ipairs(nodes) do
    if scaling[i] == which then
      local function time(version) return r:value { scaling = which, nodes = n, version = version }.iteration_us end
      local gain = time("before") / time("after")
      least, texts[#texts + 1] = math.min(least, gain), string.format("%d: %.3f", n, gain)
    end
  end
  return { obtained = least, limits = { 1 }, holds = least > 1, note = "least ratio of before to after; by nodes " .. table.concat(texts, ", ") }
end

return study {
  long = true,
  title = "Async22, Fig 6: Charm-H before and after optimisation, ODF-4",
  machine = function(p) return jacobi.machine(p.nodes, jacobi.large) end,
  vary = { zip { scaling = scaling, nodes = nodes }, { "version", { "before", "after" } } },
  run = function(p)
    local r = jacobi.run {
      design = "charm-h", nodes = p.nodes, odf = 4, scaling = p.scaling, grid = p.scaling == "weak" and 1536 or 3072,
      optimised = p.version == "after",
    }
    return { iteration = r.iteration, exposed = r.exposed, gpu_busy = r.gpu_busy, iterations_run = r.iterations_run }
  end,
  plot = { x = "nodes", y = "iteration_us", by = "version", panels = "scaling", style = "loglog", x_label = "Number of nodes",
           y_label = "Time per iteration" },
  claims = {
    ["A-13"] = function(r) return least_gain(r, "weak") end,
    ["A-14"] = function(r) return least_gain(r, "strong") end,
  },
}

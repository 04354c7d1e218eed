-- SPDX-License-Identifier: BSD-3-Clause
-- Async22, Figs 8 and 9: Jacobi3D in Charm++ with the Channel API, strong scaling of 768^3 cells: kernel fusion, and CUDA graphs beside
-- it, with one block a GPU and with eight.

local jacobi = require "parts.jacobi3d"

local nodes, fusions = { 1, 4, 16, 32, 128 }, { "none", "A", "B", "C" }
local last = nodes[#nodes]

local function row(r, n, odf, fusion, graph)
  return r:value { nodes = n, odf = odf, version = graph and fusion .. " as graphs" or fusion }
end
local function time(r, ...) return row(r, ...).iteration_us end

-- By which factor fusion makes an iteration shorter; and a graph.
local function by_fusion(r, n, odf, fusion) return time(r, n, odf, "none") / time(r, n, odf, fusion) end
local function by_graph(r, n, odf, fusion) return time(r, n, odf, fusion) / time(r, n, odf, fusion, true) end

local versions = { fusion = {}, graph = {}, version = {} }
for _, graph in ipairs { false, true } do
  for _, fusion in ipairs(fusions) do
    local i = #versions.fusion + 1
    versions.fusion[i], versions.graph[i], versions.version[i] = fusion, graph, graph and fusion .. " as graphs" or fusion
  end
end

local function list(values)
  local texts = {}
  for i, fusion in ipairs(fusions) do texts[i] = string.format("%s %.3f", fusion, values(fusion)) end
  return table.concat(texts, ", ")
end

return study {
  long = true,
  title = "Async22, Figs 8 and 9: kernel fusion and CUDA graphs",
  machine = function(p) return jacobi.machine(p.nodes, jacobi.small, true, p.odf) end,
  vary = { { "nodes", nodes }, { "odf", { 1, 8 } }, zip(versions) },
  run = function(p)
    local r = jacobi.run {
      design = "charm-channel", nodes = p.nodes, odf = p.odf, grid = 768, scaling = "strong", fusion = p.fusion, graph = p.graph,
    }
    return { iteration = r.iteration, pe_utilisation = r.pe_utilisation, pe_cuda = r.pe_cuda, gpu_busy = r.gpu_busy,
             kernels = r.kernels, iterations_run = r.iterations_run }
  end,
  plot = {
    { x = "nodes", y = "iteration_us", by = "version", panels = "odf", only = { graph = false }, style = "loglog",
      title = "Async22, Fig 8: kernel fusion, strong scaling of 768³ cells", x_label = "Number of nodes",
      y_label = "Time per iteration",
      labels = { none = "Baseline", A = "Fusion (A)", B = "Fusion (B)", C = "Fusion (C)", ["1"] = "ODF-1", ["8"] = "ODF-8" },
      published = function(r)
        return { { "A-42", by = "C", panel = 1, x = last, y = time(r, last, 1, "none") / 1.2 },
                 { "A-43", by = "C", panel = 8, x = last, y = time(r, last, 8, "none") / 1.51 } }
      end },
    { x = "nodes", y = "iteration_us", by = "fusion", panels = "odf", speedup = { graph = false }, only = { graph = true },
      style = "semilogx", title = "Async22, Fig 9: speedup from CUDA graphs", x_label = "Number of nodes", y_label = "Speedup",
      labels = { none = "No fusion", A = "Fusion (A)", B = "Fusion (B)", C = "Fusion (C)", ["1"] = "ODF-1", ["8"] = "ODF-8" },
      published = { { "A-47", by = "none", panel = 8, x = last } } },
  },
  claims = {
    ["A-40"] = function(r)
      local most = 0
      for _, n in ipairs { 1, 4, 16 } do
        for _, fusion in ipairs { "A", "B", "C" } do most = math.max(most, math.abs(by_fusion(r, n, 1, fusion) - 1)) end
      end
      return { obtained = 100 * most, holds = most <= 0.05, note = "largest effect of fusion below 32 nodes, ODF-1, in percent; not noticeable is 5" }
    end,
    ["A-41"] = function(r)
      local function orders(n) return time(r, n, 1, "C") < time(r, n, 1, "B") and time(r, n, 1, "B") < time(r, n, 1, "A")
          and time(r, n, 1, "A") < time(r, n, 1, "none") end
      return { obtained = by_fusion(r, last, 1, "C"), holds = orders(32) and orders(last),
               note = "C before B before A before none at 32 and 128 nodes, ODF-1: " .. list(function(f) return by_fusion(r, last, 1, f) end) }
    end,
    ["A-42"] = function(r)
      local value = by_fusion(r, last, 1, "C")
      return { obtained = 100 * (value - 1), holds = value >= 1.2 * 0.9 and value <= 1.25 * 1.1, note = "C at 128 nodes, ODF-1; within 10 % of 1.20x to 1.25x (D-24)" }
    end,
    ["A-43"] = function(r)
      local value = by_fusion(r, last, 8, "C")
      return { obtained = 100 * (value - 1), limits = { 35.9, 66.1 }, holds = math.abs(value - 1.51) <= 0.151, note = "C at 128 nodes, ODF-8; within 10 % of 1.51x" }
    end,
    ["A-44"] = function(r)
      local least = math.huge
      for _, f in ipairs { "A", "B", "C" } do least = math.min(least, by_fusion(r, last, 8, f) / by_fusion(r, last, 1, f)) end
      return { obtained = least, limits = { 1 }, holds = least > 1, note = "effect with ODF-8 over that with ODF-1 at 128 nodes, least of A, B and C" }
    end,
    ["A-45"] = function(r)
      local least = math.huge
      for _, n in ipairs(nodes) do least = math.min(least, time(r, n, 8, "none") / time(r, n, 1, "none")) end
      return { obtained = least, limits = { 1 }, holds = least > 1, note = "least ratio of ODF-8 to ODF-1 over node counts, without fusion" }
    end,
    ["A-46"] = function(r)
      local low, high = math.huge, 0
      for _, n in ipairs(nodes) do
        for _, f in ipairs(fusions) do low, high = math.min(low, by_graph(r, n, 1, f)), math.max(high, by_graph(r, n, 1, f)) end
      end
      return { obtained = high, holds = low >= 0.95 and high <= 1.15 and by_graph(r, last, 1, "none") >= by_graph(r, last, 1, "C"),
               note = string.format("effect of graphs with ODF-1, %.3f to %.3f; little is 0.95 to 1.15, and no less without fusion than with C", low, high) }
    end,
    ["A-47"] = function(r)
      local value = by_graph(r, last, 8, "none")
      return { obtained = value, limits = { 1.35, 1.65 }, holds = math.abs(value - 1.5) <= 0.15, note = "at 128 nodes, ODF-8, without fusion; within 10 %" }
    end,
    ["A-48"] = function(r)
      local function g(f) return by_graph(r, last, 8, f) end
      return { obtained = g("none") / g("C"), holds = g("none") > g("A") and g("A") > g("B") and g("B") > g("C"),
               note = "effect of graphs at 128 nodes, ODF-8, falls from none to C: " .. list(g) }
    end,
    ["A-49"] = function(r)
      local one, eight = row(r, last, 1, "none").pe_utilisation, row(r, last, 8, "none").pe_utilisation
      return { obtained = eight, holds = one < 0.5 and eight > one,
               note = string.format("share of the PE's time at work, 128 nodes: %.2f with ODF-1 (mostly idle is below 0.5), %.2f with ODF-8", one, eight) }
    end,
    ["A-50"] = function(r)
      local one, eight, graphs = by_fusion(r, last, 1, "C"), by_fusion(r, last, 8, "C"), by_graph(r, last, 8, "none")
      return { obtained = 100 * (eight - 1), holds = math.abs(one - 1.2) <= 0.12 and math.abs(eight - 1.51) <= 0.151 and math.abs(graphs - 1.5) <= 0.15,
               note = string.format("fusion %.2fx with ODF-1 and %.2fx with ODF-8, graphs %.2fx; each within 10 %% of 1.20, 1.51 and 1.50", one, eight, graphs) }
    end,
    ["A-52"] = function(r)
      -- kernels of a block with six neighbours: the mean tells of how many neighbours blocks have
      local n = {}
      for _, f in ipairs(fusions) do n[f] = row(r, last, 1, f).kernels end
      local faces = (n["none"] - 1) / 2
      return { obtained = n["none"], holds = math.abs(n["A"] - 2 - faces) < 0.2 and math.abs(n["B"] - 3) < 0.1 and math.abs(n["C"] - 1) < 0.05 and faces <= 6,
               note = string.format("kernels an iteration at %.2f neighbours on the average: 1 + 2 n, 2 + n, 3, 1: %s", faces, list(function(f) return n[f] end)) }
    end,
  },
}

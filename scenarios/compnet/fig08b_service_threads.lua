-- SPDX-License-Identifier: BSD-3-Clause
-- ComPNet18, Fig 8b: 480 work-groups of 64 work-items fill the 12 CUs and get 8 B again and again; by the
-- number of service threads. The CPs get as many cores as there are threads.

local node = require "configs.gcn3_node"
local assumptions = require "scenarios.compnet.parts.assumptions"
local fig08 = require "parts.fig08"

local threads = { 1, 2, 4, 8, 16 }

local function time(r, design, service_threads)
  return r:value { assumption = "stated", design = design, service_threads = service_threads }.latency_us
end

-- The smallest and the largest ratio of dgpu's to another's times over the numbers of threads.
local function ratios(r, other)
  return fig08.ratios(function(design, n) return time(r, design, n) end, threads, { other })
end

return study {
  title = "ComPNet18, Fig 8b: 480 work-groups, by service threads",
  machine = function(p)
    local changes = assumptions.machine(p.assumption, p.design == "comp-net")
    changes.nodes = 2
    if p.design == "comp-net" then
      changes.cp = changes.cp or {}
      changes.cp.cores = 16
    end
    return node(changes)
  end,
  vary = {
    { "assumption", assumptions.names },
    { "design", { "dgpu", "apu", "comp-net" } },
    { "service_threads", threads },
  },
  run = function(p)
    local served = design { from = assumptions.design(p.design, p.assumption), service_threads = p.service_threads }
    return queue_service { design = served, operation = "get", bytes = "8B", work_groups = 480, operations = 20 }
  end,
  plot = {
    { x = "service_threads", y = "latency_us", by = "design", over = "assumption", style = "loglog",
      order = { "dgpu", "apu", "comp-net" }, x_label = "Service threads", y_label = "Time of a get" },
    { x = "service_threads", y = "service_energy_uJ", by = "design", over = "assumption", style = "loglog",
      order = { "dgpu", "apu", "comp-net" }, x_label = "Service threads", y_label = "Energy of the service threads",
      title = "ComPNet18, Fig 8b: energy of the service threads" },
  },
  claims = {
    ["N-41"] = function(r)
      local compnet, apu = ratios(r, "comp-net"), ratios(r, "apu")
      return { obtained = math.min(compnet, apu), limits = { 1 }, holds = compnet > 1 and apu > 1,
               note = "smallest ratio of dgpu to comp-net and apu over the numbers of threads" }
    end,
    ["N-42"] = function(r)
      local low, high = ratios(r, "comp-net")
      local last = r:value { assumption = "stated", design = "comp-net", service_threads = threads[#threads] }
      return { obtained = low, limits = { fig08.poor }, holds = low > fig08.poor,
               note = string.format("smallest ratio of dgpu to comp-net over the numbers of threads, of at most %.1f; %.1f "
                 .. "with the two of Table 1; holds above 2, a factor that the paper does not print. With 16 a CP waits "
                 .. "%.1f us for a mutex of the shared network library", high,
                 time(r, "dgpu", 2) / time(r, "comp-net", 2), last.lock_wait_us) }
    end,
  },
}

-- ComPNet18, Fig 8b: 480 work-groups of 64 work-items fill the 12 CUs and get 8 B again and again; by the
-- number of service threads. The CPs get as many cores as there are threads.

local node = require "configs.gcn3_node"

local threads = { 1, 2, 4, 8, 16 }

local function time(r, design, service_threads)
  return r:value { design = design, service_threads = service_threads }.latency_us
end

-- The smallest and the largest ratio of two designs' times over the numbers of threads.
local function ratios(r, one, other)
  local low, high = math.huge, 0
  for _, n in ipairs(threads) do
    local ratio = time(r, one, n) / time(r, other, n)
    low, high = math.min(low, ratio), math.max(high, ratio)
  end
  return low, high
end

return study {
  title = "480 work-groups, by service threads",
  machine = node { cp = { cores = 16 } },
  vary = {
    { "design", { "dgpu", "apu", "comp-net" } },
    { "service_threads", threads },
  },
  run = function(p)
    return queue_service { design = p.design, operation = "get", bytes = "8B", work_groups = 480,
                           service_threads = p.service_threads, operations = 20 }
  end,
  plot = {
    { x = "service_threads", y = "latency_us", by = "design", style = "loglog",
      x_label = "Service threads", y_label = "Time of a get (us)" },
    { x = "service_threads", y = "energy_uJ", by = "design", style = "loglog",
      x_label = "Service threads", y_label = "Energy of the service threads (uJ)" },
  },
  claims = {
    ["N-41"] = function(r)
      local compnet, apu = ratios(r, "dgpu", "comp-net"), ratios(r, "dgpu", "apu")
      return { obtained = math.min(compnet, apu), holds = compnet > 1 and apu > 1,
               note = "smallest ratio of dgpu to comp-net and apu over the numbers of threads" }
    end,
    ["N-42"] = function(r)
      local low, high = ratios(r, "dgpu", "comp-net")
      local last = r:value { design = "comp-net", service_threads = threads[#threads] }
      return { obtained = low, holds = low > 2,
               note = string.format("smallest ratio of dgpu to comp-net, of at most %.1f; holds above 2. With "
                 .. "16 threads a CP waits %.1f us for a mutex of the shared network library", high,
                 last.lock_wait_us) }
    end,
    ["N-47"] = function(r)
      local low, high = ratios(r, "comp-net", "apu")
      return { obtained = high, holds = low > 0.8 and high < 1.25,
               note = string.format("comp-net over apu: %.2f to %.2f; holds within 0.8 to 1.25; a CP "
                 .. "waits for the L2 or memory at each mutex, release, entry and miss of its own data, a "
                 .. "CPU finds them in its caches", low, high) }
    end,
  },
}

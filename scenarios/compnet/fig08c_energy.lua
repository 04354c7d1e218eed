-- ComPNet18, Fig 8c: energy of the network service threads while 480 work-groups get 8 B each again and again.
-- Two threads: the two CP cores of Table 1, and as many host threads.

local node = require "configs.gcn3_node"

local function ratio(r, one, other, column)
  column = column or "energy_uJ"
  return r:value { design = one }[column] / r:value { design = other }[column]
end

local function near(value, stated)
  return value > 0.9 * stated and value < 1.1 * stated
end

return study {
  title = "Energy of two service threads, 480 work-groups",
  machine = node { nodes = 2 },
  vary = { { "design", { "dgpu", "apu", "comp-net" } } },
  run = function(p)
    return queue_service { design = p.design, operation = "get", bytes = "8B", work_groups = 480,
                           service_threads = 2, operations = 20 }
  end,
  plot = { x = "design", y = "energy_uJ", style = "bars",
           x_label = "Design", y_label = "Energy of the service threads (uJ)" },
  claims = {
    ["N-44"] = function(r)
      local value = ratio(r, "comp-net", "dgpu")
      local dgpu = r:value { design = "dgpu" }
      return { obtained = value, holds = near(value, 1 / 3),
               note = string.format("nothing is fitted to it; holds within 10 %%. dgpu takes %.1f times as "
                 .. "long as comp-net: %.0f %% of its threads' time they wait for loads over PCIe",
                 ratio(r, "dgpu", "comp-net", "duration_us"), 100 * dgpu.time_stalled) }
    end,
    ["N-45"] = function(r)
      local value = ratio(r, "comp-net", "apu")
      return { obtained = value, holds = near(value, 1 / 2), note = "holds within 10 %" }
    end,
    ["N-46"] = function(r)
      local value = ratio(r, "apu", "dgpu")
      return { obtained = value, holds = near(value, 2 / 3), note = "holds within 10 %" }
    end,
  },
}

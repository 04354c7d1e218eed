-- SPDX-License-Identifier: BSD-3-Clause
-- Where does the energy of a get go, if all that takes part counts and not only who serves? Gets of 8 B by one and by 480
-- work-groups, from the first call to the last return, of both nodes. docs/learn/whatif.md reads the figure.

local node = require "configs.gcn3_node"

local operations = 10

-- The parts of `energy`, those of all links as one.
local parts = {
  serving = { "service" }, work_groups_own = { "work_group" }, gpu_idle = { "gpu_idle" }, gpu_memory = { "gpu_memory" },
  nics = { "nic" }, links = { "bus", "nvlink", "socket_link", "network" },
}

-- Of those parts that the run models; else it says that it does not.
local function per_get(r, names, gets)
  local sum
  for _, name in ipairs(names) do
    local text = r[name .. "_energy"]
    if text ~= "not modelled" then sum = (sum or 0) + r[name .. "_energy_uJ"] / gets end
  end
  return sum or "not modelled"
end

return study {
  title = "Energy of a get by its parts",
  machine = node { nodes = 2 },
  vary = {
    { "design", { "dgpu", "apu", "comp-net", "smart-nic", "gpu-warp", "gpu-verbs" } },
    { "work_groups", { 1, 480 } },
  },
  run = function(p)
    local r = queue_service { design = p.design, operation = "get", bytes = "8B", work_groups = p.work_groups,
                              operations = operations }
    local gets = p.work_groups * operations
    local row = { latency = r.latency, energy_per_get = r.energy_uJ / gets }
    for part, names in pairs(parts) do row[part] = per_get(r, names, gets) end
    return row
  end,
  plot = { x = "design", y = "serving,work_groups_own,gpu_idle,gpu_memory,nics,links", panels = "work_groups",
           style = "stack", x_label = "Design", y_label = "Energy of a get (µJ)", title = "Energy of a get, by part" },
}

-- SPDX-License-Identifier: BSD-3-Clause
-- What if 72 nodes are joined by a dragonfly instead of a fat tree, and all nodes of a group of eight send to the next group at once? The
-- dragonfly has one cable from group to group, the fat tree half as many cables up as down, and the third network is drawn by hand: a ring of
-- the same groups' switches, four cables each way.
local node = require "configs.gcn3_node"

local GROUP, NODES = 8, 72

local ring = {}
for group = 0, NODES // GROUP - 1 do
  ring[#ring + 1] = ("node%d..%d hub%d"):format(group * GROUP, group * GROUP + GROUP - 1, group)
  ring[#ring + 1] = ("hub%d hub%d x4"):format(group, (group + 1) % (NODES // GROUP))
end

local networks = {
  ["fat tree"] = { topology = "fat-tree", radix = GROUP, uplinks = GROUP // 2 },
  dragonfly = { topology = "dragonfly", radix = 2, pod = 4, uplinks = 2 },
  ring = { topology = "drawn", cables = ring },
}

return study {
  title = "All of a group send to the next group",
  machine = function(p)
    local network = { routing = p.routing }
    for key, value in pairs(networks[p.network]) do network[key] = value end
    return node { nodes = NODES, network = network }
  end,
  vary = { { "network", { "fat tree", "dragonfly", "ring" } }, { "routing", { "static", "adaptive" } } },
  run = function(p)
    local w = program { design = "gpu-verbs", nodes = NODES }
    local data, come = w:buffer "1MiB", w:signals(1)
    w:parties { work_groups = 1, program = function(me)
      local start = me:now()
      me:put_signal { to = (me.rank + GROUP) % NODES, buffer = data, signal = come, index = 0, value = 1 }
      me:wait_until { from = (me.rank - GROUP) % NODES, buffer = data, signal = come, index = 0, value = 1 }
      me:record("arrives", me:now() - start)
    end }
    local found = w:run()
    return { first = found.arrives_min, last = found.arrives_max }
  end,
  plot = {
    { x = "network", y = "last_us", by = "routing", style = "bars", x_label = "Network", y_label = "Last of 72 puts of 1 MiB",
      title = "All of a group send to the next group" },
  },
}

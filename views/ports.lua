-- SPDX-License-Identifier: BSD-3-Clause
-- Finds NICs that stay idle beside one that is the bottleneck, from the statistics of a run: lines of path, name, unit,
-- description, field, value.
local ports = {}

local BUSY, IDLE = 0.5, 0.1 -- parts of the time: a port is a bottleneck from BUSY on, and idle below IDLE times the busiest port

-- By node, the use of each NIC's busiest cable: { node = "node0", { name = "nic0", use = 0.9 }, ... }.
local function by_node(stats)
  local nodes, found = {}, {}
  for line in (stats or ""):gmatch("[^\n]+") do
    local node, nic, use = line:match("^(node%d+)%.([^\t.]+)\tport_use\t[^\t]*\t[^\t]*\t[^\t]*\t([^\t]*)$")
    if node then
      if not found[node] then
        found[node] = { node = node }
        nodes[#nodes + 1] = found[node]
      end
      local all, number = found[node], core.number(use)
      local last = all[#all]
      if last and last.name == nic then last.use = math.max(last.use, number)
      else all[#all + 1] = { name = nic, use = number } end
    end
  end
  return nodes
end

local function share(use) return string.format("%.0f %%", 100 * use) end

-- A sentence on the node whose busiest port is the busiest of all, or "" if none is a bottleneck or none beside it is idle.
function ports.sentence(stats)
  local worst, busiest
  for _, node in ipairs(by_node(stats)) do
    for _, port in ipairs(node) do
      if not busiest or port.use > busiest.use then worst, busiest = node, port end
    end
  end
  if not busiest or busiest.use < BUSY then return "" end
  local idle, most = {}, 0
  for _, port in ipairs(worst) do
    if port.use <= IDLE * busiest.use then
      idle[#idle + 1], most = port.name, math.max(most, port.use)
    end
  end
  if #idle == 0 then return "" end
  return string.format("Idle NICs: of %s, %s is busy %s of the time, %s at most %s; node.nic_policy and the design's own rails choose among them.\n",
                       worst.node, busiest.name, share(busiest.use), table.concat(idle, ", "), share(most))
end

return ports

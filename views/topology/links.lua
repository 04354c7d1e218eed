-- SPDX-License-Identifier: BSD-3-Clause
-- Links between GPUs: what a machine file can say of them, and how fast one is.
local links = {}

-- GB/s of a link and direction, by NVIDIA's compute capability and AMD's gfx number.
local NVLINK = {
  [60] = { 20, "NVLink 1, 20 GB/s a link and direction: NVIDIA's P100 white paper" },
  [70] = { 25, "NVLink 2, 25 GB/s a link and direction: NVIDIA's V100 white paper" },
  [80] = { 25, "NVLink 3, 25 GB/s a link and direction: NVIDIA's A100 white paper" },
  [86] = { 14.0625, "NVLink 3 of an A40, 112.5 GB/s over four links both ways: NVIDIA's A40 data sheet" },
  [90] = { 25, "NVLink 4, 25 GB/s a link and direction: NVIDIA's H100 white paper" },
  [100] = { 50, "NVLink 5, 50 GB/s a link and direction: NVIDIA's Blackwell architecture brief" },
}
local XGMI = {
  ["906"] = { 46, "Infinity Fabric link of an MI50 or MI60, 92 GB/s both ways: AMD's data sheet" },
  ["908"] = { 46, "Infinity Fabric link of an MI100, 92 GB/s both ways: AMD's data sheet" },
  ["910"] = { 50, "Infinity Fabric link of an MI250, 100 GB/s both ways: AMD's CDNA 2 white paper" },
  ["90a"] = { 50, "Infinity Fabric link of an MI250, 100 GB/s both ways: AMD's CDNA 2 white paper" },
  ["940"] = { 64, "Infinity Fabric link of an MI300, 128 GB/s both ways: AMD's CDNA 3 white paper" },
  ["942"] = { 64, "Infinity Fabric link of an MI300, 128 GB/s both ways: AMD's CDNA 3 white paper" },
  ["950"] = { 76.8, "Infinity Fabric link of an MI350, 153.6 GB/s both ways: AMD's CDNA 4 white paper" },
}

local function sheet_of(gpu, link)
  if link.name == "xgmi" then return XGMI[(gpu.gcn or ""):match("^gfx(%x+)") or gpu.gcn] end
  return NVLINK[gpu.sm]
end

-- The number of links between every two GPUs, by the GPUs' numbers, and how many links go to switches and CPUs.
local function count_links(of)
  local numbers, counts = {}, { switch = {}, cpu = {}, least = math.huge, most = 0, pairs = 0 }
  for i, gpu in ipairs(of.gpus) do numbers[gpu.busid or i] = i end
  for i, gpu in ipairs(of.gpus) do
    counts[i] = {}
    for _, link in ipairs(gpu.links) do
      local j = numbers[link.target]
      counts.first = counts.first or { gpu = gpu, link = link }
      if link.to == "gpu" and not j then
        of.note(link.line, "%s target=%s is no GPU of the file; the link is not drawn", link.name, tostring(link.target))
      elseif link.to == "gpu" then
        counts[i][j] = (counts[i][j] or 0) + link.count
      else
        counts[link.to][i] = (counts[link.to][i] or 0) + link.count
      end
    end
  end
  return counts
end

-- Whether every two of the GPUs with is_in(gpu) have a link; and the fewest and most links of such a pair.
local function is_complete(of, counts, is_in)
  local least, most = math.huge, 0
  for i = 1, #of.gpus do
    for j = 1, #of.gpus do
      if i ~= j and is_in(of.gpus[i], of.gpus[j]) then
        local count = counts[i][j]
        if not count then return false end
        least, most = math.min(least, count), math.max(most, count)
      end
    end
  end
  return most > 0, least, most
end

local function least_and_most(list, number)
  local least, most = math.huge, 0
  for i = 1, number do
    local count = list[i] or 0
    least, most = math.min(least, count), math.max(most, count)
  end
  return least, most
end

local function has_pairs(counts)
  for i = 1, #counts do
    if next(counts[i]) then return true end
  end
  return false
end

-- node.peer_link (nil: none), with the fewest and most links at an end of one.
local function shape(of, counts)
  local number = #of.gpus
  local least, most = least_and_most(counts.switch, number)
  if most > 0 and least > 0 then return "nvswitch", least, most end
  local in_node, node_least, node_most = is_complete(of, counts, function() return true end)
  if in_node then return "node", node_least, node_most end
  local in_socket, socket_least, socket_most = is_complete(of, counts, function(one, other) return one.cpu == other.cpu end)
  if in_socket then
    of.note(counts.first.link.line, "links between GPUs of different sockets do not join every two, and are not drawn")
    return "socket", socket_least, socket_most
  end
  if has_pairs(counts) or most > 0 then
    of.note(counts.first.link.line, "links between GPUs (%s) join neither every two of a socket nor of the node, and are not drawn",
      counts.first.link.name)
  end
end

-- The links between GPUs: their kind, and a rate with its range and source (nil: no data sheet is known).
function links.find(of)
  local counts = count_links(of)
  if of.nvswitch then return { kind = "nvswitch", name = "PCIDev subtype=NVSwitch", line = of.nvswitch } end
  if not counts.first then return nil end
  local kind, least, most = shape(of, counts)
  local to_cpu = least_and_most(counts.cpu, #of.gpus)
  local found = { kind = kind, to_cpu = to_cpu > 0, line = counts.first.link.line, name = counts.first.link.name }
  if not kind then return found end
  local sheet = sheet_of(counts.first.gpu, counts.first.link)
  if not sheet then
    of.note(counts.first.gpu.line, "no data sheet is known for links of sm=%s, gcn=%s: nvlink.rate is not set",
      tostring(counts.first.gpu.sm), tostring(counts.first.gpu.gcn))
    return found
  end
  found.rate, found.most_rate, found.count, found.most_count, found.sheet = sheet[1] * least, sheet[1] * most, least, most, sheet[2]
  return found
end

return links

-- SPDX-License-Identifier: BSD-3-Clause
-- NCCL's and RCCL's topology XML: <system> of <cpu> (a NUMA node) of nested <pci> (a bridge, or a device), in which <gpu> has its
-- <nvlink> or <xgmi>, and <nic> its <net>.
local nccl = {}

-- Ranges outside of which a number is a fault of the file: some files have a thousand times too many Mbit/s.
local MBIT, TRANSFERS, LANES, LINKS = { 1, 10e6 }, { 1, 1000 }, { 1, 32 }, { 1, 1000 }

-- The number of a text; nil if it has none within the range.
local function number(text, range)
  local value = tonumber(text or "")
  return value and value >= range[1] and value <= range[2] and value or nil
end

-- "16.0 GT/s PCIe" and 16 lanes as bytes per second, after the line code (8b/10b, 128b/130b; PCIe 6 and later have 242 B of
-- 256). Nil if the file does not say.
local function pci_rate(pci)
  local transfers, lanes = number((pci.attributes.link_speed or ""):match("^[%d.]+"), TRANSFERS), number(pci.attributes.link_width, LANES)
  if not transfers or not lanes then return nil end
  local code = transfers <= 5 and 8 / 10 or transfers <= 32 and 128 / 130 or 242 / 256
  return transfers * 1e9 / 8 * code * lanes
end

local function class_of(pci) return (pci.attributes.class or ""):match("^0x(%x%x%x%x)") end

local GPU_CLASSES = { ["0300"] = true, ["0302"] = true, ["0380"] = true, ["1200"] = true }

local function links_of(of, gpu)
  local links = {}
  for _, link in ipairs(gpu) do
    local class = link.attributes.tclass or ""
    local kind = class:match("^0x0680") and "switch" or (class:match("^0x03") or class:match("^0x12")) and "gpu" or "cpu"
    local count = math.tointeger(number(link.attributes.count or "1", LINKS))
    if count then
      links[#links + 1] = { target = link.attributes.target, count = count, to = kind, name = link.name, line = link.line }
    else
      of.note(link.line, "%s count=%s is no number of links, and not drawn", link.name, link.attributes.count)
    end
  end
  return links
end

local function add_gpu(of, pci, gpu, above)
  local attributes = gpu and gpu.attributes or {}
  of.gpus[#of.gpus + 1] = { line = (gpu or pci).line, cpu = of.cpu, above = above, busid = pci.attributes.busid, rate = pci_rate(pci),
    rate_line = pci.line, rate_text = string.format("link_speed=%s, link_width=%s", pci.attributes.link_speed, pci.attributes.link_width),
    sm = tonumber(attributes.sm), gcn = attributes.gcn, gdr = attributes.gdr, links = gpu and links_of(of, gpu) or {} }
end

local function add_nic(of, element, above)
  local attributes = element.attributes
  local mbit = number(attributes.speed, MBIT)
  if attributes.speed and not mbit then of.note(element.line, "net speed=%s is no speed of a port in Mbit/s", attributes.speed) end
  of.nics[#of.nics + 1] = { line = element.line, cpu = of.cpu, above = above, mbit = mbit, gdr = attributes.gdr, name = attributes.name }
end

local function with(above, bridge)
  local list = table.move(above, 1, #above, 1, {})
  list[#list + 1] = bridge
  return list
end

local walk

local function walk_pci(of, pci, above)
  local class, before = class_of(pci), #of.gpus + #of.nics
  walk(of, pci, with(above, pci), pci)
  if #of.gpus + #of.nics > before then return end
  if GPU_CLASSES[class] then
    add_gpu(of, pci, nil, above)
  elseif class and class:match("^02") then
    add_nic(of, pci, above)
  elseif not class then
    of.unseen = string.format("the device of line %d has no class, which NCCL asks the system for", pci.line)
  end
end

-- `pci` is the device that the elements belong to; it is no bridge above them.
walk = function(of, element, above, pci)
  for _, child in ipairs(element) do
    local name = child.name
    if name == "pci" then
      walk_pci(of, child, above)
    elseif name == "gpu" and pci then
      add_gpu(of, pci, child, table.move(above, 1, #above - 1, 1, {}))
    elseif name == "nic" then
      walk(of, child, above, pci)
    elseif name == "net" then
      add_nic(of, child, pci and table.move(above, 1, #above - 1, 1, {}) or above)
    elseif name ~= "nvlink" and name ~= "xgmi" then
      of.note(child.line, "<%s> is not drawn", name)
    end
  end
end

-- The devices of a file, and its CPUs in their order.
function nccl.read(of, system)
  for _, cpu in ipairs(system) do
    if cpu.name == "cpu" then
      of.cpu = { line = cpu.line, name = "numaid=" .. tostring(cpu.attributes.numaid), threads_text = "affinity",
        mask = cpu.attributes.affinity }
      of.cpus[#of.cpus + 1] = of.cpu
      walk(of, cpu, {}, nil)
    else
      of.note(cpu.line, "<%s> is in no <cpu>, and not drawn", cpu.name)
      of.unseen = of.unseen or string.format("<%s> of line %d is in no <cpu>", cpu.name, cpu.line)
    end
  end
end

return nccl

-- SPDX-License-Identifier: BSD-3-Clause
-- hwloc's XML (lstopo FILE.xml, versions 2 and 3): <object type="Machine"> of nested objects. A Package is a socket; PCIDev
-- are devices, Bridges lie above them, and an OSDev names what the system made of a device. It describes links to the host;
-- of NVLinks it only says whether there is an NVSwitch.
local hwloc = {}

local MOST_UNITS = 1024 -- compute units of a GPU, in this program

local function class_of(device) return (device.attributes.pci_type or ""):match("^(%x%x%x%x)") end

local function vendor_of(device) return (device.attributes.pci_type or ""):match("%[(%x%x%x%x):") end

local function is_gpu(device)
  local class, vendor = class_of(device), vendor_of(device)
  return class == "0302" or ((class == "0300" or class == "0380" or class == "1200") and (vendor == "10de" or vendor == "1002"))
end

-- What the system says of a PCI device: whether RDMA software can use it, and how many compute units OpenCL found. Before
-- version 3 osdev_type is a number, from then on a set of bits.
local function systems_view(of, device)
  local is_fabric, units
  for _, child in ipairs(device) do
    local type = child.attributes.type == "OSDev" and math.tointeger(tonumber(child.attributes.osdev_type or ""))
    is_fabric = is_fabric or type and (of.has_bits and type & 32 ~= 0 or not of.has_bits and type == 3)
    for _, info in ipairs(child) do
      if info.attributes.name == "OpenCLComputeUnits" then units = math.tointeger(tonumber(info.attributes.value or "")) end
    end
  end
  return is_fabric, units and units >= 1 and units <= MOST_UNITS and units or nil
end

-- In GB/s; what is outside of 0.1 to 10,000 is a fault of the file.
local function rate_of(device)
  local rate = tonumber(device.attributes.pci_link_speed)
  return rate and rate >= 0.1 and rate <= 1e4 and rate * 1e9 or nil
end

local function add_device(of, device, above)
  of.unseen = nil
  local entry = { line = device.line, cpu = of.cpu, above = above, rate = rate_of(device), rate_line = device.line, links = {},
    busid = device.attributes.pci_busid, rate_text = "pci_link_speed=" .. tostring(device.attributes.pci_link_speed) }
  local is_fabric, units = systems_view(of, device)
  if is_gpu(device) then
    of.gpus[#of.gpus + 1], entry.units = entry, units
  elseif is_fabric then
    of.nics[#of.nics + 1] = entry
  elseif device.attributes.subtype == "NVSwitch" then
    of.nvswitch = of.nvswitch or device.line
  end
end

local function walk(of, element, above)
  for _, child in ipairs(element) do
    local type, cpu = child.attributes.type, of.cpu
    if child.name == "object" and type == "PCIDev" then
      add_device(of, child, above)
    elseif child.name == "object" and type == "Bridge" then
      local list = table.move(above, 1, #above, 1, {})
      list[#list + 1] = child
      walk(of, child, list)
    elseif child.name == "object" then
      if type == "Package" then
        of.cpu = { line = child.line, name = "Package " .. tostring(child.attributes.os_index), cores = 0 }
        of.cpus[#of.cpus + 1] = of.cpu
      elseif type == "Core" then
        of.cpu.cores = (of.cpu.cores or 0) + 1
      end
      walk(of, child, above)
      of.cpu = cpu
    elseif child.name:match("^distances") and (child.attributes.name or ""):match("NVLink") then
      of.note(child.line, "the rates of NVLinks, which are distances here, are not read")
    end
  end
end

function hwloc.read(of, topology)
  of.cpu = { line = topology.line, name = "the machine", cores = 0 }
  of.cpus[1] = of.cpu
  of.has_bits, of.unseen = (tonumber(topology.attributes.version) or 2) >= 3, "the file has no PCI devices (lstopo --filter io:all writes them)"
  walk(of, topology, {})
  of.note(topology.line, "hwloc tells no speed of a NIC's port, and no NVLinks but that there is an NVSwitch: network.rate and nvlink are not set")
end

return hwloc

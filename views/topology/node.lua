-- SPDX-License-Identifier: BSD-3-Clause
-- A machine file of the devices that were found. All sockets of a node are alike, and all switches: other nodes are
-- refused, or the difference is noted at the head of the machine file.
local links = require "topology/links"
local node = {}

-- Payloads get 75 to 95 % of a PCIe link's rate: packets of 128 to 512 B with 20 to 28 B around each, flow control, and what
-- a device keeps under way.
local PAYLOAD_LOW, PAYLOAD, PAYLOAD_HIGH = 0.75, 0.85, 0.95
local MOST_CORES = 32 -- cores of a socket, in this program
local MOST = 64 -- sockets of a node, and GPUs and NICs of a socket

-- A text in quotes that Lua and JSON read alike: without control characters.
local function quoted(text) return core.quoted((text:gsub("%c", "?"))) end

local function rate_text(rate) return string.format("%.6gGB/s", rate / 1e9) end

local function count_bits(mask)
  local bits = 0
  for digit in (mask or ""):gsub("0[xX]", ""):gmatch("%x") do
    local number = tonumber(digit, 16)
    while number > 0 do bits, number = bits + (number & 1), number >> 1 end
  end
  return bits
end

-- --- sockets -------------------------------------------------------------------------------------

-- Devices grouped by the field `key`, in the order of the file.
local function by(devices, key)
  local groups, order = {}, {}
  for _, device in ipairs(devices) do
    local at = key(device)
    if not groups[at] then groups[at], order[#order + 1] = {}, at end
    table.insert(groups[at], device)
  end
  return groups, order
end

local function cpu_of(device) return device.cpu end

-- "1, 2 and 1"
local function counts_text(groups, order)
  local texts = {}
  for i, at in ipairs(order) do texts[i] = tostring(#groups[at]) end
  return table.concat(texts, ", ", 1, #texts - 1) .. " and " .. texts[#texts]
end

-- The CPUs with GPUs, if each has the same number of them; else one CPU that has all.
local function sockets_of(of)
  local groups, order = by(of.gpus, cpu_of)
  local is_even = true
  for _, cpu in ipairs(order) do is_even = is_even and #groups[cpu] == #groups[order[1]] end
  if is_even then return order, #groups[order[1]] end
  of.note(order[1].line, "%d CPUs have %s GPUs, and a machine file's sockets are alike: all are drawn on one socket, without socket links",
    #order, counts_text(groups, order))
  for _, list in ipairs({ of.gpus, of.nics }) do
    for _, device in ipairs(list) do device.cpu = order[1] end
  end
  return { order[1] }, #of.gpus
end

-- The network ports that are as fast as the fastest; slower ones belong to the system.
local function fast_nics(of)
  local most, fast = 0, {}
  for _, nic in ipairs(of.nics) do most = math.max(most, nic.mbit or 0) end
  for _, nic in ipairs(of.nics) do
    if not nic.mbit or nic.mbit == most then
      fast[#fast + 1] = nic
    else
      of.note(nic.line, "NIC %s of %g Gbit/s is slower than others, and not drawn", nic.name or "", nic.mbit / 1000)
    end
  end
  return fast, most
end

local function nics_per_socket(of, nics, sockets)
  local groups = by(nics, cpu_of)
  local count = math.max(1, (#nics + #sockets - 1) // #sockets)
  if #nics == 0 then of.note(of.cpus[1].line, "there is no NIC; each socket is drawn with one") end
  local is_even = #nics == 0
  for _, cpu in ipairs(sockets) do is_even = is_even or #(groups[cpu] or {}) == count end
  for _, cpu in ipairs(#nics > 0 and sockets or {}) do
    if #(groups[cpu] or {}) ~= count then
      of.note(cpu.line, "%s has %d NICs, and is drawn with %d, as all are", cpu.name, #(groups[cpu] or {}), count)
    end
  end
  return count
end

-- --- switches ------------------------------------------------------------------------------------

-- Marks each device's switch: the innermost bridge that leads to two devices. A bridge that leads to one is a port of a
-- switch or on the card.
local function mark_switches(of, nics)
  local counts = {}
  local function each(visit)
    for _, list in ipairs({ of.gpus, nics }) do
      for _, device in ipairs(list) do visit(device) end
    end
  end
  each(function(device)
    for _, bridge in ipairs(device.above) do counts[bridge] = (counts[bridge] or 0) + 1 end
  end)
  each(function(device)
    for _, bridge in ipairs(device.above) do
      if counts[bridge] > 1 then device.switch = bridge end
    end
  end)
end

-- node.gpus_per_switch, 0 if there are no switches.
local function gpus_per_switch(of, nics, per_socket)
  mark_switches(of, nics)
  local groups, order = by(of.gpus, function(gpu) return gpu.switch or gpu end)
  local size, has_switch = #groups[order[1]], false
  for _, at in ipairs(order) do
    has_switch = has_switch or groups[at][1].switch ~= nil
    if #groups[at] ~= size then
      of.note(at.line, "%d GPUs are on the PCIe switch here, and %d on that of line %d: no switches are drawn", #groups[at], size,
        order[1].line)
      return 0
    end
  end
  if not has_switch or per_socket % size ~= 0 then return 0 end
  local of_switch = by(nics, function(nic) return nic.switch or nic end)
  for _, at in ipairs(order) do
    local count = #(of_switch[groups[at][1].switch or at] or {})
    if count * #order ~= #nics then
      of.note(at.line, "%d of %d NICs are on this switch of %d; they are drawn dealt out one by one", count, #nics, #order)
    end
  end
  return size
end

-- --- the text ------------------------------------------------------------------------------------

local function measured(of, value, line, format, ...)
  return string.format("measured(%s, %s)", value, quoted(string.format("%s:%d: ", of.file, line) .. string.format(format, ...)))
end

local function estimated(of, value, low, high, line, format, ...)
  return string.format("estimated(%s, %s, %s, %s)", value, low, high,
    quoted(string.format("%s:%d: ", of.file, line) .. string.format(format, ...)))
end

local function quoted_rate(rate) return '"' .. rate_text(rate) .. '"' end

local function bus_lines(of)
  local low, high, first
  for _, gpu in ipairs(of.gpus) do
    if gpu.rate then
      first = first or gpu
      low, high = math.min(low or gpu.rate, gpu.rate), math.max(high or gpu.rate, gpu.rate)
    end
  end
  if not first then
    of.note(of.gpus[1].line, "the link of the GPU has no speed: bus.rate is not set")
    return {}
  end
  return { "rate = " .. estimated(of, quoted_rate(low * PAYLOAD), quoted_rate(low * PAYLOAD_LOW), quoted_rate(high * PAYLOAD_HIGH),
    first.rate_line, "%s of a GPU, %s behind the line code, of which payloads have 75 to 95 %%", first.rate_text, rate_text(first.rate)) }
end

local function link_lines(of, found)
  if not found or not found.rate then return {} end
  local is_even = found.count == found.most_count
  local value = quoted_rate(found.rate * 1e9)
  local text = string.format("%s count=%g", found.name, found.count) .. (is_even and "" or string.format(" to %g", found.most_count))
  if is_even then return { "rate = " .. string.format("published(%s, %s)", value,
    quoted(string.format("%s; %s:%d: %s", found.sheet, of.file, found.line, text))) } end
  return { "rate = " .. estimated(of, value, value, quoted_rate(found.most_rate * 1e9), found.line, "%s; %s", text, found.sheet) }
end

local function core_lines(of, sockets)
  local cpu = sockets[1]
  local threads = count_bits(cpu.mask)
  if (cpu.cores or 0) > 0 then
    local cores = math.min(cpu.cores, MOST_CORES)
    local over = cores < cpu.cores and string.format("; the program has %d at most", MOST_CORES) or ""
    return { "cores = " .. measured(of, cores, cpu.line, "%s has %d cores%s", cpu.name, cpu.cores, over) }
  elseif threads == 0 then
    return {}
  end
  local cores = math.min(MOST_CORES, math.max(1, threads // 2))
  return { "cores = " .. estimated(of, cores, cores, math.min(MOST_CORES, threads), cpu.line,
    "affinity of %s has %d hardware threads, one or two a core", cpu.name, threads) }
end

local function gpu_lines(of)
  local gpu = of.gpus[1]
  return gpu.units and { "compute_units = " .. measured(of, gpu.units, gpu.line, "OpenCLComputeUnits of the first GPU") } or {}
end

local function network_lines(of, nics, mbit)
  if mbit == 0 then return {} end
  return { "rate = " .. measured(of, quoted_rate(mbit * 1e6 / 8), nics[1].line, "net speed=%g, the port's Mbit/s", mbit) }
end

local function check_count(of, count, line, what)
  if count > MOST then of.refuse(line, "there are %d %s, and a machine file has %d at most", count, what, MOST) end
end

local function node_lines(of, found, nics, sockets, per_socket)
  local first = of.gpus[1].line
  local count, size = nics_per_socket(of, nics, sockets), gpus_per_switch(of, nics, per_socket)
  check_count(of, count, nics[1] and nics[1].line or first, "NICs of a CPU")
  local lines = {
    "sockets = " .. measured(of, #sockets, sockets[1].line, "CPUs that have GPUs, the first %s", sockets[1].name),
    "gpus_per_socket = " .. measured(of, per_socket, first, "GPUs of each of them, the first on bus %s", tostring(of.gpus[1].busid)),
    "nics_per_socket = " .. measured(of, count, nics[1] and nics[1].line or of.cpus[1].line, "%d NICs on %d CPUs", #nics, #sockets),
  }
  if found and found.to_cpu then
    lines[#lines + 1] = "gpu_link = " .. measured(of, '"nvlink"', found.line, "NVLinks to the CPU")
  elseif size > 0 then
    local at = of.gpus[1].switch or of.gpus[1]
    lines[#lines + 1] = "gpus_per_switch = " .. measured(of, size, at.line, "GPUs below the innermost bridge that leads to two devices")
  end
  if found and found.kind and not (found.to_cpu and found.kind == "socket") then
    lines[#lines + 1] = "peer_link = " .. measured(of, '"' .. found.kind .. '"', found.line, "%s, the first here", found.name)
  end
  return lines
end

local function add_component(text, name, lines)
  if #lines == 0 then return end
  text[#text + 1] = string.format("  %s = {\n    %s,\n  },", name, table.concat(lines, ",\n    "))
end

local function head(of, kind)
  local text = { string.format("-- The node of %s (%s), as gpunetsim import topology read it. GPUs, NICs' pipelines and software are defaults until",
    of.file, kind), "-- they are given: gpunetsim params lists them." }
  for _, note in ipairs(of.notes) do text[#text + 1] = "-- Not as in the file: " .. note end
  return text
end

-- The machine file. `of` has cpus, gpus and nics (nccl.lua, hwloc.lua), `name` is the machine's.
function node.text(of, kind, name)
  if #of.gpus == 0 then
    of.refuse(of.cpus[1] and of.cpus[1].line or 1, "there is no GPU, and a machine's node has one at least%s", of.unseen and ": " .. of.unseen or "")
  end
  local sockets, per_socket = sockets_of(of)
  check_count(of, #sockets, sockets[1].line, "CPUs that have GPUs")
  check_count(of, per_socket, of.gpus[1].line, "GPUs of a CPU")
  local nics, mbit = fast_nics(of)
  local found = links.find(of)
  local text = {}
  add_component(text, "node", node_lines(of, found, nics, sockets, per_socket))
  add_component(text, "host", core_lines(of, sockets))
  add_component(text, "gpu", gpu_lines(of))
  add_component(text, "bus", bus_lines(of))
  add_component(text, "nvlink", link_lines(of, found))
  add_component(text, "network", network_lines(of, nics, mbit))
  return string.format("%s\n\nreturn machine {\n  name = %s,\n  nodes = 2,\n%s\n}\n", table.concat(head(of, kind), "\n"), quoted(name),
    table.concat(text, "\n"))
end

return node

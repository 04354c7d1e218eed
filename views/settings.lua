-- SPDX-License-Identifier: BSD-3-Clause
-- Sentences about a machine's parameters: those that were set but not read, and those that were read but not set, whose
-- values are the program's defaults. Lists have paths separated by commas.
local text = require "text"
local settings = {}

-- Reasons why a parameter, or those of a component, may not be read; the first that fits is given.
local REASONS = {
  { "kinds.", "no node of that kind takes part in this run, or nothing there reads it, or the kind has no values of its own" },
  { "nic.fetch_depth", "no queue of this run is fetched" },
  { "nic.", "nothing of this run goes by a NIC" },
  { "host.", "nothing of this run loads or stores through a CPU's caches and memory line by line" },
  { "gpu.", "no kernel of this run is simulated on a GPU's compute units and memory" },
  { "cp.", "no command processor serves in this run" },
  { "smart_nic.", "no SmartNIC serves in this run" },
  { "bus.", "nothing of this run crosses PCIe" },
  { "nvlink.", "nothing of this run crosses an NVLink" },
  { "socket_link.", "nothing of this run crosses from one socket to another" },
  { "network.radix", "this run's network is no fat tree or dragonfly, or nothing crosses it" },
  { "network.uplinks", "this run's network is no fat tree or dragonfly, or nothing crosses it" },
  { "network.pod_uplinks", "this run's network is no fat tree of three levels, or nothing crosses it" },
  { "network.pod", "this run's network is no fat tree or dragonfly, or nothing crosses it" },
  { "network.routing", "this run's network has one path, or nothing crosses it" },
  { "network.cables", "this run's network is not drawn, or nothing crosses it" },
  { "network.", "nothing of this run crosses the network" },
  { "transport.", "this run's transport is of another kind" },
  { "host_copy.", "no core of this run copies or allocates what it is for" },
  { "cuda.kernel", "no rank of this run launches a kernel" },
  { "cuda.", "nothing of this run makes that call of CUDA" },
  { "software.library_instructions", "no put or get is issued in this run" },
  { "software.runtime_call", "no queue of this run is polled by calls of the GPU's runtime" },
  { "software.", "no queue of a work-group is served in this run" },
}

-- Components whose parameters are independent of each other. For the others a reason holds only if none of their parameters
-- is read.
local APART = { ["kinds."] = true, ["transport."] = true, ["host_copy."] = true, ["cuda."] = true }

-- Whether a list has a path that begins with this text.
local function has_start(list, start) return ("," .. list):find("," .. start, 1, true) ~= nil end

local function holds(start, defaults, given)
  return not start:find("%.$") or APART[start] or not (has_start(defaults, start) or has_start(given, start))
end

-- "nic.fetch_depth was set, but no queue of this run is fetched.", of a point with the defaults and given values that it read.
function settings.unread(path, defaults, given)
  for _, row in ipairs(REASONS) do
    if path:sub(1, #row[1]) == row[1] and holds(row[1], defaults, given) then
      return { path .. " was set, but " .. row[2] .. "." }
    end
  end
  return { path .. " was set, but nothing in this run reads it." }
end

-- The row's first path that no row has read; nil: there is none.
local function first_unread(row, read)
  for path in (row.unread or ""):gmatch("[^,]+") do
    if not read[path] then return path end
  end
end

-- The points of a study that set a parameter which no point of it could read, as { number, sentence }. A parameter that matters at some
-- points only is no fault: designs are compared on one machine. Rows are by point; if rows are missing, as in a shard, no point has a
-- fault, since the missing points might read the parameter.
function settings.faults(study, rows)
  local all, read, faults = {}, {}, {}
  for number = 1, math.huge do
    local row = program.row(study, rows, number)
    if row == nil then return {} end
    if not row then break end
    all[number] = row
    for path in (row.read or ""):gmatch("[^,]+") do read[path] = true end
  end
  for number, row in ipairs(all) do
    local path = first_unread(row, read)
    if path then faults[#faults + 1] = { number, settings.unread(path, row.defaults or "", row.given or "")[1] } end
  end
  return faults
end

-- Fails these points, unless they have failed already.
function settings.judge(study, rows)
  for _, fault in ipairs(settings.faults(study, rows)) do
    if not program.row(study, rows, fault[1]).failure then program.fail_row(rows, fault[1], fault[2]) end
  end
end

-- Adds to the counts how often each path is in the list.
local function count(counts, list)
  for _, path in ipairs(list and text.split(list, ",") or {}) do counts[path] = (counts[path] or 0) + 1 end
end

local function sorted_paths(counts)
  local paths = {}
  for path in pairs(counts) do paths[#paths + 1] = path end
  table.sort(paths)
  return paths
end

-- A sentence about parameters that some of `points` points (whose rows `each` goes through) read, and that are set at others which
-- do not read them; nil if there are none.
function settings.unread_at_some(each, points)
  local read, unread, parts = {}, {}, {}
  for row in each do
    count(read, not row.failure and row.read)
    count(unread, not row.failure and row.unread)
  end
  for _, path in ipairs(sorted_paths(unread)) do
    if read[path] then parts[#parts + 1] = string.format("%s (%d of %d)", path, unread[path], points) end
  end
  return #parts > 0 and "set also at points where nothing reads it: " .. table.concat(parts, ", ") or nil
end

-- The components of sorted paths, with their paths.
local function components(paths)
  local all = {}
  for _, path in ipairs(paths) do
    local outer, name = path:match("^([^.]*)%.(.*)$")
    local last = all[#all]
    if last and last.outer == outer then
      last.names[#last.names + 1] = name
    else
      all[#all + 1] = { outer = outer or path, names = { name } }
    end
  end
  return all
end

-- "bus: header, rate; nic: command_gap"
local function names_text(paths)
  local parts = {}
  for i, component in ipairs(components(paths)) do
    parts[i] = component.outer .. (#component.names > 0 and ": " or "") .. table.concat(component.names, ", ")
  end
  return table.concat(parts, "; ")
end

-- "bus 2, nic 1"
local function counts_text(paths)
  local parts = {}
  for i, component in ipairs(components(paths)) do
    parts[i] = string.format("%s %d", component.outer, math.max(#component.names, 1))
  end
  return table.concat(parts, ", ")
end

-- A sentence about values that are defaults, of points whose rows `each` goes through; nil if they are fewer than half of all and are
-- not asked for by name.
function settings.defaults(each, are_named)
  local defaults, given, before = {}, {}, {}
  for row in each do -- most have the lists of the row before
    if row.defaults ~= before.defaults then count(defaults, row.defaults) end
    if row.given ~= before.given then count(given, row.given) end
    before = row
  end
  local paths = sorted_paths(defaults)
  local all = #paths + #sorted_paths(given)
  if #paths == 0 or 2 * #paths <= all and not are_named then return nil end
  local start = string.format("%d of the %d machine values that this run reads are defaults without a source: ", #paths, all)
  if are_named then return start .. names_text(paths) .. "." end
  return start .. counts_text(paths) .. " (--defaults names them, gpunetsim sensitivity tells which matter)."
end

return settings

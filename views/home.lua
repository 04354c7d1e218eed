-- SPDX-License-Identifier: BSD-3-Clause
-- The project's own studies and machines, and how a user names them: gcn3_node, or summit/allreduce with the file's folder.
local home = {}

-- The files of configs/ that describe no machine.
local NO_MACHINES = { ["designs.lua"] = true, ["runtimes.lua"] = true, ["power.lua"] = true, ["nccl.lua"] = true, ["custom_allreduce.lua"] = true,
                      ["deepep.lua"] = true }

local function files_in(...)
  local paths = {}
  for _, path in ipairs(core.files_in(".lua", true, ...)) do
    if not NO_MACHINES[path:match "/configs/([^/]*)$"] then paths[#paths + 1] = path end
  end
  return paths
end

local function names_of(paths)
  local names = {}
  for i, path in ipairs(paths) do names[i] = path:match "([^/]*)%.lua$" end
  return names
end

-- The names of all machines; the paths of all scenarios.
function home.machine_names() return names_of(files_in(core.folder "configs")) end
function home.scenarios() return files_in(core.folder "scenarios") end

local MOST_NAMES, LEAST_LETTERS = 5, 3 -- a part of a name as short as two letters is in too many

-- The rest of a sentence about an unknown name: the names that contain it, or else the nearest name.
local function nearest_of(given, names)
  local near = {}
  for _, name in ipairs(names) do
    if #given >= LEAST_LETTERS and name:find(given, 1, true) then near[#near + 1] = name end
  end
  near[1] = near[1] or core.nearest(given, names)
  if not near[1] then return '; "gpunetsim list" tells their names' end
  local others = #near > MOST_NAMES and string.format(" or another of the %d names with it", #near) or ""
  return '; did you mean "' .. table.concat(near, '", "', 1, math.min(#near, MOST_NAMES)) .. '"' .. others .. "?"
end

local function refuse_unknown(given, paths, is_study, is_machine)
  local what = is_study and is_machine and "study or machine" or is_study and "study" or "machine"
  local rest = (is_study and nearest_of or core.suggestion)(given, names_of(paths))
  error { sentence = string.format('there is no %s "%s", nor a file of that name%s', what, given, rest) }
end

-- The path of the study of scenarios/ or benchmarks/, or of the machine of configs/, that has this name.
function home.find(given, is_study, is_machine)
  local folders, ending, found = {}, "/" .. given .. ".lua", nil
  if is_study then folders[1] = core.folder "scenarios" end
  if is_machine then folders[#folders + 1] = core.folder "configs" end
  local has_benchmarks, benchmarks = pcall(core.folder, "benchmarks")
  if is_study and has_benchmarks then folders[#folders + 1] = benchmarks end
  local paths = files_in(table.unpack(folders))
  for _, path in ipairs(paths) do
    local is_named = path:sub(-#ending) == ending
    if is_named and found then
      error { sentence = string.format('"%s" may be %s or %s; give the path of the one that is meant', given, found, path) }
    end
    found = is_named and path or found
  end
  return { found or refuse_unknown(given, paths, is_study, is_machine) }
end

return home

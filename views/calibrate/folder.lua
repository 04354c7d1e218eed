-- SPDX-License-Identifier: BSD-3-Clause
-- The study of calibrate MACHINE DATA... is written into a folder of its own: the machine as it is given, and the rows with
-- their simulated twins (scenarios/calibration/parts/twins.lua).
local data = require "calibrate/data"
local machine_file = require "machine_file"
local folder = {}

local PARTS = "scenarios.calibration.parts."

-- A fault of the tables, without the file and line of the Lua code that found it.
local function without_place(call, path)
  local is_good, result = pcall(call, path)
  if is_good then return result end
  if type(result) == "table" then
    local _, at = result.sentence:find("calibration/parts/.-%.lua:%d*")
    if at and result.sentence:sub(at + 1, at + 2) == ": " then result.sentence = result.sentence:sub(at + 3) end
  end
  error(result, 0)
end

local function is_fixed(fixed, path)
  for _, override in ipairs(fixed) do
    if override:sub(1, #path + 1) == path .. "=" then return true end
  end
  return false
end

-- Values that the tables give directly: lists of path, value and source; the last one for a parameter counts.
local function facts_of(given)
  local entries = {}
  for i, path in ipairs(given.files) do entries[i] = data.entry(path, given.read(path)) end
  given.write("data.lua", "return {\n" .. table.concat(entries) .. "}\n")
  return without_place(given.records, given.write("facts.lua",
    ('return require("%sfacts").facts(require("%stexts")(require "data"))\n'):format(PARTS, PARTS)))
end

-- Gives `given` the machine with facts and the user's overrides, which count, and the variants of the study of the data's rows:
--   files, fixed        paths of the data; overrides ("gpu.clock=1GHz") of the user, and from then on of all that is not searched for
--   read(path)          the text of a file of measurements
--   write(name, text)   writes a file of the folder, and gives its path
--   records(path)       what a Lua file of the folder returns: a list of lists of three texts
--   load(overrides)     the machine, and how many nodes it has; measured(path, source) says where one of its values comes from
--   open(path)          the variants of a study of the folder
function folder.open(given)
  local user, nodes = given.fixed, nil
  local facts = facts_of(given)
  given.fixed = {}
  for i, fact in ipairs(facts) do given.fixed[i] = fact[1] .. "=" .. fact[2] end
  table.move(user, 1, #user, #facts + 1, given.fixed)
  given.machine, nodes = given.load(given.fixed)
  for _, fact in ipairs(facts) do
    if not is_fixed(user, fact[1]) then given.measured(fact[1], fact[3]) end
  end
  given.write("machine.lua", machine_file.texts(given.machine, "as it is given")[1])
  local function open(name, call) -- services of queues need two nodes at least
    local single = nodes < 2 and " { nodes = 2 }" or ""
    return without_place(given.open, given.write(name,
      ('local machine_given, twins = require "machine"%s, require "%stwins"\nreturn twins.%s\n'):format(single, PARTS, call)))
  end
  given.variants = open("study.lua", 'study(machine_given, require "data")')
  function given.open_catalogue() return open("catalogue.lua", "catalogue(machine_given)") end
end

return folder

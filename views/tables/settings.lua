-- SPDX-License-Identifier: BSD-3-Clause
-- settings { window = 64, machine = require "configs.summit" }: the table with what the command line gives
-- ("study.window=8") in place of its values. A setting takes what its value in the file is: a text, a number, true or false,
-- or a machine, given by its name or file.
local settings = {}

local known = {} -- names of all settings of the file

-- `text` as a value of the same type as `value`.
local function like(value, text, override)
  local function refuse(problem) core.fail(string.format("override %s: this setting is %s", override, problem)) end
  if type(value) == "string" then return text end
  if type(value) == "number" then return tonumber(text) or refuse("a number") end
  if type(value) == "boolean" then
    if text ~= "true" and text ~= "false" then refuse("true or false") end
    return text == "true"
  end
  core.fail("settings: a value is a text, a number, true, false or a machine, not a " .. type(value))
end

-- Name and text of "study.name=text"; a text may be long, as a plan's is.
local function parts(override)
  local at = override:find("=", 1, true)
  if at and override:sub(1, 6) == "study." then return override:sub(7, at - 1), override:sub(at + 1) end
end

-- The table, in which the command line's values replace those that are given.
function settings.settings(given)
  if type(given) ~= "table" then core.fail("settings needs a table { ... }, not a " .. type(given)) end
  for name in next, given do known[name] = true end
  for _, override in ipairs(core.settings()) do
    local name, text = parts(override)
    local value = rawget(given, name)
    if core.is_machine(value) then
      rawset(given, name, core.machine_of_file(text))
    elseif value ~= nil then
      rawset(given, name, like(value, text, override))
    end
  end
  return given
end

-- Refuses a setting of the command line that the file, which has been loaded, does not have.
function settings.check()
  for _, override in ipairs(core.settings()) do
    if not known[parts(override)] then error(string.format("override %s: the study has no setting of this name", override), 0) end
  end
end

return settings

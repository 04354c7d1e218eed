-- SPDX-License-Identifier: BSD-3-Clause
-- Repeats runs from their resolved.json (views/resolved.lua).
local command = require "command"
local json = require "plan/json"
local resolved = require "resolved"
local rerun = {}

local MOST_MIB = 64

local function refuse(path) command.fail('%s: is no resolved.json as "gpunetsim run" writes it', path) end

local function read(path)
  local text = core.text_file(path, "a resolved.json", MOST_MIB)
  local of = json.read({ refuse = function() refuse(path) end }, text)
  local is_one = type(of) == "table" and of.format == resolved.FORMAT and type(of.digest) == "string" and type(of.seed) == "string" and
                 of.seed:find("^%d+$") and math.tointeger(tonumber(of.seed)) and type(of.files) == "table" and #of.files > 0
  if not is_one then refuse(path) end
  for _, file in ipairs(of.files) do
    file.text = file.text or type(file.base64) == "string" and program.from_base64(file.base64)
    for _, field in ipairs { "path", "names", "text" } do
      if type(file[field]) ~= "string" then refuse(path) end
    end
  end
  return of
end

local function is_same(one, other)
  if type(one) ~= "table" or type(other) ~= "table" then return one == other end
  for key, value in pairs(one) do
    if not is_same(value, other[key]) then return false end
  end
  for key in pairs(other) do
    if one[key] == nil then return false end
  end
  return true
end

-- Refuses changed axes or a changed machine: they are in the file for readers only, and a run does not use them. (Another
-- version of the program may have other parameters, so there they may differ.)
local function check_told(path, of, study, is_other_version)
  local now = json.read({ refuse = function() refuse(path) end }, resolved.text(study, of.overrides, math.tointeger(tonumber(of.seed))))
  for _, told in ipairs { "axes", not is_other_version and "machine_of_first_point" or nil } do
    if not is_same(of[told], now[told]) then
      command.fail('%s: "%s" was changed, but only tells what was run; change the study\'s text and run that, or a parameter by -s',
                   path, told)
    end
  end
end

-- The study of the file, with more overrides (nil: none) behind its own; all overrides, the seed, and the version of the
-- program that wrote it, if it was another one.
function rerun.study(path, more)
  local of = read(path)
  local overrides = type(of.overrides) == "table" and of.overrides or {}
  local is_other_version = of.version ~= nil and of.version ~= program.version()
  local study = program.study_of_files(of.files, overrides)
  if program.about(study).digest ~= of.digest then
    command.fail("%s: what it describes is not what was run: its texts were changed, or the named designs of the project " ..
                 "(configs/designs.lua) are others now", path)
  end
  check_told(path, of, study, is_other_version)
  if more and #more > 0 then
    table.move(more, 1, #more, #overrides + 1, overrides)
    study = program.study_of_files(of.files, overrides)
  end
  return study, overrides, math.tointeger(tonumber(of.seed)), is_other_version and of.version or nil
end

return rerun

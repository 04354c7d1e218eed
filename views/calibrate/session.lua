-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim calibrate MACHINE DATA...: what views/calibrate/machine.lua and folder.lua are given, from the program's functions.
local command = require "command"
local files = require "files"
local session = {}

local MOST_MIB = 16 -- of a table

-- Paths of the data, of folders their tables, by name.
local function list_data(data)
  local all = {}
  for _, path in ipairs(data) do
    local tables = program.file(path) == "folder" and core.files_in(".tsv", false, path)
    if tables and #tables == 0 then command.fail("%s: has no table (*.tsv) that can be read", path) end
    table.move(tables or { path }, 1, tables and #tables or 1, #all + 1, all)
  end
  return all
end

local function given_of(given, path, tables, data, folds, folder)
  local machine
  local of = { data = {}, files = tables, fixed = given.set or {}, folds = folds, keep = given.keep }
  for i, file in ipairs(data) do of.data[i] = command.last_part(file) end
  function of.read(file) return core.text_file(file, "a table of measurements", MOST_MIB) end
  function of.write(name, text) return files.write_new(folder, name, text) end
  function of.records(file) return program.records(file) end
  function of.load(overrides)
    machine = program.machine(path, overrides)
    local parameters = program.parameters(machine)
    return parameters, parameters.parameter("nodes").now
  end
  function of.measured(parameter, source) program.note_measured(machine, parameter, source) end
  function of.open(file) return require "variants".of(program.load_study(file)) end
  return of
end

-- Answers in a folder of its own; where the outputs go is looked at before anything is run.
function session.answer(given, path, data, folds)
  local machine, tables = program.home_machine(path), list_data(data)
  local rules = { force = given.force, inputs = { machine, table.unpack(tables) } }
  if given.output then files.prepare(given.output, rules) end
  if given.rows then files.prepare(given.rows, rules) end
  local folder <close>, temporary = program.new_folder("gpunetsim-calibrate-")
  local texts = require "calibrate/machine".answer(given_of(given, machine, tables, data, folds, temporary))
  if given.rows then files.write(given.rows, texts[1], rules) end
  if given.output then files.write(given.output, texts[2], rules) end
end

return session

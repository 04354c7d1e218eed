-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim list [scenarios|machines|designs|workloads|measures|components]: views/list.lua writes it.
local home = require "home"
local list = require "list"

-- The row of a machine file: { name, path, nodes, values that are published, measured, estimated, fitted or inferred }; nil
-- for any other file.
local function machine_row(name)
  local is_found, path = pcall(program.home_machine, name)
  local is_read, machine = pcall(program.machine, path)
  if not is_found or not is_read then return nil end
  local counts = { published = 0, measured = 0, estimated = 0, fitted = 0, inferred = 0, default = 0, given = 0 }
  local parameters = program.parameters(machine)
  for _, section in ipairs(parameters.sections()) do
    for _, value in ipairs(section) do counts[value.kind] = counts[value.kind] + 1 end
  end
  return { name, path, parameters.parameter("nodes").text, tostring(counts.published), tostring(counts.measured),
           tostring(counts.estimated), tostring(counts.fitted + counts.inferred) }
end

local function machine_rows()
  local rows = {}
  for _, name in ipairs(home.machine_names()) do rows[#rows + 1] = machine_row(name) end
  return rows
end

local function scenario_rows()
  local rows = {}
  for i, path in ipairs(home.scenarios()) do
    local study <close> = program.load_study(path)
    local about = program.about(study)
    rows[i] = { about.name, about.title }
  end
  return rows
end

return {
  options = { "json" },
  most = 1,
  run = function(given, asked)
    local function rows_of(name, rows) return (not asked or asked == name) and rows() or {} end
    local scenarios, machines = rows_of("scenarios", scenario_rows), rows_of("machines", machine_rows)
    local is_good, paths = pcall(home.scenarios)
    io.write(list.text(program.catalogue(), scenarios, machines, is_good and paths or {}, given.json, { asked })[1])
  end,
}

-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim list KIND. `of` is what the program has (cli/catalogue.c), with the rows of its scenarios and machines.
local terminal = require "terminal"
local list = {}

-- Pairs of a name and a sentence of all that are `kind`, if that is given.
local function pairs_of(records, name, kind)
  local rows = {}
  for _, record in ipairs(records) do
    if record.of == kind then rows[#rows + 1] = { record[name], record.description } end
  end
  return rows
end

local SECTIONS = {
  { name = "scenarios", head = "scenario", rows = function(of) return of.scenarios end },
  { name = "machines", head = "machine", rows = function(of) return of.machines end },
  { name = "designs", head = "design", rows = function(of) return pairs_of(of.designs, "name") end },
  { name = "workloads", head = "workload", rows = function(of) return pairs_of(of.tables, "component", "workload") end },
  { name = "measures", head = "measure", rows = function(of) return pairs_of(of.measures, "column") end },
  { name = "components", head = "component", rows = function(of) return pairs_of(of.tables, "component", "component") end },
}

local function section_text(of, section, as_json)
  local rows = terminal.of_texts({ section.head, "what it is" }, section.rows(of), 1, 0)
  return as_json and core.json(rows) or terminal.whole(rows)[1]
end

-- One section, as a table or a JSON array.
local function one(of, name, as_json)
  local names = {}
  for i, section in ipairs(SECTIONS) do
    if section.name == name then return { section_text(of, section, as_json) } end
    names[i] = section.name
  end
  error({ sentence = string.format('there is no list "%s"%s', name, core.suggestion(name, names)) }, 0)
end

-- All of them, each with its name: {"scenarios": [...], ...}.
local function all(of, as_json)
  local texts = {}
  for i, section in ipairs(SECTIONS) do
    local text = section_text(of, section, as_json)
    texts[i] = as_json and string.format('"%s": %s', section.name, text) or text
  end
  return { as_json and "{" .. table.concat(texts, ",") .. "}\n" or table.concat(texts, "\n") .. "\n" }
end

-- The list of the first of the names, or all of them if there is none. Scenarios and machines are read only if they are asked for.
function list.text(of, scenarios, machines, as_json, names)
  of.scenarios, of.machines = scenarios, machines
  return names[1] and one(of, names[1], as_json) or all(of, as_json)
end

return list

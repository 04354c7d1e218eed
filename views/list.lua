-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim list KIND. `of` is what the program has (script/commands/catalogue.c), with the rows of its scenarios and machines.
local export = require "export"
local measures = require "measures"
local terminal = require "terminal"
local list = {}

-- --- machines ------------------------------------------------------------------------------------

local function read(path)
  local file = io.open(path, "r")
  local text = file and file:read("a")
  if file then file:close() end
  return text
end

-- The first sentence of a file's comment.
local function sentence_of(path)
  local words = {}
  for line in (read(path) or ""):gmatch("([^\n]*)\n") do
    local comment = line:match("^%-%- ?(.*)$")
    local is_licence = comment and comment:find("SPDX", 1, true)
    if not comment or comment == "" then break end
    if not is_licence then words[#words + 1] = comment end
  end
  local text = table.concat(words, " ")
  return text:match("^(.-%.) ") or text
end

local function has_comparison(text)
  return text:find("%f[%w_]measured = ") or text:find("%f[%w_]claims = ") or text:find("_published", 1, true)
end

-- Notes in `used` the machines that a study's file requires, itself or through parts below its folder. Returns whether one of
-- these files compares.
local function note_machines(folder, text, used, seen)
  local compares = has_comparison(text) ~= nil
  for name in text:gmatch('require "([%w_.]+)"') do
    local machine, path = name:match("^configs%.([%w_]+)$"), folder .. "/" .. name:gsub("%.", "/") .. ".lua"
    if machine then used[machine] = true end
    local part = not machine and not seen[path] and read(path)
    seen[path] = true
    compares = part and note_machines(folder, part, used, seen) or compares
  end
  return compares
end

-- In how many scenarios each machine is compared with measurements or with what papers state.
local function comparisons(paths)
  local counts = {}
  for _, path in ipairs(paths) do
    local text, used = read(path) or "", {}
    local compares = note_machines(path:match("^(.*)/"), text, used, {})
    for machine in pairs(compares and used or {}) do counts[machine] = (counts[machine] or 0) + 1 end
  end
  return counts
end

local function machine_rows(of)
  local rows, counts = {}, comparisons(of.paths)
  for i, one in ipairs(of.machines) do
    rows[i] = { one[1], table.unpack(one, 3) }
    table.move({ tostring(counts[one[1]] or 0), sentence_of(one[2]) }, 1, 2, #rows[i] + 1, rows[i])
  end
  return rows
end

-- --- sections ------------------------------------------------------------------------------------

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
  { name = "machines", head = "machine", rows = machine_rows,
    more = { "nodes", "published", "measured", "estimated", "fitted", "compared" } },
  { name = "designs", head = "design", rows = function(of) return pairs_of(of.designs, "name") end },
  { name = "workloads", head = "workload", rows = function(of) return pairs_of(of.tables, "component", "workload") end },
  { name = "measures", head = "measure", rows = function(of) return pairs_of(measures.list(), "column") end },
  { name = "components", head = "component", rows = function(of) return pairs_of(of.tables, "component", "component") end },
}

local function section_text(of, section, as_json)
  local heads = { section.head, table.unpack(section.more or {}) }
  heads[#heads + 1] = "what it is"
  local rows = terminal.of_texts(heads, section.rows(of), 2, #heads - 1)
  return as_json and export.json(rows) or terminal.whole(rows)[1]
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
-- `paths`: the scenarios' files.
function list.text(of, scenarios, machines, paths, as_json, names)
  of.scenarios, of.machines, of.paths = scenarios, machines, paths
  return names[1] and one(of, names[1], as_json) or all(of, as_json)
end

return list

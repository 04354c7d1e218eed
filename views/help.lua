-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim help TOPIC. `of` is what the program has: commands, and of script/commands/catalogue.c tables of parameters and designs.
local export = require "export"
local home = require "home"
local measures = require "measures"
local terminal = require "terminal"
local words = require "words"
local help = {}

local LEAST_PART, MOST_MEANT = 3, 4 -- letters of a part of a name, and names that are suggested

local function fail(...) error({ sentence = string.format(...) }, 0) end

local function find(list, key, name)
  for _, one in ipairs(list) do
    if one[key] == name then return one end
  end
end

local function texts(names, rows) return terminal.of_texts(names, rows, 1, 0) end

-- A JSON object of { name, text } pairs, and at its end a table, if there is one.
local function json(pairs, name, rows)
  local names, row = {}, {}
  for i, pair in ipairs(pairs) do names[i], row[i] = pair[1], pair[2] end
  local object = export.json(texts(names, { row })):match("{.*}")
  local tail = name and string.format(', "%s": %s}', name, (export.json(rows):gsub("%s+$", ""))) or "}"
  return object:sub(1, -2) .. tail .. "\n"
end

-- --- parameters ---------------------------------------------------------------------------------

local ACCEPTED = {
  bool = function() return "true or false" end,
  record = function(param) return string.format("a name (gpunetsim list %ss), or what departs from one", param.record) end,
  percentiles = function() return "a list, such as { 90, 99.9 }" end,
  choice = function(param) return param.choices end,
  words = function() return "a text" end,
}

local function accepted(param)
  local known = ACCEPTED[param.kind]
  return known and known(param) or string.format("%s to %s", param.low or "any", param.high or "any")
end

-- One line for rows that several components have, from number `first` on: "l1_*", or "(core)", with the defaults here. Returns how many they are.
local function shared_row(of, first, shared)
  local own, defaults = shared.params[1], {}
  local prefix = of.params[first].name:sub(1, -#own.name - 1)
  local about = of.params[first].description:sub(1, -#own.description - 1):gsub(": $", "")
  for i, row in ipairs(shared.params) do
    defaults[i] = string.format("%s = %s", row.name, of.params[first + i - 1].default)
  end
  return { prefix ~= "" and prefix .. "*" or "(" .. shared.component .. ")", "", "gpunetsim help " .. shared.component,
           string.format("%s: %s", about ~= "" and about or shared.description:gsub("%.$", ""), table.concat(defaults, ", ")) }, #defaults
end

-- An instance of a kind has that kind's rows: only what differs is told again, but to other programs. So it is with rows that several
-- components have (`tables`).
local function params_table(of, tables, as_json)
  local is_shared = of.of == "rows"
  local rows, i = {}, 1
  while i <= #of.params do
    local param, count = of.params[i], 1
    if param.shared and of.of == "component" and not as_json then
      rows[#rows + 1], count = shared_row(of, i, find(tables, "component", param.shared))
    elseif as_json or not param.is_as_kind then
      rows[#rows + 1] = { param.name, param.default or is_shared and "" or "(required)", accepted(param),
                          is_shared and param.description:gsub("^%l", string.upper) or param.description }
    end
    i = i + count
  end
  return texts({ "parameter", "default", "accepted", "what it is" }, rows)
end

local function table_text(of, tables, as_json)
  local manual = params_table(of, tables, as_json)
  if as_json then
    return json({ { "name", of.component }, { "description", of.description } }, "parameters", manual)
  end
  local has_rows = manual.count > 0
  local text = string.format("%s: %s\n\n%s", of.component, of.description, has_rows and terminal.whole(manual)[1] or "")
  if not of.kind then return text end
  return text .. string.format("%sIts %sparameters are those of %s (gpunetsim help %s).\n", has_rows and "\n" or "",
                               has_rows and "other " or "", of.kind, of.kind)
end

local function param_text(of, param, as_json)
  local path, default = of.component .. "." .. param.name, param.default or "none: it must be given"
  if as_json then
    local pairs = { { "name", path }, { "description", param.description }, { "default", default },
                    { "accepted", accepted(param) } }
    if param.units then pairs[#pairs + 1] = { "units", param.units } end
    return json(pairs)
  end
  local units = param.units and string.format("  units     %s\n", param.units) or ""
  return string.format("%s: %s\n  default   %s\n  accepted  %s\n%s", path, param.description, default, accepted(param), units)
end

-- --- the others ---------------------------------------------------------------------------------

local function design_text(design, as_json)
  local axes = texts({ "axis", "value", "where the value is from" }, design.axes)
  if as_json then
    return json({ { "name", design.name }, { "description", design.description }, { "source", design.source } }, "axes", axes)
  end
  return string.format("%s: %s\nSource: %s\n\n%s", design.name, design.description, design.source, terminal.whole(axes)[1])
end

-- A sentence on something that has nothing else to be told.
local function sentence(name, of, as_json)
  return as_json and json({ { "name", name }, { "description", of } }) or string.format("%s: %s\n", name, of)
end

-- "me:put { ... }: what it does" of each call of that name; nil if there is none.
local function calls_text(name, as_json)
  local calls, texts = require "calls", {} -- read only where it may be meant
  for i, one in ipairs(calls.find(name)) do
    local shown = calls.signature(one)
    texts[i] = as_json and json({ { "name", shown }, { "description", one.description } }):gsub("%s+$", "")
               or string.format("%s\n  %s\n", shown, one.description)
  end
  if #texts == 0 then return nil end
  return as_json and (#texts == 1 and texts[1] or "[" .. table.concat(texts, ",\n") .. "]") .. "\n" or table.concat(texts)
end

-- --- topics -------------------------------------------------------------------------------------

local function names_of(list, key)
  local names = {}
  for i, one in ipairs(list) do names[i] = one[key] end
  return names
end

-- The names in which a word begins so, such as "ibgda", at most four; or that which looks most like it.
local function names_with(part, names)
  local found, nearest = {}, core.nearest(part, names)
  for _, name in ipairs(#part >= LEAST_PART and names or {}) do
    if ("-" .. name):find("[-_.]" .. part:gsub("%p", "%%%0")) and #found < MOST_MEANT then found[#found + 1] = name end
  end
  return #found > 0 and found or { nearest }
end

-- A machine or a study of the project is no topic: the commands that tell about it. nil of any other name.
local function command_for(name)
  local known, path = pcall(home.find, name, true, true)
  if not known then return nil end
  local is_machine = path[1]:find("/configs/[^/]*$")
  return string.format(is_machine and '"%s" is a machine: gpunetsim params %s lists its numbers, gpunetsim topo %s draws it' or
                       '"%s" is a study: gpunetsim run %s runs it, gpunetsim list scenarios has its title', name, name, name)
end

local function unknown_topic(of, name)
  local names, told = {}, command_for(name)
  if told then fail("%s", told) end
  for _, part in ipairs { names_of(of.tables, "component"), names_of(of.designs, "name"), names_of(of.commands, "name"),
                          names_of(measures.list(), "name"), names_of(words, "name"), names_of(require "calls", "name") } do
    table.move(part, 1, #part, #names + 1, names)
  end
  local meant = names_with(name, names)
  fail('there is no command, component, design, workload, measure, or word or call in Lua "%s"%s; "gpunetsim help" and ' ..
       '"gpunetsim list" show them all', name, #meant > 0 and ": did you mean " .. table.concat(meant, " or ") or "")
end

local function unknown_param(of, name)
  local names = names_of(of.params, "name")
  local nearest = core.nearest(name, names)
  fail('there is no parameter of %s "%s"%s; known are %s', of.component, name, nearest and ": did you mean " .. nearest or "",
       table.concat(names, ", "))
end

-- A component, a workload or one of their parameters.
local function table_topic(of, topic, as_json)
  local component, name = topic:match("^([^.]*)%.?(.*)$")
  local found = find(of.tables, "component", component) or unknown_topic(of, component)
  if not topic:find(".", 1, true) then return table_text(found, of.tables, as_json) end
  return param_text(found, find(found.params, "name", name) or unknown_param(found, name), as_json)
end

-- What is told about a topic. A workload may be called as one of its measures: it has more to tell.
function help.topic(of, topic, as_json)
  local command, design = find(of.commands, "name", topic), find(of.designs, "name", topic)
  local is_table, word = find(of.tables, "component", topic), words.find(topic)
  local column = find(measures.list(), "column", topic)
  local measure = not is_table and (measures.sentence(topic) or column and column.description)
  if as_json and command then
    return { json { { "name", topic }, { "arguments", command.arguments }, { "description", command.description } } }
  end
  if design then return { design_text(design, as_json) } end
  if measure then return { sentence(topic, measure, as_json) } end
  local called = not is_table and (not word or topic:find(":", 1, true)) and calls_text(topic, as_json)
  if called then return { called } end
  if not word or as_json and is_table then return { table_topic(of, topic, as_json) } end
  local more = is_table and table_topic(of, topic, as_json) or not as_json and calls_text(topic, false)
  return { sentence(topic, word, as_json) .. (more and "\n" .. more or "") }
end

function help.commands(of)
  local rows = {}
  for i, command in ipairs(of.commands) do rows[i] = { command.name, command.arguments, command.description } end
  return { export.json(texts({ "command", "arguments", "description" }, rows)) }
end

return help

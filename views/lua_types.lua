-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim lua-types: annotations for editors (LuaCATS, which lua-language-server reads) of all that a study, a machine
-- file or a program can write. `of` is what the program has (script/commands/catalogue.c); views/calls.lua has the calls.
local calls = require "calls"
local measures = require "measures"
local lua_types = {}

local PREFIX = "gpunetsim."

-- "MessageLibraryTable" is the table of parameters message_library, "Party" a class; texts in quotes stay as they are.
local function class_name(word)
  local component = word:match("^(%u%w*)Table$")
  if not component then return word == "T" and word or PREFIX .. word end
  return PREFIX .. component:gsub("(%l)(%u)", "%1_%2"):lower()
end

local function typed(text)
  local parts, is_quoted = {}, false
  for part in (text .. '"'):gmatch('(.-)"') do
    parts[#parts + 1] = is_quoted and part or part:gsub("%f[%w]%u%w*", class_name)
    is_quoted = not is_quoted
  end
  return table.concat(parts, '"')
end

-- Of a comment, in one line.
local function line_of(text) return (text:gsub("%s+", " ")) end

-- --- tables of parameters ----------------------------------------------------------------------------

local function choice_type(param)
  local texts, has_flag = {}, false
  for choice in param.choices:gmatch("[^, ]+") do
    local is_flag = choice == "true" or choice == "false"
    if not is_flag then texts[#texts + 1] = '"' .. choice .. '"' end
    has_flag = has_flag or is_flag
  end
  return table.concat(texts, "|") .. (has_flag and "|boolean" or "")
end

local TYPES = {
  quantity = function(param) return param.units and "string|0" or "integer" end,
  ratio = function() return "number" end,
  bool = function() return "boolean" end,
  choice = choice_type,
  percentiles = function() return "number|number[]" end,
  words = function() return "string|string[]" end,
  record = function() return PREFIX .. "DesignName|" .. PREFIX .. "Design|string" end,
}

-- `has_source`: it may be published(...) and the like, and may be missing.
local function param_text(name, param, has_source)
  local parts = { line_of(param.description) }
  if param.low then parts[#parts + 1] = ("%s to %s."):format(param.low, param.high) end
  if param.units then parts[#parts + 1] = "Units: " .. param.units .. "." end
  if param.default then parts[#parts + 1] = "Default: " .. param.default .. "." end
  return ("---@field %s%s %s%s # %s"):format(name, (has_source or param.default) and "?" or "", TYPES[param.kind](param),
                                              has_source and "|" .. PREFIX .. "Sourced" or "", table.concat(parts, " "))
end

-- The fields of a table, and those of each record in it: queue.memory is field `memory` of class NAME.queue.
local function fields_of(of, has_source)
  local fields, records = {}, {}
  for _, param in ipairs(of.params) do
    local outer, inner = param.name:match("^([^.]+)%.(.+)$")
    local target = outer and records[outer] or fields
    if outer and not records[outer] then
      target = {}
      records[outer], records[#records + 1] = target, outer
      fields[#fields + 1] = ("---@field %s? %s"):format(outer, PREFIX .. of.component .. "." .. outer)
    end
    target[#target + 1] = not param.is_as_kind and param_text(inner or param.name, param, has_source) or nil
  end
  return fields, records
end

-- `more`: lines of fields that are no parameters. An instance has its kind's fields, and its own defaults.
local function add_table(lines, of, has_source, more)
  local fields, records = fields_of(of, has_source)
  table.move(more or {}, 1, #(more or {}), #fields + 1, fields)
  for _, outer in ipairs(records) do
    lines[#lines + 1] = ("---@class %s"):format(PREFIX .. of.component .. "." .. outer)
    lines[#lines + 1] = table.concat(records[outer], "\n") .. "\n"
  end
  lines[#lines + 1] = "--- " .. line_of(of.description)
  lines[#lines + 1] = ("---@class %s%s"):format(PREFIX .. of.component, of.kind and ": " .. PREFIX .. of.kind or "")
  lines[#lines + 1] = table.concat(fields, "\n") .. "\n"
end

-- --- all of them --------------------------------------------------------------------------------------

local FROM = { "---@field from? string # Another one whose values it begins with.", "---@field description? string" }
local MORE = {
  mpi = FROM, message_library = FROM,
  design = { "---@field from? " .. PREFIX .. "DesignName|string # The named design with which it begins.",
             "---@field name? string # What tables call it.", "---@field description? string", "---@field source? string" },
}

-- What a machine has beside its own parameters, or one of its kinds of nodes.
local function components(of, of_kind)
  local kinds, fields = {}, { not of_kind and "---@field name? string # What tables call it." or nil }
  for _, one in ipairs(of.tables) do kinds[one.kind or ""] = true end
  for _, one in ipairs(of.tables) do
    local is_part = one.of == "component" and one.component ~= "machine" and not kinds[one.component]
    if is_part and (one.in_kinds or not of_kind) then
      local class = PREFIX .. one.component
      if one.component == "kinds" then class = "table<string, " .. class .. ">" end
      fields[#fields + 1] = ("---@field %s? %s # %s"):format(one.component, class, line_of(one.description))
    end
  end
  return fields
end

local function add_tables(lines, of)
  MORE.machine, MORE.kinds = components(of, false), components(of, true)
  for _, one in ipairs(of.tables) do
    add_table(lines, one, one.of == "component" or one.component == "design", MORE[one.component])
  end
end

local function add_designs(lines, of)
  lines[#lines + 1] = "---@alias " .. PREFIX .. "DesignName"
  for _, one in ipairs(of.designs) do lines[#lines + 1] = ('---| "%s" # %s'):format(one.name, line_of(one.description)) end
  lines[#lines + 1] = ""
end

-- A quantity is a text that can be computed with; it has a method for each unit, "/" as "p".
local function add_quantity(lines)
  lines[#lines + 1] = "--- A quantity with its unit, such as \"1.5us\".\n---@class " .. PREFIX .. "Quantity: string"
  for _, name in ipairs { "add", "sub", "mod" } do
    lines[#lines + 1] = ("---@operator %s(string): %sQuantity"):format(name, PREFIX)
  end
  for _, name in ipairs { "mul", "div", "idiv" } do lines[#lines + 1] = ("---@operator %s(any): any"):format(name) end
  local seen = {} -- bit/s and bps are one
  for _, unit in ipairs { "bytes", "rate", "time", "frequency", "power", "energy" } do
    for suffix in core.unit_suffixes(unit):gmatch("[^, ]+") do
      local method = suffix:gsub("/", "p")
      lines[#lines + 1] = not seen[method] and ("---@field %s fun(self: string): number # In %s."):format(method, suffix) or nil
      seen[method] = true
    end
  end
  lines[#lines + 1] = ""
end

local function add_measures(lines)
  lines[#lines + 1] = "--- What a workload returns.\n---@class " .. PREFIX .. "Result"
  for _, one in ipairs(measures.list()) do
    lines[#lines + 1] = ("---@field %s? %s # %s"):format(one.name, one.column == one.name and "number" or PREFIX .. "Quantity",
                                                         line_of(one.description))
  end
  lines[#lines + 1] = ("---@field [string] %sQuantity|number\n"):format(PREFIX)
end

-- Classes of nothing but what the program makes.
local OPAQUE = { "Axes", "Buffer", "Design", "Event", "Graph", "Message", "Signals", "Software", "Sourced", "Stream" }

local function add_classes(lines)
  lines[#lines + 1] = "---@alias " .. PREFIX .. "Point table<string, any>"
  for _, name in ipairs(OPAQUE) do lines[#lines + 1] = "---@class " .. PREFIX .. name end
  lines[#lines + 1] = ""
  for _, one in ipairs(calls.classes) do
    lines[#lines + 1] = "--- " .. one.description .. "\n---@class " .. PREFIX .. one.name
    for _, field in ipairs(one.fields) do
      lines[#lines + 1] = ("---@field %s %s # %s"):format(field.name, typed(field.type), field.description)
    end
    lines[#lines + 1] = one.name == "Machine" and ("---@overload fun(changes: %smachine): %sMachine\n"):format(PREFIX, PREFIX) or ""
  end
end

-- "to: integer, group?: integer" are arguments, unless within braces.
local function add_arguments(lines, takes)
  local names, depth, from = {}, 0, 1
  local function add(text)
    local name, type = text:match("^%s*([%w_.]+%??): (.*)$")
    if not name then return end
    names[#names + 1] = name:gsub("%?", "")
    lines[#lines + 1] = ("---@param %s %s"):format(name, typed(type))
  end
  for at, character in takes:gmatch("()([{}(),])") do
    depth = depth + (character:find("[{(]") and 1 or character:find("[})]") and -1 or 0)
    if character == "," and depth == 0 then
      add(takes:sub(from, at - 1))
      from = at + 1
    end
  end
  add(takes:sub(from))
  return table.concat(names, ", ")
end

local function add_call(lines, one)
  lines[#lines + 1] = "--- " .. one.description
  if one.takes:find(": T", 1, true) then lines[#lines + 1] = "---@generic T" end
  local names = add_arguments(lines, one.takes)
  if one.gives then lines[#lines + 1] = "---@return " .. typed(one.gives) end
  lines[#lines + 1] = ("function %s(%s) end\n"):format(one.class and one.class .. ":" .. one.name or one.name, names)
end

local function add_calls(lines)
  local seen = {}
  for _, one in ipairs(calls) do
    if one.class and not seen[one.class] then
      seen[one.class] = true
      lines[#lines + 1] = ("---@class %s%s\nlocal %s = {}\n"):format(PREFIX, one.class, one.class)
    end
    add_call(lines, one)
  end
end

local function add_workloads(lines, of)
  for _, one in ipairs(of.tables) do
    if one.of == "workload" then
      lines[#lines + 1] = "--- " .. line_of(one.description)
      lines[#lines + 1] = ("---@param of %s\n---@return %sResult"):format(PREFIX .. one.component, PREFIX)
      lines[#lines + 1] = ("function %s(of) end\n"):format(one.component)
    end
  end
end

function lua_types.text(of)
  local lines = { "---@meta gpunetsim", "-- Written by gpunetsim lua-types.", "---@diagnostic disable: missing-return, unused-local", "" }
  add_quantity(lines)
  add_designs(lines, of)
  add_classes(lines)
  add_measures(lines)
  add_tables(lines, of)
  add_calls(lines)
  add_workloads(lines, of)
  return { table.concat(lines, "\n") }
end

return lua_types

-- SPDX-License-Identifier: BSD-3-Clause
-- measured = "h200.tsv", { file = "copies.tsv", only = { dir = "D2H" }, every = { "design" }, bytes = "size_B",
-- time = { column = "Latency", unit = "us" } }, or a list of such.
local shape = require "shape"
local measured = {}

local OWN = { file = true, only = true, every = true }
local COLUMN = { column = true, unit = true }
local COLUMN_SHAPE = '{ column = "NAME", unit = "us" }'

local function refuse(problem) core.fail("measured: " .. problem, "measured") end

-- A column's name, or a table with it and its unit.
local function column_of(name, given)
  for key in next, given do
    if not COLUMN[key] then refuse(COLUMN_SHAPE .. " has no other fields: " .. name) end
  end
  local column = shape.copy(given)
  for _, key in ipairs { "column", "unit" } do
    if column[key] ~= nil and type(column[key]) ~= "string" then
      refuse("a text, or " .. COLUMN_SHAPE .. ", is needed for " .. name)
    end
  end
  if not column.column then refuse(COLUMN_SHAPE .. " needs a column for " .. name) end
  return { name = name, column = column.column, unit = column.unit }
end

-- Records of the fields that are not in `others`: texts, or, with `has_unit`, columns.
local function read_names(given, others, has_unit)
  local names = {}
  for _, pair in ipairs(shape.pairs(given)) do
    local name, value = pair[1], pair[2]
    if others[name] then goto continue end
    if type(value) == "string" then
      names[#names + 1] = { name = name, column = value }
    elseif type(value) == "table" and has_unit then
      names[#names + 1] = column_of(name, value)
    else
      refuse("a text is needed for " .. name)
    end
    ::continue::
  end
  return names
end

local function read_every(given)
  local shape_of_every = 'every needs a list of axes such as { "design" }'
  local every = {}
  if type(given) ~= "table" or core.part(given) == 0 then refuse(shape_of_every) end
  for i = 1, core.part(given) do
    every[i] = rawget(given, i)
    if type(every[i]) ~= "string" then refuse(shape_of_every) end
  end
  return every
end

local function read_table(given)
  if core.part(given) > 0 then refuse('a file is { file = "NAME.tsv", ... }') end
  local fields = shape.copy(given)
  local file = { names = read_names(given, OWN, true), only = {}, every = {}, file = fields.file }
  if type(fields.only) == "table" then
    file.only = read_names(fields.only, {}, false)
  elseif fields.only ~= nil then
    refuse('only needs a table such as { dir = "D2H" }')
  end
  if fields.every ~= nil then file.every = read_every(fields.every) end
  return file
end

-- Whether the letters of the name can only lead into the study's folder.
local function is_plain(name)
  local path = "/" .. name .. "/"
  return not path:find("//", 1, true) and not path:find("/../", 1, true)
end

local function check_name(name)
  if type(name) ~= "string" or name:find("\0", 1, true) then refuse("needs the name of a file") end
  if not (name:find("%.[tc]sv$") or name:find("%.txt$")) then refuse("a file is called NAME.tsv, NAME.csv or NAME.txt, not " .. name ..
            (name:find("%.xlsx?$") and "; a spreadsheet saves one as \"CSV UTF-8\"" or "")) end
  if not is_plain(name) then refuse("a file has to be in the folder of the study or below it, not " .. name) end
end

local function read_one(given)
  local file = type(given) == "table" and read_table(given) or { names = {}, only = {}, every = {}, file = given }
  check_name(file.file)
  file.path = core.path_beside(file.file)
  if not file.path then refuse("a file has to be in the folder of the study or below it, not " .. file.file) end
  return file
end

-- The list { path, names, only, every }.
function measured.read(given)
  local count = type(given) == "table" and core.part(given) or 0
  if count == 0 then return { read_one(given) } end
  local files = {}
  for i = 1, count do files[i] = read_one(rawget(given, i)) end
  return files
end

return measured

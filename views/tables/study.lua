-- SPDX-License-Identifier: BSD-3-Clause
-- study { title = ..., machine = ..., vary = ..., run = ... }: the fields and the values that each accepts.
local axes, claims, measured = require "axes", require "claims", require "measured"
local plots, shape = require "plots", require "shape"
local study = {}

local MOST_TRIALS = 1000000
local MOST_SAMPLES = 10000

local function is_of(kind)
  return function(value) return type(value) == kind end
end

local function is_machine(value) return type(value) == "function" or core.is_machine(value) end
local function is_axes(value) return type(value) == "table" or axes.group(value) ~= nil end
local function is_whole(value) return math.type(value) == "integer" end
local function is_any() return true end

-- `needed` says what a field must be; an `optional` one may be missing.
local FIELDS = {
  { name = "title", is_good = is_of "string", needed = "a text" },
  { name = "machine", is_good = is_machine, needed = "a machine or a function that makes one" },
  { name = "vary", is_good = is_axes, needed = "a table" },
  { name = "where", is_good = is_of "function", needed = "a function of the point", optional = true },
  { name = "trials", is_good = is_whole, needed = "a whole number", optional = true, low = 1, high = MOST_TRIALS,
    bounds = "are %d to %d" },
  { name = "run", is_good = is_of "function", needed = "a function" },
  { name = "plot", is_good = is_of "table", needed = "a table", optional = true },
  { name = "claims", is_good = is_of "table", needed = "a table", optional = true },
  { name = "conclude", is_good = is_of "function", needed = "a function of the results", optional = true },
  { name = "band", is_good = is_whole, needed = "a whole number of samples", optional = true, low = 2, high = MOST_SAMPLES,
    bounds = "has %d to %d samples" },
  { name = "measured", is_good = is_any, optional = true },
  { name = "long", is_good = is_of "boolean", needed = "true or false", optional = true },
}

local function check(field, value)
  local name = field.name
  if value == nil and not field.optional then
    core.fail(string.format("study: %s is missing; give %s", name, field.needed))
  elseif value ~= nil and not field.is_good(value) then
    core.fail(string.format("study: %s has to be %s, not a %s", name, field.needed, type(value)), name)
  elseif value ~= nil and field.low and (value < field.low or value > field.high) then
    core.fail(string.format("study: %s " .. field.bounds, name, field.low, field.high))
  end
end

function study.read(given)
  local names = {}
  for i, field in ipairs(FIELDS) do names[i] = field.name end
  core.check_keys(given, names, "study")
  local fields = shape.copy(given)
  for _, field in ipairs(FIELDS) do check(field, fields[field.name]) end
  return fields
end

-- The plots, the claims and the files of measurements of the study, whose axes have been read, as lists.
function study.tables(fields)
  local function read(how, given) return given == nil and {} or how(given) end
  return { plots = read(plots.read, fields.plot), claims = read(claims.read, fields.claims),
           measured = read(measured.read, fields.measured) }
end

return study

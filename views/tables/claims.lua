-- SPDX-License-Identifier: BSD-3-Clause
-- claims = { ["N-39"] = function(r) return ... end, "P-T01" }: claims that a study answers, or only shows.
local shape = require "shape"
local claims = {}

local functions = {} -- by id; a claim that is only shown has none

-- The ids.
function claims.read(given)
  local ids = {}
  for _, pair in ipairs(shape.pairs(given)) do
    local id, answer = pair[1], pair[2]
    if type(answer) ~= "function" then
      core.fail(string.format("claims: %s needs a function of the results, not a %s", id, type(answer)))
    end
    ids[#ids + 1] = id
    functions[id] = answer
  end
  for i = 1, core.part(given) do
    local id = rawget(given, i)
    if type(id) ~= "string" then core.fail('claims: write ["N-39"] = function(r) ... end, or the id alone') end
    ids[#ids + 1] = id
  end
  return ids
end

-- --- answers ------------------------------------------------------------------------------------

local function refuse(id, problem) core.fail(string.format("claim %s: %s", id, problem)) end

local function finite(id, number)
  if number ~= number or math.abs(number) == math.huge then refuse(id, "the number is not finite") end
  return number
end

-- Whether a table is a list, of `count` values if that is given, without names.
local function is_list(of, count) return #shape.pairs(of) == 0 and (not count or core.part(of) == count) end

-- A number, or both ends of a range.
local function read_obtained(id, obtained, answer)
  if type(obtained) == "table" then
    for i = 1, 2 do
      local number = rawget(obtained, i)
      if type(number) ~= "number" or not is_list(obtained, 2) then refuse(id, "a range obtained is { LOW, HIGH }, two numbers") end
      answer[i == 1 and "obtained_low" or "obtained"] = finite(id, number)
    end
    answer.has_range = true
    if answer.obtained_low > answer.obtained then refuse(id, "the range obtained ends below its beginning") end
  elseif type(obtained) == "number" then
    answer.obtained = finite(id, obtained)
  elseif obtained ~= nil then
    refuse(id, "obtained has to be a number or { LOW, HIGH }, not a " .. type(obtained))
  end
  answer.has_number = answer.obtained ~= nil
end

-- The distance of a number from its nearest limit, as a part of that limit.
local function read_margin(id, number, limits, answer)
  if not is_list(limits) then refuse(id, "limits has to be a list of numbers, without names") end
  for i = 1, core.part(limits) do
    local limit = rawget(limits, i)
    if type(limit) ~= "number" then refuse(id, "a limit has to be a number, not a " .. type(limit)) end
    local margin = limit ~= 0 and math.abs(number / limit - 1) or math.huge
    if margin < (answer.margin or math.huge) then answer.margin = margin end
  end
end

-- The limits by which the scenario judges what was obtained: { LIMIT, ... }; of a range { { LIMIT, ... }, { LIMIT, ... } }.
local function read_limits(id, limits, answer)
  if limits == nil then return end
  if type(limits) ~= "table" then refuse(id, "limits has to be a list of numbers, not a " .. type(limits)) end
  if not answer.has_number then refuse(id, "limits are those of what was obtained, which is missing") end
  if not answer.has_range then return read_margin(id, answer.obtained, limits, answer) end
  for i = 1, 2 do
    local of_end = rawget(limits, i)
    if type(of_end) ~= "table" or not is_list(limits, 2) then refuse(id, "limits of a range are two lists, of its low and its high end") end
    read_margin(id, i == 1 and answer.obtained_low or answer.obtained, of_end, answer)
  end
end

local KINDS = { { "holds", "boolean" }, { "note", "string" } }

local function read_table(id, returned, answer)
  core.check_keys(returned, { "obtained", "holds", "note", "limits" }, "the answer to a claim")
  local given = shape.copy(returned)
  read_obtained(id, given.obtained, answer)
  read_limits(id, given.limits, answer)
  for _, kind in ipairs(KINDS) do
    local key, wanted = kind[1], kind[2]
    local found = type(given[key])
    if found ~= "nil" and found ~= wanted then
      refuse(id, string.format("%s has to be a %s, not a %s", key, wanted, found))
    end
  end
  if given.note then core.check_text(given.note) end
  answer.judged, answer.holds, answer.note = given.holds ~= nil, given.holds, given.note
end

-- What a claim's function returns, for views/claims.lua; nil if it has none. judged, the scenario itself says whether it holds; holds;
-- has_number; obtained, in the claim's unit, of a range the high end; has_range; obtained_low, of a range; margin, of a
-- claim that the scenario judges by numbers, how far the nearest of them is from its limit, as a part of that; note.
function claims.answer(id, results)
  if not functions[id] then return nil end
  core.blame(functions[id])
  local returned, answer = functions[id](core.results(results)), {}
  if type(returned) == "number" then
    read_obtained(id, returned, answer)
  elseif type(returned) == "boolean" then
    answer.judged, answer.holds = true, returned
  elseif type(returned) == "table" then
    read_table(id, returned, answer)
  else
    refuse(id, "the function has to return a number, a boolean or a table, not a " .. type(returned))
  end
  return answer
end

return claims

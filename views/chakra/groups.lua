-- SPDX-License-Identifier: BSD-3-Clause
-- Process groups: which ranks take part in a collective. They come from metadata nodes (PyTorch writes them as JSON into the
-- inputs), by a file {"1": [0, 1], ...} as ASTRA-sim has, or by dimensions that take part.
local wire = require "chakra/wire"
local groups = {}

local DEFAULT = { all = true, ["0"] = true, default_pg = true }

local function numbers(text)
  local list = {}
  for number in text:gmatch("%d+") do list[#list + 1] = math.tointeger(tonumber(number)) or math.maxinteger end
  return list
end

local function everyone(ranks)
  local list = {}
  for rank = 0, ranks - 1 do list[#list + 1] = rank end
  return list
end

-- Checks a list of ranks: none may occur twice.
local function check(list, ranks, refuse)
  local seen = {}
  for _, rank in ipairs(list) do
    if rank >= ranks then refuse("has rank %d, and there are traces of ranks 0 to %d", rank, ranks - 1) end
    if seen[rank] then refuse("has rank %d twice", rank) end
    seen[rank] = true
  end
  return list
end

function groups.read_file(path, ranks)
  local text = core.text_file(path, "a file of process groups")
  local function refuse(...) error({ sentence = string.format("%s: %s", path, string.format(...)) }, 0) end
  local found = {}
  local rest = text:gsub('%s*"([^"]*)"%s*:%s*%[([%d%s,]*)%]%s*,?', function(name, list)
    found[name] = check(numbers(list), ranks, function(...) refuse("group %s %s", name, string.format(...)) end)
    return ""
  end)
  if not rest:match("^%s*{%s*}%s*$") then refuse('groups are written {"1": [0, 1], "2": [2, 3]}') end
  return found
end

-- Adds the groups of a metadata node: objects with pg_name and ranks; an empty list means all ranks.
local function add_metadata(found, node, ranks)
  for object in (node.inputs or ""):gmatch("%b{}") do
    local name, list = object:match('"pg_name"%s*:%s*"([^"]*)"'), object:match('"ranks"%s*:%s*(%b[])')
    if name and list then
      local members = numbers(list)
      local function refuse(...) node:refuse("process group %s %s", name, string.format(...)) end
      found[name] = check(#members > 0 and members or everyone(ranks), ranks, refuse)
    end
  end
end

-- The ranks that differ from `rank` only in the dimensions that take part; the first dimension runs fastest.
local function by_dims(node, rank, involved, dims, ranks)
  local list, total = { rank }, 1
  for i, size in ipairs(dims) do
    if involved[i] ~= 0 then
      local more = {}
      for place = 0, size - 1 do
        for _, one in ipairs(list) do more[#more + 1] = one + (place - one // total % size) * total end
      end
      list = more
    end
    total = total * size
  end
  if total ~= ranks then node:refuse("--trace dims= makes %d ranks, and there are %d", total, ranks) end
  table.sort(list)
  return list
end

local function takes_all(involved)
  for _, is_in in ipairs(involved or {}) do
    if is_in == 0 then return false end
  end
  return true
end

-- Of all ranks' traces.
function groups.new(traces, options)
  local of = { ranks = #traces, dims = options.dims, all = everyone(#traces), places = setmetatable({}, { __mode = "k" }) }
  of.found = options.groups and groups.read_file(options.groups, of.ranks) or {}
  for _, trace in ipairs(traces) do
    for _, node in ipairs(trace.nodes) do
      if node.type == 1 then add_metadata(of.found, node, of.ranks) end
    end
  end
  return of
end

-- The value of an attribute as a sentence shows it.
function groups.told(value) return type(value) == "table" and "a list" or tostring(value) end

-- The places (from 0) of a list's ranks, found once and kept.
local function places_of(all, list)
  if not all.places[list] then
    local places = {}
    for i, member in ipairs(list) do places[member] = i - 1 end
    all.places[list] = places
  end
  return all.places[list]
end

-- The group of a collective of the rank: its name, its members in order, and the rank's place among them.
function groups.of(all, node, rank)
  local involved = node.attributes.involved_dim
  if involved and (type(involved) ~= "table" or involved == wire.OTHER_LIST) then node:refuse("involved_dim is no list of truth values") end
  local name = groups.told(node.attributes.pg_name or node.attributes.comm_group or "all")
  if name == "" then name = "all" end
  if not takes_all(involved) then
    if not all.dims then node:refuse("not all dimensions take part (involved_dim), and --trace dims=NxN does not say which ranks these have") end
    local list = by_dims(node, rank, involved, all.dims, all.ranks)
    return "dimensions " .. table.concat(list, ","), list, places_of(all, list)[rank]
  end
  local list = all.found[name] or (DEFAULT[name] and all.all)
  if not list then node:refuse("process group %s is described by no metadata node, and by no file of --trace groups=FILE", name) end
  local place = places_of(all, list)[rank]
  if not place then node:refuse("rank %d is not in process group %s", rank, name) end
  return name, list, place
end

return groups

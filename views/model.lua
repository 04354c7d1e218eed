-- SPDX-License-Identifier: BSD-3-Clause
-- Models that `gpunetsim derive` has written (benchmarks/derive.lua), read for `gpunetsim goal --model`. The file is Lua,
-- but only a table of texts, numbers and tables: it is read here, not run.
local model = {}

local DISTANCES = { "same_gpu", "same_socket", "same_node", "same_rail", "same_leaf", "across" }
local LINES = { "send", "sent", "arrive", "busy", "late", "post", "first", "receive", "out", "into", "shared" }
local PIECE = { "from", "to", "waits", table.unpack(LINES) }
local SHAPE = { "machine", "design", "gpus_per_node", "gpus_per_socket", "nodes_per_leaf", "gpus_sharing", "kernel", "distances", "errors" }
local MOST = 1 << 50

-- --- the text -------------------------------------------------------------------------------------

local function fail(of, ...)
  local _, line = of.text:sub(1, of.at - 1):gsub("\n", "")
  error({ sentence = string.format("%s:%d: ", of.path, line + 1) .. string.format(...) }, 0)
end

local function skip(of)
  repeat
    local before = of.at
    of.at = of.text:match("^%s*()", of.at)
    of.at = of.text:match("^%-%-[^\n]*()", of.at) or of.at
  until of.at == before
end

-- The pattern's captures at the text's present place, or nil.
local function take(of, pattern)
  skip(of)
  local found, next_at = of.text:match("^(" .. pattern .. ")()", of.at)
  if found then of.at = next_at end
  return found
end

local value

-- Keeps an entry of a table under its key, or as the next one of a list.
local function keep(of, list, key, read)
  if key and list[key] ~= nil then fail(of, "%s is there twice", key) end
  list[key or #list + 1] = read
end

local function entries(of, depth)
  local list = {}
  if depth > 8 then fail(of, "tables of a model lie in each other up to eight deep") end
  while not take(of, "}") do
    local key = of.text:match("^[%a_][%w_]*%s*=", of.at) and take(of, "[%a_][%w_]*")
    if key then take(of, "=") end
    keep(of, list, key, value(of, depth + 1))
    if not take(of, "[,;]") then
      skip(of)
      if of.text:sub(of.at, of.at) ~= "}" then fail(of, "an entry ends with a comma, its table with }") end
    end
    skip(of)
  end
  return list
end

value = function(of, depth)
  if take(of, "{") then
    skip(of)
    return entries(of, depth)
  end
  local word = take(of, '"[^"\n]*"')
  if word then return word:sub(2, -2) end
  word = take(of, "%-?[%d%.][%w%.%-]*")
  if word and tonumber(word) then return tonumber(word) end
  word = take(of, "%a+")
  if word == "true" or word == "false" then return word == "true" end
  fail(of, "a model has tables, numbers, texts, true and false")
end

local function parse(path)
  local of = { path = path, text = core.text_file(path, "a model"), at = 1 }
  if not take(of, "return%f[%W]") then fail(of, 'a model begins with "return {", as gpunetsim derive writes it') end
  local read = value(of, 1)
  skip(of)
  if of.at <= #of.text then fail(of, "a model is one table, and nothing after it") end
  if type(read) ~= "table" then fail(of, "a model is a table") end
  return read
end

-- --- what it has to say --------------------------------------------------------------------------

local function refuse(path, ...) error({ sentence = path .. ": " .. string.format(...) }, 0) end

local function whole(path, of, name, least, most)
  local number = math.tointeger(of[name])
  if not number or number < least or number > most then
    refuse(path, "%s is a whole number from %d to %d", name, least, most)
  end
  return number
end

-- Refuses a table with a key that is not among `names`.
local function check_keys(path, what, of, names)
  local known, wrong = {}, nil
  for _, name in ipairs(names) do known[name] = true end
  for key in pairs(of) do
    if not known[key] and (not wrong or tostring(key) < wrong) then wrong = tostring(key) end
  end
  if wrong then refuse(path, "%s of a model are %s, not %s", what, table.concat(names, ", "), wrong) end
end

local function line(path, piece, name)
  local of = piece[name]
  local fixed, byte = type(of) == "table" and math.tointeger(of[1]), type(of) == "table" and math.tointeger(of[2])
  if not fixed or not byte or #of > 2 or math.abs(fixed) > MOST or math.abs(byte) > MOST then
    refuse(path, "%s of a piece is { picoseconds, attoseconds for each byte }, whole numbers up to 2^50", name)
  end
  return fixed .. " " .. byte
end

local function piece_text(path, distance, piece, after)
  if type(piece) ~= "table" then refuse(path, "a piece of distances.%s is a table", DISTANCES[distance]) end
  local from = whole(path, piece, "from", after, MOST)
  local to = whole(path, piece, "to", from, MOST)
  if type(piece.waits) ~= "boolean" then refuse(path, "waits of a piece is true or false") end
  local words = { distance - 1, from, to, piece.waits and 1 or 0 }
  for _, name in ipairs(LINES) do words[#words + 1] = line(path, piece, name) end
  check_keys(path, "entries of a piece", piece, PIECE)
  return table.concat(words, " "), to + 1
end

-- The model's numbers: a line of the machine's shape, then a line for each piece, as goal_model.c takes them.
function model.numbers(path)
  local of = parse(path)
  local per_node = whole(path, of, "gpus_per_node", 1, 4096)
  local texts = { table.concat({ per_node, whole(path, of, "gpus_per_socket", 1, per_node), whole(path, of, "nodes_per_leaf", 0, 65536),
    whole(path, of, "gpus_sharing", 1, per_node), whole(path, of, "kernel", 0, MOST) }, " ") }
  if type(of.distances) ~= "table" then refuse(path, "a model has distances") end
  check_keys(path, "entries", of, SHAPE)
  check_keys(path, "distances", of.distances, DISTANCES)
  for distance, name in ipairs(DISTANCES) do
    local after = 0
    for _, piece in ipairs(of.distances[name] or {}) do texts[#texts + 1], after = piece_text(path, distance, piece, after) end
  end
  if #texts == 1 then refuse(path, "distances of a model are %s; it has none of them", table.concat(DISTANCES, ", ")) end
  return texts
end

return model

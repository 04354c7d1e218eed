-- SPDX-License-Identifier: BSD-3-Clause
-- JSON as tables: objects by their keys, arrays from 1 on; null is nothing. json.line(table) is the line in which it begins.
local json = {}

local ESCAPES = { ['"'] = '"', ["\\"] = "\\", ["/"] = "/", b = "\b", f = "\f", n = "\n", r = "\r", t = "\t" }
local WORDS = { ["true"] = true, ["false"] = false }
local MOST_DEPTH = 100
local lines = setmetatable({}, { __mode = "k" })

function json.line(of) return lines[of] or 1 end

-- Skips blanks, counting lines; the character that follows.
local function peek(reader)
  local from = reader.at
  reader.at = reader.text:find("[^ \t\r\n]", from) or #reader.text + 1
  for _ in reader.text:sub(from, reader.at - 1):gmatch "\n" do reader.line = reader.line + 1 end
  return reader.text:sub(reader.at, reader.at)
end

local function fail(reader, wanted)
  local found = reader.text:sub(reader.at, reader.at)
  reader.of.refuse(reader.line, "it is no JSON: %s where %s is to be", found == "" and "the end" or string.format('"%s"', core.shown(found)), wanted)
end

local function expect(reader, character)
  if peek(reader) ~= character then fail(reader, string.format('"%s"', character)) end
  reader.at = reader.at + 1
end

-- The character for an escape: a letter behind a backslash, or u and four digits. Surrogate halves are refused.
local function character(letter, digits)
  local code = letter == "u" and #digits == 4 and tonumber(digits, 16)
  if code then return code >= 0xD800 and code < 0xE000 and "?" or utf8.char(code) end
  return (ESCAPES[letter] or "\\" .. letter) .. digits
end

local function text_of(reader)
  local last = reader.at + 1
  while true do
    last = reader.text:find('["\\%c]', last)
    local found = last and reader.text:sub(last, last)
    if found == '"' then break end
    if found ~= "\\" then fail(reader, "the end of a text in its line") end
    last = last + 2
  end
  local inner = reader.text:sub(reader.at + 1, last - 1)
  reader.at = last + 1
  return (inner:gsub("\\(.)(%x?%x?%x?%x?)", character))
end

local read

local function list_of(reader, closing, item)
  local list = {}
  lines[list] = reader.line
  reader.at, reader.depth = reader.at + 1, reader.depth + 1
  if reader.depth > MOST_DEPTH then fail(reader, "something less deep") end
  while peek(reader) ~= closing do
    item(list)
    if peek(reader) ~= closing then expect(reader, ",") end
  end
  reader.at, reader.depth = reader.at + 1, reader.depth - 1
  return list
end

local function object(reader)
  return list_of(reader, "}", function(list)
    if peek(reader) ~= '"' then fail(reader, "a key") end
    local key = text_of(reader)
    expect(reader, ":")
    list[key] = read(reader)
  end)
end

read = function(reader)
  local first = peek(reader)
  if first == "{" then return object(reader) end
  if first == "[" then return list_of(reader, "]", function(list) list[#list + 1] = read(reader) end) end
  if first == '"' then return text_of(reader) end
  local word = reader.text:match("^[%w+.-]+", reader.at) or ""
  if word == "null" then
    reader.at = reader.at + #word
    return nil
  end
  local value = WORDS[word]
  if value == nil then value = word:find "^-?%d" and (math.tointeger(tonumber(word)) or tonumber(word)) end
  if value == nil or value == false and word ~= "false" then fail(reader, "a value") end
  reader.at = reader.at + #word
  return value
end

function json.read(of, text)
  local reader = { of = of, text = text, at = 1, line = 1, depth = 0 }
  local value = read(reader)
  if peek(reader) ~= "" then fail(reader, "the end") end
  return value
end

return json

-- SPDX-License-Identifier: BSD-3-Clause
-- Reads protocol buffers: numbers, fields and their values. `place` knows where the bytes are, for errors (place:refuse).
local wire = {}

local VARINT, EIGHT, BYTES, FOUR = 0, 1, 2, 5 -- how a field is written

-- The number that begins at `at`, and the place behind it. A number of more than 63 bits comes out negative.
function wire.varint(place, text, at, last)
  local value, shift = 0, 0
  while true do
    local byte = at <= last and text:byte(at)
    if not byte then place:refuse("a number is cut off at byte %d of the file", at - 1) end
    if shift > 63 then place:refuse("a number at byte %d of the file has more than 64 bits", at - 1) end
    value = value | (byte & 127) << shift
    at, shift = at + 1, shift + 7
    if byte < 128 then return value, at end
  end
end

-- Goes over the fields of the message at first..last: number, kind, and the value, or the value's first and last byte.
function wire.fields(place, text, first, last)
  local at = first
  return function()
    if at > last then return nil end
    local key, value, stop
    key, at = wire.varint(place, text, at, last)
    local number, kind = key >> 3, key & 7
    if kind == VARINT then
      value, at = wire.varint(place, text, at, last)
      return number, kind, value
    elseif kind == BYTES then
      value, at = wire.varint(place, text, at, last)
    elseif kind == EIGHT or kind == FOUR then
      value = kind == EIGHT and 8 or 4
    else
      place:refuse("field %d is of wire type %d; types are 0, 1, 2 and 5", number, kind)
    end
    if value < 0 or value > last - at + 1 then place:refuse("field %d is longer than its message", number) end
    first, stop, at = at, at + value - 1, at + value
    return number, kind, first, stop
  end
end

-- Adds the numbers of a repeated field, packed or one by one.
function wire.add_numbers(place, text, list, kind, first, stop)
  if kind == VARINT then
    list[#list + 1] = first
  elseif kind == BYTES then
    while first <= stop do list[#list + 1], first = wire.varint(place, text, first, stop) end
  else
    place:refuse("a list of numbers is of wire type %d; accepted are 0 and 2", kind)
  end
end

local function zigzag(value) return (value >> 1) ~ -(value & 1) end
local function same(value) return value end
local function is_set(value) return value ~= 0 end

-- For each kind of value of an AttributeProto except lists: how it is written, and a function or a format that reads it.
local VALUES = {
  [3] = { EIGHT, "<d" }, [5] = { FOUR, "<f" }, [7] = { VARINT, same }, [9] = { VARINT, same }, [11] = { VARINT, same },
  [13] = { VARINT, same }, [15] = { VARINT, zigzag }, [17] = { VARINT, zigzag }, [19] = { FOUR, "<I4" }, [21] = { EIGHT, "<i8" },
  [23] = { FOUR, "<i4" }, [25] = { EIGHT, "<i8" }, [27] = { VARINT, is_set }, [29] = { BYTES }, [31] = { BYTES },
}
local BOOL_LIST = 28
wire.OTHER_LIST = {} -- stands for any list that is not one of truth values

local function value_of(place, text, number, kind, first, stop)
  local form = VALUES[number]
  if number == BOOL_LIST and kind == BYTES then
    local list = {}
    for field, how, from, to in wire.fields(place, text, first, stop) do
      if field == 1 then wire.add_numbers(place, text, list, how, from, to) end
    end
    return list
  end
  if not form then return wire.OTHER_LIST end
  if form[1] ~= kind then place:refuse("the value of an attribute, field %d, is of wire type %d", number, kind) end
  if kind == VARINT then return form[2](first) end
  return kind == BYTES and text:sub(first, stop) or string.unpack(form[2], text, first)
end

-- An attribute's name and value; a list that is not of truth values is OTHER_LIST.
function wire.attribute(place, text, first, last)
  local name, value
  for number, kind, from, to in wire.fields(place, text, first, last) do
    if number == 1 and kind == BYTES then
      name = text:sub(from, to)
    elseif number > 2 then
      value = value_of(place, text, number, kind, from, to)
    end
  end
  if not name then place:refuse("an attribute has no name") end
  return name, value
end

return wire

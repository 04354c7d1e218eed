-- SPDX-License-Identifier: BSD-3-Clause
-- The room that a text takes, in em of the figures' font, DejaVu Sans. Layout needs upper bounds only; gnuplot draws
-- with the true widths.
local text = {}

local CHARACTER = "[^\x80-\xBF][\x80-\xBF]*"
local NARROW, USUAL, CAPITAL, WIDE = 0.41, 0.64, 0.78, 1.0
local NARROW_ONES, WIDE_ONES = " !'(),./:;I[\\]ijl|`frt-", "mwMW@%<>=+"

local function character_width(character)
  if #character > 1 or character >= "\x80" then
    local is_good, code = pcall(utf8.codepoint, character)
    if not is_good then return 0.7 end
    return core.is_wide(code) and 1.5 or core.is_upper(code) and WIDE or 0.7
  end
  if NARROW_ONES:find(character, 1, true) then return NARROW end
  if WIDE_ONES:find(character, 1, true) then return WIDE end
  return character:find("[A-Z]") and CAPITAL or USUAL
end

-- The width of a text in em, rounded up character by character: no text is wider than that.
function text.width(of)
  local width = 0.0
  for character in of:gmatch(CHARACTER) do width = width + character_width(character) end
  return width
end

-- How many characters a text has.
function text.length(of) return select(2, of:gsub(CHARACTER, "")) end

-- The words of a text.
function text.words(of)
  local words = {}
  for word in of:gmatch "%S+" do words[#words + 1] = word end
  return words
end

-- The parts of a text between separators, at most `most` of them; an empty text has none.
function text.split(of, separator, most)
  local parts, from = {}, 1
  while of ~= "" do
    local at = #parts + 1 ~= most and of:find(separator, from, true)
    parts[#parts + 1] = of:sub(from, at and at - 1 or nil)
    if not at then break end
    from = at + #separator
  end
  return parts
end

-- The text in lines of at most `most` em, unless a word is wider; an empty text has none.
function text.lines(of, most)
  local lines, line = {}, nil
  for _, word in ipairs(text.split(of, " ")) do
    local longer = line and line .. " " .. word or word
    if line and line ~= "" and text.width(longer) > most then
      lines[#lines + 1], longer = line, word
    end
    line = longer
  end
  lines[#lines + 1] = line
  return lines
end

-- The text, or as much of its start as takes `most` em with an ellipsis. Of a long text only the start is looked at.
function text.fitting(of, most)
  local width, room, kept = 0.0, most - character_width("…"), 0
  for character, after in of:gmatch("(" .. CHARACTER .. ")()") do
    width = width + character_width(character)
    if width > most then return of:sub(1, kept) .. "…" end
    if width <= room then kept = after - 1 end
  end
  return of
end

return text

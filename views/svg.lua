-- SPDX-License-Identifier: BSD-3-Clause
-- Makes a figure.svg from gnuplot smaller, and adds what gnuplot does not provide.
local svg = {}

local ROOT = ' fill="none" color="black" stroke="currentColor"' -- the attributes of most groups, moved to the root
-- Fonts for readers without the figures' font: other sans-serif ones, which are narrower.
local FONT, FONTS = ' font%-family="([^"]*)"', ' font-family="%s, Verdana, Arial, sans-serif"'
-- What is so anyway.
local USUAL = { ' stroke-linecap="butt"', ' stroke-linejoin="miter"', ' class="gridline"', " standalone=\"no\"" }

local function without(of, part)
  local first, last = of:find(part, 1, true)
  return first and of:sub(1, first - 1) .. of:sub(last + 1) or of
end

local function short_colour(red, green, blue) return string.format("#%02x%02x%02x", red, green, blue) end

local function shorter_tag(tag)
  if tag:find("^<g id=.gnuplot_canvas") then return tag:sub(1, -2) .. ROOT .. ">" end
  if tag:find('^<rect x="0" y="0"') then return tag:sub(1, -3) .. ' stroke="none"/>' end -- the background
  for _, part in ipairs(USUAL) do tag = without(tag, part) end
  tag = without(tag, ROOT):gsub("rgb%(%s*(%d+),%s*(%d+),%s*(%d+)%)", short_colour)
  return (tag:gsub(FONT, ""):gsub("%s+", " "))
end

-- Removes empty groups, and groups of empty groups.
local function without_empty_groups(of)
  local count
  repeat of, count = of:gsub("<g[^>]*>%s*</g>%s*", "") until count == 0
  return of
end

-- Removes shapes that no mark uses.
local function without_unused_shapes(of)
  return (of:gsub("<%a+ id='(gp%w+)'[^>]*/>%s*", function(name)
    if not of:find("#" .. name .. "'", 1, true) then return "" end
  end))
end

-- `values` (values.group) comes last, over all else. Texts are left as they are: no tag has a ">" within.
function svg.finish(of, values)
  local fonts = FONTS:format(of:match(FONT) or "sans-serif")
  of = without_empty_groups(of:gsub("<[^>]*>", shorter_tag)):gsub("<svg", "<svg" .. fonts, 1)
  of = without_unused_shapes(of):gsub(">%s+<", ">\n<")
  local last = of:find("</svg>%s*$") or #of + 1
  return { of:sub(1, last - 1) .. values .. of:sub(last) }
end

return svg

-- SPDX-License-Identifier: BSD-3-Clause
-- The layout of a figure's page, in em of its font from the lower left corner. The files of plots/ say how its parts look.
-- Panels stand in a grid below the title; they share one label an axis, and one legend below all, which gnuplot sets.
-- Widths of texts are upper bounds, so nothing that has room here touches anything else.
local axis = require "axis"
local text = require "text"
local page = { LINE = 1.5 } -- em from line to line

local EDGE = 0.5          -- em left free around the page
local LEAST_PANEL = 12.0  -- width
local MOST_COLUMNS = 3
local SINGLE_SHAPE = 0.62 -- height over width
local PANEL_SHAPE = 0.75
local LEAST_HEIGHT, MOST_HEIGHT = 9.0, 26.0
local LOWEST_PANEL = 4.0  -- the lowest panel where a study sets the page's height
local TICK_GAP = 0.9      -- between an axis and its labels
local KEY_SAMPLE = 4.5    -- width of a legend entry without its text
local GNUPLOT_WIDTH = 0.67 -- width of a character, by which gnuplot sets the legend's columns
local KEY_LINE = 1.5        -- as of plots/legend.gp
local COLOUR_BAR = 4.5    -- em, beside its ticks and their label
local SLANT = 0.75        -- height of a slanted label over its length, and width
local SLANTED_APART = 1.5 -- em along the axis that slanted labels need; closer ones stand upright
local UPRIGHT_APART = 1.1 -- em along the axis that upright labels need
local MOST_TURNS = 8

local function width_of(tick) return tick and text.width(tick.label) or 0 end

local function clamp(x, low, high) return x > high and high or x < low and low or x end

-- How many panels stand side by side in `room` em.
local function columns_for(panels, room)
  local most = math.min(math.max(math.floor(room / LEAST_PANEL), 1), MOST_COLUMNS)
  if panels == 4 then most = math.min(most, 2) end
  return math.min(panels, most)
end

local function names_collide(ticks, x, length)
  return x.scale == "named" and #ticks > 1 and
         axis.ticks_width(ticks) + 0.8 > length / (x.high - x.low)
end

-- The height of ticks, labels and gap between a panel and the next one below.
local function below_panel(self)
  if self.x_tick_angle == 0 then return page.LINE + 0.9 end
  return (self.x_tick_angle == 45 and SLANT or 1) * axis.ticks_width(self.x_ticks) + 1.4
end

-- In degrees: names that have no room side by side are slanted, and stand upright where there are many of them.
local function tick_angle(self, x)
  if not names_collide(self.x_ticks, x, self.panel_width) then return 0 end
  return self.panel_width / (x.high - x.low) < SLANTED_APART and 90 or 45
end

-- Upright sizes that are closer than their height: every second one has a label, or fewer. Names keep theirs.
local function thin_out_sizes(self, x)
  local step = math.ceil(UPRIGHT_APART * (x.high - x.low) / self.panel_width)
  if self.x_tick_angle ~= 90 or not x.is_bytes then return end
  for i, tick in ipairs(self.x_ticks) do
    if (i - 1) % step ~= 0 then tick.label = "" end
  end
end

local function left_of_panels(self, x)
  local left = EDGE + #self.y_lines * page.LINE + axis.ticks_width(self.y_ticks) + TICK_GAP
  if self.x_tick_angle ~= 45 then return left end
  local unit = self.panel_width / (x.high - x.low) -- slanted ones reach to the left from their ticks
  return math.max(left, SLANT * width_of(self.x_ticks[1]) - 0.6 * unit + EDGE)
end

-- Sets columns, widths and ticks. They depend on each other by the labels' widths, so they are worked out again until the
-- labels have the room that they need.
local function set_widths(self, content)
  local x, gap = content.x, 1
  local right = EDGE
  if content.has_colours then
    right = EDGE + (COLOUR_BAR + axis.ticks_width(self.z_ticks) + page.LINE)
  end
  self.x_ticks = x:ticks(LEAST_PANEL)
  self.y_ticks = content.y:ticks(MOST_HEIGHT, true) -- with as many labels as possible
  for _ = 1, MOST_TURNS do
    self.left = left_of_panels(self, x)
    self.columns = columns_for(content.panels, self.width - self.left - right)
    local gaps = gap * (self.columns - 1)
    self.panel_width = (self.width - self.left - right - gaps) / self.columns
    self.x_ticks = x:ticks(self.panel_width)
    self.x_tick_angle = tick_angle(self, x)
    thin_out_sizes(self, x)
    self.column_gap = gap
    if x.scale ~= "named" then
      local first = width_of(self.x_ticks[1]) / 2
      local last = width_of(self.x_ticks[#self.x_ticks]) / 2
      if right >= EDGE + last and gap >= first + last + 0.8 then break end
      right, gap = math.max(right, EDGE + last), math.max(gap, first + last + 0.8)
    end
  end
  self.rows = (content.panels + self.columns - 1) // self.columns
end

local function set_heights(self, content)
  local shape = content.panels > 1 and PANEL_SHAPE or SINGLE_SHAPE
  local height = clamp(shape * self.panel_width, LEAST_HEIGHT, MOST_HEIGHT)
  if content.y.scale == "named" then height = math.max(height, page.LINE * #content.y.names) end
  self.panel_height = height
  self.y_ticks = content.y:ticks(height, true)
  local panel_title = content.panels > 1 and page.LINE + 0.3 or 0
  -- Only the lowest panel of a column has labels at its ticks; if the last row is incomplete, that may be in the row above.
  local is_full = content.panels % self.columns == 0
  self.row_height = height + panel_title + (is_full and 0.7 or below_panel(self) + 0.3)
end

local function key_columns(self, key, wanted)
  local widest = 0
  for _, entry in ipairs(key) do
    widest = math.max(widest, text.width(entry), GNUPLOT_WIDTH * text.length(entry))
  end
  local columns = math.floor((self.width - 2 * EDGE) / (widest + KEY_SAMPLE))
  local most = clamp(wanted or columns, 1, math.max(#key, 1))
  if wanted then return most end
  local lines = (#key + most - 1) // most
  return lines > 0 and (#key + lines - 1) // lines or 1 -- as even as can be
end

-- Sets the places from the top down; heights are counted from the top and converted at the end.
local function set_places(self, content)
  local LINE = page.LINE
  local y = EDGE
  local title_y = y + LINE / 2
  y = y + (LINE * #self.title_lines + 0.3 + (content.panels > 1 and LINE + 0.3 or 0))
  local top = y
  y = y + ((self.rows - 1) * self.row_height + self.panel_height + below_panel(self))
  local x_label_y = y + LINE / 2
  y = y + LINE * #self.x_lines
  local note_y = y + LINE / 2
  y = y + LINE * #self.note_lines
  self.key_columns = key_columns(self, content.key, content.key_columns or self.legend_corner and 1)
  local key_top = y + 0.5
  if #content.key > 0 and not self.legend_corner then
    local lines = (#content.key + self.key_columns - 1) // self.key_columns
    y = y + (KEY_LINE * (lines + (content.key_title ~= "" and 1 or 0)) + 0.9)
  end
  self.height = y + EDGE
  self.top = self.height - top
  self.title_y, self.x_label_y = self.height - title_y, self.height - x_label_y
  self.key_top, self.note_y = self.height - key_top, self.height - note_y
  self.y_label_x = EDGE + LINE / 2
end

-- Makes the panels higher or lower, so that the page has the height that is asked for.
local function fit_height(self, content, height)
  local more = (height - self.height) / self.rows
  if self.panel_height + more < LOWEST_PANEL then
    error({ sentence = "plot.height leaves no room for the panels: the figure needs more, or fewer panels" })
  end
  self.panel_height, self.row_height = self.panel_height + more, self.row_height + more
  self.y_ticks = content.y:ticks(self.panel_height, true)
  set_places(self, content)
end

-- Lays the content out on a page `size.width` em wide; its height is what it needs, unless size.height (em) says it.
-- `content`: title, x_label, y_label, notes (a list) and key_title ("" where there is none), key (the legend's entries),
-- key_columns (nil: as many as have room), key_place ("top left"; nil: below all), panels (how many), has_colours (a bar of
-- them on the right) and the axes x, y and z (of these colours).
function page.new(content, size)
  local width = size.width
  local self = { width = width, key_title = content.key_title,
                 legend_corner = content.key_place and content.key_place:match("^%a+ %a+$"),
                 title_lines = text.lines(content.title, width - 2 * EDGE),
                 x_lines = text.lines(content.x_label, width - 2 * EDGE),
                 y_lines = text.lines(content.y_label, 1e9),
                 note_lines = {} }
  for _, note in ipairs(content.notes) do
    table.move(text.lines(note, width - 2 * EDGE), 1, 99, #self.note_lines + 1, self.note_lines)
  end
  if content.has_colours then self.z_ticks = content.z:ticks(LEAST_HEIGHT, true) end
  set_widths(self, content)
  set_heights(self, content)
  local height = (self.rows - 1) * self.row_height + self.panel_height
  if text.width(content.y_label) > height then -- then its lines take width from the panels
    self.y_lines = text.lines(content.y_label, height)
    set_widths(self, content)
    set_heights(self, content)
  end
  set_places(self, content)
  if size.height then fit_height(self, content, size.height) end
  return self
end

-- Where panel `number` (from 1) stands, and whether its ticks have labels: those beside another panel need none.
function page.panel(self, panels, number)
  local column, row = (number - 1) % self.columns, (number - 1) // self.columns
  local left = self.left + column * (self.panel_width + self.column_gap)
  local top = self.top - row * self.row_height
  return { left = left, right = left + self.panel_width, top = top,
           bottom = top - self.panel_height, shows_x = number - 1 + self.columns >= panels,
           shows_y = column == 0 }
end

return page

-- SPDX-License-Identifier: BSD-3-Clause
-- The contents of stores, for `gpunetsim status` and `gpunetsim diff`. `of` is a store's content (study/store/contents.c),
-- in lists.
local export = require "export"
local terminal = require "terminal"
local store = {}

local FAILURES_SHOWN = 5 -- of each study
local MOST_SHOWN = 50    -- differences

local function named_study(record)
  local study = {}
  study.name, study.digest, study.seed, study.version = table.unpack(record, 1, 4)
  return study
end

local function named_point(record)
  local point = named_study(record)
  point.axes, point.failure, point.started_us, point.duration_us, point.row = table.unpack(record, 5, 9)
  return point
end

-- --- status --------------------------------------------------------------------------------------

-- The entry of a study with its seed and version. A study whose text has changed is another one.
local function entry_of(entries, study)
  local id = table.concat({ study.digest, study.seed, study.version }, " ")
  if not entries[id] then
    entries[id] = { id = id, name = study.name, seed = study.seed, version = study.version,
                    points = 0, done = 0, failed = 0, busy_us = 0.0, last_us = 0 }
    entries[#entries + 1] = entries[id]
  end
  return entries[id]
end

local function add_point(entry, point, failures)
  entry.done, entry.busy_us = entry.done + 1, entry.busy_us + point.duration_us
  entry.last_us = math.max(entry.last_us, point.started_us)
  if not point.failure then return end
  entry.failed = entry.failed + 1
  if entry.failed <= FAILURES_SHOWN then failures[#failures + 1] = { point.name, point.axes, point.failure } end
end

local function comes_before(a, b)
  if a.name ~= b.name then return a.name < b.name end
  return a.id < b.id
end

local function cells(entry)
  local last = entry.done > 0 and os.date("!%Y-%m-%d %H:%M:%S", entry.last_us // 1000000) or ""
  local points = math.max(entry.points, entry.done) -- the number of variants is not known beforehand
  return { entry.name, tostring(entry.done), tostring(points), tostring(entry.failed), string.format("%.1f", entry.busy_us / 1e6),
           last, entry.seed, entry.version }
end

local NUMBERS = { done = true, points = true, failed = true, busy_s = true, seed = true }

local function mark_numbers(of)
  for _, column in ipairs(of.columns) do column.is_number = NUMBERS[column.name] or false end
end

-- The text; as JSON {"studies": [...], "failures": [...], "damaged": false, "rows_lost": 0}.
function store.status(of, as_json)
  local studies, points, is_damaged, lost = table.unpack(of, 1, 4)
  local entries, failures, rows = {}, {}, {}
  for _, record in ipairs(studies) do
    local study = named_study(record)
    entry_of(entries, study).points = record[5]
  end
  for _, record in ipairs(points) do
    local point = named_point(record)
    add_point(entry_of(entries, point), point, failures)
  end
  table.sort(entries, comes_before)
  for i, entry in ipairs(entries) do rows[i] = cells(entry) end
  local names = { "study", "done", "points", "failed", "busy_s", "last start (UTC)", "seed", "version" }
  local list, failed = terminal.of_texts(names, rows, 1, 0), terminal.of_texts({ "study", "failed point", "why" }, failures, 1, 0)
  if as_json then
    mark_numbers(list)
    local function array(table_of_texts) return (export.json(table_of_texts):gsub("\n$", "")) end
    return { string.format('{"studies": %s, "failures": %s, "damaged": %s, "rows_lost": %d}\n', array(list), array(failed),
                           is_damaged, lost) }
  end
  local text = terminal.whole(list)[1]
  if #failures > 0 then text = text .. "\n" .. terminal.whole(failed)[1] end
  if is_damaged then text = text .. string.format("\nThe store is damaged; %d rows cannot be read.\n", lost) end
  return { text }
end

-- --- diff ----------------------------------------------------------------------------------------

-- Kinds of values (enum value_kind).
local TEXT, NUMBER = 0, 1

-- The points' names in order, and the points by name; of points with one name the last counts.
local function points_by_name(of)
  local names, points = {}, {}
  for _, record in ipairs(of[2]) do
    local point = named_point(record)
    local name = table.concat({ point.name, point.axes, point.seed }, "\n")
    if not points[name] then names[#names + 1] = name end
    points[name] = point
  end
  table.sort(names)
  return names, points
end

local function measures_by_name(row)
  local by_name = {}
  for _, measure in ipairs(row[4]) do
    local name, kind, unit, quantity, number, text = table.unpack(measure, 1, 6)
    by_name[name] = by_name[name] or { kind = kind, unit = unit, quantity = quantity, number = number, text = text }
  end
  return by_name
end

local function agree(a, b, tolerance)
  if a.kind ~= b.kind or a.unit ~= b.unit then return false end
  if a.kind == TEXT then return a.text == b.text end
  local one, other = a.number, b.number
  if a.kind ~= NUMBER then
    if a.quantity == b.quantity then return true end
    one, other = a.quantity + 0.0, b.quantity + 0.0
  end
  return one == other or math.abs(one - other) <= tolerance * math.max(math.abs(one), math.abs(other))
end

-- Calls `differ` with each measure of the two rows in which they differ, and its texts.
local function compare(a, b, tolerance, differ)
  local ours, others = measures_by_name(a), measures_by_name(b)
  if a[1] ~= b[1] then differ("failure", a[1], b[1]) end
  for _, measure in ipairs(a[4]) do
    local name = measure[1]
    local one, other = ours[name], others[name]
    if not other or not agree(one, other, tolerance) then differ(name, one.text, other and other.text) end
  end
  for _, measure in ipairs(b[4]) do
    if not ours[measure[1]] then differ(measure[1], nil, others[measure[1]].text) end
  end
end

-- Points are the same if study, values and seed are, whatever the version. Numbers agree if they differ by no more than
-- `tolerance` of the larger one. A point or a measure that only one store has is a difference. The second result says
-- whether there is any difference.
function store.diff(a, b, tolerance)
  local names, ours = points_by_name(a)
  local other_names, others = points_by_name(b)
  local compared, differences, rows = 0, 0, {}
  local function note(point, measure, of_a, of_b)
    differences = differences + 1
    if differences <= MOST_SHOWN then rows[differences] = { point.name, point.axes, measure, of_a or "", of_b or "" } end
  end
  for _, name in ipairs(names) do
    local point, other = ours[name], others[name]
    if other then
      compared = compared + 1
      compare(point.row, other.row, tolerance, function(...) note(point, ...) end)
    else
      note(point, "(point)", "there", nil)
    end
  end
  for _, name in ipairs(other_names) do
    if not ours[name] then note(others[name], "(point)", nil, "there") end
  end
  local text = terminal.whole(terminal.of_texts({ "study", "point", "measure", "in A", "in B" }, rows, 1, 0))[1]
  local counts = string.format("%d points compared, %d differences\n", compared, differences)
  if differences == 0 then return { counts } end
  return { text .. counts, "they differ" }
end

return store

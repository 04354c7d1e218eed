-- SPDX-License-Identifier: BSD-3-Clause
-- The papers' claims, and the scenarios' answers to them. In the folder claims/, claims.tsv states the claims, modelled.tsv
-- says where those with use `config` are built in, restated.tsv lists claims that repeat others, and causes.tsv says why
-- claims are missed.
--
-- `given` has the paths `stated`, `modelled`, `restated` and `causes` (the last three nil: not read), `values` (of each place
-- configs/FILE:PARAMETER its value as `gpunetsim params` prints it, or a fault), and the answers in their order: each has
-- the id, the scenario, its answer (tables/claims.lua; is_error: it could not be evaluated, and the note says where and why)
-- and samples, the answers in samples of what is estimated (nil: there are none).
local export = require "export"
local terminal = require "terminal"
local claims = {}

-- The first three are answers, each outweighing those before it. Of use `config`: modelled, it is built in, and a test holds
-- it there; not-modelled, it is not, and the note says why; not-yet, nothing is known. A restated claim follows those that
-- it restates; of use `context` it is shown, not judged.
claims.STATUSES = { "reproduced", "missed", "error", "modelled", "not-modelled", "not-yet", "out-of-scope", "restated", "context" }
local WEIGHTS = { reproduced = 1, missed = 2, error = 3 }

local COLUMNS = { "id", "source", "where", "systems", "metric", "workload", "low", "high", "unit", "ordering", "kind", "paraphrase",
                  "use" }

-- The status that a claim has without any answer, by its use.
local FIRST_STATUSES = { config = "not-yet", fit = "not-yet", test = "not-yet", check = "not-yet", restated = "restated",
                         context = "context", ["out-of-scope"] = "out-of-scope" }

local ANSWERED = { fit = true, test = true, check = true } -- uses of claims that scenarios answer

-- --- tables --------------------------------------------------------------------------------------

-- Stops reading with one sentence about a row.
local function fail(row, format, ...) error { sentence = string.format("%s:%d: " .. format, row.path, row.line, ...) } end

-- The parts of a text between separators of one character: at least one.
local function split(of, separator)
  local parts = {}
  for part in (of .. separator):gmatch("(.-)" .. separator) do parts[#parts + 1] = part end
  return parts
end

-- The rows of a tab-separated file whose first line names the columns: their fields by name, their path and line.
local function read_rows(path, columns)
  local rows = {}
  for line, content in ipairs(split(core.text_file(path, "a table of claims"), "\n")) do
    local row, fields = { path = path, line = line }, split(content, "\t")
    if line == 1 and content ~= table.concat(columns, "\t") then
      fail(row, "the first line must name the columns %s", table.concat(columns, ", "))
    elseif line > 1 and content ~= "" then
      if #fields ~= #columns then fail(row, "a row has %d fields, separated by tabs", #columns) end
      for i, name in ipairs(columns) do row[name] = fields[i] end
      rows[#rows + 1] = row
    end
  end
  return rows
end

local function is_number_or_empty(of) return of == "" or tonumber(of) ~= nil and not of:find("%s$") end

local function read_stated(path)
  local list = { by_id = {} }
  for i, claim in ipairs(read_rows(path, COLUMNS)) do
    if not is_number_or_empty(claim.low) or not is_number_or_empty(claim.high) then fail(claim, "low and high are numbers or empty") end
    claim.status = FIRST_STATUSES[claim.use]
    if not claim.status then fail(claim, "use is config, fit, test, check, restated, context or out-of-scope") end
    list[i] = claim
    list.by_id[claim.id] = list.by_id[claim.id] or claim
  end
  return list
end

local function claim_of(list, row, id) return list.by_id[id] or fail(row, 'there is no claim "%s"', id) end

-- The least and most number of a claim; nil for an open end.
local function limits_of(claim)
  return claim.low ~= "" and core.number(claim.low) or nil, claim.high ~= "" and core.number(claim.high) or nil
end

-- --- facts that are built in ---------------------------------------------------------------------
-- A row for each place where a fact is built in: configs/FILE:PARAMETER with its value, or FILE:FUNCTION without one. A test
-- is FILE:CASE: it fails if the mechanism were otherwise, or if the parameter had no effect. Files are relative to the
-- folder above that of the table. A row without place and test says in its value why the fact is not modelled. What the
-- table says of machine files is looked up each time: one with another value makes its claim a missed one. Sources and tests
-- are looked up by the project's own tests alone, since an installed program has neither.

local function modelled_rows(path) return read_rows(path, { "id", "place", "value", "test" }) end

-- The file and the name of "FILE:NAME"; of a text without a colon, no name.
local function halves(of)
  local file, name = of:match("^(.-):(.*)$")
  return file or of, name or ""
end

local function is_parameter(place)
  local file, name = halves(place)
  return file:sub(1, #"configs/") == "configs/" and name ~= ""
end

-- Adds a text to a claim's field, a list with "; " between its texts, unless it is there.
local function add_text(claim, field, of)
  local there = claim[field]
  if not there then
    claim[field] = of
  elseif not ("; " .. there .. "; "):find("; " .. of .. "; ", 1, true) then
    claim[field] = there .. "; " .. of
  end
end

local function add_test(claim, row)
  local file, case = halves(row.test)
  if file:sub(1, #"tests/") ~= "tests/" or not file:find("/test_[^/]*/*$") then
    fail(row, 'a test is tests/FOLDER/test_NAME:CASE, not "%s"', row.test)
  end
  if case == "" then fail(row, 'no case is named of "%s"', row.test) end
  add_text(claim, "test", row.test)
end

local function add_parameter(claim, row, found)
  if found.fault then fail(row, "%s", found.fault) end
  if not found.value then fail(row, 'there is no parameter "%s"', row.place) end
  if row.value == "" then fail(row, 'no value is stated of "%s"', row.place) end
  add_text(claim, "place", row.place .. " = " .. found.value)
  if found.value == row.value then return end
  add_text(claim, "note", string.format("%s is %s, not %s", row.place, found.value, row.value))
  claim.status = "missed"
end

local function add_place(claim, row, values)
  if is_parameter(row.place) then return add_parameter(claim, row, values[row.place]) end
  local _, name = halves(row.place)
  if name == "" then fail(row, 'a place is FILE:PARAMETER or FILE:FUNCTION, not "%s"', row.place) end
  if row.value ~= "" then fail(row, 'only a parameter has a value, not "%s"', row.place) end
  add_text(claim, "place", row.place)
end

local function is_reason(row) return row.place == "" and row.test == "" and row.value ~= "" end

local function read_modelled(list, path, values)
  for _, row in ipairs(modelled_rows(path)) do
    local claim = claim_of(list, row, row.id)
    if claim.use ~= "config" then fail(row, "%s is of use %s, not config", row.id, claim.use) end
    if is_reason(row) or claim.status == "not-modelled" then
      if claim.status ~= "not-yet" then fail(row, "%s has a reason why it is not modelled, and so no other row", row.id) end
      claim.status, claim.note = "not-modelled", row.value
    else
      if claim.status == "not-yet" then claim.status = "modelled" end
      add_test(claim, row)
      add_place(claim, row, values)
    end
  end
end

-- --- what is said again --------------------------------------------------------------------------
-- A row for each restated claim: what one paper repeats of another, or an abstract of its own tables. It names the ids of
-- those it restates, with a blank between them. One restated states the same metric and the same numbers; several are summed
-- up.

-- An abstract's "up to 10.1x, 11.7x, 17.4x": from least to most of the upper ends of those it restates.
local function sums_up(claim)
  local least, most = math.huge, -math.huge
  for _, restated in ipairs(claim.restated) do
    local _, high = limits_of(restated)
    if not high or restated.unit:sub(1, 1) ~= claim.unit:sub(1, 1) then return false end
    least, most = math.min(least, high), math.max(most, high)
  end
  local low, high = limits_of(claim)
  return low == least and high == most
end

-- Whether two claims state the same. Without numbers a claim states an order.
local function says_the_same(claim, restated)
  for _, field in ipairs { "metric", "low", "high", "unit" } do
    if claim[field] ~= restated[field] then return false end
  end
  return claim.low ~= "" or claim.high ~= "" or claim.ordering == restated.ordering
end

local function agrees(claim)
  return #claim.restated > 1 and sums_up(claim) or #claim.restated == 1 and says_the_same(claim, claim.restated[1])
end

local function add_restated(list, claim, row)
  claim.restated = {}
  for i, id in ipairs(row.restated == "" and {} or split(row.restated, " ")) do
    local restated = claim_of(list, row, id)
    if restated.status == "restated" then fail(row, "%s is restated itself", id) end
    claim.restated[i] = restated
  end
  if #claim.restated == 0 then fail(row, "%s needs a restated", claim.id) end
  if not agrees(claim) then fail(row, "%s does not say the same as %s", claim.id, row.restated) end
end

local function read_restated(list, path)
  for _, row in ipairs(read_rows(path, { "id", "restated" })) do
    local claim = claim_of(list, row, row.id)
    if claim.status ~= "restated" then fail(row, "%s is of use %s, not restated", claim.id, claim.use) end
    if claim.restated then fail(row, "%s stands here twice", claim.id) end
    add_restated(list, claim, row)
  end
end

-- --- why claims are missed -----------------------------------------------------------------------
-- A row for each claim that is missed: its cause in one line, and what shows it (a command, a page, or a source).

local function read_causes(list, path)
  for _, row in ipairs(read_rows(path, { "id", "cause", "check" })) do
    local claim = claim_of(list, row, row.id)
    if not ANSWERED[claim.use] then fail(row, "%s is of use %s, which no scenario answers", claim.id, claim.use) end
    if claim.why then fail(row, "%s stands here twice", claim.id) end
    if row.cause == "" or row.check == "" then fail(row, "%s needs a cause and what shows it", claim.id) end
    claim.why = row
  end
end

-- All tables that are given; one sentence with FILE:LINE for what is wrong in them.
local function read(given)
  local list = read_stated(given.stated)
  if given.modelled then read_modelled(list, given.modelled, given.values) end
  if given.restated then read_restated(list, given.restated) end
  if given.causes then read_causes(list, given.causes) end
  return list
end

-- --- judging -------------------------------------------------------------------------------------

-- The least and most that were obtained.
local function ends_of(answer) return answer.obtained_low or answer.obtained, answer.obtained end

-- Whether the number lies within the claim's limits, with open ends where it has none. A number which is none (NaN) is a miss.
local function is_within(claim, answer)
  local low, high = limits_of(claim)
  if not answer.has_number or not low and not high then return false end
  local least, most = ends_of(answer)
  return (not low or least >= low) and (not high or most <= high)
end

-- The verdict: the scenario's own if it gave one, else by the number.
local function judge(claim, answer)
  if answer.is_error then return "error" end
  local holds
  if answer.judged then holds = answer.holds else holds = is_within(claim, answer) end
  return holds and "reproduced" or "missed"
end

local HAIR = 0.03 -- of a limit

local function is_near(number, limit) return limit ~= nil and limit ~= 0 and math.abs(number / limit - 1) <= HAIR end

-- Whether what was obtained is within 3 % of a limit, on either side.
local function is_by_a_hair(claim, answer)
  if answer.judged or not answer.has_number then return answer.margin ~= nil and answer.margin <= HAIR end
  local low, high = limits_of(claim)
  local least, most = ends_of(answer)
  return is_near(least, low) or is_near(most, high)
end

-- The note of an answer, which says so if the verdict is not the one that the claim's range would give.
local function note_of(claim, answer)
  local has_range = answer.has_number and (claim.low ~= "" or claim.high ~= "")
  if answer.is_error or not answer.judged or not has_range or is_within(claim, answer) == (answer.holds or false) then
    return answer.note
  end
  return "judged by the scenario" .. ((answer.note or "") ~= "" and ": " .. answer.note or "")
end

-- --- samples of what is estimated ----------------------------------------------------------------

local function widen(band, number)
  band.least, band.most = math.min(band.least or number, number), math.max(band.most or number, number)
end

-- In how many samples the claim held, in how many it could not be evaluated, and the least and most that were obtained.
local function band_of(claim, samples)
  local band = { held = 0, failed = 0, count = #samples }
  for _, answer in ipairs(samples) do
    local status = judge(claim, answer)
    if status == "error" then band.failed = band.failed + 1 end
    if status == "reproduced" then band.held = band.held + 1 end
    if answer.has_number then widen(band, answer.obtained) end
    if answer.obtained_low then widen(band, answer.obtained_low) end
  end
  return band
end

local function short(number) return number and string.format("%.3g", number) or "nan" end

local function band_note(band, has_number)
  return string.format("held in %d of %d samples of what is estimated", band.held, band.count) ..
         (band.failed > 0 and string.format(" (in %d it could not be evaluated)", band.failed) or "") ..
         (has_number and string.format(", %s to %s", short(band.least), short(band.most)) or "")
end

-- Adds the samples' results to the claim's note, and whether its verdict changes within the ranges of estimated values.
local function add_band(claim, samples)
  if not samples or #samples == 0 then return end
  local band = band_of(claim, samples)
  claim.note = (claim.note and claim.note .. "; " or "") .. band_note(band, claim.answer.has_number)
  local is_judged = claim.status == "reproduced" or claim.status == "missed"
  claim.wavers = is_judged and band.held ~= (claim.status == "reproduced" and band.count or 0)
end

-- Enters an answer. Claims that are not to be judged show it and keep their status. Where several scenarios answer one
-- claim, an error outweighs a miss, and a miss the others.
local function enter(claim, entry)
  local answer, before = entry.answer, WEIGHTS[claim.status]
  local status = judge(claim, answer)
  if before and (status == "reproduced" or WEIGHTS[status] < before) then return end
  if before or claim.status == "not-yet" or status == "error" then claim.status = status end
  claim.answer, claim.scenario, claim.note = answer, entry.scenario, note_of(claim, answer)
  claim.hair, claim.wavers = is_by_a_hair(claim, answer), false
  add_band(claim, entry.samples)
end

-- --- following -----------------------------------------------------------------------------------

-- A claim that sums several up is as good as the worst of them.
local function worse(a, b)
  for _, status in ipairs { "error", "missed", "not-yet" } do
    if a == status or b == status then return status end
  end
  return a
end

-- Gives a restated claim the verdict of those it restates, the answer of the one it restates, and a note that names them.
local function follow(claim)
  local parts, first = {}, claim.restated[1]
  claim.verdict = first.status
  for i, restated in ipairs(claim.restated) do
    claim.verdict = worse(claim.verdict, restated.status)
    parts[i] = string.format("%s (%s)", restated.id, restated.status)
  end
  if #parts == 1 then claim.answer, claim.scenario = first.answer, first.scenario end
  claim.note = "says the same as " .. table.concat(parts, ", ")
end

-- Gives a claim that is missed its cause and what shows it, also in its note. A restated one has those of the first that it
-- restates and that is missed.
local function add_cause(claim)
  local why = claim.why
  if claim.status == "missed" and why then
    claim.cause, claim.check = why.cause, why.check
    claim.note = (claim.note and claim.note .. ". " or "") .. "Why: " .. why.cause .. " (" .. why.check .. ")"
  end
  for _, restated in ipairs(claim.restated or {}) do
    if not claim.cause then claim.cause, claim.check = restated.cause, restated.check end
  end
end

-- A number with six significant digits; "" if there is none.
local function number_text(number) return number and string.format("%.6g", number) or "" end

-- "3.1" or, of a range, "3.1 to 10.4"; "" if there is no number.
local function obtained_text(answer)
  local low, high = number_text(answer.obtained_low), number_text(answer.has_number and answer.obtained)
  return low .. (low ~= "" and " to " or "") .. high
end

-- The list of all claims in the order of the file, after all answers: to the columns' texts come status, verdict (of a
-- restated claim what those it restates came to, else its status), answer (empty: none), obtained (a text), hair, wavers,
-- and, nil if there is none, scenario, note, place, test, and of a missed claim cause and check.
function claims.all(given)
  local list = read(given)
  for _, entry in ipairs(given.answers) do
    if list.by_id[entry.id] then enter(list.by_id[entry.id], entry) end
  end
  for _, claim in ipairs(list) do add_cause(claim) end
  for i, claim in ipairs(list) do
    claim.number = i
    if claim.restated then
      follow(claim)
      add_cause(claim)
    end
    if claim.status ~= "restated" then claim.verdict = claim.status end
    claim.verdict = claim.verdict or "not-yet"
  end
  for _, claim in ipairs(list) do
    claim.answer = claim.answer or {}
    claim.obtained = obtained_text(claim.answer)
  end
  return list
end

-- Those of these ids.
function claims.those(given, ids)
  local list, chosen = claims.all(given), {}
  for i, id in ipairs(ids) do chosen[i] = list.by_id[id] end
  return chosen
end

-- --- what the program asks ------------------------------------------------------------------------

-- The places in modelled.tsv whose values have to be looked up.
function claims.places(given)
  read_stated(given.stated)
  local places = {}
  for _, row in ipairs(modelled_rows(given.modelled)) do
    if is_parameter(row.place) then places[#places + 1] = row.place end
  end
  return places
end

function claims.check(given)
  read(given)
  return {}
end

-- Whether the scenario (program.about) may answer its claims; facts are in machine files and code, for no scenario to answer.
function claims.check_ids(given, about)
  local list = read(given)
  for _, id in ipairs(about.claims) do
    local claim = list.by_id[id]
    if not claim or claim.use == "config" then
      error { sentence = string.format('%s: claim "%s" is not one of those to be answered', about.path, id) }
    end
  end
end

-- Both ends of a claim's range, of a single number twice that; nothing if an end is open or there is no such claim.
function claims.range(given, id)
  local claim = read(given).by_id[id]
  return claim and claim.low ~= "" and claim.high ~= "" and { claim.low, claim.high } or {}
end

-- A line with the outcome of each of these claims.
function claims.lines(given, ids)
  local lines = {}
  for i, claim in ipairs(claims.those(given, ids)) do
    lines[i] = claim.id .. " " .. claim.status .. (claim.hair and " by a hair" or "") ..
               (claim.obtained ~= "" and ", obtained " .. claim.obtained or "") .. ": " .. claim.paraphrase ..
               (claim.note and " " .. claim.note or "")
  end
  return lines
end

-- How many claims of the list have each value of the field.
local function counts_of(list, field)
  local counts = {}
  for _, claim in ipairs(list) do counts[claim[field]] = (counts[claim[field]] or 0) + 1 end
  return counts
end

-- " (20 reproduced, 4 missed, 25 not-yet)": restated claims by the verdict that they follow.
local function restated_text(list)
  local restated, parts = {}, {}
  for _, claim in ipairs(list) do
    if claim.status == "restated" then restated[#restated + 1] = claim end
  end
  local counts = counts_of(restated, "verdict")
  for _, status in ipairs(claims.STATUSES) do
    if counts[status] then parts[#parts + 1] = counts[status] .. " " .. status end
  end
  return #parts > 0 and " (" .. table.concat(parts, ", ") .. ")" or ""
end

local function summary(list)
  local counts, parts = counts_of(list, "status"), {}
  for i, status in ipairs(claims.STATUSES) do
    parts[i] = string.format("%d %s", counts[status] or 0, status) .. (status == "restated" and restated_text(list) or "")
  end
  return "Claims: " .. table.concat(parts, ", ")
end

local FIELDS = { "id", "use", "status", "low", "high", "unit", "obtained_low", "obtained", "scenario", "place", "test", "note" }

local function csv_row(claim)
  local row = {}
  for i, field in ipairs(FIELDS) do row[i] = claim[field] end
  row[7], row[8] = number_text(claim.answer.obtained_low), number_text(claim.answer.has_number and claim.answer.obtained)
  return row
end

-- The file claims.csv, and a sentence that counts the claims by their status.
function claims.written(given)
  local list, rows = claims.all(given), {}
  for i, claim in ipairs(list) do rows[i] = csv_row(claim) end
  return { export.csv(terminal.of_texts(FIELDS, rows, 7, 8)), summary(list) }
end

return claims

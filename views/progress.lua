-- SPDX-License-Identifier: BSD-3-Clause
-- What a run shows of its progress on standard error. Each function gets a table of the run (struct runner_news): what has happened
-- (event), its mode ("plain", "json", "bar", "seldom"; nil: nothing is shown), the study's name, points, how many of them were known
-- before (known), are done and have failed, the seconds since its start, the peak memory of a point so far (memory_bytes; 0:
-- unknown), and the measure whose least value is shown, with that value (best, least; nil: none).
local progress = {}

local BAR_WIDTH = 30
local REDRAW_S, SELDOM_S = 0.1, 30
local NOTICED_S = 120           -- the least saving for which a tolerance is mentioned
local LINE_AGAIN = "\r\27[K"    -- makes a terminal clear its line

local shown_s, tenths = nil, 0  -- when the last line was shown; the tenths of the points that were shown
local has_noticed, least, memory_bytes -- so far

local function show(format, ...) io.stderr:write(core.shown(string.format(format, ...)) .. "\n") end

-- Points a second; 0: not known yet.
local function rate_of(run) return run.seconds > 0 and (run.done - run.known) / run.seconds or 0 end

-- "12 s", "7 min", "3.4 h"
local function time_text(seconds)
  if seconds < 100 then return string.format("%.0f s", seconds) end
  if seconds < 6000 then return string.format("%.0f min", seconds / 60) end
  return string.format("%.1f h", seconds / 3600)
end

-- ", best latency_us 4.2"
local function best_text(run) return run.least and string.format(", best %s %.6g", run.best, run.least) or "" end

-- ", 512.3 points/s, 12 s to go, up to 45 MiB a point": the text that differs between two runs.
local function speed_text(run)
  local rate, text = rate_of(run), ""
  if rate > 0 then
    text = string.format(rate < 1 and ", %.3f points/s, %s to go" or ", %.1f points/s, %s to go", rate,
                         time_text((run.points - run.done) / rate))
  end
  return text .. (run.memory_bytes > 0 and string.format(", up to %d MiB a point", run.memory_bytes >> 20) or "")
end

local function show_line(run)
  show("%s: %d of %d points, %d failed%s%s", run.name, run.done, run.points, run.failed, best_text(run), speed_text(run))
end

local modes = {} -- what is shown after a point

-- A line at every tenth of the points.
function modes.plain(run)
  local now = run.done * 10 // run.points
  if now == tenths then return end
  tenths = now
  show_line(run)
end

-- A line every 30 s; shorter runs print none.
function modes.seldom(run)
  if run.seconds - (shown_s or 0) < SELDOM_S then return end
  shown_s = run.seconds
  show_line(run)
end

function modes.json(run)
  show('{"scenario": %s, "done": %d, "points": %d, "failed": %d}', core.quoted(run.name), run.done, run.points, run.failed)
end

-- One line that is redrawn, at most a few times a second.
function modes.bar(run)
  local is_end = run.done == run.points or run.done == run.known + 1
  if not is_end and shown_s and run.seconds - shown_s < REDRAW_S then return end
  shown_s = run.seconds
  local full = run.done * BAR_WIDTH // run.points
  local failed = run.failed > 0 and string.format(", %d failed", run.failed) or ""
  io.stderr:write(LINE_AGAIN .. core.shown(string.format("%s [%s%s] %d/%d%s%s%s", run.name, ("#"):rep(full),
                  ("."):rep(BAR_WIDTH - full), run.done, run.points, failed, best_text(run), speed_text(run))))
end

local events = {}

function events.begin() shown_s, tenths, has_noticed, least, memory_bytes = nil, 0, false, nil, 0 end

function events.known() end

-- Shows the progress in any mode.
function events.asked(run)
  if run.mode == "bar" then io.stderr:write(LINE_AGAIN) end
  if run.mode == "json" then modes.json(run) else show_line(run) end
end

-- Gives a hint, once, if points like the last one would take minutes less with a tolerance: it took run.took_s, of which run.saving
-- is the share that the tolerance of the workload run.patient might save.
local function notice(run)
  local rate = rate_of(run)
  local left_s = rate > 0 and (run.points - run.done) / rate or 0
  local saved_s = math.max(left_s, run.took_s) * run.saving
  if has_noticed or saved_s < NOTICED_S then return end
  has_noticed = true
  if run.mode == "bar" then io.stderr:write(LINE_AGAIN) end
  show("%s: %s simulates every step; tolerance = 0.005 ends a run when its steps agree within 0.5 %%, which may save about %s " ..
       "(gpunetsim help %s.tolerance)", run.name, run.patient, time_text(saved_s), run.patient)
end

function events.point(run)
  if not run.mode then return end
  modes[run.mode](run)
  if run.patient and run.mode ~= "json" then notice(run) end
end

-- Replaces the bar by the duration of the run. Only terminals see it, since it differs between two runs.
events["end"] = function(run)
  if run.mode ~= "bar" or run.points == run.known then return end
  io.stderr:write(LINE_AGAIN)
  show("%s: %.1f s", run.name, run.seconds)
end

-- The least value of the measure in the row, and so far.
local function least_of(row, best)
  for _, measure in ipairs(row.measures) do
    if measure.kind ~= "text" and (measure.column == best or measure.name == best) then
      local value = core.number(measure.cell)
      least = least and math.min(least, value) or value
    end
  end
  return least
end

local listener -- is told of runs instead; nil: nobody

-- Calls the function while `hear` is told of runs. Returns its results.
function progress.heard(hear, call, ...)
  listener = hear
  local results = table.pack(pcall(call, ...))
  listener = nil
  if not results[1] then error(results[2], 0) end
  return table.unpack(results, 2, results.n)
end

-- The function that is told of runs.
function progress.of(mode, best)
  return function(run)
    if listener then return listener(run) end
    memory_bytes = math.max(memory_bytes or 0, run.memory_bytes or 0)
    run.mode, run.best, run.memory_bytes = mode, best, memory_bytes
    run.least = run.row and least_of(run.row, best) or least
    events[run.event](run)
  end
end

return progress

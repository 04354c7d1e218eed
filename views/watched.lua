-- SPDX-License-Identifier: BSD-3-Clause
-- Runs points that are observed, each in a process of its own: a process has one machine (SimGrid's platform), and commands look at
-- points on several.
local command = require "command"
local watched = {}

local GOOD, BAD = "+", "-" -- how the text begins that a process passes on

-- The text that `act` returns in a process of its own; `name` is the point's, in sentences.
local function apart(name, act)
  local text = program.apart(function()
    local is_good, given = pcall(act)
    if is_good then return GOOD .. given end
    return BAD .. (type(given) == "table" and given.sentence or given)
  end)
  if not text then command.fail_running "the process that runs the point ended before its time" end
  if text:sub(1, 1) == BAD then command.fail_running("at %s: %s", name, text:sub(2)) end
  return text:sub(2)
end

local TIMES = { "latency", "time", "iteration", "duration" } -- measures of the operations that are explained
local SHORT_EVENTS = 100000 -- longer runs are repeated too seldom to fall into groups (workloads/interface/independent_runs.c)

-- The name of the measure of the operations that are observed, a time; nil if there is none.
local function time_among(measures)
  for _, name in ipairs(TIMES) do
    if (measures[name] or ""):find "^[%d.]+[mun]?s$" or (measures[name] or ""):find "^[%d.]+ps$" then return name end
  end
end

-- Whether this measure is a mean over runs whose polling loops begin in drawn phases, and they are short.
local function is_of_runs(measures, name)
  return name and measures[name .. "_spread"] and (core.number(measures.events or "") or 0) <= SHORT_EVENTS
end

local FIELDS = { "measured", "mean", "stats", "observed", "fault" }
local PACKED = "s4s4s4s4s4"

-- The run of a point as views/FILE.lua observes it: what it measures ("latency: 5us"), the name of that if it is a mean over runs
-- of which this is one, its statistics, what the file has found, and the sentence of its failure; nil where there is none.
function watched.observe(study, point, name, file)
  local run = {}
  local texts = { string.unpack(PACKED, apart(name, function()
    local measures, stats, observed, fault = program.observe(study, point, file)
    local time = time_among(measures)
    return string.pack(PACKED, time and time .. ": " .. measures[time] or "", is_of_runs(measures, time) and time or "", stats or "",
                       observed or "", fault or "")
  end)) }
  for i, field in ipairs(FIELDS) do run[field] = texts[i] ~= "" and texts[i] or nil end
  run.stats = run.stats or ""
  return run
end

-- The two groups into which the runs of a mean fall: { lower = "4.7us", upper = "5.6us", share = 0.62 } with the first one's share;
-- nil if they do not.
function watched.groups(study, point, name, mean)
  local lower, upper, share = string.unpack("s4s4s4", apart(name, function()
    local measures = program.measures_of(study, point)
    return string.pack("s4s4s4", measures[mean .. "_lower"] or "", measures[mean .. "_upper"] or "", measures[mean .. "_lower_share"] or "")
  end))
  return share ~= "" and { lower = lower, upper = upper, share = core.number(share) } or nil
end

-- Runs the point and adds it to the timeline, whose tracks are named after it if `is_named`.
function watched.draw(study, point, name, timeline, is_named)
  program.take_drawn(timeline, apart(name, function() return program.draw(study, point, timeline, is_named and name or nil) end))
end

return watched

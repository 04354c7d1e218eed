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

local FIELDS = { "measured", "stats", "observed", "fault" }
local PACKED = "s4s4s4s4"

-- The run of a point as views/FILE.lua observes it: what it measures ("latency: 5us"), its statistics, what the file has found, and
-- the sentence of its failure; nil where there is none.
function watched.observe(study, point, name, file)
  local run = {}
  local texts = { string.unpack(PACKED, apart(name, function()
    local found = table.pack(program.observe(study, point, file))
    for i = 1, #FIELDS do found[i] = found[i] or "" end
    return string.pack(PACKED, table.unpack(found, 1, #FIELDS))
  end)) }
  for i, field in ipairs(FIELDS) do run[field] = texts[i] ~= "" and texts[i] or nil end
  run.stats = run.stats or ""
  return run
end

-- Runs the point and adds it to the timeline, whose tracks are named after it if `is_named`.
function watched.draw(study, point, name, timeline, is_named)
  program.take_drawn(timeline, apart(name, function() return program.draw(study, point, timeline, is_named and name or nil) end))
end

return watched

-- SPDX-License-Identifier: BSD-3-Clause
-- Timelines as Chrome's trace events in JSON, which Perfetto opens: a process for each path, a thread for each of its tracks,
-- and more threads where spans of a track overlap. An operation's arrow goes from its first stage through the spans of those
-- who served it to its last stage.
local timeline = {}

local PS_PER_US = 1000000

-- JSON forms of names, kept because names are few and events many.
local quoted = setmetatable({}, { __index = function(known, text)
  known[text] = core.quoted(text)
  return known[text]
end })

local events = {}
events.__index = events

-- An event with members `format` besides its phase and place.
function events:add(phase, process, thread, format, ...)
  local text = string.format('%s\n{"ph":"%s","pid":%d,"tid":%d,' .. format .. "}", self.count > 0 and "," or "",
                             phase, process, thread, ...)
  self.count, self.bytes = self.count + 1, self.bytes + #text
  self.file:write(text)
end

-- Arguments of "%d.%06d": microseconds.
local function us(ps) return ps // PS_PER_US, ps % PS_PER_US end

function events:name(what, process, thread, name)
  self:add("M", process, thread, '"name":"%s","args":{"name":%s}', what, quoted[name])
end

-- The process of a track's path, named at its first event.
function events:process(track)
  local process = self.processes[track.path]
  if not process then
    self.process_count = self.process_count + 1
    process = self.process_count
    self.processes[track.path] = process
    self:name("process_name", process, 0, track.path)
  end
  return process
end

-- The thread of the track's first lane that is free at `from_ps`, named at its first event.
function events:thread(track, process, from_ps, to_ps)
  local number = 1
  while track[number] and track[number].free_ps > from_ps do number = number + 1 end
  if not track[number] then
    self.thread_count = self.thread_count + 1
    track[number] = { thread = self.thread_count }
    self:name("thread_name", process, self.thread_count, number == 1 and track.name or track.name .. " #" .. number)
  end
  track[number].free_ps = to_ps
  return track[number].thread
end

-- --- arrows --------------------------------------------------------------------------------------

function events:arrow(phase, id, process, thread, at_ps)
  local whole, rest = us(at_ps)
  self:add(phase, process, thread, '"ts":%d.%06d,"cat":"operation","name":"operation","id":%d%s', whole, rest, id,
           phase == "s" and "" or ',"bp":"e"')
end

-- Continues an operation's arrow, and remembers its last place, where it ends if its own end is left out.
function events:follow(id, step, process, thread, at_ps)
  local is_open = self.arrows[id] ~= nil
  if is_open == (step == "s") then return end
  self.arrows[id] = step ~= "f" and { process, thread } or nil
  self:arrow(step, id, process, thread, at_ps)
end

function events:close_arrows()
  local ids = {}
  for id in pairs(self.arrows) do ids[#ids + 1] = id end
  table.sort(ids)
  for _, id in ipairs(ids) do
    self:arrow("f", id, self.arrows[id][1], self.arrows[id][2], self.last_ps)
  end
end

-- --- records -------------------------------------------------------------------------------------

function events:span(category, track, name, at_ps, took_ps, id, step)
  local process = self:process(track)
  local thread = self:thread(track, process, at_ps, at_ps + took_ps)
  local whole, rest = us(at_ps)
  self:add("X", process, thread, '"ts":%d.%06d,"dur":%d.%06d,"cat":"%s","name":%s', whole, rest, took_ps // PS_PER_US,
           took_ps % PS_PER_US, category, quoted[name])
  if step and id ~= 0 then self:follow(id, step, process, thread, at_ps) end
end

function events:level(track, name, at_ps, change)
  local whole, rest = us(at_ps)
  track.level = (track.level or 0) + change
  self:add("C", self:process(track), 0, '"ts":%d.%06d,"name":%s,"args":{"value":%d}', whole, rest,
           quoted[track.name .. " " .. name], track.level)
end

-- A sentence about what was written, and one about what was left out.
local function end_text(out, left_out, stopped_ps)
  local text = string.format("%d events, %d bytes\n", out.count, out.bytes)
  if left_out == 0 then return text end
  return text .. string.format("The file came to its limit at %s of simulated time: %d later records are left out. --limit, " ..
                               "--from, --to and --only choose others.\n", (core.value_texts("quantity", "time", stopped_ps)), left_out)
end

-- Writes records in the order of their times to `file`. `next` returns one after the other: its kind ("span", "stage" or
-- "change"), its name, which step of an operation's arrow it is ("s": the first, "t", "f": the last; nil: none), the number of
-- its track, when it begins, how long it takes or by how much a level changes, and the operation (0: none); nil at the end.
-- `tracks` have path and name. Beyond `most_bytes` records are left out. Returns sentences that say what was written and what was
-- left out.
function timeline.write(file, next, tracks, most_bytes)
  local out = setmetatable({ file = file, count = 0, bytes = 0, processes = {}, process_count = 0, thread_count = 0,
                             arrows = {}, last_ps = 0 }, events)
  local function put(text)
    file:write(text)
    out.bytes = out.bytes + #text
  end
  local left_out, stopped_ps = 0, nil
  put '{"displayTimeUnit":"ns","traceEvents":['
  for kind, name, step, track, at_ps, value, id in next do
    if out.bytes >= most_bytes then
      left_out, stopped_ps = left_out + 1, stopped_ps or at_ps
    elseif kind == "change" then
      out.last_ps = at_ps
      out:level(tracks[track], name, at_ps, value)
    else
      out.last_ps = at_ps
      out:span(kind, tracks[track], name, at_ps, value, id, step)
    end
  end
  out:close_arrows()
  put "\n]}\n"
  return end_text(out, left_out, stopped_ps)
end

return timeline

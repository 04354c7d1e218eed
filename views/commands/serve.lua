-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim serve VERSION, which libgpunetsim starts: each function of gpunetsim.h that needs the simulator sends a request,
-- which is a list of texts. A function of `requests` returns the answer, another list (script/commands/served.h).
local command = require "command"
local points = require "points"

local open, last = {}, 0 -- open objects, by the numbers that the library has for them

local function keep(object, texts)
  last = last + 1
  open[tostring(last)] = object
  table.insert(texts, 1, tostring(last))
  return texts
end

-- The texts of a study: its title, the numbers of its axes and points, the axes' names, and each point's value on each axis.
local function texts_of(study)
  local about, axes = program.about(study), program.axes(study)
  local texts = { about.title, tostring(#axes), tostring(about.points) }
  for _, axis in ipairs(axes) do texts[#texts + 1] = axis.name end
  for point = 0, about.points - 1 do
    for i, step in ipairs(program.steps(study, point)) do texts[#texts + 1] = axes[i][step] end
  end
  return texts
end

local requests = {}

function requests.open_study(folder, path, ...)
  program.enter(folder)
  local study = program.load_study(path, { ... })
  return keep({ study = study, rows = program.rows(program.about(study).points) }, texts_of(study))
end

function requests.find_point(number, values)
  return { tostring(points.select(open[number].study, values)[1]) }
end

-- When all points have been run, a setting that none of them has read is an error, as in `run`.
function requests.run_point(number, point, seed)
  local of = open[number]
  local count = program.about(of.study).points
  if tonumber(point) >= count then command.fail("the study has %d points, so there is no number %s", count, point) end
  program.run_point(of.study, of.rows, point, seed, 0, point + 1)
  require "settings".judge(of.study, of.rows)
  return program.measures(of.rows, point + 1)
end

function requests.open_machine(folder, path, ...)
  program.enter(folder)
  local machine = program.machine(path, { ... })
  local texts = {}
  for _, one in ipairs(require "machine_values".of(machine)) do texts[#texts + 1], texts[#texts + 2] = one[1], one[2] end
  return keep({ machine = machine }, texts)
end

local function answer(make, ...)
  local is_good, given = pcall(make, ...)
  if not is_good then
    program.refuse(type(given) == "table" and given.sentence or given)
  elseif given then
    program.respond(given)
  end
end

-- A machine's platform lasts as long as its process, so each run gets a process of its own, which answers the request.
function requests.run_workload(number, workload, seed, ...)
  if program.fork(workload) then
    answer(program.run_workload, open[number].machine, workload, seed, { ... })
    program.quit()
  end
end

function requests.close(number)
  for _, object in pairs(open[number]) do
    local closed <close> = object -- closed at once: Lua does not know how much memory the object has
  end
  open[number] = nil
  return {}
end

-- The sentence for a result that has no measure of this name.
function requests.no_measure(name, ...)
  command.fail('there is no measure "%s"%s', name, core.suggestion(name, { ... }))
end

return {
  options = {},
  least = 1,
  most = 1,
  run = function()
    for request in program.receive do answer(requests[request[1]], table.unpack(request, 2)) end
  end,
}

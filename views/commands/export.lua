-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim export goal|goal-binary|chakra|program PATTERN|TRACE|STUDY.lua [-o FILE]
local answers = require "answers"
local chakra = require "chakra"
local command = require "command"
local files = require "files"
local home = require "home"
local points = require "points"

local FORMS = { goal = true, ["goal-binary"] = true, chakra = true, program = true }

-- Whether the source is a file, whose schedule is read and written again; anything else is a pattern.
local function is_file(source) return program.file(source) ~= nil or source:find("%.goal$") ~= nil end

-- --- a study's point -----------------------------------------------------------------------------

-- The comment at the head of the text: where the schedule comes from, and how to run it again.
local function comment_of(one, study, point)
  local again = one.is_kernel and "gpunetsim export program makes a study of it, for designs of work-groups" or "no placement has its GPUs"
  if not one.is_kernel and one.placement then
    again = string.format("gpunetsim goal FILE -m MACHINE -d DESIGN --placement %s", one.placement)
  end
  local left = one.left > 0 and string.format("; %d further iterations are like others, and were not simulated", one.left) or ""
  return string.format("// %s, %s: %d messages, %d bytes, %d.%03d ns%s\n// runs again: %s\n", core.shown(program.about(study).path),
                       core.shown(points.label(study, point)), one.messages, one.bytes, one.end_ps // 1000, one.end_ps % 1000, left, again)
end

-- The text of the chosen simulation of a study's point, its number of nodes, and the point's name if there are several.
local function record(given, path)
  local study = program.load_study(path, given.set)
  require "rehearsal".apart(study)
  local chosen = answers.points(study, given.point, 1, "exported at a time")
  local seen = require "watched".observe(study, chosen[1], points.label(study, chosen[1]), "recorded")
  if seen.fault then command.fail("%s: %s", path, seen.fault) end
  local runs = load(seen.observed)()
  local number = math.tointeger(given.simulation or #runs == 1 and 1)
  if #runs == 0 then command.fail("%s: the point cannot be exported: nothing in it has parties that send to each other", path) end
  if not number or not runs[number] then
    command.fail("%s: the point has %d simulations; choose one with --simulation=1 to %d", path, #runs, #runs)
  end
  local one = runs[number]
  if one.refused then command.fail("%s: the point cannot be exported: %s", path, one.refused) end
  return comment_of(one, study, chosen[1]) .. one.goal, one.nodes, program.about(study).points > 1 and points.label(study, chosen[1])
end

-- --- any source ----------------------------------------------------------------------------------

-- A study's file, or the name of one of the project's studies.
local function is_study(source)
  return source:find("%.lua$") ~= nil or not is_file(source) and not source:find(":", 1, true) and pcall(home.find, source, true, false)
end

local function check(given, form, source)
  if not FORMS[form] then
    command.fail('cannot export "%s": accepted are goal, goal-binary, chakra and program', form)
  end
  if given.trace and not chakra.is(source) then command.fail("--trace belongs to Chakra traces") end
  if (given.point or given.set or given.seed or given.simulation) and not is_study(source) then
    command.fail("--point, --simulation, --set and --seed belong to studies")
  end
end

-- The schedule of a source. A pattern that is written as text stays a pattern.
local function read_source(given, form, source)
  if chakra.is(source) then return program.goal_text(chakra.goal(source, given.trace), source) end
  if is_file(source) then return program.goal_file(source) end
  return program.goal_pattern(source, form ~= "goal")
end

local function write_goal(read, path, is_binary, rules)
  files.write(path, function(file) return program.write_goal(read, file, is_binary) end, rules)
end

return {
  options = {
    command.OUTPUT, command.FORCE, command.TRACE,
    { "point", "texts", "The point of a study with these values of axes", "AXIS=VALUE,..." },
    { "simulation", "text", "Which one, if the point runs several", "N" },
    "set", "seed",
  },
  least = 2,
  most = 2,
  run = function(given, form, source)
    check(given, form, source)
    if given.seed then program.set_seed(require "run_options".seed(given)) end
    local is_of_file = is_file(source) or is_study(source)
    local path, rules = given.output or "-", { force = given.force, inputs = { is_of_file and source or nil } }
    if form == "chakra" and path == "-" then command.fail("export chakra needs -o PREFIX: a file for each rank") end
    local text, nodes, point
    if is_study(source) then text, nodes, point = record(given, source) end
    if text and form == "goal" then return files.write(path, text, rules) end
    local read = text and program.goal_text(text, source) or read_source(given, form, source)
    if form == "chakra" then return chakra.write(program.text_of_goal(read), path, rules) end
    if form ~= "program" then return write_goal(read, path, form == "goal-binary", rules) end
    files.write(path, require "schedule".program(program.text_of_goal(read), source, nodes, point)[1], rules)
  end,
}

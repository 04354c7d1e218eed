-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim export goal|goal-binary|program PATTERN|TRACE [-o FILE]
local chakra = require "chakra"
local command = require "command"

-- A file's text is read and written again; anything else is a pattern.
local function is_file(source) return program.file(source) ~= nil or source:find("%.goal$") ~= nil end

-- The schedule of a source; a pattern that is written as text stays one.
local function read_source(source, trace, form)
  if chakra.is(source) then return program.goal_text(chakra.goal(source, trace), source) end
  if trace then command.fail("--trace belongs to Chakra traces") end
  if is_file(source) then return program.goal_file(source) end
  return program.goal_pattern(source, form ~= "goal")
end

return {
  options = { command.OUTPUT, command.FORCE, command.TRACE },
  least = 2,
  most = 2,
  run = function(given, form, source)
    if form ~= "goal" and form ~= "goal-binary" and form ~= "program" then
      command.fail('cannot export "%s": accepted are goal, goal-binary and program', form)
    end
    local path, rules = given.output or "-", { force = given.force, inputs = { is_file(source) and source or nil } }
    local read = read_source(source, given.trace, form)
    if form ~= "program" then return program.write_goal(read, path, form == "goal-binary", rules) end
    program.write(path, require "schedule".program(program.text_of_goal(read), source)[1], rules)
  end,
}

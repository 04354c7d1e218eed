-- SPDX-License-Identifier: BSD-3-Clause
-- The input of views/claims.lua, from the program's functions: the tables' paths, values of machine files, and answers of
-- studies.
local claims = require "claims"
local experiments = require "experiment"
local session = {}

-- --- values that are built in --------------------------------------------------------------------

local DESIGNS_FILE = "configs/designs.lua" -- this file's designs are read when the program starts

local function values_of_designs()
  local values = {}
  for _, design in ipairs(program.catalogue().designs) do
    for _, axis in ipairs(design.axes) do values[design.name .. "." .. axis[1]] = axis[2] end
  end
  return { values = values }
end

local function values_of_machine(path)
  local is_read, found = pcall(program.machine, path)
  if not is_read then return { values = {}, fault = found.sentence } end
  local machine <close>, values = found, {}
  for _, row in ipairs(require "machine_values".of(machine)) do values[row[1]] = row[2] end
  return { values = values }
end

-- The value of each place configs/FILE:PARAMETER of a project, as `gpunetsim params` prints it, or a fault.
local function values_of(places, project)
  local files, values = {}, {}
  for _, place in ipairs(places) do
    local file, name = place:match("^(.-):(.*)$")
    files[file] = files[file] or (file == DESIGNS_FILE and values_of_designs() or values_of_machine(project .. "/" .. file))
    values[place] = { value = files[file].values[name], fault = files[file].fault }
  end
  return values
end

-- --- reading -------------------------------------------------------------------------------------

-- The claims of these tables, without answers; all but `stated` may be nil. Machine files are relative to the folder above
-- that of modelled.tsv.
function session.open(stated, modelled, restated, causes)
  local given = { stated = stated, modelled = modelled, restated = restated, causes = causes, values = {}, answers = {} }
  if modelled then given.values = values_of(claims.places(given), modelled:match("^(.*)/[^/]*/[^/]*$")) end
  claims.check(given)
  return given
end

-- The project's own claims, without the values that the machine files contain.
function session.own()
  return session.open(core.folder("claims/claims.tsv"), nil, nil, core.folder("claims/causes.tsv"))
end

-- Refuses a study that answers a claim which is not in the project's table, if the project has one.
function session.check(about)
  local is_there, path = pcall(core.folder, "claims/claims.tsv")
  if #about.claims > 0 and is_there and program.file(path) then claims.check_ids(session.open(path), about) end
end

-- The claims as the papers state them, in the order of the file.
function session.stated() return claims.all { stated = core.folder("claims/claims.tsv"), answers = {} } end

-- --- answers -------------------------------------------------------------------------------------

-- The answer to a claim. A claim that cannot be evaluated gets an answer whose note says where and why.
local function evaluate(experiment, id, rows)
  local answer, fault = program.evaluate(experiment.study, id, rows or experiment.rows)
  return answer or { is_error = true, note = fault }, fault
end

local function answers_of(samples, experiment, id)
  local answers = {}
  for i, rows in ipairs(samples) do answers[i] = evaluate(experiment, id, rows) end
  return answers
end

-- Enters the study's answers; it may only answer claims of the tables. Returns a sentence on the first claim that cannot be
-- evaluated.
function session.answer(given, experiment)
  local about, samples, failure = program.about(experiment.study), experiments.samples(experiment), nil
  claims.check_ids(given, about)
  for _, id in ipairs(about.claims) do
    local answer, fault = evaluate(experiment, id)
    if fault and not failure then failure = string.format("claim %s could not be evaluated: %s", id, fault) end
    given.answers[#given.answers + 1] = { id = id, scenario = about.name, answer = answer,
                                          samples = not fault and answers_of(samples, experiment, id) or nil }
  end
  return failure
end

return session

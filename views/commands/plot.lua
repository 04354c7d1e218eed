-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim plot FILE.lua --store STORE.db
local command = require "command"

local FORMS = "csv|json|tsv|osu|sqlite|svg|png|pdf|pdf-180mm|gp|lua:FILE"

-- Whether the store has the points that are to be drawn.
local function check_points(given, experiment, points)
  local there = program.results(experiment)
  if there == points or given.partial and there > 0 then return end
  command.fail("the store has %d of the study's %d points, as it is now and for this version of gpunetsim; gpunetsim sweep runs the " ..
               "others%s", there, points, there > 0 and ", --partial draws what there is" or "")
end

return {
  options = {
    { "store", "file", "Where the results are", "FILE.db" },
    { "output", "files", "Write to FILE instead of the folder", FORMS, short = "o" },
    { "partial", "flag", "Draw the points that there are" },
    "out", "set", "seed", "force",
  },
  least = 1,
  most = 1,
  run = function(given, path)
    if not given.store then command.fail("plot needs --store FILE.db") end
    program.resolve(true, given.store)
    local study = program.load_study(path, given.set)
    local about, rules = program.about(study), { force = given.force, inputs = program.inputs(study, path, given.store) }
    if about.plots == 0 then command.fail("%s: the study has no plot, so there is nothing to draw", about.path) end
    local experiment = program.recall(study)
    check_points(given, experiment, about.points)
    if given.output then return program.write_outputs(experiment, given.output, rules) end
    local folder = given.out or program.folder(program.study_of(experiment), "out")
    rules.owner = about.path
    program.prepare_results(program.study_of(experiment), folder, false, true, rules)
    program.write_figures(experiment, folder, rules)
    core.print(string.format("Figures: %s\n", folder))
  end,
}

-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim plot FILE.lua --store STORE.db
local command = require "command"
local outputs = require "outputs"

-- Checks that the store has the points that are to be drawn.
local function check_points(given, there, points)
  if there == points or given.partial and there > 0 then return end
  command.fail("the store has %d of the study's %d points, as it is now and for this version of gpunetsim; gpunetsim sweep runs the " ..
               "others%s", there, points, there > 0 and ", --partial draws what there is" or "")
end

return {
  options = {
    { "store", "file", "Where the results are", "FILE.db" },
    { "output", "files", "Write to FILE instead of the folder", outputs.FORMS, short = "o" },
    { "partial", "flag", "Draw the points that there are" },
    "out", "set", "seed", "force",
  },
  least = 1,
  most = 1,
  run = function(given, path)
    if not given.store then command.fail("plot needs --store FILE.db") end
    require "run_options".resolve(given, { only_reads = true })
    local study = program.load_study(path, given.set)
    local about, rules = program.about(study), { force = given.force, inputs = require "files".inputs(study, path, given.store) }
    if about.plots == 0 then command.fail("%s: the study has no plot, so there is nothing to draw", about.path) end
    local experiment = require "experiment".recall(study)
    check_points(given, experiment.points, about.points)
    if given.output then
      outputs.prepare(given.output, about, rules)
      return outputs.write(given.output, experiment, rules)
    end
    local folder = given.out or outputs.folder("out", about)
    rules.owner = about.path
    outputs.prepare_folder(folder, about, false, true, rules)
    outputs.write_folder_figures(experiment, folder, rules)
    core.print(string.format("Figures: %s\n", folder))
  end,
}

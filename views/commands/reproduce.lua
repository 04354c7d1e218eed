-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim reproduce
local claims = require "claims/session"
local command = require "command"
local costs = require "costs"
local experiments = require "experiment"
local files = require "files"
local outputs = require "outputs"
local run_options = require "run_options"

local QUICK_MOST_POINTS = 300

-- --- choosing scenarios --------------------------------------------------------------------------

-- For ".../scenarios/compnet/fig08a_get_latency.lua" these return "fig08a_get_latency" and "compnet".
local function name_of(path) return path:match("([^/]*)%.lua$") end
local function folder_of(path) return path:match("([^/]*)/[^/]*$") end

local function unknown_scenario(name, paths)
  local names = {}
  for i, path in ipairs(paths) do names[i], names[#paths + i] = name_of(path), folder_of(path) end
  local nearest = core.nearest(name, names)
  command.fail('there is no scenario or folder "%s"%s; "gpunetsim list" shows them all', name,
               nearest and ": did you mean " .. nearest or "")
end

-- The folders in which some scenario answers a claim of a paper.
local function folders_of_papers(abouts)
  local folders = {}
  for _, about in ipairs(abouts) do
    if #about.claims > 0 then folders[folder_of(about.path)] = true end
  end
  return folders
end

-- The papers' names, by which titles of scenarios that show a figure of one begin ("ComPNet18, Fig 5: ...").
local function names_of_papers()
  local names = {}
  for _, claim in ipairs(claims.stated()) do names[claim.source] = true end
  return names
end

-- Why --quick leaves a scenario out; nil if it does not. `papers` are the papers' names; nil: a folder or scenario is asked for by its name.
local function why_left_out(about, papers)
  if about.is_long then return "it takes long" end
  if about.points > QUICK_MOST_POINTS then return string.format("it has %d points", about.points) end
  if papers and #about.claims == 0 and not papers[about.title:match("^%w+")] then return "it answers no claim and shows no figure of a paper" end
end

-- Says which folders are left out, since they belong to no paper.
local function tell_folders(folders)
  if #folders == 0 then return end
  core.print(string.format("Folders left out, since no scenario of theirs answers a claim of a paper: %s. \"gpunetsim reproduce --only %s\" " ..
                           "runs one; without --quick all are run.\n", table.concat(folders, ", "), folders[1]))
end

-- Divides the scenarios into those that are run and those that --quick leaves out, and says which these are. A folder that is asked for by
-- its name is not left out.
local function leave_out(all, studies, abouts)
  local papers, told, folders = folders_of_papers(abouts), {}, {}
  local names = all.is_quick and not all.given.only and names_of_papers()
  for i, about in ipairs(abouts) do
    local folder, why = folder_of(about.path), all.is_quick and why_left_out(about, names)
    local is_paper = not all.is_quick or all.given.only or papers[folder]
    if why and is_paper then core.print(string.format("%s is left out: %s.\n", about.name, why)) end
    if not is_paper and not told[folder] then folders[#folders + 1], told[folder] = folder, true end
    local is_left_out = why or not is_paper
    if all.is_quick and not is_left_out then program.set_samples(studies[i], 0) end
    local list = is_left_out and all.left_out or all.studies
    list[#list + 1] = studies[i]
  end
  tell_folders(folders)
end

local function choose_scenarios(all, only)
  local studies, abouts = {}, {}
  for _, path in ipairs(require "home".scenarios()) do
    if not only or only == name_of(path) or only == folder_of(path) then
      studies[#studies + 1] = program.load_study(path)
      abouts[#abouts + 1] = program.about(studies[#studies])
    end
  end
  if only and #studies == 0 then unknown_scenario(only, require "home".scenarios()) end
  leave_out(all, studies, abouts)
end

-- --- running them --------------------------------------------------------------------------------

local function note_failure(all, sentence)
  if not sentence then return end
  program.tell(sentence)
  all.has_failed = true
end

-- Draws a scenario's figures. Without gnuplot the numbers are still useful: the fault is reported once, and no further
-- figure is tried.
local function draw(all, experiment, folder, rules)
  local is_drawn, fault = true, nil
  if all.draws then is_drawn, fault = pcall(outputs.write_folder_figures, experiment, folder, rules) end
  if is_drawn then return end
  if pcall(program.check_interrupt) then program.fail(fault) end
  all.has_failed, all.draws = true, fault.code == core.ERROR_USE -- an error of use concerns this study only
end

local function rules_of(all, owner) return { force = all.given.force, inputs = { all.given.store }, owner = owner } end

local function run_scenario(all, study)
  local about = program.about(study)
  local folder = outputs.folder(all.out, about)
  local rules = rules_of(all, about.path)
  outputs.prepare_folder(folder, about, true, all.draws, rules)
  local experiment = experiments.run(study)
  all.experiments[#all.experiments + 1] = experiment
  experiments.check_best(experiment, all.given.best)
  note_failure(all, experiments.failure(experiment))
  outputs.write_results(experiment, folder, rules)
  draw(all, experiment, folder, rules)
  core.print(string.format("%s: %d points, %d failed; %s\n", about.name, experiment.points, experiment.failed, folder))
  io.flush()
  local failure = claims.answer(all.claims, experiment)
  note_failure(all, experiment.conclusion_failure or failure)
  program.check_interrupt()
end

-- --- what is left behind -------------------------------------------------------------------------

-- The path of a report: "out/report.html", or for a part of the scenarios "out/report-compnet.html" or
-- "out/report-quick.html", so that it does not replace the report of all scenarios.
local function answer_path(all, name, ending)
  local part = (all.given.only and "-" .. all.given.only or "") .. (#all.left_out > 0 and "-quick" or "")
  return outputs.within(all.out, name .. part .. ending)
end

-- Checks that existing files may be replaced, before the run takes hours.
local function prepare_answers(all)
  files.prepare_folder(all.out)
  files.prepare(answer_path(all, "claims", ".csv"), rules_of(all))
  files.prepare(answer_path(all, "report", ".html"), rules_of(all))
end

local function write_answers(all, typed)
  local csv, page = answer_path(all, "claims", ".csv"), answer_path(all, "report", ".html")
  local rows, counts = table.unpack(require "claims".written(all.claims))
  local report = require "report".made(all.experiments, all.left_out, all.claims, typed, run_options.seed(all.given))
  files.write(csv, rows, rules_of(all))
  files.write(page, report, rules_of(all))
  core.print(string.format("%s; with scenario or place in %s\nReport: %s\n", counts, csv, page))
end

-- Prints the expected costs of all scenarios. A scenario that fails does not stop the others.
local function tell_costs(all)
  local total = {}
  for _, study in ipairs(all.studies) do
    local is_good, fault = pcall(costs.add, study, total)
    program.check_interrupt()
    if not is_good then
      program.fail(fault)
      all.has_failed = true
    end
  end
  if #all.studies > 1 and total.points then costs.tell("all", total) end
end

local function read_claims()
  return claims.open(core.folder("claims/claims.tsv"), core.folder("claims/modelled.tsv"), core.folder("claims/restated.tsv"),
                     core.folder("claims/causes.tsv"))
end

return {
  options = {
    { "quick", "flag", "Run the papers' figures and claims: leave out scenarios that answer no claim of a paper and show no " ..
      "figure of one, long ones and those of more than " .. QUICK_MOST_POINTS .. " points, and bands; the report is report-quick.html" },
    { "only", "text", "Run only this scenario, or the scenarios of this folder", "NAME" },
    "dry-run", "workers", "seed", "progress", "best", "store", "redo", "time-limit", "memory-limit", "no-plot", "out", "force",
  },
  run = function(given)
    local all = { given = given, is_quick = given.quick, out = given.out or "out", draws = not given["no-plot"], studies = {},
                  left_out = {}, experiments = {} }
    -- The store is in the folder of the report, so that points of an interrupted or earlier run are not run again.
    given.store = given.store or outputs.within(all.out, "store.db")
    if not given["dry-run"] then all.claims = read_claims() end
    choose_scenarios(all, given.only)
    if not given["dry-run"] then prepare_answers(all) end
    run_options.resolve(given, {})
    if given["dry-run"] then
      tell_costs(all)
    else
      for _, study in ipairs(all.studies) do run_scenario(all, study) end
      write_answers(all, command.typed())
    end
    program.exit(all.has_failed and 1 or 0)
  end,
}

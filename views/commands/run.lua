-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim run FILE.lua; gpunetsim sweep (the same as run --only-store) and gpunetsim-mpi use it, too.
local command = require "command"
local files = require "files"
local outputs = require "outputs"
local points = require "points"
local run_options = require "run_options"

-- If this many points fail at the beginning for the same reason, the run stops.
local DOUBTFUL_POINTS = 20
local ANY_WIDTH = 1 << 30
local MOST_SAMPLES = 10000 -- as of a study's band

local function check(given, only_store)
  if given.stats and not given.stats:find("%.csv$") and not given.stats:find("%.json$") then
    command.fail("--stats %s: the name ends in .csv or .json", given.stats)
  end
  local samples = given.band or 0
  if samples ~= 0 and (samples < 2 or samples > MOST_SAMPLES) then
    command.fail("--band %d: the number of samples is 0 or 2 to %d", samples, MOST_SAMPLES)
  end
  if only_store and not given.store then command.fail("sweep, --only-store and --shard need --store FILE.db") end
  if only_store and (given.columns or given.wide or given.defaults) then
    command.fail("--columns, --wide and --defaults say what is printed; with only a store that is a summary")
  end
  if given.columns and outputs.use_stdout(given.output) then
    command.fail("--columns says what is printed; with an output to - that is nothing")
  end
end

-- --- what is written -------------------------------------------------------------------------------

-- Where resolved.json is written; nil: nowhere. A resolved.json that is being run again is not overwritten.
local function resolved_path(one)
  local path = one.folder and outputs.within(one.folder, "resolved.json")
  return path and not files.is_same(path, one.file) and path or nil
end

-- Where the CSV is written: the first one asked for, or the folder's; nil: nowhere, or to standard output.
local function csv_path(one)
  for _, output in ipairs(one.given.output or {}) do
    local path = output:match("^csv:(.*)$")
    if path and path ~= "-" then return path end
  end
  return not one.given.output and one.folder and outputs.within(one.folder, "results.csv") or nil
end

-- The file of an interrupted run's results, "out/s/results-partial.csv" for "out/s/results.csv", and the rules for writing it.
local function partial_path(one)
  local whole = csv_path(one)
  return whole and whole:gsub("%.csv$", "") .. "-partial.csv", one.given.output and one.files or one.own, whole
end

-- Prepares the file of partial results, which must not have the path of another output.
local function prepare_partial(one)
  local path, rules, whole = partial_path(one)
  if path and program.file(whole) ~= "other" then files.prepare(path, rules) end
end

-- Prepares the outputs. A run writes into a folder unless other outputs are given; a run that only stores results uses a
-- folder only if one is given. The study and its store are read, so they are never outputs.
local function prepare_outputs(one, study)
  local given, about, inputs = one.given, one.about, files.inputs(study, one.file, one.given.store)
  one.files = { force = given.force, inputs = inputs }
  one.own = { force = given.force, inputs = inputs, owner = about.path }
  local needs_folder = not given.output or not given["no-plot"]
  if one.only_store then needs_folder = given.out ~= nil end
  if needs_folder then one.folder = given.out or outputs.folder("out", about) end
  if needs_folder and given.out then files.prepare_folder(given.out) end
  outputs.prepare(given.output, about, one.files)
  if given.stats then files.prepare(given.stats, one.files) end
  if needs_folder then outputs.prepare_folder(one.folder, about, not given.output, not given["no-plot"], one.own) end
  local resolved = resolved_path(one)
  if resolved then files.prepare(resolved, one.own) end
  prepare_partial(one)
end

local function write_all(one, experiment)
  if one.given.stats then
    local of = require "statistics_table".of(experiment)
    local format = one.given.stats:match("[^.]*$")
    files.write(one.given.stats, require "export"[format](of), one.files)
  end
  if one.given.output then
    outputs.write(one.given.output, experiment, one.files)
  elseif one.folder then
    outputs.write_results(experiment, one.folder, one.own)
  end
  local resolved = resolved_path(one)
  if resolved then
    local text = require "resolved".text(experiment.study, one.overrides, one.seed)
    files.write(resolved, text, one.own)
  end
end

-- --- what is shown ---------------------------------------------------------------------------------

local function names_of(columns)
  local names, all = {}, {}
  for i, column in ipairs(columns) do
    all[i] = column.name
    names[2 * i - 1], names[2 * i] = column.name, column.key
  end
  return names, all
end

-- Checks that each column asked for is a column of some point.
local function check_columns(named, columns)
  local names, all = names_of(columns)
  local known = { all = true }
  for i, name in ipairs(names) do known[name] = known[name] or columns[(i + 1) // 2].name end
  for _, name in ipairs(named) do
    local nearest = not known[name] and core.nearest(name, names)
    if not known[name] then
      command.fail("--columns %s: no such axis or measure%s; there are %s", name,
                   nearest and ": did you mean " .. known[nearest] or "", #all > 0 and table.concat(all, ", ") or "none")
    end
  end
end

local function print_claims(one, experiment)
  if #one.about.claims == 0 or not program.file(core.folder("claims/claims.tsv")) then return end
  local session = require "claims/session"
  local claims = session.own()
  one.claim_failure = session.answer(claims, experiment)
  for _, line in ipairs(require "claims".lines(claims, one.about.claims)) do core.print(line .. "\n") end
end

local function show(one, experiment)
  local given, of, study = one.given, require "experiment".shown(experiment)
  local columns = given.columns or given.wide and "all"
  local named = columns and require "text".split(columns, ",")
  if named and experiment.failed < experiment.points then check_columns(named, of.columns) end
  local width = given.wide and ANY_WIDTH or program.width()
  local shown = require "results".text(of, study, width, named)[1]
  core.print(string.format("%s\n%s\n%s%s", study.title, shown, experiment.measured, require "experiment".told(experiment)))
  local sentence = require "settings".defaults(require "experiment".each(experiment), given.defaults)
  if sentence then core.print(require "terminal".wrap(sentence, width) .. "\n") end
  if experiment.conclusion then core.print(require "conclusion".shown(experiment.conclusion)[1]) end
  print_claims(one, experiment)
end

local function show_places(one)
  local about = one.about
  if not one.given.output then core.print(string.format("Results: %s/results.csv\n", one.folder)) end
  if one.has_figures and about.plots > 0 then
    core.print(string.format("Figure%s: %s/figure%s.svg and .png\n", about.plots > 1 and "s" or "", one.folder,
                             about.plots > 1 and "-*" or ""))
  end
end

-- Prints the summary of a run that only stores results.
local function show_summary(one, experiment)
  core.print(string.format("%s%s%s: %d points, %d failed; %s\n", experiment.measured, require "experiment".told(experiment), one.about.name, experiment.points, experiment.failed,
                           one.given.store))
end

-- --- running ---------------------------------------------------------------------------------------

-- Writes the points that were finished when a signal came to the file of partial results.
local function keep_partial(one, experiment)
  local path, rules = partial_path(one)
  if not path or experiment.points == 0 then return end
  if pcall(files.write, path, require "export".csv(require "experiment".shown(experiment)), rules) then
    program.tell(string.format("%d of %d points were finished; they are in %s", experiment.points, one.about.points, path))
  end
end

-- The last words on a run.
local function tell_end(one, experiment)
  local failed = require "experiment".failure(experiment)
  if failed then program.tell(failed) end
  local failure = experiment.conclusion_failure or one.claim_failure
  if failure then program.tell(failure) end
  local note = require "settings".unread_at_some(require "experiment".each(experiment), experiment.points)
  if note then program.tell(one.file .. ": " .. note) end
end

local function finish_outputs(one, experiment)
  local is_quiet = outputs.use_stdout(one.given.output)
  write_all(one, experiment)
  if not is_quiet and not one.only_store then show(one, experiment) end
  if one.folder and not one.given["no-plot"] then
    one.has_figures = outputs.write_folder_figures(experiment, one.folder, one.own)
  end
  if not is_quiet then (one.only_store and show_summary or show_places)(one, experiment) end
  program.check_interrupt()
  local path, rules = partial_path(one)
  if path then files.remove(path, rules) end -- the partial results of an earlier, interrupted run are out of date
end

local function finish(one, experiment, was_interrupted)
  if was_interrupted then
    keep_partial(one, experiment)
    program.check_interrupt()
    return
  end
  require "experiment".check_best(experiment, one.given.best)
  local is_good, fault = pcall(finish_outputs, one, experiment)
  tell_end(one, experiment)
  if not is_good then error(fault, 0) end
  if experiment.failed > 0 or experiment.conclusion_failure or one.claim_failure then program.exit(1) end
end

-- The study of the given file: a Lua file, or the resolved.json of a run that is repeated.
local function load_study(one)
  one.overrides, one.seed = one.given.set, run_options.seed(one.given)
  if not one.file:find("%.json$") then return program.load_study(one.file, one.given.set) end
  local study, overrides, seed, version = require "rerun".study(one.file, one.given.set)
  one.overrides, one.seed = overrides, one.given.seed or seed
  program.set_seed(one.seed)
  if version and not one.is_helper then
    program.tell(string.format("%s was written by version %s of this program; results of this one may differ", one.file, version))
  end
  return study
end

-- Whether the command line gives settings of the study. If so, a fault of the first point is an error of use.
local function has_settings(given)
  for _, override in ipairs(given.set or {}) do
    if override:find("^study%..*=") then return true end
  end
end

-- The sentence on the memory that a dry run expects; nil if nothing is known of it.
local function memory_sentence(one)
  if one.file:find("%.json$") then return end
  local copy <close> = program.load_study(one.file, one.given.set)
  local footprint = require "footprint"
  local bytes, point = footprint.study(copy)
  if bytes == 0 then return end
  return string.format("The largest point, %s, will take about %d MiB; %d MiB of memory are left.\n", points.label(copy, point), bytes >> 20,
                       footprint.available() >> 20)
end

-- Refuses a study with a point that would not fit in memory, before anything runs.
local function check_memory(one, study)
  if one.given["any-memory"] or one.file:find("%.json$") then return end
  local footprint = require "footprint"
  local there = footprint.available()
  if not footprint.is_large(study, there) then return end
  local copy <close> = program.load_study(one.file, one.given.set)
  local bytes, point = footprint.study(copy)
  if bytes <= there then return end
  command.fail_running("%s: point %s would take about %d MiB, and %d MiB of memory are left; --any-memory runs it nevertheless, "
    .. "--any-memory --memory-limit=%dMiB all that fit", one.file, points.label(study, point), bytes >> 20, there >> 20, there >> 20)
end

-- `is_helper`: runs points for another process, which keeps their results.
local function run(given, path, only_store, is_helper)
  only_store = only_store or given["only-store"] or given.shard ~= nil
  check(given, only_store)
  local one = { given = given, file = path, only_store = only_store, is_helper = is_helper }
  local ways = { remembers = given.store ~= nil, with_stats = given.stats ~= nil, silent = is_helper,
                 doubtful = not given["keep-going"] and DOUBTFUL_POINTS or 0 }
  if is_helper then given.store, given.redo = nil, nil end
  outputs.spare_store(given.output, given.store)
  run_options.resolve(given, ways)
  local study = load_study(one)
  if given.band then program.set_samples(study, given.band) end
  if is_helper then
    program.run(study) -- another process keeps the rows
    return
  end
  one.about = program.about(study)
  require "claims/session".check(one.about)
  require "rehearsal".apart(study, has_settings(given))
  if given["dry-run"] then
    require "costs".add(study, {}, memory_sentence(one))
    return
  end
  check_memory(one, study)
  prepare_outputs(one, study)
  finish(one, require "experiment".run(study, not only_store))
end

return {
  options = {
    { "output", "files", "Write the results to FILE (- is standard output)", outputs.FORMS, short = "o" },
    { "keep-going", "flag", "Run all points, even if the first 20 have all failed for one reason" },
    { "any-memory", "flag", "Run points that are predicted to take more memory than there is" },
    { "stats", "file", "Write every statistic of every point to FILE; all points are then simulated, even if a store has them",
      "FILE.csv|FILE.json" },
    { "only-store", "flag", "Only keep the results in the store: print a summary, write and draw nothing that is not asked for" },
    { "shard", "text", "Run the I-th of N shares of the points; implies --only-store", "I/N" },
    { "band", "whole", "Samples of estimated values for each point, instead of as many as the study asks for (0: none)", "SAMPLES" },
    { "defaults", "flag", "Name the machine values that the run reads and that are defaults" },
    { "columns", "text", "Print these measures beside the axes instead of what is plotted", "NAME,...|all" },
    { "wide", "flag", "Print lines as long as they need to be, and all measures if --columns names none" },
    "set", "dry-run", "workers", "seed", "progress", "best", "store", "redo", "time-limit", "memory-limit", "no-plot", "out", "force",
  },
  least = 1,
  most = 1,
  run = run,
}

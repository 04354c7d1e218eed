-- SPDX-License-Identifier: BSD-3-Clause
-- The outputs of a study: -o FORM:FILE, any number of times. `rules` say what may be written (files.lua).
local command = require "command"
local experiment = require "experiment"
local files = require "files"
local outputs = {}

outputs.FORMS = "csv|json|tsv|osu|sqlite|svg|png|pdf|pdf-180mm|gp|lua:FILE"

local FIGURES = { svg = true, png = true, pdf = true, ["pdf-180mm"] = true, gp = true }

-- The form and the file of "csv:FILE"; nil if there is no such form, or no file.
local function split(output)
  local form, file = output:match("^([%w-]+):(.+)$")
  return form and ("|" .. outputs.FORMS:gsub(":FILE", "") .. "|"):find("|" .. form .. "|", 1, true) and form, file
end

-- The file of figure `number`: the first one's is `file`, the others' are beside it: name-2.pdf.
local function figure_file(file, number)
  if number == 1 or file == "-" then return file end
  local stem, ending = file:match("^(.*)(%.[^./]*)$")
  return (stem or file) .. "-" .. number .. (ending or "")
end

-- The files of an output of a study.
local function files_of(form, file, about)
  local files = { file }
  for number = 2, FIGURES[form] and about.plots or 1 do files[number] = figure_file(file, number) end
  return files
end

-- Checks, before a run, that each output can be written.
function outputs.prepare(list, about, rules)
  for _, output in ipairs(list or {}) do
    local form, file = split(output)
    if not form then command.fail("-o %s: accepted are %s", output, outputs.FORMS) end
    if FIGURES[form] and about.plots == 0 then command.fail("-o %s: the study has no plot", output) end
    if form == "lua" and not about.concludes then require "conclusion".lua "" end
    if form == "sqlite" and file == "-" then command.fail("-o %s: this cannot go to standard output", output) end
    for _, path in ipairs(files_of(form, file, about)) do files.prepare(path, rules) end
  end
end

-- Checks that no output is the store's file, which may not exist yet.
function outputs.spare_store(list, store)
  for _, output in ipairs(store and list or {}) do
    local form, file = split(output)
    if form and files.is_same(file, store) then command.fail("cannot write %s: this command reads it (--store)", file) end
  end
end

-- Names of standard output, to which nothing else is printed then.
local STDOUT = { ["-"] = true, ["/dev/stdout"] = true, ["/dev/fd/1"] = true, ["/proc/self/fd/1"] = true }

-- Whether any output is standard output.
function outputs.use_stdout(list)
  for _, output in ipairs(list or {}) do
    local form, file = split(output)
    if form and STDOUT[file] then return true end
  end
end

-- The Lua file that the study makes of all its results.
local function lua_text(of)
  if of.conclusion_failure then command.fail("%s", of.conclusion_failure) end
  return require "conclusion".lua(of.conclusion or "")[1]
end

local function text_of(form, run)
  if form == "lua" then return lua_text(run) end
  if form == "sqlite" then return program.sqlite(require "export".sql(run.table)) end
  local of, study = experiment.shown(run)
  return form == "osu" and require "osu".text(of, study)[1] or form ~= "osu" and require "export"[form](of)
end

local function write_figures(form, file, run, about, rules)
  experiment.draw(run)
  for number, path in ipairs(files_of(form, file, about)) do
    files.write(path, experiment.figures(run)[number][form], rules)
  end
end

-- Writes all outputs; draws the figures if they have not been drawn.
function outputs.write(list, run, rules)
  local about = program.about(run.study)
  for _, output in ipairs(list or {}) do
    local form, file = split(output)
    if FIGURES[form] then
      write_figures(form, file, run, about, rules)
    else
      files.write(file, text_of(form, run), rules)
    end
  end
end

-- --- a folder of results ---------------------------------------------------------------------------

-- The study's own folder in `parent`, named after the study.
function outputs.folder(parent, about)
  local name = about.name
  if name == "" or name == "." or name == ".." then
    command.fail('%s: "%s" is no name for a folder of results; --out names one', about.path, name)
  end
  return outputs.within(parent, name)
end

function outputs.within(folder, name) return folder == "" and name or folder:gsub("/+$", "") .. "/" .. name end

-- The endings of the figures' files in a folder.
local ENDINGS = { { ".pdf", "pdf" }, { "-180mm.pdf", "pdf-180mm" }, { ".svg", "svg" }, { ".png", "png" }, { ".gp", "gp" } }

local function figure_path(folder, about, number, ending)
  return outputs.within(folder, "figure" .. (about.plots > 1 and "-" .. number or "") .. ending)
end

-- Makes the folder, and checks that the results and the figures may be written into it.
function outputs.prepare_folder(folder, about, has_results, has_figures, rules)
  files.prepare_folder(folder)
  if has_results then files.prepare(outputs.within(folder, "results.csv"), rules) end
  for number = 1, has_figures and about.plots or 0 do
    for _, ending in ipairs(ENDINGS) do files.prepare(figure_path(folder, about, number, ending[1]), rules) end
  end
end

function outputs.write_results(run, folder, rules)
  files.write(outputs.within(folder, "results.csv"), text_of("csv", run), rules)
end

-- Draws the figures and writes them, unless no point has a result; whether it did.
function outputs.write_folder_figures(run, folder, rules)
  local about = program.about(run.study)
  if run.failed == run.points then return end
  experiment.draw(run)
  for number, figure in ipairs(experiment.figures(run)) do
    for _, ending in ipairs(ENDINGS) do
      files.write(figure_path(folder, about, number, ending[1]), figure[ending[2]], rules)
    end
  end
  return true
end

return outputs

-- SPDX-License-Identifier: BSD-3-Clause
-- Makes the parts of the report; its looks and its script are in the template. Figures and long tables are packed
-- (core.packed) in attributes `data-packed`; the script unpacks them when they are looked at. Each figure gets a shadow
-- tree: gnuplot gives every drawing the same element ids, which would clash in one document.
--
-- The report has claims (what views/claims.lua is given), experiments (name, title, path, claims, failure, figures as SVG,
-- and its table), left_out (scenarios that were not run), machines (of each experiment name, title and table) and versions.
local claim_tables = require "claims"
local conclusion = require "conclusion"
local experiments = require "experiment"
local machine_values = require "machine_values"
local terminal = require "terminal"
local report = {}

-- What the papers are called in claims.tsv.
local PAPERS = {
  ComPNet18 = "ComP-Net: Command Processor Networking for Efficient Intra-kernel Communications on GPUs (LeBeane et al., 2018)",
  ParCo22 = "Accelerating communication for parallel programming models on GPU systems (Choi et al., 2022)",
  IPDPSW21 = "GPU-aware Communication with UCX in Parallel Programming Models: Charm++, MPI, and Python (Choi et al., 2021)",
  Async22 = "Improving Scalability with GPU-Aware Asynchronous Tasks (Choi et al., 2022)",
  Slides21 = "The slides of IPDPSW21",
}
local WAVERS = " ±" -- behind the status of a claim whose verdict changes within the ranges of what is estimated

local HAIR = " by a hair" -- within 3 % of a limit, on either side

local function marks(claim) return (claim.hair and HAIR or "") .. (claim.wavers and WAVERS or "") end

local ESCAPES = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ["'"] = "&apos;", ['"'] = "&quot;" }

-- Markup from a format; each %s is a text that is escaped (nil: empty).
local function markup(form, ...)
  local texts, i = { ... }, 0
  return (form:gsub("%%s", function()
    i = i + 1
    return (core.shown(texts[i] or ""):gsub("[&<>'\"]", ESCAPES))
  end))
end

-- A sentence as people write it: "5 to 80 us" as "5 to 80 µs".
local function prose(of) return of and core.replace(of, "(?<=\\d )u(?=[sJ]\\b)", "µ") end

-- --- tables --------------------------------------------------------------------------------------

-- A cell, with its column's name for pages that are too narrow for columns.
local function cell_markup(column, of)
  local class = column.is_number and '<td class="number" data-name="%s">%s</td>'
                or '<td data-name="%s">%s</td>'
  return markup(class, column.name, of)
end

-- `class_of`: the class of each row, for the template's colours; nil: none.
local function table_markup(of, class_of, make_cell)
  local parts = { "<table>\n<thead><tr>" }
  local function add(part) parts[#parts + 1] = part end
  for _, column in ipairs(of.columns) do
    add(markup(column.is_number and '<th class="number">%s</th>' or "<th>%s</th>", column.name))
  end
  add("</tr></thead>\n<tbody>\n")
  for row = 1, of.count do
    add(class_of and '<tr class="' .. class_of(row) .. '">' or "<tr>")
    for i, column in ipairs(of.columns) do
      add((make_cell or cell_markup)(column, of.cell(row, i)))
    end
    add("</tr>\n")
  end
  add("</tbody></table>\n")
  return table.concat(parts)
end

-- The text of a cell in a packed table, where tabs and line ends separate cells.
local function plain_cell(of) return (core.shown(of or ""):gsub("[\t\n]", " ")) end

-- A packed table: a line with the columns' names, one that says which have numbers, and the rows.
local function packed_table(of)
  local names, kinds = {}, {}
  for i, column in ipairs(of.columns) do
    names[i], kinds[i] = plain_cell(column.name), column.is_number and "number" or ""
  end
  local lines = { table.concat(names, "\t"), table.concat(kinds, "\t") }
  for row = 1, of.count do
    local cells = {}
    for i in ipairs(of.columns) do cells[i] = plain_cell(of.cell(row, i)) end
    lines[row + 2] = table.concat(cells, "\t")
  end
  return core.packed(table.concat(lines, "\n"))
end

-- `class`: of the details; `attribute`: one more, or "".
local function folded_table(class, summary, of, attribute)
  return string.format('<details class="%s"%s data-packed="%s">', class, attribute, packed_table(of)) ..
         markup("<summary>%s</summary></details>\n", summary)
end

-- --- figures -------------------------------------------------------------------------------------

-- The range that a claim states.
local function range_text(claim)
  if claim.low == "" and claim.high == "" then return claim.ordering end
  if claim.low == claim.high then return claim.low .. " " .. claim.unit end
  if claim.low == "" then return "at most " .. claim.high .. " " .. claim.unit end
  if claim.high == "" then return "at least " .. claim.low .. " " .. claim.unit end
  return claim.low .. " to " .. claim.high .. " " .. claim.unit
end

local function claim_of(page, id)
  for _, claim in ipairs(page.claims) do
    if claim.id == id then return claim end
  end
end

-- The papers' sentences on the figure, each with its answer.
local function sentences(page, experiment)
  local parts = {}
  for _, id in ipairs(experiment.claims) do
    local claim = claim_of(page, id)
    parts[#parts + 1] = claim and markup(
      '<li class="%s"><a href="#claim-%s">%s</a> <b>%s%s</b> %s <span class="answer">' ..
      "Stated: %s%s%s%s%s</span></li>\n", claim.status, id, id, claim.status,
      marks(claim), prose(claim.paraphrase), prose(range_text(claim)),
      claim.obtained ~= "" and "; obtained: ", prose(claim.obtained), claim.note and ". " or ".",
      prose(claim.note))
  end
  if #experiment.claims == 0 then return "" end
  return '<ul class="sentences">\n' .. table.concat(parts) .. "</ul>\n"
end

-- A figure, whose room is reserved before it is drawn.
local function figure_markup(title, svg)
  local width, height = svg:match('viewBox="0 0 (%d+) (%d+)"')
  return markup('<div class="figure" role="img" aria-label="%s" tabindex="0" style="aspect-ratio: %s / %s" ', title, width,
                height) .. markup('data-packed="%s"></div>\n', core.packed((svg:gsub("^<%?xml.-%?>%s*", ""))))
end

local function experiment_markup(page, experiment)
  local parts = { markup('<section id="figure-%s">\n<h3>%s</h3>', experiment.name, experiment.title) }
  local function add(part) parts[#parts + 1] = part end
  add(markup('<p class="path">Scenario <code>%s</code> · <a href="#machine-%s">its machine’s ' ..
             "parameters</a> · <code>gpunetsim run %s</code></p>\n", experiment.path,
             experiment.name, experiment.path)) -- what the study and its machine are made of
  add('<div class="beside"><div>\n')
  for _, figure in ipairs(experiment.figures) do add(figure_markup(experiment.title, figure)) end
  add("</div>\n")
  add(sentences(page, experiment))
  add("</div>\n")
  for _, one in ipairs(experiment.conclusion and conclusion.tables(experiment.conclusion) or {}) do
    add(markup("<h4>%s</h4>\n", one.title))
    add('<div class="wide">' .. table_markup(one.table) .. "</div>\n")
  end
  add(experiment.failure and markup('<p class="missed">%s</p>', experiment.failure) or "")
  add(folded_table("results", string.format("All results (%d rows)", experiment.table.count), experiment.table, ""))
  add("</section>\n")
  return table.concat(parts)
end

local function figures(page)
  local parts = {}
  for i, experiment in ipairs(page.experiments) do parts[i] = experiment_markup(page, experiment) end
  return table.concat(parts)
end

local function contents(page)
  local parts = {}
  for i, experiment in ipairs(page.experiments) do
    parts[i] = markup('<li><a href="#figure-%s">%s</a></li>\n', experiment.name, experiment.title)
  end
  return "<ul>\n" .. table.concat(parts) .. "</ul>\n"
end

-- --- claims --------------------------------------------------------------------------------------

-- "restated: missed".
local function status_text(claim)
  if claim.status == "restated" then return claim.status .. ": " .. claim.verdict end
  return claim.status .. marks(claim)
end

-- The scenario that answers a claim; or where the claim is built in, and the test that checks it.
local function place_text(claim)
  return claim.place and claim.place .. " (" .. (claim.test or "(null)") .. ")" or claim.scenario
end

local function claim_row(claim)
  return { id = claim.id, use = claim.use, status = status_text(claim),
           claim = prose(claim.paraphrase), stated = prose(range_text(claim)),
           obtained = prose(claim.obtained), where = place_text(claim), note = prose(claim.note),
           paper = claim.source .. ", " .. claim.where }
end

-- Figures link to the rows, and the names of scenarios in the column "where" lead to their figures.
local function claims(page)
  local of, rows, is_shown = { columns = {}, count = #page.claims }, {}, {}
  for i, name in ipairs { "id", "use", "status", "claim", "stated", "obtained", "where", "note",
                          "paper" } do
    of.columns[i] = { name = name }
  end
  for i, claim in ipairs(page.claims) do rows[i] = claim_row(claim) end
  for _, experiment in ipairs(page.experiments) do is_shown[experiment.name] = true end
  function of.cell(row, column) return rows[row][of.columns[column].name] end
  -- The first class is the status, by which the page filters; a restated claim has the colour of its verdict as well.
  local function class_of(row)
    local claim = page.claims[row]
    return claim.status == "restated" and claim.status .. " " .. claim.verdict or claim.status
  end
  return table_markup(of, class_of, function(column, value)
    if column.name == "id" then
      return '<td data-name="id" id="claim-' .. value .. '">' .. value .. "</td>"
    elseif column.name == "where" and is_shown[value or false] then
      return markup('<td data-name="where"><a href="#figure-%s">%s</a></td>', value, value)
    end
    return cell_markup(column, value)
  end)
end

-- --- summary -------------------------------------------------------------------------------------

-- A bar for a paper: how many of its claims have each status; a restated one counts by its verdict.
local function bar(page, paper)
  local counts, all = {}, 0
  for _, claim in ipairs(page.claims) do
    if claim.source == paper then
      counts[claim.verdict] = (counts[claim.verdict] or 0) + 1
      all = all + 1
    end
  end
  local parts = { markup('<tr><th><a href="#paper-%s">%s</a></th><td><div class="bar">', paper, paper) }
  for _, status in ipairs(page.statuses) do
    local count = counts[status]
    parts[#parts + 1] = count and string.format(
      '<span class="%s" style="flex:%d" title="%d %s">%d</span>', status, count, count, status, count)
  end
  return table.concat(parts) .. string.format('</div></td><td class="number">%d</td></tr>\n', all)
end

local function claim_links(ids)
  local links = {}
  for i, id in ipairs(ids) do links[i] = markup('<a href="#claim-%s">%s</a>', id, id) end
  return #links > 0 and "; claims " .. table.concat(links, ", ") or ""
end

-- The scenarios that would answer unanswered claims, and how to run them.
local function left_out(page)
  local parts = {}
  if #page.left_out == 0 then return "" end
  for i, study in ipairs(page.left_out) do
    parts[i] = markup("<li>%s: <code>gpunetsim run %s</code>", study.title, study.path) ..
               claim_links(study.claims) .. "</li>\n"
  end
  return '<p id="left-out">' .. #page.left_out .. " scenarios were left out, which take long or belong to no paper. What " ..
         "they answer counts as <i>not-yet</i> here. <code>gpunetsim reproduce</code> without " ..
         "<code>--quick</code> runs them too.</p>\n<details><summary>Which they are</summary><ul>\n" ..
         table.concat(parts) .. "</ul></details>\n"
end

-- The papers in the order of claims.tsv.
local function sources(page)
  local list, seen = {}, {}
  for _, claim in ipairs(page.claims) do
    if not seen[claim.source] then list[#list + 1] = claim.source end
    seen[claim.source] = true
  end
  return list
end

local function papers(page)
  local parts = { '<table class="papers"><tbody>\n' }
  local function add(part) parts[#parts + 1] = part end
  for _, paper in ipairs(sources(page)) do add(bar(page, paper)) end
  add('</tbody></table>\n<p class="key">')
  for _, status in ipairs(page.statuses) do
    if status ~= "restated" then add(string.format('<span class="%s">%s</span> ', status, status)) end
  end
  add("</p>\n")
  return table.concat(parts) .. left_out(page)
end

local ANSWERS = { reproduced = true, missed = true, error = true }

-- A cell of a paper's screen, and what the pointer tells of it.
local function told_cell(of, told) return markup('<td title="%s">%s</td>', told or of, of) end

-- A claim's row on its paper's screen. What shows the cause of a miss is told by the pointer.
local function line_of(claim)
  local cause, check = prose(claim.cause) or "", claim.check and "shown by: " .. claim.check
  return string.format('<tr class="%s">', claim.verdict) .. markup('<td><a href="#claim-%s">%s</a></td>', claim.id, claim.id) ..
         told_cell(prose(claim.paraphrase)) .. told_cell(prose(range_text(claim))) .. told_cell(prose(claim.obtained)) ..
         told_cell(status_text(claim)) .. told_cell(cause, check) .. "</tr>\n"
end

-- All claims of a paper that scenarios of this report answer, those that it repeats as well, as one table; nil: none is.
local function answered(page, paper)
  local rows = {}
  for _, claim in ipairs(page.claims) do
    if claim.source == paper and ANSWERS[claim.verdict] and claim.use ~= "config" then rows[#rows + 1] = line_of(claim) end
  end
  if #rows == 0 then return nil end
  return '<table class="screen">\n<thead><tr><th>id</th><th>claim</th><th>stated</th><th>obtained</th><th>status</th>' ..
         "<th>why it is missed</th></tr></thead>\n<tbody>\n" .. table.concat(rows) .. "</tbody></table>\n"
end

-- The figures that answer statements of a paper; "" if none does.
local function figures_of(page, paper)
  local parts = {}
  for _, experiment in ipairs(page.experiments) do
    for _, id in ipairs(experiment.claims) do
      local claim = claim_of(page, id)
      if claim and claim.source == paper then
        parts[#parts + 1] = markup('<a href="#figure-%s">%s</a>', experiment.name, experiment.title)
        break
      end
    end
  end
  if #parts == 0 then return "" end
  return "<p>Figures: " .. table.concat(parts, " · ") .. "</p>\n"
end

-- A screen for each paper: how many of its claims came to what, those that were answered, and its figures.
local function paper_screens(page)
  local parts = {}
  for _, paper in ipairs(sources(page)) do
    parts[#parts + 1] = markup('<section class="paper" id="paper-%s">\n<h3>%s</h3>\n<p>%s</p>\n', paper, paper,
                               PAPERS[paper] or "") ..
      '<table class="papers"><tbody>\n' .. bar(page, paper) .. "</tbody></table>\n"
    local claims_of_it = answered(page, paper)
    parts[#parts + 1] = claims_of_it and claims_of_it .. figures_of(page, paper) or
      "<p>No scenario of this report answers its statements.</p>\n"
    parts[#parts + 1] = "</section>\n"
  end
  return table.concat(parts)
end

local function claim_counts(page)
  local counts, parts = {}, {}
  for _, claim in ipairs(page.claims) do counts[claim.status] = (counts[claim.status] or 0) + 1 end
  for i, status in ipairs(page.statuses) do
    parts[i] = string.format('<label class="%s"><input type="checkbox" value="%s" checked> %s ' ..
                             "<b>%d</b></label>\n", status, status, status, counts[status] or 0)
  end
  return table.concat(parts)
end

-- --- parameters ----------------------------------------------------------------------------------

-- Machines that several studies use are shown once.
local function parameters(page)
  local parts, is_shown = {}, {}
  for _, machine in ipairs(page.machines) do
    parts[#parts + 1] = markup('<span id="machine-%s"></span>', machine.name)
    local part = machine.table and folded_table("parameters", machine.title, machine.table, ' data-class="2"')
    if part and not is_shown[part] then parts[#parts + 1] = part end
    is_shown[part or false] = true
  end
  return table.concat(parts)
end

-- --- the page ------------------------------------------------------------------------------------

-- The marks stand in the template in this order.
local PARTS = {
  { "{{papers}}", papers }, { "{{paper-screens}}", paper_screens }, { "{{contents}}", contents },
  { "{{figures}}", figures },
  { "{{claim-counts}}", claim_counts }, { "{{claims}}", claims }, { "{{parameters}}", parameters },
  { "{{versions}}", function(page) return table_markup(page.versions) end },
}

function report.page(template, page)
  page.claims, page.statuses = claim_tables.all(page.claims), claim_tables.STATUSES
  local parts, from = {}, 1
  for _, part in ipairs(PARTS) do
    local first, last = template:find(part[1], from, true)
    if first then
      parts[#parts + 1] = template:sub(from, first - 1)
      parts[#parts + 1] = part[2](page)
      from = last + 1
    end
  end
  return { table.concat(parts) .. template:sub(from) }
end

-- --- what a page is made of -------------------------------------------------------------------------

local MOST_MIB = 16 -- of a template

-- A scenario for the page. Its file is named relative to the project, so that the page is the same wherever it is made.
local function study_of(about)
  local place = about.path:find("/scenarios/", 1, true)
  return { name = about.name, title = about.title, path = place and about.path:sub(place + 1) or about.path, claims = about.claims }
end

local function experiment_of(experiment)
  local about = program.about(experiment.study)
  local of = study_of(about)
  of.failure, of.conclusion = experiments.failure(experiment), experiment.conclusion
  of.table, of.figures = experiment.table, {}
  for number, figure in ipairs(experiments.figures(experiment)) do of.figures[number] = figure.svg end
  return of
end

-- Adds to each row of `shown` ({ path, value, origin, range, source }) the values that another machine has there, where they
-- are new.
local function collect_values(shown, at, lists, rows)
  for _, row in ipairs(rows) do
    local number = at[row[1]]
    if not number then -- of a kind of nodes that the first machine lacks
      number = #shown + 1
      shown[number], at[row[1]], lists[number] = { row[1], row[2], row[3], nil, "" }, number, { row[2], [row[2]] = true }
    end
    if not lists[number][row[2]] then
      lists[number][row[2]] = true
      table.insert(lists[number], row[2])
    end
  end
end

-- The machine of a study: that of its first point, with the values that its other points have.
local function machine_of(study)
  local about = program.about(study)
  local has_first, first = pcall(program.point_machine, study, 0)
  if not has_first then return { name = about.name } end
  local shown = machine_values.of(first)
  local at, lists = {}, {}
  for i, row in ipairs(shown) do at[row[1]], lists[i] = i, { row[2], [row[2]] = true } end
  for point = 1, about.points - 1 do
    local is_there, machine = pcall(program.point_machine, study, point)
    if is_there then collect_values(shown, at, lists, machine_values.of(machine)) end
  end
  for i, row in ipairs(shown) do
    if #lists[i] > 1 then row[2], row[3] = table.concat(lists[i], ", "), "varied" end
  end
  return { name = about.name, title = program.parameters(first).name, table = terminal.of_texts(machine_values.COLUMNS, shown, 1, 0) }
end

-- The page of these experiments, studies that were left out, and claims, from the template plots/report.html; `typed` is the
-- command that makes it again. It contains neither the time nor the computer of the run, so two runs give the same bytes.
function report.made(experiments, studies, claims, typed, seed)
  local page = { claims = claims, experiments = {}, left_out = {}, machines = {} }
  for i, experiment in ipairs(experiments) do
    page.experiments[i], page.machines[i] = experiment_of(experiment), machine_of(experiment.study)
  end
  for i, study in ipairs(studies) do page.left_out[i] = study_of(program.about(study)) end
  local versions = program.versions()
  table.move({ { "seed", string.format("%d", seed) }, { "command", typed } }, 1, 2, #versions + 1, versions)
  page.versions = terminal.of_texts({ "part", "version" }, versions, 1, 0)
  return report.page(core.text_file(core.folder("plots/report.html"), "a page's template", MOST_MIB), page)[1]
end

return report

-- SPDX-License-Identifier: BSD-3-Clause
-- Explanations of the words of a study, a paragraph for each, for gpunetsim help. A word may also be the name of a command
-- or a component. Line ends count as spaces.
local words = {}

local function word(name, description)
  words[#words + 1] = { name = name, description = (description:gsub("\n%s*", " ")) }
end

word("study",
     [[What a study file returns: study { title = text, machine = a machine or function(p), vary = axes, run = function(p),
       plot = a figure or a list of them, claims = list or table, measured = files, where = function(p), trials = count,
       band = samples, long = true }. docs/learn/tutorial.md begins with a small one; docs/use/studies.md tells everything.]])
word("machine",
     [[The machine of a point: require "configs.NAME" (gpunetsim list machines), called with a table of changes, as in node
       { nodes = 4, nic = { command_gap = "5ns" } }; or a function(p) that returns one for the values of a point.]])
word("vary",
     [[The axes of a study: vary = { bytes = pow2("8B", "4KiB"), design = { "dgpu", "apu" } }. Each combination is a point.
       A list { { "bytes", ... }, { "design", ... } } keeps the order of the axes.]])
word("run",
     [[function(p), called once for each point with its values (p.bytes, p.design); it calls a workload (gpunetsim list
       workloads) and returns the measures, or a table of them.]])
word("plot",
     [[A figure, or a list of figures: { x = axis, y = measure's column, by = axis of the curves, panels = axis, style =
       lines, semilogx, loglog, bars, stack, heatmap, points or pareto, title, x_label, y_label, only = { axis = value },
       over = axis, least = axis, speedup or share = { axis = value } }. Axes that are not named become curves of their
       own, named in the legend. Means are drawn only over the axis named in over, and the label of y says so; over cannot be an axis of sizes. A logarithmic axis takes
       numbers above 0: anything else is an error. A band around means over phases (latency with latency_spread) is their
       95 % interval; it is left out if it is nowhere wider than the curve, or if the plot has another band (over, bands, a
       study's band). How it looks: x_range, y_range = { LOW, HIGH }, width, height = "120mm", font = "Liberation Serif
       9pt", colours, lines = a list or { VALUE of by = ... }, order = values of by, legend = "below", "none" or a corner,
       gnuplot = lines of set and unset.]])
word("claims",
     [[What a study says about statements of the papers in claims/claims.tsv: claims = { ["N-39"] = function(r) return {
       obtained = number, holds = true or false, note = text } end }; r:value { bytes = "8B" } is the row of a point.]])
word("measured",
     [[A table of measurements beside a study: measured = "FILE.tsv", or { file = "FILE.tsv", AXIS = "COLUMN", MEASURE =
       "COLUMN", ... }. They are drawn as marks. A column's name ends with its unit (latency_us, Latency (us)); for one
       that does not, write bytes = { column = "Size", unit = "B" }. only = { COLUMN = "TEXT" } chooses rows; every = {
       "AXIS" } says that the file has no column of an axis, and each row belongs to all of its values. See
       docs/use/studies.md.]])
word("design",
     [[Who starts a transfer, who serves it and where its queue lies: a name (gpunetsim list designs), or a name with
       changed axes, as in design { from = "comp-net", polling_rounds = 4 } or "comp-net{polling_rounds=4}". gpunetsim help
       comp-net shows the axes of one.]])
word("program",
     [[A workload written in Lua: local w = program { design = "dgpu" }; w:parties { program = function(me) ... end };
       return w:run(). Each party calls me:put, me:get, me:wait_until and others, which take as long as the design and the
       machine make them take. docs/use/programs.md.]])
word("where",
     [[where = function(p) return true or false end: combinations for which it returns false are no points.]])
word("title",
     [[title = text in a study: stands above its tables and figures.]])
word("trials",
     [[trials = N in a study: runs each point with N seeds, which are the values of an axis trial.]])
word("conclude",
     [[conclude = function(r) in a study: returns tables of what all results say, { { title = text, columns = { ... }, rows =
       { { ... } } } }.]])
word("long",
     [[long = true in a study: it takes minutes, and gpunetsim reproduce --quick leaves it out.]])
word("only",
     [[only = { bytes = "64KiB" } in a plot: draws only points with these values of axes.]])
word("over",
     [[over = axis in a plot: draws the mean over its values, with a band from least to most; the label of y says so. An
       axis of sizes cannot be averaged over: a figure never mixes different payloads.]])
word("least",
     [[least = axis in a plot: draws the least value of y over that axis: of several numbers of blocks, say, the best.]])
word("speedup",
     [[speedup = { design = "dgpu" } in a plot: draws how many times longer that value of the axis takes, all else alike.]])
word("share",
     [[share = { design = "dgpu" } in a plot: draws y over that of this value of the axis, all else alike.]])
word("band",
     [[band = N in a study: N samples of what the machine's estimated values leave open are run too, and drawn as shaded
       bands.]])

function words.find(name)
  for _, one in ipairs(words) do
    if one.name == name then return one.description end
  end
end

return words

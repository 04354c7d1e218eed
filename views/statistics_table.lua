-- SPDX-License-Identifier: BSD-3-Clause
-- Every statistic of every point of an experiment, as a table: the values of the axes, which call of a workload, then the fields of
-- workload_observe (workloads/interface/workload.h).
local terminal = require "terminal"
local statistics_table = {}

local OWN = { "call", "path", "name", "unit", "description", "field", "value" }

-- The lines of one point; an empty line ends a call.
local function add_point(rows, texts, stats)
  local call = 1
  for line in (stats .. "\n"):gmatch("([^\n]*)\n") do
    local fields = { line:match("^([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)$") }
    if #fields == 0 then
      call = call + 1
    else
      local row = table.move(texts, 1, #texts, 1, {})
      row[#row + 1] = tostring(call)
      rows[#rows + 1] = table.move(fields, 1, #fields, #row + 1, row)
    end
  end
end

function statistics_table.of(experiment)
  local rows, names = {}, {}
  for i, axis in ipairs(program.axes(experiment.study)) do names[i] = axis.name end
  local axes = #names
  for point in require "experiment".each(experiment) do
    if point.stats then add_point(rows, point, point.stats) end
  end
  local of = terminal.of_texts(table.move(OWN, 1, #OWN, axes + 1, names), rows, axes + 1, axes + 1)
  of.columns[axes + #OWN].is_number = true
  return of
end

return statistics_table

-- SPDX-License-Identifier: BSD-3-Clause
-- A machine's values and their sources, as rows of a table.
local machine_values = { COLUMNS = { "parameter", "value", "origin", "range", "source" } }

local HOW = { inferred = "inferred from ", fitted = "fitted to " }

local function row_of(value)
  local source = value.source or ""
  if value.claims then
    source = HOW[value.kind] .. value.claims .. (source ~= "" and "; " or "") .. source
  end
  return { value.path, value.value, value.kind, value.low and value.high and value.low .. ".." .. value.high or nil, source }
end

-- A row for each number of the machine (program.machine).
function machine_values.of(machine)
  local rows = {}
  for _, section in ipairs(program.parameters(machine).sections()) do
    for _, value in ipairs(section) do rows[#rows + 1] = row_of(value) end
  end
  return rows
end

return machine_values

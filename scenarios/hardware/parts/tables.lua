-- SPDX-License-Identifier: BSD-3-Clause
-- From a table whose rows are of several kinds: the rows of the `kinds` that a study has, by the column that names the kind.
local function only(file, column, kinds, names)
  local list = {}
  for i, kind in ipairs(kinds) do
    list[i] = { file = file, only = { [column] = kind }, [column] = column }
    for name, of in pairs(names) do list[i][name] = of end
  end
  return list
end

return { only = only }

-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim --version
return {
  knows_no_designs = true,
  options = {},
  run = function()
    for _, row in ipairs(program.versions()) do io.write(string.format("%s %s\n", row[1], row[2])) end
  end,
}

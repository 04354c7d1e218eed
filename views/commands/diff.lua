-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim diff A.db B.db
local command = require "command"

-- Warns of a damaged store, in which lost points look as if they had never been there.
local function warn_of_damage(store, path)
  if store and program.is_damaged(store) then
    io.stderr:write(string.format("gpunetsim: %s is damaged: points may be missing in it\n", path))
  end
end

return {
  knows_no_designs = true,
  options = { { "tol", "number", "Numbers that differ by less, relative to the larger, are the same (default: 0)", "X" } },
  least = 2,
  most = 2,
  run = function(given, one, other)
    local tolerance = given.tol or 0
    if not (tolerance >= 0) then command.fail("--tol is 0 or more") end
    local stores, contents = {}, {}
    local is_read, fault = pcall(function()
      for i, path in ipairs { one, other } do stores[i] = program.store(path, "read") end
      for i, store in ipairs(stores) do contents[i] = program.contents(store, true) end
    end)
    warn_of_damage(stores[1], one)
    warn_of_damage(stores[2], other)
    if not is_read then error(fault, 0) end
    local texts = require "store".diff(contents[1], contents[2], tolerance)
    io.write(texts[1])
    program.exit(texts[2] and 1 or 0)
  end,
}

-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim lua-types: annotations for editors, which views/lua_types.lua writes.
return {
  options = {},
  run = function() io.write(require "lua_types".text(program.catalogue())[1]) end,
}

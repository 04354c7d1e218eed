-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim status STORE.db
return {
  knows_no_designs = true,
  options = { "json" },
  least = 1,
  most = 1,
  run = function(given, path)
    io.write(require "store".status(program.contents(program.store(path, "read"), false), given.json)[1])
  end,
}

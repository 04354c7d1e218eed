-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim trace-info PREFIX|TRACE.et: what is in Chakra traces.
local chakra = require "chakra"
local command = require "command"

return {
  options = { command.TRACE },
  least = 1,
  most = 1,
  run = function(given, path)
    if not chakra.is(path) then
      command.fail("%s: a Chakra trace is a file that ends in .et, or PREFIX of PREFIX.0.et", path)
    end
    core.print(chakra.info(path, given.trace))
  end,
}

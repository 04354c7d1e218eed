-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim topo MACHINE [--dot | --node | --xml] [-s ...]
local command = require "command"

return {
  options = { { "dot", "flag", "For Graphviz (default)" }, { "node", "flag", "For Graphviz, the first node alone" },
              { "xml", "flag", "A platform file for SimGrid's smpirun" }, "set" },
  least = 1,
  most = 1,
  run = function(given, path)
    if (given.dot and 1 or 0) + (given.node and 1 or 0) + (given.xml and 1 or 0) > 1 then
      command.fail("--dot, --node and --xml cannot be given together")
    end
    io.write(program.drawing(program.machine(path, given.set), given.xml and "xml" or given.node and "node" or "dot"))
  end,
}

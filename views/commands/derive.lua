-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim derive MACHINE DESIGN: the study benchmarks/derive.lua, whose conclusion is the model.
local command = require "command"

return {
  options = {
    { "minbytes", "text", "Least size for which the model holds (default: 8B)", "SIZE", short = "b" },
    { "maxbytes", "text", "Largest size (default: 16MiB)", "SIZE", short = "e" },
    { "folds", "text", "Of the cross-validation that tells the model's error (default: 5)", "N" },
    { "output", "file", "Write the model to FILE", "MODEL.lua", short = "o" },
    "set", "workers", "store", "force", "dry-run",
  },
  least = 2,
  most = 2,
  run = function(given, machine, design)
    local output = given.output or command.fail("derive needs -o MODEL.lua, the file that it writes")
    command.run_study("benchmarks/derive.lua", { "lua:" .. output },
                      { { "from", given.minbytes }, { "to", given.maxbytes }, { "folds", given.folds }, { "machine", machine },
                        { "design", design } }, given)
  end,
}

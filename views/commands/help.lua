-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim help COMPONENT[.PARAMETER]: the parameter tables, as the manual. gpunetsim help DESIGN: a point on the axes, and
-- its sources. gpunetsim help MEASURE: the meaning of a measure. With --json all of it, and the arguments of commands.
-- views/help.lua writes it.
local help = require "help"

return {
  options = { "json" },
  most = 1,
  run = function(given, topic)
    local of = program.catalogue()
    of.commands = require "commands"
    io.write((topic and help.topic(of, topic, given.json) or help.commands(of))[1])
  end,
}

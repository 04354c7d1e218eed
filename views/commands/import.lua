-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim import topology FILE.xml [-o FILE.lua]
local command = require "command"
local files = require "files"

local MOST_MIB = 8 -- a topology has a megabyte at most; each element of four bytes takes some 300 in Lua

return {
  knows_no_designs = true,
  options = { command.OUTPUT, command.FORCE },
  least = 2,
  most = 2,
  run = function(given, kind, path)
    if kind ~= "topology" then command.fail('cannot import "%s": accepted is topology', kind) end
    local name = command.last_part(path):gsub("%.xml$", "") -- the machine's name: the file's, without its ending
    local made = require "topology".node(core.text_file(path, "an XML file", MOST_MIB), path, name)
    files.write(given.output or "-", made[1], { force = given.force, inputs = { path } })
    for i = 2, given.output and #made or 1 do program.tell(path .. ": " .. made[i]) end
  end,
}

-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim new machine|study NAME: a commented file to start from.
local command = require "command"
local files = require "files"

return {
  knows_no_designs = true,
  options = {},
  least = 2,
  most = 2,
  run = function(_, kind, path)
    local base = command.last_part(path):gsub("%.lua$", "")
    local folder = path:match("^(.*[^/])/+[^/]*$") or (path:sub(1, 1) == "/" and "" or ".")
    local target = folder .. "/" .. base .. ".lua"
    local text = require "new".text(kind, base)[1]
    if not base:find("^%a[%w_-]*$") then
      command.fail('new %s: "%s" is not a name; use letters, digits, - and _', kind, base)
    end
    if program.file(path) == "other" then command.fail("new %s: %s is a device or a pipe; name a file", kind, path) end
    if program.file(target) then command.fail("new %s: %s is there already", kind, target) end
    files.write(target, text, {})
    core.print(target .. "\n")
  end,
}

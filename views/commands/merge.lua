-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim merge A.db B.db -o C.db
local command = require "command"
local files = require "files"

-- Checks all sources before the target is made, so that a mistyped name leaves no file behind.
local function check_sources(sources, target)
  for _, path in ipairs(sources) do
    if files.is_same(path, target) then command.fail("merge: %s is both a source and the target", target) end
    local store <close> = program.store(path, "salvage")
  end
end

-- Opens the target. The error of a damaged store advises to merge it, which would not help here, so it is replaced.
local function open_target(target)
  local is_open, store = pcall(program.store, target, "write")
  if is_open then return store end
  if store.code == core.ERROR_RUN and store.sentence:find("gpunetsim merge", 1, true) then
    command.fail_running("%s is damaged, and nothing is written into it: give -o a new name, and %s as one of the stores to be read",
                         target, target)
  end
  error(store, 0)
end

-- Adds all sources. Returns the numbers of points, results, damaged stores, lost rows and contradictions.
local function merge_all(sources, target)
  local store <close>, counts = open_target(target), { 0, 0, 0, 0, 0 }
  for _, path in ipairs(sources) do
    for i, count in ipairs { program.merge(store, path) } do counts[i] = counts[i] + count end
  end
  return table.unpack(counts)
end

return {
  knows_no_designs = true,
  options = { { "output", "file", "The store to write into", "STORE.db", short = "o" } },
  least = 1,
  most = 10000,
  run = function(given, ...)
    local sources, target = { ... }, given.output or command.fail("merge needs -o STORE.db")
    check_sources(sources, target)
    local points, calls, damaged, lost, contradictions = merge_all(sources, target)
    core.print(string.format("%d points, %d results of workloads; %s\n", points, calls, target))
    if damaged > 0 then
      io.stderr:write(string.format("gpunetsim: %d of the stores %s damaged: %d rows could not be read, and others may be lost " ..
                                    "without a trace\n", damaged, damaged > 1 and "are" or "is", lost))
    end
    if contradictions > 0 then
      io.stderr:write(string.format("gpunetsim: %d points have other results in one store than in another; the first was kept\n",
                                    contradictions))
    end
    program.exit(damaged + contradictions > 0 and 1 or 0)
  end,
}

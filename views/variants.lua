-- SPDX-License-Identifier: BSD-3-Clause
-- Variants of a study: its points with further overrides, run by worker processes and kept in the store like other points. A run of
-- a workload that the store already has is not simulated again.
local variants = {}

-- The variants of a study: its `title`, the number of its `points`, the names of its `axes`, the `seed` of runs, and functions. Points
-- are counted from 0.
function variants.of(study)
  local about, axes, listed, runs = program.about(study), {}, {}, 0
  for i, axis in ipairs(program.axes(study)) do axes[i] = axis.name end
  local of = { study = study, title = about.title, points = about.points, axes = axes, seed = about.seed }

  -- Lists one more variant, and returns its number among the rows of run; overrides are texts, "nic.rate=10GB/s".
  function of.add(point, overrides)
    listed[#listed + 1] = { point = point, overrides = overrides }
    return #listed
  end

  -- Runs the listed ones, or takes them from the store alone: a row each (script/searches/vary_lua.h), in their order; nil where one is
  -- missing. The list is empty then.
  function of.run(from_store)
    local list = listed
    listed, runs = {}, runs + #list
    if #list == 0 then return {} end -- no failure
    return program.run_variants(study, list, from_store)
  end

  -- How many variants have been run so far.
  function of.runs() return runs end

  -- The costs of a run of the listed ones (costs.of).
  function of.costs() return require "costs".of(study, listed) end

  -- The machine of a point, with its parameters (script/searches/vary_lua.h).
  function of.machine(point) return program.parameters(program.point_machine(study, point)) end

  return of
end

return variants

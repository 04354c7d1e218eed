-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim goal TRACE | --generate PATTERN
local chakra = require "chakra"
local command = require "command"

local COSTS, DESIGN = program.goal_words()

local function check(given, trace)
  local is_of_machine = given.transport or given.placement or given.design or given.set or given.traffic
  if not trace == not given.generate then command.fail("goal takes either a TRACE or --generate PATTERN") end
  if given.trace and not (trace and chakra.is(trace)) then command.fail("--trace belongs to Chakra traces") end
  if given.machine and given.loggp then command.fail("--loggp and --machine cannot be given together") end
  if given.model and (given.loggp or given.machine) then command.fail("--model takes the place of --loggp and --machine") end
  if not given.machine and is_of_machine then
    command.fail("--transport, --placement, --design, --set and --traffic belong to --machine")
  end
end

local function open_machine(given)
  local transport = given.transport
  if transport and transport ~= "flow" and transport ~= "segment" then
    command.fail("--transport %s: accepted are flow and segment", transport)
  end
  return given.machine and program.machine(given.machine, given.set)
end

-- What runs, from either source.
local function open_program(given, trace, machine)
  if not trace then return program.goal_pattern(given.generate) end
  if not chakra.is(trace) then return program.goal_file(trace) end
  return program.goal_text(chakra.goal(trace, given.trace, machine and program.rates(machine)), trace)
end

-- When each rank ends, in ticks, and how many of these are a nanosecond. Prints what is asked for beside it.
local function run(given, trace)
  local machine = open_machine(given)
  local open, is_chakra = open_program(given, trace, machine), trace and chakra.is(trace)
  if machine then -- Chakra traces know which of their nodes are a GPU's
    local ends, ticks_per_ns, traffic, energy = program.on_machine(open, machine, given.placement or (is_chakra and "both" or "core"),
                                                                   given.design, given.transport)
    if given.traffic then io.write("path\tbytes\n", table.concat(traffic)) end
    if given.energy then io.write(table.concat(energy)) end
    return ends, ticks_per_ns
  end
  local ends, ticks_per_ns
  if given.model then
    ends, ticks_per_ns = program.on_model(open, given.model, require "model".numbers(given.model))
  else
    ends, ticks_per_ns = program.on_loggops(open, given.loggp, is_chakra)
  end
  if given.energy then io.write "energy_uJ\tnot modelled\n" end
  return ends, ticks_per_ns
end

-- A tick is a nanosecond or a picosecond.
local function ns_text(ticks, ticks_per_ns)
  local rest = ticks % ticks_per_ns
  return string.format("%d", ticks // ticks_per_ns) .. (rest ~= 0 and string.format(".%03d", rest) or "")
end

return {
  options = {
    { "loggp", "text", "Costs of the LogGOPS machine, in ns and bytes or with units (default: " .. COSTS .. ")", "L=..,o=..,..." },
    { "generate", "text", "Run a pattern: halo3d:XxYxZ, hierarchical:LxN, moe:GxN, train:TxExDxP, or ring, doubling, alltoall or " ..
      "permutation:RANKS; then ,iterations=N,bytes=N,calc=NS,seed=N", "PATTERN" },
    { "ends", "flag", "Print when each rank ends instead of the makespan" },
    { "model", "file", "Run on a model that gpunetsim derive wrote instead", "MODEL.lua" },
    { "machine", "file", "Run on a machine of the project instead", "MACHINE", short = "m" },
    { "transport", "text", "How the machine moves messages (default: as its file says)", "segment|flow" },
    { "placement", "text", "Where ranks are placed: gpu, core or both; then " ..
      ",memory=own|host|gpu,ranks_per_node=N,order=block|round-robin (default: core, of Chakra traces both; " ..
      '"gpunetsim help placement")', "PLACEMENT" },
    { "design", "text", "The design whose runtime carries messages (default: " .. DESIGN .. ")", "DESIGN", short = "d" },
    command.TRACE, "set",
    { "traffic", "flag", "Also print how many bytes took which path through the machine" },
    { "energy", "flag", "Also print the energy of the run by part, which a LogGOPS machine does not model" },
  },
  most = 1,
  run = function(given, trace)
    check(given, trace)
    local ends, ticks_per_ns = run(given, trace)
    if given.ends then
      io.write("rank\tend_ns\n")
      for i, ticks in ipairs(ends) do io.write(string.format("%d\t%s\n", i - 1, ns_text(ticks, ticks_per_ns))) end
    else
      local makespan = 0
      for _, ticks in ipairs(ends) do makespan = math.max(makespan, ticks) end
      io.write("makespan_ns\t", ns_text(makespan, ticks_per_ns), "\n")
    end
  end,
}

-- SPDX-License-Identifier: BSD-3-Clause
-- What a study, a machine file or a program can call beside workloads, and the fields of the tables that these take: for
-- gpunetsim help and gpunetsim lua-types. Types are those of LuaCATS; a name with a capital letter is a class of
-- views/lua_types.lua, NAMETable the table of parameters of that name.
local calls = { classes = {} }

-- --- calls --------------------------------------------------------------------------------------------

-- `of`: the class whose method it is, and what it is usually called there ("Party", "me"); of a global function nil.
local function call(of, name, takes, gives, description)
  local class, object = (of or ""):match("^(%S*) ?(%S*)$")
  calls[#calls + 1] = { class = class ~= "" and class or nil, object = object, name = name, takes = takes, gives = gives,
                        description = (description:gsub("\n%s*", " ")) }
end

call(nil, "study", "of: Study", "Study", "What a study file returns.")
call(nil, "settings", "of: T", "T",
     "A study's own settings with their defaults: -s study.NAME=VALUE changes one on the command line.")
call(nil, "pow2", "first: string|integer, last: string|integer", "any[]",
     'The sizes or counts from the first to the last, each twice the one before: pow2("8B", "1MiB").')
call(nil, "range", "first: string|number, last: string|number, step: string|number", "any[]",
     'The values from the first to the last with equal steps: range("60ns", "150ns", "10ns").')
call(nil, "zip", "axes: table", "Axes", "Axes that advance together: each step takes the next value of every one.")
call(nil, "random", "count: integer, ranges: table, seed?: integer", "Axes",
     "Points drawn uniformly from ranges { NAME = { LOW, HIGH } }, and an axis sample that numbers them.")
call(nil, "latin", "count: integer, ranges: table, seed?: integer", "Axes",
     "The same as random as a Latin hypercube: each of count equal parts of each range is drawn from once.")
call(nil, "quantity", "text: string", "integer",
     "The number in the base unit: bytes, bytes per second, picoseconds, hertz, milliwatts, femtojoules.")
call(nil, "machine", "of: MachineTable", "Machine", "What a machine file returns. What is not given keeps its default.")
call(nil, "design", "of: DesignTable", "Design",
     'A design: design { from = "comp-net", polling_rounds = 4 } is the named one with other values of some axes.')
call(nil, "mpi", "of: MpiTable", "Software", "An MPI of a machine's own, above one of its message libraries.")
call(nil, "message_library", "of: MessageLibraryTable", "Software", "A message library of a machine's own.")
call(nil, "published", "value: any, source: string", "Sourced", "A value that has been published, with its source.")
call(nil, "measured", "value: any, source: string", "Sourced", "A value that was measured, and how.")
call(nil, "estimated", "value: any, low: any, high: any, why: string", "Sourced",
     "A value that is published nowhere, with its range and the reason. Sensitivity to it is tried within the range.")
call(nil, "fitted", "value: any, low: any, high: any, claims: string[], why: string", "Sourced",
     "A value that was chosen so that the simulation gives what was measured, within a range, with the claims it was fitted to.")
call(nil, "inferred", "value: any, low: any, high: any, claims: string[], why: string", "Sourced",
     "A value that was searched for together with others, so that as many claims as possible hold: LOW to HIGH is what the sets that do as well have.")
call(nil, "program", "of: ProgramTable", "Program", "A workload whose parties are Lua functions, for the point's machine.")
call(nil, "schedule", "of: ScheduleTable", "Schedule", "A GOAL schedule made in Lua, for the point's machine.")

call("Machine node", "with", "changes: MachineTable", "Machine", "The machine with these values changed; node { ... } does the same.")
call("Machine node", "range", "parameter: string", "Sourced",
     'The bounds of an estimated or fitted value, for random and latin: node:range "bus.latency".')
call("Machine node", "bounds", "parameter: string", "string ...",
     "In a run: the least and the most of a value that is only estimated for the point's machine; nothing of others.")
call("Machine node", "value", "parameter: string", "string", 'A value as the machine has it, in a run with what the point changes: node:value "gpu.clock". Not of what differs between kinds of nodes.')

call("Program w", "buffer", 'bytes: string, memory?: "payload"|"host"|"pinned"', "Buffer",
     "A buffer for each party, where the design keeps payloads; of ranks also in host memory.")
call("Program w", "signals", "count?: integer", "Signals", "Words of each party, numbered from 0; one if count is not given.")
call("Program w", "parties", "of: { program: fun(me: Party), work_groups?: integer, threads?: integer }", nil,
     "A function for the parties of every GPU: work-groups of a kernel, or ranks.")
call("Program w", "gpu", "number: integer", "Place", "A GPU, counted from 0, for kernel.")
call("Program w", "host", "number: integer", "Place", "The process beside a GPU, counted from 0, for process.")
call("Program w", "run", "...: Program", "Result ...",
     "Runs the program until all parties have ended; other programs run on the same machine at the same time.")
call("Place w:gpu(0)", "kernel", "of: { program: fun(me: Party), work_groups?: integer, threads?: integer }", nil,
     "A function for the work-groups of this GPU.")
call("Place w:host(0)", "process", "program: fun(me: Party), of?: { server?: string }", nil,
     'A function for the rank beside this GPU; server = "command_processor" runs it on a core of another kind.')

call("Party me", "put", "of: { to: integer, buffer: Buffer, group?: integer, bytes?: string }", nil,
     "Copies the caller's buffer to another party's; returns when the transfer is complete. bytes: by default the whole buffer.")
call("Party me", "get", "of: { from: integer, buffer: Buffer, group?: integer, bytes?: string }", nil,
     "Copies another party's buffer to the caller's; returns when the transfer is complete.")
call("Party me", "serve", "of: { from: integer, group?: integer }", nil,
     "Serves the puts and gets of a process until that process leaves; does nothing between work-groups.")
call("Party me", "leave", "of: { to: integer, group?: integer }", nil, "Ends what serve of another process waits for.")
call("Party me", "put_signal",
     "of: { to: integer, buffer: Buffer, signal: Signals, value: integer, index?: integer, group?: integer, bytes?: string }", nil,
     "Posts a put; after it, a word of the other party gets the value.")
call("Party me", "wait_until",
     "of: { from: integer, buffer: Buffer, signal: Signals, value: integer, index?: integer, group?: integer, bytes?: string }", nil,
     "Waits until the caller's own word has the value, which the other party writes by put_signal.")
call("Party me", "send", "of: { to: integer, buffer: Buffer, group?: integer, bytes?: string, channel?: integer }", "Message",
     "Begins to send a message; both sides name the same buffer and channel (0 to 2).")
call("Party me", "receive", "of: { from: integer, buffer: Buffer, group?: integer, bytes?: string, channel?: integer }", "Message",
     "Begins to receive a message.")
call("Party me", "wait", "...: Message", nil, "Waits until these messages are complete.")
call("Party me", "quiet", "", nil, "Waits until all puts of the caller are complete.")
call("Party me", "fence", "", nil, "Later puts do not overtake earlier ones.")
call("Party me", "barrier", "", nil, "Waits for this group on all ranks.")
call("Party me", "group_barrier", "", nil, "Waits for all work-groups of this GPU.")
call("Party me", "compute",
     "of: string|{ elements: integer, flops?: integer, bytes?: string, working_set?: string, in_flight?: string, mixed?: boolean, lane?: integer }",
     nil, 'Computes for a time ("1us"), or a loop over elements; a process launches it as a kernel in the stream of lane 0 or 1.')
call("Party me", "finish", "lane?: integer", nil, "Waits for what compute launched in a lane.")
call("Party me", "now", "", "Quantity", "The simulated time.")
call("Party me", "record", "name: string, value: Quantity|string|number", nil,
     "Reports a value. The measure is the mean; several also give NAME_min, NAME_p50, NAME_p99 and NAME_max.")
call("Party me", "reset", "", nil, "Ends the warm-up of the whole program: what was recorded before is dropped.")
call("Party me", "begin_iteration", "", nil, "Marks the beginning of an iteration, which gpunetsim explain divides into stages.")
call("Party me", "end_iteration", "", nil, "Marks the end of an iteration.")
call("Party me", "load", "of: { signal: Signals, index?: integer }", "integer", "Of work-groups: acquires, then loads a word of the caller's own.")
call("Party me", "store", "of: { signal: Signals, value: integer, index?: integer }", nil,
     "Of work-groups: stores a word of the caller's own, then releases.")
call("Party me", "atomic",
     'of: { to: integer, signal: Signals, op: "add"|"swap"|"compare_swap", value: integer, compare?: integer, index?: integer, group?: integer }',
     "integer", "Of work-groups: changes a word of another GPU's work-group and returns what it was.")
call("Party me", "stream", "priority?: integer, rank?: integer", "Stream",
     "Of processes: a stream of its GPU, or of that of another rank of its node; priorities are -5 (first) to 0.")
call("Party me", "launch",
     "of: { work_groups?: integer, threads?: integer, flops?: integer, bytes?: string, time?: string, in_flight?: string, mixed?: boolean, stream?: Stream, graph?: Graph }",
     nil, "Of processes: launches a kernel, whose flops, bytes and time are those of one work-group, or a graph.")
call("Party me", "graph", "program: fun(me: Party), stream?: Stream, branches?: integer", "Graph",
     "Of processes: captures the kernels that a function launches, and instantiates the graph for a stream.")
call("Party me", "copy",
     "of: { to: Buffer, from: Buffer, to_rank?: integer, from_rank?: integer, bytes?: string, stream?: Stream }", nil,
     "Of processes: a copy in a stream, between buffers of the caller's own or of ranks of its node.")
call("Party me", "synchronise", "stream?: Stream", nil, "Of processes: waits until a stream is empty.")
call("Party me", "sleeps", "stream?: Stream", nil, "Of processes: waits for the stream sleep from now on, instead of polling.")
call("Party me", "event", "stream?: Stream", "Event", "Of processes: records an event in a stream.")
call("Party me", "wait_event", "event: Event, stream?: Stream", nil, "Of processes: makes a stream wait for an event.")
call("Party me", "query", "event: Event", "boolean", "Of processes: tells whether an event has happened.")
call("Party me", "tell", "rank: integer", nil, "Of processes: sets a flag in host memory for another rank of its node.")
call("Party me", "wait_told", "rank: integer", nil, "Of processes: waits until a rank of its node has told once more.")

local GOAL_END = "bytes: string, tag?: integer, cpu?: integer, nic?: integer, after?: integer|integer[], after_start?: integer|integer[] }"
call("Schedule g", "calc", "of: { rank: integer, time: string, cpu?: integer, after?: integer|integer[], after_start?: integer|integer[] }",
     "integer", "Adds a computation; returns its number, which after and after_start of later operations of the rank name.")
call("Schedule g", "send", "of: { rank: integer, to: integer, " .. GOAL_END, "integer", "Adds a send, and returns its number.")
call("Schedule g", "receive", "of: { rank: integer, from: integer, " .. GOAL_END, "integer", "Adds a receive, and returns its number.")
call("Schedule g", "generate", "pattern: string", nil, "Adds a pattern of as many ranks, such as ring:8,bytes=4KiB, as goal --generate takes it.")
call("Schedule g", "text", "", "string", "The schedule as GOAL text.")
call("Schedule g", "run", "of?: { model: string[] }", "Result", "Runs the schedule on the machine of the point, or at the costs of a derived model.")

call("Results r", "value", "axes: table", "any", 'In a claim: the row of the one point with these values, r:value { bytes = "8B" }.')
call("Results r", "each", "axis: string", "any[]", "In a claim: the values of an axis.")

-- --- fields -------------------------------------------------------------------------------------------

-- Lines "NAME TYPE # sentence"; a name that ends with ? may be missing.
local function class(name, description, lines)
  local fields = {}
  for field, type, sentence in lines:gmatch("%s*([%w_]+%??) (.-) # ([^\n]+)") do
    fields[#fields + 1] = { name = field, type = type, description = sentence }
  end
  calls.classes[#calls.classes + 1] = { name = name, description = description, fields = fields }
end

class("Study", "What a study file returns.", [[
  title string # What the study asks.
  machine Machine|fun(p: Point): Machine # The machine of all points, or of each.
  vary table|Axes # The axes: { bytes = pow2("8B", "4KiB") }, or a list { { "bytes", ... }, ... } that keeps their order.
  run fun(p: Point): Result|table # Calls workloads for a point and returns its measures.
  where? fun(p: Point): boolean # Drops the points for which it returns false.
  trials? integer # Runs each point with this many seeds.
  band? integer # Runs each point this many times more, with estimated values drawn from their ranges.
  plot? Plot|Plot[] # The figures.
  claims? table # Functions of the results by the number of a claim.
  conclude? fun(r: Results): table # Tables of what all results say: a list of { title = ..., columns = { ... }, rows = { ... } }.
  measured? string|table # Files with measurements, to be compared.
  long? boolean # It takes minutes: reproduce --quick leaves it out.]])
class("Plot", "A figure of a study.", [[
  x? string # An axis; of points and pareto a measure.
  y? string|string[] # A measure's column, or several.
  by? string # The axis whose values are the curves.
  over? string # The axis over which the mean is drawn, with a band from minimum to maximum.
  least? string # An axis: only its best value, the one with the least y, is drawn.
  speedup? table<string, any> # { AXIS = VALUE }: how many times longer that value takes, all else alike.
  share? table<string, any> # { AXIS = VALUE }: y over that of this value, all else alike.
  panels? string # The axis each of whose values gets a panel.
  style? "lines"|"loglog"|"semilogx"|"bars"|"stack"|"heatmap"|"points"|"pareto" # How values are drawn.
  title? string # By default the study's.
  x_label? string # Its unit is added.
  y_label? string # Its unit is added.
  bands? string[] # Two columns: the lower and the upper end of a band around y.
  marks? any[] # Values of by that are drawn as marks without a curve.
  only? table # Only points with these values of axes.
  labels? table<any, string> # What the legend says instead of values of by and panels.
  published? table|fun(r: Results): table # Published values beside the curves.
  x_range? (number|false)[] # { LOW, HIGH } in the axis's unit; false leaves an end open.
  y_range? (number|false)[] # The same of y.
  width? string # Of figure.pdf: "120mm".
  height? string # Of figure.pdf.
  font? string # "Liberation Serif 9pt".
  colours? table<any, string> # A list, or by value of by: "#d55e00".
  lines? table<any, string> # A list, or by value of by: solid, dashed, dotted, dash-dotted, none.
  legend? string|{ place?: string, columns?: integer, title?: string } # "below", "none", or a corner such as "top left".
  order? any[] # Values of by, in this order.
  gnuplot? string # Lines of set and unset.]])
class("Party", "A party of a program: a work-group, or a rank.", [[
  rank integer # Its number, from 0.
  ranks integer # How many there are.
  group integer # The number of the work-group on its GPU.
  groups integer # How many work-groups a GPU has.]])
class("Machine", "A machine; node { ... } is the same one with changes.", [[
  alike boolean # Whether its nodes are alike: no kind of nodes has a value of its own.
  name string # Its name.]])
class("Results", "The results of a study, as a claim's function gets them.", [[
  rows table[] # A row for each point that has not failed: its axes and measures.]])

-- --- to be read ---------------------------------------------------------------------------------------

function calls.signature(one)
  local name = one.class and one.object .. ":" .. one.name or one.name
  local fields = one.takes:match("^of: ({.*})$")
  local gives = one.gives and one.gives ~= "" and " -> " .. one.gives or ""
  return fields and name .. " " .. fields .. gives or name .. "(" .. one.takes .. ")" .. gives
end

-- Those of a name, with or without what they are called on: "put", "me:put".
function calls.find(name)
  local found = {}
  for _, one in ipairs(calls) do
    local is_it = one.name == name or one.class and one.object .. ":" .. one.name == name
    if is_it then found[#found + 1] = one end
  end
  return found
end

return calls

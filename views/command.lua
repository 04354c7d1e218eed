-- SPDX-License-Identifier: BSD-3-Clause
-- The program's commands. views/commands/NAME.lua returns a table of its `options`, between how many arguments (`least`, `most`) it
-- takes, and run(given, argument, ...), with what the options were given by their long names. An option is { name, kind, description,
-- argument, short = letter }, where kind is flag, text, texts, file, files, whole or number; or the name of an option that commands
-- share (script/commands/run_options.c). One that `knows_no_designs` starts without them. What a command may call is `program` (script/commands/session.h).
local command = {}

-- Narrow enough for a man page of 80 columns, which indents the text by 7.
local USAGE_COLUMNS, USAGE_INDENT = 73, 6

-- Of what writes one file, and of what takes Chakra traces.
command.OUTPUT = { "output", "file", "Write to FILE (- is standard output)", "FILE", short = "o" }
command.FORCE = { "force", "flag", "Replace a file that gpunetsim did not write" }
command.TRACE = { "trace", "text", "Of Chakra traces: groups=FILE, compute=duration|roofline, flops=N, memory=N (a GPU's, per second), " ..
                  "all_reduce=ring|doubling, control=ignore|wait, dims=NxN, ranks=N", "KEY=VALUE,..." }

-- Ends the command with a sentence on what was asked for, or on what went wrong.
function command.fail(...) error({ sentence = string.format(...) }, 0) end
function command.fail_running(...) error({ sentence = string.format(...), code = core.ERROR_RUN }, 0) end

-- "b" of "a/b" and of "a/b/".
function command.last_part(path)
  local last = path:match("([^/]*)/*$")
  return last ~= "" and last or path == "" and "." or "/"
end

local function find(name)
  for _, one in ipairs(command.list) do
    if one.name == name then return one end
  end
end

-- What nobody types is in no list.
local SERVE = { name = "serve", arguments = "VERSION", description = "Answers a program with libgpunetsim, which starts it." }

local running, typed -- the command, and the words behind it

local function run(one, words)
  running, typed = one, words
  if one.name == "run" or one.name == "sweep" then return program.study(one, words) end
  local of = require("commands/" .. one.name)
  if not of.knows_no_designs then program.load_designs() end
  local given, arguments = program.parse(one, of, words)
  of.run(given, table.unpack(arguments))
end

-- The command line, as a shell takes it.
function command.typed()
  local words = { "gpunetsim", running.name }
  for _, word in ipairs(typed) do
    local is_plain = word ~= "" and not word:find("[ \t\n'\"\\$`*?%[%]{}()<>|&;#!~]")
    words[#words + 1] = is_plain and word or "'" .. word:gsub("'", "'\\''") .. "'"
  end
  return table.concat(words, " ")
end

-- Runs a shipped study as gpunetsim run --no-plot -o OUTPUT STUDY does: `settings` are pairs of a name and a text (nil: the study's
-- own), `given` the common options.
function command.run_study(study, output, settings, given)
  local words = { "--no-plot", "-o", output, core.folder(study) }
  local function add(...) table.move({ ... }, 1, select("#", ...), #words + 1, words) end
  for _, setting in ipairs(settings) do
    if setting[2] then add("-s", string.format("study.%s=%s", setting[1], setting[2])) end
  end
  for _, override in ipairs(given.set or {}) do add("-s", override) end
  if given.store then add("--store", given.store) end
  if given.force then add("--force") end
  if given["dry-run"] then add("--dry-run") end
  if given.workers then add(string.format("--workers=%d", given.workers)) end
  program.study(running, words)
end

local function print_usage()
  local lines = { "gpunetsim simulates how GPUs are networked.\n\nUsage:" }
  for _, one in ipairs(command.list) do
    lines[#lines + 1] = string.format("  gpunetsim %s%s%s", one.name, one.arguments == "" and "" or " ", one.arguments)
    for line in core.wrap(one.description, USAGE_COLUMNS - USAGE_INDENT):gmatch("%s*([^\n]+)") do
      lines[#lines + 1] = string.rep(" ", USAGE_INDENT) .. line
    end
  end
  lines[#lines + 1] = "\ngpunetsim COMMAND --help lists the command's options.\n"
  io.write(table.concat(lines, "\n"))
end

local function unknown(name)
  local names = {}
  for i, one in ipairs(command.list) do names[i] = one.name end
  local nearest = core.nearest(name, names)
  command.fail('there is no command "%s"%s "gpunetsim help" lists them all, "gpunetsim list" machines, designs, workloads and ' ..
               'measures', name, nearest and '; did you mean "' .. nearest .. '"?' or ";")
end

-- What main is given behind the program's name.
function command.main(words)
  local in_lua = require "commands"
  command.list = program.in_c() -- all commands
  table.move(in_lua, 1, #in_lua, #command.list + 1, command.list)
  local name = words[1] or "help"
  if name == "--version" or name == "-V" then name = "version" end
  if name == "--help" or name == "-h" or name == "help" and #words <= 1 then
    print_usage()
    program.exit(#words > 0 and 0 or 2)
    return {}
  end
  local one = name == SERVE.name and SERVE or find(name) or unknown(name)
  local topic = name == "help" and #words == 2 and find(words[2])
  local word = topic and require "words".find(words[2])
  if word then io.write(string.format("%s, in a study: %s\n\nThe command:\n", words[2], word)) end
  run(topic or one, topic and { "--help" } or table.pack(table.unpack(words, 2)))
  return {}
end

return command

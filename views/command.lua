-- SPDX-License-Identifier: BSD-3-Clause
-- The program's commands. views/commands/NAME.lua returns a table of its `options`, between how many arguments (`least`, `most`) it
-- takes, and run(given, argument, ...), with what the options were given by their long names. An option is { name, kind, description,
-- argument, short = letter }, where kind is flag, text, texts, file, files, whole or number; or the name of an option that commands
-- share. One that `knows_no_designs` starts without them. What a command may call is `program` (script/commands/session.h).
local command = {}

-- Narrow enough for a man page of 80 columns, which indents the text by 7.
local USAGE_COLUMNS, USAGE_INDENT = 73, 6

-- Of what writes one file, and of what takes Chakra traces.
command.OUTPUT = { "output", "file", "Write to FILE (- is standard output)", "FILE", short = "o" }
command.FORCE = { "force", "flag", "Replace a file that gpunetsim did not write" }
command.TRACE = { "trace", "text", "Of Chakra traces: groups=FILE, compute=duration|roofline, flops=N, memory=N (a GPU's, per second), " ..
                  "all_reduce=ring|doubling, control=ignore|wait, dims=NxN, ranks=N", "KEY=VALUE,..." }

-- The options that commands share, by their names.
local SHARED = {
  point = { "texts", "The points with these values of axes; may be given again", "AXIS=VALUE,..." },
  measure = { "text", "The measure to examine (default: latency or time, otherwise the first)", "NAME" },
  set = { "texts", "Change a parameter of the machine", "COMPONENT.PARAMETER=VALUE", short = "s" },
  workers = { "whole", "Points run at a time (default: one per core)", "N", short = "j" },
  seed = { "whole", "Master seed (default: 1)", "N" },
  progress = { "text", "auto (a bar on a terminal, else a line every 30 s), plain, json or none", "MODE" },
  best = { "text", "Show the smallest value of this measure so far", "COLUMN" },
  store = { "file", "Keep results here; points that it already has are not run again", "FILE.db" },
  redo = { "text", "Run failed points of the store again, or all", "failed|all" },
  ["time-limit"] = { "text", "A point that takes longer has failed", "TIME" },
  ["memory-limit"] = { "text", "A point that needs more address space has failed", "BYTES" },
  ["dry-run"] = { "flag", "Write nothing: only say how many points there are, how many the store has, and, from a few points, how " ..
                  "much time and memory the others take", short = "n" },
  ["no-plot"] = { "flag", "Draw no figures" },
  out = { "file", "Folder for the outputs", "DIR" },
  force = { "flag", "Replace files that gpunetsim did not write, or not for this study" },
  json = { "flag", "Print JSON instead of text" },
}

-- Ends the command with a sentence on what was asked for, or on what went wrong.
function command.fail(...) error({ sentence = string.format(...) }, 0) end
function command.fail_running(...) error({ sentence = string.format(...), code = core.ERROR_RUN }, 0) end

-- "b" of "a/b" and of "a/b/".
function command.last_part(path)
  local last = path:match("([^/]*)/*$")
  return last ~= "" and last or path == "" and "." or "/"
end

-- The entry of views/commands.lua; nil: there is no such command.
local function find(name)
  for _, one in ipairs(require "commands") do
    if one.name == name then return one end
  end
end

-- What nobody types is in no list.
local SERVE = { name = "serve", arguments = "VERSION", description = "Answers a program with libgpunetsim, which starts it." }

local running, typed -- the command, and the words behind it

local function options_of(of)
  local options = {}
  for i, option in ipairs(of.options or {}) do
    local shared = SHARED[option]
    options[i] = shared and { short = shared.short, option, table.unpack(shared) } or option
  end
  return options
end

-- "-j2" is "-j 2", as elsewhere; GLib takes the second alone.
local function part_short_options(options, words)
  local takes_value, parted, is_over = {}, {}, false
  for _, option in ipairs(options) do takes_value[option.short or ""] = option[2] ~= "flag" end
  for _, word in ipairs(words) do
    is_over = is_over or word == "--"
    local letter, value = word:match("^%-([^-])(.+)$")
    if letter and not is_over and takes_value[letter] then
      parted[#parted + 1] = "-" .. letter
      word = value
    end
    parted[#parted + 1] = word
  end
  return parted
end

-- Refuses two files for an option that takes one: GLib would forget the first.
local function check_files(options, words)
  local named = {}
  for _, option in ipairs(options) do
    if option[2] == "file" then named["--" .. option[1]], named["-" .. (option.short or "")] = option[1], option[1] end
  end
  local given = {}
  for _, word in ipairs(words) do
    if word == "--" then return end
    local name = named[word:match("^(%-%-[^=]+)=") or word]
    if name and given[name] then command.fail("--%s is given twice; this command takes one", name) end
    if name then given[name] = true end
  end
end

-- Refuses two values for one parameter, of which only the second would count.
local function check_settings(set)
  local given = {}
  for _, override in ipairs(set or {}) do
    local name = override:match("^([^=]*)=")
    if name and given[name] then command.fail("-s %s is given twice: %s and %s", name, given[name], override:sub(#name + 2)) end
    if name then given[name] = override:sub(#name + 2) end
  end
end

-- Whether a word may be -h, --help or the like, alone or behind other letters.
local function may_ask_for_help(words)
  for _, word in ipairs(words) do
    if word:find("^%-.*[h?]") then return true end
  end
end

-- There is no option of which `sentence` says so: names the one that was meant, or says where they stand.
local function refuse_option(options, words, name, sentence)
  local names, wrong = {}, nil
  for i, option in ipairs(options) do names[i] = option[1] end
  for _, word in ipairs(words) do
    if word:sub(1, 2) == "--" and sentence:sub(-#word) == word then
      wrong = word
      local nearest = core.nearest(word:match("^%-%-([^=]*)"), names)
      if nearest then command.fail("unknown option %s; did you mean --%s?", word, nearest) end
    end
  end
  command.fail('unknown option %s; "%s --help" lists those there are', wrong or sentence:match("[^ ]*$"), name)
end

-- Runs a command, as that of a program: "gpunetsim run". What the list of commands says of it, `one`, is read if it is asked for.
local function run(name, one, words, ...)
  running, typed = one, words
  local of = require("commands/" .. (one.file or one.name))
  if not of.knows_no_designs then program.load_designs() end
  local options, about = options_of(of), one
  if may_ask_for_help(words) then about = one.description and one or find(one.name) end
  local parted = part_short_options(options, words)
  check_files(options, parted)
  local given, arguments = program.parse(name, about.arguments, about.description, options, { name, table.unpack(parted) })
  if not given then refuse_option(options, parted, name, arguments) end
  check_settings(given.set)
  local least, most = of.least or 0, of.most or 0
  if #arguments < least or #arguments > most then
    command.fail("%s takes %s, but was given %d arguments", one.name,
                 most > 0 and (one.arguments or find(one.name).arguments) or "no arguments", #arguments)
  end
  of.run(given, table.unpack(table.move({ ... }, 1, select("#", ...), #arguments + 1, arguments)))
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

-- Runs a shipped study as gpunetsim run --no-plot -o OUTPUT ... STUDY does: `settings` are pairs of a name and a text (nil: the study's
-- own), `given` the common options.
function command.run_study(study, outputs, settings, given)
  local set = {}
  for _, setting in ipairs(settings) do
    if setting[2] then set[#set + 1] = string.format("study.%s=%s", setting[1], setting[2]) end
  end
  table.move(given.set or {}, 1, #(given.set or {}), #set + 1, set)
  local words = { ["no-plot"] = true, output = outputs, set = set, store = given.store, force = given.force,
                  ["dry-run"] = given["dry-run"], workers = given.workers }
  local is_good, fault = pcall(require "commands/run".run, words, core.folder(study))
  if is_good then return end
  if type(fault) == "table" and fault.sentence then -- it is about the words; the line that read them says nothing
    fault.sentence = fault.sentence:gsub("^[^:]*benchmarks/[%w_/]+%.lua:%d+: ", "")
  end
  error(fault, 0)
end

local function print_usage()
  local lines = { "gpunetsim simulates how GPUs are networked.\n\nUsage:" }
  for _, one in ipairs(require "commands") do
    lines[#lines + 1] = string.format("  gpunetsim %s%s%s", one.name, one.arguments == "" and "" or " ", one.arguments)
    for line in require "terminal".wrap(one.description, USAGE_COLUMNS - USAGE_INDENT):gmatch("%s*([^\n]+)") do
      lines[#lines + 1] = string.rep(" ", USAGE_INDENT) .. line
    end
  end
  lines[#lines + 1] = "\ngpunetsim COMMAND --help lists the command's options.\n"
  io.write(table.concat(lines, "\n"))
end

local function unknown(name)
  local names = {}
  for i, one in ipairs(require "commands") do names[i] = one.name end
  local nearest = core.nearest(name, names)
  command.fail('there is no command "%s"%s "gpunetsim help" lists them all, "gpunetsim list" machines, designs, workloads and ' ..
               'measures', name, nearest and '; did you mean "' .. nearest .. '"?' or ";")
end

local function is_there(name) return name:find("^[%w-]+$") and program.file(core.folder("views") .. "/commands/" .. name .. ".lua") end

-- What main is given behind the program's name.
function command.main(words)
  local name = words[1] or "help"
  if name == "--version" or name == "-V" then name = "version" end
  if name == "--help" or name == "-h" or name == "help" and #words <= 1 then
    print_usage()
    program.exit(#words > 0 and 0 or 2)
    return {}
  end
  local topic = name == "help" and #words == 2 and find(words[2])
  local word = topic and require "words".find(words[2])
  if word then io.write(string.format("%s, in a study: %s\n\nThe command:\n", words[2], word)) end
  local one = topic or name == SERVE.name and SERVE or is_there(name) and { name = name } or unknown(name)
  run("gpunetsim " .. one.name, one, topic and { "--help" } or { table.unpack(words, 2) })
  return {}
end

-- The same of a program that is the command `sweep`; `is_helper`: its results are another process's.
function command.sweep(words, name, description, is_helper)
  run(name, { name = name, file = "sweep", arguments = "FILE.lua", description = description }, words, is_helper)
  return {}
end

return command

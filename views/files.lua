-- SPDX-License-Identifier: BSD-3-Clause
-- Output files, written whole or not at all, without replacing files of others. All outputs of a command except a store go through
-- here.
--
-- A file is ours if it is unchanged since this program wrote it: a list with digests stands beside the outputs. Files that somebody
-- else wrote or changed are replaced only if the rules say so; a file that the command reads is never replaced. Half-written files
-- of a killed command are removed by the next command that writes into the folder.
--
-- `rules`: `force` replaces also files that are not ours; `inputs` are files that the command reads, and stores; `owner` is the file of
-- the study that owns the folder: another study's outputs are not replaced (nil: any study's are).
local files = {}

local LIST = ".gpunetsim-files" -- of a folder: a line for each file, with digest, name and owner (percent-encoded)
local TEMPORARY = ".gpunetsim-new-"
local STORE_ENDINGS = { "", "-wal", "-shm", "-journal" } -- SQLite keeps a store in up to four files

local function fail(what, path, why, code) error({ sentence = string.format("cannot %s %s: %s", what, path, why), code = code }, 0) end

local function refuse(path, why) fail("write", path, why) end

-- The folder of a path, and its last part.
local function split(path)
  local folder, name = path:gsub("(.)/+$", "%1"):match "^(.*)/([^/]*)$"
  return not folder and "." or folder == "" and "/" or folder, name or path
end

local function identity(path) return (select(3, program.file(path))) end

-- The files that a command with this study reads: the named file, the files that it requires, its measurements, and the store, if
-- there is one.
function files.inputs(study, file, store)
  local inputs = { file }
  for _, one in ipairs(program.files(study)) do inputs[#inputs + 1] = one.path end
  for _, one in ipairs(program.table(study, "measured")) do inputs[#inputs + 1] = one.path end
  inputs[#inputs + 1] = store
  return inputs
end

-- Whether two paths name the same file, which need not exist.
function files.is_same(one, other)
  local a, b = identity(one), identity(other)
  if a and b then return a == b end
  local function canonical(path)
    local folder, name = split(path)
    return (program.real(folder) or folder) .. "/" .. name
  end
  return canonical(one) == canonical(other)
end

-- --- the list of what this program wrote -----------------------------------------------------------
-- A list is only appended to, with one write for each line, so that several commands may share a folder; an existing line is not
-- written again. A line is written before the file gets its name: a command killed in between leaves an extra line, which does no
-- harm.

local function encoded(text)
  return (text:gsub("[^%w%-._~/]", function(byte) return ("%%%02X"):format(byte:byte()) end))
end

-- The relative path from a folder to a file, so that both may be moved together.
local function way_to(folder, file)
  local from, to, common = {}, {}, 0
  for part in (program.real(folder) or folder):gmatch "[^/]+" do from[#from + 1] = part end
  for part in (program.real(file) or file):gmatch "[^/]+" do to[#to + 1] = part end
  while from[common + 1] and from[common + 1] == to[common + 1] do common = common + 1 end
  return ("../"):rep(#from - common) .. table.concat(to, "/", common + 1)
end

-- The end of a line: name, tab, relative path to the owner.
local function line_end(path, owner)
  local folder, name = split(path)
  return encoded(name) .. "\t" .. (owner and encoded(way_to(folder, owner)) or "")
end

-- The lines of the list of a file's folder; no link and no device is followed.
local function list_of(path)
  local list = split(path) .. "/" .. LIST
  local _, is_link = program.real(list)
  local is_read, text = pcall(core.text_file, list, "a list of outputs")
  return list, not is_link and is_read and "\n" .. text or "\n"
end

-- Who wrote a file: "ours", "another's" (this program wrote it for another study), or "foreign" (somebody else wrote or changed it).
local function origin(path, owner)
  local digest, _, lines = program.digest(path), list_of(path)
  local own, anyones, found = line_end(path, owner), line_end(path), "foreign"
  for of, rest in lines:gmatch "\n([^\t\n]*)\t([^\n]*)" do
    if of == digest and rest:sub(1, #anyones) == anyones then
      if not owner or rest == anyones or rest == own then return "ours" end
      found = "another's"
    end
  end
  return found
end

-- Notes that the file at `path` is about to get the content of the file `source`; nil and the reason if that fails.
local function note(path, source, owner)
  local digest, why = program.digest(source)
  if not digest then return nil, why end
  local list, lines = list_of(path)
  local line = digest .. "\t" .. line_end(path, owner) .. "\n"
  return lines:find("\n" .. line, 1, true) or program.append(list, line)
end

-- --- what may be replaced --------------------------------------------------------------------------

local function is_input(path, rules)
  for _, input in ipairs(rules.inputs or {}) do
    for _, ending in ipairs(STORE_ENDINGS) do
      if files.is_same(path, input .. ending) then return true end
    end
  end
end

local function check_replaceable(path, rules)
  local kind, size = program.file(path)
  if is_input(path, rules) then refuse(path, "this command reads it") end
  if select(2, split(path)) == LIST then refuse(path, "gpunetsim keeps the list of its outputs under this name") end
  if kind == "folder" then refuse(path, "Is a directory") end
  if not kind or rules.force or size == 0 then return end
  local of = origin(path, rules.owner)
  if of == "another's" then
    refuse(path, "another study's results are there; --out names another folder, --force replaces them")
  elseif of == "foreign" then
    refuse(path, "it is there and is not as gpunetsim wrote it; give another name, or replace it with --force")
  end
end

-- The file to which a path leads: a link stays, and its target is written.
local function follow(path)
  local real, is_link = program.real(path)
  if is_link and not real then refuse(path, "it is a link that leads nowhere") end
  return real or path
end

-- --- writing ---------------------------------------------------------------------------------------

-- Writes the content, a text or a function that writes it to the file that it gets and returns true or nil and the reason, into an
-- open file (nil: it could not be opened, for that reason), and closes it. `path` is the name for messages.
local function fill(file, why, path, content)
  local is_good = file ~= nil
  if is_good and type(content) == "string" then is_good, why = file:write(content) end
  if is_good and type(content) == "function" then is_good, why = content(file) end
  if is_good then is_good, why = file:close() end
  if not is_good then fail("write", path, why, core.ERROR_RUN) end
end

-- Opens a file; nil and the reason, without the file's name, on failure.
local function open(path)
  local file, why = io.open(path, "w")
  return file, why and why:sub(#path + #": " + 1)
end

-- A temporary file in the folder, which is removed when it is closed, and its path; nil and the reason on failure.
local function new_file(folder) return program.new_file(folder, TEMPORARY) end

-- Writes the file under a temporary name first, so that neither a full disk nor a signal leaves a half-written file.
local function replace(target, path, content, rules)
  local new <close>, temporary = new_file((split(target)))
  if not new then fail("write", path, temporary, core.ERROR_RUN) end
  local file, why = open(temporary)
  fill(file, why, path, content)
  local is_good
  is_good, why = note(target, temporary, rules.owner)
  if is_good then is_good, why = program.put(new, target) end
  if not is_good then fail("write", path, why, core.ERROR_RUN) end
end

-- Writes the content (fill) to a file; "-" is standard output, and an existing device or pipe is written in place.
function files.write(path, content, rules)
  if path == "-" then
    local file, why = program.standard_output()
    return fill(file, why, "standard output", content)
  end
  if program.file(path) == "other" then
    local file, why = open(path)
    return fill(file, why, path, content)
  end
  local target = follow(path)
  check_replaceable(target, rules)
  replace(target, path, content, rules)
end

-- Writes a file into a folder for temporary files; returns its path.
function files.write_new(folder, name, content)
  local path = folder .. "/" .. name
  local file, why = open(path)
  fill(file, why, path, content)
  return path
end

-- Removes the file if it is unchanged since this program wrote it for the rules' owner.
function files.remove(path, rules)
  if program.file(path) == "file" and origin(path, rules.owner) == "ours" then os.remove(path) end
end

-- --- before a run ----------------------------------------------------------------------------------

local planned = {} -- outputs so far, so that no two are the same file

local function plan(path)
  for _, one in ipairs(planned) do
    if one == "-" and path == "-" then error({ sentence = "two outputs cannot both go to standard output (-)" }, 0) end
    if one ~= "-" and path ~= "-" and files.is_same(one, path) then refuse(path, "two outputs cannot both be in one file") end
  end
  planned[#planned + 1] = path
end

-- Tries to make a file, since access() allows root on a read-only file system and in folders of /proc.
local function try_folder(path)
  local new <close>, why = new_file(path)
  if not new then fail("write into the folder", path, why) end
end

-- Makes the folder and missing parents, and checks that a file can be made in it. Called before a run, so that no hours are spent on
-- results that cannot be kept.
function files.prepare_folder(path)
  local why = program.make_folder(path)
  if why then fail("make the folder", path, why) end
  try_folder(path)
end

-- The same for the folder of the file, but does not make the folder; also refuses a file that exists and must not be replaced, is an
-- input, or is planned already under any name. If a shell's > has opened it, replacing it would lose the printed text.
function files.prepare(path, rules)
  if path == "-" then return plan "-" end
  local kind, why, own, device = program.file(path)
  if not kind and why then refuse(path, why) end
  local is_stdout = own and own == identity(1)
  if device and device == select(4, program.file "/dev/null") then return end
  if kind == "other" then return plan(is_stdout and "-" or path) end
  if is_stdout then refuse(path, "standard output goes there, which is - as an output") end
  if own and own == identity(2) then refuse(path, "standard error goes there") end
  local target = follow(path)
  check_replaceable(target, rules)
  plan(target)
  try_folder((split(target)))
end

return files

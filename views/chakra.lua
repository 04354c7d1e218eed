-- SPDX-License-Identifier: BSD-3-Clause
-- Chakra traces for `gpunetsim goal`, `export goal` and `trace-info`.
local files = require "files"
local info = require "chakra/info"
local options = require "chakra/options"
local replay = require "chakra/replay"
local trace = require "chakra/trace"
local chakra = {}

local ENDING, MOST_RANKS = ".et", 65536
local MOST_BYTES = 4 << 30 -- of a file, all of which is read at once

local function fail(...) error({ sentence = string.format(...) }, 0) end

-- --- files ---------------------------------------------------------------------------------------

local function file_of(prefix, rank) return string.format("%s.%d%s", prefix, rank, ENDING) end

local function is_trace(path) return path:sub(-#ENDING) == ENDING end

-- True of a name that ends with ".et", and of a PREFIX where there is a file PREFIX.0.et.
function chakra.is(path) return is_trace(path) or program.file(file_of(path, 0)) ~= nil end

-- Refuses a path that is no regular file: a FIFO or a device may never end.
local function check_file(path)
  local kind, bytes = program.file(path)
  if not kind then fail("%s: there is no such file", path) end
  if kind ~= "file" then fail("%s is no regular file", path) end
  if bytes > MOST_BYTES then fail("%s: a Chakra trace has 4 GiB at most", path) end
end

-- The files of all ranks PREFIX.0.et, PREFIX.1.et and so on, of which `path` names PREFIX or one; or a single file, whose
-- name has no rank.
local function files_of(path)
  local prefix = is_trace(path) and path:match("^(.+)%.%d+%.et$") or not is_trace(path) and path or nil
  if not prefix then
    check_file(path)
    return { path }
  end
  local files, has_path = {}, not is_trace(path)
  for rank = 0, MOST_RANKS - 1 do
    local file = file_of(prefix, rank)
    if rank > 0 and not program.file(file) then break end
    check_file(file)
    files[#files + 1], has_path = file, has_path or file == path
  end
  if not has_path then
    fail("%s: the trace of a rank before it, %s, is missing", path, file_of(prefix, #files))
  end
  return files
end

-- --- what they have ------------------------------------------------------------------------------

-- Turns control dependencies into data dependencies.
local function wait_for_control(one)
  for _, node in ipairs(one.nodes) do
    table.move(node.control, 1, #node.control, #node.deps + 1, node.deps)
    node.control = {}
  end
end

-- Reads one trace for each rank; with ranks=N each of N ranks has the same one.
local function read(files, of)
  local traces, wanted = {}, of.ranks
  for i, file in ipairs(files) do
    traces[i] = trace.read(file)
    if of.control == "wait" then wait_for_control(traces[i]) end
  end
  if wanted and #files > 1 then
    fail("--trace ranks=%d: there are traces of %d ranks already", wanted, #files)
  end
  for i = 2, wanted or 0 do traces[i] = traces[1] end
  return traces
end

-- The traces that `path` names, as GOAL text. `text` has the options of --trace (nil: none). `machine` has the operations
-- and bytes that a GPU does in a second (flops, memory), if there is a machine.
function chakra.goal(path, text, machine)
  local files, of = files_of(path), options.parse(text or "", machine or {})
  return replay.text(read(files, of), of)
end

-- Lines that describe the traces.
function chakra.info(path, text)
  local files, of = files_of(path), options.parse(text or "", {})
  return info.text(read(files, of), of)
end

-- Writes the GOAL text as PREFIX.0.et, PREFIX.1.et and so on.
function chakra.write(text, prefix, rules)
  local texts = require "chakra/write".texts(text)
  if #texts > MOST_RANKS then fail("a trace has %d ranks at most", MOST_RANKS) end
  for rank = 1, #texts do files.prepare(file_of(prefix, rank - 1), rules) end
  for rank, one in ipairs(texts) do files.write(file_of(prefix, rank - 1), one, rules) end
end

return chakra

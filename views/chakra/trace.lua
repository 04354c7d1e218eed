-- SPDX-License-Identifier: BSD-3-Clause
-- Chakra execution traces (MLCommons' et_def.proto): a file is a list of records, each behind its length, one file a rank.
-- The first record is the metadata, the others are nodes. Schema 0.0.1 has no metadata, and has fields instead of the later
-- attributes.
local wire = require "chakra/wire"
local trace = {}

local VARINT, BYTES = 0, 2

trace.TYPES = { [0] = "INVALID", "METADATA", "MEM_LOAD", "MEM_STORE", "COMP", "COMM_SEND", "COMM_RECV", "COMM_COLL" }
trace.COLLECTIVES = { [0] = "ALL_REDUCE", "REDUCE", "ALL_GATHER", "GATHER", "SCATTER", "BROADCAST", "ALL_TO_ALL", "REDUCE_SCATTER",
  "REDUCE_SCATTER_BLOCK", "BARRIER" }

-- For schema 0.0.1: the later numbers of types and collectives, and the later attributes' names of fields.
local OLD_TYPES = { [0] = 0, 2, 3, 4, 5, 6, 7 }
local OLD_COLLECTIVES = { 0, 6, 2, 7 }
local OLD_FIELDS = { [6] = "tensor_size", [12] = "num_ops", [13] = "comm_type", [15] = "comm_group", [16] = "comm_src",
  [17] = "comm_dst", [18] = "comm_size", [19] = "comm_tag", [20] = "comm_priority" }
local OLD_UNUSED = { [5] = true, [8] = true, [9] = true, [10] = true, [11] = true }

-- --- where something stands ----------------------------------------------------------------------

local place_methods = {}
place_methods.__index = place_methods

-- Ends everything with the sentence "FILE: record 3 (node 7, ncclKernel): ...". Names are whatever the file has: a byte of 0
-- would end the sentence.
function place_methods:refuse(...)
  local node = ""
  if self.id then node = string.format(" (node %d%s)", self.id, self.name and ", " .. self.name:sub(1, 60) or "") end
  local told = string.format("record %d%s: %s", self.record, node, string.format(...)):gsub("%c", "?")
  error({ sentence = self.file .. ": " .. told }, 0)
end

-- --- nodes ---------------------------------------------------------------------------------------

local function expect(node, number, kind, wanted)
  if kind ~= wanted then node:refuse("field %d of a node is of wire type %d; the schema has %d", number, kind, wanted) end
end

local function read_inputs(node, text, first, last)
  for number, kind, from, to in wire.fields(node, text, first, last) do
    if number == 1 and kind == BYTES then node.inputs = text:sub(from, to) end
  end
end

local READERS = {
  [1] = function(node, text, kind, value) expect(node, 1, kind, VARINT) node.id = value end,
  [2] = function(node, text, kind, first, stop) expect(node, 2, kind, BYTES) node.name = text:sub(first, stop) end,
  [3] = function(node, text, kind, value) expect(node, 3, kind, VARINT) node.type = value end,
  [4] = function(node, text, ...) wire.add_numbers(node, text, node.control, ...) end,
  [5] = function(node, text, ...) wire.add_numbers(node, text, node.deps, ...) end,
  [6] = function(node, text, kind) expect(node, 6, kind, VARINT) end, -- the recorded start, which is not used: replayed nodes begin when they can
  [7] = function(node, text, kind, value) expect(node, 7, kind, VARINT) node.duration_us = value end,
  [8] = function(node, text, kind, first, stop) expect(node, 8, kind, BYTES) read_inputs(node, text, first, stop) end,
  [9] = function(node, text, kind) expect(node, 9, kind, BYTES) end,
  [10] = function(node, text, kind, first, stop)
    expect(node, 10, kind, BYTES)
    local name, value = wire.attribute(node, text, first, stop)
    node.attributes[name] = value
  end,
}

local function read_field(node, text, number, ...)
  local reader = READERS[number]
  if not reader then node:refuse("field %d is none of a node's in schema 0.0.4", number) end
  reader(node, text, ...)
end

local function read_old_field(node, text, number, kind, value, stop)
  if number <= 3 then
    READERS[number](node, text, kind, value, stop)
  elseif number == 4 then
    wire.add_numbers(node, text, node.deps, kind, value, stop)
  elseif number == 7 then
    if value ~= 0 then node:refuse("it has a simulated_run_time, whose unit schema 0.0.1 does not say") end
  elseif number == 14 then
    node.attributes.involved_dim = node.attributes.involved_dim or {}
    wire.add_numbers(node, text, node.attributes.involved_dim, kind, value, stop)
  elseif OLD_FIELDS[number] then
    expect(node, number, kind, VARINT)
    node.attributes[OLD_FIELDS[number]] = value
  elseif not OLD_UNUSED[number] then
    node:refuse("field %d is none of a node's in schema 0.0.1", number)
  end
end

local function renew(node)
  node.type = OLD_TYPES[node.type]
  if node.attributes.comm_type then node.attributes.comm_type = OLD_COLLECTIVES[node.attributes.comm_type] end
end

local function read_node(of, text, record, first, last)
  local node = setmetatable({ file = of.file, record = record, control = {}, deps = {}, attributes = {}, type = 0 }, place_methods)
  local read = of.is_old and read_old_field or read_field
  for number, kind, value, stop in wire.fields(node, text, first, last) do read(node, text, number, kind, value, stop) end
  node.id = node.id or 0 -- proto3 leaves out what is 0
  if of.is_old then renew(node) end
  if not trace.TYPES[node.type] or node.type == 0 then
    node:refuse("its type is %s; types are 1 (METADATA) to 7 (COMM_COLL)", tostring(node.type))
  end
  if of.by_id[node.id] then node:refuse("record %d is a node of the same number", of.by_id[node.id].record) end
  of.nodes[#of.nodes + 1], of.by_id[node.id] = node, node
end

-- --- files ---------------------------------------------------------------------------------------

-- Reads the metadata. The version is its first field; where it is an attribute, its text has PyTorch's schema and Chakra's.
local function read_metadata(of, place, text, first, last)
  for number, kind, from, to in wire.fields(place, text, first, last) do
    if number == 1 and kind == VARINT then return true end
    if number > 2 or kind ~= BYTES then place:refuse("it is neither metadata nor a node of a Chakra trace") end
    if number == 1 then of.version = text:sub(from, to) end
    if number == 2 then
      local name, value = wire.attribute(place, text, from, to)
      if name == "schema" then of.version = of.version or value end
    end
  end
end

local function read_file(path)
  local file, why = io.open(path, "rb")
  local text = file and file:read("a")
  if file then file:close() end
  if not text then error({ sentence = string.format("%s cannot be read: %s", path, why or "it is no file") }, 0) end
  return text
end

-- The trace of a file: `version`, `nodes` in the order of the file, and `by_id`.
function trace.read(path)
  local text, at, record = read_file(path), 1, 1
  local of = { file = path, nodes = {}, by_id = {} }
  local place = setmetatable({ file = path, record = 1 }, place_methods)
  if text:sub(1, 2) == "\x1f\x8b" then place:refuse("the file is compressed; gunzip writes it as it is read here") end
  if text == "" then place:refuse("the file is empty; a Chakra trace begins with its metadata") end
  while at <= #text do
    local bytes
    place.record = record
    bytes, at = wire.varint(place, text, at, #text)
    if bytes < 0 or bytes > #text - at + 1 then
      place:refuse("it has %d bytes, and the file %d more; Chakra traces are records behind their lengths", bytes, #text - at + 1)
    end
    local last = at + bytes - 1
    if record == 1 then of.is_old = read_metadata(of, place, text, at, last) end
    if record > 1 or of.is_old then read_node(of, text, record, at, last) end
    at, record = last + 1, record + 1
  end
  of.version = of.is_old and "0.0.1" or of.version or "not told"
  return of
end

return trace

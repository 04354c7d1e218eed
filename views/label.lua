-- SPDX-License-Identifier: BSD-3-Clause
-- Names of designs, axes, measures and their values as the readers of figures know them.
local text = require "text"
local label = {}

-- Words of identifiers that readers write differently.
local WORDS = {
  l2 = "L2", cp = "CP", cpu = "CPU", gpu = "GPU", nic = "NIC", us = "µs", uJ = "µJ", pcie = "PCIe",
  ucx = "UCX", mpi = "MPI", cu = "CU", api = "API", work = "work-", bytes = "size", odf = "ODF",
  id = "ID", hbm = "HBM", rdma = "RDMA", ipc = "IPC", dma = "DMA", gpus = "GPUs", nics = "NICs",
  cus = "CUs", cps = "CPs", wgs = "work-groups", dir = "direction", mem = "memory",
  op = "operation", dev = "device", sys = "system", rtt = "round trip",
}

-- A measure's own unit, and larger ones for long numbers.
local UNITS = {
  time = { [1] = "µs", [1e3] = "ms", [1e6] = "s" },
  energy = { [1] = "µJ", [1e3] = "mJ", [1e6] = "J" },
  rate = { [1] = "GB/s" }, frequency = { [1] = "GHz" }, power = { [1] = "W" },
}

-- Of plain numbers whose name says the unit; not of "gets_per_us".
local SUFFIXES = { _ns = "ns", _us = "µs", _ms = "ms" }

local function ends_with(of, suffix) return of:sub(-#suffix) == suffix end

local function upper_first(of) return (of:gsub("^[a-z]", string.upper)) end

-- A label inside a line: its first letter is made lower case, except in words such as "PCIe".
function label.lower_first(of) return (of:gsub("^[A-Z]%f[a-z]", string.lower)) end

-- "l2_hit_rate" as "L2 hit rate".
function label.words(name)
  local words = ""
  for _, word in ipairs(text.split(name, "_")) do
    local goes_on = words == "" or ends_with(words, "-")
    words = words .. (goes_on and "" or " ") .. (WORDS[word] or word)
  end
  return upper_first(words)
end

-- nil: it has none, or each value has its own
local function unit_of(column, size)
  local units = column.kind == "quantity" and UNITS[column.unit]
  if units and units[size] then return units[size] end
  if ends_with(column.key, "_percent") then return "%" end
  local is_plain = column.is_number and column.kind ~= "quantity"
  return is_plain and not column.key:find("_per_", 1, true) and SUFFIXES[column.key:sub(-3)] or nil
end

-- The largest unit of which `number` of the column's own is 1 or more, as so many of the latter: 1000 (ms) for a time
-- of 20000 µs. 1 where there is no other.
function label.unit_size(column, number)
  local largest = 1
  for size in pairs(column.kind == "quantity" and UNITS[column.unit] or {}) do
    if size <= number then largest = math.max(largest, size) end
  end
  return largest
end

-- Units with which a label may end in parentheses, and which then have to be the column's.
local KNOWN = {}
for _, unit in ipairs { "ps", "ns", "us", "ms", "s", "nJ", "uJ", "mJ", "J", "kB/s", "MB/s", "GB/s", "TB/s", "Gb/s", "Hz", "kHz", "MHz", "GHz", "mW", "W", "%" } do
  KNOWN[unit] = true
end

-- How a column is drawn that surely has no unit; nil of a study's own number, whose unit only its author knows.
local function without_unit(column)
  return column.is_ratio and "as a ratio" or column.kind == "quantity" and "without a unit" or nil
end

-- The label that a study gives, with that unit appended unless it already ends with a unit.
function label.given(given, column, unit_size)
  local unit = unit_of(column, unit_size)
  local said = given:gsub("µ", "u"):match(" %(([^()]*)%)$")
  local drawn = unit and "in " .. unit or without_unit(column)
  if drawn and KNOWN[said] and not (unit and said == unit:gsub("µ", "u")) then
    error({ sentence = string.format('the label "%s" says %s, and %s is drawn %s', given, said, column.name, drawn) })
  end
  if not unit or ends_with(given, ")") then return given end
  return given .. " (" .. unit .. ")"
end

-- "latency_us" as "Latency": of a curve beside an axis that says the unit.
function label.measure(column)
  local has_unit = unit_of(column, 1) and column.kind ~= "quantity"
  return label.words(has_unit and column.key:match("^(.*)_") or column.key)
end

-- "latency_us" as "Latency (µs)", "delay_ns" of plain numbers as "Delay (ns)"; sizes have their unit at their values.
function label.column(column, unit_size)
  return label.given(label.measure(column), column, unit_size or 1)
end

-- A design's label; of one that departs from a named design, that one's label and what departs:
-- "comp-net{queue.memory=host}" is "ComP-Net, queue memory host". nil if the text names no design.
local function design_label(of)
  local name, changes = of:match("^([^{]*){?(.*)")
  local known = core.design_label(name)
  if not known or not of:find("{", 1, true) then return known end
  changes = changes:sub(1, -2):gsub(",", ", "):gsub(",  ", ", "):gsub("=", " "):gsub("_", " ")
  return core.replace(known .. ", " .. changes, "(?<=[a-z])\\.(?=[a-z])", " ")
end

-- Whether its values are sizes: a size with its unit, or numbers under the name "bytes".
function label.is_bytes(column)
  if column.kind == "quantity" then return column.unit == "bytes" end
  return column.is_number and column.key == "bytes"
end

-- A measure's number as a reader is told it: "64 KiB", "3.215 µs"; `unit_size` as of label.unit_size.
function label.number(column, number, unit_size)
  if label.is_bytes(column) then return core.size_text(number) end
  local unit, shown = unit_of(column, unit_size), number / unit_size
  local digits = math.abs(shown) >= 1e4 and "%.0f" or "%.4g"
  return string.format(digits, shown) .. (unit and " " .. unit or "")
end

local function is_identifier(of) return of:find("_", 1, true) and of:find("^[a-z0-9_]*$") end

-- A parameter's path, "gpu.l2_banks", is written as it is set.
local function is_path(of) return of:find("^[a-z0-9_]+%.[a-z0-9_.]+$") and not core.is_number(of) end

-- A row of a table of measurements: "nodes=2_chain", "D2H_gpu0+D2H_gpu1".
local function is_case(of)
  local name = of:match("^[A-Za-z_]+")
  return name and (of:sub(#name + 1, #name + 1) == "=" or of:find("_", 1, true)) and
         not of:find("[ ,({]")
end

-- "256MiB" as "256 MiB", "20us" as "20 µs".
local function with_spaced_units(of)
  local spaced = core.replace(of, "(?<![\\w.])(\\d+(?:\\.\\d+)?)" ..
    "((?:[pnum]?s|[KMG]i?B|kB|B|[kMG]?Hz|[um]?J|W)(?:/s)?)(?!\\w)", "\\1 \\2")
  return core.replace(spaced, "(?<=\\d )u(?=[sJ](?!\\w))", "µ")
end

-- "2threads" as "2 threads", "gpu0" as "GPU 0"; "D2H" and "1x32" stay.
local function with_spaced_counts(of)
  local counted = core.replace(of, "(?<!\\w)(\\d+)([a-z]{3,})(?!\\w)", "\\1 \\2")
  local numbered = core.replace(counted, "(?<!\\w)([a-z]{3,})(\\d)", "\\1 \\2")
  return with_spaced_units(core.replace(numbered, "(?<!\\w)gpu(s?)(?!\\w)", "GPU\\1"))
end

local function case_label(of)
  return with_spaced_counts((of:gsub("=", " = ", 1):gsub("_", " ")))
end

-- "65536" of a size as "64 KiB", "comp-net" as its label in configs/designs.lua, "gpu_memory" as "GPU memory",
-- "nodes=2_chain" as "nodes = 2 chain", "copy_gpu0_8MiB" as "copy GPU 0 8 MiB".
function label.value(column, of)
  local unit = unit_of(column, 1)
  if not of then return "" end
  if label.is_bytes(column) and core.is_number(of) then return core.size_text(core.number(of)) end
  if unit and core.is_number(of) then return of .. " " .. unit end
  local design = design_label(of)
  if design then return design end
  if is_path(of) then return of end
  if is_identifier(of) then return with_spaced_counts(label.lower_first(label.words(of))) end
  return is_case(of) and case_label(of) or with_spaced_units(of)
end

-- A value with the name of its axis where needed: "Work-groups 16", "no priorities", but "ComP-Net" and "Charm++".
function label.value_of(column, of)
  if of == "true" or of == "false" then
    return (of == "true" and "" or "no ") .. label.lower_first(label.words(column.key))
  end
  local is_bare = core.is_number(of) or of == "on" or of == "off"
  local value = label.value(column, of)
  return is_bare and label.measure(column) .. " " .. value or value
end

return label

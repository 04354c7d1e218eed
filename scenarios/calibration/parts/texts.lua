-- SPDX-License-Identifier: BSD-3-Clause
-- Tables from files of measurements. A probe's table comes with its columns and rows; what the OSU benchmarks and perftest print comes as
-- lines, and becomes a table here: osu_latency, osu_bandwidth, osu_bidirectional, osu_multi_latency, osu_multi_pair, perftest_latency or
-- perftest_bandwidth, with the columns bytes and value, in the units of OSU (microseconds; megabytes a second). Its rows have beside them
-- what the text says of the run: of OSU buffers (device, host, mixed), pairs, window; of perftest operation (write, read, send, atomic),
-- memory (gpu), both_ways (yes), queues, tx_depth, cq_mod, inline, outstanding_reads. A row has its line at place 0.

local MIB_PER_MB, MB_PER_GBIT = 1.048576, 125 -- perftest's megabytes are of 2^20 bytes

-- Of the file that is read: its path, the line, what each row has beside its numbers, and its table.
local path, line_number, facts, made
local function fail(sentence, ...) error(string.format("%s:%d: " .. sentence, path, line_number, ...), 0) end

local function has(line, words) return string.find(line, words, 1, true) ~= nil end
local function number_of(text)
  return text and string.match(text, "^-?%d") and not string.match(text, "^-?0%w") and tonumber(text)
end
local function plain(number) return math.tointeger(number) or number end

-- The whole number behind `words` and a colon: "CQ Moderation   : 100".
local function note_number(line, words, column)
  local _, last = string.find(line, words, 1, true)
  local digits = last and string.match(string.sub(line, last + 1), "^ *: *(%d+)")
  facts[column] = digits and plain(tonumber(digits)) or facts[column]
end

local function begin_table(name)
  if made.value_at and made.table ~= name then
    fail('a table of "%s" behind one of "%s": they are of two files', name, made.table)
  end
  made.table = name
end

-- --- OSU -----------------------------------------------------------------------------------------

local osu_tests = { { " Bi-Directional Bandwidth Test", "osu_bidirectional" }, { " Bandwidth Test", "osu_bandwidth" },
                    { " Latency Test", "osu_latency" }, { " Multi Latency Test", "osu_multi_latency" },
                    { " Multiple Bandwidth / Message Rate Test", "osu_multi_pair" } }

-- "# OSU MPI-CUDA Bi-Directional Bandwidth Test v7.4". Buffers are the host's unless an accelerator is named.
local function begin_osu(line)
  local library, title = string.match(line, "^# OSU ([^ ]*)(.*)")
  for _, test in ipairs(osu_tests) do
    if string.sub(title, 1, #test[1]) == test[1] then
      facts.buffers = has(library, "-") and "device" or "host"
      begin_table(test[2])
      made.value_at, made.unit, made.has_rate = 2, 1, false
      return
    end
  end
  fail("of OSU's benchmarks osu_latency, osu_bw, osu_bibw, osu_multi_lat and osu_mbw_mr are taken")
end

-- "# Send Buffer on DEVICE (D) and Receive Buffer on HOST (H)", "# [ pairs: 2 ] [ window size: 64 ]". Between its rows, and before its
-- title, stands what mpirun and the libraries say.
local function note_osu(line)
  if string.sub(line, 1, 1) ~= "#" then return end
  local on_device, on_host = has(line, "Buffer on DEVICE"), has(line, "Buffer on HOST")
  if on_device or on_host then facts.buffers = not on_host and "device" or not on_device and "host" or "mixed" end
  note_number(line, "pairs", "pairs")
  note_number(line, "window size", "window")
end

-- --- perftest ------------------------------------------------------------------------------------

-- Columns of latencies: bytes, iterations, t_min, t_max, t_typical, or for a duration bytes, iterations, t_avg; of bandwidths: bytes,
-- iterations, BW peak, BW average.
local function begin_perftest(line)
  local has_typical, average = has(line, "t_typical[usec]"), string.find(line, "BW average[", 1, true)
  local is_latency = has_typical or has(line, "t_avg[usec]")
  if not is_latency and not average then fail("a header of perftest names t_typical[usec], t_avg[usec] or BW average") end
  begin_table(is_latency and "perftest_latency" or "perftest_bandwidth")
  made.value_at = has_typical and 5 or is_latency and 3 or 4
  made.unit = is_latency and 1 or string.find(line, "BW average[Gb/sec]", average, true) == average and MB_PER_GBIT or MIB_PER_MB
  made.has_rate = not is_latency and string.find(line, "MsgRate[Mpps]", average, true) ~= nil
end

local operations = { { "RDMA_Write ", "write" }, { "RDMA_Read ", "read" }, { "Send ", "send" }, { "Atomic ", "atomic" } }
local numbers = { ["Number of qps"] = "queues", ["TX depth"] = "tx_depth", ["CQ Moderation"] = "cq_mod", ["Max inline data"] = "inline",
                  ["Outstand reads"] = "outstanding_reads" }

-- A line in which perftest tells of its run, such as "RDMA_Write Bidirectional BW Test".
local function note_perftest(line)
  for words, column in pairs(numbers) do note_number(line, words, column) end
  if has(line, "GPU buffer") then facts.memory = "gpu" end
  if not has(line, " Test") then return end
  for _, operation in ipairs(operations) do
    if has(line, operation[1]) then facts.operation = operation[2] end
  end
  facts.both_ways = has(line, "Bidirectional") and "yes" or ""
end

-- --- rows ----------------------------------------------------------------------------------------

-- perftest writes two decimals of a bandwidth and six of the rate of messages, which tells more of a small one.
local function value_of(words)
  local value = number_of(words[made.value_at])
  local rate = made.has_rate and value < 1 and number_of(words[made.value_at + 1])
  return rate and rate * number_of(words[1]) or value * made.unit
end

local function add_row(line)
  local words = {}
  for word in string.gmatch(line, "[^ \t]+") do words[#words + 1] = word end
  if not number_of(words[1]) or not number_of(words[made.value_at]) then
    fail("a size and %d further numbers were expected", made.value_at - 1)
  end
  local value = value_of(words)
  if not (value > 0) then fail("%s is no value above 0", words[made.value_at]) end
  local row = { [0] = line_number, bytes = plain(number_of(words[1])), value = plain(value) }
  for column, cell in pairs(facts) do row[column] = cell end
  table.insert(made.rows, row)
end

local formats = {
  osu = { begins = "^# OSU ", begin = begin_osu, note = note_osu },
  perftest = { begins = "^ *#bytes", begin = begin_perftest, note = note_perftest },
}

local function read(file)
  local format = formats[file.format]
  path, facts = file.file, {}
  made = { file = file.file, folder = file.folder, columns = { "bytes", "value" }, rows = {} }
  for i, line in ipairs(file.lines) do
    line_number = i
    if string.match(line, format.begins) then format.begin(line)
    elseif made.value_at and string.match(line, "^[ \t]*%d") then add_row(line)
    else format.note(line) end
  end
  return made
end

-- The tables of these files, in their order.
return function(files)
  local tables = {}
  for i, file in ipairs(files) do
    tables[i] = file.lines and read(file) or file
    if #tables[i].rows == 0 then
      error(file.file .. ": has no row of measurements; accepted are the probe's tables, OSU's and perftest's text", 0)
    end
  end
  return tables
end

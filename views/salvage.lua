-- SPDX-License-Identifier: BSD-3-Clause
-- Reads the rows of a damaged store from its pages, one by one.
--
-- SQLite refuses a file as a whole when it is shorter than its header says, and loses all rows below a missing page,
-- although each leaf page by itself says which rows it has. The format is the one of
-- https://www.sqlite.org/fileformat2.html: section 1.6 has pages and cells, 2.1 records, 4.1 the log. The tables of a store
-- are told apart by their number of columns. SQLite's own recovery (`.recover` of its shell) needs the table sqlite_dbpage,
-- which Debian's library is built without: of a whole store it saves no row.
local salvage = {}

local DEFAULT_PAGE_BYTES, FILE_HEADER_BYTES, PAGE_HEADER_BYTES = 4096, 100, 8
local LOG_HEADER_BYTES, FRAME_HEADER_BYTES = 32, 24
local LEAF_OF_TABLE = 0x0d
local MOST_VALUE_BYTES = 64 << 20 -- the longest value of a store

-- By number of columns. A row of a page that was given back may have the same key as a later one.
local TABLES = {
  [3] = "machine (rowid, id, name, parameters)",
  [6] = "study (rowid, digest, seed, version, name, title, points)",
  [8] = "call (rowid, key, workload, arguments, machine, seed, version, result, content)",
  [14] = "point (rowid, key, study, digest, axes, seed, version, failure, result, columns, machine, host, started_us," ..
         " duration_us, content)",
}

-- --- pages ---------------------------------------------------------------------------------------

local function open(path)
  local file = io.open(path, "rb")
  return { file = file, size = file and file:seek("end") or 0 }
end

-- Reads bytes; nil if the file does not have all of them.
local function read_at(of, offset, length)
  if offset + length > of.size or not of.file:seek("set", offset) then return nil end
  local bytes = of.file:read(length)
  return bytes and #bytes == length and bytes or nil
end

local function frame_offset(store, frame)
  return LOG_HEADER_BYTES + (frame - 1) * (FRAME_HEADER_BYTES + store.page_bytes)
end

local function read_page(store, number)
  local frame = store.logged[number]
  if frame then return read_at(store.log, frame_offset(store, frame) + FRAME_HEADER_BYTES, store.page_bytes) end
  return number >= 1 and number <= store.pages and read_at(store.file, (number - 1) * store.page_bytes, store.page_bytes) or nil
end

-- Reads the page size from the header; the usual one if that is impossible.
local function read_header(store)
  local header = read_at(store.file, 0, FILE_HEADER_BYTES) or ("\0"):rep(FILE_HEADER_BYTES)
  local bytes, reserved = string.unpack(">I2", header, 17), header:byte(21)
  if bytes == 1 then bytes = 65536 end
  local is_size = bytes >= 512 and bytes & (bytes - 1) == 0
  store.page_bytes = is_size and bytes or DEFAULT_PAGE_BYTES
  store.usable_bytes = store.page_bytes - (is_size and reserved <= 32 and reserved or 0)
  store.pages = store.file.size // store.page_bytes
end

-- The number of the page in a frame that belongs to the log's present run; nil: in none.
local function page_of_frame(store, header, frame)
  local bytes = read_at(store.log, frame_offset(store, frame), FRAME_HEADER_BYTES)
  return bytes and bytes:sub(9, 16) == header:sub(17, 24) and string.unpack(">I4", bytes) or nil
end

-- Finds the latest frame of each page.
local function read_log(store)
  local header = read_at(store.log, 0, LOG_HEADER_BYTES)
  if not header then return end
  store.frames = (store.log.size - LOG_HEADER_BYTES) // (FRAME_HEADER_BYTES + store.page_bytes)
  for i = 1, store.frames do
    local page = page_of_frame(store, header, i)
    if page then store.logged[page] = i end
  end
end

-- --- records -------------------------------------------------------------------------------------

-- The number that begins at `at`, as a signed 64-bit number, and the place behind it; nil if it is not complete before `stop`.
local function varint(bytes, at, stop)
  local number = 0
  for i = 1, 9 do
    local byte = at < stop and bytes:byte(at)
    if not byte then return nil end
    number, at = i == 9 and number << 8 | byte or number << 7 | byte & 0x7f, at + 1
    if i == 9 or byte < 0x80 then return number, at end
  end
end

-- The bytes of a value by its type in the record's header.
local SMALL_BYTES = { [0] = 0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0 }
local function value_bytes(type) return SMALL_BYTES[type] or (type - 12) // 2 end

local HEX = {}
for i = 0, 255 do HEX[string.char(i)] = string.format("%02x", i) end

-- A value as SQL. Numbers of a store are integers; a float cannot be one of its values and becomes NULL.
local function sql_value(type, bytes)
  if type >= 12 and type % 2 == 0 then return "x'" .. bytes:gsub(".", HEX) .. "'" end
  if type >= 12 then return "CAST(x'" .. bytes:gsub(".", HEX) .. "' AS TEXT)" end
  if type == 8 or type == 9 then return tostring(type - 8) end
  if type >= 1 and type <= 6 then return tostring((string.unpack(">i" .. #bytes, bytes))) end
  return "NULL"
end

-- The types of a record's values and where the values begin; nil if it is no record.
local function types_of(payload)
  local header_bytes, at = varint(payload, 1, #payload + 1)
  local types = {}
  if not at or header_bytes < 0 or header_bytes > #payload then return nil end
  while at <= header_bytes do
    types[#types + 1], at = varint(payload, at, header_bytes + 1)
    if not at or types[#types] < 0 then return nil end
  end
  return types, header_bytes + 1
end

-- The SQL that inserts the row; nil if it has no content or belongs to no table.
local function sql_row(row, payload)
  local types, at = types_of(payload)
  local into = types and TABLES[#types]
  if not into then return nil end
  local values = { tostring(row) }
  for _, type in ipairs(types) do
    local length = value_bytes(type)
    if length > #payload - at + 1 then return nil end
    values[#values + 1] = sql_value(type, payload:sub(at, at + length - 1))
    at = at + length
  end
  return "INSERT OR IGNORE INTO " .. into .. " VALUES (" .. table.concat(values, ", ") .. ");\n"
end

-- --- cells ---------------------------------------------------------------------------------------

-- How many bytes of a payload are in the cell itself.
local function local_bytes(store, payload_bytes)
  local usable = store.usable_bytes
  local most, least = usable - 35, (usable - 12) * 32 // 255 - 23
  if payload_bytes <= most then return payload_bytes end
  local wanted = least + (payload_bytes - least) % (usable - 4)
  return wanted <= most and wanted or least
end

-- The payload with its continuation on other pages, `length` bytes in all; nil if it is not complete.
local function with_overflow(store, start, next_page, length)
  local parts, count = { start }, #start
  while count < length do
    local page = read_page(store, next_page)
    if not page then return nil end
    parts[#parts + 1] = page:sub(5, 4 + math.min(length - count, store.usable_bytes - 4))
    count, next_page = count + #parts[#parts], string.unpack(">I4", page)
  end
  return table.concat(parts)
end

-- The SQL of the row in the cell that begins at `at`; nil if it is lost. No two rows share a byte.
local function sql_cell(store, page, at)
  local stop = store.usable_bytes + 1
  local length, row
  length, at = varint(page, at, stop)
  if at then row, at = varint(page, at, stop) end
  if not at or length < 0 or length > math.min(MOST_VALUE_BYTES, store.budget_bytes) then return nil end
  local here = local_bytes(store, length)
  if here + (here < length and 4 or 0) > stop - at then return nil end
  store.budget_bytes = store.budget_bytes - length
  local payload = page:sub(at, at + here - 1)
  if here < length then payload = with_overflow(store, payload, string.unpack(">I4", page, at + here), length) end
  return payload and sql_row(row, payload)
end

-- Writes the rows of a page. The first page has the list of tables.
local function take_page(store, number, out)
  local page = number > 1 and read_page(store, number)
  if not page or page:byte(1) ~= LEAF_OF_TABLE then return end
  local cells = math.min(string.unpack(">I2", page, 4), (store.usable_bytes - PAGE_HEADER_BYTES) // 2)
  for i = 0, cells - 1 do
    local offset = string.unpack(">I2", page, PAGE_HEADER_BYTES + 2 * i + 1)
    local is_within = offset >= PAGE_HEADER_BYTES and offset < store.usable_bytes
    local sql = is_within and sql_cell(store, page, offset + 1)
    if sql then out:write(sql) else store.lost = store.lost + 1 end
  end
end

-- Writes the rows that stand on whole pages of the file at `path` and of the -wal file beside it as SQL, a row a line, to `sql_path`.
-- Returns how many rows were seen that cannot be read.
function salvage.rows(path, sql_path)
  local out <close> = assert(io.open(sql_path, "w"))
  local store = { file = open(path), log = open(path .. "-wal"), logged = {}, frames = 0, lost = 0 }
  read_header(store)
  read_log(store)
  store.budget_bytes = store.file.size + store.log.size
  for i = 1, store.pages do take_page(store, i, out) end
  local latest = {}
  for page, frame in pairs(store.logged) do latest[frame] = page end
  for frame = 1, store.frames do -- pages that the file does not have yet
    if latest[frame] and latest[frame] > store.pages then take_page(store, latest[frame], out) end
  end
  return { tostring(store.lost) }
end

return salvage

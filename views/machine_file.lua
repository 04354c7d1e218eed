-- SPDX-License-Identifier: BSD-3-Clause
-- Writes a machine as a Lua file: each number with its source.
local machine_file = {}

-- A text as a Lua string on one line.
local function quoted(text)
  return '"' .. text:gsub('["\\\0-\31]', function(character) return ("\\%03d"):format(character:byte()) end) .. '"'
end

-- A call: `fitted("1us", "500ns", "2us", "why")`, of an entry's numbers and further texts.
function machine_file.call(word, entry, numbers, texts)
  local arguments = {}
  for _, number in ipairs(numbers) do arguments[#arguments + 1] = entry.is_bare and number or quoted(number) end
  for _, text in ipairs(texts) do arguments[#arguments + 1] = quoted(text) end
  return word .. "(" .. table.concat(arguments, ", ") .. ")"
end

local function as_given(entry)
  if entry.kind == "given" then return entry.is_bare and entry.value or quoted(entry.value) end
  local texts = {}
  if entry.claims then texts[1] = entry.claims end
  texts[#texts + 1] = entry.source
  return machine_file.call(entry.kind, entry, { entry.value, entry.low, entry.low and entry.high }, texts)
end

-- Appends the section's numbers to the lines. `kind` stands before the braces of an instance that not every machine has:
-- "mine = mpi {".
local function add_section(lines, section, instead)
  local indent, numbers = section.outer and "    " or "  ", {}
  for _, entry in ipairs(section) do
    local value = entry.kind ~= "default" and (instead(entry) or as_given(entry))
    numbers[#numbers + 1] = value and indent .. entry.name .. " = " .. value .. "," or nil
  end
  local is_shown = section.outer and (#numbers > 0 or section.kind)
  if is_shown then lines[#lines + 1] = "  " .. section.outer .. " = " .. (section.kind and section.kind .. " " or "") .. "{" end
  table.move(numbers, 1, #numbers, #lines + 1, lines)
  if is_shown then lines[#lines + 1] = "  }," end
end

-- Appends the kinds of nodes, from the sections "kinds.older" and "kinds.older.gpu".
local function add_kinds(lines, sections, instead)
  local kinds, by_name = {}, {}
  for _, section in ipairs(sections) do
    local name, component = section.outer:match("^kinds%.([^.]+)%.?(.*)$")
    local kind = by_name[name] or { name = name, parts = {}, by_part = {} }
    if not by_name[name] then by_name[name], kinds[#kinds + 1] = kind, kind end
    local part = kind.by_part[component] or { name = component }
    if not kind.by_part[component] then kind.by_part[component], kind.parts[#kind.parts + 1] = part, part end
    for _, entry in ipairs(section) do part[#part + 1] = entry.name .. " = " .. (instead(entry) or as_given(entry)) end
  end
  if #kinds > 0 then lines[#lines + 1] = "  kinds = {" end
  for _, kind in ipairs(kinds) do
    lines[#lines + 1] = "    " .. kind.name .. " = {"
    for _, part in ipairs(kind.parts) do
      local numbers = table.concat(part, ", ")
      lines[#lines + 1] = "      " .. (part.name == "" and numbers or part.name .. " = { " .. numbers .. " }") .. ","
    end
    lines[#lines + 1] = "    },"
  end
  if #kinds > 0 then lines[#lines + 1] = "  }," end
end

-- The file. `header` is the comment that it begins with; `instead` (may be nil) gives the value of an entry that is to
-- be another one, or nil.
function machine_file.text(machine, header, instead)
  local lines = { "-- " .. header:gsub("\n", "\n-- "), "", "return machine {", "  name = " .. quoted(machine.name) .. "," }
  local of_kinds = {}
  instead = instead or function() end
  for _, section in ipairs(machine.sections()) do
    if section.outer and section.outer:find("^kinds%.") then
      of_kinds[#of_kinds + 1] = section
    else
      add_section(lines, section, instead)
    end
  end
  add_kinds(lines, of_kinds, instead)
  lines[#lines + 1] = "}\n"
  return table.concat(lines, "\n")
end

-- For C: the file as a list of one text.
function machine_file.texts(machine, header) return { machine_file.text(machine, header) } end

return machine_file

-- SPDX-License-Identifier: BSD-3-Clause
-- machine { ... } and m { ... }: the values that a table gives, by path ("nic.rate" -> value as written, tagged or plain). A
-- changed copy has the values given before with some replaced, so all others keep their source. The machine's own software
-- stands there by its name ("mine" -> "mpi"), and so do its kinds of nodes ("kinds.older" -> true), whose values have paths
-- as "kinds.older.gpu.clock".
--
-- A section is { outer, component, kind, is_of_kinds }: its key, nil of the top level; the name of its table of parameters;
-- of software, its kind; whether kinds of nodes may have parameters of it. One of which something was given also has `names`
-- of its parameters, and `kind_names` of those that a kind of nodes may have; `paths` in the order of names, and `rows`:
-- their places by name.
local shape = require "shape"
local machine = {}

local KINDS = "kinds"

-- Section `number` with all that it has.
local function whole(spec, sections, number)
  local section = sections[number]
  if section.paths then return section end
  core.name_rows(spec, number)
  section.prefix = section.outer and section.outer .. "." or ""
  local names, paths, rows, prefix = section.names, {}, {}, section.prefix
  for row = 1, #names do
    local name = names[row]
    paths[row], rows[name] = prefix .. name, row
  end
  section.paths, section.rows = paths, rows
  return section
end

local function fail_table(where, value, shown, ...)
  core.fail(string.format("%s needs a table %s, not a %s", where, shown, type(value)), ...)
end

-- Adds the values of these parameters that `values` gives.
local function merge_rows(into, rows, prefix, values)
  for name, value in next, values do
    if rows[name] then
      into.given[prefix .. name] = value
      into.set[prefix .. name] = into.is_set
    end
  end
end

-- --- software of the machine's own --------------------------------------------------------------

local function forget(list, prefix)
  for path in next, list do
    if path:sub(1, #prefix) == prefix then list[path] = nil end
  end
end

-- Notes an instance; one with the same name is replaced.
local function note_instance(into, name, kind)
  forget(into.given, name .. ".")
  forget(into.set, name .. ".")
  if not core.check_software(kind, name) then return end
  local before = into.given[name]
  if before ~= nil and before ~= kind then
    core.fail(string.format('component "%s" of this machine is of kind %s, not %s', name, before, kind), name)
  end
  into.given[name] = kind
end

local function note_instances(into, changes)
  local kinds = {}
  for name, value in next, changes do
    if type(name) == "string" then kinds[name] = core.software(value) end
  end
  if not next(kinds) then return end
  for _, name in ipairs(core.keys(kinds)) do note_instance(into, name, kinds[name]) end
end

-- Gives the spec a section for each of them, in the order of their names.
local function add_instances(given, spec, sections)
  local kinds, known, top = {}, {}, whole(spec, sections, 1)
  for i = 1, #sections do
    local kind = sections[i].kind
    if kind then known[kind] = true end
  end
  for name, value in next, given do
    if known[value] and not name:find(".", 1, true) and not top.rows[name] then kinds[name] = value end
  end
  if not next(kinds) then return end
  for _, name in ipairs(core.keys(kinds)) do core.declare(spec, kinds[name], name) end
end

-- The section of the same kind that `from` names.
local function section_from(sections, section, from)
  local names = {}
  if type(from) ~= "string" then
    core.fail(string.format("%s.from needs the name of another %s, not a %s", section.outer, section.kind, type(from)),
      section.outer, "from")
  end
  for number, other in ipairs(sections) do
    if other.kind and other.kind == section.kind and other ~= section then
      if other.outer == from then return number end
      names[#names + 1] = other.outer
    end
  end
  core.fail(string.format('%s.from: the machine has no other %s "%s"%s', section.outer, section.kind, from,
    core.suggestion(from, names)), section.outer, "from")
end

-- Software that is described `from` another one takes all values (with their sources) from that one that the changes do not
-- give. Called for `first`, and `depth` steps from there.
local function take_from(into, changes, number, first, depth)
  local kind, values = core.software(rawget(changes, into.sections[number].outer))
  local from = kind and rawget(values, "from")
  if from == nil or not kind then return end
  local section = whole(into.spec, into.sections, number)
  local other = section_from(into.sections, section, from)
  local source = whole(into.spec, into.sections, other)
  if depth > #into.sections then core.fail(first .. ".from leads in a circle", first, "from") end
  take_from(into, changes, other, first, depth + 1)
  for row, name in ipairs(section.names) do
    if rawget(values, name) == nil then into.given[section.paths[row]] = into.given[source.paths[row]] end
  end
end

-- --- components and kinds of nodes --------------------------------------------------------------

local function merge(into, changes)
  local top, names = whole(into.spec, into.sections, 1), { "name", KINDS }
  table.move(top.names, 1, #top.names, #names + 1, names)
  for i = 2, #into.sections do names[#names + 1] = into.sections[i].outer end
  core.check_keys(changes, names, "machine")
  merge_rows(into, top.rows, "", changes)
  for i = 2, #into.sections do
    local section = into.sections[i]
    local part = rawget(changes, section.outer)
    local kind, values = core.software(part)
    if part ~= nil then whole(into.spec, into.sections, i) end
    if not kind and type(part) == "table" then
      values = core.flat(part, into.spec, i)
      core.check_keys(values, section.names, section.outer, section.outer)
    elseif not kind and part ~= nil then
      fail_table(section.outer, part, "{ ... }", section.outer)
    end
    if values then merge_rows(into, section.rows, section.prefix, values) end
  end
end

local function merge_kind(into, outer, values)
  local names = { "nodes" }
  if type(values) ~= "table" then fail_table(outer, values, "{ nodes = ..., ... }") end
  for _, section in ipairs(into.sections) do
    if section.is_of_kinds then names[#names + 1] = section.component end
  end
  core.check_keys(values, names, outer, outer)
  into.given[outer] = true
  merge_rows(into, { nodes = 1 }, outer .. ".", values)
  for i, section in ipairs(into.sections) do
    local part, inner = rawget(values, section.component), outer .. "." .. section.component
    if section.is_of_kinds and type(part) == "table" then
      whole(into.spec, into.sections, i)
      local flat = core.flat(part, into.spec, i)
      core.check_keys(flat, section.kind_names, inner, inner)
      merge_rows(into, section.rows, inner .. ".", flat)
    elseif section.is_of_kinds and part ~= nil then
      fail_table(inner, part, "{ ... }")
    end
  end
end

local function merge_kinds(into, kinds)
  if kinds == nil then return end
  if type(kinds) ~= "table" then fail_table(KINDS, kinds, "{ NAME = { nodes = ..., ... } }") end
  for name in next, kinds do
    if type(name) ~= "string" then
      core.fail("kinds has the names of its kinds as keys, as in kinds = { older = { ... } }")
    end
  end
  for _, name in ipairs(core.keys(kinds)) do
    if not name:find("^[A-Za-z0-9_]+$") then
      core.fail(string.format(
        'kinds: "%s" is no name of a kind of nodes, which has letters, digits and underscores', name))
    end
    merge_kind(into, KINDS .. "." .. name, rawget(kinds, name))
  end
end

-- --- to the spec --------------------------------------------------------------------------------

local function apply(into)
  local given, spec, set = into.given, into.spec, core.set
  for number = 1, #into.sections do
    local section = into.sections[number]
    local paths, outer = section.paths or {}, section.outer -- nothing was given of the others
    for row = 1, #paths do
      local value = given[paths[row]]
      if value ~= nil then set(spec, value, row, number, outer) end
    end
  end
end

-- Applies the values given for a kind, by its number.
local function apply_kind(into, kind, outer)
  local nodes = into.given[outer .. ".nodes"]
  if nodes ~= nil then core.set(into.spec, nodes, 1, 1, outer, kind) end
  for number, section in ipairs(into.sections) do
    local inner = outer .. "." .. section.component
    for _, name in ipairs(section.is_of_kinds and section.kind_names or {}) do
      local value = into.given[inner .. "." .. name]
      if value ~= nil then core.set(into.spec, value, section.rows[name], number, inner, kind) end
    end
  end
end

local function apply_kinds(into)
  local outers = {}
  for path, value in next, into.given do
    if value == true and path:find("^kinds%.[^.]*$") then outers[path] = true end
  end
  if not next(outers) then return end
  outers = core.keys(outers)
  for _, outer in ipairs(outers) do core.add_kind(into.spec, outer:sub(#KINDS + 2)) end
  for kind, outer in ipairs(outers) do apply_kind(into, kind, outer) end
end

-- Of a machine with `given`, `set` (what the user set, by path) and `name`, which are nil of a new one: one that the table
-- `changes` makes of it. `is_set`: it stands in the user's own file.
function machine.make(changes, given, set, name, is_set)
  local spec = core.new_machine()
  local into = { spec = spec, given = shape.copy(given or {}), set = shape.copy(set or {}), is_set = is_set }
  note_instances(into, changes)
  add_instances(into.given, spec, core.sections(spec))
  into.sections = core.sections(spec)
  merge(into, changes)
  merge_kinds(into, rawget(changes, KINDS))
  for i = 2, #into.sections do take_from(into, changes, i, into.sections[i].outer, 0) end
  local own = rawget(changes, "name")
  if own ~= nil and type(own) ~= "string" then core.fail("the name of a machine is text, not a " .. type(own)) end
  apply(into)
  apply_kinds(into)
  return core.make_machine(spec, into.given, into.set, own or name)
end

return machine

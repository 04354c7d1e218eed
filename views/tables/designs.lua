-- SPDX-License-Identifier: BSD-3-Clause
-- The file of named designs, configs/designs.lua: a table { ["comp-net"] = design { ... }, ... }.
local designs = {}

-- The value as written.
local function text(value) return (select(2, core.cell(value))) end

-- "published: ComPNet18, section 5.1"; "estimated, 1 to 64: why". nil of a plain value.
local function source_text(value)
  local of = core.unseal("gpunetsim.source", value)
  if not of then return nil end
  local bounds = of.low ~= nil and string.format(", %s to %s", text(of.low), text(of.high)) or ""
  return of.kind .. bounds .. ": " .. (of.source or of.claims or "")
end

-- What C takes of a design: its texts, and where the value of each axis comes from.
local function entry(path, name, value)
  local given, texts = core.design(value)
  if not name:find("^[a-z][a-z0-9_-]*$") then -- names occur in texts such as "comp-net{queue.memory=host}"
    error(string.format('%s: "%s" is not a name for a design; use small letters, digits, - and _', path, name), 0)
  elseif not given then
    error(string.format('%s: "%s" is a %s, not a design { ... }', path, name, type(value)), 0)
  end
  local of = { name = name, label = texts.label or name, design = value, sources = {} }
  for _, key in ipairs { "description", "source" } do
    of[key] = texts[key]
    if (of[key] or "") == "" then core.fail(string.format('design "%s" needs a %s = "..."', name, key)) end
  end
  for axis, one in next, given do of.sources[axis] = source_text(one) end
  return of
end

-- `names` are those of the table, sorted.
function designs.read(path, all, names)
  local list = {}
  for i, name in ipairs(names) do list[i] = entry(path, name, rawget(all, name)) end
  return list
end

return designs

-- SPDX-License-Identifier: BSD-3-Clause
-- A run as one file of JSON, resolved.json: the texts of the study and of all files that it requires, what was changed on
-- the command line, and the seed. From it the run can be repeated (views/rerun.lua), even if the files have changed.
local resolved = { FORMAT = "gpunetsim run 1" }

local function list(texts)
  local quoted = {}
  for i, text in ipairs(texts) do quoted[i] = core.quoted(text) end
  return "[" .. table.concat(quoted, ", ") .. "]"
end

local function axes_text(study)
  local parts = {}
  for i, axis in ipairs(program.axes(study)) do parts[i] = core.quoted(axis.name) .. ": " .. list(axis) end
  return table.concat(parts, ", ")
end

local function machine_text(study, points)
  local is_there, machine = pcall(program.point_machine, study, 0)
  local parts = {}
  local values = points > 0 and is_there and require "machine_values".of(machine) or {}
  for _, one in ipairs(values) do parts[#parts + 1] = core.quoted(one[1]) .. ": " .. core.quoted(one[2]) end
  return table.concat(parts, ", ")
end

-- A text that is not UTF-8, as of a comment in another encoding, is kept in base64.
local function file_text(file)
  local is_utf8 = utf8.len(file.text) ~= nil
  return string.format('\n  {"path": %s, "names": %s, %s: %s}', core.quoted(file.path), core.quoted(file.names),
                       is_utf8 and '"text"' or '"base64"', core.quoted(is_utf8 and file.text or program.base64(file.text)))
end

-- The file's text. For the reader's sake it has the axes and the machine of the first point too. The seed is a text, as a
-- number of 64 bits is not safe in JSON.
function resolved.text(study, overrides, seed)
  local about, files = program.about(study), {}
  for i, file in ipairs(program.files(study)) do files[i] = file_text(file) end
  return string.format('{"format": %s, "title": %s, "version": %s, "seed": "%d", "digest": %s, "overrides": %s, "points": %d, ' ..
                       '"axes": {%s}, "machine_of_first_point": {%s}, "files": [%s\n]}\n',
                       core.quoted(resolved.FORMAT), core.quoted(about.title), core.quoted(program.version()), seed,
                       core.quoted(about.digest), list(overrides or {}), about.points, axes_text(study),
                       machine_text(study, about.points), table.concat(files, ","))
end

return resolved

-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim doctor: checks that the other software which the program uses is there.
local export = require "export"
local terminal = require "terminal"

local LEAST_FREE_BYTES = 1 << 30

-- The first line of a program's output; nil if the program cannot be run.
local function first_words(line)
  local pipe = io.popen(line .. " 2>/dev/null")
  local words = pipe and pipe:read("a")
  return pipe and pipe:close() and words:match("^[^\n]*") or nil
end

-- Rows with each thing examined, its state and what was found; and whether everything needed is there.
local function examine()
  local rows, is_well = {}, true
  local function add(what, is_good, found, is_spare)
    rows[#rows + 1] = { what, is_good and "good" or "missing", found }
    is_well = is_well and (is_good or is_spare)
  end
  for _, part in ipairs(program.versions()) do
    if part[1] ~= "gnuplot" then add(part[1], true, part[2]) end
  end
  local works, simgrid = pcall(program.simgrid)
  add("SimGrid at work", works, works and simgrid or simgrid.sentence)
  add("cores", true, string.format("%d points at a time", program.cores()))
  local is_there, designs = pcall(core.folder, "configs/designs.lua")
  add("machines, designs, scenarios", is_there, is_there and designs or "set GPUNETSIM_ROOT to the project's folder")
  local gnuplot, mpi = first_words("gnuplot --version"), first_words("mpirun --version")
  add("gnuplot, for figures", gnuplot ~= nil, gnuplot or "Debian package gnuplot-nox")
  local font = first_words('fc-match "DejaVu Sans"') or ""
  local has_font = font:find("DejaVu Sans", 1, true) ~= nil
  add("font of figures", has_font, has_font and font or "Debian package fonts-dejavu-core")
  local free = program.free_bytes()
  add("disk", free >= LEAST_FREE_BYTES, string.format("%.1f GiB free here", free / LEAST_FREE_BYTES))
  add("MPI, for gpunetsim-mpi alone", mpi ~= nil, mpi or "Debian package openmpi-bin", true)
  return rows, is_well
end

return {
  options = { "json" },
  run = function(given)
    local rows, is_well = examine()
    local found = terminal.of_texts({ "what", "state", "found" }, rows, 3, 0)
    io.write(given.json and export.json(found) or terminal.whole(found)[1])
    program.exit(is_well and 0 or 1)
  end,
}

-- SPDX-License-Identifier: BSD-3-Clause
-- Draws figures by gnuplot from the scripts that figure.lua writes. gnuplot gets a folder of its own, and draws a figure in all
-- formats at once.
local files = require "files"
local svg = require "svg"
local gnuplot = {}

-- The files that the script writes (FORMATS of figure.lua), by format. One PDF is as wide as a paper's column (88 mm, or what the
-- study says), the other as a page (180 mm).
local FILES = { pdf = "figure.pdf", ["pdf-180mm"] = "figure-180mm.pdf", svg = "figure.svg", png = "figure.png" }
local SCRIPT = "figure.gp"

-- Variables of the environment that change what gnuplot draws. The time zone is UTC: else the length of a PDF's date would depend
-- on the place.
local LEFT_OUT = "GNUTERM GNUPLOT_LIB GNUPLOT_FONTPATH GNUPLOT_FIT_LOG GNUPLOT_PS_DIR FIT_LOG FIT_SCRIPT GDFONTPATH PAGER " ..
                 "GNUPLOT_DRIVER_DIR"
-- -d: gnuplot ignores the user's settings.
local LINE = "cd %s && unset " .. LEFT_OUT .. " && export TZ=UTC && exec gnuplot -d " .. SCRIPT .. " 2>&1 >/dev/null"
local NOT_FOUND = 127 -- the shell's exit code where there is no such program

local function fail(format, ...)
  error { sentence = "the figure is not drawn: " .. string.format(format, ...), code = core.ERROR_RUN }
end

local function quoted(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

-- The line of gnuplot's output that names the error.
local function complaint(words)
  local last = "no reason given"
  for line in words:gmatch "[^\n]+" do
    line = line:match "^%s*(.-)%s*$"
    if line ~= "" and line ~= "^" then last = line end
  end
  return last
end

local function run(folder)
  local pipe <close> = assert(io.popen(LINE:format(quoted(folder))))
  local words = pipe:read "a"
  local is_good, _, code = pipe:close()
  if is_good then return end
  if code == NOT_FOUND then fail "gnuplot is not installed (Debian package gnuplot-nox)" end
  fail("gnuplot failed: %s", complaint(words or ""))
end

-- A PDF contains the time of its drawing: this sets it to a fixed time of the same length, so that the same results give the same
-- bytes.
local function without_date(content)
  local _, last = content:find("/CreationDate (D:", 1, true)
  local date = "20000101000000"
  return last and content:sub(1, last) .. date .. content:sub(last + #date + 1) or content
end

local function read(path, format, values)
  local file <close> = io.open(path, "rb")
  local content = file and file:read "a" or ""
  if content == "" then fail "gnuplot wrote nothing" end
  return format == "svg" and svg.finish(content, values)[1] or without_date(content)
end

-- Draws the scripts of figure.scripts: the one that gnuplot runs, the one for readers, and the values that figure.svg shows.
-- Returns the contents of the files by format.
function gnuplot.draw(script, alone, values)
  local drawn = { gp = alone }
  local folder <close>, path = program.new_folder("gpunetsim-figure-")
  files.write_new(path, SCRIPT, script)
  run(path)
  for format, file in pairs(FILES) do drawn[format] = read(path .. "/" .. file, format, values) end
  return drawn
end

return gnuplot

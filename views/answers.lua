-- SPDX-License-Identifier: BSD-3-Clause
-- What explain, sensitivity, solve and params do with what they found: they print it, and write files whose ending is the format. Of a
-- command `given` are the options.
local command = require "command"
local files = require "files"
local points = require "points"
local run_options = require "run_options"
local answers = {}

local function ending_of(path) return path:match("^.*(%.[^.]*)$") end

-- Whether each -o ends in one of `endings` (".csv or .json").
function answers.check(given, endings)
  for _, output in ipairs(given.output or {}) do
    local ending, is_known = ending_of(output), false
    for known in endings:gmatch("%.%w+") do is_known = is_known or known == ending end
    if not is_known then command.fail("-o %s: the name ends in %s", output, endings) end
  end
end

-- Whether each can be written, before anything is run; `path` is the study's file as named.
function answers.prepare(given, study, path)
  local rules = { force = given.force, inputs = files.inputs(study, path, given.store) }
  for _, output in ipairs(given.output or {}) do files.prepare(output, rules) end
end

-- The study as variants (variants.lua), with outputs that may be written and its store open. Beside the functions there,
-- select(text) and label(point) are those of points.lua for this study.
function answers.variants(given, path)
  local study = program.load_study(path, given.set)
  answers.prepare(given, study, path)
  run_options.resolve(given, {})
  local variants = require "variants".of(study)
  variants.select = function(text) return points.select(variants.study, text) end
  variants.label = function(point) return points.label(variants.study, point) end
  return variants
end

-- The points that --point chooses, all if it is not given; at most `most`, which is as many as can be `done` ("explained at a time").
function answers.points(study, texts, most, done)
  local chosen = {}
  for _, text in ipairs(texts or { "" }) do
    local some = points.select(study, text)
    table.move(some, 1, #some, #chosen + 1, chosen)
  end
  if #chosen > most then
    command.fail("%d points are asked for, but at most %d can be %s: choose %s with --point=AXIS=VALUE,...; the first are %s and %s",
                 #chosen, most, done, most > 1 and "some" or "one", points.label(study, chosen[1]), points.label(study, chosen[2]))
  end
  return chosen
end

local CSV, JSON, SCRIPTS = 2, 3, 4 -- of an answer's texts, of which the first is shown
local TEXTS = { [".csv"] = CSV, [".json"] = JSON }

-- Whether one of the outputs is a figure.
function answers.draw(given)
  for _, output in ipairs(given.output or {}) do
    if not TEXTS[ending_of(output)] then return true end
  end
  return false
end

-- Prints what is found, or its JSON with --json, and writes each -o. `texts` are what is shown, the CSV and the JSON, and of what can
-- be drawn the scripts of its figure if answers.draw says so.
function answers.give(given, path, texts)
  local inputs = { path, given.store }
  if given.json then io.write(texts[JSON]) else core.print(texts[1]) end
  for _, output in ipairs(given.output or {}) do
    local ending = ending_of(output)
    local content = texts[TEXTS[ending]] or require "gnuplot".draw(table.unpack(texts, SCRIPTS))[ending:sub(2)]
    files.write(output, content, { force = given.force, inputs = inputs })
  end
end

return answers

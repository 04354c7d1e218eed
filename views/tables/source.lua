-- SPDX-License-Identifier: BSD-3-Clause
-- published(value, source) and similar words: values that say where they come from.
local source, type = {}, type

-- The arguments of a word behind the value; with claims the last text may be missing.
local WORDS = {
  published = { what = "the source" },
  measured = { what = "the source" },
  estimated = { what = "the reason", has_bounds = true },
  fitted = { what = "the reason", has_bounds = true, has_claims = true },
  inferred = { what = "the reason", has_bounds = true, has_claims = true },
}

local VALUES = { string = true, number = true, boolean = true }

local function check_value(value, word, part)
  if not VALUES[type(value)] then
    core.fail(string.format("%s: the %s has to be a quantity, a number, a name or a boolean, not %s", word, part, type(value)))
  end
  return value
end

local function is_text(value) return type(value) == "string" and #value > 0 end

-- "N-05" or { "N-05", "N-44" }, as "N-05 N-44".
local function claims_of(given, word)
  local is_list, list = type(given) == "table", {}
  for i = 1, is_list and core.length(given) or 1 do
    if is_list then list[i] = rawget(given, i) else list[i] = given end
    if not is_text(list[i]) then
      core.fail(word .. ": the claims it is fitted to are missing; give a list of their ids")
    end
  end
  if #list == 0 then core.fail(word .. ": the list of claims it is fitted to is empty") end
  return table.concat(list, " ")
end

-- An object of the parts: value, low, high, claims, source, and the word as `kind`.
local function tag(word, value, second, third, fourth, fifth)
  local of, low, high, claims, text = WORDS[word], nil, nil, nil, second
  check_value(value, word, "value")
  if of.has_bounds then
    low, high, text = check_value(second, word, "low"), check_value(third, word, "high"), fourth
  end
  if of.has_claims then claims, text = claims_of(fourth, word), fifth end
  if not is_text(text) and not (of.has_claims and text == nil) then
    core.fail(word .. ": " .. of.what .. " is missing; give it as text")
  end
  return core.seal("gpunetsim.source", { kind = word, value = value, low = low, high = high, claims = claims, source = text })
end

for word in next, WORDS do
  source[word] = function(...) return tag(word, ...) end
end

return source

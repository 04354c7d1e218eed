-- SPDX-License-Identifier: BSD-3-Clause
-- published(value, source) and its like: values that say where they come from.
local source = {}

-- What a word takes behind the value; with claims the last text may be missing.
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

-- The parts: value, low, high, claims, source; `kind` is the number of the word.
function source.tag(word, kind, value, ...)
  local of, rest, at = WORDS[word], { ... }, 1
  local parts = { kind = kind, value = check_value(value, word, "value") }
  if of.has_bounds then
    parts.low, parts.high = check_value(rest[1], word, "low"), check_value(rest[2], word, "high")
    at = 3
  end
  if of.has_claims then
    parts.claims = claims_of(rest[at], word)
    at = at + 1
  end
  parts.source = rest[at]
  if not is_text(parts.source) and not (of.has_claims and parts.source == nil) then
    core.fail(word .. ": " .. of.what .. " is missing; give it as text")
  end
  return parts
end

return source

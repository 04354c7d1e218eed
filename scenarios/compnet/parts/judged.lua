-- SPDX-License-Identifier: BSD-3-Clause
-- The claims of ComPNet18 on a fraction of its figures (parts/fractions.lua), judged as the figures' own scenarios judge them: on many
-- machines (scenarios/compnet/inferred_applications.lua), and under many readings (scenarios/compnet/readings.lua), with the default
-- that claims/readings.lua's rule gives.

local fig04, fig07, fig08 = require "parts.fig04", require "parts.fig07", require "parts.fig08"
local fig09, fig10 = require "parts.fig09", require "parts.fig10"

local judged = { edges = fig09.edges }

-- --- claims ---------------------------------------------------------------------------------------

-- `of(figure, design)` is that run's row. Tells whether the claim holds and, of some, the number that decides it.
local claims = {}

local function claim(id, figure, holds)
  claims[#claims + 1] = { id = id, figure = figure, holds = holds }
end

claim("N-05", "Fig 4", function(of)
  local row = of("Fig 4", "dgpu-host-queue")
  return fig04.is_five_to_eighty(row.t1_1, row.t1_256)
end)
claim("N-06", "Fig 4", function(of)
  local function ratio(groups) return of("Fig 4", "dgpu")["t1_" .. groups] / of("Fig 4", "dgpu-host-queue")["t1_" .. groups] end
  local _, _, holds = fig04.slower({ 1, 16, 256 }, ratio)
  return holds
end)
claim("N-10", "Fig 4", function(of)
  local function time(groups, threads) return of("Fig 4", "dgpu")["t" .. threads .. "_" .. groups] end
  return fig04.rises_and_falls({ 1, 16, 256 }, { 1, 16 }, time)
end)

local streams = { 0, 8, 39 }

local function hit_of(of)
  return function(locking, count) return of(locking == "on" and "Fig 7, locked" or "Fig 7", "comp-net")["hit_" .. count] end
end

claim("N-12", "Fig 7", function(of)
  local alone = hit_of(of)("off", 0)
  return fig07.is_high(alone), alone
end)
claim("N-13", "Fig 7", function(of)
  local worst = fig07.worst(hit_of(of), "off", streams)
  return fig07.falls(worst, fig07.largest_rise(hit_of(of), streams)), worst
end)
claim("N-14", "Fig 7", function(of)
  local kept = fig07.kept(hit_of(of), streams)
  return kept >= 80, kept
end)
claim("N-15", "Fig 7", function(of)
  local locked = of("Fig 7, locked", "comp-net")
  local longest = math.max(locked.lock_8, locked.lock_39)
  return fig07.is_locked_for_a_microsecond(math.min(locked.lock_8, locked.lock_39), longest), longest
end)

local loads, small, both = { "load_2", "load_16" }, { "get_8B", "get_512B" }, { "comp-net", "apu" }

local function time_of(of)
  return function(design, column) return of("Fig 8", design)[column] end
end

local function energy(of, one, other)
  local function one_of(name) return of("Fig 8", name).energy_2 * (name == "comp-net" and of("power") or 1) end
  return one_of(one) / one_of(other)
end

claim("N-39", "Fig 8", function(of) return fig08.ratios(time_of(of), small, both) >= 2 end)
claim("N-40", "Fig 8", function(of)
  local time = time_of(of)
  local _, holds = fig08.spread(time("dgpu", "get_1MiB"), time("apu", "get_1MiB"), time("comp-net", "get_1MiB"))
  return holds
end)
claim("N-41", "Fig 8", function(of) return fig08.ratios(time_of(of), loads, both) > 1 end)
claim("N-42", "Fig 8", function(of) return fig08.ratios(time_of(of), loads, { "comp-net" }) > fig08.poor end)
claim("N-44", "Fig 8", function(of) return fig08.near(energy(of, "comp-net", "dgpu"), 1 / 3) end)
claim("N-45", "Fig 8", function(of) return fig08.near(energy(of, "comp-net", "apu"), 1 / 2) end)
claim("N-46", "Fig 8", function(of) return fig08.near(energy(of, "apu", "dgpu"), 2 / 3) end)
claim("N-47", "Fig 8", function(of)
  local _, holds = fig08.alike(time_of(of), { "get_8B", "get_512B", "get_1MiB", "load_2", "load_16" })
  return holds
end)

local function times_of(of)
  return function(name, edge) return of("Fig 9", name)["edge_" .. edge] end
end

claim("N-48", "Fig 9", function(of)
  local ratio = fig09.fastest_on_gpu(times_of(of), 64) / times_of(of)("cpu", 64)
  return ratio > 1, ratio
end)
claim("N-49", "Fig 9", function(of)
  local mean = fig09.gain(times_of(of))
  return mean >= 10 and mean <= 20, mean
end)
claim("N-50", "Fig 9", function(of)
  local spread = fig09.spread(times_of(of), 4096)
  return spread < 1.10, spread
end)
claim("N-51", "Fig 9", function(of)
  local first, third = fig09.regions(times_of(of))
  return first >= 1 and third > first + 1 and third <= #judged.edges
end)

local function allreduce_of(of)
  return function(design, nodes) return of("Fig 10", design)["nodes_" .. nodes] end
end

claim("N-53", "Fig 10", function(of)
  local spread, holds = fig10.spread(allreduce_of(of), 2)
  return holds, spread
end)
claim("N-54", "Fig 10", function(of)
  local _, many, holds = fig10.gaps(allreduce_of(of), 2, 8)
  return holds, many
end)
claim("N-56", "Fig 10", function(of)
  local function energy_of(design, nodes)
    return of("Fig 10", design)["energy_" .. nodes] * (design == "comp-net" and of("power") or 1)
  end
  local dgpu, apu = fig10.lower(energy_of, "dgpu", { 2, 8 }), fig10.lower(energy_of, "apu", { 2, 8 })
  return fig10.is_half(dgpu) and fig10.is_half(apu), dgpu
end)

-- --- which readings a claim hangs on --------------------------------------------------------------

local energies = { ["N-44"] = true, ["N-45"] = true, ["N-56"] = true }

-- Evaluates a claim under chosen readings, and notes which of them its runs have.
local function evaluate(study, one, chosen)
  local seen = {}
  local is_good, holds = pcall(one.holds, function(figure, design)
    if figure == "power" then
      seen.power = true
      return (study.by_name.power.choices[chosen.power].argument or { energy = 1 }).energy
    end
    local part = study.part_of[figure .. " " .. design]
    for _, name in ipairs(part.by) do seen[name] = true end
    return study.rows[study.key_of(part, chosen)]
  end)
  return is_good and holds, seen
end

-- The readings a claim's runs have, in the order of the file.
local function find_readings(study, one)
  local first, is_on = {}, {}
  for _, name in ipairs(study.names) do first[name] = 1 end
  local _, seen = evaluate(study, one, first)
  for _, part in ipairs(study.parts) do -- a claim that holds at once has not looked at all
    if part.figure:match("^Fig %d+") == one.figure then
      for _, name in ipairs(part.by) do is_on[name] = true end
    end
  end
  is_on.power = seen.power or energies[one.id]
  one.readings = {}
  for _, name in ipairs(study.names) do
    if is_on[name] then one.readings[#one.readings + 1] = name end
  end
end

-- Whether the claim holds under chosen readings, remembered.
local function holds(study, one, chosen)
  local key = {}
  for i, name in ipairs(one.readings) do key[i] = chosen[name] end
  key = table.concat(key, " ")
  if one.known[key] == nil then one.known[key] = evaluate(study, one, chosen) and true or false end
  return one.known[key]
end

local function count_held(study, chosen, is_of)
  local held = 0
  for _, one in ipairs(claims) do
    if is_of(one) and holds(study, one, chosen) then held = held + 1 end
  end
  return held
end

-- --- tables ---------------------------------------------------------------------------------------

-- Of each choice, in how many percent of the combinations that have it each claim holds; "" where the claim's runs have no such reading.
local function share_table(study)
  local of = { title = "Claims by readings: percent of all combinations with this choice in which the claim holds",
               columns = { "reading", "choice" }, rows = {} }
  local cells = {}
  for _, one in ipairs(claims) do
    of.columns[#of.columns + 1] = one.id
    cells[one.id] = {}
    study.combine(one.readings, function(chosen)
      local held = holds(study, one, chosen)
      for _, name in ipairs(one.readings) do
        local key = name .. " " .. chosen[name]
        local cell = cells[one.id][key] or { 0, 0 }
        cell[1], cell[2] = cell[1] + (held and 1 or 0), cell[2] + 1
        cells[one.id][key] = cell
      end
    end)
  end
  for _, name in ipairs(study.names) do
    for number, choice in ipairs(study.by_name[name].choices) do
      local row = { name, choice.name }
      for _, one in ipairs(claims) do
        local cell = cells[one.id][name .. " " .. number]
        row[#row + 1] = cell and string.format("%.0f", 100 * cell[1] / cell[2]) or ""
      end
      of.rows[#of.rows + 1] = row
    end
  end
  return of
end

-- The readings that the claims of a set hang on.
local function readings_of(study, is_of)
  local is_on, names = {}, {}
  for _, one in ipairs(claims) do
    for _, name in ipairs(is_of(one) and one.readings or {}) do is_on[name] = true end
  end
  for _, name in ipairs(study.names) do
    if is_on[name] then names[#names + 1] = name end
  end
  return names
end

-- The best choices by rank of each reading, as the rule has it.
local function best_ranked(study, ranks)
  local good = {}
  for _, name in ipairs(study.names) do
    local least = math.huge
    for _, choice in ipairs(study.by_name[name].choices) do least = math.min(least, ranks[choice.by]) end
    good[name] = {}
    for number, choice in ipairs(study.by_name[name].choices) do good[name][number] = ranks[choice.by] == least end
  end
  return good
end

-- The combination that holds most claims of a set, of those that `good` lets pass; what the set does not look at is the first that passes.
local function choose(study, is_of, good)
  local best, most = nil, -1
  local default = {}
  for _, name in ipairs(study.names) do
    for number = #study.by_name[name].choices, 1, -1 do
      if good[name][number] then default[name] = number end
    end
  end
  study.combine(readings_of(study, is_of), function(chosen)
    for name, number in pairs(chosen) do
      if not good[name][number] then return end
    end
    local held = count_held(study, chosen, is_of)
    if held > most then
      best, most = {}, held
      for name, number in pairs(default) do best[name] = chosen[name] or number end
    end
  end)
  return best
end

local function is_first(one) return one.figure == "Fig 4" or one.figure == "Fig 7" or one.figure == "Fig 8" end
local function is_second(one) return not is_first(one) end

local function choice_table(study, columns)
  local of = { title = "The choices", columns = { "reading" }, rows = {} }
  for i, column in ipairs(columns) do of.columns[i + 1] = column.name end
  for _, name in ipairs(study.names) do
    local row = { name }
    for i, column in ipairs(columns) do row[i + 1] = study.by_name[name].choices[column.chosen[name]].name end
    of.rows[#of.rows + 1] = row
  end
  return of
end

-- "chosen by" claims are marked with a dot: they predict nothing.
local function claim_table(study, columns)
  local of = { title = "Their claims (a dot: the choice was made by claims of this set, so it predicts nothing)",
               columns = { "claim", "figure" }, rows = {} }
  for _, column in ipairs(columns) do of.columns[#of.columns + 1] = column.name end
  for _, one in ipairs(claims) do
    local row = { one.id, one.figure }
    for _, column in ipairs(columns) do
      local text = holds(study, one, column.chosen) and "holds" or "missed"
      row[#row + 1] = column.by and column.by(one) and text .. " ." or text
    end
    of.rows[#of.rows + 1] = row
  end
  local sums = { "held", "of " .. #claims }
  for _, column in ipairs(columns) do
    sums[#sums + 1] = string.format("%d and %d", count_held(study, column.chosen, is_first), count_held(study, column.chosen, is_second))
  end
  of.rows[#of.rows + 1] = sums
  return of
end

function judged.conclude(study)
  study.by_name, study.part_of = {}, {}
  for _, reading in ipairs(study.readings) do study.by_name[reading.name] = reading end
  for _, part in ipairs(study.parts) do study.part_of[part.figure .. " " .. part.design] = part end
  local ranks, all, first = study.readings.ranks, {}, {}
  for _, one in ipairs(claims) do
    one.known = {}
    find_readings(study, one)
  end
  for _, name in ipairs(study.names) do
    all[name], first[name] = {}, 1
    for number in ipairs(study.by_name[name].choices) do all[name][number] = true end
  end
  local good = best_ranked(study, ranks)
  local columns = {
    { name = "scenarios", chosen = first },
    { name = "by Figs 4, 7, 8", chosen = choose(study, is_first, good), by = is_first },
    { name = "by Figs 9, 10", chosen = choose(study, is_second, good), by = is_second },
    { name = "by Figs 4, 7, 8, guesses too", chosen = choose(study, is_first, all), by = is_first },
    { name = "by Figs 9, 10, guesses too", chosen = choose(study, is_second, all), by = is_second },
  }
  return { share_table(study), choice_table(study, columns), claim_table(study, columns) }
end

-- --- machines -------------------------------------------------------------------------------------

-- A claim on one machine: "holds" or "missed", with the number that decides it.
local function verdict(one, of)
  local holds, number = one.holds(of)
  return (holds and "holds" or "missed") .. (number and string.format(", %.3g", number) or ""), holds, number
end

-- The claims of `figures`, as a table: what comes of each on the machines `shown`, by name, and on how many of the `set` it holds, with
-- the range of the number. `of(machine, figure, design)` is that run's row.
function judged.by_machine(figures, shown, set, of)
  local result = { title = "The claims of these figures, which set no value", columns = { "claim", "figure" }, rows = {} }
  for _, name in ipairs(shown) do result.columns[#result.columns + 1] = name end
  table.move({ "holds on", "from", "to" }, 1, 3, #result.columns + 1, result.columns)
  local function on(machine)
    return function(figure, design) return figure == "power" and 1 or of(machine, figure, design) end
  end
  for _, one in ipairs(claims) do
    if figures[one.figure] then
      local row, count, low, high = { one.id, one.figure }, 0, math.huge, -math.huge
      for _, name in ipairs(shown) do row[#row + 1] = (verdict(one, on(name))) end
      for _, name in ipairs(set) do
        local _, holds, number = verdict(one, on(name))
        count, low, high = count + (holds and 1 or 0), math.min(low, number or math.huge), math.max(high, number or -math.huge)
      end
      row[#row + 1] = count .. " of " .. #set
      table.move(low <= high and { string.format("%.3g", low), string.format("%.3g", high) } or { "", "" }, 1, 2, #row + 1, row)
      result.rows[#result.rows + 1] = row
    end
  end
  return result
end

return judged

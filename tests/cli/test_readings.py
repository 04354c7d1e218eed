# SPDX-License-Identifier: BSD-3-Clause
"""claims/readings.lua as its head states it, and the machines that ComPNet18's claims infer: as many as are told, each within what is told."""
import csv
import re
import unittest

from program import PROJECT, ProgramTest

STUDY = """
local readings = require "claims.readings"
local claims = { %s }
local function want(is_so, reading, what) if not is_so then error(reading.name .. ": " .. what) end end
local function is_text(value) return type(value) == "string" and value ~= "" end
local names, run = {}, 0
for _, reading in ipairs(readings) do
  want(not names[reading.name], reading, "stands twice")
  names[reading.name] = true
  want(is_text(reading.paper) and is_text(reading.words), reading, "has no words")
  want(#reading.choices >= 2 and #reading.choices <= 4, reading, "has not two to four choices")
  want(#reading.decides > 0, reading, "decides nothing")
  for _, id in ipairs(reading.decides) do want(claims[id], reading, id .. " is no claim") end
  for number, choice in ipairs(reading.choices) do
    want(is_text(choice.allows) and readings.ranks[choice.by], reading, choice.name .. " is allowed by nothing")
    local sets = choice.machine or choice.design or choice.argument
    want(reading.missing or (number == 1) == (sets == nil), reading, choice.name .. ": the first sets nothing, the others something")
    want(not (reading.missing and sets), reading, "is not run, and sets something")
  end
  run = run + (reading.missing and 0 or 1)
end
return study {
  title = "Readings", machine = machine { name = "plain" }, vary = { { "x", { 1 } } },
  run = function() return { readings = #readings, run = run } end,
}
"""


class Readings(ProgramTest):
    def claims(self):
        return [line.split("\t")[0] for line in (PROJECT / "claims/claims.tsv").read_text().splitlines()[1:]]

    def test_file(self):
        self.write("s.lua", STUDY % ", ".join(f'["{claim}"] = true' for claim in self.claims()))
        self.succeed("run", "s.lua", "--no-plot", "-o", "csv:r.csv")
        with (self.folder / "r.csv").open() as file:
            row = next(csv.DictReader(file))
        self.assertEqual([row["readings"], row["run"]], ["24", "15"])

    def test_set_of_machines(self):
        """Each value's least and most over the machines of the set are the range that the best machine's file tells."""
        def number(text):
            digits, unit = re.fullmatch(r'"?([\d.]+)(\w*)"?', text.strip()).groups()
            return float(digits) * (1e-3 if unit == "mW" else 1)

        told = re.findall(r"(\w+) = of_set\([^,]+, ([^,]+), ([^,]+),", (PROJECT / "configs/gem5_node.lua").read_text())
        text = (PROJECT / "scenarios/compnet/parts/as_good.lua").read_text()
        keys = re.findall(r'\{ "\w+", "(\w+)" \}', text)
        machines = [row.split(", ") for row in re.findall(r'(?m)^  \{ "(?:least|most) [^"]*", (.*) \},$', text)]
        self.assertGreaterEqual(len(machines), len(keys))
        columns = [list(map(number, column)) for column in zip(*machines)]
        found = sorted((key, min(column), max(column)) for key, column in zip(keys, columns, strict=True))
        told = sorted((key, number(low), number(high)) for key, low, high in told)
        for (key, *ends), (name, *shown) in zip(found, told, strict=True):
            self.assertEqual(key, name)
            for end, limit in zip(ends, shown):
                self.assertAlmostEqual(end, limit, delta=0.03 * limit, msg=key)


if __name__ == "__main__":
    unittest.main()

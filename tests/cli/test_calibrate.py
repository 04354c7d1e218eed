# SPDX-License-Identifier: BSD-3-Clause
"""gpunetsim calibrate: finds values that a closed form tells, and says what the measurements leave open."""
import unittest

from program import ProgramTest

# A copy of nothing takes call + setup + the link's latency + synchronize: 0.5 us beside what is fitted.
STUDY = """
local cuda = require "benchmarks.parts.cuda"
return study {
  title = "Copies",
  machine = machine {
    name = "one", nodes = 1,
    node = { sockets = 1, gpus_per_socket = 2, gpu_link = "nvlink" },
    nvlink = { latency = "100ns" },
    cuda = { copy_setup = "400ns", copy_call = %s, synchronize = %s },
  },
  vary = { { "bytes", { "1B" } } },
  run = function(p)
    local r = cuda.copy { direction = "host-to-device", bytes = p.bytes }
    return { simulated = r.time:us(), target = %s, tolerance = 0.1 }
  end,
}
"""


class Calibrate(ProgramTest):
    def calibrate(self, *values):
        self.write("study.lua", STUDY % values)
        out = self.succeed("calibrate", "study.lua", "-j", "1")
        rows = [line.split() for line in out.splitlines()]
        return {row[0]: row[1:] for row in rows if row and row[0].startswith("cuda.")}, out

    @staticmethod
    def us(text):
        return float(text[:-2]) / (1000 if text.endswith("ns") else 1)

    def span(self, row, first):
        return [self.us(row[first]), self.us(row[first + 2])]

    def test_one_value(self):
        """5 us in all: the call takes 5 - 0.5 - 2 = 2.5 us, and may be off by what makes 10 % of the whole."""
        rows, out = self.calibrate('fitted("8us", "1us", "10us", { "P-B06" }, "somewhere")', '"2us"', "5.0")
        row = rows["cuda.copy_call"]
        self.assertAlmostEqual(self.us(row[0]), 2.5, delta=0.1)
        low, high = self.span(row, 4)
        self.assertAlmostEqual(low, 5 * 0.9 - 2.5, delta=0.15)
        self.assertAlmostEqual(high, 5 * 1.1 - 2.5, delta=0.15)
        self.assertIn("yes", out)

    def test_two_values_that_share_a_time(self):
        """Only their sum is measured: each is free while the other makes up for it."""
        fitted = 'fitted("2us", "1us", "4us", { "P-B06" }, "somewhere")'
        rows, _ = self.calibrate(fitted, fitted, "5.5")
        for row in rows.values():
            alone, together = self.span(row, 4), self.span(row, 7)
            self.assertLess(alone[1] - alone[0], 1.3)
            self.assertLess(together[0], 1.5)
            self.assertGreater(together[1], 3.2)

    def test_what_no_value_meets(self):
        rows, out = self.calibrate('fitted("2us", "1us", "4us", { "P-B06" }, "somewhere")', '"2us"', "50.0")
        self.assertAlmostEqual(self.us(rows["cuda.copy_call"][0]), 4, delta=0.2)
        self.assertIn("no", out.split())

    def test_same_again(self):
        values = ('fitted("8us", "1us", "10us", { "P-B06" }, "somewhere")', '"2us"', "5.0")
        self.assertEqual(self.calibrate(*values)[1], self.calibrate(*values)[1])

    def test_kept_values_and_bands(self):
        """Nothing is searched for; a claim of another study is answered at both ends of the span."""
        self.write("study.lua", STUDY % ('fitted("2us", "1us", "4us", { "P-B06" }, "x")', '"2us"', "4.5"))
        self.write("band.lua", STUDY.replace("\n}\n", """
  claims = { ["P-B06"] = function(r)
    local time = r:value { bytes = "1B" }.simulated
    return { obtained = time, holds = time < 4.6 }
  end },
}
""") % ('fitted("2us", "1us", "4us", { "P-B06" }, "x")', '"2us"', "4.5"))
        out = self.succeed("calibrate", "study.lua", "--keep", "--band", "band.lua", "-j", "1")
        rows = {line.split()[0]: line.split()[1:] for line in out.splitlines() if line.strip()}
        self.assertEqual(rows["cuda.copy_call"][0], "2us")
        use, least, most, held = rows["P-B06"]
        self.assertEqual(use, "fit")
        self.assertAlmostEqual(float(least), 4.05, delta=0.1)
        self.assertAlmostEqual(float(most), 4.95, delta=0.1)
        self.assertEqual(held, "66")

    def test_bad_use(self):
        for text, sentence in (
                ('return machine { name = "one" }', "is a machine"),
                (STUDY % ('"1us"', '"1us"', "5.0"), "has no fitted value"),
                (STUDY % ('fitted("2us", "1us", "4us", { "P-B06" }, "x")', '"1us"', "-5.0"), "all above 0")):
            self.write("study.lua", text)
            self.assertIn(sentence, self.fail_with(2, "calibrate", "study.lua"))
        self.assertIn("at least 1", self.fail_with(2, "calibrate", "study.lua", "--evaluations", "0"))


if __name__ == "__main__":
    unittest.main()

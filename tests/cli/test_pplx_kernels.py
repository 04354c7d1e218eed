# SPDX-License-Identifier: BSD-3-Clause
"""Dispatch by a proxy and by the kernel on up to 128 GPUs: orderings that were published (V-126 to V-133), and that more GPUs and
more tokens take no less time, dispatch and combine, packed and by token. Phases are fixed, so that each point is one run: over drawn ones its
times move by a hundredth of what is judged here."""
import csv
import unittest

from program import ProgramTest, unless_sanitized

STUDY = """
local pplx = require "scenarios.libraries.parts.pplx_kernels"
return study {
  title = "t", machine = pplx.machine(128, { software = { phases = "fixed" } }),
  vary = %s,
  run = function(p)
    local r = pplx.dispatch(p.library, p.gpus, { %s })
    return { dispatch = r.dispatch, both = r.duration }
  end,
}
"""


@unless_sanitized
class PplxKernels(ProgramTest):
    def rows(self, vary, changes):
        (self.folder / "t.lua").write_text(STUDY % (vary, changes))
        self.succeed("run", "t.lua", "--no-plot", "--output", "csv:r.csv", "--out", "out", "--force")
        with (self.folder / "r.csv").open() as results:
            return list(csv.DictReader(results))

    def test_128(self):
        rows = self.rows('{ gpus = { 128 }, library = { "nvshmem-ibrc", "nvshmem-ibgda" } }', "")
        took = {row["library"]: float(row["dispatch_us"]) for row in rows}
        self.assertGreater(took["nvshmem-ibrc"], 2 * took["nvshmem-ibgda"])

    def test_trends(self):
        rows = self.rows('{ gpus = { 16, 32, 64 }, tokens = { 1, 8 }, packing = { "packed", "token" }, '
                         'library = { "nvshmem-ibrc", "nvshmem-ibgda" } }',
                         'tokens = p.tokens, packing = p.packing, phase = "both", work_groups = 26 + 9 * math.min(p.tokens, 4)')
        took = {(row["library"], row["packing"], int(row["tokens"]), int(row["gpus"])):
                (float(row["dispatch_us"]), float(row["both_us"])) for row in rows}
        for (library, packing, tokens, gpus), (dispatch, both) in took.items():
            with self.subTest(library=library, packing=packing, tokens=tokens, gpus=gpus):
                self.assertLess(dispatch, both)
                self.assertLess(both, 2000)
                if gpus > 16:
                    before = took[library, packing, tokens, gpus // 2]
                    self.assertGreater(dispatch, 0.97 * before[0])
                    self.assertGreater(both, 0.97 * before[1])
                if tokens == 8:
                    self.assertGreater(both, 0.97 * took[library, packing, 1, gpus][1])


if __name__ == "__main__":
    unittest.main()

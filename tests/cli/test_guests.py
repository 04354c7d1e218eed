# SPDX-License-Identifier: BSD-3-Clause
"""A kernel and a job on one machine (scenarios/whatif/parts/guests.lua): each alone gives what its own workload does, to the
picosecond; together they share links, NICs and cores."""
import json
import unittest

from program import ProgramTest

STUDY = """local node = require "configs.gcn3_node"
local guests = require "scenarios.whatif.parts.guests"
return study { title = "Guests", vary = { case = { %s } },
  machine = node { nodes = 2, transport = { kind = "segment" }%s },
  run = function(p) return %s end }
"""

ALONE = """(function()
  local function kernel(design, bytes)
    local own = get_latency { design = design, bytes = bytes, repeats = 50 }
    return { guest = guests { kernel_design = design, kernel_bytes = bytes, gets = 50 }.get, own = own.latency }
  end
  local function job(design, bytes)
    local own = osu_latency { design = design, bytes = bytes, placement = "inter-node", iterations = 50, warmup = 4 }
    return { guest = guests { job_design = design, job_bytes = bytes, messages = 50 }.message, own = own.latency }
  end
  local design, bytes = string.match(p.case, "(.*) (.*)")
  return (kernels[design] and kernel or job)(design, bytes)
end)()"""

KERNELS, JOBS = ("comp-net", "dgpu", "gpu-verbs"), ("charm-channel", "cp-channel", "openmpi-d", "ampi-h")
BIG = 'kernel_bytes = "1MiB", job_bytes = "1MiB", work_groups = 4, gets = 10, messages = 10'


class Guests(ProgramTest):
    def rows(self, cases, call, machine="", phases="drawn"):
        """By case: the measures of the point."""
        self.write("s.lua", STUDY % (", ".join(json.dumps(case) for case in cases), machine, call))
        code, out, err = self.run_program("run", "s.lua", "-o", "json:-", "--no-plot", "-s", f"software.phases={phases}")
        self.assertEqual(code, 0, err)
        return {row.pop("case"): row for row in json.loads(out)}

    def of(self, kernel, job, more="", machine=""):
        """Of the kernel alone, the job alone, and both at once."""
        designs = {"kernel": f'kernel_design = "{kernel}", ', "job": f'job_design = "{job}", '}
        designs["both"] = designs["kernel"] + designs["job"]
        calls = ", ".join(f"{name} = function() return guests {{ {design} {more} }} end" for name, design in designs.items())
        return self.rows(designs, f"({{ {calls} }})[p.case]()", machine)

    def test_alone(self):
        cases = [f"{design} {size}" for design in KERNELS + JOBS for size in ("8B", "64KiB")]
        names = ", ".join(f'["{name}"] = true' for name in KERNELS)
        rows = self.rows(cases, ALONE.replace("kernels[design]", f"({{ {names} }})[design]"), phases="fixed")
        for case, row in rows.items():
            barrier = 32 / 1.5e3 if case.startswith(KERNELS) else 0  # of the work-group, behind the operation that get_latency measures
            self.assertLessEqual(abs(row["guest_us"] - barrier - row["own_us"]), 1.1e-6, case)  # each is rounded to a picosecond

    def test_contention(self):
        """Large payloads share the wire, so both take longer, and each less than if it had to wait for all of the other's.
        Work-groups that pull triggers are a kernel, too."""
        for kernel, job in (("comp-net", "charm-channel"), ("comp-net", "cp-channel"), ("comp-net", "openmpi-d"),
                            ("triggered", "charm-channel")):
            with self.subTest(kernel=kernel, job=job):
                row = self.of(kernel, job, BIG)
                get, message = row["kernel"]["get_us"], row["job"]["message_us"]
                self.assertGreater(row["both"]["get_us"], 1.05 * get)
                self.assertGreater(row["both"]["message_us"], 1.2 * message)
                self.assertLess(row["both"]["get_us"], get + 10 * message)

    def test_small(self):
        """Small operations leave a machine nearly to each other, and never gain by company."""
        row = self.of("comp-net", "charm-channel")
        for guest, measure in (("kernel", "get_us"), ("job", "message_us")):
            self.assertGreaterEqual(row["both"][measure], row[guest][measure])
            self.assertLess(row["both"][measure], 1.02 * row[guest][measure])

    def test_same_again(self):
        call = f'guests {{ kernel_design = "comp-net", job_design = "charm-channel", {BIG} }}'
        rows = self.rows(("once", "again"), call)
        self.assertEqual(rows["once"], rows["again"])

    def test_cores(self):
        """As many cores as both take are enough, and one less is not."""
        for kernel, job, cores, enough in (("comp-net", "cp-channel", "cp", 2), ("dgpu", "openmpi-d", "host", 4)):
            served = f'design {{ from = "{kernel}", service_threads = 3 }}' if cores == "host" else f'"{kernel}"'
            given = f'kernel_design = {served}, job_design = "{job}", gets = 4, messages = 4'
            of = "socket 0" if cores == "host" else "GPU 0"
            self.rows(("enough",), f"guests {{ {given} }}", f", {cores} = {{ cores = {enough} }}")
            self.assert_refused(given, f"place 0: all cores of {of} of node 0 are taken ({cores}.cores is {enough - 1})",
                                f", {cores} = {{ cores = {enough - 1} }}")

    def test_pcie(self):
        """Bulk of ranks and requests of a kernel that polls and posts across PCIe: each makes the other one slower, the more of it
        there is; bulk of many bytes by no more than the bytes of the requests take."""
        lost = 0
        for groups in (1, 8, 64):
            row = self.of("dgpu-host-queue", "openmpi-d", f'work_groups = {groups}, job_bytes = "4MiB", messages = 4')
            alone = row["job"]["message_us"]
            more = row["both"]["message_us"] - alone
            self.assertGreater(more, lost)
            self.assertLess(more, alone / 4)
            self.assertGreater(row["both"]["get_us"], row["kernel"]["get_us"])
            lost = more

    def assert_refused(self, given, sentence, machine=""):
        self.write("s.lua", STUDY % ('"one"', machine, f"guests {{ {given} }}"))
        code, _, err = self.run_program("run", "s.lua", "--no-plot", "--out", "refused", "--force")
        self.assertEqual(code, 1)
        self.assertIn(sentence, err)

    def test_refusals(self):
        self.assert_refused('kernel_design = "openmpi-d"', "transfers of design openmpi-d are started by host processes")
        self.assert_refused('job_design = "comp-net"', "transfers of design comp-net are started by work-groups")
        self.assert_refused('kernel_design = "apu", job_design = "openmpi-d"', "designs of discrete and of coherent nodes do not share a machine")


if __name__ == "__main__":
    unittest.main()

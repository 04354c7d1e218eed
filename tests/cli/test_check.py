# SPDX-License-Identifier: BSD-3-Clause
"""What `check` says of a study is what a run of it then shows: settings and arguments that nothing reads, published values,
programs whose functions change what they see outside."""
import unittest

from program import ProgramTest, unless_sanitized

STUDY = """local node = require "configs.gcn3_node"
return study { title = "t", machine = node { nodes = 2, %s }, vary = { k = { %s } },
  run = function(p) %s end,
  %s
}
"""
GET = 'return { t = get_latency { design = "dgpu", bytes = "8B", repeats = 1 }.latency }'
TWENTY = ", ".join(str(number) for number in range(1, 21))


class Check(ProgramTest):
    def study(self, machine="", values="1, 2", run=GET, more=""):
        return self.write("s.lua", STUDY % (machine, values, run, more))

    def test_settings_that_no_point_reads(self):
        """A rehearsal cannot know it of these: a point is run, as all of them are by a run."""
        self.study("nic = { fetch_depth = 3 }")
        sentence = "s.lua: at k=1: nic.fetch_depth was set, but no queue of this run is fetched."
        self.assertEqual(self.fail_with(2, "check", "s.lua"), sentence)
        code, _, err = self.run_program("run", "s.lua", "--no-plot")
        self.assertEqual(code, 1)
        self.assertIn("2 of 2 points failed; at k=1: " + sentence.split("k=1: ")[1], err)

    def test_settings_of_many_points(self):
        """Eight points are no proof for twenty."""
        self.study("nic = { fetch_depth = 3 }", TWENTY)
        code, out, err = self.run_program("check", "s.lua")
        self.assertEqual((code, out), (0, "s.lua: no faults found; 20 points\n"))
        self.assertIn("as at all 8 points that were tried: nic.fetch_depth was set", self.only_sentence(err))

    def test_settings_that_a_point_reads(self):
        self.study("gpu = { directory_latency = '50ns' }", TWENTY,
                   'return { t = get_latency { design = p.k > 9 and "apu" or "dgpu", bytes = "8B", repeats = 1 }.latency }')
        self.assertEqual(self.succeed("check", "s.lua"), "s.lua: no faults found; 20 points\n")

    def test_programs_that_change_what_they_see(self):
        """Their functions do not run in a rehearsal, so what comes of that is no fault; what comes of a run is one."""
        run = """local last, w = nil, program { design = "dgpu", once = true }
    w:parties { program = function(me) last = me:now() end }
    w:run()
    return { t = last + "1ns"%s }"""
        self.study(run=run % "")
        self.assertEqual(self.succeed("check", "s.lua"), "s.lua: no faults found; 2 points\n")
        self.study(run=run % ", u = last.nothing.more")
        self.assertIn("at k=1", self.fail_with(2, "check", "s.lua"))

    def test_published_values(self):
        """A list is read with the study; ends are finite and in their order."""
        for given, problem in (
                ("{ y = 1 / 0 }", "has an entry whose y is no finite number, or whose LOW is above its HIGH."),
                ("{ y = 0 / 0 }", "has an entry whose y is no finite number, or whose LOW is above its HIGH."),
                ("{ y = { 5, 3 } }", "has an entry whose y is no finite number, or whose LOW is above its HIGH."),
                ("{ y = { -1 / 0, 3 } }", "has an entry whose y is no finite number, or whose LOW is above its HIGH."),
                ("{ y = 1, x = 7 }", 'names 7, which axis "k" does not have.'),
                ("{ y = 1, by = 'dgpu' }", "names the value dgpu, but the plot does not say of which axis.")):
            self.study(more='plot = { x = "k", y = "t_us", published = { %s } },' % given)
            self.assertEqual(self.fail_with(2, "check", "s.lua"), "s.lua:4: plot.published " + problem)

    def test_bands_the_wrong_way_round(self):
        self.study(run="return { a = p.k, low = 1, high = 3 }", more='plot = { x = "k", y = "a", bands = { "high", "low" } },')
        self.assertIn('plot.bands: the lower end, "high", is above the upper end, "low"', self.run_program("run", "s.lua")[2])

    def test_figures_that_would_mislead(self):
        """Texts as heights, two kinds of numbers on one axis, a label with another unit, a range without any value."""
        run = 'return { text = "t" .. p.k, time = "3us", count = 5, wait = "4us", size = "8KiB" }'
        for plot, problem in (
                ('y = "text"', 'the plot\'s y is "text", whose values are no numbers.'),
                ('y = { "time_us", "count" }', "has time_us and count, which are of different kinds: one axis cannot show both."),
                ('y = "time_us", share = { k = 1 }, y_label = "Time (us)"', 'the label "Time (us)" says us, and time_us is drawn as a ratio.'),
                ('y = "time_us", speedup = { k = 1 }, y_label = "Gain (%)"', 'the label "Gain (%)" says %, and time_us is drawn as a ratio.'),
                ('y = "size_bytes", y_label = "Time (ms)"', 'the label "Time (ms)" says ms, and size_bytes is drawn without a unit.'),
                ('y = "time_us", y_label = "Time (ms)"', 'the label "Time (ms)" says ms, and time_us is drawn in µs.'),
                ('y = "time_us", y_range = { 100, 200 }', "plot.y_range leaves out all values, which lie within")):
            self.study(run=run, more='plot = { x = "k", %s },' % plot)
            with self.subTest(plot):
                self.assertIn(problem, self.run_program("run", "s.lua", "--force")[2])
        for plot in ('y = { "time_us", "wait_us" }, style = "stack"', 'y = "time_us", y_label = "Time (us)"',
                     'y = "time_us", share = { k = 1 }, y_label = "Share (of the first)"', 'y = "count", y_label = "Time (ms)"',
                     'y = "time_us", y_range = { 1, 200 }'):
            self.study(run=run, more='plot = { x = "k", %s },' % plot)
            self.succeed("run", "s.lua", "--force")


# (a workload and its arguments; the argument that nothing reads; what makes it read)
ARGUMENTS = (
    ('queue_service { design = "dgpu", work_groups = 2, operations = 2, operation = %s, bytes = "4KiB" }', "bytes",
     '"nop"', '"get"'),
    ('queue_service { design = "dgpu", work_groups = 2, operations = 2, streaming_lines = 4, streaming = %s }', "streaming_lines",
     "0", "1"),
    ('moe { design = "comp-net", tokens = 2, combine = "4KiB", phase = %s }', "combine", '"dispatch"', '"both"'),
    ('perftest { iterations = 200, outstanding_reads = 2, operation = %s }', "outstanding_reads",
     '"write_bw"', '"read_bw"'),
    ('perftest { iterations = 8, tx_depth = 8, cq_mod = 4, operation = %s }', "cq_mod", '"read_bw"', '"write_bw"'),
    ('perftest { iterations = 8, inline = "64B", operation = %s }', "inline", '"read_lat"', '"write_lat"'),
    ('perftest { iterations = 8, inline = "64B", operation = "send_lat", memory = %s }', "inline", '"gpu"', '"host"'),
    ('perftest { iterations = 8, bytes = "64B", operation = %s }', "bytes", '"atomic_lat"', '"write_lat"'),
    ('flag_round_trip { rounds = 2, place = "host", partner = %s }', "place", '"host"', '"stream"'),
    ('flag_round_trip { rounds = 2, polled = "remote", partner = %s }', "polled", '"host"', '"peer"'),
    ('gpu_operation { repeats = 2, scope = "device", operation = %s }', "scope", '"load"', '"fence"'),
    ('gpu_operation { repeats = 2, memory = "host", operation = %s }', "memory", '"fence"', '"load"'),
    ('gpu_operation { repeats = 2, work_groups = 4, same_line = true, operation = %s }', "same_line", '"fence"', '"load"'),
)


@unless_sanitized  # of each argument four short runs
class Arguments(ProgramTest):
    """An argument of a workload that no point reads is refused, as a parameter is; one that some read is told."""

    def study(self, call, values):
        self.write("s.lua", """local two = require "configs.gcn3_node" { nodes = 2, node = { gpus_per_socket = 2 } }
return study { title = "t", machine = two, vary = { v = { %s } }, run = function(p) return %s end }
""" % (values, call % "p.v"))

    def test_arguments(self):
        for call, name, unread, read in ARGUMENTS:
            workload = call.split(" ")[0]
            with self.subTest(f"{workload}.{name}", unread=unread):
                self.study(call, unread)
                sentence = self.fail_with(2, "check", "s.lua")
                self.assertIn(f"{workload}.{name} was set, but nothing in this run reads it.", sentence)
                self.assertEqual(self.fail_with(2, "run", "s.lua", "--no-plot"), sentence)
                self.study(call, f"{unread}, {read}")
                code, _, err = self.run_program("run", "s.lua", "--no-plot")
                self.assertEqual(code, 0, err)
                self.assertIn(f"set also at points where nothing reads it: {workload}.{name} (1 of 2)", err)


if __name__ == "__main__":
    unittest.main()

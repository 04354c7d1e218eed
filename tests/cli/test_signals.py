# SPDX-License-Identifier: BSD-3-Clause
"""SIGINT and SIGTERM end the program wherever it is, and nothing half-written stays behind."""
import os
import signal
import subprocess
import time
import unittest

from program import HANG_S, PROGRAM, PROJECT, STUDY, ProgramTest

# Says when it has begun; then every instruction takes milliseconds, so that the script's own limits
# would end it only after half a minute of computing.
SLOW_LUA = """
local a = ("x"):rep(1000):rep(60000)
local b = a:sub(2) .. "y"
print("begun")
while true do local c = a < b end
"""

INTERRUPTED = "gpunetsim: interrupted; files that were not finished have been removed."


class Signals(ProgramTest):
    def end(self, program, number):
        program.send_signal(number)
        _, err = program.communicate(timeout=HANG_S)
        self.assertEqual(program.returncode, 130, err)
        self.assertEqual(err.splitlines()[-1], INTERRUPTED)

    def end_when_begun(self, *arguments, **environment):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(arguments=arguments, number=number):
                program = self.start(*arguments, **environment)
                self.assertEqual(program.stderr.readline(), "begun\n")
                self.end(program, number)

    def wait_for(self, condition):
        """Of a program at work: nothing that it prints tells when it is there."""
        deadline = time.monotonic() + HANG_S
        while not condition():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.001)

    @staticmethod
    def cpu_ticks(program):
        with open(f"/proc/{program.pid}/stat", encoding="utf-8") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])

    def test_while_a_script_is_loaded(self):
        self.write("slow.lua", SLOW_LUA)
        for command in ("check", "run", "params", "topo"):
            self.end_when_begun(command, "slow.lua")
        self.assertEqual(self.files(), ["slow.lua"])

    def test_while_scenarios_are_listed(self):
        (self.folder / "configs").mkdir()
        (self.folder / "views").symlink_to(PROJECT / "views")
        self.write("scenarios/slow.lua", SLOW_LUA)
        self.end_when_begun("list", GPUNETSIM_ROOT=str(self.folder))

    def test_while_where_is_asked(self):
        self.write("slow.lua", (STUDY % "where = function() print('begun') while true do "
                                "local c = a < b end end,").replace(
                                    "local machine_here",
                                    "local a = ('x'):rep(1000):rep(60000)\nlocal b = a:sub(2) .. 'y'\n"
                                    "local machine_here"))
        self.end_when_begun("check", "slow.lua")

    def test_while_a_machine_simulates(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            program = self.start("goal", "--generate=halo3d:4x4x4,iterations=10000000,bytes=1000",
                                 "--machine", "summit", GPUNETSIM_ROOT=str(PROJECT))
            self.wait_for(lambda: self.cpu_ticks(program) > 20)
            self.end(program, number)

    def test_while_a_file_is_written(self):
        program = self.start("export", "goal", "alltoall:3000,iterations=50", "-o", "x.goal")
        self.wait_for(self.files)  # under a name of its own until it is whole
        self.end(program, signal.SIGTERM)
        self.assertEqual(self.files(), [])

    def test_while_gnuplot_draws(self):
        """gnuplot does not hear of it; its folder goes all the same."""
        self.write("s.lua", STUDY % "")
        self.write("bin/gnuplot", "#!/bin/sh\necho >figure.svg\ntouch ../begun\n"
                                  "while kill -0 $PPID; do :; done 2>/dev/null\n")
        (self.folder / "bin/gnuplot").chmod(0o755)
        (self.folder / "tmp").mkdir()
        program = self.start("run", "s.lua", TMPDIR=str(self.folder / "tmp"),
                             PATH=f"{self.folder}/bin:{os.environ['PATH']}")
        self.wait_for(lambda: (self.folder / "tmp/begun").exists())
        self.end(program, signal.SIGTERM)
        self.assertEqual([p.name for p in (self.folder / "tmp").iterdir()], ["begun"])

    def test_while_standard_output_is_blocked(self):
        """A reader that does not read: `gpunetsim export ... | less`."""
        with subprocess.Popen([PROGRAM, "export", "goal", "alltoall:100"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as program:
            self.assertNotEqual(program.stdout.read(1), "")
            program.send_signal(signal.SIGTERM)
            program.wait(timeout=HANG_S)
            self.assertEqual(program.returncode, 130)
            self.assertEqual(program.stderr.read().splitlines()[-1], INTERRUPTED)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: BSD-3-Clause
"""Sweeps that the papers do not print: each scenario of scenarios/whatif that has a direction goes there.

Where the direction is physics alone the order is strict. Where a service thread's rounds or cold lines come in
between, there is a tolerance, with its reason. docs/learn/whatif.md reads the figures.
"""
import unittest

from program import ProgramTest, unless_sanitized


@unless_sanitized
class WhatIf(ProgramTest):
    def sweep(self, name, folder="whatif"):
        return self.rows_of_scenario(folder, name)

    def curves(self, rows, x, y, *keys):
        """[y by growing x] for each combination of the keys."""
        curves = {}
        for row in sorted(rows, key=lambda row: float(row[x])):
            curves.setdefault(tuple(row[key] for key in keys), []).append(float(row[y]))
        return curves

    def assert_falls(self, values, tolerance=0.0):
        for before, after in zip(values, values[1:]):
            self.assertLessEqual(after, before * (1 + tolerance), values)
        self.assertLess(values[-1], values[0], values)

    def assert_rises(self, values, tolerance=0.0):
        self.assert_falls([-value for value in values], -tolerance)

    def test_mixed_nodes(self):
        """One older node among eight costs as much as eight: all wait for it."""
        rows = self.sweep("mixed_nodes")
        for (application, older), values in self.curves(rows, "older", "time_us", "application", "with").items():
            for value in values[1:]:
                self.assertAlmostEqual(value, values[-1], delta=0.03 * values[-1])
            if older == "200 Gbit/s" and application == "allreduce":
                self.assertAlmostEqual(values[1] / values[0], 2, delta=0.4)  # latencies stay

    def test_cp_speed(self):
        rows = self.sweep("cp_speed")
        for (library, _), values in self.curves(rows, "cores", "latency_us", "library", "clock_GHz").items():
            if library == "shared":  # the mutexes of the library are taken in turn
                self.assert_falls(values[:4])
                self.assertLess(max(values[4:]) / min(values[4:]), 1.4)
            else:
                self.assert_falls(values)
                self.assertGreater(values[0] / values[-1], 8)  # a share of the queues, a NIC queue of its own
        for (library, _), values in self.curves(rows, "clock_GHz", "latency_us", "library", "cores").items():
            self.assert_falls(values, tolerance=0.05 if library == "shared" else 0)
            self.assertLess(values[0] / values[-1], 4)  # the bus and the wire do not follow the clock

    def test_cp_channel(self):
        rows = self.sweep("cp_channel")
        host = {row["bytes"]: row for row in rows if row["core"] == "host"}
        for row in rows:
            row["GHz"] = row["core"].split()[2] if row["core"] != "host" else "0"
        cps = [row for row in rows if row["core"] != "host"]
        for values in self.curves(cps, "GHz", "latency_us", "bytes").values():
            self.assert_falls(values)
        for values in self.curves(cps, "GHz", "energy_uJ", "bytes").values():
            self.assert_rises(values)  # power grows faster than time falls
        for row in cps:
            beside = host[row["bytes"]]
            if int(row["bytes"]) <= 16384:  # software's time is most of it
                self.assertGreater(float(row["latency_us"]), float(beside["latency_us"]), row)
            elif row["core"] != "CP at 1 GHz":  # from GPU memory instead of through the host's
                self.assertLess(float(row["latency_us"]), float(beside["latency_us"]), row)
            parts = sum(float(row[part]) for part in ("active_uJ", "polling_uJ", "stalled_uJ"))
            self.assertAlmostEqual(float(row["energy_uJ"]) / parts, 1, places=6)

    def test_both_worlds(self):
        rows = self.sweep("both_worlds")
        latency = {(row["transfer"], row["design"], int(row["bytes"])): float(row["latency_us"]) for row in rows}
        self.assertEqual(len({row["design"] for row in rows}), 10)
        for (transfer, design, size), value in latency.items():
            self.assertGreater(value, size / 12.5e3, (transfer, design, size))  # a rail's wire
            if size == 8 and transfer == "message":
                self.assertGreaterEqual(value, latency[transfer, "openmpi-d", 8], design)
            if size == 65536 and design not in ("charm-channel", "openmpi-d"):
                self.assertLess(value, latency[transfer, "openmpi-d", 65536] * (1.2 if design == "cp-channel" else 1), design)

    def test_guests(self):
        for row in self.sweep("guests"):
            for guest in "get", "message":
                together, alone = float(row[f"{guest}_us"]), float(row[f"{guest}_alone_us"])
                self.assertGreaterEqual(together, 0.99 * alone, row)  # phases of polling loops
                if int(row["bytes"]) <= 4096:
                    self.assertLess(together, 1.01 * alone, row)
                if int(row["bytes"]) >= 131072:
                    self.assertGreater(together, 1.03 * alone, row)

    def test_queue_depth(self):
        rows = self.sweep("queue_depth")
        curves = self.curves(rows, "queue_entries", "operations_per_us", "design")
        for values in curves.values():
            self.assert_rises(values, tolerance=0.03)  # cold lines, once a queue entry; phases of two loops

    def test_l2_size(self):
        rows = self.sweep("l2_size")
        for values in self.curves(rows, "l2_size_bytes", "hit_rate", "locking").values():
            self.assert_rises(values, tolerance=0.01)  # of means over phases
        for values in self.curves(rows, "l2_size_bytes", "latency_us", "locking").values():
            self.assert_falls(values)

    def test_l2_locking(self):
        rows = self.sweep("l2_locking")
        rates = self.curves(rows, "streaming", "hit_rate_shared", "locking")
        for values in rates.values():
            self.assert_falls(values, tolerance=0.01)
        self.assertEqual(rates["off",][0], rates["on",][0])  # nothing to be locked against
        for off, on in zip(rates["off",], rates["on",]):
            self.assertGreater(on, off - 0.001)
        self.assertGreater(sum(rates["on",]), sum(rates["off",]))

    def test_pcie(self):
        rows = self.sweep("pcie")
        large = [row for row in rows if row["bytes"] != "8"]
        small = [row for row in rows if row["bytes"] == "8"]
        for values in self.curves(small, "link_latency_us", "latency_us", "design", "pcie").values():
            self.assert_falls(values[::-1])
        for values in self.curves(small, "pcie", "latency_us", "design", "link_latency_us").values():
            for slower, faster in zip(values, values[1:]):
                self.assertLessEqual(faster, slower * 1.03)  # phases of the polling loops
        # Up to a turn of the host thread's polling loop over PCIe.
        for values in self.curves(large, "link_latency_us", "latency_us", "design", "pcie").values():
            self.assert_falls(values[::-1], tolerance=0.01)

    def test_jacobi3d_controllers(self):
        """A kernel that stays launches nothing, which is most of small blocks and little of large ones; a command processor as PE
        pays more for its calls than the host, and as little for bytes."""
        curves = self.curves(self.sweep("jacobi3d_controllers"), "edge", "iteration_us", "design")
        for values in curves.values():
            self.assert_rises(values)
        host = curves["charm-channel",]
        for design in ("gpu-verbs", "comp-net"):
            gains = [pe / kernel for pe, kernel in zip(host, curves[design,])]
            self.assert_falls(gains)
            self.assertGreater(gains[0], 2.5)
            self.assertLess(gains[-1], 1.2)
        losses = [cp / pe for cp, pe in zip(curves["cp-channel",], host)]
        self.assert_falls(losses)
        self.assertGreater(losses[0], 2)
        self.assertLess(losses[-1], 1.2)

    def test_noise(self):
        """What the operating system takes never makes anything faster, more of it takes more, and the more processes, the larger the
        share that waiting for the slowest takes: far more than the 0.6 % that each core loses."""
        curves = self.curves(self.sweep("noise"), "processes", "duration_us", "ticks")
        quiet, rare, often = (curves[ticks,] for ticks in ("no noise", "100 a second", "1,000 a second"))
        for values in zip(quiet, rare, often):
            self.assert_rises(values)
        for noisy in rare, often:
            self.assert_rises([some / none for some, none in zip(noisy, quiet)])
        self.assertGreater(often[-1] / quiet[-1], 1.03)

    def test_ping_pong(self):
        rows = self.sweep("fig05_ping_pong", "compnet")
        for values in self.curves(rows, "bytes", "turn_us", "design").values():
            self.assert_rises(values, tolerance=0.06)  # a look of dgpu's thread over PCIe: 0.86 us of 14
        large = [float(row["turn_us"]) for row in rows if row["bytes"] == str(2**20)]
        self.assertLess(max(large) / min(large), 1.1)


if __name__ == "__main__":
    unittest.main()

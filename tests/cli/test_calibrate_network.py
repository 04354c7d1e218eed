# SPDX-License-Identifier: BSD-3-Clause
"""perftest's and OSU's text: calibrating on simulated text returns the NIC's and the network's values; what the text tells of
its run is simulated."""
import csv
import re
import unittest

from program import ProgramTest, unless_sanitized

TITLES = {"write": "RDMA_Write", "read": "RDMA_Read", "send": "Send", "atomic": "Atomic"}
LATENCY = " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]"
BANDWIDTH = " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]"
LATENCIES = [("write", 2), ("write", 4096), ("write", 1048576), ("read", 2), ("send", 2), ("atomic", 8)]
BANDWIDTHS = [("write", 2), ("write", 65536), ("write", 8388608), ("read", 65536)]
# The bus is known from a GPU's loads. command_gap is hidden, since a core takes longer to post; command_latency is too small a
# part of any row.
KNOWN = {"bus.latency": "70ns", "bus.switch_latency": "40ns"}
FAST = {"network.latency": "250ns", "network.rate": "49GB/s", "ucx.post": "45ns"}
SLOW = {"network.latency": "2.5us", "network.rate": "5.8GB/s", "ucx.post": "250ns"}
FACTORS = {"ps": 1e-12, "ns": 1e-9, "us": 1e-6, "GB/s": 1e9}
LINE = "-" * 60


def number(text):
    value, unit = re.fullmatch(r"([\d.]+)(\S*)", text).groups()
    return float(value) * FACTORS[unit]


def perftest(operation, kind, rows, facts=(), before=()):
    """As a program of perftest prints it; `rows` are pairs of bytes and value."""
    lines = [*before, LINE, f"                    {TITLES[operation]} {kind} Test",
             " Dual-port       : OFF\t\tDevice         : mlx5_0",
             " Number of qps   : 1\t\tTransport type : IB", *(f" {fact}" for fact in facts), LINE,
             " local address: LID 0x01 QPN 0x0108 PSN 0x65d1f3", LATENCY if kind == "Latency" else BANDWIDTH]
    for size, value in rows:
        cells = (size, 1000, 0.1, 9.9, value, value, 0.01, 9.8) if kind == "Latency" else (size, 5000, 0.1, value, 0.1)
        lines.append(" " + "    ".join(str(cell) for cell in cells))
    return "\n".join(lines + [LINE, ""])


class CalibrateNetwork(ProgramTest):
    def rows(self, name):
        with open(self.folder / name, newline="", encoding="utf-8") as file:
            return {row["row"]: row for row in csv.DictReader(file)}

    def write_text(self, times=None):
        """Files of perftest's text; `times` are microseconds by row, else 1."""
        def value(kind, operation, size):
            time = times[f"perftest_{kind.lower()} {operation} 1 {size}"] if times else 1.0
            return time if kind == "Latency" else 1 / time / 1.048576  # times of a byte; MiB/s

        names = []
        for kind, list_ in (("Latency", LATENCIES), ("Bandwidth", BANDWIDTHS)):
            for operation in TITLES:
                sizes = [size for what, size in list_ if what == operation]
                text = perftest(operation, "Latency" if kind == "Latency" else "BW",
                                [(size, repr(value(kind, operation, size))) for size in sizes])
                if sizes:
                    names.append(self.write(f"ib_{operation}_{kind}.txt", text))
        return names

    def check_planted(self, planted):
        known = [part for path, value in KNOWN.items() for part in ("-s", f"{path}={value}")]
        sets = known + [part for path, value in planted.items() for part in ("-s", f"{path}={value}")]
        self.succeed("calibrate", "gpu_host", *self.write_text(), "--keep", "--rows", "planted.csv", *sets)
        names = self.write_text({name: float(row["simulated_us"]) for name, row in self.rows("planted.csv").items()})
        out = self.succeed("calibrate", "gpu_host", *names, *known, "-o", "found.lua", "--rows", "found.csv")
        params = self.succeed("params", "found.lua")
        for path, value in planted.items():
            line = next(line for line in params.splitlines() if line.split()[:1] == [path])
            self.assertAlmostEqual(number(line.split()[1]) / number(value), 1, delta=0.1, msg=f"{path}\n{out}")
            self.assertRegex(line, "measured|fitted")
        self.assertRegex(out, r"nic\.command_latency +\S+ +only together with")
        self.assertRegex(out, r"nic\.command_gap +\S+ +no row depends on it")
        off = [abs(float(row["off_percent"])) for row in self.rows("found.csv").values()]
        self.assertEqual(len(off), len(LATENCIES) + len(BANDWIDTHS))
        self.assertLess(max(off), 2, out)

    @unless_sanitized
    def test_a_fast_network_comes_back(self):
        self.check_planted(FAST)

    @unless_sanitized
    def test_a_slow_network_comes_back(self):
        self.check_planted(SLOW)

    def simulated_us(self, text):
        self.write("text.txt", text)
        self.succeed("calibrate", "gpu_host", "text.txt", "--keep", "--rows", "rows.csv")
        (row,) = self.rows("rows.csv").values()
        return float(row["simulated_us"]), float(row["measured_us"])

    def test_the_study_prints_what_is_read(self):
        """benchmarks/perftest.lua writes perftest's text: read again and simulated as it says, each row comes out as it was."""
        asked = {"ib_write_lat": [], "ib_atomic_lat": [], "ib_read_bw": ["tx_depth=4"],
                 "ib_write_bw": ["tx_depth=1", "cq_mod=1", "queues=2", "both_ways=true", "inline=0B"]}
        names = []
        for benchmark, settings in asked.items():
            words = [f"-sstudy.{word}" for word in (f"benchmark={benchmark}", "sizes=64B,4KiB", "iterations=200", *settings)]
            text = self.succeed("run", "perftest", "--no-plot", "--out", benchmark, *words, "-o", "osu:-")
            self.assertRegex(text, r"(?m)^#bytes +#iterations +(t_avg\[usec\]|BW peak\[MB/sec\] +BW average\[MB/sec\])")
            names.append(self.write(benchmark + ".txt", text))
        self.succeed("calibrate", "gpu_host", *names, "--keep", "--rows", "rows.csv")
        rows = self.rows("rows.csv").values()
        self.assertEqual(len(rows), 7)
        for row in rows:
            self.assertLess(abs(float(row["off_percent"])), 1, row)
        self.assertIn("there is no benchmark", self.fail_with(2, "run", "perftest", "-s", "study.benchmark=ib_atomic_bw"))

    def test_what_the_text_tells(self):
        """Inline data, depth, both ways and GPU buffers are those of the run."""
        long = self.simulated_us(perftest("write", "Latency", [(128, 1)], ["Max inline data : 0[B]"]))[0]
        short = self.simulated_us(perftest("write", "Latency", [(128, 1)], ["Max inline data : 220[B]"]))[0]
        self.assertGreater(long, short + 0.1)
        shallow = self.simulated_us(perftest("write", "BW", [(4096, 1)], ["TX depth        : 1", "CQ Moderation   : 1"]))[0]
        deep = self.simulated_us(perftest("write", "BW", [(4096, 1)], ["TX depth        : 128", "CQ Moderation   : 1"]))[0]
        self.assertGreater(shallow, 4 * deep)
        text = "\n".join(perftest("write", kind, [(4096, 1)]) for kind in ("BW", "Bidirectional BW"))
        self.write("text.txt", text)
        self.succeed("calibrate", "gpu_host", "text.txt", "--keep", "--rows", "rows.csv")
        one_way, both = (float(row["simulated_us"]) for row in self.rows("rows.csv").values())
        self.assertAlmostEqual(both / one_way, 0.5, delta=0.1)
        on_gpu = self.simulated_us(perftest("send", "Latency", [(8, 1)], before=["allocated GPU buffer address at 00007f3f"]))[0]
        on_host = self.simulated_us(perftest("send", "Latency", [(8, 1)]))[0]
        self.assertGreater(on_gpu, on_host + 0.05)

    def test_units(self):
        """MiB and Gbit a second; the mean of a run for a duration."""
        self.assertAlmostEqual(self.simulated_us(perftest("write", "BW", [(65536, 1000)]))[1] * 1048.576, 1, places=3)
        gbit = perftest("write", "BW", [(65536, 8)]).replace("MB/sec", "Gb/sec")
        self.assertAlmostEqual(self.simulated_us(gbit)[1] * 1000, 1, places=3)
        mean = perftest("read", "Latency", []).replace(LATENCY, " #bytes        #iterations       t_avg[usec]    tps average\n 8 70000 2.15 460000")
        self.assertAlmostEqual(self.simulated_us(mean)[1], 2.15)

    def test_osu(self):
        """Buffers, pairs and windows of OSU's text are simulated."""
        host = self.simulated_us("# OSU MPI Latency Test v7.4\n# Datatype: MPI_CHAR.\n# Size       Avg Latency(us)\n1024   2.0\n")[0]
        device = self.simulated_us("# OSU MPI-CUDA Latency Test v7.4\n# Send Buffer on DEVICE (D) and Receive Buffer on DEVICE (D)\n"
                                   "# Size      Latency (us)\n1024   2.0\n")[0]
        self.assertGreater(device, host)
        text = "# OSU MPI Multiple Bandwidth / Message Rate Test v7.4\n# [ pairs: %d ] [ window size: 64 ]\n# Size  MB/s  Messages/s\n64  20.0  300000\n"
        one, two = (self.simulated_us(text % pairs)[0] for pairs in (1, 2))
        self.assertAlmostEqual(one / two, 2, delta=0.2)
        self.write("mixed.txt", "# OSU MPI-CUDA Latency Test v7.4\n# Send Buffer on DEVICE (D) and Receive Buffer on HOST (H)\n# Size\n8  2.0\n")
        self.assertIn("no row of these tables has a simulated twin", self.fail_with(2, "calibrate", "gpu_host", "mixed.txt", "--keep"))

    def test_bad_text(self):
        both = perftest("write", "Latency", [(8, 1)]) + perftest("write", "BW", [(8, 1)])
        self.write("bad.txt", both)
        self.assertIn('bad.txt:16: a table of "perftest_bandwidth" behind one of "perftest_latency"',
                      self.fail_with(2, "calibrate", "gpu_host", "bad.txt", "--keep"))
        self.write("bad.txt", perftest("write", "Bidirectional BW", [(4096, 1)]))
        self.assertIn("all rows are of what many do at a time", self.fail_with(2, "calibrate", "gpu_host", "bad.txt", "--keep"))
        self.write("bad.txt", perftest("write", "Latency", [(8, "fast")]))
        self.assertIn("bad.txt:8: a size and 4 further numbers were expected",
                      self.fail_with(2, "calibrate", "gpu_host", "bad.txt", "--keep"))


if __name__ == "__main__":
    unittest.main()

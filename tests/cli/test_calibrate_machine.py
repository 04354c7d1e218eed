# SPDX-License-Identifier: BSD-3-Clause
"""gpunetsim calibrate MACHINE DATA...: simulated tables give back the values that they were made with; what is open is said."""
import csv
import re
import unittest

from program import PROJECT, ProgramTest, unless_sanitized

# Rows of the probe's tables that are for calibration, by table: columns, unit of the times in a microsecond, keys of rows.
TABLES = {
    "signal": (["what", "param", "median_ns"], 1000,
               [("host_op", "load"), ("host_op", "fence_sys_alone"), ("dev_op", "load"), ("dev_op", "atomic_add_return")]),
    "launch": (["what", "param", "median_us"], 1,
               [("launch_enqueue", "grid=1x32"), ("launch_plus_sync", "grid=1x32"),
                ("stream_chain_period_grid1", "spin=1us"),
                ("graph_launch_call", "nodes=1_chain"), ("graph_launch_plus_sync", "nodes=1_chain"),
                ("graph_launch_plus_sync", "nodes=16_chain")]),
    "copies": (["dir", "mem", "bytes", "total_median_us", "enqueue_median_us"], 1,
               [("D2H", "pinned", "8"), ("D2H", "pinned", "8388608"), ("H2D", "pinned", "8388608")]),
}
# Parameters that these rows determine, on two machines of quite different kinds.
NEW_GPU = {"cuda.kernel_launch": "2.64us", "cuda.copy_call": "990ns", "cuda.graph_launch": "1.02us",
           "cuda.graph_node_start": "693ns", "cuda.to_host_rate": "55.3GB/s", "cuda.to_device_rate": "54GB/s",
           "gpu.l2_latency_cycles": "390", "gpu.system_fence": "644ns"}
OLD_GPU = {"cuda.kernel_launch": "9us", "cuda.copy_call": "6us", "cuda.graph_launch": "14us",
           "cuda.graph_node_start": "2.5us", "cuda.to_host_rate": "6.1GB/s", "cuda.to_device_rate": "5.7GB/s",
           "gpu.l2_latency_cycles": "160", "gpu.system_fence": "1.5us"}
# Hosts that share their memory with the GPU, over a wide link between two chips (as GH200). Values are those of data sheets and published
# micro-benchmarks of the kind, written down before any calibration from them.
NEAR_HOSTS = {
    "chips": {"gpu.compute_units": "132", "gpu.clock": "1.98GHz", "gpu.l2_latency_cycles": "380", "gpu.bus_outbound": "90ns",
              "gpu.bus_inbound": "90ns", "bus.latency": "25ns", "bus.switch_latency": "10ns", "bus.rate": "450GB/s", "host.bus_latency": "50ns",
              "host.clock": "3.3GHz", "host.l3_latency_cycles": "130", "gpu.system_fence": "450ns", "gpu.fence_reads_back": "false",
              "gpu.atomic": "120ns", "cuda.kernel_launch": "3.1us", "cuda.copy_call": "1.3us", "cuda.graph_launch": "1.5us",
              "cuda.graph_node_start": "720ns", "cuda.to_host_rate": "280GB/s", "cuda.to_device_rate": "370GB/s"}}
FACTORS = {"ps": 1e-12, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "GB/s": 1e9, "MB/s": 1e6, "": 1}


def number(text):
    value, unit = re.fullmatch(r"([\d.]+)(\S*)", text).groups()
    return float(value) * FACTORS[unit]


class CalibrateMachine(ProgramTest):
    def start(self, *arguments, **environment):
        """With fixed phases, so that a row is one run: means over drawn ones, which are judged nowhere here, take four and more."""
        fixed = ("-s", "software.phases=fixed") if arguments[0] == "calibrate" else ()
        return super().start(*arguments, *fixed, **environment)

    def write_tables(self, times=None, only=None):
        """The tables' files; `times` in microseconds by row, else 1."""
        names = []
        for table, (columns, scale, keys) in TABLES.items():
            if only and table not in only:
                continue
            lines = ["# made for a test", "#run\t" + "\t".join(columns)]
            for key in keys:
                row = " ".join((table,) + key)
                cells = []
                for column in columns[len(key):]:
                    name = row + " call" if column.startswith("enqueue") else row
                    cells.append(repr(times[name] * scale if times else 1.0))
                lines.append("\t".join(("1",) + key + tuple(cells)))
            names.append(self.write(f"{table}.tsv", "\n".join(lines) + "\n"))
        return names

    def rows(self, name):
        with open(self.folder / name, newline="", encoding="utf-8") as file:
            return {row["row"]: row for row in csv.DictReader(file)}

    def simulate(self, planted):
        """The tables as a machine with these values gives them."""
        sets = [part for path, value in planted.items() for part in ("-s", f"{path}={value}")]
        self.succeed("calibrate", "gpu_host", *self.write_tables(), "--keep", "--rows", "planted.csv", *sets)
        times = {name: float(row["simulated_us"]) for name, row in self.rows("planted.csv").items()}
        return self.write_tables(times)

    def check_planted(self, planted):
        out = self.succeed("calibrate", "gpu_host", *self.simulate(planted), "-o", "found.lua", "--rows", "found.csv")
        params = self.succeed("params", "found.lua")
        for path, value in planted.items():
            line = next(line for line in params.splitlines() if line.split()[:1] == [path])
            self.assertAlmostEqual(number(line.split()[1]) / number(value), 1, delta=0.05, msg=out)
            self.assertRegex(line, "measured|fitted")
        off = sorted(abs(float(row["off_percent"])) for row in self.rows("found.csv").values())
        self.assertLess(off[len(off) // 2], 1, out)
        self.assertLess(off[-1], 5, out)

    @unless_sanitized
    def test_values_come_back(self):
        self.check_planted(NEW_GPU)

    @unless_sanitized
    def test_values_of_another_kind_of_machine_come_back(self):
        self.check_planted(OLD_GPU)

    @unless_sanitized
    def test_near_hosts_come_back(self):
        """Of their host memory each part of the way is small, and the rows still come back; what the probe's tables tell directly is given."""
        for kind, planted in NEAR_HOSTS.items():
            with self.subTest(kind=kind):
                tables = self.simulate(planted)
                known = [part for path in ("gpu.compute_units", "gpu.clock", "gpu.fence_reads_back") for part in ("-s", f"{path}={planted[path]}")]
                out = self.succeed("calibrate", "gpu_host", *tables, "-o", f"{kind}.lua", "--rows", f"{kind}.csv", *known)
                rows = self.rows(f"{kind}.csv")
                self.assertLess(abs(float(rows["signal host_op load"]["off_percent"])), 3, out)
                off = sorted(abs(float(row["off_percent"])) for row in rows.values())
                self.assertLess(off[len(off) // 2], 1, out)
                self.assertLess(off[-1], 8, out)

    def test_two_gpus_without_a_link(self):
        """GPUs that meet over the bus: large copies tell its rate, and predict what a kernel's stores get there."""
        planted = ("-s", "node.peer_link=as-gpu-link", "-s", "bus.rate=20GB/s", "-s", "gpu.peer_atomic_gap=4ns")
        rows = {"peercopy 134217728": 1, "scaling peer atomic_add_sys same 480": 1, "inkernel_bw store 132 1024 16777216": 1}

        def write():
            copy, atomic, store = rows.values()
            self.write("peercopy.tsv", f"#run\tbytes\ttotal_median_us\n1\t134217728\t{copy}\n")
            self.write("scaling.tsv", "#run\tmemory\twhat\taddress\tblocks\tmean_ns_per_op_median\n"
                       f"1\tpeer\tatomic_add_sys\tsame\t480\t{atomic * 1000}\n")
            self.write("inkernel_bw.tsv", "#run\twhat\tblocks\tthreads\tbytes\tpasses\tGBps\n"
                       f"1\tstore\t132\t1024\t16777216\t40\t{16777.216 / store}\n")
            return "peercopy.tsv", "scaling.tsv", "inkernel_bw.tsv"

        self.succeed("calibrate", "gpu_host", *write(), "--keep", "--rows", "rows.csv", *planted, "-s", "gpu.compute_units=132")
        for name, row in self.rows("rows.csv").items():
            rows[name] = float(row["simulated_us"])
        self.assertGreater(rows["inkernel_bw store 132 1024 16777216"], 16777.216 / 20)
        out = self.succeed("calibrate", "gpu_host", *write(), "-o", "found.lua", "--rows", "rows.csv", *planted[:2], "-s", "gpu.compute_units=132")
        for row in self.rows("rows.csv").values():
            self.assertLess(abs(float(row["off_percent"])), 5, out)
        params = self.succeed("params", "found.lua")
        for path, value in (("bus.rate", 20e9), ("gpu.peer_atomic_gap", 4e-9)):
            line = next(line for line in params.splitlines() if line.split()[:1] == [path])
            self.assertAlmostEqual(number(line.split()[1]) / value, 1, delta=0.1, msg=out)

    def test_what_is_open_is_said(self):
        """A copy of 8 bytes tells the sum of its parts, and nothing of what is in no row."""
        self.write("copies.tsv", "#run\tdir\tmem\tbytes\ttotal_median_us\n1\tD2H\tpinned\t8\t9.5\n")
        out = self.succeed("calibrate", "gpu_host", "copies.tsv", "-o", "found.lua")
        self.assertIn("only together with cuda.", out)
        self.assertRegex(out, r"cuda\.\w+ +\S+ +only together with cuda\.\w+ +(copies|launch|peercopy) ")
        self.assertIn("found.lua: no faults found", self.succeed("check", "found.lua"))

    def test_other_units_and_names(self):
        """A table of another name is known by its columns, and its times by their unit's ending."""
        self.write("mine.tsv", "#run\twhat\tparam\tmedian_ns\tmedian_us\n1\tdev_op\tload\t-\t0.2\n1\tnew_op\tload\t5\t-\n")
        out = self.succeed("calibrate", "gpu_host", "mine.tsv", "--keep", "--rows", "rows.csv")
        self.assertEqual(self.rows("rows.csv")["signal dev_op load"]["measured_us"], "0.2")
        self.assertIn("mine.tsv: 1 of 2", out)

    def test_one_gpu(self):
        """Rows of two GPUs are left out where there is one."""
        self.write("flags.tsv", "#run\twhat\tmedian_ns\n1\tlocal_dependent_load\t200\n1\tremote_dependent_load\t900\n")
        out = self.succeed("calibrate", "gpu_host", "flags.tsv", "--keep", "-s", "node.gpus_per_socket=1")
        self.assertIn('left out: flags, from "flags remote_dependent_load" on: ', out)

    def test_facts_of_the_gpus(self):
        self.write("platform.tsv", "#run\tgpu\tname\tsms\tsm_clock_MHz\n1\t0\tSomething\t20\t1700\n")
        self.write("signal.tsv", "#run\twhat\tparam\tmedian_ns\n1\tdev_op\tload\t200\n")
        self.succeed("calibrate", "gpu_host", "platform.tsv", "signal.tsv", "-o", "found.lua")
        text = (self.folder / "found.lua").read_text(encoding="utf-8")
        self.assertIn('compute_units = measured(20, "platform.tsv")', text)
        self.assertIn('clock = measured("1.7GHz", "platform.tsv")', text)

    def test_facts_without_a_twin(self):
        """A fence that takes less than a load of the host's memory has read nothing there; flags between cores tell of their lines."""
        header = "\ufeff#run\twhat\tparam\tmedian_ns\r\n"
        rows = "1\thost_op\tload\t1000\r\n1\thost_op\tstore_plus_fence_sys\t%d\r\n1\tdev_op\tload\t200\r\n\r\n"
        self.write("host.tsv", "#run\twhat\tparam\tparam2\tvalue\tunit\tn\n"
                   "1\tcore_to_core_one_way_median\tcpu1\tcpu2\t150\tns\t9\n1\tcore_to_core_one_way_median\tcpu1\tcpu4\t170\tns\t9\n")
        for time, reads_back in ((700, "false"), (1400, "true")):
            self.write("signal.tsv", header + rows % time)
            self.succeed("calibrate", "gpu_host", "signal.tsv", "host.tsv", "--keep", "-o", "found.lua", "--force")
            text = (self.folder / "found.lua").read_text(encoding="utf-8")
            self.assertIn(f'fence_reads_back = measured({reads_back}, "signal.tsv: host_op store_plus_fence_sys, by host_op load")', text)
            self.assertIn('bounced_line = measured("150ns", "host.tsv: core_to_core_one_way_median, the nearest pairs")', text)
            self.assertRegex(text, r'mesh_hop = measured\("2ns", "host.tsv: core_to_core_one_way_median, from the nearest')
        self.succeed("calibrate", "gpu_host", "signal.tsv", "--keep", "-o", "found.lua", "--force", "-s", "gpu.fence_reads_back=false")
        self.assertRegex((self.folder / "found.lua").read_text(encoding="utf-8"), r"fence_reads_back = (?!measured)\S*false")

    def found(self, *names):
        """The machine file that these tables give without a search."""
        self.succeed("calibrate", "gpu_host", *names, "--keep", "-o", "found.lua", "--force")
        return (self.folder / "found.lua").read_text(encoding="utf-8")

    def test_cores(self):
        """Threads of one core share its caches, and tell nothing of lines between cores; of runs the least disturbed says what a hop is."""
        pairs = [(1, 60)] + [(1, 140 + i) for i in range(21)] + [(2, 160 + 9 * i) for i in range(21)] + [(3, 150 + i) for i in range(21)]
        self.write("core_pairs.tsv", "#run\tcpu_a\tcpu_b\tone_way_ns\n"
                   + "".join(f"{run}\t0\t{i}\t{time}\n" for i, (run, time) in enumerate(pairs)))
        self.write("signal.tsv", "#run\twhat\tparam\tmedian_ns\n1\tdev_op\tload\t200\n")
        text = self.found("core_pairs.tsv", "signal.tsv")
        self.assertIn('bounced_line = measured("151ns", "core_pairs.tsv: one_way_ns, the nearest pairs")', text)
        self.assertIn('mesh_hop = measured("1.8ns"', text)

    def test_calls_roots_and_power(self):
        self.write("launch.tsv", "#run\twhat\tparam\tmedian_us\n1\tevent_record\tidle_stream\t0.3\n1\tstream_wait_event\t-\t0.2\n"
                   "1\tevent_query_not_ready\t-\t0.1\n1\tlaunch_enqueue\tgrid=1x32\t3\n")
        self.write("power.tsv", "#run\tactivity\tseconds\tgpu0_power_W\n1\tidle_context\t1\t99.5\n")
        for both, links in ((110, 2), (60, 1)):
            self.write("concurrent.tsv", f"#run\twhat\tbytes\tGBps_median\n1\tD2H_gpu0\t67108864\t55\n1\tD2H_gpu0\t4096\t1.5\n"
                       f"1\tD2H_gpu0+D2H_gpu1\t67108864\t{both}\n")
            text = self.found("launch.tsv", "power.tsv", "concurrent.tsv")
            for line in ('event_record = measured("300ns", "launch.tsv: event_record")', 'event_wait = measured("200ns"',
                         'event_query = measured("100ns"', 'idle_power = measured("99.5W"', f"root_links = measured({links}, "):
                self.assertIn(line, text)

    def test_a_front_end(self):
        """Looks every 6 us at a word in GPU memory, every 7.5 us at one of the host; three operations of 1 us from answer to answer. One of the
        rows is disturbed."""
        self.write("signal.tsv", "#run\twhat\tparam\tmedian_ns\n1\thost_op\tload\t1000\n1\tdev_op\tload\t200\n")
        lines = ["#run\tflags_in\tdelay_us\tmedian_ns\tp10_ns\n"]
        for place, period, answer in (("device", 6000, 3200), ("host", 7500, 4000)):
            for delay in (0, 2, 5, 10, 20, 50, 100, 500):
                looks = max(0, -(-(1000 * delay + 800 - answer) // period))
                time = answer + looks * period - 1000 * delay + (700 if delay == 5 else 0)
                lines.append(f"1\t{place}\t{delay}\t{time}\t{time}\n")
        self.write("front_end.tsv", "".join(lines))
        text = self.found("front_end.tsv", "signal.tsv")
        for name, expected in (("front_end_gap", 5.8e-6), ("front_end_operation", 1e-6), ("front_end_host", 0.7e-6)):
            found = re.search(rf'{name} = measured\("([^"]+)", "front_end.tsv: ', text)
            self.assertIsNotNone(found, text)
            self.assertAlmostEqual(number(found[1]) / expected, 1, delta=0.02)
        self.write("signal.tsv", "#run\twhat\tparam\tmedian_ns\n1\tdev_op\tfence_sys_alone\t600\n")
        text = self.found("front_end.tsv", "signal.tsv")
        self.assertNotIn("front_end_gap = measured", text)

    def test_turns_and_sleeps(self):
        """Atomics of many blocks that wait for one another; a thread that has slept for long wakes later. Neither is where there is no such limit."""
        header = "#run\tmemory\twhat\taddress\tblocks\tmean_ns_per_op_median\n"
        self.write("launch.tsv", "#run\twhat\tparam\tmedian_us\n1\tlaunch_enqueue\tgrid=1x32\t3\n1\tstream_sync_idle\t-\t1.4\n")
        for most, turn in ((2560, '"2.5ns"'), (1400, None)):
            self.write("scaling.tsv", header + f"1\thost\tatomic_add_sys\town_line\t1\t1000\n1\thost\tatomic_add_sys\town_line\t1024\t{most}\n")
            for after in (7, None):
                self.write("launch_blockingsync.tsv", "#run\twhat\tparam\tmedian_us\n" + "".join(
                    f"1\tlaunch_plus_sync\tspin={spin}us\t{16 + spin + (20 if after and spin > after else 0)}\n" for spin in (0, 7, 10, 15, 20, 100)))
                text = self.found("launch.tsv", "scaling.tsv", "launch_blockingsync.tsv")
                self.assertIn('synchronize = measured("1.4us", "launch.tsv: stream_sync_idle")', text)
                self.assertEqual("atomic_turn = measured(" in text, turn is not None, text)
                self.assertIn(f"atomic_turn = measured({turn}" if turn else "", text)
                self.assertEqual('deep_wake = measured("20us"' in text, after is not None, text)
                self.assertEqual('deep_sleep_after = measured("11.5us"' in text, after is not None, text)

    def test_far_off(self):
        """Atomics that wait for one another in a way that is not searched for: the table names the parameter that brings them nearest."""
        self.write("scaling.tsv", "#run\tmemory\twhat\taddress\tblocks\tmean_ns_per_op_median\n1\thost\tatomic_add_sys\town_line\t1\t1000\n"
                   "1\thost\tatomic_add_sys\town_line\t480\t4800\n")
        out = self.succeed("calibrate", "gpu_host", "scaling.tsv", "--keep", "-s", "host.atomic_turn=0ns")
        self.assertRegex(out, r"far_off +percent +nearer_with +percent_then\n"
                         r"scaling host atomic_add_sys own_line 480 +-[5-9]\S+ +host.atomic_turn \S+, not 0ps +[+-]")
        self.assertNotIn("far_off", self.succeed("calibrate", "gpu_host", "scaling.tsv", "--keep"))

    def test_twins_of_all_tables(self):
        """Tables beside those of primitives are predicted; a thread that sleeps is not one that polls."""
        self.write("e1_launch_blockingsync.tsv", "#run\twhat\tparam\tmedian_us\n1\tlaunch_plus_sync\tgrid=1x32\t16.4\n")
        self.write("put_signal.tsv", "#run\tbytes\tthreads\tone_way_median_us\n1\t8\t64\t1.5\n")
        self.write("e5_runtime_polled_small.tsv", "#run\twgs\tvariant\tops_per_wg\tlat_mean_us\tpolls\n1\t2\tring\t9\t30\t5\n1\t1\tmailbox\t9\t20\t5\n")
        self.write("inkernel_bw.tsv", "#run\twhat\tblocks\tthreads\tbytes\tpasses\tGBps\n1\tload\t4\t1024\t65536\t100\t150\n")
        self.write("concurrent.tsv", "#run\twhat\tbytes\tGBps_median\n1\tD2H+H2D_gpu0\t1048576\t80\n")
        self.write("jacobi3d_kernels.tsv", "#run\tkernel\tn\tmedian_us\n1\tupdate\t192\t30\n1\tpack\t192\t30\n")
        names = ("e1_launch_blockingsync", "put_signal", "e5_runtime_polled_small", "inkernel_bw", "concurrent", "jacobi3d_kernels")
        self.succeed("calibrate", "h200x2", *(f"{name}.tsv" for name in names), "--keep", "--rows", "rows.csv")
        self.assertEqual(sorted(self.rows("rows.csv")), [
            "concurrent D2H+H2D_gpu0 1048576", "inkernel_bw load 4 1024 65536", "jacobi3d_kernels update 192",
            "launch_blockingsync launch_plus_sync grid=1x32", "put_signal 8 64", "runtime_polled 1 mailbox", "runtime_polled 2 ring"])

    def test_small_rates(self):
        """perftest writes two decimals of a bandwidth: of small messages their rate tells more."""
        self.write("bw.txt", """                    RDMA_Write BW Test
 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
 2          5000           0.06               0.06                 3.750000
 4          5000           0.00               0.00                 0.500000
 8388608    5000           98.01              98.00                0.001460
""")
        self.succeed("calibrate", "gpu_host", "bw.txt", "--keep", "--rows", "rows.csv")
        rows = {name: float(row["measured_us"]) for name, row in self.rows("rows.csv").items()}
        self.assertAlmostEqual(rows["perftest_bandwidth write 2"] * 7.5, 1, delta=1e-3)
        self.assertAlmostEqual(rows["perftest_bandwidth write 4"] * 2, 1, delta=1e-3)
        self.assertAlmostEqual(rows["perftest_bandwidth write 8388608"] * 12250, 1, delta=1e-3)

    def test_a_bound(self):
        """Copies at 300 GB/s, over a bus that is fast enough only if it is another: rates that end where another limits stay there."""
        self.write("signal.tsv", "#run\twhat\tparam\tmedian_ns\n1\thost_op\tload\t700\n1\tdev_op\tload\t270\n")
        self.write("copies.tsv", "#run\tdir\tmem\tbytes\ttotal_median_us\n1\tD2H\tpinned\t8\t9\n"
                   "1\tD2H\tpinned\t8388608\t30\n1\tH2D\tpinned\t8388608\t30\n")
        out = self.succeed("calibrate", "gpu_host", "signal.tsv", "copies.tsv", "-o", "found.lua", "--rows", "rows.csv")
        for row in ("copies D2H pinned 8388608", "copies H2D pinned 8388608"):
            self.assertLess(abs(float(self.rows("rows.csv")[row]["off_percent"])), 15, out)
        self.assertIn("(a bound)", out)
        self.assertRegex((self.folder / "found.lua").read_text(encoding="utf-8"),
                         r'to_host_rate = .* "a bound: from there on bus.rate limits the row, which is [\d.]+ % off"')

    def test_a_small_sum(self):
        """Host memory that is near: each part of the way there is too small to be known, yet their sum is: they share it."""
        self.write("signal.tsv", "#run\twhat\tparam\tmedian_ns\n1\thost_op\tload\t540\n1\tdev_op\tload\t410\n")
        out = self.succeed("calibrate", "gpu_host", "signal.tsv", "--rows", "rows.csv", "-o", "found.lua")
        for row in self.rows("rows.csv").values():
            self.assertLess(abs(float(row["off_percent"])), 2, out)
        for path in ("gpu.bus_outbound", "host.bus_latency", "bus.switch_latency"):
            self.assertRegex(out, rf"{path} +\S+ +\S+ \(shared\)")
        self.assertRegex((self.folder / "found.lua").read_text(encoding="utf-8"),
                         r'bus_outbound = fitted\(.*"shared: only its sum with \S+ is known; moved no further than that asks for"')

    def test_folder(self):
        """Of a folder its tables count, as if they were named one by one."""
        header = "#run\twhat\tparam\tmedian_ns\n"
        (self.folder / "tables").mkdir()
        self.assertIn("has no table", self.fail_with(2, "calibrate", "gpu_host", "tables", "--keep"))
        for name in ("signal.tsv", "notes.txt"):
            self.write(f"tables/{name}", header + "1\tdev_op\tload\t200\n")
        self.succeed("calibrate", "gpu_host", "tables", "--keep", "--rows", "folder.csv")
        self.succeed("calibrate", "gpu_host", "tables/signal.tsv", "--keep", "--rows", "file.csv")
        self.assertEqual(self.rows("folder.csv"), self.rows("file.csv"))

    def test_text_of_osu_and_perftest(self):
        """Latency of 8 B by OSU; perftest's table stands behind lines that tell of the run."""
        self.write("latency.txt", "# OSU MPI-CUDA Latency Test v7.4\n# Size      Latency (us)\n8      5.00\n")
        self.write("lat.txt", """---------------------------------------
                    RDMA_Write Latency Test
 Dual-port       : OFF          Device         : mlx5_0
 local address: LID 0x01 QPN 0x0108 PSN 0x65d1f3
 #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]
 2       1000          0.88           4.03         0.91                0.92            0.02
---------------------------------------
""")
        self.succeed("calibrate", "summit", "latency.txt", "lat.txt", "--keep", "--rows", "rows.csv")
        rows = self.rows("rows.csv")
        self.assertEqual(rows["osu_latency device 8"]["measured_us"], "5")
        self.assertEqual(rows["perftest_latency write 2"]["measured_us"], "0.91")

    def test_folds(self):
        """A row that the others tell of comes out without its own part, too; one that alone tells a value does not."""
        lines = ["host_op\tload\t1010", "host_op\tfence_sys_alone\t1500", "dev_op\tload\t108", "dev_op\tatomic_add_return\t186"]
        self.write("signal.tsv", "#run\twhat\tparam\tmedian_ns\n" + "".join(f"1\t{line}\n" for line in lines))
        out = self.succeed("calibrate", "gpu_host", "signal.tsv", "--folds", "2", "--rows", "folds.csv")
        alone = self.succeed("calibrate", "gpu_host", "signal.tsv", "--rows", "alone.csv")
        for use in ("calibrate", "held out", "predicted"):
            self.assertRegex(out, rf"all +{use} +4 ")
        self.assertNotIn("held out", alone)
        folds, whole = self.rows("folds.csv"), self.rows("alone.csv")
        for name, row in folds.items():
            self.assertEqual({**row, "held_out_us": ""}, whole[name])
        # The load (108 ns, of which 33 cycles at 1.5 GHz in the L1) tells the way to the L2; gpu_host's atomic takes 100 ns there. Of its
        # fence, 600 ns, nothing else tells.
        self.assertAlmostEqual(float(folds["signal dev_op atomic_add_return"]["held_out_us"]), 0.186, delta=0.002)
        self.assertAlmostEqual(float(folds["signal host_op fence_sys_alone"]["held_out_us"]), 0.6, delta=0.002)

    @unless_sanitized
    def test_measured_rows_held_out(self):
        """Operations of an H200's threads, each predicted by the others: within what is asked of rows that nobody has seen."""
        table = PROJECT / "scenarios/hardware/data/h200x2/signal.tsv"
        self.succeed("calibrate", "gpu_host", str(table), "--folds", "3", "--rows", "rows.csv", "-s", "gpu.compute_units=132", "-s", "gpu.clock=1.98GHz")
        off = sorted(abs(float(row["held_out_us"] or row["simulated_us"]) / float(row["measured_us"]) - 1)
                     for row in self.rows("rows.csv").values())
        self.assertEqual(len(off), 26)
        self.assertLess(off[len(off) // 2], 0.12)
        self.assertLess(off[len(off) * 9 // 10], 0.3)

    def test_folds_refused(self):
        self.write("signal.tsv", "#run\twhat\tparam\tmedian_ns\n1\tdev_op\tload\t200\n")
        for options, sentence in ((("--folds", "1"), "--folds 1: 2 to 100"), (("--folds", "101"), "2 to 100"),
                                  (("--folds", "3", "--keep"), "--folds searches for values, --keep for none"),
                                  (("--folds", "3"), "--folds 3: there are 1 rows for calibration")):
            self.assertIn(sentence, self.fail_with(2, "calibrate", "gpu_host", "signal.tsv", "-o", "found.lua", *options))
        self.assertFalse((self.folder / "found.lua").exists())

    def test_text_around_the_rows(self):
        """What mpirun and its libraries say before, between and behind OSU's rows."""
        self.write("latency.txt", "[n1:7] WARNING: There was an error initializing an OpenFabrics device.\n\n  Local host: n1\n"
                   "# OSU MPI Latency Test v7.4\n# Datatype: MPI_CHAR.\n# Size       Avg Latency(us)\n8   2.0   Pass\n"
                   "[n1:7] 1 more process has sent help message\n1024   2.5   Pass\nmpirun: clean\n")
        self.succeed("calibrate", "gpu_host", "latency.txt", "--keep", "--rows", "rows.csv")
        self.assertEqual({name: row["measured_us"] for name, row in self.rows("rows.csv").items()},
                         {"osu_latency host 8": "2", "osu_latency host 1024": "2.5"})

    def test_two_machines(self):
        """Tables of one machine differ by less than a factor of 1.2 in the median; those of two hosts whose platform tables name the same GPU,
        by less than 2; GPUs of two kinds are never put together."""
        header = "#run\twhat\tparam\tmedian_ns\n"
        self.write("a_signal.tsv", header + "1\tdev_op\tload\t200\n1\thost_op\tload\t1000\n")
        self.write("b_signal.tsv", header + "1\tdev_op\tload\t450\n1\thost_op\tload\t2200\n")
        self.assertRegex(self.fail_with(2, "calibrate", "gpu_host", "a_signal.tsv", "b_signal.tsv", "-o", "found.lua"),
                         r'^b_signal.tsv: its rows differ from those of a_signal.tsv by a factor of 2.2\d* in the median '
                         r'\("signal dev_op load": 0.45 us and 0.2 us\)')
        self.write("platform.tsv", "#run\tgpu\tname\tsms\tsm_clock_MHz\n1\t0\tA\t132\t1980\n1\t1\tB\t108\t1410\n")
        self.assertIn('platform.tsv:3: a GPU "B, 108 sms" behind a "A, 132 sms"',
                      self.fail_with(2, "calibrate", "gpu_host", "a_signal.tsv", "platform.tsv"))

        def write(folder, name, factor, gpu=None):
            self.write(f"{folder}/{name}.tsv", header + f"1\tdev_op\tload\t{200 * factor}\n1\thost_op\tload\t{1000 * factor}\n")
            if gpu:
                self.write(f"{folder}/platform.tsv", f"#run\tgpu\tname\tsms\tsm_clock_MHz\n1\t0\t{gpu}\t132\t1980\n")

        write("one", "signal", 1)
        write("two", "signal", 1.19)
        self.succeed("calibrate", "gpu_host", "one", "two", "--keep")
        write("two", "signal", 1.2)
        self.assertIn("two/signal.tsv: its rows differ from those of one/signal.tsv by a factor of 1.2 in the median",
                      self.fail_with(2, "calibrate", "gpu_host", "one", "two"))
        write("one", "signal", 1, "A")
        self.assertIn("or of hosts with the same GPU as the table platform in the folder of each says",
                      self.fail_with(2, "calibrate", "gpu_host", "one", "two"))
        write("two", "signal", 1.9, "A")
        self.succeed("calibrate", "gpu_host", "one", "two", "--keep")
        write("two", "signal", 1.2, "B")
        self.assertIn('two/platform.tsv:2: a GPU "B, 132 sms" behind a "A, 132 sms"; a machine file has GPUs of one kind',
                      self.fail_with(2, "calibrate", "gpu_host", "one", "two"))
        write("two", "signal", 2, "A")
        self.assertIn("by a factor of 2 in the median", self.fail_with(2, "calibrate", "gpu_host", "one", "two"))
        write("one", "signal_2", 1.3)  # of the same folder: of one host
        self.assertIn("by a factor of 1.3 in the median", self.fail_with(2, "calibrate", "gpu_host", "one"))
        write("one", "signal_2", 0.9)  # each pair counts
        write("one", "signal_3", 1.1)
        self.assertIn("one/signal_3.tsv: its rows differ from those of one/signal_2.tsv by a factor of 1.22",
                      self.fail_with(2, "calibrate", "gpu_host", "one"))

    def test_kept_tables(self):
        """Those of two kinds of GPU are told apart; those of one host's runs, and of two hosts of one kind, are not."""
        tables = PROJECT / "probe/tables"
        for one, other, sentence in ((("h100/launch",), ("h200x2/launch",), "by a factor of 1.39 in the median"),
                                     (("h100/scaling",), ("h200x2/scaling",), "by a factor of 1.25 in the median"),
                                     (("h100/platform", "h100/signal"), ("h200x2/platform", "h200x2/signal"), 'a GPU "NVIDIA H200, 132 sms" behind')):
            paths = [str(tables / f"{name}.tsv") for name in one + other]
            self.assertIn(sentence, self.fail_with(2, "calibrate", "gpu_host", *paths))
        for names in (("h200x2/signal", "h200x2_third/signal"), ("h200x2/flags", "h200x2_third/flags")):
            self.succeed("calibrate", "gpu_host", *(str(tables / f"{name}.tsv") for name in names), "--keep")

    def test_unknown_columns(self):
        """A column that tells rows apart and that nothing simulates is refused; results of any statistic are not."""
        columns = "#run\twgs\tservers\tvariant\tlat_mean_us"
        for name in ("host_queues", "mine"):
            self.write(f"{name}.tsv", f"{columns}\tpace_ns\n1\t1\t1\tpacked\t3\t0\n1\t1\t1\tpacked\t9\t500\n")
            self.assertIn(f'{name}.tsv: a table of "host_queues" has no column "pace_ns", which nothing simulates: leave it out if its rows do not '
                          "depend on it; known are lat_mean_us, ops_per_wg, servers, service_ns, sweep_mean_us, variant, wgs, window, run, n, note,",
                          self.fail_with(2, "calibrate", "gpu_host", f"{name}.tsv", "--keep"))
        for column in ("n_peers", "threads", "max_wait_ns", "host"):
            self.write("host_queues.tsv", f"{columns}\t{column}\n1\t1\t1\tpacked\t3\t2\n")
            self.assertIn(f'has no column "{column}"', self.fail_with(2, "calibrate", "gpu_host", "host_queues.tsv", "--keep"))
        self.write("host_queues.tsv", f"{columns}\tlat_p99_us\tstddev_us\tmin_ns\tnote\tpace_ns\n1\t1\t1\tpacked\t3\t9\t1\t2\tby hand\t-\n"
                   "1\t1\t1\tpacked_paced\t9\t9\t1\t2\tby hand\t-\n")
        out = self.succeed("calibrate", "gpu_host", "host_queues.tsv", "--keep")
        self.assertIn("host_queues.tsv: 1 of 2", out)  # nothing simulates that variant

    def test_two_columns_of_one_measure(self):
        """Which one counted was a matter of chance."""
        head = "#run\tdir\tmem\tbytes\ttotal_median_us"
        self.write("copies.tsv", f"{head}\ttotal_median_ns\n1\tD2H\tpinned\t8388608\t710\t1\n")
        self.assertEqual(self.fail_with(2, "calibrate", "gpu_host", "copies.tsv", "--keep"),
                         "copies.tsv:2: two columns have one measure: total_median_ns and total_median_us.")
        self.write("copies.tsv", f"{head}\ttotal_median_ns\n1\tD2H\tpinned\t8388608\t710\t-\n")
        self.succeed("calibrate", "gpu_host", "copies.tsv", "--keep")
        self.write("concurrent.tsv", "#run\twhat\tbytes\tGBps_median\tMBps_median\n1\tD2H_gpu0\t8388608\t20\t5\n")
        self.assertIn("concurrent.tsv:2: two columns have one measure: GBps_median and MBps_median.",
                      self.fail_with(2, "calibrate", "gpu_host", "concurrent.tsv", "--keep"))

    def test_forms_of_tables(self):
        """Names of columns in a row of their own, semicolons, quotes."""
        for text in ("run;what;param;median_ns\r\n1;dev_op;load;200\r\n", "run,what,param,median_ns\r1,dev_op,load,200\r", '"run","what","param","median_ns"\n"1","dev_op","load","200"\n'):
            self.write("signal.csv", "\ufeff" + text)
            self.succeed("calibrate", "gpu_host", "signal.csv", "--keep", "--rows", "rows.csv", "--force")
            self.assertEqual(self.rows("rows.csv")["signal dev_op load"]["measured_us"], "0.2")

    def test_a_time_that_nothing_comes_near(self):
        """One row, far from whatever the machine can be: it determines nothing, and that is said."""
        self.write("copies.tsv", "#run\tdir\tmem\tbytes\ttotal_median_us\n1\tD2H\tpinned\t8388608\t1e-5\n")
        out = self.succeed("calibrate", "gpu_host", "copies.tsv")
        self.assertRegex(out, r"cuda.to_host_rate +25GB/s +")
        self.assertNotIn("known_to_percent", out)

    def test_bad_tables(self):
        header = "#run\twhat\tparam\tmedian_ns\n"
        for text, sentence in (
                ("", "bad.tsv:1: there are no columns"),
                ("a\tb\n", "has no row of measurements"),
                ("1\tdev_op\tload\t5\n", "bad.tsv:1: the columns' names have to stand here or in a comment right before: 1 is a number"),
                (header + "1\tdev_op\tload\n", "bad.tsv:2: 3 fields where the columns' names are 4"),
                (header + "1\tdev_op\tload\t200\n" + header + "1\tdev_op\tload\t400\n", "bad.tsv:3: the columns' names stand here a second time"),
                ("#run\twhat\tparam\tmedian_ns\tmedian_ns\n1\tdev_op\tload\t2\t3\n", 'bad.tsv:1: two columns have the name "median_ns"'),
                (header + "1\tdev_op\tload\t0x10\n", "bad.tsv:2: median_ns is 0x10, no number above 0"),
                (header + "1\tdev_op\tload\t200\n1\tdev_op\tload\t-5\n", "bad.tsv:3: median_ns is -5, no number above 0"),
                (header + "1\tdev_op\tload\t0\n", "bad.tsv:2: median_ns is 0, no number above 0"),
                (header + "1\tdev_op\tload\t2,5\n", "bad.tsv:2: median_ns is 2,5, no number above 0"),
                ("# OSU MPI Latency Test v7.4\n# Size  Latency (us)\n8  0.00\n", "bad.tsv:3: 0.00 is no value above 0"),
                (header + "1\tdev_op\tload\tinf\n", "bad.tsv:2: median_ns is inf, no number above 0"),
                (header + "1\tno\tload\t5\n", "no row of these tables has a simulated twin and a measured value above 0: "
                 "bad.tsv has the columns run, what, param, median_ns"),
                ("# OSU MPI Barrier Latency Test\n# Size\n", "of OSU's benchmarks osu_latency, osu_bw, osu_bibw, osu_multi_lat and osu_mbw_mr are taken")):
            self.write("bad.tsv", text)
            said = self.fail_with(2, "calibrate", "gpu_host", "bad.tsv", "-o", "found.lua")
            self.assertIn(sentence, said)
            self.assertNotIn("twins.lua", said)
        self.write("signal.tsv", "#run\twhat\tparam\tmedian_hours\n1\tdev_op\tload\t5\n")
        self.assertIn('has a column "median_ns"', self.fail_with(2, "calibrate", "gpu_host", "signal.tsv"))
        self.write("my_signal.tsv", "#run\twhat\tparam\tmedian_ps\n1\tdev_op\tload\t5\n")
        self.assertIn('my_signal.tsv: a table of "signal" has a column "median_ns"', self.fail_with(2, "calibrate", "gpu_host", "my_signal.tsv"))
        self.assertIn("cannot be read", self.fail_with(2, "calibrate", "gpu_host", "none.tsv"))
        self.assertFalse((self.folder / "found.lua").exists())


if __name__ == "__main__":
    unittest.main()

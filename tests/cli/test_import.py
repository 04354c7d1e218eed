# SPDX-License-Identifier: BSD-3-Clause
"""gpunetsim import topology: XML of NCCL, RCCL and hwloc as machine files."""
import random
import re
import unittest

from program import ProgramTest

GPU = """
      <pci busid="{bus}" class="0x030200" vendor="0x10de" link_speed="{speed}" link_width="16">
        <gpu dev="0" sm="90" rank="0" gdr="1">{links}</gpu>
      </pci>"""
NIC = """
      <pci busid="{bus}" class="0x020700" link_speed="32.0 GT/s PCIe" link_width="16">
        <nic><net name="mlx5_0" dev="0" speed="{mbit}" port="1" guid="0x1" maxconn="131072" gdr="1"/></nic>
      </pci>"""
SWITCH = '<nvlink target="0000:ff:00.0" count="18" tclass="0x068000"/>'


def gpu(bus, links="", speed="32.0 GT/s PCIe"):
    return GPU.format(bus=f"0000:{bus:02x}:00.0", links=links, speed=speed)


def nic(bus, mbit=400000):
    return NIC.format(bus=f"0000:{bus:02x}:00.0", mbit=mbit)


def bridge(*devices):
    return '\n    <pci busid="0000:99:00.0" class="0x060400" link_speed="32.0 GT/s PCIe" link_width="16">' + "".join(devices) + "\n    </pci>"


def system(*cpus):
    parts = [f'\n  <cpu numaid="{i}" affinity="00000000,ffffffff" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="143">{cpu}\n  </cpu>'
             for i, cpu in enumerate(cpus)]
    return '<system version="1">' + "".join(parts) + "\n</system>\n"


def peer(bus, count, kind="nvlink"):
    return f'<{kind} target="0000:{bus:02x}:00.0" count="{count}" tclass="0x030200"/>'


class Import(ProgramTest):
    def make(self, text, *options):
        """The machine file's values by their paths, with where they come from; and its whole text."""
        self.write("box.xml", text)
        out = self.succeed("import", "topology", "box.xml")
        self.write("box.lua", out)
        self.assertIn("no faults found", self.succeed("check", "box.lua"))
        self.succeed("topo", "box.lua", "--node")
        values = {}
        for name, body in re.findall(r"^  (\w+) = \{\n(.*?)^  \},", out, re.M | re.S):
            for key, kind, value in re.findall(r'^    (\w+) = (\w+)\("?([^",)]*)', body, re.M):
                values[f"{name}.{key}"] = (kind, value)
        return values, out

    def test_hgx(self):
        """Eight GPUs on an NVSwitch, each on a PCIe switch with a NIC: 18 links of 25 GB/s; 16 lanes of 32 GT/s by 128 / 130 are 63.02 GB/s,
        of which payloads have 85 %."""
        values, out = self.make(system(*["".join(bridge(gpu(16 * s + g, SWITCH), nic(16 * s + g + 8)) for g in range(4)) for s in range(2)]))
        self.assertEqual(values, {
            "node.sockets": ("measured", "2"), "node.gpus_per_socket": ("measured", "4"), "node.nics_per_socket": ("measured", "4"),
            "node.gpus_per_switch": ("measured", "1"), "node.peer_link": ("measured", "nvswitch"), "host.cores": ("estimated", "16"),
            "bus.rate": ("estimated", "53.5631GB/s"), "nvlink.rate": ("published", "450GB/s"), "network.rate": ("measured", "50GB/s")})
        self.assertNotIn("Not as in the file", out)
        self.assertIn('"47.2615GB/s", "59.8646GB/s", "box.xml:4: link_speed=32.0 GT/s PCIe, link_width=16 of a GPU', out)
        self.assertIn("NVLink 4, 25 GB/s a link and direction: NVIDIA's H100 white paper; box.xml:5: nvlink count=18", out)
        self.assertIn("box.xml:8: net speed=400000, the port's Mbit/s", out)
        self.assertEqual(len(re.findall(r"gpu\d\W.*--.*nvswitch0|nvswitch0\W.*--.*gpu\d", self.succeed("topo", "box.lua", "--node"))), 8)

    def test_links_of_every_two(self):
        def box(counts):
            return system(*["".join(gpu(g, "".join(peer(other, counts[frozenset((g, other))]) for other in range(4)
                                                   if counts.get(frozenset((g, other))))) for g in socket) + nic(30 + socket[0])
                            for socket in ((0, 1), (2, 3))])
        pairs = [frozenset((a, b)) for a in range(4) for b in range(a)]
        values, out = self.make(box({pair: 2 for pair in pairs}))
        self.assertEqual((values["node.peer_link"], values["nvlink.rate"]), (("measured", "node"), ("published", "50GB/s")))
        self.assertNotIn("Not as", out)
        values, out = self.make(box({pair: 1 + (0 in pair) for pair in pairs}))
        self.assertEqual(values["nvlink.rate"], ("estimated", "25GB/s"))
        self.assertIn('"25GB/s", "25GB/s", "50GB/s", "box.xml:4: nvlink count=1 to 2; NVLink 4', out)
        values, out = self.make(box({frozenset((0, 1)): 4, frozenset((2, 3)): 4, frozenset((0, 2)): 1}))
        self.assertEqual(values["node.peer_link"], ("measured", "socket"))
        self.assertIn("-- Not as in the file: line 4: links between GPUs of different sockets do not join every two", out)
        values, out = self.make(box({frozenset((0, 2)): 1}))
        self.assertNotIn("node.peer_link", values)
        self.assertIn("join neither every two of a socket nor of the node", out)

    def test_amd(self):
        """An MI300X's seven links of 64 GB/s; a bridge on the card is no switch."""
        def card(g):
            links = "".join(peer(other, 1, "xgmi") for other in range(8) if other != g)
            return bridge(bridge(gpu(g, links).replace('sm="90"', 'sm="304" gcn="gfx942"').replace("0x030200", "0x120000")))
        values, _ = self.make(system("".join(map(card, range(4))), "".join(map(card, range(4, 8)))))
        self.assertEqual((values["node.peer_link"], values["nvlink.rate"]), (("measured", "node"), ("published", "64GB/s")))
        self.assertNotIn("node.gpus_per_switch", values)

    def test_what_does_not_fit(self):
        values, out = self.make(system(gpu(1) + gpu(2) + nic(3), gpu(4)))
        self.assertEqual((values["node.sockets"][1], values["node.gpus_per_socket"][1]), ("1", "3"))
        self.assertIn("2 CPUs have 2 and 1 GPUs, and a machine file's sockets are alike: all are drawn on one socket", out)
        values, out = self.make(system(gpu(1) + nic(3) + nic(5), gpu(4)))
        self.assertEqual(values["node.nics_per_socket"][1], "1")
        self.assertIn("line 2: numaid=0 has 2 NICs, and is drawn with 1, as all are", out)
        values, out = self.make(system(gpu(1) + nic(3) + nic(5, 10000)))
        self.assertEqual(values["network.rate"][1], "50GB/s")
        self.assertIn("NIC mlx5_0 of 10 Gbit/s is slower than others, and not drawn", out)
        values, out = self.make(system(bridge(gpu(1), gpu(2)) + gpu(3)))
        self.assertNotIn("node.gpus_per_switch", values)
        self.assertIn("no switches are drawn", out)
        self.assertIn("there is no NIC; each socket is drawn with one", out)
        values, out = self.make(system(gpu(1, speed="") + nic(3, 999000000)))
        self.assertNotIn("bus.rate", values)
        self.assertIn("bus.rate is not set", out)
        self.assertIn("net speed=999000000 is no speed of a port in Mbit/s", out)
        self.make(system(gpu(1, peer(77, 2))))

    def test_numbers_and_names(self):
        """Numbers that no device has are left out, and names do not end the comment or the text that they stand in."""
        for count in ("1e999", "-4", "0", "1.5", "nan"):
            values, out = self.make(system(gpu(1, peer(2, count)) + gpu(2, peer(1, count)) + nic(3)))
            self.assertNotIn("nvlink.rate", values)
            self.assertIn(f"line 4: nvlink count={count} is no number of links, and not drawn", out)
        for speed in ("99999999999999 GT/s", "0.0000001 GT/s"):
            self.assertNotIn("bus.rate", self.make(system(gpu(1, speed=speed) + nic(3)))[0])
        self.assertNotIn("network.rate", self.make(system(gpu(1) + nic(3, "0.001")))[0])
        _, out = self.make(system(gpu(1).replace("0000:01", "0&#10;}:01") + nic(3, "5&#10;error()")))
        self.assertIn("-- Not as in the file: line 7: net speed=5?error() is no speed", out)
        for units in ("-5", "0", "1e15"):
            text = ('<topology><object type="PCIDev" pci_type="0302 [10de:2335]"><object type="OSDev" osdev_type="5.5">'
                    f'<info name="OpenCLComputeUnits" value="{units}"/></object></object></topology>')
            self.assertNotIn("gpu.compute_units", self.make(text)[0])

    def test_hwloc(self):
        device = '<object type="PCIDev" pci_busid="0000:59:00.0" pci_type="{type}" pci_link_speed="31.507692">{inner}</object>'
        cuda = '<object type="OSDev" name="o" osdev_type="5"><info name="OpenCLComputeUnits" value="132"/></object>'
        inside = (device.format(type="0302 [10de:2335] [10de:18be] a1", inner=cuda) +
                  device.format(type="0200 [1d0f:efa2] [1d0f:efa2] 00", inner='<object type="OSDev" name="r" osdev_type="{fabric}"/>') +
                  device.format(type="0108 [1d0f:cd01] [1d0f:0000] 00", inner=""))
        package = ('<object type="Package" os_index="0"><object type="Core"/><object type="Core"/><object type="Bridge" bridge_type="0-1">'
                   '<object type="Bridge">' + inside + "</object></object></object>\n")
        for version, fabric in (("2.0", "3"), ("3.0", "48")):
            text = (f'<?xml version="1.0"?>\n<!DOCTYPE topology SYSTEM "hwloc2.dtd">\n<topology version="{version}">\n<object type="Machine">\n'
                    + package.replace("{fabric}", fabric) * 2 + "</object>\n</topology>\n")
            values, out = self.make(text)
            self.assertEqual(values, {
                "node.sockets": ("measured", "2"), "node.gpus_per_socket": ("measured", "1"), "node.nics_per_socket": ("measured", "1"),
                "node.gpus_per_switch": ("measured", "1"), "host.cores": ("measured", "2"), "gpu.compute_units": ("measured", "132"),
                "bus.rate": ("estimated", "26.7815GB/s")})
            self.assertIn("box.xml:5: Package 0 has 2 cores", out)
        values, _ = self.make(text.replace('"0108 ', '"0680 ').replace('pci_type="0680', 'subtype="NVSwitch" pci_type="0680'))
        self.assertEqual(values["node.peer_link"], ("measured", "nvswitch"))

    def test_file(self):
        self.write("box.xml", system(gpu(1) + nic(3) + nic(5, 10000)))
        code, out, err = self.run_program("import", "topology", "box.xml", "-o", "node.lua")
        self.assertEqual((code, out), (0, ""))
        self.assertEqual(err, "gpunetsim: box.xml: line 10: NIC mlx5_0 of 10 Gbit/s is slower than others, and not drawn.\n")
        self.succeed("check", "node.lua")
        self.write("own.lua", "-- mine\n")
        self.assertIn("own.lua", self.fail_with(2, "import", "topology", "box.xml", "-o", "own.lua"))

    def test_any_bytes(self):
        """Bytes that are changed anywhere are a topology still, or one sentence."""
        draw = random.Random(6)
        good = system(bridge(gpu(1, SWITCH), nic(9)), bridge(gpu(2, peer(1, 2)), nic(10))).encode()
        for _ in range(60):
            bytes_ = bytearray(good)
            for _ in range(draw.randint(1, 3)):
                bytes_[draw.randrange(len(bytes_))] = draw.choice(b'<>/"= 09az')
            (self.folder / "any.xml").write_bytes(bytes_)
            code, _, err = self.run_program("import", "topology", "any.xml")
            self.assertIn(code, (0, 2), err)
            self.assertLessEqual(len(err.splitlines()), 1, err)

    def test_refused(self):
        for text, sentence in (("<system><cpu></system>", "bad.xml:1: it is no XML: "), ("", "bad.xml:1: it is no XML: "),
                               ("<graphs/>", "bad.xml:1: <graphs> begins neither NCCL's topology (<system>) nor hwloc's (<topology>)"),
                               (system("\n"), "bad.xml:2: there is no GPU, and a machine's node has one at least"),
                               ("<!-- no element -->", "bad.xml:1: it is no XML: it has no element"),
                               (system(gpu(1)) + "<topology/>", "bad.xml:8: it is no XML: a second element beside the outermost one"),
                               (system("".join(map(gpu, range(65)))), "bad.xml:4: there are 65 GPUs of a CPU, and a machine file has 64 at most"),
                               ("<system>" * 300, "bad.xml:1: it is no XML: 200 elements in each other"),
                               ("<topology/>", "bad.xml:1: there is no GPU, and a machine's node has one at least: the file has no PCI devices"),
                               ('<topology><object type="PCIDev" pci_type="0108 [1d0f:cd01]"/></topology>', "one at least."),
                               ('<system><cpu>\n<pci busid="0000:00:16.0"/></cpu></system>', "one at least: the device of line 2 has no class"),
                               ('<system>\n<gpu dev="0" sm="80"/></system>', "one at least: <gpu> of line 2 is in no <cpu>")):
            self.write("bad.xml", text)
            self.assertIn(sentence, self.fail_with(2, "import", "topology", "bad.xml"))
        self.write("bad.xml", "<topology>" + "<a/>" * (2 << 20) + "</topology>")
        self.assertIn("bad.xml: is too large for an XML file, which has 8MiB at most", self.fail_with(2, "import", "topology", "bad.xml"))
        self.assertIn("cannot import \"plan\": accepted is topology", self.fail_with(2, "import", "plan", "bad.xml"))
        self.assertIn("no.xml", self.fail_with(2, "import", "topology", "no.xml"))


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: BSD-3-Clause
"""tests/rooms.py finds what is planted: a test of the test."""
import json
import shutil
import sys
import unittest

from program import PROJECT, ProgramTest

sys.path.insert(0, str(PROJECT / "tests"))
import rooms  # noqa: E402


class Rooms(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("CMakeLists.txt", "gns_room(core DIR sim/core NEEDS GLIB)\n"
                                     "gns_room(fabric DIR sim/fabric ROOMS core NEEDS GLIB)\n"
                                     "gns_program(gpunetsim DIR sim/cli ROOMS fabric core)\n")
        self.write("sim/core/a.h", "#include <stdint.h>\n")
        self.write("sim/core/a.c", '#include "core/a.h"\n')
        self.write("sim/fabric/simgrid_adapter.cpp", '#include <simgrid/s4u.hpp>\n#include "core/a.h"\n')
        self.write("sim/fabric/b.h", '#include "core/a.h"\n')
        self.write("sim/cli/main.c", '#include "fabric/b.h"\n')

    def faults(self):
        return rooms.check(self.folder.resolve())

    def test_structs_of_one_name(self):
        self.write("sim/cli/main.c", '#include "fabric/b.h"\nstruct lane {\n    int a;\n};\n')
        self.write("sim/fabric/b.h", '#include "core/a.h"\nstruct lane {\n    int b;\n};\n')
        self.assertEqual(self.faults(), ["sim/cli/main.c: struct lane is the name of another one in sim/fabric/b.h"])

    def test_kinds_and_designs(self):
        """A server, a runtime, a design by name: in code, not in a comment, and designs of the project alone."""
        self.write("configs/designs.lua", 'return {\n  ["comp-net"] = design {},\n}\n')
        self.write("sim/cli/main.c", '#include "fabric/b.h"\n/* SERVER_A, "comp-net" */ // RUNTIME_B\n'
                                     'int a = SERVER_HOST_THREAD + WORD_SET_BY_SERVER + NO_SERVER;\nint b = RUNTIME_CHARM;\n'
                                     'const char *c = "comp-net", *d = "net";\n')
        self.assertEqual(self.faults(), [f"sim/cli/main.c: names the {what}" for what in
                                         ("kind RUNTIME_CHARM", "kind SERVER_HOST_THREAD", "design comp-net")])

    def test_a_good_tower(self):
        self.assertEqual(self.faults(), [])

    def test_an_arrow_up(self):
        self.write("sim/core/a.c", '#include "fabric/b.h"\n')
        self.assertEqual(self.faults(), ["sim/core/a.c: core may not include sim/fabric/b.h"])

    def test_a_relative_arrow_up(self):
        self.write("sim/core/a.c", '#include "../fabric/b.h"\n')
        self.assertEqual(self.faults(), ["sim/core/a.c: core may not include sim/fabric/b.h"])

    def test_simgrid_elsewhere(self):
        self.write("sim/fabric/b.h", "#include <simgrid/engine.h>\n")
        self.assertEqual(self.faults(), ["sim/fabric/b.h: <simgrid/engine.h> belongs into "
                                         "sim/fabric/simgrid* alone"])

    def test_a_device_that_knows_two(self):
        self.write("CMakeLists.txt", "gns_room(gpu DIR sim/models/gpu)\n"
                                     "gns_room(nic DIR sim/models/nic)\n"
                                     "gns_room(smart_nic DIR sim/models/smart_nic ROOMS gpu nic)\n"
                                     "set(devices gpu nic)\n"
                                     "gns_room(node DIR sim/models ROOMS ${devices})\n")
        shutil.rmtree(self.folder / "sim")
        self.write("sim/models/gpu/gpu.h", "")
        self.write("sim/models/nic/nic.h", "")
        both = '#include "models/gpu/gpu.h"\n#include "models/nic/nic.h"\n'
        self.write("sim/models/node.c", both)
        self.assertEqual(self.faults(), [])
        self.write("sim/models/smart_nic/other.c", both)
        self.assertEqual(self.faults(),
                         ["sim/models/smart_nic/other.c: knows several device models: gpu, nic"])

    def test_a_fence_with_a_gap(self):
        self.write("CMakeLists.txt", "gns_room(core DIR sim/core)\ngns_room(fabric DIR sim/fabric ROOMS core)\n")
        project = self.folder.resolve()

        def commands(*folders):
            text = json.dumps([{"file": f"{project}/sim/core/a.c",
                                "command": "cc " + " ".join(f"-I{folder}" for folder in folders)}])
            self.write("build/compile_commands.json", text)
            return rooms.fence_faults(project, project / "build")

        self.assertEqual(commands("/b/include/gns_core"), [])
        self.assertEqual(commands("/b/include/gns_core", "/b/include/gns_fabric"),
                         ["sim/core/a.c: is compiled with -I/b/include/gns_fabric"])
        self.assertEqual(commands("/b/include/gns_core", "/b/sim"), ["sim/core/a.c: is compiled with -I/b/sim"])
        self.assertEqual(commands(), [f"{project}/build: no file of sim/ sees any room"])

    def test_a_model_that_names_a_protocol(self):
        self.write("CMakeLists.txt", "gns_room(node DIR sim/models)\n")
        shutil.rmtree(self.folder / "sim")
        self.write("sim/models/node.h", "/* what UCX asks of it */\nint charmed, my_champion;\n")
        self.assertEqual(self.faults(), [])
        self.write("sim/models/node.h", "struct ucx_spec ucx;\nint64_t charm4py;\n")
        self.assertEqual(self.faults(), ["sim/models/node.h: names the protocol charm4py",
                                         "sim/models/node.h: names the protocol ucx"])

    def test_a_circle(self):
        self.write("sim/core/a.h", '#include "core/c.h"\n')
        self.write("sim/core/c.h", '#include "core/a.h"\n')
        self.assertEqual(len(self.faults()), 1)
        self.assertIn("circle: sim/core/a.h -> sim/core/c.h -> sim/core/a.h", self.faults()[0])

    def test_a_file_in_no_room(self):
        self.write("sim/garden/d.c", "")
        self.assertEqual(self.faults(), ["sim/garden/d.c: stands in no room"])

    def test_a_table_that_is_no_tower(self):
        self.write("CMakeLists.txt", "gns_room(core DIR sim/core ROOMS fabric)\n"
                                     "gns_room(fabric DIR sim/fabric ROOMS core)\n"
                                     "gns_program(gpunetsim DIR sim/cli ROOMS fabric core)\n")
        self.assertEqual(self.faults(), ["CMakeLists.txt: core stands on fabric, which comes later"])

    def test_an_empty_folder(self):
        shutil.rmtree(self.folder / "sim")
        self.assertEqual(len(self.faults()), 1)


if __name__ == "__main__":
    unittest.main()

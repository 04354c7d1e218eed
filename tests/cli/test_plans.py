# SPDX-License-Identifier: BSD-3-Clause
"""gpunetsim collective --plan: MSCCL's XML and MSCCL++'s JSON run with data, what is refused, and a ring beside the library's own."""
import json
import unittest

from program import ProgramTest


def ring(gpus, channels, protocol="Simple", shift=0):
    """A ring of allreduce as XML: of each channel, a chunk for each GPU goes once around to be added, and once more."""
    chunks = channels * gpus
    lines = [f'<algo name="ring" proto="{protocol}" nchannels="{channels}" nchunksperloop="{chunks}" ngpus="{gpus}" coll="allreduce" inplace="1">']
    kinds = ["s"] + ["rrs"] * (gpus - 2) + ["rrcs"] + ["rcs"] * (gpus - 2) + ["r"]
    for gpu in range(gpus):
        lines.append(f'<gpu id="{gpu}" i_chunks="{chunks}" o_chunks="0" s_chunks="0">')
        for channel in range(channels):
            lines.append(f'<tb id="{channel}" send="{(gpu + 1) % gpus}" recv="{(gpu - 1) % gpus}" chan="{channel}">')
            for step, kind in enumerate(kinds):
                at = channel * gpus + (gpu - 1 - step - shift * (step > 0)) % gpus
                lines.append(f'<step s="{step}" type="{kind}" srcbuf="i" srcoff="{at}" dstbuf="i" dstoff="{at}" cnt="1" depid="-1" deps="-1" hasdep="0"/>')
            lines.append("</tb>")
        lines.append("</gpu>")
    return "\n".join(lines + ["</algo>"]) + "\n"


def exchange(second="rres", waits=True):
    """Two GPUs that each add the other's part to their own and store the sum to both, as MSCCL++'s JSON, one operation a line."""
    gpus = []
    for gpu in (0, 1):
        at = {"index": gpu, "size": 1}
        both = [{"type": "i", **at}, {"buffer_id": 0, **at}]
        signal, wait = ({"name": name, "channel_ids": [0], "channel_type": "memory"} for name in ("signal", "wait"))
        ops = [signal, wait, {"name": second, "src_buff": both, "dst_buff": both, "channel_type": "memory"}, signal] + [wait] * waits
        gpus.append({"id": gpu, "input_chunks": 2, "output_chunks": 2, "scratch_chunks": 0,
                     "channels": [{"channel_type": "memory", "connected_to": [1 - gpu]}],
                     "remote_buffers": [{"rank": 1 - gpu, "type": "i", "access_channel_types": ["memory"]}],
                     "threadblocks": [{"id": 0, "ops": ops, "channels": [{"channel_type": "memory", "channel_ids": [0]}],
                                       "remote_buffer_refs": [{"access_channel_type": "memory", "remote_buffer_ids": [0]}]}]})
    return json.dumps({"name": "exchange", "collective": "allreduce", "protocol": "Simple", "inplace": True, "num_threads_per_block": 1024,
                       "gpus": gpus}, indent=1)


class Plans(ProgramTest):
    def rows(self, text, *words, name="plan.xml"):
        self.write(name, text)
        lines = self.succeed("collective", "all_reduce", "--plan", name, *words).splitlines()
        return [line.split() for line in lines if not line.startswith("#")]

    def refused(self, sentence, text, operation="all_reduce", name="plan.xml"):
        self.write(name, text)
        self.assertIn(sentence, self.fail_with(2, "collective", operation, "--plan", name))

    def test_ring(self):
        """A ring of as many channels and the same protocol takes within 5 % what the library's own ring takes; 10 % with Simple, since the plan's blocks go
        over the link one behind the other, and the library's channels share it."""
        for gpus, protocol in ((2, "LL"), (4, "Simple"), (4, "LL")):
            rows = self.rows(ring(gpus, 24, protocol), "--how", "graph", "-p", protocol, "-b", "4MiB", "-e", "16MiB", "-f", "4")
            self.assertEqual([int(row[0]) for row in rows], [4 << 20, 16 << 20])
            for row in rows:
                self.assertAlmostEqual(float(row[14]), 1, delta=0.1 if protocol == "Simple" else 0.05, msg=(gpus, protocol, row))
                self.assertAlmostEqual(float(row[14]), float(row[5]) / float(row[13]), delta=0.002)

    def test_fewer_channels(self):
        """Through 2 threadblocks of each GPU a large buffer takes longer than through NCCL's 24."""
        (row,) = self.rows(ring(4, 2), "-b", "16MiB", "-e", "16MiB")
        self.assertGreater(float(row[14]), 3)

    def test_signals(self):
        """MSCCL++'s operations are run, too: more bytes take longer."""
        small, large = self.rows(exchange(), "-b", "64KiB", "-e", "4MiB", "-f", "64", name="plan.json")
        self.assertGreater(float(large[5]), float(small[5]) + 2)

    def test_wrong_data(self):
        text = ring(4, 1)
        for change, sentence in (
                # What the second GPU adds last is only stored: the sums lack what it has.
                (('type="rrcs"', 'type="rcs"'), "has not GPU"),
                # A chunk too far.
                (('srcoff="3"', 'srcoff="4"'), "plan.xml:4: step s goes to i[4], and GPU 0 has 4 chunks there"),
                # The first step of all waits for a step that is never told.
                (('depid="-1" deps="-1"', 'depid="0" deps="1"'), "plan.xml:4: nothing can go on: GPU 0, threadblock 0, step 0 (s) waits for threadblock 0's step 1")):
            self.refused(sentence, text.replace(*change, 1))
        self.refused("has GPU", ring(4, 1, shift=1))
        self.refused('plan.xml:5: <step> has dstbuf "q"; accepted are i, o, s', ring(2, 1).replace('dstbuf="i" dstoff="0"', 'dstbuf="q" dstoff="0"', 1))

    def test_scratch(self):
        """What is read before it is written: the scratch buffer of a GPU."""
        text = ring(2, 1).replace('s_chunks="0"', 's_chunks="2"').replace('srcbuf="i"', 'srcbuf="s"', 1)
        self.refused("plan.xml:4: GPU 0, threadblock 0, step 0 (s) reads s[1] of GPU 0 before anything is written there", text)

    def test_no_dependency(self):
        """Two threadblocks that nothing orders, the second of which copies what the first one stores: whichever comes first, it is found."""
        copy = ('<tb id="{}" send="-1" recv="-1" chan="0"><step s="0" type="cpy" srcbuf="{}" srcoff="0" dstbuf="s" dstoff="{}" cnt="1" '
                'depid="{}" deps="{}" hasdep="1"/></tb>')
        text = ring(2, 1).replace('s_chunks="0"', 's_chunks="2"')
        for first, second in (((1, "i", 0), (2, "s", 1)), ((2, "i", 0), (1, "s", 1))):
            made, copied = copy.format(*first, -1, -1), copy.format(*second, -1, -1)
            blocks = "".join(sorted((made, copied)))
            self.refused("reads s[0] of GPU 0 before anything is written there", text.replace("</gpu>", blocks + "</gpu>", 1))
            ordered = text.replace("</gpu>", made + copy.format(*second, first[0], 0) + "</gpu>", 1)
            self.assertEqual(len(self.rows(ordered, "-b", "1MiB", "-e", "1MiB")), 1)

    def test_deadlock(self):
        """Both GPUs send three chunks before they receive one; a connection of Simple has room for two."""
        lines = ['<algo proto="Simple" nchunksperloop="6" ngpus="2" coll="allgather" outofplace="0" inplace="1">']
        for gpu in (0, 1):
            lines.append(f'<gpu id="{gpu}" s_chunks="0"><tb id="0" send="{1 - gpu}" recv="{1 - gpu}" chan="0">')
            for step in range(6):
                kind, at = ("s", 3 * gpu + step) if step < 3 else ("r", 3 * (1 - gpu) + step - 3)
                lines.append(f'<step s="{step}" type="{kind}" srcbuf="o" srcoff="{at}" dstbuf="o" dstoff="{at}" cnt="1"/>')
            lines.append("</tb></gpu>")
        text = "\n".join(lines + ["</algo>"])
        self.refused("step 2 (s) waits for room from GPU 0 to GPU 1 on channel 0, where 2 transfers are under way", text, "all_gather")
        self.write("plan.xml", text.replace("Simple", "LL"))
        self.succeed("collective", "all_gather", "--plan", "plan.xml", "-b", "1MiB", "-e", "1MiB")

    def test_sizes_of_a_plan(self):
        """Both GPUs send a step of eight chunks before they receive one. A transfer of Simple has 2 MiB: with 16 chunks of 64 MiB it has
        one chunk, and eight need eight slots of two; of 1 MiB it has all eight. maxBytes of 0 or of 2^60 says that there is no limit."""
        for limit in ("0", str(1 << 60)):
            lines = [f'<algo proto="Simple" nchunksperloop="16" ngpus="2" coll="allgather" outofplace="0" inplace="1" maxBytes="{limit}">']
            for gpu in (0, 1):
                step = '<step s="{}" type="{}" srcbuf="o" srcoff="{}" dstbuf="o" dstoff="{}" cnt="8"/>'
                lines.append(f'<gpu id="{gpu}" s_chunks="0"><tb id="0" send="{1 - gpu}" recv="{1 - gpu}" chan="0">')
                lines += [step.format(0, "s", 8 * gpu, 8 * gpu), step.format(1, "r", 8 - 8 * gpu, 8 - 8 * gpu), "</tb></gpu>"]
            self.write("plan.xml", "\n".join(lines + ["</algo>"]))
            words = "collective", "all_gather", "--plan", "plan.xml", "-b", "1MiB", "-e"
            self.assertIn("step 0 (s) waits for room from GPU 0 to GPU 1 on channel 0, where 2 transfers are under way, each of 1 of the step's "
                          "8 chunks; a transfer takes more of them at sizes (-e) below 64 MiB", self.fail_with(2, *words, "64M"))
            self.succeed(*words, "1MiB")

    def test_too_large(self):
        """A plan of so many parts that a point's script would be stopped says so, and which size to change; a smaller size runs."""
        self.write("plan.xml", ring(8, 64, "LL"))
        words = "collective", "all_reduce", "-m", "h200_cluster", "--plan", "plan.xml"
        code, _, said = self.run_program(*words, "-b", "512MiB", "-e", "512MiB")
        self.assertEqual(code, 1)
        self.assertRegex(said, r"at 536870912 bytes the plan moves \d+ parts in each of \d+ loops, and a point can follow 160000 in \d of them; "
                               r"choose smaller sizes \(-e\)")
        self.succeed(*words, "-b", "4MiB", "-e", "4MiB")

    def test_refused(self):
        self.refused("plan.xml:1: the plan is of all_reduce, and all_gather is asked for", ring(2, 1), "all_gather")
        self.refused("it is no XML", "<algo")
        self.refused("plan.xml:1: <system> begins no algorithm of MSCCL, which is <algo>", "<system/>")
        self.refused("plan.xml:1: the plan's data are right, but it is for 9 GPUs", ring(9, 1))
        self.refused('plan.json:1: an execution plan of MSCCL++ has "collective" here, which is a text', '{"topologies": []}', name="plan.json")
        self.write("plan.xml", ring(4, 1))
        words = ("collective", "all_reduce", "-m", "h200_cluster", "--plan", "plan.xml", "-b", "1KiB", "-e", "1KiB", "-g")
        self.assertIn("plan.xml:1: the plan is for 4 GPUs, and 2 are asked for", self.fail_with(2, *words, "2"))
        self.assertIn("h200-cluster, 4 GPUs of a node", self.succeed(*words, "4"))
        self.refused('plan.json:1: it is no JSON: "x" where a key is to be', "{x", name="plan.json")
        self.refused('there is no operation "leap" of MSCCL++', exchange("leap"), name="plan.json")
        self.refused("has GPU", exchange("rres").replace('"index": 1', '"index": 0'), name="plan.json")


if __name__ == "__main__":
    unittest.main()

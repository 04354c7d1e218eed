# SPDX-License-Identifier: BSD-3-Clause
"""gpunetsim serve, which libgpunetsim starts: what it says to others. tests/library has the rest."""
import os
import socket
import subprocess
import unittest

PROGRAM = os.environ["GPUNETSIM_PROGRAM"]


class Serve(unittest.TestCase):
    def test_by_hand(self):
        """A user who types it is told what it is."""
        done = subprocess.run([PROGRAM, "serve", "0.1.0"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, "gpunetsim: libgpunetsim starts serve by itself, and nobody else does.\n")
        listed = subprocess.run([PROGRAM, "help"], capture_output=True, text=True, check=True).stdout
        self.assertNotIn("serve ", listed)

    def answer(self, version, request):
        """(type, texts) of the answer; the server ends before this does."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with ours:
            with theirs:
                subprocess.run(["sh", "-c", f'exec "$0" serve "{version}" 3<&{theirs.fileno()}', PROGRAM], pass_fds=[theirs.fileno()],
                               check=True)
            ours.send(b"r\3" + b"".join(text.encode() + b"\0" for text in request))
            packet = ours.recv(16384)
            ours.shutdown(socket.SHUT_WR)
            self.assertEqual(ours.recv(16384), b"")
        self.assertEqual(packet[1:2], b"\3")
        return packet[:1].decode(), packet[2:].decode().split("\0")[:-1]

    def test_versions(self):
        """A library of another version is refused; git's name of the commit is not looked at."""
        version = subprocess.run([PROGRAM, "-V"], capture_output=True, text=True, check=True).stdout.split()[1]
        request = ["no_measure", "latency", "latency_us"]
        kind, texts = self.answer(f"{version} (git another)", request)
        self.assertEqual((kind, len(texts)), ("f", 1))
        self.assertEqual(texts[0], 'there is no measure "latency"; did you mean "latency_us"? Accepted: latency_us.')
        kind, texts = self.answer(f"{version}9 (git another)", request)
        self.assertEqual((kind, len(texts)), ("f", 1))
        self.assertRegex(texts[0], rf"^libgpunetsim is version {version}9 \(git another\), and the program that it has found {version} ")


if __name__ == "__main__":
    unittest.main()

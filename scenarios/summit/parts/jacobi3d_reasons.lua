-- SPDX-License-Identifier: BSD-3-Clause
-- Why claims about Jacobi3D are missed, as `gpunetsim explain` shows it: part of their notes where they do not hold. docs/trust/jacobi3d.md tells
-- more. Times are of the points that are named.

local copies = "explain: half of an exchange at scale is one core that copies six faces into messages and out of them"
local same_network = "explain: host messages go by RDMA out of pinned buffers, so that both ways wait for the same network"
local overlap = "explain: chares hide all that waits for the network, and what a chare costs its PE lies beside the kernels"
local launches = "explain: the PE's core is what an iteration waits for, 6 us a launch; the published effect would be one of 1.3 us"

return {
  ["P-J01"] = copies .. ", 4.8 of 10 ms at 256 nodes",
  ["P-J02"] = copies,
  ["P-J04"] = copies .. "; at 8 nodes faces are as large as in weak scaling",
  ["P-J06"] = "the least gain: the network's time is the same in both, and host copies lie before and behind it",
  ["P-J08"] = "explain: AMPI's messages differ from Open MPI's by calls of a microsecond, and nothing in them grows with nodes",
  ["P-J09"] = same_network,
  ["P-J10"] = same_network,
  ["P-J11"] = "the least gain: messages of 8 times a face wait for the network in both, but in host memory they are copied by a core and an engine, too",
  ["P-J12"] = "the least gain, as that of communication (P-J11)",
  ["P-J13"] = "Charm4py's host path: a core's copies of 8 times a face, at 15.7 GB/s each way, and the engine's from pageable memory",
  ["P-J14"] = "as P-J13",
  ["P-C14"] = "on one node the GPU Messaging API takes 0.44 ms where AMPI takes 0.62, so that Charm++ gains more",
  ["A-18"] = overlap .. "; ODF-4 is ahead by 1 %",
  ["A-19"] = overlap .. ", in Charm-H with ODF-4 as in Charm-D",
  ["A-25"] = "Spectrum MPI's path between GPUs of a node takes 17 us a message (BenchPress), which is all that it saves",
  ["A-30"] = overlap .. ", at these counts with four chares better than with two",
  ["A-31"] = "explain: a GPU still waits for its messages, and two chares hide more of that than they cost the PE",
  ["A-32"] = overlap .. "; ODF-4 is ahead until the PE is the bottleneck",
  ["A-33"] = "explain: a GPU still waits for its messages, and two chares hide more of that than they cost the PE",
  ["A-34"] = "explain: with one chare 0.42 of 0.62 ms wait for the network, with two 0.30 of 0.50; published overlap saves a third of that",
  ["A-35"] = "explain: at 128 nodes Charm-H's core copies faces into messages and out of them; MPI sends them from where the copy engine put them",
  ["A-38"] = "faces are above Spectrum MPI's limit for GPUDirect, 256 KiB, and staged by fragments until 512 nodes",
  ["A-39"] = overlap,
  ["A-60"] = "explain: a GPU still waits for its messages, and two chares hide more of that than they cost the PE",
  ["A-40"] = launches,
  ["A-41"] = "at 32 nodes B, which unpacks nothing before all faces have come, loses what it saves in launches, and A is ahead by 0.5 %",
  ["A-42"] = launches,
  ["A-43"] = launches,
  ["A-45"] = "on one node eight chares hide the exchange, 0.2 of 1.9 ms; the PE has the time",
  ["A-46"] = "a graph is launched behind the last face, so that no face is unpacked beside the exchange",
  ["A-47"] = launches,
  ["A-49"] = launches,
  ["A-50"] = launches,
  ["A-51"] = "threads of one face diverge only where two faces meet, which costs nothing in this model",
  ["A-57"] = "updates of the other blocks hide what priorities would save, with four large blocks",
}

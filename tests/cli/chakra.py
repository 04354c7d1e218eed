# SPDX-License-Identifier: BSD-3-Clause
"""Writes Chakra traces (schemas 0.0.4 and 0.0.1) for tests: records behind their lengths, in the wire format of protocol buffers."""
import struct

METADATA, MEM_LOAD, MEM_STORE, COMP, SEND, RECV, COLL = range(1, 8)
ALL_REDUCE, REDUCE, ALL_GATHER, GATHER, SCATTER, BROADCAST, ALL_TO_ALL, REDUCE_SCATTER, _, BARRIER = range(10)


def varint(number):
    number &= 2**64 - 1
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def field(number, value):
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack("<d", value)
    if isinstance(value, str):
        value = value.encode()
    if isinstance(value, bytes):
        return varint(number << 3 | 2) + varint(len(value)) + value
    return varint(number << 3) + varint(value)


def attribute(name, value):
    """Truth values, lists of them, texts and whole numbers: as bool, BoolList, string and int64."""
    if isinstance(value, bool):
        number = 27
    elif isinstance(value, list):
        number, value = 28, field(1, bytes(value))
    else:
        number = 29 if isinstance(value, str) else 3 if isinstance(value, float) else 9
    return field(10, field(1, name) + field(number, value))


def node(number, kind, deps=(), us=0, name="", inputs="", ctrl=(), **attributes):
    out = field(1, number) + field(2, name or f"node{number}") + field(3, kind)
    out += field(4, b"".join(map(varint, ctrl))) + field(5, b"".join(map(varint, deps)))
    out += field(7, us) if us else b""
    out += field(8, field(1, inputs)) if inputs else b""
    return out + b"".join(attribute(*pair) for pair in attributes.items())


def old_node(number, kind, deps=(), **fields):
    """Of schema 0.0.1: numbers of fields by their names."""
    numbers = {"tensor_size": 6, "run_time": 7, "num_ops": 12, "comm_type": 13, "involved_dim": 14, "comm_src": 16, "comm_dst": 17, "comm_size": 18,
               "comm_tag": 19}
    out = field(1, number) + field(2, f"old{number}") + field(3, kind) + b"".join(field(4, on) for on in deps)
    return out + b"".join(field(numbers[name], value) for name, value in fields.items())


def records(*parts):
    return b"".join(varint(len(part)) + part for part in parts)


def trace(*nodes):
    return records(field(1, "0.0.4"), *nodes)

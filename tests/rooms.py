#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Holds every #include under sim/ against the rooms of CMakeLists.txt.

usage: rooms.py [PROJECT [BUILD]]

The gns_room and gns_program lines are the table: a room may include itself and the rooms that its line
names after ROOMS. Prints one line a fault and exits with 1 if there is one:
  - an arrow that is not in the table, or a table that is no tower (a room named before it stands);
  - a device model (a room below sim/models/) that knows two others: that is for the room sim/models alone;
  - a protocol or runtime by name in sim/models: what they cost stands with them;
  - a kind of agent (SERVER_...), a runtime (RUNTIME_...) or a named design in code that is not its own: what others ask of it is a
    field of its table (struct agent_kind, struct runtime_ops), and a design is data;
  - headers that include each other in a circle;
  - a library's header outside of the one place that may know it;
  - with BUILD, a build folder: a compiler that is given headers of a room which its target may not see.
"""
import json
import re
import sys
from pathlib import Path

LIBRARIES = {  # header prefix: where it may be included
    "simgrid/": "sim/fabric/simgrid",
    "xbt/": "sim/fabric/simgrid",
    "lua": "sim/script/",
    "lauxlib": "sim/script/",
}
# Below sim/models/ but no devices: what several are built from, and the calls by which a core drives its GPU.
NO_DEVICES = {"memory", "cuda", "noise"}
PROTOCOLS = re.compile(r"(?<![A-Za-z])(ucx|pami|openmpi|spectrum|charm|charm4py|ampi|mpi|shmem|channel_api)(?![a-z0-9])",
                       re.IGNORECASE)
KINDS = re.compile(r"\b(?:SERVER|RUNTIME)_(?!KINDS\b)[A-Z][A-Z0-9_]*\b")
# The list of runtimes and the axis that names them; rules of designs that stand below all runtimes.
NAME_KINDS = {"sim/protocols/design.h", "sim/protocols/design.c", "sim/protocols/runtimes/runtime_kinds.c"}
# Defaults of a parameter and of an option, which a user reads in the help.
DEFAULT_DESIGNS = {("sim/workloads/jacobi3d/jacobi3d.c", "openmpi-d"), ("sim/workloads/goal/goal_placement.h", "openmpi-d")}
DESIGN_ENTRY = re.compile(r'^  \["([^"]+)"\] = ', re.MULTILINE)
LINE_COMMENT = re.compile(r"(?m)(?<!:)//.*$")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
ROOM_LINE = re.compile(r"^gns_(?:room|program)\((\w+)\s+DIR\s+(\S+?)(?:\s+ROOMS\s+([^)]*?))?"
                       r"(?:\s+NEEDS\s[^)]*)?\)", re.MULTILINE)
SET_LINE = re.compile(r"^set\((\w+) ([^)]*)\)", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]', re.MULTILINE)


def expand(names, lists):
    """`names` with ${list} replaced by the names that set(list ...) gave it."""
    while "${" in names:
        names = re.sub(r"\$\{(\w+)\}", lambda match: lists.get(match[1], ""), names)
    return names


class Rooms:
    """The table, and which room a file stands in."""

    def __init__(self, project):
        text = (project / "CMakeLists.txt").read_text()
        self.folders, self.allowed, self.devices, self.faults = {}, {}, set(), []
        lists = dict(SET_LINE.findall(text))
        for name, folder, below in ROOM_LINE.findall(text):
            below = expand(below, lists)
            for room in below.split():
                if room not in self.allowed:
                    self.faults.append(f"CMakeLists.txt: {name} stands on {room}, which comes later")
            self.folders[folder] = name
            if folder.startswith("sim/models/") and name not in NO_DEVICES:
                self.devices.add(name)
            self.allowed[name] = {name, *below.split()}

    def of(self, path):
        """The room of a file, given relative to the project; None if it stands in none."""
        return self.folders.get(path.parent.as_posix())


def includes(file):
    """(quoted, name) of each #include."""
    return [(quote == '"', name) for quote, name in INCLUDE.findall(file.read_text())]


def resolve(project, file, name):
    """The file meant by #include "name", relative to the project; None if there is none."""
    for folder in (file.parent, project / "sim"):
        if (folder / name).is_file():
            return (folder / name).resolve().relative_to(project)
    return None


def library_fault(path, name):
    for prefix, place in LIBRARIES.items():
        if name.startswith(prefix) and not path.as_posix().startswith(place):
            return f"{path}: <{name}> belongs into {place}* alone"
    return None


def device_fault(rooms, path, targets):
    """`targets`: the rooms that the file includes."""
    room = rooms.of(path)
    others = (rooms.devices & targets) - {room}
    if room in rooms.devices and len(others) > 1:
        return f"{path}: knows several device models: {', '.join(sorted(others))}"
    return None


def protocol_faults(project, path):
    """Protocols that a model's code names; comments may say for whom something is."""
    if not path.as_posix().startswith("sim/models/"):
        return []
    code = COMMENT.sub("", (project / path).read_text())
    return [f"{path}: names the protocol {name}" for name in sorted(set(PROTOCOLS.findall(code)))]


def kind_faults(project, path, designs):
    """Kinds of agents, runtimes and designs that the code of a file names."""
    code = LINE_COMMENT.sub("", COMMENT.sub("", (project / path).read_text()))
    place = path.as_posix()
    found = [] if place in NAME_KINDS else sorted(set(KINDS.findall(code)))
    named = {name for name in re.findall(r'"([^"\n]*)"', code) if name in designs and (place, name) not in DEFAULT_DESIGNS}
    return [f"{path}: names the kind {name}" for name in found] + [f"{path}: names the design {name}" for name in sorted(named)]


def names_of_designs(project):
    file = project / "configs/designs.lua"
    names = set(DESIGN_ENTRY.findall(file.read_text())) if file.exists() else set()
    return names - {"cpu"}  # the word for other things, too


def double_struct_faults(project, files):
    """Structs of one name in two files, also where no file sees both."""
    places, faults = {}, []
    for file in files:
        for name in re.findall(r"^(?:typedef )?struct (\w+) \{", file.read_text(), re.MULTILINE):
            places.setdefault(name, []).append(file.relative_to(project).as_posix())
    for name, found in sorted(places.items()):
        if len(found) > 1:
            faults.append(f"{found[0]}: struct {name} is the name of another one in {', '.join(found[1:])}")
    return faults


def find_circle(graph):
    """A list of nodes that lead back to the first, or None."""
    done, trail = set(), []

    def visit(node):
        if node in trail:
            return trail[trail.index(node):] + [node]
        if node in done:
            return None
        trail.append(node)
        for follower in sorted(graph.get(node, ())):
            circle = visit(follower)
            if circle:
                return circle
        trail.pop()
        done.add(node)
        return None

    for node in sorted(graph):
        circle = visit(node)
        if circle:
            return circle
    return None


def check_file(project, rooms, path, designs):
    """(faults, files it may include and does) of one file."""
    room = rooms.of(path)
    if not room:
        return [f"{path}: stands in no room"], []
    faults, targets = protocol_faults(project, path) + kind_faults(project, path, designs), []
    for quoted, name in includes(project / path):
        faults.append(library_fault(path, name))
        target = resolve(project, project / path, name) if quoted else None
        if target and rooms.of(target) in rooms.allowed[room]:
            targets.append(target)
        elif target:
            faults.append(f"{path}: {room} may not include {target}")
        elif quoted:
            faults.append(f'{path}: there is no "{name}"')
    faults.append(device_fault(rooms, path, {rooms.of(target) for target in targets}))
    return [fault for fault in faults if fault], targets


def fence_faults(project, build):
    """Include folders of the compile commands of sim/ against the table."""
    rooms, faults, rooms_seen = Rooms(project), [], 0
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = Path(entry["file"]).resolve().relative_to(project)
        folders = re.findall(r"-I\s*(\S+)", entry["command"])
        if path.parts[0] != "sim":
            continue
        for folder in folders:
            seen = re.fullmatch(r".*/include/gns_(\w+)", folder)
            rooms_seen += seen is not None
            if not seen or seen[1] not in rooms.allowed[rooms.of(path)]:
                faults.append(f"{path}: is compiled with -I{folder}")
    return faults if rooms_seen else [f"{build}: no file of sim/ sees any room"]


def check(project):
    """All faults, as sentences."""
    rooms = Rooms(project)
    faults, graph = rooms.faults, {}
    files = sorted(f for f in (project / "sim").rglob("*") if f.suffix in (".c", ".h", ".cpp"))
    if not rooms.folders or not files:
        return ["found no rooms or no files: is this the project's folder?"]
    faults += double_struct_faults(project, files)
    designs = names_of_designs(project)
    for file in files:
        path = file.relative_to(project)
        found, targets = check_file(project, rooms, path, designs)
        faults += found
        graph[path.as_posix()] = {target.as_posix() for target in targets}
    circle = find_circle(graph)
    if circle:
        faults.append(f"files include each other in a circle: {' -> '.join(circle)}")
    return faults


def main():
    project = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    faults = check(project) + (fence_faults(project, Path(sys.argv[2])) if len(sys.argv) > 2 else [])
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

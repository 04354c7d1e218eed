# SPDX-License-Identifier: BSD-3-Clause
"""gpunetsim lua-types, and help on calls in Lua: all that the program accepts is there, by its names, and nothing else."""
import json
import re
import unittest

from program import PROJECT, ProgramTest

TYPE = r"(?:[\w.]+|\"[^\"]*\"|\{.*\}|fun\(.*\).*|\(.*\)\[\])(?:\[\]|<.*>)?"
LINES = (
    r"---@meta gpunetsim", r"---@diagnostic disable: .*", r"-- .*", r"--- .*", r"",
    rf"---@class gpunetsim\.[\w.]+(: {TYPE})?", rf"---@alias gpunetsim\.\w+( {TYPE})?", r'---\| "[^"]+" # .*', r"---@generic T",
    rf"---@field (\w+\??|\[string\]) {TYPE}(\|{TYPE})*( # .*)?", rf"---@operator \w+\({TYPE}\): {TYPE}",
    rf"---@overload fun\(.*\): {TYPE}", rf"---@param (\w+\??|\.\.\.) {TYPE}(\|{TYPE})*", rf"---@return {TYPE}( \.\.\.)?",
    r"local \w+ = \{\}", r"function (\w+:)?\w+\([\w, .]*\) end",
)
STUDY = """
local node = require "configs.gcn3_node"
return study {{
  title = "calls", machine = node {{ nodes = 2 }}, vary = {{ design = {{ "{design}" }} }},
  run = function(p) {run} end,
  {more}
}}
"""
PARTIES = "local w = program {{ design = p.design }}; w:parties {{ program = function(me) {} end }}; return w:run()"


class LuaTypes(ProgramTest):

    def setUp(self):
        super().setUp()
        self.text = self.succeed("lua-types")
        # The fields of each class, and the class behind its colon.
        self.classes = {name: (parent, re.findall(r"---@field (\w+)\??", body)) for name, parent, body in
                        re.findall(r"---@class gpunetsim\.([\w.]+)(?:: gpunetsim\.(\w+))?\n((?:---.*\n)*)", self.text)}

    def error_of(self, name, **parts):
        """What `check` says of a study with this mistake."""
        self.write(name, STUDY.format(**{"design": "dgpu", "more": "", "run": "return { x = 1 }", **parts}))
        return self.fail_with(2, "check", name)

    def accepted(self, error):
        return re.search(r"[Aa]ccepted: (.*?)(?:; at .*)?\.\s*$", error)[1].split(", ")

    def test_grammar(self):
        """There is no lua-language-server in Debian 12: each line has the form of an annotation or of an empty function."""
        for line in self.text.split("\n"):
            self.assertTrue(any(re.fullmatch(form, line) for form in LINES), line)
        for name in set(re.findall(r"gpunetsim\.([\w.]+\w)", re.sub(r"#.*|--- .*|-- .*", "", self.text))):
            defined = rf"(?m)^---@(class|alias) gpunetsim\.{re.escape(name)}(?![\w.])"
            self.assertRegex(self.text, defined, f"{name} is used and not defined")

    def test_lua(self):
        """Lua's own compiler takes it: a chunk that is never called."""
        self.write("parsed.lua", f"local never = function()\n{self.text}\nend\nreturn machine {{}}\n")
        self.assertIn("no faults found", self.succeed("check", "parsed.lua"))
        self.write("broken.lua", f"local never = function()\n{self.text}\nfunction end\nend\nreturn machine {{}}\n")
        self.assertIn("broken.lua", self.fail_with(2, "check", "broken.lua"))

    def fields(self, name):
        """Those of a class and of the kind whose instance it is; of a record in it NAME.FIELD."""
        parent, own = self.classes[name]
        records = {field: [f"{field}.{inner}" for inner in self.classes[f"{name}.{field}"][1]]
                   for field in own if f"{name}.{field}" in self.classes}
        return [one for field in own for one in records.get(field, [field])] + (self.fields(parent) if parent else [])

    def test_every_row(self):
        listed = json.loads(self.succeed("list", "--json"))
        names = [row[key] for kind, key in (("components", "component"), ("workloads", "workload")) for row in listed[kind]]
        self.assertGreater(len(names), 40)
        for name in (*names, "design", "program", "schedule"):
            rows = json.loads(self.succeed("help", name, "--json"))["parameters"]
            fields = self.fields(name)
            self.assertEqual([], [row["parameter"] for row in rows if row["parameter"] not in fields], name)
        for name, (_, own) in self.classes.items():
            self.assertEqual(len(own), len(set(own)), f"{name} has a field twice")
        for row in listed["workloads"]:
            self.assertIn(f"function {row['workload']}(of) end\n", self.text)
        for row in listed["designs"]:
            self.assertIn(f'---| "{row["design"]}" # ', self.text)

    def test_what_files_accept(self):
        """Unknown names are refused by a list of all others."""
        self.write("box.lua", "return machine { zzz = 1 }")
        self.assertEqual(sorted(self.accepted(self.fail_with(2, "check", "box.lua"))), sorted(self.classes["machine"][1]))
        self.assertEqual(sorted(self.accepted(self.error_of("a.lua", more="zzz = 1"))), sorted(self.classes["Study"][1]))
        plots = self.accepted(self.error_of("b.lua", more="plot = { zzz = 1 }"))
        self.assertEqual(sorted(plots), sorted(self.classes["Plot"][1]))

    def test_calls_are_those_of_c(self):
        """Every method that the sources register, and every word, is a call; every table of keys is that of its call."""
        def methods(file, start):
            body = re.split(r"NULL\}", (PROJECT / "sim/script" / file).read_text().split(start, 1)[1])[0]
            return set(re.findall(r'\{"(\w+)",', body))
        def of(name):
            return set(re.findall(rf"(?m)^function {name}:(\w+)\(", self.text))
        party = methods("workload/party.c", "operations[] = {") | methods("program/party.c", "operations[] = {") \
            | methods("program/cuda.c", "cuda_operations[] = {")
        self.assertEqual(of("Party"), party)
        self.assertEqual(of("Program"), methods("program/program.c", "static int program_index(lua_State *L)\n"))
        self.assertEqual(of("Place"), methods("program/program.c", "static int place_index(lua_State *L)\n"))
        self.assertEqual(of("Schedule"), methods("program/goal_lua.c", "static int schedule_index(lua_State *L)\n"))
        self.assertEqual(of("Machine") | {"name"}, methods("machine/machine_lua.c", "static int machine_index(lua_State *L)\n"))
        words = set()
        for path in (PROJECT / "sim/script").rglob("*.c"):
            words |= set(re.findall(r'library_add_builtin\(L, "(\w+)"\)', path.read_text()))
        functions = set(re.findall(r"(?m)^function (\w+)\(", self.text))
        self.assertEqual(words - {"require", "setmetatable"} - functions, set())

    def keys_of(self, call):
        """The keys of an operation's table as its help has them."""
        line = self.succeed("help", call).splitlines()[0]
        return re.findall(r"(\w+)\??: ", re.search(r"\{ (.*) \}", line)[1])

    def test_keys_of_operations(self):
        for call in ("put", "get", "put_signal", "wait_until", "send", "receive", "compute", "serve", "leave", "load", "store", "atomic"):
            design = "charm-channel" if call in ("serve", "leave") else "dgpu"
            error = self.error_of(f"{call}.lua", design=design, run=PARTIES.format(f"me:{call} {{ zzz = 1 }}"))
            self.assertEqual(sorted(self.accepted(error)), sorted(self.keys_of(f"me:{call}")), call)
        for call in ("launch", "copy"):
            error = self.error_of(f"{call}.lua", design="charm-channel", run=PARTIES.format(f"me:{call} {{ zzz = 1 }}"))
            self.assertEqual(sorted(self.accepted(error)), sorted(self.keys_of(call)), call)

    def test_hints(self):
        self.assertIn('did you mean "put"? gpunetsim help me:put explains it',
                      self.error_of("party.lua", run=PARTIES.format("me:putt { to = 1 }")))
        self.assertIn("docs/use/programs.md", self.error_of("far.lua", run=PARTIES.format("me:whatever_else()")))
        self.write("name.lua", 'return require "configs.gcn3node"')
        self.assertIn('did you mean "configs.gcn3_node"?', self.fail_with(2, "check", "name.lua"))

    def test_help(self):
        self.assertIn("me:put { to: integer, buffer: Buffer", self.succeed("help", "me:put"))
        self.assertEqual(len(re.findall(r"(?m)^\w+:send ", self.succeed("help", "send"))), 2)
        self.assertIn("each twice the one before", self.succeed("help", "pow2"))
        self.assertIn("published(value: any, source: string)", self.succeed("help", "published"))
        both = self.succeed("help", "measured")
        self.assertIn("They are drawn as marks", both)
        self.assertIn("measured(value: any, source: string)", both)
        self.assertEqual(json.loads(self.succeed("help", "me:quiet", "--json"))["name"], "me:quiet()")
        self.assertEqual(len(json.loads(self.succeed("help", "send", "--json"))), 2)
        self.assertIn("did you mean put", self.fail_with(2, "help", "putt"))


if __name__ == "__main__":
    unittest.main()

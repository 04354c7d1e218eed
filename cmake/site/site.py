# SPDX-License-Identifier: BSD-3-Clause
"""Makes the site: the pages of docs/, a reference that the program itself tells, and a gallery of its scenarios.

    site.py ROOT PROGRAM RESULTS FOLDER VERSION

ROOT: the project; RESULTS: the folder that `gpunetsim reproduce` has written, which may be missing; FOLDER gets `source` (what
Sphinx reads) and `html`. Needs the Debian packages python3-sphinx and python3-myst-parser."""
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
SHELVES = ("learn", "use", "trust", "change")
SCENARIOS = {"compnet": "ComP-Net", "summit": "Summit", "hardware": "Measured GPUs", "libraries": "Libraries",
             "programs": "Programs in Lua", "whatif": "What if", "calibration": "Calibration"}
LINK = re.compile(r"(!?\[[^\]]*\])\(([^)#\s]+)(#[^)\s]*)?\)")
HERE = Path(__file__).parent
SENTENCE = "sphinx-build is not installed (Debian packages python3-sphinx and python3-myst-parser)"


class Site:
    def __init__(self, root, program, results, folder, version):
        self.root, self.program, self.results, self.folder = Path(root).resolve(), program, Path(results), Path(folder).resolve()
        self.version, self.source = version, self.folder / "source"

    # --- what the program says -----------------------------------------------------------------------

    def ask(self, *words):
        environment = {**os.environ, "GPUNETSIM_ROOT": str(self.root), "NO_COLOR": "1"}
        return subprocess.run([self.program, *words], env=environment, text=True, capture_output=True, check=True).stdout

    def names(self, kind):
        """The names of a list, and what each is."""
        return [tuple(row.values()) for row in json.loads(self.ask("list", kind, "--json"))]

    # --- writing --------------------------------------------------------------------------------------

    def write(self, name, text):
        path = self.source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def table(self, rows):
        """A table of records, whose names are its head."""
        if not rows:
            return ""
        lines = [list(rows[0]), ["---"] * len(rows[0]), *(list(row.values()) for row in rows)]
        return "".join("| " + " | ".join(self.cell(text) for text in line) + " |\n" for line in lines) + "\n"

    def cell(self, text):
        return re.sub(r"([\\|*_<>\[\]{}$`])", r"\\\1", text or "") or " "

    def toctree(self, caption, names, depth=1):
        return f"```{{toctree}}\n:caption: {caption}\n:maxdepth: {depth}\n\n" + "".join(f"{name}\n" for name in names) + "```\n\n"

    # --- pages ------------------------------------------------------------------------------------------

    def page(self, name):
        """A page of the project. Returns the pages that it links to; other files come along, and folders are the gallery's."""
        folder, linked = (self.root / name).parent, []

        def follow(found):
            words, target, place = found[1], found[2], found[3] or ""
            path = (folder / target).resolve()
            if "://" in target or not path.is_relative_to(self.root) or not path.exists():
                return found[0]
            if path.is_dir():
                return f"{words}({os.path.relpath(self.root / 'gallery/index.md', folder)})"
            if path.suffix == ".md":
                linked.append(path.relative_to(self.root).as_posix())
            else:
                kept = self.source / path.relative_to(self.root)
                kept.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, kept)
                if not words.startswith("!"):
                    return f"{{download}}`{words[1:-1]} <{target}>`"
            return f"{words}({target}{place})"

        self.write(name, LINK.sub(follow, (self.root / name).read_text(encoding="utf-8")))
        return linked

    def pages(self):
        """Writes the pages of docs/, those of PAGES, and all to which these lead. Returns the first, and the others."""
        docs = sorted(path.relative_to(self.root).as_posix() for path in (self.root / "docs").rglob("*.md"))
        names = [*PAGES, *docs]
        for name in names:
            names += sorted(set(self.page(name)) - set(names))
        return docs, [name for name in names if name not in docs]

    def index(self, docs, others):
        shelves = "".join(self.toctree(shelf.capitalize(), [name[:-3] for name in docs if name.startswith(f"docs/{shelf}/")])
                          for shelf in SHELVES)
        also = self.toctree("Also", [name[:-3] for name in others])
        report = "<a href=\"report.html\">The report</a> compares every figure with what the papers state.\n\n" if self.report() else ""
        text = (self.root / "README.md").read_text(encoding="utf-8")
        self.write("index.md", f"# gpunetsim {self.version}\n\n{text.split(chr(10) * 2)[1]}\n\n"
                   "[What each page answers](docs/README.md) · [Gallery](gallery/index.md) · "
                   f"[Reference](reference/index.md)\n\n{report}" + self.toctree("Pages", ["docs/README"]) + shelves +
                   self.toctree("Gallery", ["gallery/index"]) + self.toctree("Reference", ["reference/index"], 2) + also)

    # --- reference ----------------------------------------------------------------------------------------

    def commands(self):
        return "".join(f"## {row['command']}\n\n{row['description']}\n\n```text\n{self.ask(row['command'], '--help').strip()}\n```\n\n"
                       for row in json.loads(self.ask("help", "--json")))

    def parameters(self, kind):
        """Components, or workloads: each with its parameters."""
        parts = []
        for name, description in self.names(kind):
            about = json.loads(self.ask("help", name, "--json"))
            parts.append(f"## {name}\n\n{self.cell(description)}\n\n{self.table(about.get('parameters', []))}")
        return "".join(parts)

    def designs(self):
        parts = []
        for name, description in self.names("designs"):
            about = json.loads(self.ask("help", name, "--json"))
            parts.append(f"## {name}\n\n{self.cell(description)} Source: {self.cell(about['source'])}\n\n{self.table(about['axes'])}")
        return "".join(parts)

    def measures(self):
        return self.table([{"measure": name, "what it is": description} for name, description in self.names("measures")])

    def lua(self):
        """The words of a study, and the calls on a program, its parties and what else has any, as help explains them."""
        words = re.findall(r'^word\("(\w+)"', (self.root / "views/words.lua").read_text(encoding="utf-8"), re.M)
        parts = [f"## {word}\n\n{self.cell(self.ask('help', word).split(': ', 1)[1].strip())}\n\n" for word in words]
        rows = (self.root / "views/calls.lua").read_text(encoding="utf-8")
        calls = [json.loads(self.ask("help", f"{of}:{name}", "--json")) for of, name in re.findall(r'^call\("\w+ ([^"]+)", "(\w+)"', rows, re.M)]
        return "".join(parts) + "## Calls\n\n" + self.table([{"call": call["name"], "what it does": call["description"]} for call in calls])

    def c_functions(self):
        """Each comment of the header with the declarations below it."""
        header = (self.root / "library/gpunetsim.h").read_text(encoding="utf-8")
        parts = ["## gpunetsim.h\n\n"]
        for comment, declaration, macro in re.findall(r"/\*((?:[^*]|\*(?!/))*)\*/\n((?:(?!/\*|#)[^\n]+\n)*)(#define)?", header):
            words = self.cell(re.sub(r"\n \* ?", "\n", comment).strip())
            heading = re.match(r"--- (.*?) ---", re.sub(r"\s+", " ", words))
            name = re.search(r"\b(gpunetsim_\w+)(?:\(|;)", declaration)
            if heading:
                parts.append(f"{heading[1][:1].upper()}{heading[1][1:]}.\n\n")
            elif name:
                code = declaration.replace("GPUNETSIM_API ", "").strip()
                parts.append(f"### {name[1]}\n\n```c\n{code}\n```\n\n{words}\n\n")
            elif not declaration.strip() and not macro and "SPDX" not in comment:
                parts.append(words + "\n\n")
        return "".join(parts)

    def reference(self):
        pages = {"commands": ("Commands", self.commands()), "components": ("Components of machines", self.parameters("components")),
                 "workloads": ("Workloads", self.parameters("workloads")), "measures": ("Measures", self.measures()),
                 "designs": ("Designs", self.designs()), "lua": ("Lua: words of a study, calls of a program", self.lua()),
                 "c": ("The C library", self.c_functions())}
        for name, (title, text) in pages.items():
            self.write(f"reference/{name}.md", f"# {title}\n\n{text}")
        self.write("reference/index.md", "# Reference\n\nWhat the program itself says: `gpunetsim help` and `gpunetsim list`.\n\n" +
                   self.toctree("Reference", pages))

    # --- gallery --------------------------------------------------------------------------------------------

    def figures(self, name):
        """The scenario's figures, which come along; none if it has not been run."""
        found = sorted((self.results / name).glob("figure*.svg"))
        for path in found:
            (self.source / "gallery").mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, self.source / f"gallery/{name}-{path.name}")
        return [f"{name}-{path.name}" for path in found]

    def scenario(self, path, title):
        figures = self.figures(path.stem)
        place = path.relative_to(self.root).as_posix()
        shown = "".join(f"![{self.cell(title)}]({figure})\n\n" for figure in figures)
        missing = "" if figures else "It takes long, and was not run for this site.\n\n"
        self.write(f"gallery/{path.stem}.md", f"# {self.cell(title)}\n\n{shown}{missing}```sh\ngpunetsim run {place}\n```\n\n"
                   f"## Code\n\n```lua\n{path.read_text(encoding='utf-8')}```\n")
        return figures[0] if figures else None

    def gallery(self):
        titles, shelves = dict(self.names("scenarios")), {}
        for path in sorted((self.root / "scenarios").glob("*/*.lua")):
            shelves.setdefault(path.parent.name, []).append((path, titles.get(path.stem, path.stem)))
        text = ["# Gallery\n\nEvery scenario, with its figure, its code and the command that runs it.\n\n"]
        for shelf, scenarios in shelves.items():
            text.append(f"## {SCENARIOS.get(shelf, shelf)}\n\n")
            for path, title in scenarios:
                figure = self.scenario(path, title)
                picture = f"[![{self.cell(title)}]({figure})]({path.stem}.md)\n\n" if figure else ""
                text.append(f"### [{self.cell(title)}]({path.stem}.md)\n\n{picture}")
        names = [path.stem for scenarios in shelves.values() for path, _ in scenarios]
        hidden = self.toctree("Scenarios", names).replace(":maxdepth", ":hidden:\n:maxdepth")
        self.write("gallery/index.md", "".join(text) + hidden)

    # --- the whole --------------------------------------------------------------------------------------------

    def report(self):
        """The report beside the results, if there is one."""
        return next(iter(sorted(self.results.glob("report*.html"))), None)

    def make(self):
        shutil.rmtree(self.source, ignore_errors=True)
        shutil.rmtree(self.folder / "html", ignore_errors=True)
        docs, others = self.pages()
        self.gallery()
        self.reference()
        if self.report():
            self.write("extra/report.html", self.report().read_text(encoding="utf-8"))
        self.index(docs, others)
        shutil.copyfile(HERE / "conf.py", self.source / "conf.py")
        (self.source / "_static").mkdir()
        shutil.copyfile(HERE / "site.css", self.source / "_static/site.css")
        subprocess.run(["sphinx-build", "-q", "-W", "--keep-going", "-b", "html", "-D", f"release={self.version}",
                        self.source, self.folder / "html"], check=True)
        print(f"The site is in {self.folder}/html/index.html")


def main():
    if not shutil.which("sphinx-build"):
        sys.exit(SENTENCE)
    Site(*sys.argv[1:]).make()


if __name__ == "__main__":
    main()

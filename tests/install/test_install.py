# SPDX-License-Identifier: BSD-3-Clause
"""The program and the library as installed: in a folder outside the project, with blanks in its name, by a user who may
write nothing there; found by other projects; removed again."""
import base64
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import zlib
from pathlib import Path

ROOT = Path(os.environ["GPUNETSIM_ROOT"])
BUILD = Path(os.environ["GPUNETSIM_PROGRAM"]).parent
STUDY = """
local node = require "configs.gcn3_node"
return study {
    title = "Mine", machine = node { nodes = 2 }, vary = { bytes = { "8B", "64B" } },
    run = function(p) return get_latency { design = "comp-net", bytes = p.bytes } end,
    plot = { x = "bytes", y = "latency" },
}
"""


def call(*command, **options):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GPUNETSIM_")}
    environment.update(options.pop("environment", {}))
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, env=environment,
                          **options)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def as_nobody():
    """What makes a child another user, where this one may."""
    if os.geteuid() != 0:
        return {}
    return {"user": "nobody", "group": "nogroup", "extra_groups": []}


def check_program(prefix, home):
    program = prefix / "bin/gpunetsim"
    (home / "mine.lua").write_text(STUDY)
    user = as_nobody()
    if user:
        shutil.chown(home, "nobody", "nogroup")
    table = call(program, "run", "mine.lua", "--no-plot", "-o", "csv:-", cwd=home, **user)
    assert table.splitlines()[0].startswith("bytes"), table
    assert len(table.splitlines()) == 3, table
    assert "fig08a_get_latency" in call(program, "list", cwd=home, **user)
    assert "comp-net" in call(program, "list", "designs", cwd=home, **user)
    moved = prefix.with_name("moved elsewhere")
    prefix.rename(moved)
    again = call(moved / "bin/gpunetsim", "run", "mine.lua", "--no-plot", "-o", "csv:-", cwd=home, **user)
    moved.rename(prefix)
    assert again == table, "a moved installation gives other results"
    return table


def check_python(prefix, home):
    """The reader, from where it is installed, finds the program in PATH."""
    code = "import gpunetsim; print(gpunetsim.__file__, len(gpunetsim.run('mine.lua')))"
    told = call("python3", "-B", "-c", code, cwd=home, environment={"PYTHONPATH": f"{prefix}/lib/python3/dist-packages",
                                                              "PATH": f"{prefix}/bin:{os.environ['PATH']}"}, **as_nobody())
    assert told == f"{prefix}/lib/python3/dist-packages/gpunetsim.py 2\n", told


def check_commands(prefix, home):
    """What a user does first, in a folder of her own: scenarios and machines that come with the program."""
    program, user = prefix / "bin/gpunetsim", as_nobody()
    scenario = prefix / "share/gpunetsim/scenarios/compnet/fig08a_get_latency.lua"
    told = call(program, "reproduce", "--only", "fig08a_get_latency", "--out", "reproduced", cwd=home, **user)
    assert re.search(r"^fig08a_get_latency: \d+ points, 0 failed", told, re.M), told
    assert re.search(r"^Claims: \d+ reproduced", told, re.M), told
    page = (home / "reproduced/report-fig08a_get_latency.html").read_text()
    packed = [zlib.decompress(base64.b64decode(part)).decode() for part in re.findall('data-packed="([^"]+)"', page)]
    assert any(part.startswith("<svg") for part in packed) and "tests/" in page
    assert (home / "reproduced/claims-fig08a_get_latency.csv").stat().st_size > 1000
    assert "latency" in call(program, "run", scenario, "--out", "ran", cwd=home, **user)
    assert (home / "ran/figure.svg").is_file()
    assert "nic.doorbell_latency" in call(program, "params", "gcn3_node", cwd=home, **user)
    point = call(program, "explain", scenario, "--point", "bytes=8B,design=comp-net", cwd=home, **user)
    assert "us" in point, point


def check_library(prefix, home, build):
    shutil.copytree(ROOT / "examples/library", home / "example")
    call("cmake", "-S", home / "example", "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}")
    call("cmake", "--build", build)
    printed = call(build / "doorbell").splitlines()
    latencies = [float(line.split()[1]) for line in printed[1:]]
    assert len(latencies) == 4 and latencies == sorted(latencies), printed
    # Each get passes the doorbell, of 1.8 us more, once; polls hide or add what one takes.
    assert 1.6 <= latencies[3] - latencies[2] <= 2.0, printed
    flags = {"PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig") + ":" + str(next(prefix.glob("lib*/**/pkgconfig"), ""))}
    for static in ([], ["--static"]):
        options = call("pkg-config", "--cflags", "--libs", *static, "gpunetsim", environment=flags)
        assert "-lgpunetsim" in options and "-lsqlite3" not in options, options
    (home / "with_static").mkdir()
    shutil.copy(home / "example/doorbell.c", home / "with_static")
    (home / "with_static/CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(with_static C)\nfind_package(gpunetsim REQUIRED)\n"
        "add_executable(doorbell doorbell.c)\ntarget_link_libraries(doorbell gpunetsim::gpunetsim_static)\n")
    call("cmake", "-S", home / "with_static", "-B", home / "built", f"-DCMAKE_PREFIX_PATH={prefix}")
    call("cmake", "--build", home / "built")
    assert call(home / "built/doorbell", environment={"GPUNETSIM_PROGRAM": str(prefix / "bin/gpunetsim")}).splitlines() == printed
    archive = next(prefix.glob("lib*/**/libgpunetsim.a"))
    call("cc", f"-I{prefix}/include", home / "example/doorbell.c", "-o", home / "static", archive)
    assert call(home / "static", environment={"GPUNETSIM_ROOT": str(prefix / "share/gpunetsim")}).splitlines() == printed


def check_page(prefix, home):
    """The lines of C in docs/use/library.md, in a program."""
    block = re.search(r"```c\n(.*?)```", (ROOT / "docs/use/library.md").read_text(), re.S).group(1)
    include, body = block.split("\n\n", 1)
    (home / "page.c").write_text(f"#include <stdio.h>\n{include}\nint main(void)\n{{\n{body}"
                                 'printf("%.3f\\n", latency_us);\nreturn latency_us > 0 ? 0 : 1;\n}\n')
    flags = {"PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig") + ":" + str(next(prefix.glob("lib*/**/pkgconfig"), ""))}
    options = shlex.split(call("pkg-config", "--cflags", "--libs", "gpunetsim", environment=flags))
    call("cc", home / "page.c", "-o", home / "page", *options)
    library = next(prefix.glob("lib*/**/libgpunetsim.so")).parent
    found = {"LD_LIBRARY_PATH": str(library)}
    assert 1 < float(call(home / "page", environment=found)) < 100
    failed = subprocess.run([home / "page"], env={**os.environ, **found, "GPUNETSIM_ROOT": str(home)}, capture_output=True,
                            text=True, timeout=250, check=False)
    assert failed.returncode == 1 and "is not found in" in failed.stderr, failed


def check_manual(prefix):
    page = (prefix / "share/man/man1/gpunetsim-run.1").read_text()
    assert "\\-\\-set" in page, "options of `run` are in its man page"
    assert "doorbell_latency" in (prefix / "share/man/man7/gpunetsim-parameters.7").read_text()
    script = prefix / "share/bash-completion/completions/gpunetsim"
    for words, wanted in (("re", "reproduce"), ("run --colu", "--columns"), ("new ma", "machine"), ("params gcn", "gcn3_node"),
                          ("export goal-", "goal-binary"), ("import to", "topology"),
                          ("osu latency --design comp", "comp-net"), ("run s.lua -s ni", "nic."),
                          ("run s.lua -s nic.door", "nic.doorbell_latency="), ("run s.lua -s no", "nodes="),
                          ("run s.lua -s des", "design."), ("run s.lua -s design.que", "design.queue.memory=")):
        count = len(words.split())
        asked = (f'PATH="{prefix}/bin:$PATH"; . "{script}"; COMP_WORDS=(gpunetsim {words}); COMP_CWORD={count}; _gpunetsim; '
                 'echo "${COMPREPLY[@]}"')
        offered = call("bash", "-c", asked).split()
        assert wanted in offered and "machine." not in offered, words


def check_uninstall(prefix, home):
    """What a user has put below the prefix stays, and only that. The prefix has a word of letters in brackets, a pattern."""
    mine = [prefix / "share/gpunetsim/configs/mine.lua", prefix / "share/gpunetsim/mine/.hidden", prefix / "lib/other.so"]
    for file in mine:
        file.parent.mkdir(exist_ok=True)
        file.write_text("mine")
    call("cmake", "--build", BUILD, "--target", "uninstall")
    left = [path for path in prefix.rglob("*") if not path.is_dir()]
    assert sorted(left) == sorted(mine), f"left after uninstall: {left}"
    folders = {path for path in prefix.rglob("*") if path.is_dir()}
    assert folders == {above for path in mine for above in path.parents if prefix in above.parents}, folders
    for file in mine:
        file.unlink()
    shutil.rmtree(prefix)
    call("cmake", "--install", BUILD, "--prefix", prefix.name, cwd=prefix.parent)
    assert (prefix / "bin/gpunetsim").exists()
    call("cmake", "--build", BUILD, "--target", "uninstall")
    assert not prefix.exists(), f"left after uninstall: {list(prefix.rglob('*'))}"
    assert home.is_dir(), "uninstall goes no further than what it installed"


with tempfile.TemporaryDirectory() as folder:
    os.chmod(folder, 0o755)
    prefix, home = Path(folder) / "a prefix [of 1]", Path(folder) / "home of a user"
    home.mkdir()
    call("cmake", "--install", BUILD, "--prefix", prefix)
    check_program(prefix, home)
    check_python(prefix, home)
    check_commands(prefix, home)
    check_library(prefix, home, Path(folder) / "example build")
    check_page(prefix, home)
    check_manual(prefix)
    check_uninstall(prefix, home)

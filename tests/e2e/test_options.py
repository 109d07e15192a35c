"""
No option is ignored: each one has an effect that is seen here, or it is refused. And those that once did nothing, and said
nothing.
"""

import json
import os
import re
import stat

import made
from harness import check_error, main, require, run, sprof, target

USAGE = 64
PTRACE = ("--source", "ptrace")

# Options that would do nothing without another one, or beside it.
REFUSED = (
    ("heap --rate --period 3 -- true", "--period and --rate exclude each other"),
    ("heap --exact --source perf -- true", "--source and --exact exclude each other"),
    ("heap --exact --period 3 -- true", "--period and --exact exclude each other"),
    ("heap --exact --overhead 3 -- true", "--overhead needs --rate"),
    ("heap -p 1 --no-children", "--no-children and --pid exclude each other"),
    ("heap --sizes -- true", "--sizes needs --exact"),
    ("calls -F main --overhead 3 --count -- true", "--overhead and --count exclude each other"),
    ("calls -F main --limit 3 -- true", "--limit needs --tree, --path or --timeline"),
    ("calls -F main -o x.svg -- true", "x.svg: this command writes text, JSON or DOT, not svg"),
    ("calls -F main --tree -o x.json -- true", "x.json: --tree and --path are text"),
    ("calls -F main -o x.foo -- true", "(?s)x.foo: the suffix names no format.*: .txt, .json, .dot"),
    ("trace -e profile -o x.foo -- true", "x.foo: the suffix names no format"),
    ("syscalls -o x.foo -- true", "x.foo: the suffix names no format"),
    ("mem --at start -- true", "--at needs --libs or --maps"),
    ("mem --children -- true", "--children needs --pid"),
    ("mem -p 1 --no-children", "--no-children and --pid exclude each other"),
    ("trace -e profile --limit 3 -- true", "--limit needs --impl call-delay"),
    ("trace -e profile --detail all -- true", "--detail needs --than or --lower"),
    ("rundelay --detail -- true", "--detail needs --than"),
    ("rundelay --source proc --than 1ms --detail -- true", "--source proc has no single delays for --detail"),
    ("calls -F main --tree -o x.dot -- true", "x.dot: --tree and --path are text"),
    ("calls -F main -o x.dot --json -- true", "x.dot: JSON is asked for, too"),
    ("trace -e profile -o x.pb.gz -- true", "x.pb.gz: this command writes text or JSON, not pprof"),
    ("syscalls --rate 5 -- true", "--rate needs --sample"),
    ("syscalls --weight user -- true", "--weight needs --output, --format or --sample"),
    ("diff a b --junit x", "--junit needs --fail-if"),
    ("dump -p 1 --interval 1s", "--interval needs --times"),
    ("report a --by pid --parent x", "--by and --parent exclude each other"),
    ("symbols a --addresses file", "--addresses needs --pid"),
    *((f"{line} -f text", "--json and --format exclude each other") for line in (
        "syscalls --json", "trace -e profile --json", "calls -F main --json", "dump -p 1 --json", "mem -p 1 --json",
        "rundelay -p 1 --json", "heap --exact -p 1 --json", "annotate main a --json")),
)

# Values that mean nothing to the command.
WRONG = (
    ("report a -o b -f folded --json", "--json: b has the format folded already"),
    ("merge a -o b --json -f folded", "--format folded: b has the format json already"),
    ("report a -f folded -f json", "--format json: the format is folded already"),
    ("report a -f folded --json", "--json: the format is folded already"),
    *((f"{line} --json -f text", "--format text: the format is json already") for line in ("report a", "diff a b", "merge a b")),
    ("mem -o x.foo -- true", "x.foo: its suffix is none of"),
    ("heap --exact --breakpoints --weight user -- true", "not one of .*alloc_space, .*peak_space"),
    ("run --weight peak_space -- true", "not one of samples, wall, user, "),
    ("rundelay -i 0 -- true", "--interval 0: not a time of at least 1ms with its unit"),
    ("syscalls -i 0 -- true", "--interval 0: not a time of at least 1ms"),
    ("trace -e profile --cycle -i 0 -- true", "--interval 0: not a time of at least 1ms"),
    ("mem -i 0 -- true", "--interval 0: not a time of at least 1ms"),
)


# The reason follows the value.
LONG = (
    ("run -d " + "x" * 3000 + " -- true", r"xx\.\.\.: not a time"),
    ("trace -e profile -k " + "-" * 3000 + " -- true", r"--\.\.\.: is an option, not a value"),
    ("run -r " + "9" * 3000 + " -- true", r"9\.\.\.: "),
)


def test_values_without_a_meaning():
    for line, message in (*WRONG, *LONG):
        check_error(sprof(*line.split()), USAGE, message)
        assert not os.listdir("."), line


def test_ignored_options_are_refused():
    for line, message in REFUSED:
        check_error(sprof(*line.split()), USAGE, message)
        assert not os.listdir("."), line
        sprof(line.split()[0], *line.split(" -- ")[0].split()[1:], "--help").check(0)


def test_lists_of_system_calls():
    """Each further -e adds to the first."""
    def calls(*options):
        result = sprof("syscalls", *PTRACE, "--json", *options, "--", target("exit-code"), "0").check(0)
        return {row["syscall"] for row in json.loads(result.out)["rows"]}

    assert calls("-e", "write", "-e", "exit_group,brk") == calls("-e", "write,exit_group,brk")
    assert calls("-e", "write", "-e", "exit_group") > calls("-e", "write") == {"write"}
    check_error(sprof("syscalls", "-e", "read", "-e", "brk,raed", "--", "true"), USAGE, "column 5", "raed")


def test_a_format_without_a_file():
    text = sprof("syscalls", *PTRACE, "-f", "json", "--", "true").check(0).text()
    assert "write" in json.dumps(json.loads(text)) or json.loads(text)["rows"], text[:200]


def test_a_format_of_a_file_beside_json():
    """-f is then that of the -o before it, not another word for stdout's."""
    path = made.small("a.pb.gz")
    for words in (["-o", "a", "-f", "folded", "-o", "b", "--json"], ["-o", "b", "--json", "-o", "a", "-f", "folded"]):
        for command in (["report"], ["merge"]):
            sprof(*command, *words, path).check(0)
            with open("a", encoding="utf-8") as stacks, open("b", encoding="utf-8") as report:
                assert "main;parse " in stacks.read() and json.load(report), command
    result = sprof("syscalls", *PTRACE, "-o", "c", "-f", "folded", "--json", "--", "true").check(0)
    with open("c", encoding="utf-8") as stacks:
        assert json.loads(result.out)["rows"] and re.match(r"\S.* \d+\n", stacks.read())
    require_breakpoints()
    result = sprof("heap", "--exact", "-o", "heap.prof", "-f", "pprof", "--json", "--", target("exit-code"), "0").check(0)
    with open("heap.prof", "rb") as profile:
        assert json.loads(result.out) and profile.read(2) == b"\x1f\x8b"


def require_breakpoints():
    require("libZydis" in sprof("--version").text(), "this build has no breakpoints")


def test_the_suffix_decides():
    require_breakpoints()
    functions = ["calls", "--breakpoints", "-F", "main", "-o"]
    events = ["trace", *PTRACE, "-e", "syscalls:sys_enter_brk", "-e", "syscalls:sys_exit_brk", "-o"]
    for command in (functions, events):
        sprof(*command, "x.json", "--", target("exit-code"), "0").check(0)
        with open("x.json", encoding="utf-8") as file:
            assert json.load(file), command
        sprof(*command, "x.txt", "--", target("exit-code"), "0").check(0)
        with open("x.txt", encoding="utf-8") as file:
            assert not file.read().startswith("{"), command
        sprof(*command, "x", "--json", "--", target("exit-code"), "0").check(0)
        with open("x", encoding="utf-8") as file:
            assert json.load(file), command
        sprof(*command, "/dev/null", "--", target("exit-code"), "0").check(0)
        check_error(sprof(*command, "y", "--", "touch", "ran"), USAGE, "names no format", r"\.txt, \.json")
        assert not os.path.exists("ran")


def test_advice_names_options_that_there_are():
    """What a program leaves running is followed with run --wait, and with nothing else."""
    require_breakpoints()
    os.mkfifo("held")
    script = f"{target('exit-code')} 0; cat held >/dev/null 2>&1 &"
    for command, has_wait in ((["run"], True), (["calls", "--breakpoints", "-F", "main"], False)):
        result = sprof(*command, "-o", "x.txt", "--", "sh", "-c", script)
        os.close(os.open("held", os.O_WRONLY))  # it ends
        said = result.check(0).err
        assert "running, no longer profiled" in said and ("--wait" in said) == has_wait, (command, said)


def test_names_as_reports_have_them():
    """A stub's @plt is a part of its name, and a file is named as in sprof calls."""
    made.stubs("stubs.pb.gz")

    def annotated(name):
        found = json.loads(sprof("annotate", "--json", name, "stubs.pb.gz").check(0).out)
        return found["function"], os.path.basename(found["module"])

    stub, other = ("strcmp@plt", "made"), ("lib_strcmp@plt", "libmade.so")
    for name in ("strcmp@plt", "strcmp@plt@made", "strcmp@plt@/usr/bin/made", '"strcmp@plt"@"made"', "strcmp@plt@m*", "str*@plt"):
        assert annotated(name) == stub, name
    for name in ("lib_strcmp@plt", "lib_strcmp@plt@libmade.so", "*strcmp@plt@lib*"):
        assert annotated(name) == other, name
    assert annotated("lib_strcmp@libmade.so") == annotated("lib_strcmp") == ("lib_strcmp", "libmade.so")
    # What a hint offers can be given back.
    result = sprof("annotate", "*strcmp*", "stubs.pb.gz")
    check_error(result, USAGE, "matches 3 functions")
    for name in re.findall("'([^']*)'", result.err.partition("hint:")[2]):
        assert annotated(name) in (stub, other, ("lib_strcmp", "libmade.so")), name
    check_error(sprof("annotate", "strcmp@plt@libmade.so", "stubs.pb.gz"), 2, "no function 'strcmp@plt' .*in libmade.so")


def test_a_drawing_program_that_fails():
    """Its exit code, or 128 and its signal: not what waitpid(2) has for it."""
    os.mkdir("bin")
    sprof("run", "-q", "-o", "x.pb.gz", "--", "sleep", "0.3").check(0)
    for script, code in (("exit 3", 3), ("kill -KILL $$", 137)):
        with open("bin/dot", "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{script}\n")
        os.chmod("bin/dot", os.stat("bin/dot").st_mode | stat.S_IXUSR)
        environment = {**os.environ, "PATH": f"{os.path.abspath('bin')}:{os.environ['PATH']}"}
        result = run(os.environ["SPROF"], "report", "x.pb.gz", "-o", "x.png", env=environment)
        check_error(result, 2, f"dot failed with status {code}")


if __name__ == "__main__":
    main()

"""`sprof dump --locals` against gdb, variable by variable, in programs made by a seed."""

import collections
import json
import os
import re

from harness import Program, main, others, run, sprof, state_of, tool, wait_until
from subjects import command, write
from variables import make

HERE = os.path.dirname(os.path.abspath(__file__))
SEEDS = int(os.environ.get("SPROF_TEST_PROGRAMS", "1"))
OWN = re.compile(r"f\d+|main|stay|take")
KNOWN_PARTS = re.compile(r"\\\?|<optimized\\ out>")


def plain_name(function):
    return re.sub(r"\(.*", "", function or "?")


def ours(pid):
    """[(function, [(variable, value or None, state)])], the innermost first."""
    found = json.loads(sprof("dump", "--locals", "--json", "-p", pid).check(0).text())
    stack = found["processes"][0]["threads"][0]["stack"]
    return [(plain_name(frame["function"]), [(local["name"], local["value"], local["state"]) for local in frame["locals"]])
            for frame in stack]


def theirs(pid):
    text = run(tool("gdb"), "-batch", "-nx", "-iex", "set debuginfod enabled off", "-p", str(pid),
               "-ex", f"source {HERE}/gdb_variables.py").text()
    found = re.search("^JSON (.*)$", text, re.MULTILINE)
    assert found, text
    return [(plain_name(function), [tuple(pair) for pair in pairs]) for function, pairs in json.loads(found[1])]


def true_number(function):
    """What the argument n of a function is."""
    return "1" if function == "main" else str(int(function[1:]) + 1)


def gdb_errs(frames):
    """Functions whose variables gdb gets wrong, by the argument that is known; and those that they call."""
    wrong = set()
    for function, pairs in frames.items():
        number = dict(pairs).get("n")
        if number is not None and function not in ("stay", "take") and number != true_number(function):
            wrong |= {function, "f0" if function == "main" else f"f{int(function[1:]) + 1}"}
    return wrong


def is_less(value, whole):
    """The same, but for parts that are not known. A text ends before them."""
    if value is None:
        return False
    if value.endswith('"...') and whole.startswith(value[:-len('"...')]):
        return True
    return re.fullmatch(KNOWN_PARTS.sub(".*", re.escape(value)), whole) is not None


def compare(function, own, other, count):
    """Pairs those of one name, equal ones first. A name has several variables in blocks inside each other."""
    rest = list(other)
    left = []
    for name, value, state in own:
        if (name, value) in rest:
            rest.remove((name, value))
            count["equal" if value is not None else "none has it"] += 1
        else:
            left.append((name, value, state))
    for name, value, state in left:
        values = [text for variable, text in rest if variable == name and text is not None]
        if value is None:
            assert state == "unknown" or not values, (function, name, state, values)
            count["not known"] += 1
        elif not values:
            count["gdb doesn't know it"] += 1
        else:
            same = [text for text in values if is_less(value, text) or (value, text) in (("0x0", "0"), ("{...}", "{}"))]
            assert same or value == "{...}", (function, name, value, values)
            count["partly known"] += 1


def check(source, compiler, flags, runs):
    name = "subject.c" if compiler in ("gcc", "clang") else "subject.cc"
    command(tool(compiler), "-w", *flags, write(name, source), "-o", "subject")
    program = Program(["./subject"])
    assert program.line() == "ready"
    if not runs:
        wait_until(lambda: state_of(program.pid) == "S", "it sleeps")
    own, other = ours(program.pid), theirs(program.pid)
    program.process.kill()
    own = {function: values for function, values in own if OWN.fullmatch(function)}
    other = {function: pairs for function, pairs in other if OWN.fullmatch(function)}
    # gdb doesn't know inlined functions of DWARF 2.
    assert [function for function in own if function in other] == list(other), (list(own), list(other))
    count, wrong = collections.Counter(), gdb_errs(other)
    for function, pairs in other.items():
        if function not in wrong:
            compare(function, own[function], pairs, count)
    return count


def check_all(compiler, *flags, runs=False, least=0.9):
    language = "c" if compiler in ("gcc", "clang") else "c++"
    count = collections.Counter()
    for seed in range(SEEDS):
        count += check(make(seed, language, "gcc" if "g" == compiler[0] else "clang", asleep=not runs), compiler, flags, runs)
    print(compiler, *flags, dict(count))
    assert count["equal"], count
    assert count["equal"] >= least * (count["equal"] + count["not known"] + count["partly known"]), count


def test_gcc():
    check_all("gcc", "-O0", "-g")


def test_gcc_optimized():
    check_all("gcc", "-O2", "-g", runs=True, least=0.7)


def test_gcc_compressed():
    check_all("gcc", "-O2", "-g", "-gz", runs=True, least=0.7)


@others
def test_gcc_dwarf_2():
    check_all("gcc", "-O0", "-gdwarf-2", "-gstrict-dwarf")


@others
def test_gcc_dwarf_4_types():
    check_all("gcc", "-O0", "-g", "-gdwarf-4", "-fdebug-types-section")


@others
def test_gcc_split():
    check_all("gcc", "-O2", "-g", "-gsplit-dwarf", runs=True, least=0.7)


@others
def test_cxx():
    check_all("g++", "-O0", "-g")


@others
def test_cxx_optimized():
    check_all("g++", "-O2", "-g", runs=True, least=0.6)


@others
def test_cxx_types():
    check_all("g++", "-O0", "-g", "-fdebug-types-section")


@others
def test_clang():
    check_all("clang", "-O0", "-g")


@others
def test_clang_optimized():
    check_all("clang", "-O2", "-g", runs=True, least=0.5)


@others
def test_clang_cxx():
    check_all("clang++", "-O0", "-g", "-gz")


if __name__ == "__main__":
    main()

"""Tail calls: what optimized code takes from the stack is put in where only one way leads there."""

import json
import os
import random
import re

import tail_truth
from harness import main, others, read_folded, require, run, sprof, tool
from subjects import build, build_id, command, split_debug, write

# Each way from main() to leafy() by tail calls; argument 1 is its name, argument 2 the rounds.
WAYS = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define FUNCTION(name) __attribute__((noinline)) int name(int n)
static volatile unsigned sink;
static volatile int zero;
FUNCTION(leafy) { for (int i = 0; i < 300000 + n; i++) sink += (unsigned)i; return (int)sink + 1; }
FUNCTION(mid) { sink++; return leafy(n + 1); }
FUNCTION(top) { sink++; return mid(n + 2); }
FUNCTION(left) { sink++; return leafy(n + 3); }
FUNCTION(right) { sink--; return leafy(n + 4); }
FUNCTION(fork_top) { sink++; return n & 1 ? left(n) : right(n + 1); }
int (*volatile pointer)(int) = leafy;
FUNCTION(maybe) { sink++; return n & 1 ? pointer(n) : mid(n + 5); }
FUNCTION(hidden) { sink++; return pointer(n + 6); }
FUNCTION(pong);
FUNCTION(ping) { sink++; return pong(n - 1); }
FUNCTION(pong) { sink--; return n > 0 ? ping(n) : leafy(n + 7); }
FUNCTION(twice) { sink++; if (n & 1) return leafy(n + 8); sink--; return leafy(n + 9); }
FUNCTION(outside) { sink++; return n < -1 ? puts("no") : leafy(n + 10); }
FUNCTION(parted) { sink++; if (n < -1) abort(); return leafy(n + 11); }
int (*volatile called)(int) = top;
#define WAY(name) if (strcmp(argv[1], #name) == 0) for (int i = 0; i < rounds; i++) sum += name((i & 7) + zero) + 1
int main(int argc, char **argv)
{
    int rounds = atoi(argv[2]), sum = argc;
    WAY(leafy); WAY(top); WAY(fork_top); WAY(maybe); WAY(hidden); WAY(ping); WAY(twice); WAY(outside); WAY(parted); WAY(called);
    return sum == 1;
}
"""
# What is between main and leafy, and the mark of leafy.
TRUTH = {
    "leafy": ([], ""), "top": (["top", "mid"], ""), "fork_top": ([], " (tail call?)"),
    "maybe": ([], " (tail call?)"), "hidden": ([], ""), "ping": (["ping", "pong"], ""),
    "twice": (["twice"], ""), "outside": ([], " (tail call?)"), "called": ([], ""),
    "parted": (["parted"], ""),
}


def compile_ways(compiler, *flags):
    path = write("ways.c", WAYS)
    command(tool(compiler), "-O2", "-g", *flags, path, "-o", f"ways-{compiler}")
    return f"./ways-{compiler}"


def record(program, way, *options):
    """A run that is long enough for samples of leafy(), also where sprof waits for a CPU at its begin."""
    for rounds in 150, 1500, 6000:
        sprof("run", "-r", "500", "--stats", "seen.json", *options, "--", program, way, rounds).check(0)
        with open("seen.json", encoding="utf-8") as file:
            if json.load(file)["samples"] >= 10:
                return


def between(folded):
    """The functions between main and leafy, as the one list that all stacks have."""
    found = {tuple(stack[stack.index("main") + 1:stack.index("leafy")])
             for stack, _ in folded.stacks if "main" in stack and "leafy" in stack}
    assert len(found) == 1, (found, folded.stacks)
    return list(found.pop())


OURS = {name for functions, _ in TRUTH.values() for name in functions}


def check_text(text, way):
    functions, mark = TRUTH[way]
    assert f" leafy{mark}\n" in text, (way, text)
    # The C library and the dynamic linker make tail calls, too.
    found = [name for name in re.findall(r" (\w+) \(tail call\)$", text, re.MULTILINE) if name in OURS]
    assert found == functions + functions[::-1], (way, text)


def check_ways(compiler, *flags, ways=tuple(TRUTH)):
    program = compile_ways(compiler, *flags)
    for way in ways:
        functions, _ = TRUTH[way]
        # A sample of a function between them makes paths of its own, which --min leaves out.
        record(program, way, "--min", "40", "-o", "x.folded", "-o", "x.txt", "-o", "x.pb.gz")
        assert between(read_folded("x.folded")) == functions, (way, between(read_folded("x.folded")))
        # The saved profile says the same.
        saved = sprof("report", "--min", "40", "-f", "text", "x.pb.gz").check(0).text()
        with open("x.txt", encoding="utf-8") as file:
            check_text(file.read(), way)
        check_text(saved, way)


# One way that is certain, one that isn't, and a function of two parts: forms of the file change nothing else.
FEW = ("top", "maybe", "parted")


def test_gcc():
    check_ways("gcc")


def test_gcc_dwarf_4():
    check_ways("gcc", "-gdwarf-4", ways=FEW)


@others
def test_clang():
    check_ways("clang")


@others
def test_clang_dwarf_4():
    check_ways("clang", "-gdwarf-4", ways=FEW)


def test_without_pie():
    check_ways("gcc", "-no-pie", "-fno-pie", ways=FEW)


def test_split_dwarf():
    check_ways("gcc", "-gsplit-dwarf", ways=FEW)


def test_compressed_dwarf():
    check_ways("gcc", "-gz", ways=FEW)


def test_link_time_optimization():
    check_ways("gcc", "-flto", ways=FEW)


def test_off():
    program = compile_ways("gcc")
    record(program, "top", "-o", "x.folded", "--no-inlines")
    assert between(read_folded("x.folded")) == []


def test_no_dwarf():
    write("ways.c", WAYS)
    command(tool("gcc"), "-O2", "ways.c", "-o", "plain")
    record("./plain", "top", "-o", "x.folded")
    assert between(read_folded("x.folded")) == []


def check_late(compiler, *flags):
    """A stripped program, named afterwards: from its own code, then only by what its debug file says."""
    program = compile_ways(compiler, *flags)
    split_debug(program, "ways", "ways.debug")
    identity = build_id(program)
    os.makedirs(f"debug/.build-id/{identity[:2]}")
    os.rename("ways.debug", f"debug/.build-id/{identity[:2]}/{identity[2:]}.debug")
    os.rename(program, "full")
    for way in TRUTH:
        record("./ways", way, "-o", f"{way}.pb.gz")
        check_text(sprof("report", "-f", "text", f"{way}.pb.gz", "--debug-dir", "debug").check(0).text(), way)
    os.rename("ways", "gone")
    for way, (functions, _) in TRUTH.items():
        sprof("report", f"{way}.pb.gz", "--debug-dir", "debug", "-o", "named.pb.gz").check(0)
        # Once named, it stays named, and naming it again changes nothing.
        for options in ([], ["--debug-dir", "debug"]):
            check_text(sprof("report", "-f", "text", "named.pb.gz", *options).check(0).text(), way)
        sprof("report", "named.pb.gz", "-o", "x.folded").check(0)
        assert between(read_folded("x.folded")) == functions, way


def test_late():
    check_late("gcc")


@others
def test_late_clang():
    check_late("clang", "-no-pie")


def test_json():
    program = compile_ways("gcc")
    record(program, "top", "-o", "x.json")
    with open("x.json", encoding="utf-8") as file:
        profile = json.load(file)
    functions = [profile["functions"][line[0]] for place in profile["locations"] for line in place if len(line) > 3]
    marked = {function["name"] for function in functions if function["file"].endswith("ways.c")}
    assert marked == {"top", "mid"}, marked


KNOWN_OTHERWISE = (("twice", []), ("outside", ["outside"]), ("parted", []))


def test_gdb_agrees():
    """
    gdb counts two calls of one function as two ways, and then shows neither. It takes it that functions without
    DWARF make no tail calls, so libc's puts() doesn't make a way uncertain. It shows no function of several parts.
    gdb 13 doesn't read the tail calls of clang.
    """
    gdb, program = tool("gdb"), compile_ways("gcc")
    for way, (functions, _) in TRUTH.items():
        out = run(gdb, "-batch", "-nx", "-ex", "set debuginfod enabled off", "-ex", "break leafy", "-ex", "run",
                  "-ex", "bt", "--args", program, way, "1").text()
        frames = re.findall(r"^#\d+ +(?:0x[0-9a-f]+ in )?(\w+) \(", out, re.MULTILINE)
        require("main" in frames, "gdb can't run programs here")
        frames = frames[1:frames.index("main")][::-1]
        assert frames == functions or (way, frames) in KNOWN_OTHERWISE, (way, out)


def random_program(seed, count=80):
    """Functions that call a few of the later ones, by tail calls or others; the last ones take time."""
    numbers = random.Random(seed)
    leaves, text = 8, ["#include <stdlib.h>\nstatic volatile unsigned sink;\n"]
    text += [f"__attribute__((noinline)) int f{i}(int n);" for i in range(count)]
    text += ["int (*volatile pointers[])(int) = {f%d, f%d};" % (count - 1, count - 2)]
    for i in range(count):
        body = "sink++;"
        if i >= count - leaves:
            body += " for (int k = 0; k < 20000; k++) sink += (unsigned)k; return (int)sink;"
        else:
            for _ in range(numbers.randrange(3)):
                target = numbers.randrange(i + 1, count)
                result = numbers.choice(("return f%d(n + 1)", "sum += f%d(n)", "return f%d(n * 3)"))
                body += f" if (n % {numbers.randrange(2, 6)} == 1) " + result % target + ";"
            body += " return pointers[n & 1](n);" if numbers.random() < 0.05 else \
                f" sum += n; return f{numbers.randrange(i + 1, count)}(n + sum);"
        text.append(f"int f{i}(int n) {{ int sum = 0; {body} }}".replace("int sum = 0; sink++; for", "sink++; for"))
    calls = " ".join(f"sum += f{i}((int)k + {i}) + 1;" for i in range(count // 2))
    text.append(f"int main(int c, char **v) {{ int sum = c; for (long k = 0; k < atol(v[1]); k++) {{ {calls} }}"
                " return sum == 1; }")
    return "\n".join(text)


@others
def test_nothing_is_invented():
    """What is put in is the only way that objdump and readelf know."""
    for seed, compiler in ((1, "gcc"), (2, "clang"), (3, "gcc")):
        path = write("random.c", random_program(seed))
        command(tool(compiler), "-O2", "-g", "-w", path, "-o", "random")
        sprof("run", "-r", "2000", "-o", "x.pb.gz", "--", "./random", "1500").check(0)
        tool("objdump"), tool("readelf")
        samples, places = tail_truth.check(tail_truth.Program("random"), tail_truth.Saved("x.pb.gz"), "random")
        assert samples >= 10 and places >= 10, (seed, samples, places)


def test_what_is_invented_is_found():
    """The truth that the test above relies on notices a function too many, and another one."""
    program = compile_ways("gcc")
    record(program, "top", "-o", "x.pb.gz")
    truth, saved = tail_truth.Program(program), tail_truth.Saved("x.pb.gz")
    name = os.path.basename(program)
    assert tail_truth.check(truth, saved, name)[1] > 0
    for names in (["leafy", "mid (tail call)"], ["leafy", "left (tail call)", "top (tail call)"]):
        other = {key: (mapping, address, names if "mid (tail call)" in old else old)
                 for key, (mapping, address, old) in saved.locations.items()}
        wrong = tail_truth.Saved("x.pb.gz")
        wrong.locations = other
        try:
            tail_truth.check(truth, wrong, name)
        except AssertionError:
            continue
        raise AssertionError(names)


if __name__ == "__main__":
    main()

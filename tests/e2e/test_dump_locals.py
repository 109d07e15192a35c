"""`sprof dump --locals`: the variables of each frame, known by the program's text and compared with gdb."""

import json
import re

from harness import Program, check_error, check_untouched, main, others, run, sprof, state_of, tool, wait_until
from subjects import command, write

SUBJECT = r"""
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
enum colour { RED, GREEN = 5, BEHIND = -1 };
struct point { int x, y; unsigned flag : 3, other : 5; const char *name; };
union both { int number; float ratio; };
typedef struct point place;
static int __attribute__((noinline)) deepest(int number, const char *text, const place *where, double ratio)
{
    static int calls = 7;
    char buffer[16] = "in \"buffer\"\n";
    enum colour colour = number > 3 ? GREEN : RED, behind = BEHIND;
    int list[3] = {1, 2, number}, many[20] = {9, 8};
    bool yes = true;
    unsigned char letter = 'x';
    short minus = -3;
    {
        long inner = number * 2L;
        place copy = *where;
        union both both = {.ratio = 1.5f};
        pause();
        number += inner + copy.x + both.number;
    }
    return number + buffer[0] + colour + list[1] + many[1] + yes + (int)ratio + text[0] + letter + minus + behind + calls++;
}
static inline __attribute__((always_inline)) int inlined(int depth, const place *p)
{
    int local = depth + 7;
    int result = deepest(local, "hello", p, depth / 2.0);
    return result + local;
}
int __attribute__((noinline)) outer(int count, char **words)
{
    place here = {count, 20, 3, 9, "a point"};
    char *heap = malloc(10);
    int result;
    sprintf(heap, "heap%d", count);
    result = inlined(count * 41, &here);
    printf("%d %s\n", result, heap);
    return result + here.x;
}
int main(int count, char **words) { return outer(count, words) + count; }
"""
# At -O0 each variable is where it was declared to be. A pointer is told by what it leads to.
TRUTH = {
    "deepest": {
        "number": "48", "text": '"hello"', "ratio": "20.5", "buffer": r'"in \"buffer\"\n"', "colour": "GREEN",
        "behind": "BEHIND", "list": "{1, 2, 48}", "many": "{9, 8, 0, 0, 0, 0, 0, 0, ...}", "yes": "true",
        "letter": "120 'x'", "minus": "-3", "inner": "96", "copy": '{x = 1, y = 20, flag = 3, other = 9, name = "a point"}',
        "calls": "7", "both": "{number = 1069547520, ratio = 1.5}",
    },
    "inlined": {"depth": "41", "local": "48"},
    "outer": {"count": "1", "here": '{x = 1, y = 20, flag = 3, other = 9, name = "a point"}', "heap": '"heap1"'},
    "main": {"count": "1"},
}
POINTERS = {"deepest": {"where"}, "inlined": {"p"}, "outer": {"words"}, "main": {"words"}}


def start(compiler, *flags):
    """The program, once it sleeps in pause()."""
    command(tool(compiler), *flags, write("subject.c", SUBJECT), "-o", "subject")
    program = Program(["./subject"])
    wait_until(lambda: state_of(program.pid) == "S" and "pause" in sprof("dump", "-p", program.pid).text(), "it sleeps")
    return program


def locals_of(*options):
    """{function: {variable: value}} of what is known, and the names of the others."""
    found = json.loads(sprof("dump", "--locals", "--json", *options).check(0).text())
    known, others = {}, {}
    for frame in found["processes"][0]["threads"][0]["stack"]:
        name = frame["function"]
        for local in frame["locals"]:
            assert (local["value"] is not None) == (local["state"] == "known"), local
            if local["value"] is None:
                others.setdefault(name, set()).add(local["name"])
            else:
                known.setdefault(name, {})[local["name"]] = local["value"]
    return known, others


def without_pointers(value):
    """Texts in place of the addresses that lead to them."""
    return re.sub(r'0x[0-9a-f]+ (?=")', "", value)


def check_truth(known):
    for function, variables in TRUTH.items():
        for name, value in variables.items():
            assert without_pointers(known[function][name]) == value, (function, name, known[function][name])
        more = known[function].keys() - variables.keys() - {"result"}
        assert more == POINTERS[function], (function, more)


def check_unoptimized(compiler, *flags):
    program = start(compiler, "-O0", "-g", *flags)
    known, _ = locals_of("-p", program.pid)
    check_truth(known)
    check_untouched(program.pid)
    program.process.kill()


def test_gcc():
    check_unoptimized("gcc")


def test_gcc_without_frame_pointer():
    check_unoptimized("gcc", "-fomit-frame-pointer", "-gdwarf-4")


def test_gcc_split_dwarf():
    check_unoptimized("gcc", "-gsplit-dwarf")


@others
def test_clang():
    check_unoptimized("clang")


@others
def test_clang_dwarf_4():
    check_unoptimized("clang", "-gdwarf-4", "-no-pie")


def gdb_locals(pid):
    """{function: {variable: value}} by gdb, but what it calls optimized out."""
    text = run(tool("gdb"), "-batch", "-nx", "-iex", "set debuginfod enabled off", "-p", str(pid),
               "-ex", "set print repeats 100", "-ex", "set backtrace past-main on", "-ex", "set width 0", "-ex", "bt full").text()
    found, name = {}, None
    for line in text.splitlines():
        head = re.match(r"#\d+ +(?:0x[0-9a-f]+ in )?(\w+) \((.*?)\)(?: at| \(\)|$)", line)
        if head:
            name = head[1]
            pairs = re.findall(r"(\w+)(?:=\w+@entry)?=(\S+(?: \"[^\"]*\")?)(?:, |$)", head[2])
        else:
            pairs = re.findall(r"^ +(\w+) = (.*)$", line)
        for variable, value in pairs:
            if not re.match("<(optimized out|synthetic pointer)", value) and "@entry" not in value:
                found.setdefault(name, {})[variable] = value.rstrip(",")
    return found


def check_like_gdb(compiler, *flags):
    """What both know is equal; what gdb doesn't know we don't invent."""
    program = start(compiler, "-O2", "-g", *flags)
    known, others = locals_of("-p", program.pid)
    told = gdb_locals(program.pid)
    compared = 0
    for function in TRUTH:
        for variable, value in known.get(function, {}).items():
            theirs = told.get(function, {}).get(variable)
            assert theirs is not None, (function, variable, value, told.get(function))
            if "{" not in value and variable != "buffer":
                assert theirs == value, (function, variable, value, theirs)
                compared += 1
    assert compared >= 6, (compared, known, others)
    program.process.kill()


def test_gcc_optimized():
    check_like_gdb("gcc")


@others
def test_clang_optimized():
    check_like_gdb("clang")


def test_running():
    """A thread that runs is seen with all of its registers."""
    path = write("spin.c", "volatile int stop;\nint main(void) { long start = 12345; while (!stop); return (int)start; }\n")
    command(tool("gcc"), "-O0", "-g", path, "-o", "spin")
    program = Program(["./spin"])
    wait_until(lambda: "main" in sprof("dump", "-p", program.pid).text(), "it runs in main")
    known, _ = locals_of("-p", program.pid)
    assert known["main"] == {"start": "12345"}, known
    program.process.kill()


def test_core():
    """A core has what was written to, not the constants of the program's file."""
    program = start("gcc", "-O0", "-g")
    run(tool("gcore"), "-o", "core", str(program.pid)).check(0)
    known, _ = locals_of("--core", f"core.{program.pid}")
    for function, variables in TRUTH.items():
        for name, value in variables.items():
            if '"' not in value or name == "heap":
                assert without_pointers(known[function][name]) == value, (function, name)
    program.process.kill()


def test_text():
    program = start("gcc", "-O0", "-g")
    text = sprof("dump", "--locals", "-p", program.pid).check(0).text()
    assert re.search(r"#\d+ +inlined \(inlined\) at .*\n(?: {9}\w+ = .*\n)* {9}depth = 41\n", text), text
    assert "depth" not in sprof("dump", "-p", program.pid).check(0).text()
    program.process.kill()


def test_no_debug_information():
    """No DWARF, no variables; the C library may have its own."""
    program = start("gcc", "-O0")
    known, others = locals_of("-p", program.pid)
    assert not (known.keys() | others.keys()) & TRUTH.keys(), (known, others)
    program.process.kill()


def test_hidden_without_the_option():
    program = start("gcc", "-O0", "-g")
    found = json.loads(sprof("dump", "--json", "-p", program.pid).check(0).text())
    assert all(frame["locals"] is None for frame in found["processes"][0]["threads"][0]["stack"])
    check_error(sprof("dump", "--locals", "-p", program.pid, "what"), 64)
    program.process.kill()


if __name__ == "__main__":
    main()

"""sprof calls: functions that are called as often as is known, in every output, against uftrace and ltrace."""

import json
import os
import platform
import re
import shutil
import signal

from harness import (PATIENCE, SPROF, Program, Target, as_plain_user, check_error, check_near, main, others, own_sprof, own_target, paranoid,
                     require, require_machine, require_switches, run, sprof, target, tool, wait_until, with_fault)
from subjects import build, command, write

TARGET = "callers"
ENDS = ("returned", "left", "cut", "open", "edge", "lost")
LEAVES = {"work": 300, "threads": 300, "fork": 30, "jumps": 40}
PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../targets")


def watch(functions, *parts, options=(), code=7, program=TARGET):
    """Each call, however much of the time the stops take on a busy machine."""
    return sprof("calls", "-F", functions, "--overhead", "0", *options, "--", target(program), *parts).check(code)


def rows(*words, options=(), **how):
    """The functions' rows by name."""
    table = json.loads(watch(*words, options=("--json", *options), **how).text())
    assert table["source"] == "breakpoints" and table["windows"] is None and table["lost"] == table["unwatched"] == table["not_watched"] == 0, table
    for row in table["functions"]:
        check_sums(row)
    return {row["function"]: row for row in table["functions"]}


def check_sums(row):
    """The callers have all calls; a call has one end; the figures are in their order."""
    for figure in ("self_ns", *ENDS):
        assert row[figure] == sum(caller[figure] for caller in row["callers"]), (figure, row)
    assert row["calls"] == row["counted"] + sum(row[end] for end in ENDS), row
    assert row["self_ns"] <= row["total_ns"], row
    assert row["min_ns"] <= row["p50_ns"] <= row["p95_ns"] <= row["p99_ns"] <= row["max_ns"], row


def test_no_call_is_shorter_than_it_was():
    """However late the tracer gets a CPU."""
    row = rows("last", "100", "3", program="lasting", code=0)["last"]
    assert row["returned"] == 300 and row["min_ns"] >= 300000, row


def callers_of(row):
    return {caller["caller"]: caller["calls"] for caller in row["callers"]}


def test_recursion():
    table = rows("fib,is_*", "recursion")
    fib, even, odd = table["fib"], table["is_even"], table["is_odd"]
    assert set(table) == {"fib", "is_even", "is_odd"}, table
    assert (fib["calls"], fib["deepest"], fib["nested"]) == (177, 10, 176), fib
    assert callers_of(fib) == {None: 1, "fib": 176}, fib
    assert fib["total_ns"] == fib["max_ns"] == fib["self_ns"], "the outermost call has all of the time"
    assert callers_of(even) == {None: 1, "is_odd": 10} and callers_of(odd) == {"is_even": 10}, table
    assert even["total_ns"] == even["self_ns"] + odd["self_ns"] and even["deepest"] == 11, table


def test_a_deep_recursion():
    row = rows("sink_deep", "deep")["sink_deep"]
    assert (row["calls"], row["deepest"], row["returned"]) == (100, 100, 100), row
    assert row["total_ns"] == row["max_ns"], row


def test_threads_and_forks():
    table = rows("leaf,work", "work", "threads", "fork")
    assert callers_of(table["leaf"]) == {"work": LEAVES["work"] + LEAVES["threads"] + LEAVES["fork"]}, table
    assert callers_of(table["work"]) == {None: 210}, table
    assert table["work"]["total_ns"] == table["work"]["self_ns"] + table["leaf"]["total_ns"], table


def test_per_thread():
    text = watch("leaf", "work", "threads", options=("--json", "--per-thread")).text()
    by_thread = json.loads(text)["functions"]
    assert [row["calls"] for row in by_thread] == [300, 150, 150], by_thread
    assert len({row["tid"] for row in by_thread}) == 3 and {row["comm"] for row in by_thread} == {TARGET}, by_thread


def test_a_child_is_inside_its_parents_calls():
    row = rows("work_in_child,repeat", "fork")
    assert callers_of(row["repeat"]) == {"work_in_child": 1} and row["work_in_child"]["calls"] == 1, row
    assert "repeat" not in rows("work_in_child,repeat", "fork", options=("--no-children",)), "its calls are its own"


def test_jumps():
    """What a jump leaves is a call without time, and calls nothing afterwards."""
    table = rows("leaf,leaver,jumps", "jumps")
    assert callers_of(table["leaf"]) == {"leaver": 20, "jumps": 20}, table
    assert table["leaver"]["left"] == 20 and table["leaver"]["total_ns"] == 0, table
    assert table["jumps"]["total_ns"] == table["jumps"]["self_ns"] + table["leaf"]["total_ns"], table


def test_tail_calls():
    table = rows("hand_over,taker", "tails")
    assert callers_of(table["hand_over"]) == {None: 30} and callers_of(table["taker"]) == {"hand_over": 30}, table


def test_coroutines():
    """Their calls go on when they do."""
    table = rows("yields,body,step", program="coroutines")
    assert {name: (row["calls"], row["returned"]) for name, row in table.items()} == {
        "yields": (10, 10), "body": (2, 2), "step": (12, 12)}, table
    assert callers_of(table["yields"]) == {"body": 10}, table


def test_times():
    """Who calls has the time of what it calls; bench/truths/calls.py knows how long that is."""
    table = rows("naps,snooze", "naps")
    assert table["snooze"]["calls"] == 3 and table["naps"]["total_ns"] >= table["snooze"]["total_ns"] > 0, table
    check_near(table["snooze"]["avg_ns"], table["snooze"]["total_ns"] / 3, 1, "the mean")


def test_ends_inside_calls():
    table = rows("leave_early,leaf", "exit", code=9)
    assert table["leave_early"]["cut"] == 1 and table["leave_early"]["returned"] == 0, table
    table = rows("leave_early,run_another", "exec", code=9)
    assert {name: row["cut"] for name, row in table.items()} == {"leave_early": 1, "run_another": 1}, table
    assert callers_of(table["leave_early"]) == {None: 1}, "an exec leaves nothing to return to"


def test_an_attached_process():
    program, other = Target(TARGET, "loop"), Target(TARGET, "loop")
    for duration in PATIENCE:
        result = sprof("calls", "--overhead", "0", "--json", "-F", "work,leaf,loop", "-p", program.pid, "-d", duration).check(0)
        table = {row["function"]: row for row in json.loads(result.text())["functions"]}
        if table["work"]["calls"] > 20:
            break
    assert set(table) == {"work", "leaf"} and table["work"]["calls"] > 20, table
    for row in table.values():
        check_sums(row)
        assert row["left"] == 0, row
    assert abs(table["leaf"]["calls"] - 3 * table["work"]["calls"]) <= 3, table
    assert callers_of(table["leaf"]).get(None, 0) <= 3, table
    assert program.finish().check(7) and other.finish().check(7)


# It chooses before it is ready.
CHOOSER = """
#include <stdio.h>
#include <string.h>
static int fast(int number) { __asm__ volatile("" ::: "memory"); return number + 2; }
static int (*choose(void))(int) { return fast; }
int mine(int number) __attribute__((ifunc("choose")));
int main(void)
{
    static char text[100] = "xxxxxxxxxxxxxxxxxxxxxxxxxxx";
    for (volatile long sum = 0;; sum += mine(1) + (strchr(text, 'y') != NULL))
        if (!sum && puts("ready"))
            fflush(stdout);
}
"""


def test_versions_that_were_chosen_before():
    """The resolvers of IFUNCs have been called before sprof attaches; slots are bound at the first call, or at once."""
    for how in ("-fPIE", "-Wl,-z,now", "-fno-plt", "-no-pie", "-static"):
        command(tool("gcc"), "-O1", "-fno-builtin", *how.split(), write("chooser.c", CHOOSER), "-o", "chooser")
        program = Program(["./chooser"])
        assert program.line() == "ready"
        for duration in PATIENCE:
            result = sprof("calls", "--overhead", "0", "--json", "-F", "mine,strchr", "-p", program.pid, "-d", duration).check(0)
            rows = json.loads(result.text())["functions"]
            calls = {row["function"].split("@")[0]: row["calls"] for row in rows if row["calls"] > 1}
            if calls.get("mine", 0) > 20:
                break
        program.signal(signal.SIGKILL)
        program.finish()
        assert set(calls) == {"mine", "strchr"} and calls["mine"] > 20, (how, calls)
        assert abs(calls["mine"] - calls["strchr"]) <= 1, (how, calls)


def wait_for_breakpoint(pid, address):
    with open(f"/proc/{pid}/mem", "rb", 0) as memory:
        wait_until(lambda: os.pread(memory.fileno(), 1, address) == b"\xcc", "it is watched")


# No call has bound the library's slot yet, and its variable, which held the IFUNC first, holds another function.
OWN_CHOOSER = """
int other(int number) { __asm__ volatile("" ::: "memory"); return number + 1; }
static int fast(int number) { __asm__ volatile("" ::: "memory"); return number + 2; }
int (*choose(void))(int) { return fast; }
int mine(int number) __attribute__((ifunc("choose")));
int (*hook)(int) = mine;
void replace(void) { hook = other; }
int call_both(int number) { return mine(number) + hook(number); }
"""
OWN_CALLER = """
#include <stdio.h>
int choose(void), call_both(int);
void replace(void);
int main(void)
{
    replace();
    printf("%p\\n", (void *)choose);
    fflush(stdout);
    getchar();
    for (volatile int i = 0; i < 100; i++)
        call_both(i);
}
"""


@others
def test_versions_that_are_not_chosen_yet():
    command(tool("gcc"), "-O1", "-shared", "-fPIC", "-Wl,-z,lazy", write("own.c", OWN_CHOOSER), "-o", "libown.so")
    command(tool("gcc"), "-O1", "-Wno-builtin-declaration-mismatch", write("caller.c", OWN_CALLER), "./libown.so", "-o", "caller")
    program = Program(["./caller"])
    resolver = int(program.line(), 16)
    watcher = Program([SPROF, "calls", "--overhead", "0", "--json", "-F", "mine@libown.so", "-p", program.pid])
    wait_for_breakpoint(program.pid, resolver)
    program.say("\n")
    program.finish()
    (row,) = json.loads(watcher.finish().check(0).text())["functions"]
    assert row["calls"] == 100, row


# One function has three names, another's code is chosen, and the third returns twice by its other name.
ALIASES = """
#include <setjmp.h>
#include <stdio.h>
int work(int number) { __asm__ volatile("" ::: "memory"); return number + 1; }
int a_work(int) __attribute__((alias("work")));
int z_work(int) __attribute__((alias("work")));
static int fast(int number) { __asm__ volatile("" ::: "memory"); return number + 2; }
int (*a_chooser(void))(int) { return fast; }
int mine(int number) __attribute__((ifunc("a_chooser")));
int a_setjmp(void);
__asm__(".globl a_setjmp, setjmp\\n.type a_setjmp,@function\\n.type setjmp,@function\\n"
    "a_setjmp:\\nsetjmp: xor %eax, %eax\\nret\\n.size a_setjmp,.-a_setjmp\\n.size setjmp,.-setjmp");
int main(void)
{
    for (volatile int i = 0; i < 100; i++)
        work(i) + mine(i) + a_setjmp();
}
"""


@others
def test_a_function_with_several_names():
    """Each of its names means it, alone, in a pattern and for --path; what one of them says of it is so for all."""
    require(platform.machine() == "x86_64", "the program is x86-64 code")
    command(tool("gcc"), "-O1", "-w", "-fno-builtin", write("aliases.c", ALIASES), "-o", "aliases")

    def calls(*words):
        result = sprof("calls", "--breakpoints", "--overhead", "0", "--json", *words, "--", "./aliases").check(0)
        return {row["function"]: row["calls"] for row in json.loads(result.text())["functions"]}

    for name in ("work", "a_work", "z_work"):
        assert calls("-F", name) == {name: 100}, name
        for pattern in ("*work", "[awz]*work"):
            assert list(calls("-F", pattern).values()) == [100], pattern
        text = sprof("calls", "--breakpoints", "--overhead", "0", "-F", "work,main", "--path", name, "--", "./aliases").check(0).text()
        assert text.count("work") >= 100, text
    assert calls("-F", "a_chooser") == {"a_chooser": 1}
    for pattern in ("mine", "mine,a_chooser", "*in[eg],*ser"):
        assert calls("-F", pattern).get("mine") == 100, pattern
    assert "a_setjmp" not in calls("-F", "[aw]*")
    for name in ("setjmp", "a_setjmp", "a_set*", "a_setjmp@aliases"):
        result = sprof("calls", "--breakpoints", "-F", name, "--", "./aliases").check(2)
        assert f"{name.split('@')[0]} returns more than once, and can't be watched" in result.err, result.err


# The first instruction can only run in its place, so passing the breakpoint takes a step.
STEPPED = """
#include <stdio.h>
void stepped(void);
__asm__(".globl stepped\\n.type stepped,@function\\nstepped: jrcxz 1f\\n1: ret\\n.size stepped,.-stepped");
int main(void)
{
    printf("%p\\n", (void *)stepped);
    fflush(stdout);
    getchar();
    for (volatile int i = 0; i < 100; i++)
        stepped();
}
"""


def test_steps_of_the_first_process():
    """The kernel lets no signal end a container's first process: sprof leaves it to its faults, but not to steps."""
    before = [tool("unshare"), "-p", "-f"]
    require(run(*before, "true").code == 0, "may not make a pid namespace")
    command(tool("gcc"), "-O1", write("stepped.c", STEPPED), "-o", "stepped")
    program = Program([*before, "./stepped"])
    address = int(program.line(), 16)
    with open(f"/proc/{program.pid}/task/{program.pid}/children", encoding="ascii") as file:
        first = int(file.read())
    watcher = Program([SPROF, "calls", "--overhead", "0", "--json", "-F", "stepped", "-p", first])
    wait_for_breakpoint(first, address)
    program.say("\n")
    program.finish()
    (row,) = json.loads(watcher.finish().check(0).text())["functions"]
    assert row["calls"] == 100, row


def test_the_table():
    text = watch("work,repeat,leaf", "work", options=("--sort", "calls")).text()
    lines = text.splitlines()
    assert lines[0].startswith("source: breakpoints") and "401 calls of 3 watched functions" in lines[0], text
    assert lines[1].split() == ["function", "calls", "total(us)", "self(us)", "min(us)", "avg(us)", "p50", "p95", "p99",
                                "max(us)", "rec", "threads"], text
    names = [re.match(r" *(<- )?(\S+) +(\d+)", line).groups() for line in lines[2:]]
    assert names == [(None, "leaf", "300"), ("<- ", "work", "300"), (None, "work", "100"), ("<- ", "repeat", "100"),
                     (None, "repeat", "1"), ("<- ", "[unwatched]", "1")], text
    text = watch("work,repeat,leaf", "work", options=("--top", "1", "--sort", "function", "-o", "table.txt")).text()
    assert text == "", text
    with open("table.txt", encoding="utf-8") as file:
        text = file.read()
    assert "2 more" in text and "leaf" in text and "repeat" not in text.splitlines()[2], text


def test_threads_are_counted():
    table = rows("leaf,work", "work", "threads")
    leaf = table["leaf"]
    assert leaf["threads"] == len(json.loads(watch("leaf", "work", "threads", options=("--json", "--per-thread")).text())["functions"]) == 3
    assert sum(caller["calls"] for caller in leaf["callers"]) == leaf["calls"], leaf
    text = watch("leaf", "work", "threads").text()
    assert text.splitlines()[2].split()[-1] == "3", text


def test_the_graph():
    """Each edge has the calls that the table has of the caller."""
    watch("work,repeat,leaf", "work", options=("-o", "calls.dot"))
    with open("calls.dot", encoding="utf-8") as file:
        text = file.read()
    names = dict(re.findall(r'^  (t\d+f\d+) \[label="(\w+)\\n', text, re.MULTILINE))
    edges = {(names[caller], names[callee]): int(calls) for caller, callee, label, calls in
             re.findall(r'^  (\w+) -> (\w+) \[label="(\d+)", sprof_calls="(\d+)"\];$', text, re.MULTILINE)}
    assert text.startswith("digraph ") and edges == {("repeat", "work"): 100, ("work", "leaf"): 300}, text
    calls = {name: int(calls) for name, calls in re.findall(r'label="(\w+)\\n.* sprof_calls="(\d+)"', text)}
    assert calls == {"leaf": 300, "work": 100, "repeat": 1}, text
    assert "estimates" not in text and text.count("\\ntotal ") == 3, text
    watch("work,repeat,leaf", "work", options=("-f", "dot", "-o", "calls.gv", "--top", "1"))
    with open("calls.gv", encoding="utf-8") as file:
        text = file.read()
    assert re.findall(r'label="(\w+)\\n', text) == ["repeat"] and " -> " not in text, text


def test_the_tree():
    text = watch("work,repeat,leaf,jumps,leaver", "work", "jumps", options=("--tree",)).text()
    tree = text[text.index("\n\n"):].split("\n")
    lines = [re.match(r"( *)(\S+) +(\d+)", line).groups() for line in tree[3:] if line]
    first = lines.index(("", "repeat", "1"))
    assert lines[first + 1:first + 3] == [("  ", "work", "100"), ("    ", "leaf", "300")], text
    assert ("  ", "leaver", "20") in lines and ("    ", "leaf", "20") in lines, text
    text = watch("leaf", "work", options=("--tree", "--limit", "7")).text()
    assert "the first 7 calls; 293 more" in text and re.search(r"^leaf +7 ", text, re.MULTILINE), text


def test_paths():
    text = watch("work,repeat,leaf,main", "work", options=("--path", "work", "--limit", "11")).text()
    paths = text[text.index("\n\n") + 2:].splitlines()
    begins = [line for line in paths if " main > repeat > work: " in line]
    assert len(begins) == 3, text
    times = [float(line.split()[0]) for line in begins]
    assert times == sorted(times), text
    first = paths.index(begins[0])
    assert all(re.match(r" +> leaf: [\d.]+ (us|ms|s)$", line) for line in paths[first + 1:first + 4]), text


def test_a_timeline():
    """X events that lie within those of their callers, and the names of threads."""
    watch("work,leaf,leaver", "work", "threads", "jumps", options=("--timeline", "calls.json"))
    with open("calls.json", encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    calls = [event for event in events if event["ph"] == "X"]
    names = {event["tid"]: event["args"]["name"] for event in events if event["ph"] == "M"}
    assert len(calls) == 640 + 200 + 20 and set(names.values()) == {TARGET}, len(calls)
    assert {call["tid"] for call in calls} == set(names), names
    assert sum(call.get("args") == {"end": "left"} for call in calls) == 20, calls
    works = [call for call in calls if call["name"] == "work"]
    for tid in names:
        inside = [call for call in calls if call["name"] == "leaf" and call["tid"] == tid and any(
            work["tid"] == tid and work["ts"] <= call["ts"] and
            call["ts"] + call["dur"] <= work["ts"] + work["dur"] + 0.002 for work in works)]
        assert len(inside) == 3 * sum(work["tid"] == tid for work in works), tid


@others
def test_libraries():
    """As ltrace counts calls of the C library."""
    names = {"nanosleep": 3, "pthread_create": 2, "pthread_join": 2}
    table = rows(",".join(f"{name}@libc.so.6" for name in names), "naps", "threads")
    assert {name.removesuffix("@libc.so.6"): row["calls"] for name, row in table.items()} == names, table
    assert set(rows("nanosleep", "naps")) == {"nanosleep@libc.so.6"}, "no function of the program has the name"
    result = run(tool("ltrace"), "-f", "-c", "-o", "counts", "-e", "+".join(names), target(TARGET), "naps", "threads")
    with open("counts", encoding="utf-8") as file:
        counted = {line.split()[-1]: int(line.split()[-2]) for line in file
                   if re.search(r"\d +[a-z_]+$", line) and "total" not in line}
    assert result.code in (0, 7) and {name: counted.get(name) for name in names} == names, counted


def test_what_is_inlined_can_not_be_watched():
    """The program is not even started; the error says who has the code of the function."""
    program = build("inlines")
    result = sprof("calls", "-F", "inner", "--", program)
    assert result.code == 2 and "ready" not in result.text() + result.err, result.err
    assert re.search(r"'inner' has no calls to watch: the compiler has inlined it into outer \(inlines\.c:\d+\)\n"
                     r"hint: watch outer, or compile with -fno-inline", result.err), result.err
    assert "inlined" not in sprof("calls", "-F", "outer,malloc", "--breakpoints", "--", program, "0.01").check(0).err


@others
def test_uftrace_agrees():
    """A program whose functions say themselves that they are called (gcc -pg)."""
    parts = ("recursion", "deep", "work", "threads", "fork", "naps")
    names = ("fib", "is_even", "leaf", "work", "snooze")
    require(os.path.exists(target("callers-pg")), "this compiler has no -pg")
    table = rows(",".join(names), *parts, program="callers-pg")
    run(tool("uftrace"), "record", "--no-libcall", "-d", "recorded", target("callers-pg"), *parts)
    text = run(tool("uftrace"), "report", "-d", "recorded").check(0).text()
    counted = {words[5]: int(words[4]) for words in map(str.split, text.splitlines()) if words[-2:-1] != ["Calls"]
               and len(words) == 6 and words[4].isdigit()}
    for name in names:
        assert table[name]["calls"] == counted[name], (name, table[name], text)


def thrower():
    if not os.path.exists("thrower"):
        run(tool("g++"), "-O1", "-o", "thrower", os.path.join(PROGRAMS, "thrower.cpp")).check(0)
    return "./thrower"


def rows_of_thrower(functions, *options):
    result = sprof("calls", "--breakpoints", "--json", "-F", functions, *options, "--", thrower()).check(7)
    return {row["function"]: row for row in json.loads(result.text())["functions"]}


@others
def test_exceptions():
    """They leave calls without a return, and nothing is paired with them later."""
    table = rows_of_thrower("shop::*,*serve*", "--names", "short")
    serve, parse, check, recover = (
        next(row for name, row in table.items() if word in name) for word in ("serve", "parse", "check", "recover"))
    assert (parse["calls"], parse["left"], check["calls"], check["left"]) == (10, 4, 10, 4), table
    assert callers_of(recover) == {serve["function"]: 4} and callers_of(check) == {parse["function"]: 10}, table
    assert sum(row["unpaired"] for row in table.values()) == 0 and serve["returned"] == 1, table


def test_several_names():
    """A copy for some callers is the function, too, and each of two names of one place is found."""
    write("names.c", """
volatile long sum;
static __attribute__((noinline)) long copied(long n, long k) { for (long i = 0; i < n; i++) sum += i * k; return sum; }
__attribute__((noinline)) void strong(void) { sum++; }
void weak_name(void) __attribute__((weak, alias("strong")));
int main(void) { for (int i = 0; i < 5; i++) { copied(3, 7); copied(3, 7); strong(); weak_name(); } return 0; }
""")
    run(tool("gcc"), "-O2", "-fno-ipa-icf", "names.c", "-o", "names").check(0)
    symbols = sprof("symbols", "./names").check(0).text()
    words = ("calls", "--breakpoints", "-F", "copied,strong,weak_name")
    sprof(*words, "--path", "copied", "--", "./names").check(0)
    result = sprof(*words, "--json", "--", "./names")
    table = json.loads(result.check(0).text().splitlines()[-1])
    copy, = re.findall(r"\bcopied[.\w]*", symbols)
    assert {row["function"]: row["calls"] for row in table["functions"]} == {copy: 10, "strong": 10}, (table, copy)


def test_libraries_of_one_name():
    """Rows that differ in nothing else have the path."""
    write("part.c", "volatile long sum; __attribute__((noinline)) void inner(void) { sum++; } void entry(void) { inner(); }\n")
    write("loader.c", """
#include <dlfcn.h>
int main(int count, char **paths)
{
    for (int i = 1; i < count; i++) {
        void *library = dlopen(paths[i], RTLD_NOW | RTLD_LOCAL);
        void (*entry)(void) = library ? (void (*)(void))dlsym(library, "entry") : 0;
        for (int k = 0; entry && k < i; k++)
            entry();
    }
    return 0;
}
""")
    run(tool("gcc"), "-O1", "loader.c", "-o", "loader", "-ldl").check(0)
    paths = [os.path.abspath(f"{folder}/libpart.so") for folder in ("one", "two")]
    for path in paths:
        os.mkdir(os.path.dirname(path))
        run(tool("gcc"), "-O1", "-fno-semantic-interposition", "-shared", "-fPIC", "part.c", "-o", path).check(0)
    result = sprof("calls", "--breakpoints", "-F", "inner", "--json", "--", "./loader", *paths).check(0)
    counts = {row["function"]: row["calls"] for row in json.loads(result.text().splitlines()[-1])["functions"]}
    assert sorted(counts.values()) == [1, 2], counts
    for path, count in zip(paths, (1, 2)):
        assert [calls for name, calls in counts.items() if path in name] == [count], counts


def test_all_functions():
    """Of the program, and of all that it uses, without the stubs between them."""
    table = rows("*")
    assert {name: table[name]["calls"] for name in ("main", "fib", "leaf", "sink_deep")} == {
        "main": 1, "fib": 177, "leaf": 670, "sink_deep": 100}, table
    assert not any(name.endswith("@plt") for name in table), table.keys()
    table = rows("*@libc.so.6,*", "naps", "threads", "fork")
    assert table["nanosleep@libc.so.6"]["calls"] == 3 and table["leaf"]["calls"] == 330, table.keys()


@others
def test_names():
    """Of C++: for the linker, without parameters, and patterns of the whole."""
    for choice in ("_ZN4shop7recoverEi", "shop::recover", "shop::recover(int)", "shop::rec*", "*recover*"):
        table = rows_of_thrower(choice)
        assert {name: row["calls"] for name, row in table.items()} == {"shop::recover(int)": 4}, table


OFTEN = "once,twice"
FAST = (30_000_000, 0)


def watch_often(turns, steps, *options):
    """What the program says must be right in any case."""
    result = sprof("calls", "--breakpoints", "-F", OFTEN, "-o", "often.txt", *options, "--", target("often"), turns, steps)
    assert int(result.check(7).text()) == 5 * turns, result.text()
    with open("often.txt", encoding="utf-8") as file:
        return file.read()


def test_what_costs_little_is_exact():
    """Also if it goes on for long: a stop now and then is not much, even where each waits for a CPU."""
    table = json.loads(watch_often(10, 300_000_000, "--json", "--overhead", "90"))
    assert table["windows"] is None, table
    assert {row["function"]: row["returned"] for row in table["functions"]} == {"once": 10, "twice": 20}, table


def test_what_calls_too_fast_has_a_bound():
    """Every output says it. The program is not slowed down without end: each of these calls would stop."""
    text = watch_often(*FAST, "--tree", "--path", "once", "--limit", "10", "--timeline", "often.json")
    assert "took more than 50 % of a thread's time: from" in text and "estimates" in text, text
    assert "lower bounds" in text and "--max-overhead 0 watches every call" in text, text
    assert text.count("only of the calls that were seen: from") == 2, "by the tree and by the paths"
    counted = re.search(r"(\d+) calls of 2 watched", text)
    assert 0 < int(counted[1]) < 3 * FAST[0], text
    with open("often.json", encoding="utf-8") as file:
        timeline = json.load(file)
    (mark,) = (event for event in timeline["traceEvents"] if event["ph"] == "i")
    assert mark["ts"] * 1e3 == timeline["otherData"]["windows"]["since_ns"], timeline["otherData"]


def test_every_call_if_asked_for():
    table = json.loads(watch_often(25_000, 0, "--json", "--overhead", "0"))
    assert table["windows"] is None, table
    assert {row["function"]: row["returned"] for row in table["functions"]} == {"once": 25_000, "twice": 50_000}, table


def test_bad_input():
    for code, words, *said in (
            (64, ("-F", "main"), "needs a program"),
            (64, ("--", target(TARGET)), "needs functions"),
            (64, ("-F", "a,,b", "--", target(TARGET)), "missing"),
            (64, ("-F", "main", "--sort", "size", "--", target(TARGET)), "sort"),
            (64, ("-F", "main", "--json", "--tree", "--", target(TARGET)), "exclude each other"),
            (64, ("-F", "main", "--overhead", "-1", "--", target(TARGET)), "overhead"),
            (64, ("-F", "main", "--limit", "0", "--", target(TARGET)), "limit"),
            (64, ("-F", "main", "--count", "--overhead", "5", "--", target(TARGET)), "exclude each other"),
            (2, ("-F", "no_such_*", "--", target(TARGET)), "no function matches 'no_such_", "sprof symbols"),
            (2, ("-F", "_setjmp@libc.so.6", "--", target(TARGET)), "more than once"),
            (2, ("-F", "main", "--", "no-such-program"), "no-such-program")):
        check_error(sprof("calls", *words), code, *said)


def test_what_matches_nothing():
    """It is told at the end: libraries come while the program runs."""
    result = sprof("calls", "--breakpoints", "-F", "no_such_function", "--", target(TARGET), "work")
    assert result.code == 2 and "no function is called 'no_such_function'" in result.err, result.err
    result = sprof("calls", "--breakpoints", "--overhead", "0", "-F", "leaf,x*@libz.so.*", "--", target(TARGET), "work")
    assert result.code == 2 and "300 calls" in result.text() and "'x*' in libz" in result.err, result.err
    for early in ("set*", f"no_such_function@{os.path.abspath(target(TARGET))}"):
        result = sprof("calls", "-F", early, "--", target(TARGET), "work")
        check_error(result, 2, "no function ")
        assert not result.out and "stdout is for the report" not in result.err, result.err
    result = sprof("calls", "--breakpoints", "-F", "getpid@libc.so.6", "--path", "work", "--", target(TARGET), "work")
    assert result.code == 2 and "none of the watched functions is called 'work'" in result.err, result.err


def test_a_path_that_is_not_watched():
    """It is told before the run where all functions are the program's."""
    for functions in ("leaf", "le*,repeat"):
        result = sprof("calls", "--breakpoints", "-F", functions, "--path", "work", "--", target(TARGET), "work")
        check_error(result, 2, "none of the watched functions is called 'work'", "--function, too")
        assert not result.out and "stdout is for the report" not in result.err, result.err


# When each breakpoint was written into the program; and when the program was done with its calls.
WRITES = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static void say(const char *what)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    dprintf(2, "%s %ld\\n", what, time.tv_sec * 1000000000L + time.tv_nsec);
}
#ifdef PRELOADED
ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t offset)
{
    ssize_t (*real)(int, const void *, size_t, off64_t) = dlsym(RTLD_NEXT, "pwrite64");
    ssize_t result = real(fd, bytes, size, offset);
    say("written");
    return result;
}
ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset) { return pwrite64(fd, bytes, size, offset); }
#else
void *kept;
int main(void)
{
    say("main");
    getppid();
    kept = malloc(1 << 20);
    say("called");
    return 0;
}
#endif
"""


def test_the_time_of_the_program():
    """It begins when all functions are watched, which takes sprof longer than the program."""
    write("writes.c", WRITES)
    run(tool("gcc"), "-DPRELOADED", "-shared", "-fPIC", "writes.c", "-o", "writes.so", "-ldl").check(0)
    run(tool("gcc"), "writes.c", "-o", "program").check(0)

    def check(result, after):
        stamps = [(what, int(ns)) for what, ns in re.findall(r"^(written|main|called) (\d+)$", result.err, re.MULTILINE)]
        main_ns, called = dict(stamps)["main"], dict(stamps)["called"]
        written = max(ns for what, ns in stamps if what == "written" and ns < main_ns)
        assert called - after >= written, (stamps, after)

    preloaded = {**os.environ, "LD_PRELOAD": os.path.abspath("writes.so")}
    result = sprof("calls", "-F", "getppid@libc.so.6", "--timeline", "calls.json", "--", "./program", env=preloaded).check(0)
    with open("calls.json", encoding="utf-8") as file:
        (after,) = (event["ts"] * 1000 for event in json.load(file)["traceEvents"] if event["name"].startswith("getppid"))
    check(result, after)
    result = sprof("heap", "--exact", "--json", "--", "./program", env=preloaded).check(0)
    check(result, json.loads(result.text())["totals"]["peak_ns"])


def test_ordinary_users():
    """They have the same columns as root."""
    words = own_sprof(), "calls", "--overhead", "0", "-F", "leaf", "--json", "-o", "/dev/stdout"
    program = "--", own_target(TARGET), "work"
    require(os.geteuid() == 0, "we are one")
    if paranoid() > 2:
        check_error(run(*words, "--count", *program, **as_plain_user()), 2, "debug registers", "without --count")
    (row,) = json.loads(run(*words, *program, **as_plain_user()).check(7).text())["functions"]
    assert (row["function"], row["calls"], row["returned"]) == ("leaf", 300, 300), row


def require_registers():
    require(os.geteuid() == 0, "we are one")
    require_switches()
    result = sprof("calls", "--count", "-F", "leaf", "--", target(TARGET), "work")
    require_machine(result.code == 7, f"nobody may have a debug register here: {result.err}")


def count_leaves(**options):
    """In threads, children and new programs."""
    words = own_sprof(), "calls", "--count", "--json", "-F", "leaf", "-o", "/dev/stdout", "--"
    table = json.loads(run(*words, own_target(TARGET), "threads", **as_plain_user(), **options).check(7).text())
    (row,) = table["functions"]
    assert table["source"] == "hardware breakpoints", table
    assert row["calls"] == row["counted"] == LEAVES["threads"] and row["total_ns"] == 0, row
    (row,) = json.loads(run(*words, "sh", "-c", f"{own_target(TARGET)} fork; exit 0",
                            **as_plain_user(), **options).check(0).text())["functions"] or [None]
    assert row["calls"] == LEAVES["fork"], row


def test_debug_registers():
    """They count for everybody who may have perf events; four functions at most."""
    require_registers()
    count_leaves()
    words = own_sprof(), "calls", "--count", "-o", "/dev/stdout"
    text = run(*words, "-F", "leaf,main,work,repeat,fib,is_even", "--", own_target(TARGET), "work",
               **as_plain_user()).check(7).text()
    assert "counted only" in text and "repeat could not be watched: a thread has four debug registers" in text, text
    text = run(*words, "-f", "dot", "-F", "leaf,work", "--", own_target(TARGET), "work", **as_plain_user()).check(7).text()
    assert dict(re.findall(r'label="(\w+)\\n(.*?)", sprof_calls', text)) == {"work": "100 calls", "leaf": "300 calls"}, text


def test_debug_registers_before_linux_5_13():
    """The kernel's only choice is that children and new programs inherit them, too."""
    require_registers()
    count_leaves(env=with_fault("perf-5.12:22:1+", shutil.copy(target("../faults/libfault.so"), os.path.abspath("fault.so"))))


if __name__ == "__main__":
    main()

"""sprof annotate: lines and instructions of functions, beside objdump, addr2line and what the programs do."""

import glob
import json
import os
import re
import shutil

from harness import SPROF, check_error, main, most_of, others, require, run, share_tolerance, sprof, tool
from subjects import address_of, build, build_id, command, split_debug, write

# Three divisions, one after the other: on every CPU, their line has nearly all of the time.
APP = """
#include <stdio.h>
#include <time.h>
unsigned long churn(unsigned long n);
static unsigned long state;

static inline __attribute__((always_inline)) unsigned long step(unsigned long x)
{
    volatile unsigned long y = x;
    for (int i = 0; i < 100; i++)
        y = 1000003 / (y | 1) / (x | 3) / (y | 1) + 17; /* STEP */
    return y;
}

__attribute__((noinline)) void first(int n)
{
    for (int i = 0; i < n; i++)
        state += step(state);
}

__attribute__((noinline)) void second(int n)
{
    for (int i = 0; i < n; i++)
        state ^= step(state + 5);
}

__attribute__((noinline)) void hot(long n)
{
    volatile long sum = 0;
    sum += 1;
    for (long i = 0; i < n; i++)
        sum += i / (sum | 1) / (i | 3) / (sum | 5); /* HOT */
    sum += 2;
}

int main(void)
{
    while (clock() < CLOCKS_PER_SEC * 6 / 10) {
        first(2000);
        second(2000);
        hot(300000);
        state += churn(300000);
    }
    printf("%d\\n", (int)(state & 1));
}
"""

LIBRARY = """
unsigned long churn(unsigned long n)
{
    volatile unsigned long x = 0;
    for (unsigned long i = 0; i < n; i++)
        x += i / (x | 1) / (i | 3) / (x | 5); /* CHURN */
    return x;
}
"""

# Which function of glibc has the instruction of nanosleep() depends on its version.
NAP = """
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int main(void) { return (int)syscall(SYS_nanosleep, &(struct timespec){0, 300000000}, NULL); }
"""

COLUMNS = ("user", "sys", "runq", "wait", "stolen")


def line_of(text, mark):
    return 1 + next(i for i, line in enumerate(text.splitlines()) if mark in line)


def make(*flags):
    """The program, sampled: app and libchurn.so, p.pb.gz and p.perf.data."""
    source = write("churn.c", LIBRARY)
    command(tool("gcc"), "-O2", "-g", "-shared", "-fPIC", "-Wl,--build-id", source, "-o", "libchurn.so")
    here = os.getcwd()
    program = build("app", "-g", "-Wl,--build-id", *flags, "-L" + here, "-lchurn", "-Wl,-rpath," + here, source=APP)
    record(program)
    return program


def record(*words):
    sprof("run", "--no-python", "-q", "-r", "500", "-o", "p.pb.gz", "-o", "p.perf.data", "--", *words).check(0)


def annotate(function, *options):
    return json.loads(sprof("annotate", "--json", *options, function, "p.pb.gz").check(0).text())


def add_up(parts):
    return {key: sum(part["self"][key] for part in parts) for key in ("value", "samples", *COLUMNS)}


def check_totals(shown):
    """No total is less than what is in it, or more than the function's."""
    for row in (shown, *shown["lines"]):
        for key in ("value", "samples", *COLUMNS):
            assert row["self"][key] <= row["total"][key] <= shown["total"][key], row
        for call in row.get("calls", ()):
            assert call["total"]["value"] <= row["total"]["value"], row
    assert shown["total"]["value"] <= shown["whole"]


def check_sums(shown):
    """Lines add up to the self time, each part is split completely, and instructions lose nothing."""
    check_totals(shown)
    whole = {key: shown["self"][key] for key in ("value", "samples", *COLUMNS)}
    assert add_up(shown["lines"]) == whole, shown["lines"]
    assert whole["value"] == sum(whole[key] for key in COLUMNS), whole
    if "copies" in shown:
        parts = [one for copy in shown["copies"] for one in copy["instructions"]]
        assert add_up([*parts, {"self": shown["unplaced"]}]) == whole


def check_with_binutils(shown):
    """Each instruction is where objdump has it, and on the line that addr2line says."""
    file = shown["module"]
    listed = {}
    for line in command(tool("objdump"), "-d", "-C", "-w", "--no-show-raw-insn", file).splitlines():
        match = re.fullmatch(r"\s+([0-9a-f]+):\t(.*)", line)
        if match:
            listed[int(match.group(1), 16)] = match.group(2).replace("\t", " ").strip()
    parts = [one for copy in shown["copies"] for one in copy["instructions"]]
    assert parts
    answers = command(tool("addr2line"), "-e", file, *(hex(one["address"]) for one in parts)).splitlines()
    for one, answer in zip(parts, answers, strict=True):
        assert listed[one["address"]] == one["text"], one
        path, line = re.sub(r" \(discriminator \d+\)", "", answer).rsplit(":", 1)
        expected = (None, 0) if path == "??" else (os.path.basename(path), int(line) if line != "?" else 0)
        found = (one["file"] and os.path.basename(one["file"]), one["line"])
        assert found == expected, f"{one}: addr2line says {answer}"


def most(shown):
    """The least share of the hottest line, of as many samples as there are."""
    return 0.8 - share_tolerance(0.8, shown["self"]["samples"])


def check_hot_line(shown, text, mark):
    line = line_of(text, mark)
    rows = [row for row in shown["lines"] if row["line"] == line]
    assert len(rows) == 1 and mark in rows[0]["source"], shown["lines"]
    assert rows[0]["self"]["value"] >= most(shown) * shown["self"]["value"], shown["lines"]


def check_all(*flags):
    make(*flags)
    for function, text, mark in (("hot", APP, "HOT"), ("churn", LIBRARY, "CHURN"),
                                 ("step", APP, "STEP"), ("first", APP, "STEP")):
        shown = annotate(function, "--asm")
        check_sums(shown)
        check_with_binutils(shown)
        check_hot_line(shown, text, mark)
        assert shown["unplaced"]["value"] == 0
    shown = annotate("step", "--asm")
    assert [copy["symbol"] for copy in shown["copies"]] in (["first", "second"], ["second", "first"])
    assert all(copy["inlined"] for copy in shown["copies"])


def test_pie_and_a_library():
    check_all("-pie", "-fPIE")


def test_no_pie():
    check_all("-no-pie", "-fno-pie")


@others
def test_perf_annotate_agrees():
    """The same addresses have the time in what sprof writes for perf."""
    perf = tool("perf")
    make()
    shown = annotate("hot", "--asm")
    before = set(glob.glob("/tmp/perf-vdso.so-*"))
    text = command(perf, "annotate", "-i", "p.perf.data", "--stdio", "-s", "hot", "--percent-type", "local-period")
    # perf annotate leaves its copy of the vDSO.
    for path in set(glob.glob("/tmp/perf-vdso.so-*")) - before:
        os.unlink(path)
    percents = {int(address, 16): float(percent) for percent, address in
                re.findall(r"^ +([\d.]+) +(?::.*?)?:? *([0-9a-f]+): ", text, re.MULTILINE)}
    require(percents, "this perf can't disassemble")
    for one in shown["copies"][0]["instructions"]:
        share = 100 * one["self"]["value"] / shown["self"]["value"]
        assert abs(percents.get(one["address"], 0) - share) < 0.02, (one, percents)


def check_pprof(program, function, mark):
    """The hottest line by `go tool pprof`, and its instructions: it has most of the function, they have all."""
    shown = annotate(function)
    whole = shown["self"]["value"] / 1e9

    def at(*options):
        text = command(tool("go"), "tool", "pprof", "-unit=s", *options, "p.pb.gz")
        return [(float(line.split("s", 1)[0]), line) for line in text.splitlines() if re.match(r" +[\d.]+s ", line)]

    lines = [value for value, line in at("-list", f"^{function}$") if mark in line]
    # It rounds to hundredths.
    assert lines and lines[0] >= most(shown) * whole - 0.005, (lines, whole)
    instructions = [value for value, line in at("-disasm", function) if re.search(r" [0-9a-f]+: [A-Z]", line)]
    assert abs(sum(instructions) - whole) < 0.02 * whole + 0.02, (instructions, whole)


@others
def test_pprof_disassembles():
    """The program has its link-time addresses in the saved profile, since Go's pprof takes no others."""
    check_pprof(make(), "hot", "HOT")
    check_pprof(make("-no-pie", "-fno-pie"), "hot", "HOT")


@others
def test_perf_knows_the_kernel():
    """perf names system calls, and is told of no CPU."""
    sprof("run", "-q", "-r", "200", "-o", "s.perf.data", "--", "sleep", "0.3").check(0)
    text = command(tool("perf"), "report", "-i", "s.perf.data", "--stdio", "-g", "none", "--sort", "sym")
    assert re.search(r"\[k\] \[clock_nanosleep\]", text), text
    text = command(tool("perf"), "script", "-i", "s.perf.data")
    assert "[clock_nanosleep]" in text and "[000]" not in text, text


def test_source_elsewhere_and_changed():
    make()
    os.mkdir("tree")
    os.mkdir("tree/src")
    os.rename("app.c", "tree/src/app.c")
    result = sprof("annotate", "hot", "p.pb.gz").check(0)
    assert "HOT" not in result.text()
    assert result.err.count("can't read the source file") == 1, result.err
    assert f" {line_of(APP, 'HOT')}\n" in result.text(), result.text()
    assert "HOT" not in sprof("annotate", "--source-dir", "tree", "hot", "p.pb.gz").check(0).text()
    os.rename("tree/src/app.c", "tree/app.c")
    result = sprof("annotate", "--source-dir", "tree", "hot", "p.pb.gz").check(0)
    assert "HOT" in result.text() and result.err == "", result.err
    os.utime("tree/app.c", (2 << 30, 2 << 30))
    result = sprof("annotate", "--source-dir", "tree", "hot", "p.pb.gz").check(0)
    assert "has changed since the recording" in result.err, result.err
    check_error(sprof("annotate", "--source-dir", "app", "hot", "p.pb.gz"), 64, "not a folder")


def folded_samples(function):
    """How many samples have the function on their stack."""
    text = sprof("report", "-f", "folded", "--weight", "samples", "p.pb.gz").check(0).text()
    rows = [line.rsplit(" ", 1) for line in text.splitlines()]
    return sum(int(count) for stack, count in rows if function in stack.split(";"))


def test_time_of_callees():
    """A function that only calls: each of its lines has the samples of what it calls."""
    make("-Wl,-z,now")  # no call leads into the dynamic linker
    shown = annotate("main", "--asm")
    check_sums(shown)
    assert shown["total"]["samples"] == folded_samples("main")
    for callee, mark in (("first", "first(2000);"), ("second", "second(2000);"), ("hot", "hot(300000);"),
                         ("churn", "churn(300000);")):
        row, = (row for row in shown["lines"] if row["line"] == line_of(APP, mark))
        calls = [call["total"] for call in row["calls"] if call["function"] == callee]
        expected = annotate(callee)["total"]
        assert calls == [expected] and expected["samples"] == folded_samples(callee) > 0, (row, expected)
        assert row["total"]["value"] == row["self"]["value"] + sum(c["total"]["value"] for c in row["calls"]), row
        hit = [one for copy in shown["copies"] for one in copy["instructions"]
               if re.search(fr"^(call|bl)\b.*<{callee}(@plt)?>", one["text"])]
        # A sample in churn@plt has the call on its stack, but not churn().
        spare = most_of(expected["samples"], 0.02) if callee == "churn" else 0
        assert len(hit) == 1 and 0 <= hit[0]["total"]["samples"] - expected["samples"] <= spare, (callee, hit)


def test_hottest_lines_first():
    """What helps most is at the top: the lines by total time, with what they call."""
    make()
    text = sprof("annotate", "main", "p.pb.gz").check(0).text()
    assert re.search(r"^main of .*/app: total wall .* \(\d+\.\d\d %\), self .* of ", text), text
    head = text.split("hottest lines", 1)[1].split("\n\n", 1)[0].splitlines()[1:]
    shares = [float(line.split("%")[0]) for line in head]
    assert shares and shares == sorted(shares, reverse=True), head
    for callee, mark in (("hot", "hot(300000);"), ("churn", "churn(300000);")):
        assert any(f"app.c:{line_of(APP, mark)} -> {callee} " in line for line in head), head
    # The function's own lines stand before those of what is inlined into it.
    text = sprof("annotate", "first", "p.pb.gz").check(0).text()
    assert text.index("app.c: first\n") < text.index("app.c: step (inlined)\n"), text


def test_names():
    make()
    check_error(sprof("annotate", "hott", "p.pb.gz"), 2, "no function 'hott'", "did you mean hot?")
    check_error(sprof("annotate", "s*", "p.pb.gz"), 64, "functions of the profile", "'step@app'")
    check_error(sprof("annotate", "hot@libchurn.so", "p.pb.gz"), 2, "no function 'hot'")
    check_error(sprof("annotate", "seco", "p.pb.gz"), 2, "there is 'second@app'")
    check_error(sprof("annotate"), 64, "needs a function")
    check_error(sprof("annotate", ""), 64, "needs a function")
    check_error(sprof("annotate", "hot", "absent.pb.gz"), 2, "absent.pb.gz")
    check_error(sprof("annotate", "--weight", "nothing", "hot", "p.pb.gz"), 64, "--weight nothing")
    assert annotate("churn@libchurn.so")["function"] == "churn"
    assert annotate("hot", "--weight", "user")["self"]["value"] == annotate("hot")["self"]["user"]


def test_the_kernel_is_its_callers():
    """Blocked time is at the instruction behind the system call."""
    record(build("nap", source=NAP))
    check_error(sprof("annotate", "[nanosleep]", "p.pb.gz"), 2, "in the kernel")
    shown = annotate("syscall", "--asm")
    check_sums(shown)
    hit = [(before["text"], one) for copy in shown["copies"] for before, one in
           zip(copy["instructions"], copy["instructions"][1:]) if one["self"]["wait"]]
    assert hit and all("syscall" in text or "svc" in text for text, _ in hit), hit


def test_hidden_callees():
    """Their time is at the calls. main() may have a sample of its own."""
    make()
    shown = annotate("main", "--asm", "--hide", "hot")
    check_sums(shown)
    assert shown["unplaced"]["value"] == 0
    hit = [one for copy in shown["copies"] for one in copy["instructions"] if "<hot>" in one["text"]]
    self = annotate("hot")["self"]
    assert add_up(hit) == {key: self[key] for key in ("value", "samples", *COLUMNS)}, (hit, self)


def test_names_that_come_later():
    """The debug file is elsewhere: lines and instructions have it."""
    make()
    split_debug("app", "stripped", "app.debug")
    before = annotate("hot", "--asm")
    os.rename("stripped", "app")
    os.makedirs("debug/.build-id/" + build_id("app")[:2])
    os.rename("app.debug", f"debug/.build-id/{build_id('app')[:2]}/{build_id('app')[2:]}.debug")
    later = annotate("hot", "--asm", "--debug-dir", "debug")
    assert later["lines"] == before["lines"]
    for one, other in zip(later["copies"][0]["instructions"], before["copies"][0]["instructions"], strict=True):
        # Without symbols, objdump doesn't name the targets of jumps.
        assert {**one, "text": ""} == {**other, "text": ""}
    record("./app")
    shown = annotate("hot", "--asm", "--debug-dir", "debug")
    check_sums(shown)
    check_hot_line(shown, APP, "HOT")
    assert [one["line"] for one in shown["copies"][0]["instructions"]] == \
        [one["line"] for one in before["copies"][0]["instructions"]]


def test_full_disk():
    make()
    for words in (["hot"], ["--json", "hot"]):
        with open("/dev/full", "w", encoding="utf-8") as full:
            result = run(SPROF, "annotate", *words, "p.pb.gz", stdout=full)
        check_error(result, 2, "No space left")


def test_no_objdump():
    make()
    environment = {**os.environ, "PATH": os.getcwd()}
    check_error(sprof("annotate", "--asm", "hot", "p.pb.gz", env=environment), 2, "objdump", "binutils")


def test_another_file():
    program = make()
    build("other", "-g0", "-Wl,--build-id")
    shutil.move("other", program)
    check_error(sprof("annotate", "--asm", "hot", "p.pb.gz"), 2, "not the file that was profiled")
    sprof("annotate", "hot", "p.pb.gz").check(0)


def test_without_debug_information():
    """Instructions are there, and what is missing is said once."""
    make()
    command(tool("strip"), "-g", "app")
    record("./app")
    result = sprof("annotate", "--asm", "hot", "p.pb.gz").check(0)
    assert result.err.count("no source lines for") == 1, result.err
    shown = annotate("hot", "--asm")
    check_sums(shown)
    check_with_binutils(shown)
    assert [row["line"] for row in shown["lines"]] == [None]
    address = int(address_of("app", "hot"), 16)
    assert shown["copies"][0]["begin"] == address == shown["copies"][0]["instructions"][0]["address"]


def test_python():
    """A program that nobody built for this: the interpreter itself."""
    python = os.path.realpath(tool("python3", "/usr/bin/python3"))
    record(python, "-c", "sum(i * i for i in range(6000000))")
    folded = sprof("report", "-f", "folded", "p.pb.gz").check(0).text()
    leaves = {}
    for line in folded.splitlines():
        stack, value = line.rsplit(" ", 1)
        leaf = stack.split(";")[-1]
        leaves[leaf] = leaves.get(leaf, 0) + int(value)
    function = max((leaf for leaf in leaves if not leaf.startswith("[")), key=leaves.get)
    shown = annotate(function, "--asm")
    check_sums(shown)
    assert shown["unplaced"]["value"] == 0, shown["unplaced"]
    assert sum(len(copy["instructions"]) for copy in shown["copies"]) > 1


def test_saved_again():
    """A copy of a profile keeps the addresses."""
    make()
    sprof("report", "--hide", "no such function", "p.pb.gz", "-o", "q.pb.gz").check(0)
    again = run(SPROF, "annotate", "--json", "--asm", "hot", "q.pb.gz").check(0).text()
    assert json.loads(again)["self"] == annotate("hot")["self"]


if __name__ == "__main__":
    main()

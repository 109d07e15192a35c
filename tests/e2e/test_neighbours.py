"""Callers and callees of functions, in one step and beyond, and recursion: known paths, gprof, perf."""

import json
import re
from collections import Counter

from harness import main, others, sprof, tool
from subjects import build, command

# Time is spent in burn() only. spread() has it called in two ways, and fib() and even()/odd() recur. In rounds: on a busy
# machine sprof may get no CPU for some tenths of a second, which must not be all of one way's.
PROGRAM = """
#include <time.h>
__attribute__((noinline)) static long now(void) { struct timespec t; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000 + t.tv_nsec; }
static volatile unsigned long sink;
#define FAR __attribute__((noinline, noclone))
FAR void burn(long ms)
{
	for (long end = now() + ms * 1000000; now() < end;)
		for (int i = 0; i < 20000; i++)
			sink = sink * 3 + 1;
}
FAR void near_path(void) { burn(20); sink++; }
FAR void far_end(void) { burn(40); sink++; }
FAR void far_path(void) { far_end(); sink++; }
FAR void spread(void) { near_path(); far_path(); sink++; }
FAR void fib(int n) { if (n) fib(n - 1); else burn(20); sink++; }
FAR void odd(int n);
FAR void even(int n) { if (n) odd(n - 1); else burn(20); sink++; }
FAR void odd(int n) { if (n) even(n - 1); sink++; }
int main(void) { for (int i = 0; i < 10; i++) { spread(); fib(9); even(6); } return 0; }
"""


def record(*more):
    program = build("paths", "-O1", "-g", "-fno-optimize-sibling-calls", *more, source=PROGRAM)
    sprof("run", "-o", "x.pb.gz", "-r", "500", "--", program).check(0)
    return program


def report(*options):
    return sprof("report", "x.pb.gz", "--no-pager", *options).check(0).text()


def as_json(*options):
    return json.loads(report("-f", "json", *options))


def tree_of(profile, side, function, is_whole=True):
    """[(depth, name, calls, total)] of one function's tree, which must hold together. The direct ones are all there."""
    names = [item["name"] for item in profile["functions"]]
    found = [item for item in profile[side] if names[item["function"]] == function]
    assert len(found) == 1, (function, found)
    tree, above = found[0]["tree"], [found[0]["total"]]
    for item in tree:
        assert item["depth"] <= len(above), "a line is one level below another at most"
        del above[item["depth"]:]
        assert item["self"] <= item["total"] <= above[-1]
        above.append(item["total"])
    direct = Counter({names[item["function"]]: item["total"] for item in tree if item["depth"] == 1})
    neighbours = Counter({names[item["function"]]: item["total"] for item in found[0][side]})
    assert direct == neighbours if is_whole else direct.items() <= neighbours.items(), (side, direct, neighbours)
    return [(item["depth"], names[item["function"]], item["calls"], item["total"]) for item in tree], found[0]["total"]


def shape(tree, root="main"):
    """Without what is above main and without figures; calls only where they are folded."""
    lines, deepest = [], 1 << 30
    for depth, name, calls, _ in tree:
        if depth > deepest:
            continue
        deepest = depth if name == root else 1 << 30
        lines.append(f"{depth} {name}" + (f" x{calls}" if calls > 1 else ""))
    return lines


def test_callers_and_beyond():
    record()
    # User time: that each of two tests waits for the other's CPU is none of it.
    tree, total = tree_of(as_json("--callers", "^burn$", "--min", "0", "--weight", "user"), "callers", "burn")
    lines = shape(tree)
    assert {"1 near_path", "2 spread", "1 far_end", "2 far_path", "3 spread", "1 fib x10", "1 even x3", "2 odd x3", "3 even"} <= set(lines), lines
    parts = {name: value for depth, name, _, value in tree if depth == 1}
    assert parts.keys() == {"near_path", "far_end", "fib", "even"} and sum(parts.values()) == total
    assert abs(parts["far_end"] / total - 0.4) < 0.25, parts
    # Largest first.
    assert list(parts.values()) == sorted(parts.values(), reverse=True), parts


def test_callees_and_beyond():
    record()
    tree, total = tree_of(as_json("--callees", "^spread$", "--min", "0", "--weight", "user"), "callees", "spread")
    ours = [line for line in shape(tree) if re.search("near_path|far_|burn", line)]
    assert ours == ["1 far_path", "2 far_end", "3 burn", "1 near_path", "2 burn"], ours
    assert 0.5 * total < sum(value for depth, name, _, value in tree if depth == 1) <= total


def test_recursion_is_folded_and_unfolded():
    record()
    folded = report("--full").partition("caller graph")[2].partition("callee graph")[0]
    assert re.search(r"^.*  +fib \[x10\]\n.*  burn\n", folded, re.MULTILINE), folded
    unfolded = report("--full", "--unfold").partition("caller graph")[2].partition("callee graph")[0]
    assert len(re.findall(r" fib$", unfolded, re.MULTILINE)) == 10 and "[x" not in unfolded, unfolded
    tree, _ = tree_of(as_json("--callers", "^burn$", "--min", "0", "--unfold"), "callers", "burn")
    assert [name for _, name, _, _ in tree].count("fib") == 10
    # The longest branches are the same in both.
    both = shape(tree_of(as_json("--callees", "^even$", "--min", "0", "--unfold"), "callees", "even")[0])
    assert "1 burn" in both, both


def test_fractal_in_both_directions():
    """A line's part of the line above it."""
    record()
    for title, ends in (("caller graph", "callee graph"), ("callee graph", "\n\n")):
        text = report("--full").partition(title)[2].partition(ends)[0]
        head, *lines = [line for line in text.splitlines()[1:] if line.strip() and not line.startswith("(")]
        at = head.index("fractal%") + len("fractal%")
        above = {}
        for line in lines:
            name = re.search(r"\S", line[at:]).start()
            share, fractal = float(line[:6]), float(line[at - 8:at])
            parents = [depth for depth in above if depth < name]
            if parents and above[max(parents)] > 5:
                assert abs(fractal - 100 * share / above[max(parents)]) < 2, (title, line, above)
            above = {depth: value for depth, value in above.items() if depth < name}
            above[name] = share


def test_depth_and_smallest_share():
    record()
    tree, _ = tree_of(as_json("--callers", "^burn$", "--depth", "2", "--min", "0"), "callers", "burn")
    assert max(depth for depth, *_ in tree) == 2
    tree, total = tree_of(as_json("--callees", "^main$", "--min", "30"), "callees", "main", is_whole=False)
    assert tree and all(value >= 0.3 * total for *_, value in tree), tree


def test_no_children():
    """As perf's: what a function spent itself, and its split."""
    record()
    text = report("--no-children").partition("flat profile")[2].partition("\n\n")[0]
    head = text.splitlines()[1].split()
    assert "self" in head and "total" not in head and "user%" not in head and "self-user" in head, head
    assert re.search(r" burn\b", text.splitlines()[2]), text
    chosen = report("--no-children", "--columns", "total,self").partition("flat profile")[2].splitlines()[1].split()
    assert chosen == ["total", "self", "function"], chosen


@others
def test_perf_agrees():
    """perf's tree of callers on the same samples, of what burn() spent itself: each has the same part of it."""
    record()
    report("-o", "x.perf.data")
    text = command(tool("perf"), "report", "-i", "x.perf.data", "--stdio", "--no-children", "-g", "caller,0.5,callee,function,period",
                   "-s", "sym", "--percent-limit", "5")
    # Of this entry only: the kernel's, behind it, have the same callers.
    block = re.split(r"^ +\d+\.\d\d% ", text[text.index(" burn\n"):], flags=re.MULTILINE)[0]
    theirs = {name: int(period) for period, name in re.findall(r"--(\d+)--(near_path|far_end|fib|even)\b", block)}
    profile = as_json("--callers", "^burn$", "--min", "0", "--unfold")
    names = [item["name"] for item in profile["functions"]]
    ours = {names[item["function"]]: item["self"] for item in profile["callers"][0]["callers"]}
    assert theirs.keys() == ours.keys(), block
    for name, value in ours.items():
        assert abs(theirs[name] - value) <= 1, (name, theirs, ours)


def test_gprof_agrees():
    """gprof has no paths, only each function's direct callers; time in hundredths of a second."""
    program = record("-no-pie", "-fno-pie")
    report("-o", "gmon.out", "--weight", "user")
    text = command(tool("gprof"), "-b", "-q", program, "gmon.out")
    block = next(part for part in text.split("-----------------------------------------------")
                 if re.search(r"^\[\d+\].* burn \[\d+\]$", part, re.MULTILINE))
    theirs = {}
    for line in block.partition("\n[")[0].splitlines():
        found = re.match(r"\s+([\d.]+)\s+([\d.]+)\s+\d+/\d+\s+(\w+)(?: <cycle \d+>)? \[", line)
        if found:
            theirs[found[3]] = float(found[1]) + float(found[2])
    profile = as_json("--callers", "^burn$", "--weight", "user", "--min", "0")
    tree, _ = tree_of(profile, "callers", "burn")
    for depth, name, _, value in tree:
        if depth == 1:
            assert abs(theirs[name] - value / 1e9) <= 0.0301, (name, theirs, value)
    assert len(theirs) == 4, block


if __name__ == "__main__":
    main()

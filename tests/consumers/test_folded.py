#!/usr/bin/env python3
"""folded: flamegraph.pl and speedscope agree with the model, to the microsecond per stack."""

import html
import os
import re
from collections import Counter

import harness
import model
import pprof_file

FLAMEGRAPH = "/usr/share/perl5/Devel/NYTProf/flamegraph.pl"
TITLE = re.compile(r"<title>(.*) \(([\d,]+) samples, [\d.]+%\)</title>")


# flamegraph.pl has no angle brackets.
BRACKETS = str.maketrans("<>", "()")


def shown(name):
    """No separator in it, and nothing at its end that could be one of two numbers."""
    return re.sub(r" ([0-9.]+)$", r"_\1", model.clean(name).replace(";", ":"))


def tables(profile, weight):
    """As folded stacks name them, in microseconds."""
    unit = 1 if weight == "samples" else 1000
    own, total = Counter(), Counter()
    for row in profile.rows:
        names = [shown(function.name) for function in profile.functions_of(row)]
        own[names[-1]] += model.value_of(row, weight) / unit
        for name in set(names):
            total[name] += model.value_of(row, weight) / unit
    return own, total


def write(profile, *options):
    pprof_file.write("in.pb.gz", profile)
    harness.sprof("report", "in.pb.gz", "-o", "out.folded", *options)


def check_lines(profile, weight):
    """The file itself: each stack is within a microsecond of its time."""
    write(profile, "--weight", weight)
    want = Counter()
    for row in profile.rows:
        stack = ";".join(shown(function.name) for function in profile.functions_of(row))
        want[stack] += model.value_of(row, weight) / (1 if weight == "samples" else 1000)
    got = Counter()
    with open("out.folded", encoding="utf-8", newline="\n") as file:
        for line in file:
            stack, count = line.rstrip("\n").rsplit(" ", 1)
            got[stack] += int(count)
    harness.same(got, want, 0 if weight == "samples" else 1.0, weight)


def test_lines():
    for profile in (model.canonical(), model.worked(), *map(model.make_random, harness.RANDOM_SEEDS)):
        for weight in profile.weights:
            check_lines(profile, weight)


def test_read_back():
    """What is read is written again as it was, also as a profile between."""
    for profile in (model.canonical(), model.worked(), *map(model.make_random, harness.RANDOM_SEEDS)):
        write(profile, "--weight", "samples")
        harness.sprof("report", "out.folded", "-o", "again.folded", "-o", "between.pb.gz")
        harness.sprof("report", "between.pb.gz", "-o", "last.folded")
        with open("out.folded", "rb") as first, open("again.folded", "rb") as again, open("last.folded", "rb") as last:
            assert first.read() == again.read() == last.read()
    text = harness.sprof("report", "out.folded")
    assert "count" in text and "callee graph" in text, text[:500]


SCRIPT = """my worker 100/101 [000] 51.5: 250000 cpu-clock:uhpppH:
\t            55d0 parse(int, char)+0x12 (/usr/bin/made)
\t            55e0 main+0x3 (/usr/bin/made)

made 100 [001] 51.6: 250000 cpu-clock:uhpppH:
\t            55e0 main+0x9 (/usr/bin/made)

my worker 100/101 [000] 51.7: 250000 cpu-clock:uhpppH:
\t            7fd0 [unknown] (/usr/lib/libmade.so)
\t            55d9 std::map<int, int>::find (inlined)
\t            55e0 main+0x3 (/usr/bin/made)

"""


# Comments, threads with numbers in their names, source lines, files that are gone, and lines that end too early.
ODD_SCRIPT = """# ========
# captured on    : Sat Nov 28 2026
#
pool 5 6 100/101 [000] 51.5: 250000 cpu-clock:
\t 55d0 parse(int, char)+0x12 (/tmp/app (deleted))
  parse.c:12
\t 55e0 main+0x3 (/tmp/app (deleted))
  main.c:7

pool 5 7 100/102 51.5: sched:sched_switch: prev_pid=7
\t 55d0 [unknown] ([unknown])
\t 55d4 [unknown] ([kernel.kallsyms])
\t 55e0 [unknown] (foo
\t 55e0 [unknown] (
\t 55e0

"""


def read_text(text, *options):
    """The folded stacks of a text that sprof reads."""
    with open("text", "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
    harness.sprof("report", "text", "-o", "text.folded", *options)
    with open("text.folded", encoding="utf-8") as file:
        return file.read().splitlines()


def test_folded_of_other_tools():
    """Windows' ends of lines; frames that begin as other formats do; names that end with a number."""
    assert read_text("main;f 3\r\nmain;g 4\r\n") == ["main;f 3", "main;g 4"]
    assert read_text("<module> (a.py:1);f 3\n") == ["<module> (a.py:1);f 3"]
    assert read_text("[unknown];main 3\n") == ["[unknown];main 3"]
    assert read_text("main;operator 5 10\nmain 3\n") == ["main 3", "main;operator_5 10"]
    assert read_text("main;operator 5 10\n") == ["main;operator_5 10"]


def test_odd_perf_script():
    lines = read_text(ODD_SCRIPT, "--threads")
    assert lines == ["pool_5_6-100/101;main;parse(int, char) 250000",
                     "pool_5_7-100/102;[];[foo];[kernel.kallsyms];[unknown] 1"], lines


def test_perf_script():
    """Its samples weigh as in perf's own reports: by their periods."""
    lines = read_text(SCRIPT * 2, "--threads")
    assert lines == ["made-100/100;main 500000", "my_worker-100/101;main;parse(int, char) 500000",
                     "my_worker-100/101;main;std::map<int, int>::find;[libmade.so] 500000"], lines


def check_speedscope(speedscope, profile, weight):
    write(profile, "--weight", weight)
    profiles = speedscope.ask("out.folded")
    stacks = len(profile.rows)
    for table, want in zip(("self", "total"), tables(profile, weight)):
        tolerance = (0 if weight == "samples" else stacks) + harness.double_error(profile.whole(weight))
        got = {name.strip(): value for name, value in profiles[0][table].items()}
        want = {name.strip(): value for name, value in want.items()}
        harness.same(got, want, tolerance, f"speedscope {table} {weight}")


def test_speedscope():
    speedscope = harness.Speedscope()
    check_speedscope(speedscope, model.canonical(), "wall")
    check_speedscope(speedscope, model.worked(), "wall")
    for seed in harness.RANDOM_SEEDS:
        check_speedscope(speedscope, model.make_random(seed), "samples")


def boxes(svg):
    """The widths per name as flamegraph.pl labels them; recursion adds up there."""
    got = Counter()
    for name, count in TITLE.findall(svg):
        got[html.unescape(name)] += int(count.replace(",", ""))
    return got


def test_flamegraph():
    """Its boxes are the nodes of the tree: the same names have the same sum."""
    if not os.path.exists(FLAMEGRAPH):
        harness.skip("flamegraph.pl is missing: apt install libdevel-nytprof-perl")
    for profile in (model.canonical(), model.worked(), *map(model.make_random, harness.RANDOM_SEEDS)):
        write(profile, "--weight", "samples")
        svg = harness.run("perl", FLAMEGRAPH, "--minwidth", "0", "out.folded")
        assert "ERROR" not in svg and "Ignored" not in svg
        want = Counter()
        for row in profile.rows:
            for function in profile.functions_of(row):
                want[shown(function.name).translate(BRACKETS)] += row.values["samples"]
        got = boxes(svg)
        got.pop("all", None)
        harness.same(got, want, what=str(profile.whole("samples")))


def test_difference_has_two_columns():
    one, two = model.make_random(1), model.make_random(2)
    pprof_file.write("one.pb.gz", one)
    pprof_file.write("two.pb.gz", two)
    text = harness.sprof("diff", "one.pb.gz", "two.pb.gz", "-f", "folded", "--weight", "samples",
                         "--absolute")
    sums = [0, 0]
    for line in text.splitlines():
        before, now = line.rsplit(" ", 2)[1:]
        sums = [sums[0] + int(before), sums[1] + int(now)]
    assert sums == [one.whole("samples"), two.whole("samples")]
    text = harness.sprof("diff", "one.pb.gz", "two.pb.gz", "-f", "folded")
    before = sum(int(line.rsplit(" ", 2)[1]) for line in text.splitlines())
    assert abs(before - two.whole("wall") / 1000) < 100, "not normalised"


if __name__ == "__main__":
    harness.main(globals())

#!/usr/bin/env python3
"""When samples were taken, in a saved profile: `go tool pprof -tagfocus=time` and sprof's own --from/--to."""

import json
import subprocess
from collections import Counter

import go_tool
import harness

PROGRAM = """
#include <time.h>
#include <unistd.h>
volatile long x;
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec / 1e9; }
__attribute__((noinline)) void first(double end) { while (now() < end) x++; }
__attribute__((noinline)) void second(double end) { while (now() < end) x--; }
int main(void) { double start = now(); first(start + 0.3); usleep(1000000); second(start + 1.7); return 0; }
"""


def record(*options):
    with open("two.c", "w", encoding="ascii") as file:
        file.write(PROGRAM)
    harness.run(harness.need("gcc", "gcc"), "-g", "-O1", "-o", "two", "two.c")
    harness.sprof("run", "--rate", "500", *options, "--", "./two")


def ours(path, *options):
    data = json.loads(harness.sprof("report", path, "-f", "json", *options))
    names = [function["name"] for function in data["functions"]]
    own, total = Counter(), Counter()
    for row in data["flat"]:
        own[names[row["function"]]] += row["self"]["wall"]
        total[names[row["function"]]] += row["total"]["wall"]
    return own, total


def span(path, tenth):
    """The last tenth of a second may have no sample."""
    try:
        return ours(path, "--from", f"{100 * tenth}ms", "--to", f"{100 * (tenth + 1)}ms")
    except AssertionError as refusal:
        assert "no sample is left" in str(refusal), refusal
        return Counter(), Counter()


def spans(path):
    """(self, total) of each tenth of a second, from the begin on."""
    tenths = json.loads(harness.sprof("report", path, "-f", "json"))["quality"]["duration_ns"] // 10 ** 8 + 1
    return [span(path, tenth) for tenth in range(tenths)]


def tags(path):
    return harness.run(go_tool.GO, "tool", "pprof", "-tags", "-unit=ns", path)


def test_slices_are_tags():
    record("--time-slices", "100ms", "-o", "two.pb.gz", "-o", "two.txt")
    with open("two.txt", encoding="utf-8") as file:
        assert file.read() == harness.sprof("report", "--no-pager", "two.pb.gz")
    for begin, end in ((0, 3), (3, 6), (6, 7), (9, 99)):
        # Go's range includes both ends: of slices that begin in it, all is in.
        focus = f"-tagfocus=time={100 * begin}ms:{100 * (end - 1)}ms"
        limits = ("--from", f"{100 * begin}ms", "--to", f"{100 * end}ms")
        for got, want in zip(ours("two.pb.gz", *limits), go_tool.top("two.pb.gz", focus)):
            harness.same(got, want, 200, f"{limits}")
    # When the program begins, the machine decides. Then it sleeps for a second between the two functions.
    tenths = spans("two.pb.gz")
    first, second = ([i for i, (_, total) in enumerate(tenths) if total[name]] for name in ("first", "second"))
    assert first and second and first[-1] + 8 <= second[0], (first, second)
    asleep = sum(own["[clock_nanosleep]"] for own, _ in tenths[first[-1]:second[0] + 1])
    assert asleep > 7e8, asleep


def test_written_again():
    """Filtered, merged or as it was: the times stay."""
    record("--time-slices", "50ms", "-o", "two.pb.gz")
    harness.sprof("report", "two.pb.gz", "-o", "again.pb.gz")
    assert tags("again.pb.gz") == tags("two.pb.gz") and "time:" in tags("two.pb.gz")
    for span in ((), ("--from", "200ms"), ("--from", "210ms", "--to", "733ms"), ("--state", "user")):
        harness.same(ours("again.pb.gz", *span)[0], ours("two.pb.gz", *span)[0], 0, f"{span}")
    harness.sprof("report", "two.pb.gz", "--from", "300ms", "--to", "700ms", "-o", "part.pb.gz")
    harness.same(ours("part.pb.gz")[0], ours("two.pb.gz", "--from", "300ms", "--to", "700ms")[0])
    harness.same(ours("part.pb.gz", "--to", "400ms")[0], ours("two.pb.gz", "--from", "300ms", "--to", "400ms")[0],
                 200)
    harness.sprof("merge", "two.pb.gz", "part.pb.gz", "-o", "both.pb.gz")
    want = ours("two.pb.gz", "--to", "300ms")[0]
    harness.same(ours("both.pb.gz", "--to", "300ms")[0], want, 0.05 * sum(want.values()))


def test_a_page_has_the_timeline():
    record("--time-slices", "50ms", "-o", "two.pb.gz")
    harness.sprof("report", "two.pb.gz", "-o", "two.html")
    with open("two.html", encoding="utf-8") as file:
        assert '"timeline":{"unit":' in file.read()


def test_without_slices():
    record("-o", "two.pb.gz")
    assert "time:" not in tags("two.pb.gz")
    result = subprocess.run([harness.SPROF, "report", "two.pb.gz", "--to", "1s"], capture_output=True,
                            text=True, check=False)
    assert result.returncode == 2 and "--time-slices" in result.stderr, result


def test_while_recording():
    """--from and --to of run: nothing of another time is in the profile."""
    record("--from", "700ms", "--to", "800ms", "-o", "two.pb.gz")
    # Of the program's 1.7 s and more.
    whole = sum(ours("two.pb.gz")[0].values())
    assert 0 < whole < 8e8, whole
    result = subprocess.run([harness.SPROF, "run", "--from", "2s", "--to", "1s", "true"], capture_output=True,
                            text=True, check=False)
    assert result.returncode == 64 and "--to is not after --from" in result.stderr, result


if __name__ == "__main__":
    harness.main(globals())

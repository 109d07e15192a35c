#!/usr/bin/env python3
"""pprof: Go's own tool and npm pprof-format read what sprof writes, and sprof reads it back."""

import json
import re

import go_tool
import harness
import model
import pprof_file


def truth(profile, weight):
    return [{name.strip(): value for name, value in table.items()} for table in profile.tables(weight)]


def check(profile, weights=None):
    """Exact up to 2^53: Go's tool prints doubles."""
    pprof_file.write("in.pb.gz", profile)
    harness.sprof("report", "in.pb.gz", "-o", "out.pb.gz")
    for weight in weights or profile.weights:
        got, want = go_tool.top("out.pb.gz", f"-sample_index={weight}"), truth(profile, weight)
        tolerance = harness.double_error(profile.whole(weight))
        harness.same(got[0], want[0], tolerance, f"self {weight}")
        harness.same(got[1], want[1], tolerance, f"total {weight}")


def test_canonical():
    check(model.canonical())


def test_worked_example():
    check(model.worked())


def test_random():
    for seed in harness.RANDOM_SEEDS:
        profile = model.make_random(seed)
        check(profile, ("wall", "samples", *profile.weights[len(model.WEIGHTS):]))


def test_default_is_wall():
    pprof_file.write("in.pb.gz", model.make_random(1))
    harness.sprof("report", "in.pb.gz", "-o", "out.pb.gz")
    raw = harness.run(go_tool.GO, "tool", "pprof", "-raw", "out.pb.gz")
    assert "wall/nanoseconds[dflt]" in raw, raw[:400]
    assert "cc" * 20 in raw, "no build id"
    tags = harness.run(go_tool.GO, "tool", "pprof", "-tags", "out.pb.gz")
    for key in ("pid:", "tid:", "process:", "thread:", "state:"):
        assert key in tags, f"no label {key}"


def test_pprof_format():
    harness.need_npm("pprof-format")
    for profile in (model.canonical(), model.worked(), *map(model.make_random, harness.RANDOM_SEEDS)):
        pprof_file.write("in.pb.gz", profile)
        harness.sprof("report", "in.pb.gz", "-o", "out.pb.gz")
        got = json.loads(harness.node("read-pprof.cjs", "out.pb.gz"))
        tolerance = harness.double_error(profile.whole("wall"))
        for key, want in zip(("self", "total"), profile.tables("wall")):
            harness.same(got[key], want, tolerance, key)


REPORTS = ([], ["--report-mode", "both", "--full"], ["--weight", "samples", "--top", "5"],
           ["--report-mode", "per-thread"], ["-f", "folded"], ["-f", "folded", "--threads"],
           ["-f", "json"], ["--weight", "wait", "--min", "0"])


def test_round_trip():
    """Out, in, out: every text report is the same byte for byte."""
    for profile in (model.canonical(), *map(model.make_random, range(1, 6))):
        pprof_file.write("a.pb.gz", profile, comments=(
            "sprof: command=/bin/x --y", "sprof: rate_hz=99", "sprof: ticks=17",
            "sprof: stacks.root=4", "sprof: schedstat_missing=1", "sprof: gap.1=stripped",
            "sprof: gap_help.1=install symbols", "sprof: later=unknown"))
        harness.sprof("report", "a.pb.gz", "-o", "b.pb.gz")
        harness.sprof("report", "b.pb.gz", "-o", "c.pb.gz")
        for options in REPORTS:
            texts = [harness.sprof("report", path, "--no-pager", *options)
                     for path in ("a.pb.gz", "b.pb.gz", "c.pb.gz")]
            assert texts[1] == texts[2], f"{options}: differs after a round trip"
            if "json" not in options:
                assert texts[0] == texts[1], f"{options}: differs from the original"


def test_go_reads_what_is_filtered_and_merged():
    one, two = model.make_random(7), model.make_random(8)
    pprof_file.write("one.pb.gz", one)
    pprof_file.write("two.pb.gz", two)
    harness.sprof("merge", "-o", "both.pb.gz", "one.pb.gz", "two.pb.gz")
    want = model.Model(one.rows + two.rows, one.threads).tables("wall")
    got = go_tool.top("both.pb.gz")
    harness.same(got[0], want[0])
    harness.same(got[1], want[1])
    harness.sprof("report", "one.pb.gz", "--focus", "^f3$", "--state", "user", "-o", "part.pb.gz")
    rows = [row for row in one.rows if row.state == "user" and "f3" in one.names_of(row)]
    want = model.Model(rows, one.threads).tables("wall")
    got = go_tool.top("part.pb.gz")
    harness.same(got[0], want[0])
    harness.same(got[1], want[1])


def test_difference_is_gos():
    pprof_file.write("one.pb.gz", model.make_random(7))
    pprof_file.write("two.pb.gz", model.make_random(9))
    harness.sprof("diff", "one.pb.gz", "two.pb.gz", "-o", "diff.pb.gz")
    own = harness.run(go_tool.GO, "tool", "pprof", "-top", "-unit=ns", *go_tool.EVERYTHING, "diff.pb.gz").splitlines()
    gos = harness.run(go_tool.GO, "tool", "pprof", "-top", "-unit=ns", *go_tool.EVERYTHING, "-diff_base=one.pb.gz",
                      "two.pb.gz").splitlines()
    rows = [[line for line in text if re.match(r"\s*-?\d+(ns)?\s", line)] for text in (own, gos)]
    assert sorted(rows[0]) == sorted(rows[1]) and rows[0], (own[:8], gos[:8])


if __name__ == "__main__":
    harness.main(globals())

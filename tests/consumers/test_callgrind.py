#!/usr/bin/env python3
"""callgrind: callgrind_annotate's self and inclusive costs are the model's self and total."""

import re
from collections import Counter

import harness
import model
import pprof_file

ANNOTATE = harness.need("callgrind_annotate", "valgrind")
LINE = re.compile(r"^\s*([\d,]+) \([^)]*\)  (.*)$")


def ask(*options):
    """{function: cost} of the first event."""
    text = harness.run(ANNOTATE, "--auto=no", "--threshold=100", "--show=wall_ns", *options,
                       "callgrind.out.1")
    got = Counter()
    for line in text.splitlines():
        match = LINE.match(line)
        if match:
            got[name_of(match[2])] += int(match[1].replace(",", ""))
    got.pop("PROGRAM TOTALS", None)
    got.pop("[root]", None)
    return got


def name_of(text):
    """/src/t.c:name [/usr/bin/prog] -> name"""
    text = re.sub(r" \[(\[\w+\]|[^\[\]]*)\]$", "", text)
    return re.sub(r"^(\?\?\?|/src/.*?\.c):", "", text).strip()


def check(profile):
    pprof_file.write("in.pb.gz", profile)
    harness.sprof("report", "in.pb.gz", "-o", "callgrind.out.1")
    own, total = profile.tables("wall")
    for want, options in ((own, ()), (total, ("--inclusive=yes",))):
        want = {re.sub(r"^(\?\?\?|/src/.*?\.c):", "", name).strip(): value for name, value in want.items()}
        harness.same(ask(*options), want, what=str(options))


def test_canonical():
    check(model.canonical())


def test_worked_example():
    check(model.worked())


def test_random():
    for seed in harness.RANDOM_SEEDS:
        check(model.make_random(seed))


def test_suffixes():
    pprof_file.write("in.pb.gz", model.make_random(1))
    harness.sprof("report", "in.pb.gz", "-o", "callgrind.out.4711", "-o", "x.callgrind")
    with open("callgrind.out.4711", "rb") as one, open("x.callgrind", "rb") as two:
        assert one.read() == two.read()


if __name__ == "__main__":
    harness.main(globals())

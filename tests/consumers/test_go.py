#!/usr/bin/env python3
"""Profiles that Go's own runtime wrote: sprof report has the figures of `go tool pprof -top`."""

import json
import os
import re
from collections import Counter

import go_tool
import harness


def make_profiles():
    environment = {**os.environ, "GOCACHE": os.path.abspath("cache"), "GO111MODULE": "off"}
    harness.run(go_tool.GO, "run", os.path.join(harness.HERE, "spin.go"), env=environment)


def top(path, kind, unit):
    return go_tool.top(path, f"-sample_index={kind}", f"-unit={unit}")


def ours(path, kind):
    data = json.loads(harness.sprof("report", path, "-f", "json", "--weight", kind))
    names = [function["name"] for function in data["functions"]]
    own, total = Counter(), Counter()
    for row in data["flat"]:
        own[names[row["function"]]] += row["self"]["value"]
        total[names[row["function"]]] += row["total"]["value"]
    return own, total


def check(path, kind, unit):
    for got, want in zip(ours(path, kind), top(path, kind, unit)):
        assert sum(want.values()) > 0, f"{path} {kind}: nothing in it"
        harness.same(got, want, what=f"{path} {kind}")


def test_profiles_of_go():
    make_profiles()
    check("cpu.pb.gz", "cpu", "ns")
    check("cpu.pb.gz", "samples", "count")
    for kind, unit in (("inuse_space", "B"), ("inuse_objects", "count"), ("alloc_space", "B"),
                       ("alloc_objects", "count")):
        check("heap.pb.gz", kind, unit)
    text = harness.sprof("report", "cpu.pb.gz", "--no-pager")
    assert "main.inner" in text and "by cpu" in text, text[:500]
    text = harness.sprof("report", "heap.pb.gz", "--no-pager")
    assert "by inuse_space" in text and "MiB" in text, text[:500]
    out = harness.run("sh", "-c", f"{harness.SPROF} report heap.pb.gz --weight kilos 2>&1; echo $?")
    assert "alloc_space" in out and out.endswith("64\n"), out
    out = harness.run("sh", "-c",
                      f"{harness.SPROF} merge -o x.pb.gz heap.pb.gz cpu.pb.gz 2>&1; echo $?; ls x.pb.gz 2>&1; true")
    assert re.search("count different things: .*alloc_objects/count", out) and "cannot access" in out, out
    harness.sprof("report", "heap.pb.gz", "-o", "again.pb.gz")
    for kind, unit in (("inuse_space", "B"), ("alloc_objects", "count")):
        for got, want in zip(top("again.pb.gz", kind, unit), top("heap.pb.gz", kind, unit)):
            harness.same(got, want, what=f"written again: {kind}")


def test_round_trip():
    """Every text report of what Go wrote is the same of what sprof writes of it."""
    make_profiles()
    for name, kinds in (("cpu", ("cpu", "samples")), ("heap", ("inuse_space", "alloc_objects"))):
        for kind in kinds:
            harness.sprof("report", f"{name}.pb.gz", "--weight", kind, "-o", "again.pb.gz")
            for options in ([], ["--report-mode", "both", "--full"], ["--top", "5", "--sort", "total"],
                            ["-f", "folded"], ["-f", "folded", "--threads"]):
                texts = [harness.sprof("report", path, "--no-pager", "--weight", kind, *options)
                         for path in (f"{name}.pb.gz", "again.pb.gz")]
                assert texts[0] == texts[1], f"{name} {kind} {options}"


if __name__ == "__main__":
    harness.main(globals())

#!/usr/bin/env python3
"""Profiles that were built as the sampler builds them, and never were a file: the same figures everywhere.

web-profiles makes them in C, and writes what profile/views/view.h says about them beside what the formats say.
"""

import gzip
import json
import os
from collections import Counter

import go_tool
import harness

WEB_PROFILES = os.environ.get("SPROF_WEB_PROFILES") or harness.skip("SPROF_WEB_PROFILES names no program")
KINDS = [("mixed", 1), *(("timeline", seed) for seed in range(1, 6))]


def make(kind, seed, *formats):
    harness.run(WEB_PROFILES, kind, ".", seed, *formats)
    with open("truth.json", encoding="utf-8") as file:
        return json.load(file)


def tables(truth, weight):
    own, total = Counter(), Counter()
    for row in truth["all"]["functions"]:
        own[row["name"]] += row["self"][weight]
        total[row["name"]] += row["total"][weight]
    return own, total


def ask_speedscope(speedscope, path, scale=1):
    own, total = Counter(), Counter()
    for profile in speedscope.ask(path):
        for table, key in ((own, "self"), (total, "total")):
            for name, value in profile[key].items():
                table[name.strip()] += value * scale
    return own, total


def test_pprof_of_built_profiles():
    for kind, seed in KINDS:
        truth = make(kind, seed, "pprof")
        for weight in ("wall", "wait", "samples"):
            want = tables(truth, weight)
            tolerance = harness.double_error(truth["all"]["whole"][weight]) * 16
            for got, table in zip(go_tool.top("out.pprof", f"-sample_index={weight}"), want):
                harness.same(got, table, tolerance, f"{kind} {seed} {weight}")


def test_speedscope_of_built_profiles():
    speedscope = harness.Speedscope()
    for kind, seed in KINDS:
        truth = make(kind, seed, "speedscope")
        os.rename("out.speedscope", "out.speedscope.json")
        tolerance = harness.double_error(truth["all"]["whole"]["wall"]) * 16
        for got, table in zip(ask_speedscope(speedscope, "out.speedscope.json"), tables(truth, "wall")):
            harness.same(got, table, tolerance, f"{kind} {seed}")
        if kind == "timeline":
            check_sequence(truth)


def check_sequence(truth):
    """In speedscope's order of time, each thread goes from stack to stack as it did."""
    with open("out.speedscope.json", encoding="utf-8") as file:
        data = json.load(file)
    frames = [frame["name"] for frame in data["shared"]["frames"]]
    for thread in truth["threads"]:
        profile, = [one for one in data["profiles"] if f"/{thread['tid']}]" in one["name"]]
        want = [truth["rows"][row]["functions"] for _, row in sorted(truth["samples"])
                if truth["rows"][row]["tid"] == thread["tid"]]
        got = [[frames[frame] for frame in sample] for sample in profile["samples"]]
        assert without_repeats(got) == without_repeats(want)


def without_repeats(items):
    return [item for i, item in enumerate(items) if not i or items[i - 1] != item]


def test_chrome_shows_when():
    """Every sample lasts a ms. A ns per change is that of the caller."""
    speedscope = harness.Speedscope()
    for _, seed in KINDS[1:]:
        truth = make("timeline", seed, "chrome")
        own, total = Counter(), Counter()
        for _, row in truth["samples"]:
            names = truth["rows"][row]["functions"]
            own[names[-1]] += 10 ** 6
            for name in set(names):
                total[name] += 10 ** 6
        os.rename("out.chrome", "out.trace.json")
        for got, want in zip(ask_speedscope(speedscope, "out.trace.json", 1000), (own, total)):
            harness.same(got, want, 4 * len(truth["samples"]), f"seed {seed}")
        check_order(truth)


def test_hostile_names_on_the_timeline():
    """Names of waits and calls: what is written stays what it is, JSON, and shows no control character."""
    make("hostile", 1, "firefox", "chrome", "speedscope", "json", "pprof")
    for name in ("firefox", "chrome", "speedscope", "json"):
        with open(f"out.{name}", "rb") as file:
            data = file.read()
        json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
    with open("out.chrome", encoding="utf-8") as file:
        names = {event.get("name") for event in json.load(file)["traceEvents"]}
    assert "<script>window.hacked=1</script>" in names and not any("\x1b" in name for name in names), names
    tags = harness.run(harness.need("go", "golang-go"), "tool", "pprof", "-tags", "out.pprof")
    assert "wait_object: Total" in tags and "\x1b" not in tags


def check_order(truth):
    """What is open at a sample is its stack."""
    with open("out.trace.json", encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    for thread in truth["threads"]:
        mine = [event for event in events if event["tid"] == thread["tid"] and event["ph"] in "BE"]
        samples = [(time, truth["rows"][row]["functions"]) for time, row in truth["samples"]
                   if truth["rows"][row]["tid"] == thread["tid"]]
        stack, at = [], 0
        for time, names in sorted(samples):
            while at < len(mine) and mine[at]["ts"] * 1000 <= time + 2:
                if mine[at]["ph"] == "B":
                    stack.append(mine[at]["name"])
                else:
                    assert stack.pop() == mine[at]["name"]
                at += 1
            assert stack == names, (time, stack, names)
        assert [event["ph"] for event in mine[at:]] == ["E"] * len(stack)


if __name__ == "__main__":
    harness.main(globals())

#!/usr/bin/env python3
"""speedscope and chrome: speedscope itself loads them, and its schema accepts the one."""

from collections import Counter

import harness
import model
import pprof_file

SPEEDSCOPE = harness.Speedscope()


def add_up(profiles, table):
    total = Counter()
    for profile in profiles:
        total.update(profile[table])
    return {name.strip(): value for name, value in total.items()}


def check(profile, suffix, scale=1, *options):
    """scale: what 1 of the format's unit is in ns."""
    pprof_file.write("in.pb.gz", profile)
    harness.sprof("report", "in.pb.gz", "-o", "out" + suffix, *options)
    weight = options[1] if options else "wall"
    profiles = SPEEDSCOPE.ask("out" + suffix)
    tolerance = harness.double_error(profile.whole(weight)) * 16
    if scale != 1:
        tolerance += 2 * sum(len(profile.names_of(row)) for row in profile.rows)
    for table, want in zip(("self", "total"), profile.tables(weight)):
        got = {name: value * scale for name, value in add_up(profiles, table).items()}
        want = {name.strip(): value for name, value in want.items()}
        harness.same(got, want, tolerance, f"{suffix} {table}")
    return profiles


def test_canonical():
    profiles = check(model.canonical(), ".speedscope.json")
    assert len(profiles) == 5, [profile["name"] for profile in profiles]
    assert profiles[0]["unit"] == "nanoseconds"
    assert any(profile["name"].startswith("wor;ker [4711/4712] wall") for profile in profiles)


def test_worked_example():
    check(model.worked(), ".speedscope.json")
    check(model.worked(), ".trace.json", 1000)


def test_random():
    for seed in harness.RANDOM_SEEDS:
        check(model.make_random(seed), ".speedscope.json")


def test_samples():
    check(model.make_random(2), ".speedscope.json", 1, "--weight", "samples")


def test_schema():
    harness.need_npm("ajv")
    for profile in (model.canonical(), model.make_random(1)):
        pprof_file.write("in.pb.gz", profile)
        harness.sprof("report", "in.pb.gz", "-o", "out.speedscope.json")
        harness.node("check-schema.cjs",
                     f"{harness.NODE_MODULES}/speedscope/dist/release/file-format-schema.json",
                     "out.speedscope.json")


def test_chrome():
    """Times are in microseconds; to a nanosecond per path, which is the gap between siblings."""
    for seed in harness.RANDOM_SEEDS:
        check(model.make_random(seed), ".trace.json", 1000)


def test_chrome_canonical():
    """The one function that is so heavy that doubles don't tell the others apart comes last in its thread."""
    profile = model.canonical()
    pprof_file.write("in.pb.gz", profile)
    harness.sprof("report", "in.pb.gz", "-o", "out.trace.json")
    profiles = SPEEDSCOPE.ask("out.trace.json")
    heavy = {name for row in profile.rows if "hot" in profile.names_of(row) for name in profile.names_of(row)}
    slack = 2 * sum(len(profile.names_of(row)) for row in profile.rows)
    for table, want in zip(("self", "total"), profile.tables("wall")):
        got = {name: value * 1000 for name, value in add_up(profiles, table).items()}
        for name, value in want.items():
            tolerance = slack + (value / 2 ** 50 if name in heavy else 0)
            assert abs(got.get(name.strip(), 0) - value) <= tolerance, (table, name, got.get(name.strip()), value)


if __name__ == "__main__":
    harness.main(globals())

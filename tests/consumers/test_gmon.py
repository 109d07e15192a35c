#!/usr/bin/env python3
"""gmon: gprof's flat profile and call graph are the model's, to its hundredth of a second."""

import os
import re

import harness
import model
import pprof_file
from program import Canonical, Program, UNKNOWN

GPROF = harness.need("gprof", "binutils")
HUNDREDTH = 0.0051


def convert(program, profile, *options):
    pprof_file.write("in.pb.gz", profile, address_of=program.address_of)
    harness.sprof("report", "in.pb.gz", "-o", "gmon.out", *options)


def flat(program):
    """{function: seconds}"""
    got = {}
    for line in harness.run(GPROF, "-b", "-p", program.path, "gmon.out").splitlines():
        match = re.match(r"\s*[\d.]+\s+[\d.]+\s+([\d.]+)\s+.*?(\w+)$", line)
        if match and match[2] in program.symbols:
            got[match[2]] = float(match[1])
    return got


def inclusive(program):
    """{function: seconds with what it calls}, of the call graph."""
    text = harness.run(GPROF, "-b", "-q", program.path, "gmon.out")
    return {match[3]: float(match[1]) + float(match[2]) for match in re.finditer(
        r"^\[\d+\]\s+[\d.]+\s+([\d.]+)\s+([\d.]+)\s+(?:\d+(?:\+\d+)?\s+)?(\w+|<cycle.*>) \[", text,
        re.MULTILINE)}


def in_seconds(table):
    return {name: value / 10 ** 9 for name, value in table.items()}


def test_random():
    program = Program()
    for seed in harness.RANDOM_SEEDS:
        profile = program.make_model(seed, recursion=False)
        convert(program, profile)
        own, total = profile.tables("wall")
        harness.same(flat(program), in_seconds(own), HUNDREDTH, f"self {seed}")
        harness.same(inclusive(program), in_seconds(total), 3 * HUNDREDTH, f"total {seed}")


def test_recursion_keeps_self():
    program = Program()
    for seed in (1, 2, 3):
        profile = program.make_model(seed, recursion=True)
        convert(program, profile)
        harness.same(flat(program), in_seconds(profile.tables("wall")[0]), HUNDREDTH)


def test_canonical():
    """What was spent in the program; of functions that call each other, gprof knows what all of them took."""
    program = Canonical()
    convert(program, program.make())
    known = program.known()
    rows = [row for row in known.rows if known.names_of(row)[-1] != UNKNOWN]
    own, total = map(in_seconds, model.Model(rows, known.threads).tables("wall"))
    even, odd = program.names["even"], program.names["odd"]
    assert total[even] == total.pop(odd)
    total["<cycle 1 as a whole>"] = total.pop(even)
    harness.same(flat(program), own, 3 * HUNDREDTH, "self")
    got = {name: value for name, value in inclusive(program).items() if name not in (even, odd)}
    harness.same(got, total, 3 * HUNDREDTH, "total")


def test_more_ticks_than_a_bin_holds():
    program = Program()
    stack = [[(program.functions["main"], 0)], [(program.functions["f3"], 0)]]
    thread = model.Thread(100, program.path, 100, "prog")
    rows = [model.Row(thread, "user", stack, model.values(200000, user=200 * 10 ** 9)),
            model.Row(thread, "user", stack[:1], model.values(1, user=10 ** 9))]
    convert(program, model.Model(rows, [thread]))
    harness.same(flat(program), {"f3": 200.0, "main": 1.0}, HUNDREDTH)
    convert(program, model.Model(rows, [thread]), "--weight", "samples")
    harness.same(flat(program), {"f3": 200000.0, "main": 1.0}, HUNDREDTH)


def test_counts_beyond_all_bins():
    """A few bytes can't be made to fill the disk: beyond 2^31 the shares are what is right."""
    program = Program()
    thread = model.Thread(100, program.path, 100, "prog")
    rows = [model.Row(thread, "user", [[(program.functions[name], 0)]], model.values(samples))
            for name, samples in (("main", 2 ** 61), ("f3", 2 ** 59))]
    convert(program, model.Model(rows, [thread]), "--weight", "samples")
    assert os.path.getsize("gmon.out") < 4 * 2 ** 20
    got = flat(program)
    assert abs(got["main"] / got["f3"] - 4) < 1e-6, got


def test_other_objects_only():
    """Nothing to write is an error that says so, not an empty file."""
    pprof_file.write("in.pb.gz", model.make_random(1))
    out = harness.run("sh", "-c", f"{harness.SPROF} report in.pb.gz -o gmon.out 2>&1; echo $?; ls")
    assert "gmon: nothing was spent in the program" in out and "2\n" in out and "gmon.out\n" not in out


if __name__ == "__main__":
    harness.main(globals())

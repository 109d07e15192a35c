#!/usr/bin/env python3
"""perf: perf report, perf script and perf data convert have the model's figures, stacks and threads."""

import json
import re
from collections import Counter

import harness
import pprof_file
from program import Canonical, Program, UNKNOWN

PERF = harness.need("perf", "linux-perf")


def convert(program, profile, *options):
    pprof_file.write("in.pb.gz", profile, address_of=program.address_of)
    harness.sprof("report", "in.pb.gz", "-o", "out.perf.data", *options)


def report():
    """{function: period}"""
    text = harness.run(PERF, "report", "-i", "out.perf.data", "--stdio", "-g", "none", "-t", ",",
                       "--max-stack", "1000", "--sort", "sym", "--no-children", "-F",
                       "overhead,period,sym")
    got = Counter()
    for line in text.splitlines():
        words = [word.strip() for word in line.split(",")]
        if len(words) == 3 and words[0].endswith("%"):
            name = re.sub(r"^\[.\] ", "", words[2])
            got[UNKNOWN if re.fullmatch(r"(0x)?[0-9a-f]{16}", name) else name] += int(words[1])
    return got


def stacks_of(program, profile):
    want = Counter()
    for row in profile.rows:
        want[(row.thread.tid, *profile.names_of(row))] += sum(
            value for name, value in row.values.items() if name != "samples")
    return want


def script(program):
    """{(thread, outermost function, ...): period}"""
    text = harness.run(PERF, "script", "-i", "out.perf.data", "-F", "tid,period,ip,sym", "--max-stack",
                       "1000")
    got = Counter()
    for block in text.split("\n\n"):
        lines = block.strip().splitlines()
        if lines:
            tid, period = lines[0].split()[:2]
            names = [line.split()[1] for line in lines[1:]]
            got[(int(tid), *reversed(names))] += int(period.rstrip(":"))
    return got


def test_random():
    program = Program()
    for seed in harness.RANDOM_SEEDS:
        profile = program.make_model(seed, recursion=seed % 2 == 0, heavy=seed == 20)
        convert(program, profile)
        harness.same(report(), profile.tables("wall")[0], what=f"self {seed}")
        harness.same(script(program), stacks_of(program, profile), what=f"stacks {seed}")


def test_canonical():
    """Recursion, two processes, five threads, hostile names of them, and weights beyond 2^53, exactly."""
    program = Canonical()
    convert(program, program.make())
    known = program.known(kernel=True)
    harness.same(report(), known.tables("wall")[0], what="self")
    harness.same(script(program), stacks_of(program, known), what="stacks")
    text = harness.run(PERF, "script", "-i", "out.perf.data", "-F", "comm,pid,tid")
    for thread in program.source.threads[1:2]:
        assert f"{thread.name} {thread.pid}/{thread.tid}" in re.sub(" +", " ", text), text[:300]


def annotate():
    """{function: percent of everything at its instructions}"""
    text = harness.run(PERF, "annotate", "-i", "out.perf.data", "--stdio", "--percent-type", "global-period")
    got, name = Counter(), None
    for line in text.splitlines():
        head = re.search(r" 0*[0-9a-f]+ <(\w+)>:$", line)
        share = re.match(r" +(\d+\.\d\d) :", line)
        if head:
            name = head[1]
        elif share:
            got[name] += float(share[1])
    return got


def test_annotate():
    """The instructions of each function have its share of everything."""
    for seed in (1, 2, 3):
        program = Program()
        profile = program.make_model(seed, recursion=True)
        convert(program, profile)
        own, whole = profile.tables("wall")[0], profile.whole("wall")
        harness.same(annotate(), {name: 100 * value / whole for name, value in own.items()}, 0.0051)


def test_convert():
    program = Program()
    profile = program.make_model(5, recursion=True)
    convert(program, profile)
    harness.run(PERF, "data", "convert", "-i", "out.perf.data", "--to-json", "out.json")
    with open("out.json", encoding="utf-8") as file:
        samples = json.load(file)["samples"]
    assert len(samples) == len(profile.rows)
    names = Counter(tuple(frame.get("symbol") for frame in sample["callchain"]) for sample in samples)
    assert sum(names.values()) == len(profile.rows)


def test_a_run_has_its_time():
    """Samples are in the order of time, from the start to the end of the run."""
    harness.sprof("run", "--rate", "200", "-o", "run.perf.data", "--", "sh", "-c",
                  "i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done; sleep 0.3; "
                  "i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done")
    times = [float(line.strip().rstrip(":")) for line in
             harness.run(PERF, "script", "-i", "run.perf.data", "-F", "time", "--max-stack", "0").splitlines()
             if line.strip()]
    assert times == sorted(times) and times[-1] - times[0] > 0.2, (times[:5], times[-5:])


def test_names_of_threads_and_event():
    program = Program()
    convert(program, program.make_model(1, recursion=True), "--weight", "user")
    text = harness.run(PERF, "script", "-i", "out.perf.data", "-F", "comm,tid,event")
    assert "work er" in text and "user:" in text, text[:300]


if __name__ == "__main__":
    harness.main(globals())

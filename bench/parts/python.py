"""What Python's frames add to a sample: to the pause, and to the profiler's CPU time, at depth 30."""

import glob
import os
import re
import subprocess
import sys

import harness
from figures import Check, Result, Row, Series

RATE = 999
PROGRAM = """
def recursive(depth):
    if depth:
        return recursive(depth - 1)
    print('ready', flush=True)
    while True:
        sum(range(20))
recursive(28)
"""
# The median has steps of some percent; the mean has none.
FIGURES = (("p50", "pause p50", "us", 3), ("mean", "pause, mean", "us", None), ("cpu", "CPU", "us/sample", 5))
CASES = {"native frames only": ("--no-python",), "with Python's": ()}


def is_known(path):
    match = re.fullmatch(r"python3\.(\d+)", os.path.basename(path))
    return match and int(match.group(1)) >= 8


def interpreters():
    """This one, and those of pyenv, by their versions."""
    paths = [os.path.realpath(sys.executable), *glob.glob("/root/.pyenv/versions/*/bin/python3.[0-9]*")]
    found = {}
    for path in filter(is_known, sorted(set(paths))):
        text = subprocess.run([path, "-V"], capture_output=True, text=True, check=True).stdout
        found[text.strip()] = path
    return found


def once(bench, path, seconds, options):
    script = bench.file("deep.py")
    with open(script, "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    with harness.running(["taskset", "-c", str(bench.cpu), path, script]) as process:
        stats, finished = harness.sprof_attach(bench, process, RATE, seconds, "--source", "stop", *options)
    return {
        "p50": stats["stop_ns_p50"] / 1000,
        "mean": stats["stop_ns_total"] / stats["stops"] / 1000,
        "cpu": 1e6 * finished.cpu / stats["samples"],
    }


def add(result, version, figures):
    native, ours = figures.values()
    for name, what, unit, mark in FIGURES:
        more = Series(one[name] - other[name] for one, other in zip(ours, native))
        for case in CASES:
            result.rows.append(Row(f"{version}, {case}: {what}", Series(one[name] for one in figures[case]), unit))
        result.rows.append(Row(f"{version}, added by Python's: {what}", more, unit))
        if mark:
            result.checks.append(Check(f"{what} that Python's frames add, {version}", more.median, mark, "us"))


def measure(bench):
    result = Result("Python's frames", [
        f"A pinned Python program 30 calls deep, {RATE} Hz, by stops, with --python none and without. CPU is that of the",
        "profiler's process from start to end.",
    ])
    for version, path in interpreters().items():
        add(result, version, harness.interleaved(
            bench.rounds, list(CASES), lambda case: once(bench, path, bench.seconds(6, 0.5), CASES[case])))
    return result

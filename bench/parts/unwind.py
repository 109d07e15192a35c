"""What a frame costs, on the same stack copies: sprof, libunwind with its cache, libdwfl."""

import subprocess

import harness
from figures import Check, Result, Row, Series

WAYS = ("sprof", "libunwind", "libdwfl")
STATES = {"warm": "caches filled", "first": "with misses"}


def figures_of(bench, name):
    copies, rounds = bench.seconds(2000, 300), bench.seconds(7, 3)
    with harness.subject(bench, name) as process, harness.load(bench, True):
        arguments = [bench.program("unwind"), str(process.pid), str(copies), "1000", str(rounds)]
        return harness.last_json("".join(
            harness.Finished(arguments, stdout=subprocess.PIPE).output.splitlines()))


def add_rows(result, name, figures):
    for state, words in STATES.items():
        series = {way: Series(figures[way][state]) for way in WAYS}
        result.rows.append(Row(f"{name}, {words}: sprof", series["sprof"], "ns/frame"))
        for way in WAYS[1:]:
            result.rows.append(Row(
                f"{name}, {words}: {way}", series[way], "ns/frame", "sprof", series["sprof"]))


def add_checks(result, name, figures):
    warm, first = Series(figures["sprof"]["warm"]), Series(figures["sprof"]["first"])
    cached = Series(figures["libunwind"]["warm"])
    result.checks.append(Check(f"2. ns a frame, warm, {name}", warm.median, 15, "ns"))
    if not name.startswith("depth"):
        result.checks.append(Check(f"2. ns a frame, with misses, {name}", first.median, 400, "ns"))
    result.checks.append(Check(
        f"2. libunwind's cached time over ours, {name}", cached.over(warm).median, 20, at_least=True))


def add_agreement(result, name, figures):
    for way in WAYS[1:]:
        agree = figures[f"agree_{way}"]
        result.notes.append(
            f"{name}: {agree['same']} of {agree['both']} stacks that both walked to the end agree with "
            f"{way}'s ({figures['copies']} copies, {agree['complete']} complete).")


def measure(bench):
    result = Result("Unwinding", [
        "Stack copies were taken every ms with all CPUs busy; each unwinder walked all of them. With misses: empty caches, files not yet",
        "opened, copies in their original order. libunwind: remote, on the copies, with UNW_CACHE_GLOBAL.",
    ])
    for name in ["python3", "depth 300"] + (["cc1plus"] if harness.cc1plus() else []):
        figures = figures_of(bench, name)
        add_rows(result, name, figures)
        add_checks(result, name, figures)
        add_agreement(result, name, figures)
    return result

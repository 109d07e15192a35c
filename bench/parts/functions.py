"""What it costs to watch functions, allocations and page faults: under sprof, under ltrace, and under bare stops."""

import contextlib
import os
import subprocess

import harness
from figures import Check, Result, Row, Series

OVERHEAD = 5


def calls(bench, *options):
    return [bench.sprof, "calls", "-q", "-F", "work", *options, "-o", bench.file("functions.txt"), "--"]


def heap(bench, *options):
    return [bench.sprof, "heap", "-q", *options, "-o", bench.file("functions.folded"), "--"]


CALLED = {
    "one bare stop": ("trap", lambda bench: []),
    "sprof calls": ("call", lambda bench: calls(bench, "--overhead", "0")),
}
ALLOCATED = {
    "sprof heap --exact": lambda bench: heap(bench, "--exact"),
    "ltrace": lambda bench: ["ltrace", "-c", "-e", "malloc+free", "-o", bench.file("functions.txt")],
}
COMPUTED = {
    "no tracer, computes": lambda bench: [],
    f"sprof heap --rate --overhead {OVERHEAD}": lambda bench: heap(bench, "--rate", "--overhead", str(OVERHEAD)),
}
FAULTED = {
    "no tracer, faults": lambda bench: [],
    "sprof heap --growth": lambda bench: heap(bench, "--growth"),
}
# It needs a package.
OPTIONAL = {"ltrace"}


def nanoseconds(bench, command, mode, count):
    """Of one turn of the loop, by its own clock."""
    finished = harness.Finished([*command, bench.program("functions"), mode, str(count)], stdout=subprocess.PIPE,
                                preexec_fn=lambda: os.sched_setaffinity(0, {bench.cpu}))
    return harness.last_json(finished.output)["elapsed_ns"] / count


def works(bench, command, mode):
    with contextlib.suppress(harness.Failed, OSError):
        return nanoseconds(bench, command, mode, 10) > 0
    return False


def measure_all(bench, cases, count):
    """Of cases that are (mode, command), by name."""
    ready = {name: (mode, make(bench)) for name, (mode, make) in cases.items()}
    found = [name for name, (mode, command) in ready.items() if name not in OPTIONAL or works(bench, command, mode)]
    values = harness.interleaved(
        bench.rounds, found, lambda name: nanoseconds(bench, ready[name][1], ready[name][0], count))
    return {name: Series(each) for name, each in values.items()}


def of_mode(mode, cases):
    return {name: (mode, make) for name, make in cases.items()}


def measure(bench):
    result = Result("Watched functions", [
        "By the clock of the watched program, on one CPU. A call has two stops: its entry and its return.",
    ])
    called = measure_all(bench, CALLED, bench.seconds(50_000, 2_000))
    allocated = measure_all(bench, of_mode("allocate", ALLOCATED), bench.seconds(20_000, 1_000))
    computed = measure_all(bench, of_mode("compute", COMPUTED), bench.seconds(100_000, 10_000))
    faulted = measure_all(bench, of_mode("fault", FAULTED), bench.seconds(2_000_000, 200_000))
    for series, base in ((called, "one bare stop"), (allocated, "ltrace"), (computed, "no tracer, computes"),
                         (faulted, "no tracer, faults")):
        for name, each in series.items():
            has_base = base in series and name != base
            result.rows.append(Row(name, each, "ns", *((base, series[base]) if has_base else ("", None))))
    stops = called["sprof calls"].over(called["one bare stop"]).median / 2
    result.checks.append(Check("a stop at a breakpoint over one bare stop", stops, 1.2))
    if "ltrace" in allocated:
        for name in ALLOCATED:
            if name != "ltrace" and name in allocated:
                result.checks.append(
                    Check(f"ltrace over {name}", allocated["ltrace"].over(allocated[name]).median, 10, at_least=True))
    rate = computed[f"sprof heap --rate --overhead {OVERHEAD}"].over(computed["no tracer, computes"]).median
    result.checks.append(Check("a program under --rate over itself", rate, 1 + OVERHEAD / 100))
    growth = faulted["sprof heap --growth"].over(faulted["no tracer, faults"]).median
    result.checks.append(Check("a loop of page faults under --growth over itself", growth, 1.12))
    return result

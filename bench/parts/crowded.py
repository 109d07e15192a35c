"""Whether a CPU-bound target keeps its share of a machine that has more to do than CPUs."""

import contextlib

import harness
from figures import Result, Row, Series
from parts.inside import title_of
from parts.slowdown import units_for

RATES = (99, 999)


def cases_of(bench):
    names = [name for name in harness.profilers(bench) if name in ("sprof", "perf -g")]
    return [("none", 0), *((name, rate) for name in names for rate in RATES)]


@contextlib.contextmanager
def crowd(bench):
    """As many burning processes as CPUs, on whichever the kernel puts them."""
    with contextlib.ExitStack() as stack:
        for _ in range(len(bench.other_cpus) + 1):
            stack.enter_context(harness.running(bench.free_target("spin")))
        yield


def measure(bench):
    result = Result("Share of a crowded machine", [
        "The same work as above, not pinned, beside one burning process per CPU: its duration shows the target's share of the",
        "CPUs. A single run depends on where the kernel moves the processes: look at the spread.",
    ])
    cases = cases_of(bench)
    target = bench.free_target("work", depth=30, amount=units_for(bench, bench.seconds(3, 0.4)))
    with crowd(bench):
        figures = harness.interleaved(
            2 * bench.rounds, cases, lambda case: harness.PROFILERS[case[0]](bench, case[1], target))
    series = {case: Series(one["elapsed_ns"] / 1e6 for one in figures[case]) for case in cases}
    for case in cases:
        against = ("none", series["none", 0]) if case[0] != "none" else ("", None)
        result.rows.append(Row(title_of(case), series[case], "ms", *against))
    return result

"""How much longer a CPU-bound target needs for the same work, by its own clock."""

import harness
from figures import Result, Row, Series
from parts.inside import cases_of, title_of


def units_for(bench, seconds):
    """So much work takes about so long."""
    probe = 2000
    elapsed = min(harness.PROFILERS["none"](bench, 0, bench.target("work", amount=probe))["elapsed_ns"]
                  for _ in range(5))
    return int(probe * seconds * 1e9 / elapsed)


def measure(bench):
    result = Result("Slowdown", [
        "The duration of a fixed amount of work at depth 30, by the target's own clock. The ratio is to a run without a profiler.",
    ])
    cases = cases_of(bench)
    target = bench.target("work", depth=30, amount=units_for(bench, bench.seconds(3, 0.4)))
    figures = harness.interleaved(
        bench.rounds, cases, lambda case: harness.PROFILERS[case[0]](bench, case[1], target))
    series = {case: Series(one["elapsed_ns"] / 1e6 for one in figures[case]) for case in cases}
    for case in cases:
        against = ("none", series["none", 0]) if case[0] != "none" else ("", None)
        result.rows.append(Row(title_of(case), series[case], "ms", *against))
    return result

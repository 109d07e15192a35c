"""Lost time as the target sees it: the gaps in its own loop on the clock."""

import harness
from figures import Check, Result, Row, Series

RATES = (99, 999)
GAP_NS = 1000


def cases_of(bench):
    names = [name for name in harness.profilers(bench) if name != "none"]
    return [("none", 0)] + [(name, rate) for rate in RATES for name in names]


def title_of(case):
    return case[0] if case[0] == "none" else f"{case[0]}, {case[1]} Hz"


def lost(figures):
    return 100 * figures["lost_ns"] / figures["elapsed_ns"]


def add_checks(result, series):
    none, low, high = series["none", 0], series["sprof", 99], series["sprof", 999]
    result.checks.append(Check(
        "3. at 99 Hz within the spread of none (share lost against none's highest)",
        low.median, none.high, "%"))
    extra = {name: series[name, 999].median - none.median
             for name in ("perf -g", "floor, other CPU") if (name, 999) in series}
    for name, mark in (("perf -g", 1.2), ("floor, other CPU", 0.5)):
        if extra.get(name, 0) > 0:
            result.checks.append(Check(
                f"3. time lost at 999 Hz over that under {name}",
                (high.median - none.median) / extra[name], mark))


def measure(bench):
    result = Result("Time lost, from inside", [
        f"A loop on the clock at depth 30 that sums its gaps of {GAP_NS} ns and more; the ratio is to no profiler at all.",
    ])
    cases = cases_of(bench)
    target = bench.target("gaps", depth=30, amount=int(1000 * bench.seconds(3, 0.5)), gap_ns=GAP_NS)
    figures = harness.interleaved(
        bench.rounds, cases, lambda case: harness.PROFILERS[case[0]](bench, case[1], target))
    series = {case: Series(lost(one) for one in figures[case]) for case in cases}
    for case in cases:
        against = ("none", series["none", 0]) if case[0] != "none" else ("", None)
        result.rows.append(Row(f"{title_of(case)}: lost", series[case], "%", *against))
    for case in cases:
        for quantile in ("p50", "p95", "p99"):
            values = Series(one[quantile] / 1000 for one in figures[case])
            result.rows.append(Row(f"{title_of(case)}: gap {quantile}", values, "us"))
    add_checks(result, series)
    return result

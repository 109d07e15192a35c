"""Lost time as the target sees it: the gaps in its own loop on the clock."""

import harness
from figures import Check, Result, Row, Series

RATES = (99, 999)
GAP_NS = 1000
MARKS = {"perf -g": 1.2, "floor, other CPU": 0.5}
# The second leaves out what other processes took: their turns are longer.
LOST = {"time": "lost_ns", "time in gaps under 400 us": "short_ns"}


def cases_of(bench):
    names = [name for name in harness.profilers(bench) if name != "none"]
    return [("none", 0)] + [(name, rate) for rate in RATES for name in names]


def title_of(case):
    return case[0] if case[0] == "none" else f"{case[0]}, {case[1]} Hz"


def share(figures, name):
    """In percent of the time that the target had its CPU at all, for short gaps; of all time else."""
    base = figures["elapsed_ns"]
    if name == "short_ns":
        base -= figures["lost_ns"] - figures["short_ns"]
    return 100 * figures[name] / base


def add_marks(result, series, what):
    """What a profiler adds to what is lost to nobody, against what the others add."""
    none, ours = series["none", 0], series["sprof", 999]
    for name, mark in MARKS.items():
        # What a stop from another CPU costs is mostly in long gaps.
        if (name, 999) not in series or (name != "perf -g" and what != "time"):
            continue
        extra = series[name, 999].median - none.median
        if extra <= none.high - none.low:
            result.notes.append(f"Too noisy to tell: {what} lost under {name} at 999 Hz is within the spread of none.")
            continue
        result.checks.append(Check(
            f"3. {what} lost at 999 Hz over that under {name}", (ours.median - none.median) / extra, mark))


def measure(bench):
    result = Result("Time lost, from inside", [
        f"An unpinned loop at depth 30 reads the clock and sums all gaps of {GAP_NS} ns and more. The ratio is to a run without a profiler.",
    ])
    cases = cases_of(bench)
    # Where the kernel puts it, as programs are: a pinned one is stopped from its own CPU.
    target = bench.free_target("gaps", depth=30, amount=int(1000 * bench.seconds(3, 0.5)), gap_ns=GAP_NS)
    figures = harness.interleaved(
        bench.rounds, cases, lambda case: harness.PROFILERS[case[0]](bench, case[1], target))
    for what, name in LOST.items():
        series = {case: Series(share(one, name) for one in figures[case]) for case in cases}
        for case in cases:
            against = ("none", series["none", 0]) if case[0] != "none" else ("", None)
            result.rows.append(Row(f"{title_of(case)}: {what} lost", series[case], "%", *against))
        result.checks.append(Check(
            f"3. {what} lost at 99 Hz, at most none's highest", series["sprof", 99].median,
            series["none", 0].high, "%"))
        add_marks(result, series, what)
    for rate in RATES:
        taken = Series(one["taken"] for one in figures["sprof", rate])
        result.rows.append(Row(f"sprof, {rate} Hz: ticks taken, of those planned", taken, "%"))
    for case in cases:
        for quantile in ("p50", "p95", "p99"):
            values = Series(one[quantile] / 1000 for one in figures[case])
            result.rows.append(Row(f"{title_of(case)}: gap {quantile}", values, "us"))
    return result

"""Samples by timers in the kernel against samples by stops: what each costs the target, and what it takes itself."""

import contextlib

import harness
from figures import Check, Result, Row, Series
from parts.cost import perf
from parts.crowded import crowd
from parts.inside import GAP_NS, share

RATES = (99, 999)
SOURCES = {"kernel": ("--source", "kernel"), "stops": ("--source", "stop")}
MANY = 64
LIMITS = {99: 30, 999: 10}  # us of CPU a sample


def profilers(bench):
    found = {name: harness.under_sprof(*options) for name, options in SOURCES.items()}
    if harness.has_perf(bench):
        found["perf -g"] = harness.PROFILERS["perf -g"]
    return found


@contextlib.contextmanager
def nobody(_bench):
    yield


@contextlib.contextmanager
def all_busy(bench):
    with harness.load(bench, True):
        yield


def add_lost(bench, result, name, others):
    """The gaps that a loop on the clock has, beyond those that it has without a profiler."""
    tools = {"none": harness.PROFILERS["none"], **profilers(bench)}
    cases = [("none", 0), *((tool, rate) for tool in tools if tool != "none" for rate in RATES)]
    target = bench.free_target("gaps", depth=30, amount=int(1000 * bench.seconds(3, 0.5)), gap_ns=GAP_NS)
    with others(bench):
        figures = harness.interleaved(bench.rounds, cases, lambda case: tools[case[0]](bench, case[1], target))
    # Turns of other processes are longer than any pause: they say nothing of the profiler.
    series = {case: Series(share(one, "short_ns") for one in figures[case]) for case in cases}
    for case in cases:
        result.rows.append(Row(f"{name}: {case[0]} {case[1] or ''}: lost in gaps under 400 us", series[case], "%"))
    none = series["none", 0]
    for tool in SOURCES:
        mark = f"6. {tool}, {name}: time lost"
        if ("perf -g", 999) in series:
            extra = series["perf -g", 999].minus(none)
            result.checks.append(Check(
                f"{mark} at 999 Hz over that under perf -g", series[tool, 999].minus(none).over(extra).median, 1.2))
        result.checks.append(Check(f"{mark} at 99 Hz, at most none's highest", series[tool, 99].median, none.high, "%"))


def attached(options):
    def run(bench, process, rate, seconds):
        stats, finished = harness.sprof_attach(bench, process, rate, seconds, *options)
        return {"cpu": 1e6 * finished.cpu / stats["samples"]}
    return run


def add_cost(bench, result, rate):
    """User and system time of the profiler, end to end, per sample."""
    tools = {name: attached(options) for name, options in SOURCES.items()}
    if harness.has_perf(bench):
        tools["perf dwarf + script"] = perf
    with harness.subject(bench, "depth 30") as process:
        figures = harness.interleaved(
            min(bench.rounds, 3), list(tools), lambda tool: tools[tool](bench, process, rate, bench.seconds(10, 1)))
    series = {tool: Series(one["cpu"] for one in figures[tool]) for tool in tools}
    for tool, values in series.items():
        result.rows.append(Row(f"{rate} Hz: {tool}, CPU end to end", values, "us/sample"))
    result.checks.append(Check(
        f"6. kernel: us of CPU a sample, end to end, {rate} Hz", series["kernel"].median, LIMITS[rate], "us"))
    if "perf dwarf + script" in series:
        result.checks.append(Check(
            f"6. kernel: CPU a sample over that of perf record dwarf + script, {rate} Hz",
            series["kernel"].over(series["perf dwarf + script"]).median, 0.25))


def add_many(bench, result):
    """Running threads, more than CPUs."""
    tools = profilers(bench)
    tools.pop("perf -g", None)
    target = bench.free_target("work", busy=MANY, amount=bench.seconds(6000, 800))
    figures = harness.interleaved(
        min(bench.rounds, 3), list(tools), lambda tool: tools[tool](bench, 999, target))
    cpu = {tool: Series(100 * one["profiler_cpu"] / one["elapsed_ns"] * 1e9 for one in figures[tool]) for tool in tools}
    for tool in tools:
        result.rows.append(Row(f"{MANY} running threads, 999 Hz: {tool}, profiler CPU", cpu[tool], "% of a CPU"))
        result.rows.append(Row(f"{MANY} running threads, 999 Hz: {tool}, ticks taken",
                               Series(one["taken"] for one in figures[tool]), "%"))
    result.checks.append(Check(
        f"6. kernel: CPU of {MANY} running threads at 999 Hz over that of stops",
        cpu["kernel"].over(cpu["stops"]).median, 0.5))
    result.checks.append(Check(
        f"6. kernel: ticks taken of {MANY} running threads at 999 Hz",
        Series(one["taken"] for one in figures["kernel"]).low, 100, "%", at_least=True))


def measure(bench):
    result = Result("Sources of running threads' samples", [
        "Timers in the kernel (--source kernel) and stops (--source ptrace). Lost: as in the part on lost time, for gaps under",
        "400 us; alone, beside a burning process on the other CPU, and beside one per CPU.",
    ])
    for name, others in (("alone", nobody), ("CPUs busy", all_busy), ("crowded", crowd)):
        add_lost(bench, result, name, others)
    for rate in RATES:
        add_cost(bench, result, rate)
    add_many(bench, result)
    return result

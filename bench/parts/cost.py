"""The profiler's own CPU per sample, from the stop to the written file."""

import subprocess

import harness
from figures import Check, Result, Row, Series

RATES = (99, 999)


def sprof(bench, process, rate, seconds):
    stats, finished = harness.sprof_attach(bench, process, rate, seconds)
    return {
        "cpu": 1e6 * finished.cpu / stats["samples"],
        "told": stats["profiler_cpu_ns"] / 1e3 / stats["samples"],
        "samples": stats["samples"],
    }


def floor(bench, process, rate, seconds):
    """A bare stop from the CPU where sprof is when the others are idle."""
    cpu = bench.other_cpus[0] if bench.other_cpus else bench.cpu
    pauses = harness.floor_attach(bench, process, rate, seconds, cpu)
    return {"cpu": 1e6 * pauses["cpu"] / pauses["stops"]}


def perf(bench, process, rate, seconds):
    data = bench.file("cost.data")
    record = harness.Finished([
        *harness.PERF, "-F", str(rate), "--call-graph", "dwarf", "-o", data, "-p", str(process.pid), "--",
        "sleep", str(seconds)])
    script = harness.Finished(["perf", "script", "-i", data], stdout=subprocess.DEVNULL)
    times = harness.Finished(["perf", "script", "-i", data, "-F", "time", "-G"], stdout=subprocess.PIPE)
    samples = sum(1 for line in times.output.splitlines() if line.strip())
    if not samples:
        raise harness.Failed("perf took no samples")
    return {
        "cpu": 1e6 * (record.cpu + script.cpu) / samples,
        "record": 1e6 * record.cpu / samples,
        "samples": samples,
    }


def series_of(figures, name):
    return Series(one[name] for one in figures)


def add_rows(result, rate, figures):
    ours = series_of(figures["sprof"], "cpu")
    head = f"{rate} Hz: "
    result.rows.append(Row(head + "sprof, end to end, by the kernel's account", ours, "us/sample"))
    result.rows.append(Row(
        head + "sprof, as --stats says", series_of(figures["sprof"], "told"), "us/sample", "the kernel's account", ours))
    result.rows.append(Row(
        head + "a bare stop: interrupt, wait, registers, continue", series_of(figures["floor"], "cpu"), "us/stop",
        "sprof", ours))
    result.checks.append(Check(f"4. us of CPU a sample, end to end, {rate} Hz", ours.median, 30, "us"))
    if "perf" in figures:
        theirs = series_of(figures["perf"], "cpu")
        result.rows.append(Row(head + "perf record dwarf + script", theirs, "us/sample", "sprof", ours))
        result.rows.append(Row(
            head + "perf record dwarf alone", series_of(figures["perf"], "record"), "us/sample", "sprof", ours))
        result.checks.append(Check(
            f"4. CPU a sample over that of perf record dwarf + script, {rate} Hz",
            ours.over(theirs).median, 0.25))
    samples = Series(one["samples"] for one in figures["sprof"])
    result.rows.append(Row(head + "samples taken by sprof", samples, "samples"))


def measure(bench):
    tools, seconds = {"sprof": sprof, "floor": floor}, bench.seconds(10, 1)
    if harness.has_perf(bench):
        tools["perf"] = perf
    result = Result("Profiler CPU per sample", [
        "User and system time of the profiler's processes from start to end (including symbols, names and files), divided by the number",
        "of samples, for a target that spins at depth 30. For comparison: the cost of a bare stop.",
    ])
    for rate in RATES:
        with harness.subject(bench, "depth 30") as process:
            figures = harness.interleaved(
                min(bench.rounds, 3), list(tools), lambda tool: tools[tool](bench, process, rate, seconds))
        add_rows(result, rate, figures)
    return result

"""One tracer that goes where the threads are, against one that is pinned to each CPU and seizes for each stop."""

import json
import os
import subprocess

import harness
from figures import Result, Row, Series
from parts.slowdown import units_for

BUSY = (1, 2, 8, 64)
RATES = (99, 999)


def alone(bench, target, rate):
    return {"elapsed": harness.PROFILERS["none"](bench, rate, target)["elapsed_ns"] / 1e6}


def sampled(process, tracer):
    """The work of the target, while the tracer is at it, and what the tracer used for it."""
    harness.say(process)
    elapsed = harness.last_json(process.stdout.readline())["elapsed_ns"]
    process.stdin.close()
    process.wait()
    output = tracer.stdout.read() if tracer.stdout else ""
    _, status, usage = os.wait4(tracer.pid, 0)
    tracer.returncode = os.waitstatus_to_exitcode(status)
    if tracer.returncode:
        raise harness.Failed(f"the tracer: exit {tracer.returncode}")
    cpu = (usage.ru_utime + usage.ru_stime) * 1e9 / elapsed
    return {"elapsed": elapsed / 1e6, "cpu": 100 * cpu}, output


def by_sprof(bench, target, rate):
    stats = bench.file("tracers.json")
    with harness.running(target) as process:
        tracer = subprocess.Popen([
            bench.sprof, "attach", "-q", "--source", "stop", "-p", str(process.pid), "-r", str(rate), "-f", "folded",
            "-o", bench.file("tracers.folded"), "--stats", stats])
        harness.wait_until_traced(process)
        figures, _ = sampled(process, tracer)
    with open(stats, encoding="utf-8") as file:
        told = json.load(file)
    seconds = figures["elapsed"] / 1e3
    return {**figures, "stops": told["stops"] / seconds,
            **{name: told[f"stop_ns_{name}"] / 1e3 for name in ("p50", "p95", "p99")}}


def by_each_cpu(bench, target, rate):
    with harness.running(target) as process:
        tracer = subprocess.Popen(
            [bench.program("percpu"), "-p", str(process.pid), "-r", str(rate)], stdout=subprocess.PIPE, text=True)
        tracer.stdout.readline()
        figures, output = sampled(process, tracer)
    told = harness.last_json(output)
    seconds = figures["elapsed"] / 1e3
    return {**figures, "stops": told["stops"] / seconds,
            **{name: told[name] / 1e3 for name in ("p50", "p95", "p99")}}


TRACERS = {"none": alone, "sprof": by_sprof, "one per CPU": by_each_cpu}
FIGURES = {"cpu": "% of a CPU", "stops": "1/s", "p50": "us", "p95": "us", "p99": "us"}


def add_rows(result, head, series):
    for name in TRACERS:
        against = ("none", series["none", "elapsed"]) if name != "none" else ("", None)
        result.rows.append(Row(f"{head}: {name}, work", series[name, "elapsed"], "ms", *against))
    for name in ("sprof", "one per CPU"):
        for figure, unit in FIGURES.items():
            what = "profiler CPU" if figure == "cpu" else "stops" if figure == "stops" else f"pause {figure}"
            result.rows.append(Row(f"{head}: {name}, {what}", series[name, figure], unit))


def measure(bench):
    result = Result("Where the tracer is", [
        "Busy threads at depth 30 on all CPUs, with the same total work. sprof is one tracer that stays attached; the other one is",
        "a prototype that stops, copies and detaches, and does not unwind, name or write anything.",
    ])
    units = units_for(bench, bench.seconds(2, 0.3))
    for busy in BUSY:
        target = bench.free_target("work", depth=30, busy=busy, amount=max(units * 2 // max(busy, 2), 1))
        for rate in RATES:
            figures = harness.interleaved(
                min(bench.rounds, 3), list(TRACERS), lambda name: TRACERS[name](bench, target, rate))
            series = {(name, figure): Series(one[figure] for one in values)
                      for name, values in figures.items() for figure in values[0]}
            add_rows(result, f"{busy} busy, {rate} Hz", series)
    return result

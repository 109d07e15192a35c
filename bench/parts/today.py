"""What a user does without a profiler that can be attached: a debugger, once per sample."""

import shutil
import time

import harness
from figures import Result, Row, Series

GAP_NS = 1000
OURS = "sprof attach, 99 Hz"


def commands():
    """{name: command for a process id}, of those that are installed."""
    all_of_them = {
        "eu-stack": lambda pid: ["eu-stack", "-p", pid],
        "gdb": lambda pid: ["gdb", "-nx", "-p", pid, "-batch", "-ex", "thread apply all bt"],
    }
    return {name: command for name, command in all_of_them.items() if shutil.which(name)}


def tools_of(bench, times):
    """{name: what takes samples of a process and returns how many}"""
    def attach(process):
        return harness.sprof_attach(bench, process, 99, bench.seconds(3, 1))[0]["samples"]

    def repeat(command):
        def call(process):
            for _ in range(times):
                harness.Finished(command(str(process.pid)), stdout=-3)
            return times
        return call

    def nobody(process):
        time.sleep(1)  # to be left alone is what is measured
        return 1

    tools = {"nobody": nobody, OURS: attach, "sprof dump": repeat(lambda pid: [bench.sprof, "dump", "-p", pid])}
    tools.update((name, repeat(command)) for name, command in commands().items())
    return tools


def once(bench, take):
    """A target of its own, and samples of it."""
    target = bench.target("gaps", depth=30, amount=0, gap_ns=GAP_NS)
    with harness.running(target) as process:
        harness.say(process)
        harness.wait_until_at_work(process)
        begin = time.monotonic()
        samples = take(process)
        taken = time.monotonic() - begin
        harness.terminate(process)
        figures = harness.last_json(process.stdout.readline())
    return {"taken": 1e3 * taken / samples, "samples": samples, **figures}


def series_of(figures, share):
    return {
        "a sample takes": Series(one["taken"] for one in figures),
        "target still, per sample": Series(
            max(one["lost_ns"] - share * one["elapsed_ns"], 0) / one["samples"] / 1e6 for one in figures),
        "longest gap": Series(one["max"] / 1e6 for one in figures),
    }


def measure(bench):
    times = bench.seconds(10, 2)
    result = Result("What a user does today", [
        f"Each tool is called {times} times in a row on a target at depth 30. Still: the time per sample that the target lost by its own clock,",
        "minus its loss without a profiler in the same time.",
    ])
    tools = tools_of(bench, times)
    figures = harness.interleaved(min(bench.rounds, 3), list(tools), lambda name: once(bench, tools[name]))
    share = Series(one["lost_ns"] / one["elapsed_ns"] for one in figures.pop("nobody")).median
    series = {name: series_of(figures[name], share) for name in figures}
    for name, of_tool in series.items():
        for what, values in of_tool.items():
            against = (OURS, series[OURS][what]) if name != OURS else ("", None)
            result.rows.append(Row(f"{name}: {what}", values, "ms", *against))
    return result

"""What a user does without a profiler that can be attached: a debugger, once per sample."""

import shutil
import time

import harness
from figures import Result, Row, Series

GAP_NS = 1000


def tools_of(bench):
    """{name: command for a process id}"""
    tools = {
        "sprof dump": lambda pid: [bench.sprof, "dump", "-p", pid],
        "eu-stack": lambda pid: ["eu-stack", "-p", pid],
        "gdb": lambda pid: ["gdb", "-nx", "-p", pid, "-batch", "-ex", "thread apply all bt"],
    }
    return {name: tools[name] for name in tools if name == "sprof dump" or shutil.which(name)}


def repeat(command, process, times):
    """Seconds of each call."""
    taken = []
    for _ in range(times):
        taken.append(harness.Finished(command(str(process.pid)), stdout=-3).wall)
    return taken


def once(bench, command, times):
    """One target, sampled so many times: its figures and how long it ran."""
    target = bench.target("gaps", depth=30, amount=0, gap_ns=GAP_NS)
    with harness.running(target) as process:
        harness.say(process)
        time.sleep(0.2)
        taken = repeat(command, process, times) if command else [time.sleep(1)]
        harness.terminate(process)
        figures = harness.last_json(process.stdout.readline())
    return {"taken": taken, **figures}


def measure(bench):
    tools, times = tools_of(bench), bench.seconds(10, 2)
    result = Result("What a user does today", [
        f"Each called {times} times in a row on a target at depth 30. Still: what the target lost by its own clock per call,",
        "less what it loses to nobody in the same time.",
    ])
    cases = {None: None, **tools}
    figures = harness.interleaved(
        min(bench.rounds, 3), list(cases), lambda name: once(bench, cases[name], times))
    share = Series(one["lost_ns"] / one["elapsed_ns"] for one in figures[None]).median
    first = {}
    for name in tools:
        series = {
            "a sample takes": Series(1e3 * sum(one["taken"]) / times for one in figures[name]),
            "target still": Series(
                max(one["lost_ns"] - share * one["elapsed_ns"], 0) / times / 1e6 for one in figures[name]),
            "longest gap": Series(one["max"] / 1e6 for one in figures[name]),
        }
        for what, values in series.items():
            base = first.setdefault(what, values)
            against = ("sprof dump", base) if base is not values else ("", None)
            result.rows.append(Row(f"{name}: {what}", values, "ms", *against))
    return result

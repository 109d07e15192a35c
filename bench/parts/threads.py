"""Many threads of which one is busy: what the others cost, and whether they are left alone."""

import json
import os
import subprocess
import time

import harness
from figures import Check, Result, Row, Series
from parts.slowdown import units_for

COUNTS = (1, 10, 100, 1000)
RATE = 99
SETTLED = 1.0  # seconds after which no sleeper may be stopped


def schedstat(process):
    """{thread id: (ns on a CPU, time slices)}"""
    folder = f"/proc/{process.pid}/task"
    found = {}
    for tid in os.listdir(folder):
        with open(f"{folder}/{tid}/schedstat", encoding="ascii") as file:
            figures = file.read().split()
        found[int(tid)] = int(figures[0]), int(figures[2])
    return found


def slices_of_sleepers(process):
    """Of each thread but the first: a stop and its continuation are two of them."""
    return sum(slices for tid, (_, slices) in schedstat(process).items() if tid != process.pid)


def cpu_seconds(process):
    return sum(ns for ns, _ in schedstat(process).values()) / 1e9


def profiled(bench, target):
    """One run under sprof: its figures, and how often sleepers ran after the first second."""
    with harness.running(target) as process:
        arguments = [bench.sprof, "attach", "-q", "-p", str(process.pid), "-r", str(RATE), "-f", "folded",
                     "-o", bench.file("threads.folded"), "--stats", bench.file("threads.json")]
        profiler = subprocess.Popen(arguments)
        harness.wait_until_traced(process)
        harness.say(process)
        time.sleep(SETTLED)  # a time without any stop is what is measured behind it
        before = time.monotonic(), cpu_seconds(profiler), slices_of_sleepers(process)
        elapsed = harness.last_json(process.stdout.readline())["elapsed_ns"]
        after = time.monotonic(), cpu_seconds(profiler), slices_of_sleepers(process)
        process.stdin.close()
        _, status, usage = os.wait4(profiler.pid, 0)
        profiler.returncode = os.waitstatus_to_exitcode(status)
    if profiler.returncode:
        raise harness.Failed(f"sprof: exit {profiler.returncode}")
    with open(bench.file("threads.json"), encoding="utf-8") as file:
        stats = json.load(file)
    seconds = stats["duration_ns"] / 1e9
    return {
        "elapsed": elapsed / 1e6,
        "stops": stats["stops"] / seconds,
        "cpu": 100 * (usage.ru_utime + usage.ru_stime) / seconds,
        "steady": 100 * (after[1] - before[1]) / (after[0] - before[0]),
        "woken": after[2] - before[2],
    }


def alone(bench, target):
    return {"elapsed": harness.PROFILERS["none"](bench, 0, target)["elapsed_ns"] / 1e6}


def measure_count(bench, count, units):
    target = bench.target("work", threads=count, depth=30, amount=units)
    runs = {"none": alone, "sprof": profiled}
    figures = harness.interleaved(
        min(bench.rounds, 3), list(runs), lambda name: runs[name](bench, target))
    under = {name: Series(one[name] for one in figures["sprof"]) for name in figures["sprof"][0]}
    under["none"] = Series(one["elapsed"] for one in figures["none"])
    return under


def measure(bench):
    result = Result("Threads", [
        f"One busy thread; the others wait for a lock; {RATE} Hz. Sleepers woken: the time slices of all sleeping threads together,",
        "by the kernel's count, from the end of the first second to the end of the work.",
    ])
    units = units_for(bench, bench.seconds(6, 1.6))
    for count in COUNTS:
        figures = measure_count(bench, count, units)
        head = f"{count} thread{'' if count == 1 else 's'}: "
        result.rows.append(Row(head + "stops a second", figures["stops"], "1/s"))
        result.rows.append(Row(head + "profiler CPU, all of it", figures["cpu"], "% of a CPU"))
        result.rows.append(Row(head + "profiler CPU after the first second", figures["steady"], "% of a CPU"))
        result.rows.append(Row(head + "work", figures["elapsed"], "ms", "none", figures["none"]))
        result.rows.append(Row(head + "sleepers woken", figures["woken"], "time slices"))
    result.checks.append(Check(
        "5. time slices of 999 sleepers after the first second", figures["woken"].high, 0, ""))
    result.checks.append(Check(
        "5. CPU at 99 Hz with 1000 threads, after the first second", figures["steady"].median, 3, "%"))
    return result

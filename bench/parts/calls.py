"""What a traced system call costs: under sprof, under other tracers, and under two bare stops."""

import contextlib
import os
import subprocess

import harness
from figures import Check, Result, Row, Series

# These stop each call of the target. What is chosen below it never makes, so that it is to run at full speed.
OTHER = "openat"
EVENTS = ("-e", "syscalls:sys_enter_getppid", "-e", "syscalls:sys_exit_getppid")
TRACED = {
    "sprof syscalls": lambda bench: [
        bench.sprof, "syscalls", "-q", "--source", "ptrace", "-o", bench.file("calls.folded"), "--"],
    "sprof trace": lambda bench: [
        bench.sprof, "trace", "-q", "--source", "ptrace", "-o", bench.file("calls.txt"), *EVENTS, "--"],
    "strace -c": lambda bench: ["strace", "-c", "-f", "-o", bench.file("calls.txt")],
    "perf trace -s": lambda bench: ["perf", "trace", "-s", "-o", bench.file("calls.txt"), "--"],
}
CHOSEN = {
    "sprof syscalls -e": lambda bench: [
        bench.sprof, "syscalls", "-q", "--source", "ptrace", "-e", OTHER, "-o", bench.file("calls.folded"), "--"],
    "strace --seccomp-bpf -c -e": lambda bench: [
        "strace", "--seccomp-bpf", "-f", "-c", "-e", OTHER, "-o", bench.file("calls.txt")],
}
# The kernel writes these down; the rings are read on the target's own CPU, too. Mounted for this run only.
WRITTEN = {
    "sprof trace, tracepoints": lambda bench: [
        "unshare", "-m", "sh", "-c",
        'test -d /sys/kernel/tracing/events || mount -t tracefs nodev /sys/kernel/tracing && exec "$@"', "sh",
        bench.sprof, "trace", "-q", "--source", "perf", "-o", bench.file("calls.txt"), *EVENTS, "--"],
}
FLOOR = {"two bare stops": lambda bench: []}
FREE = {"no tracer": lambda bench: []}
OPTIONAL = {"strace -c", "perf trace -s", "strace --seccomp-bpf -c -e", *WRITTEN}


def nanoseconds(bench, name, count):
    """Of one call, by the clock of the program that makes them."""
    mode = "stopped" if name in FLOOR else "free"
    command = {**FREE, **FLOOR, **TRACED, **CHOSEN, **WRITTEN}[name](bench)
    target = [bench.program("calls"), mode, str(count)]
    finished = harness.Finished([*command, *target], stdout=subprocess.PIPE,
                                preexec_fn=lambda: os.sched_setaffinity(0, {bench.cpu}))
    return harness.last_json(finished.output)["elapsed_ns"] / count


def works(bench, name):
    with contextlib.suppress(harness.Failed, OSError):
        return nanoseconds(bench, name, 10) > 0
    return False


def measure_all(bench, names, count):
    found = [name for name in names if name not in OPTIONAL or works(bench, name)]
    values = harness.interleaved(bench.rounds, found, lambda name: nanoseconds(bench, name, count))
    return {name: Series(each) for name, each in values.items()}


def add_rows(result, series, base):
    for name, each in series.items():
        against = (base, series[base]) if name != base else ("", None)
        result.rows.append(Row(name, each, "ns", *against))


def measure(bench):
    result = Result("A traced system call", [
        "One getppid(2), by the clock of the program, on one CPU. The program makes none of the chosen calls.",
    ])
    traced = measure_all(bench, [*FLOOR, *TRACED], bench.seconds(100_000, 5_000))
    free = measure_all(bench, [*FREE, *CHOSEN, *WRITTEN], bench.seconds(2_000_000, 100_000))
    add_rows(result, traced, "two bare stops")
    add_rows(result, free, "no tracer")
    for name, text, series, base, mark in (
            ("sprof syscalls", "a traced call over two bare stops", traced, "two bare stops", 1.2),
            ("sprof trace", "a traced call of sprof trace over two bare stops", traced, "two bare stops", 1.2),
            ("sprof syscalls -e", "a call that is not chosen over an untraced one", free, "no tracer", 1.3)):
        result.checks.append(Check(text, series[name].over(series[base]).median, mark))
    for name, series in (("strace -c", traced), ("perf trace -s", traced), ("strace --seccomp-bpf -c -e", free)):
        own = "sprof syscalls" if series is traced else "sprof syscalls -e"
        if name in series:
            result.checks.append(Check(f"{own} over {name}", series[own].over(series[name]).median, 1))
    return result

"""Processes for the benches: targets, profilers and the other CPUs' load, and what each of them cost.

Knows how every profiler is started and asked for its figures; what is compared with what is in parts/.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT = 60  # seconds after which what has not happened never will
QUIET = {**os.environ, "DEBUGINFOD_URLS": ""}


class Failed(Exception):
    """A program of the bench did not do what it is for."""


class Bench:
    """What all parts share: the programs, how long and how often, and where on the machine."""

    def __init__(self, build, quick, folder, sprof=None):
        self.sprof = sprof or os.path.join(build, "cmd/sprof")
        self.programs = os.path.join(build, "bench")
        self.folder = folder
        self.quick = quick
        self.rounds = 1 if quick else 5
        cpus = sorted(os.sched_getaffinity(0))
        self.cpu = cpus[-1]
        self.other_cpus = cpus[:-1]

    def program(self, name):
        return os.path.join(self.programs, name)

    def file(self, name):
        return os.path.join(self.folder, name)

    def seconds(self, full, quick):
        return quick if self.quick else full

    def target(self, mode, **options):
        """The command of the C target, pinned to the measured CPU."""
        return self.free_target(mode, **options) + ["-c", str(self.cpu)]

    def free_target(self, mode, **options):
        """The same, on whichever CPUs the kernel finds for it."""
        letters = {"depth": "-d", "threads": "-t", "busy": "-b", "amount": "-n", "gap_ns": "-g"}
        arguments = [self.program("target"), mode]
        for name, value in options.items():
            arguments += [letters[name], str(value)]
        return arguments


@contextlib.contextmanager
def scratch(bench_of):
    with tempfile.TemporaryDirectory(prefix="sprof-bench-") as folder:
        yield bench_of(folder)


def end(process):
    """Ends a process that we started, and everything it holds of ours."""
    if process.poll() is None:
        process.kill()
    for stream in (process.stdin, process.stdout):
        if stream:
            with contextlib.suppress(OSError):
                stream.close()
    process.wait()


@contextlib.contextmanager
def running(arguments, **options):
    """A process that says "ready" when it is, and ends with the block."""
    process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                               env=QUIET, **options)
    try:
        line = process.stdout.readline()
        if not line.startswith("ready"):
            raise Failed(f"{os.path.basename(arguments[0])} did not start")
        yield process
    finally:
        end(process)


def say(process, line=""):
    process.stdin.write(line + "\n")
    process.stdin.flush()


@contextlib.contextmanager
def load(bench, busy):
    """One burning process on each CPU but the measured one."""
    with contextlib.ExitStack() as stack:
        for cpu in bench.other_cpus if busy else ():
            arguments = [bench.program("target"), "spin", "-c", str(cpu)]
            stack.enter_context(running(arguments))
        yield


def cc1plus():
    """The compiler proper, or None."""
    with contextlib.suppress(OSError, subprocess.CalledProcessError):
        path = subprocess.run(["gcc", "-print-prog-name=cc1plus"], capture_output=True, text=True,
                              check=True).stdout.strip()
        return path if os.path.isabs(path) else None
    return None


def preprocessed(bench):
    path = bench.file("workload.ii")
    if not os.path.exists(path):
        subprocess.run(["g++", "-E", "-O2", os.path.join(HERE, "workload.cc"), "-o", path], check=True)
    return path


@contextlib.contextmanager
def pinned(bench, process):
    os.sched_setaffinity(process.pid, {bench.cpu})
    try:
        wait_until_at_work(process)
        yield process
    finally:
        end(process)


@contextlib.contextmanager
def subject(bench, name):
    """A process to look at: "depth N" of C, "python3" or "cc1plus", pinned to the measured CPU."""
    if name.startswith("depth"):
        with running(bench.target("spin", depth=name.split()[1])) as process:
            yield process
        return
    if name == "python3":
        arguments = [os.path.realpath(sys.executable), os.path.join(HERE, "workload.py")]
    else:
        arguments = [cc1plus(), "-quiet", "-O2", "-fpreprocessed", preprocessed(bench), "-o", "/dev/null"]
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with pinned(bench, process):
        yield process


class Finished:
    """A process that has ended: its CPU time by the kernel's account, and what it printed."""

    def __init__(self, arguments, **options):
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("stderr", subprocess.PIPE)
        begin = time.monotonic()
        process = subprocess.Popen(arguments, text=True, env=QUIET, **options)
        self.output, errors = "", ""
        with contextlib.ExitStack() as stack:
            if process.stdout:
                self.output = stack.enter_context(process.stdout).read()
            if process.stderr:
                errors = stack.enter_context(process.stderr).read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.wall = time.monotonic() - begin
        self.cpu = usage.ru_utime + usage.ru_stime
        if process.returncode:
            raise Failed(f"{' '.join(arguments[:3])}: exit {process.returncode}: {errors.strip()[-300:]}")


def last_json(text):
    for line in reversed(text.splitlines()):
        if line.startswith("{"):
            return json.loads(line)
    raise Failed("the target printed no figures")


def sprof_attach(bench, process, rate, seconds, *options):
    """(--stats, Finished) of an attached run with everything that the main job does."""
    arguments = [bench.sprof, "attach", "-q", "-p", str(process.pid), "-r", str(rate), "-d", f"{seconds}s",
                 "-f", "folded", "-o", bench.file("attach.folded"), "--stats", bench.file("attach.json"), *options]
    finished = Finished(arguments)
    with open(bench.file("attach.json"), encoding="utf-8") as file:
        return json.load(file), finished


def wait_until(condition, what):
    """Polls for what the kernel sends no word of."""
    end = time.monotonic() + LIMIT
    while not condition():
        if time.monotonic() > end:
            raise Failed(f"never happened: {what}")
        time.sleep(0.005)


def is_traced(process):
    """Whether each of its threads is."""
    folder = f"/proc/{process.pid}/task"
    for tid in os.listdir(folder):
        with open(f"{folder}/{tid}/status", encoding="utf-8") as file:
            if "TracerPid:\t0\n" in file.read():
                return False
    return True


def wait_until_traced(process):
    wait_until(lambda: is_traced(process), "a tracer has all threads")


def cpu_seconds_of(process):
    with open(f"/proc/{process.pid}/stat", encoding="utf-8") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_until_at_work(process):
    """Until its start is behind it."""
    wait_until(lambda: cpu_seconds_of(process) > 0.2, "the target computes")


def floor_attach(bench, process, rate, seconds, cpu):
    """The floor's pauses, and in "cpu" what it used itself, in seconds."""
    arguments = [bench.program("floor"), "-p", str(process.pid), "-c", str(cpu), "-r", str(rate),
                 "-d", str(seconds)]
    finished = Finished(arguments, stdout=subprocess.PIPE)
    return {**last_json(finished.output), "cpu": finished.cpu}


# How each profiler is wrapped around a command of the target that measures itself.

def launcher(arguments_of):
    def run(bench, rate, target):
        return last_json(Finished(arguments_of(bench, rate) + target, stdout=subprocess.PIPE).output)
    return run


def under_sprof(*options):
    """With how many of the planned ticks were taken, in percent: a profiler that samples less disturbs less."""
    def run(bench, rate, target):
        stats = bench.file("run.json")
        arguments = [bench.sprof, "run", "-q", "-r", str(rate), "-f", "folded", "-o", bench.file("run.folded"),
                     "--stats", stats, *options, "--", *target]
        finished = Finished(arguments, stdout=subprocess.PIPE)
        figures = last_json(finished.output)
        with open(stats, encoding="utf-8") as file:
            quality = json.load(file)
        figures["taken"] = 100 * quality["ticks"] / max(quality["ticks"] + quality["ticks_missed"], 1)
        figures["profiler_cpu"] = quality["profiler_cpu_ns"] / 1e9
        figures["samples"] = quality["samples"]
        return figures
    return run


def under_floor(cpu_of):
    def run(bench, rate, target):
        with running(target) as process:
            arguments = [bench.program("floor"), "-p", str(process.pid), "-c", str(cpu_of(bench)),
                         "-r", str(rate)]
            with running(arguments):
                say(process)
                return last_json(process.stdout.readline())
    return run


PERF = ["perf", "record", "-q", "-e", "cpu-clock"]

PROFILERS = {
    "none": launcher(lambda bench, rate: []),
    "sprof": under_sprof(),
    "sprof, stops": under_sprof("--source", "stop"),
    "floor, same CPU": under_floor(lambda bench: bench.cpu),
    "floor, other CPU": under_floor(lambda bench: bench.other_cpus[0]),
    "perf -g": launcher(lambda bench, rate: [
        *PERF, "-F", str(rate), "-g", "-o", bench.file("perf.data"), "--"]),
    "perf dwarf": launcher(lambda bench, rate: [
        *PERF, "-F", str(rate), "--call-graph", "dwarf", "-o", bench.file("perf.data"), "--"]),
}


def has_perf(bench):
    try:
        PROFILERS["perf -g"](bench, 99, bench.target("work", amount=10))
    except (Failed, OSError):
        return False
    return True


def profilers(bench):
    """The names of those that work here."""
    names = [name for name in PROFILERS if not name.startswith("perf") or has_perf(bench)]
    return [name for name in names if bench.other_cpus or name != "floor, other CPU"]


def interleaved(rounds, cases, measure):
    """{case: [measure(case) of each round]}; each round starts with another case."""
    values = {case: [] for case in cases}
    for turn in range(rounds):
        start = turn * len(cases) // max(rounds, 1)
        for case in cases[start:] + cases[:start]:
            values[case].append(measure(case))
    return values


def terminate(process):
    process.send_signal(signal.SIGTERM)

"""What the end-to-end tests share: watched programs, runs of sprof, and readers of its results.

A test file is a list of functions test_*() that assert; main() runs them all, or those named on
the command line, each in a temporary folder of its own, --at-once N of them in as many processes.
Nothing here sleeps blindly: targets say on a pipe that they are ready, everything else is polled for
with a limit. Only processes that a test started are ever signalled, by their pid, and all of them are
gone when it ends. No test is run again because it failed, and none depends on how fast or busy the machine
is: what only the clock can judge is in bench/truth. Whatever is random prints its seed, and SPROF_TEST_SEED
gives it back.
"""

import argparse
import concurrent.futures
import contextlib
import ctypes
import json
import math
import os
import platform
import random
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import traceback

SPROF = os.path.abspath(os.environ.get("SPROF", "sprof"))
# Who takes the samples of running threads (--source); without SPROF_TEST_SOURCE it is sprof's own choice.
SOURCE = [f"--source={os.environ['SPROF_TEST_SOURCE']}"] if "SPROF_TEST_SOURCE" in os.environ else []
TARGETS = os.path.abspath(os.environ.get("SPROF_TARGETS", "."))
# Seconds that anything may take before a test calls it a hang. An emulated machine needs more, and one on which programs wait for a CPU.
SLOWNESS = min(10, max(1, round(os.getloadavg()[0] / len(os.sched_getaffinity(0)))))
LIMIT = 60 * SLOWNESS * int(os.environ.get("SPROF_TEST_PATIENCE", "1"))

PATIENCE = ("300ms", "3s", "30s")  # durations, each for a machine on which the one before shows too little

SKIPPED, FAILED = 77, 1
SIGMAS = 5  # standard errors: chance alone is further off once in two million judgements
NOBODY = 65534
# Another one for each test, because the kernel limits the memory of perf's rings per user.
PLAIN_USER = 20000 + os.getpid() % 40000

os.environ["XDG_CACHE_HOME"] = "/dev/null"  # nothing is kept: the developer's last recording stays

_started = []


class Skip(Exception):
    """This machine can't show what the test is about."""


class Unable(Exception):
    """No machine of this kind can show it, whatever is installed."""


def require(condition, reason):
    if not condition:
        raise Skip(reason)


def require_machine(condition, reason):
    """For what no package gives: such a test is left out everywhere, and the reason told."""
    if not condition:
        raise Unable(reason)


def require_plain_sprof(reason):
    """Sanitizers have an address space, handlers of signals, and a time for these, of their own."""
    with open(SPROF, "rb") as file:
        text = file.read()
    require(b"AddressSanitizer" not in text and b"ThreadSanitizer" not in text, reason)


def others(function):
    """Marks a test that needs a program which scripts/test doesn't install: it is in the group that its row names."""
    function.needs_others = True
    return function


def tool(name, *more_places):
    """The path of a program that the test needs from the system."""
    for place in (shutil.which(name), *more_places):
        if place and os.path.exists(place):
            return place
    raise Skip(f"{name} is not installed")


def target(name):
    return os.path.join(TARGETS, name)


def with_fault(what, library=os.path.join(TARGETS, "..", "faults", "libfault.so")):
    """An environment in which calls of sprof fail, or give what an older kernel gives (tests/faults/fault.c)."""
    return {**os.environ, "LD_PRELOAD": library, "SPROF_FAULT": what}


def go_target(name):
    """The path of a program of tests/targets/go."""
    tool("go")
    path = target(os.path.join("go", name))
    require(os.path.exists(path), "there was no Go compiler when this was built")
    return path


def musl_target(name):
    """The path of a program of tests/targets/musl, for target()."""
    path = os.path.join("musl", name)
    require(os.path.exists(target(path)), "there was no musl-gcc when this was built")
    return path


def wait_until(condition, what, seen=lambda: "", limit=LIMIT):
    """Polls for what has no event to wait for; returns what the condition became. `seen`: what is there instead."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        result = condition()
        if result:
            return result
        time.sleep(0.002)
    raise AssertionError(f"never happened: {what} {seen()}")


def random_numbers():
    """A generator of them, whose seed is printed; it can be given back."""
    seed = int(os.environ.get("SPROF_TEST_SEED", random.randrange(1 << 32)))
    print(f"SPROF_TEST_SEED={seed}", flush=True)
    return random.Random(seed)


class Program:
    """A running program, its output collected in files so that it never waits for the test."""

    def __init__(self, argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **options):
        self.argv = [str(word) for word in argv]
        self.errors = tempfile.TemporaryFile(dir=".")
        self.process = subprocess.Popen(
            self.argv, stdin=stdin, stdout=stdout, stderr=self.errors, **options)
        self.pid = self.process.pid
        _started.append(self.process)

    def line(self):
        """The next line of its stdout; fails when none comes."""
        text = b""
        while not text.endswith(b"\n"):
            readable = select.select([self.process.stdout], [], [], LIMIT)[0]
            byte = os.read(self.process.stdout.fileno(), 1) if readable else b""
            assert byte, f"{self.argv}: no line of output after {text!r}; stderr: {self.stderr()}"
            text += byte
        return text.decode().rstrip("\n")

    def say(self, text):
        os.write(self.process.stdin.fileno(), text.encode())

    def signal(self, number):
        self.process.send_signal(number)

    def alive(self):
        return self.process.poll() is None

    def stderr(self):
        return os.pread(self.errors.fileno(), 1 << 24, 0).decode(errors="replace")

    def wait(self, limit=LIMIT):
        """Waits for an end that comes by itself, with stdin open."""
        try:
            self.process.wait(limit)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"hangs: {self.argv}; stderr: {self.stderr()}") from None

    def finish(self, limit=LIMIT):
        """Closes its stdin, which ends a target, and waits; returns its result."""
        try:
            out, _ = self.process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"hangs: {self.argv}; stderr: {self.stderr()}") from None
        return Result(self.argv, self.process.returncode, out or b"", self.stderr())


class Target(Program):
    """A program of tests/targets, which has said that it is ready; what it said is in .said."""

    def __init__(self, name, *args, before=(), **options):
        read_end, write_end = os.pipe()
        argv = [*before, target(name), "--ready", write_end, *args]
        super().__init__(argv, pass_fds=[write_end], **options)
        os.close(write_end)
        self.said = read_ready(read_end, self)
        os.close(read_end)


def read_ready(fd, program):
    """The words behind "ready" on the line that a target writes to fd."""
    text = b""
    while not text.endswith(b"\n"):
        byte = os.read(fd, 1) if select.select([fd], [], [], LIMIT)[0] else b""
        assert byte, f"{program.argv}: never ready; stderr: {program.stderr()}"
        text += byte
    return text.decode().split()[1:]


class Result:
    """What is left of a program that has ended. A death by signal is a negative code."""

    def __init__(self, argv, code, out, err):
        self.argv, self.code, self.out, self.err = argv, code, out, err

    def text(self):
        return self.out.decode(errors="replace")

    def check(self, code=0):
        assert self.code == code, (
            f"{' '.join(self.argv)}\nexit code {self.code}, not {code}; stderr:\n{self.err}")
        return self


def run(*argv, limit=LIMIT, stdin=subprocess.DEVNULL, **options):
    """Runs a program to its end."""
    return Program(argv, stdin=stdin, **options).finish(limit)


def sprof(*args, **options):
    return run(SPROF, *args, **options)


PROFILE = ("-o", "x.folded", "--stats", "x.json")


def read_profile():
    """The folded stacks and the quality figures that a run with PROFILE wrote."""
    with open("x.json", encoding="utf-8") as file:
        return read_folded("x.folded"), json.load(file)


def attach_for(duration, pid, *options):
    """Attaches for so long, checks that the process runs on untouched; returns the profile."""
    result = sprof("attach", *SOURCE, "-p", pid, "-d", duration, *PROFILE, *options).check(0)
    assert result.out == b"" and result.err == "", f"it said: {result.out!r} {result.err!r}"
    return read_profile()


class Attached(Program):
    """`sprof attach` at work: it has the target's main thread when the constructor returns."""

    def __init__(self, pid, *args, **options):
        super().__init__([SPROF, "attach", *SOURCE, "-p", pid, *args], stdin=subprocess.DEVNULL, **options)
        wait_until(lambda: tracer_of(pid) == self.pid or not self.alive(), "sprof attaches")
        assert self.alive(), f"sprof ended instead of attaching: {self.stderr()}"

    def stop(self, number=signal.SIGINT):
        self.signal(number)
        return self.finish()


def attach_while(pid, seconds, *options):
    """Attaches until the process has computed for so long, however busy the machine is; returns the profile."""
    attached = Attached(pid, *PROFILE, *options)
    wait_for_cpu(pid, seconds)
    result = attached.stop().check(0)
    assert result.out == b"" and result.err == "", f"it said: {result.out!r} {result.err!r}"
    return read_profile()


# What the kernel says about a process.

def status_field(pid, name, tid=None):
    with open(f"/proc/{pid}/task/{tid or pid}/status", encoding="utf-8") as file:
        return re.search(rf"^{name}:\s*(.*)$", file.read(), re.MULTILINE).group(1)


def tracer_of(pid):
    """The process that traces pid, or 0. The kernel names the thread of it that does."""
    try:
        tid = int(status_field(pid, "TracerPid"))
        return int(status_field(tid, "Tgid")) if tid else 0
    except (FileNotFoundError, ProcessLookupError):
        return 0


def state_of(pid, tid=None):
    return status_field(pid, "State", tid)[0]


def with_tracefs():
    """Before a command: root's tracepoints, in a namespace of its own, so that nothing is left mounted."""
    require(os.geteuid() == 0, "tracepoints take root")
    script = 'test -d /sys/kernel/tracing/events || mount -t tracefs nodev /sys/kernel/tracing && exec "$@"'
    before = [tool("unshare"), "-m", "sh", "-c", script, "sh"]
    require(run(*before, "test", "-r", "/sys/kernel/tracing/events/sched/sched_switch/id").code == 0,
            "there is no tracefs here")
    return before


def without_tracefs():
    """Before a command: there is no tracefs, in a namespace of its own."""
    require(os.geteuid() == 0, "mounting takes root")
    hide = ("for place in /sys/kernel/tracing /sys/kernel/debug; do test ! -d $place || mount -t tmpfs none $place; "
            'done; exec "$@"')
    before = [tool("unshare"), "-m", "sh", "-c", hide, "sh"]
    require_machine(run(*before, "true").code == 0, "no mount namespaces here")
    return before


def as_plain_user():
    """What makes a program a plain user's, if we are root."""
    return {"user": PLAIN_USER, "group": PLAIN_USER, "extra_groups": []} if os.geteuid() == 0 else {}


def with_perfmon():
    """Before a command: a plain user's, with CAP_PERFMON as the only right."""
    require(os.geteuid() == 0, "takes another user")
    before = [tool("setpriv"), f"--reuid={PLAIN_USER}", f"--regid={PLAIN_USER}", "--clear-groups",
              "--inh-caps=+perfmon", "--ambient-caps=+perfmon"]
    if run(*before, "true").code:
        raise Skip("CAP_PERFMON can't be given to a user here")
    return before


def own_sprof():
    """An sprof that a plain user can run: the build may be in a folder of ours alone."""
    os.chmod(".", 0o777)
    path = os.path.abspath("sprof")
    if not os.path.exists(path):
        shutil.copy(SPROF, path)
        os.chmod(path, 0o755)
    return path


def own_target(name):
    """The same of a target, for Target()."""
    shutil.copy(target(name), name)
    os.chmod(name, 0o755)
    return os.path.abspath(name)


def paranoid():
    with open("/proc/sys/kernel/perf_event_paranoid", encoding="utf-8") as file:
        return int(file.read())


def perf_opens(with_kernel):
    """Whether the kernel gives this process a task clock of its own, with the kernel's code or without: perf_event_open(2)."""
    flags = (not with_kernel) << 5 | 1 << 6  # exclude_kernel, exclude_hv
    attributes = struct.pack("=IIQQQQQ72x", 1, 120, 1, 0, 0, 0, flags)
    number = {"x86_64": 298, "aarch64": 241}[platform.machine()]
    descriptor = ctypes.CDLL(None).syscall(number, attributes, 0, -1, -1, 8)
    if descriptor >= 0:
        os.close(descriptor)
    return descriptor >= 0


def require_switches():
    """Switch records, page faults and the task clock are for everybody, as far as the kernel's default goes."""
    require_machine(paranoid() <= 2 and perf_opens(with_kernel=False), "the kernel gives nobody perf events here")


def threads_of(pid):
    return [int(name) for name in os.listdir(f"/proc/{pid}/task")]


def cpu_ticks(pid, tid=None):
    """User and system time of a process, or one thread of it, in the kernel's clock ticks."""
    with open(f"/proc/{pid}/task/{tid}/stat" if tid else f"/proc/{pid}/stat",
              encoding="utf-8") as file:
        fields = file.read().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def wait_for_cpu(pid, seconds, tid=None):
    """Returns when a process, or one thread of it, has computed for so long: it can be sampled."""
    ticks = cpu_ticks(pid, tid) + seconds * os.sysconf("SC_CLK_TCK")
    wait_until(lambda: cpu_ticks(pid, tid) >= ticks, f"{pid} computes", limit=5 * LIMIT)


def check_untouched(pid):
    """Nobody traces any thread of the process, and none is stopped."""
    for tid in threads_of(pid):
        try:
            tracer, state = status_field(pid, "TracerPid", tid), state_of(pid, tid)
        except (FileNotFoundError, ProcessLookupError):
            continue  # the thread has ended
        assert tracer == "0", f"thread {tid} is still traced by {tracer}"
        assert state not in "tT", f"thread {tid} was left in state {state}"


# What sprof says.

class Folded:
    """Folded stacks: lines of frames, the outermost first, and a weight."""

    def __init__(self, text):
        self.stacks = [self._parse(line) for line in text.splitlines()]
        self.total = sum(weight for _, weight in self.stacks)

    @staticmethod
    def _parse(line):
        match = re.fullmatch(r"(\S.*) ([1-9][0-9]*)", line)
        assert match, f"not a folded stack: {line!r}"
        return match.group(1).split(";"), int(match.group(2))

    def weight(self, pattern):
        """The weight of all stacks that have a frame matching pattern, each counted once."""
        expression = re.compile(pattern)
        return sum(weight for frames, weight in self.stacks
                   if any(expression.fullmatch(frame) for frame in frames))

    def check(self, *patterns):
        """Each of the patterns has some weight."""
        for pattern in patterns:
            assert self.weight(pattern) > 0, f"no weight in {pattern}: {self.stacks[:20]}"

    def share(self, pattern):
        return self.weight(pattern) / self.total if self.total else 0.0

    def names(self):
        return {frame for frames, _ in self.stacks for frame in frames}

    def has(self, *path):
        """Whether some stack has these frames in this order, others between them or not."""
        return any(_contains_in_order(frames, path) for frames, _ in self.stacks)


def _contains_in_order(frames, path):
    rest = iter(frames)
    return all(name in rest for name in path)


def read_folded(path):
    with open(path, encoding="utf-8") as file:
        return Folded(file.read())


def check_near(value, expected, tolerance, what):
    assert abs(value - expected) <= tolerance, (
        f"{what}: {value:.4g} is more than {tolerance:.4g} away from {expected:.4g}")


def share_tolerance(share, samples):
    """By how much a share of so many samples may be off by chance, and because it is one of whole samples."""
    samples = max(samples, 1)
    return SIGMAS * math.sqrt(share * (1 - share) / samples) + 1 / samples


def most_of(samples, part):
    """How many of so many samples may be of a kind that is such a part of all, or one of a kind that there is not."""
    return 1 + part * samples + SIGMAS * math.sqrt(part * samples)


def missed_share(stats):
    """The part of all ticks in which nothing was sampled: other samples have their time."""
    without = stats["ticks_missed"] + stats["ticks_held_back"] + stats["samples_lost"]
    return without / (stats["ticks"] + without)


def check_share(found, true, samples, what, spare=0.0):
    """A share is what the program says of the same time. `spare`: what samples can't tell, such as missed_share()."""
    check_near(found, true, share_tolerance(true, samples) + spare, f"share of {what}, of {samples:.0f} samples")


def check_quality(stats, threads=1, complete=0.999):
    """
    The figures agree with each other, nearly all stacks are complete, and so many threads, which lived all the time, have
    samples. How many depends on the machine: while a thread waits for a CPU it has none, and the last ticks may be late.
    """
    planned = stats["rate_hz"] * stats["duration_ns"] / 1e9
    ticks = stats["ticks"] + stats["ticks_missed"]
    assert 0.8 * planned - 3 <= ticks <= 1.1 * planned + 3, f"{ticks} ticks, {planned:.0f} planned: {stats}"
    assert stats["samples"] == stats["stacks_complete"] + stats["stacks_truncated"], stats
    assert stats["samples"] >= threads, f"{stats['samples']} samples of {threads} threads at {stats['ticks']} ticks: {stats}"
    cut = f"{stats['stacks_complete']} of {stats['samples']} stacks complete; cut: {stats['truncated_reasons']}"
    print(cut)
    assert stats["stacks_truncated"] <= most_of(stats["samples"], 1 - complete), cut


def check_error(result, code, *words):
    """One line `sprof: ...` with these words in it or its hint, at most one hint, nothing else."""
    lines = result.err.splitlines()
    result.check(code)
    assert lines and lines[0].startswith("sprof: "), f"stderr: {result.err!r}"
    assert len(lines) <= 2 and all(line.startswith("hint: ") for line in lines[1:]), (
        f"more than a line and a hint: {result.err!r}")
    for word in words:
        assert re.search(word, result.err, re.IGNORECASE), f"{word!r} not in {result.err!r}"


# The frame of a test run.

def _descendants(pid):
    """The processes that a process has started, and those that these have."""
    try:
        for tid in threads_of(pid):
            with open(f"/proc/{pid}/task/{tid}/children", encoding="utf-8") as file:
                for child in map(int, file.read().split()):
                    yield child
                    yield from _descendants(child)
    except (FileNotFoundError, ProcessLookupError):
        pass


def _end_started():
    """
    Only a failed test leaves something running. That, and what it has started, is killed first, then waited for:
    the parent of a dead tracee gets its end only from a tracer that runs or has ended, and the tracer may be stopped.
    """
    started = _started.copy()
    _started.clear()
    for process in started:
        if process.poll() is None:
            for pid in [*_descendants(process.pid), process.pid]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
    for process in started:
        process.wait(LIMIT)
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()


def _run_one(function):
    home = os.getcwd()
    with tempfile.TemporaryDirectory(prefix="sprof-e2e-") as folder:
        os.chmod(folder, 0o755)
        os.chdir(folder)
        try:
            function()
        finally:
            os.chdir(home)
            _end_started()


def _judge(function):
    """The outcome of one test. What no machine of this kind can show is left out."""
    try:
        _run_one(function)
    except Skip as reason:
        print(f"SKIP {function.__name__}: {reason}", file=sys.stderr)
        return SKIPPED
    except Unable as reason:
        print(f"LEFT OUT {function.__name__}: {reason}", file=sys.stderr)
    except Exception:  # pylint: disable=broad-except
        traceback.print_exc()
        print(f"FAIL {function.__name__}", file=sys.stderr)
        return FAILED
    return 0


def _outcome(name):
    begin = time.monotonic()
    outcome = _judge(getattr(sys.modules["__main__"], name))
    if not outcome:
        print(f"ok   {name} ({time.monotonic() - begin:.1f} s)")
    sys.stdout.flush()
    return outcome


def _outcomes(names, at_once):
    if at_once == 1:
        return set(map(_outcome, names))
    with concurrent.futures.ProcessPoolExecutor(at_once) as pool:
        return set(pool.map(_outcome, names))


def main():
    """Runs the calling file's tests; a skip counts as a failure where all of them must run."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--at-once", type=int, default=1)
    parser.add_argument("--but", nargs="+", default=[], help="tests that are left out")
    parser.add_argument("--others", choices=["only", "none"], help="of the tests that need programs of others")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    module = sys.modules["__main__"]
    names = options.names or [name for name in vars(module) if name.startswith("test_")]
    if options.others:
        names = [name for name in names
                 if hasattr(getattr(module, name), "needs_others") == (options.others == "only")]
    outcomes = _outcomes([name for name in names if name not in options.but], options.at_once)
    if SKIPPED in outcomes and os.environ.get("SPROF_TESTS_MUST_RUN") == "1":
        print("a skip is a failure here: SPROF_TESTS_MUST_RUN is set", file=sys.stderr)
        sys.exit(FAILED)
    if FAILED in outcomes:
        sys.exit(FAILED)
    sys.exit(SKIPPED if SKIPPED in outcomes else 0)

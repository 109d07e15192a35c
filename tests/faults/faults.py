"""System calls and allocations of sprof that fail: it ends in time, with a right result or a clear
message, and the target neither stands still nor computes anything wrong.

    faults.py attach|kill|run|report|top [--all] [--only WORD] [--slice K/N] [--sample N] [--jobs N]

attach: strace fails the calls (sprof is its only child; what sprof traces is not). run, report and top: a
preloaded library does, with allocations among them. Which calls there are, and how many, is counted
first; then each of the rare ones fails once, and a spread of the others. --all: many more of them.
kill: sprof dies at its Nth ptrace call. Most of a run is waiting: --jobs of them at a time.
"""

import argparse
import collections
import contextlib
import errno
import json
import os
import pty
import random
import re
import select
import shutil
import sys
import tempfile
import termios
import time
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "e2e"))
import harness  # noqa: E402
from answers import check_answer  # noqa: E402
from harness import (SPROF, Target, check_untouched, read_folded, run, target, tool,  # noqa: E402
                     tracer_of, wait_until)

LIBRARY = os.path.join(harness.TARGETS, "..", "faults", "libfault.so")
LIMIT = harness.LIMIT

# The program's start and end belong to the C library, which may abort when they fail.
LOADERS = set("""execve exit_group exit rt_sigreturn arch_prctl set_tid_address set_robust_list rseq
    brk futex restart_syscall prlimit64 getrandom munmap mprotect clone clone3""".split())
USUAL = ("ENOMEM", "EINTR", "EPERM", "ESRCH")
# What a call can't say by any kernel's word would only show what nobody could do better.
ERRORS = {
    "ptrace": ("ESRCH", "EPERM"), "waitid": ("EINTR", "ECHILD"), "wait4": ("EINTR", "ECHILD"),
    "rt_sigtimedwait": ("EINTR", "EAGAIN"), "process_vm_readv": ("ESRCH", "EPERM", "ENOMEM"),
    "openat": ("ENOENT", "EMFILE", "ENOMEM", "EPERM"), "mmap": ("ENOMEM",),
    "write": ("EINTR", "ENOSPC"), "sched_setaffinity": ("EPERM", "EINVAL"),
    "rename": ("EPERM",), "renameat2": ("EPERM",), "fsync": ("EIO",), "lseek": ("ESPIPE",),
}
KINDS = {"alloc": ("ENOMEM",), "ptrace": ("ESRCH", "EPERM"), "wait": ("EINTR",),
         "memory": ("ESRCH", "EPERM"), "open": ("ENOENT", "EMFILE"), "read": ("EINTR", "ESRCH"),
         "short-read": ("EIO",), "write": ("EINTR", "ENOSPC"), "short-write": ("EIO",),
         "fork": ("EAGAIN",), "socketpair": ("EMFILE",), "sigtimedwait": ("EINTR",),
         "thread": ("EAGAIN",)}


class Wrong(AssertionError):
    """The fault had an effect that it must not have."""


class Elsewhere(AssertionError):
    """A library that sprof uses does not survive it: told, but not sprof's to mend."""


def died_in(errors):
    """The object of the innermost frame that the preloaded library has told."""
    objects = [os.path.basename(line.partition("(")[0]) for line in errors.splitlines()
               if re.search(r"\(.*\)\[0x[0-9a-f]+\]$", line)]
    outer = [name for name in objects if not re.match(r"libfault|libc\.so|linux-vdso", name)]
    return outer[0] if outer else ""


def spread(count, every):
    """Which of so many calls are to fail."""
    if count <= (300 if every else 4):
        return list(range(1, count + 1))
    steps = 100 if every else 4
    return sorted({max(1, round(count ** (i / (steps - 1)))) for i in range(steps)})


def judge(result, output="x.folded"):
    """What any end of sprof must be."""
    lines = result.err.splitlines()
    loader = any("error while loading shared libraries" in line or
                 "cannot allocate TLS data structures" in line or
                 "cannot allocate memory" in line.lower() and "sprof: " in line for line in lines)
    if result.code < 0 and (place := died_in(result.err)).startswith("lib"):
        raise Elsewhere(place)
    if result.code < 0:
        raise Wrong(f"died by signal {-result.code}: {result.err}")
    if result.code in (0, 1) and os.path.exists(output):
        read_folded(output)
    if result.code == 0:
        if not os.path.exists(output):
            raise Wrong(f"exit 0 and no profile: {result.err}")
    elif not loader and not any(line.startswith(("sprof: ", "hint: ")) for line in lines):
        raise Wrong(f"exit {result.code} without a message: {result.err!r}")


def forget_output():
    if os.path.exists("x.folded"):
        os.unlink("x.folded")


def kill_all(program):
    for pid in [*harness._descendants(program.pid), program.pid]:  # pylint: disable=protected-access
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, harness.signal.SIGKILL)


def limited(*argv, **options):
    """Runs it to its end; a hang is told from all else."""
    program = harness.Program(argv, stdin=harness.subprocess.DEVNULL, **options)
    try:
        program.process.wait(LIMIT)
    except harness.subprocess.TimeoutExpired:
        state = harness.state_of(program.pid)
        kill_all(program)
        raise Wrong(f"hangs in state {state}: {program.stderr()}") from None
    return program.finish()


# sprof attach, under strace.

class Subject:
    """The program that is attached to; a new one if a fault has harmed it."""

    def __init__(self):
        self.program = Target("answer", 2)

    def check(self):
        """After any end of sprof."""
        pid = self.program.pid
        try:
            wait_until(lambda: tracer_of(pid) == 0, "it is let go")
            check_untouched(pid)
            assert self.program.alive(), "it has ended"
        except AssertionError as error:
            self.program.process.kill()
            self.program = Target("answer", 2)
            raise Wrong(f"the target: {error}") from None

    def finish(self):
        check_answer(self.program.finish().check(0).text())


def attach_words(subject):
    return [SPROF, "attach", "-p", subject.program.pid, "-d", "150ms", "-r", "99", "-o", "x.folded"]


def count_calls(subject):
    """How often each system call is made; by the thread that makes it most often."""
    run(tool("strace"), "-f", "-o", "log", *attach_words(subject)).check(0)
    counts = collections.Counter()
    with open("log", encoding="utf-8", errors="replace") as file:
        for line in file:
            match = re.match(r"(\d+) +(\w+)\(", line)
            if match:
                counts[match.group(2), match.group(1)] += 1
    most = collections.Counter()
    for (name, _), count in counts.items():
        most[name] = max(most[name], count)
    return {name: count for name, count in most.items() if name not in LOADERS}


def injections(counts, every):
    for name, count in sorted(counts.items()):
        for error in ERRORS.get(name, USUAL):
            for number in spread(count, every):
                if (name, number) == ("mmap", 1):
                    continue  # the loader's, which has nothing yet to say it with
                yield f"{name}:error={error}:when={number}"
        if name in ("read", "pread64"):
            for number in spread(count, every):
                yield f"{name}:retval=0:when={number}"


def inject(subject, what):
    forget_output()
    result = limited(tool("strace"), "-f", "-o", "log", "-e", "trace=" + what.partition(":")[0],
                     f"--inject={what}", *attach_words(subject))
    try:
        judge(result)
    finally:
        subject.check()


class Attach:
    """Faults are listed before any is tried: by list(); each worker has an object of its own."""

    def __init__(self):
        self.subject = Subject()

    def list(self, every):
        return injections(count_calls(self.subject), every)

    def act(self, what):
        inject(self.subject, what)

    def finish(self):
        self.subject.finish()


# With the preloaded library.

def preloaded(what, argv, count=None):
    kind, error, number = what.split(":")
    environment = {**os.environ, "LD_PRELOAD": LIBRARY,
                   "SPROF_FAULT": f"{kind}:{getattr(errno, error)}:{number}"}
    if count:
        environment["SPROF_FAULT_COUNT"] = os.path.abspath(count)
    return limited(*argv, env=environment)


def count_of(kind, argv):
    preloaded(f"{kind}:EIO:0", argv, count="count")
    with open("count", encoding="utf-8") as file:
        return int(file.read())


def preloads(argv, every, kinds):
    for kind in kinds:
        count = count_of(kind, argv)
        for error in KINDS[kind]:
            for number in spread(count, every):
                yield f"{kind}:{error}:{number}"
                if kind in ("alloc", "open", "memory"):
                    yield f"{kind}:{error}:{number}+"


def fail_in_run(argv, what):
    """The program's output is whole and right if sprof says that it ran, and never twice."""
    forget_output()
    result = preloaded(what, argv)
    said = result.text()
    if result.code == 7:  # the program's own
        if said != "begun\nended\n":
            raise Wrong(f"the program said {said!r}")
        result.code = 0
        lines = result.err.splitlines()
        if os.path.exists("x.folded"):
            read_folded("x.folded")
        elif not any(line.startswith("sprof: ") for line in lines):
            raise Wrong(f"no profile and no message: {result.err!r}")
        return
    if said not in ("", "begun\nended\n"):
        raise Wrong(f"the program said {said!r}")
    judge(result)


class Run:
    script = "echo begun; i=0; while [ $i -lt 9000 ]; do i=$((i+1)); done; /bin/true; echo ended; exit 7"
    argv = [SPROF, "run", "-r", "499", "-o", "x.folded", "--", "/bin/sh", "-c", script]

    def list(self, every):
        return preloads(self.argv, every, KINDS)

    def act(self, what):
        fail_in_run(self.argv, what)

    def finish(self):
        pass


class Report:
    argv = [SPROF, "report", "x.pb.gz", "-o", "x.folded"]
    kinds = ["alloc", "open", "read", "short-read", "write", "short-write"]

    def __init__(self):
        run(SPROF, "run", "-q", "-r", "499", "-o", "x.pb.gz", "--", target("spin-two"),
            "200").check(0)

    def list(self, every):
        return preloads(self.argv, every, self.kinds)

    def act(self, what):
        forget_output()
        judge(preloaded(what, self.argv))

    def finish(self):
        pass


# sprof top, on a terminal of its own, while keys are pressed.

class Played:
    """A program on a terminal: each of the keys is pressed when the screen has answered the one before. Its
    stderr is a file: what is written to the terminal behind the screen would be lost with sprof."""

    def __init__(self, argv, environment, keys):
        self.said, self.keys = b"", list(keys)
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.dup2(os.open("errors", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 2)
            os.execve(argv[0], argv, environment)

    def press(self):
        if self.keys and b"help" in self.said:
            os.write(self.fd, self.keys.pop(0))

    def read(self):
        """False: the other end is closed."""
        ready, _, _ = select.select([self.fd], [], [], 0.05)
        if not ready:
            self.press()
            return True
        try:
            found = os.read(self.fd, 65536)
        except OSError:
            return False
        self.said += found
        return bool(found)

    def finish(self):
        """(exit code, what it has said to stderr)"""
        end = time.monotonic() + LIMIT
        before = termios.tcgetattr(self.fd)
        while self.read():
            if time.monotonic() > end:
                os.kill(self.pid, harness.signal.SIGKILL)
                os.waitpid(self.pid, 0)
                raise Wrong(f"hangs: {self.said[-500:]!r}")
        _, status = os.waitpid(self.pid, 0)
        changed = termios.tcgetattr(self.fd) != before
        os.close(self.fd)
        if changed and os.waitstatus_to_exitcode(status) >= 0:
            raise Wrong("the terminal was left changed")
        with open("errors", encoding="utf-8", errors="replace") as file:
            return os.waitstatus_to_exitcode(status), file.read()


class Top:
    """Each view, the help, a filter, a freeze and a file, while names come."""
    script = "i=0; while [ $i -lt 250000 ]; do i=$((i+1)); done; exit 7"
    argv = [SPROF, "top", "-i", "500ms", "--", "/bin/sh", "-c", script]
    keys = [b"2", b"\r", b"3", b"4", b"e", b"/a\r", b"\033", b"w", b"?", b"?", b" ", b"s\025x.folded\r", b" ", b"q"]
    kinds = ["alloc", "open", "read", "memory", "ptrace", "thread"]

    def play(self, what, count=None):
        kind, error, number = what.split(":")
        environment = {**os.environ, "LD_PRELOAD": LIBRARY, "TERM": "xterm", "LC_ALL": "C.UTF-8",
                       "SPROF_FAULT": f"{kind}:{getattr(errno, error)}:{number}"}
        if count:
            environment["SPROF_FAULT_COUNT"] = os.path.abspath(count)
        return Played(self.argv, environment, self.keys).finish()

    def list(self, every):
        for kind in self.kinds:
            code, said = self.play(f"{kind}:EIO:0", count="count")
            assert code == 7, said
            with open("count", encoding="utf-8") as file:
                count = int(file.read())
            for error in KINDS[kind]:
                for number in spread(count, every):
                    yield f"{kind}:{error}:{number}"
                    if kind != "read":  # without any key nobody could leave
                        yield f"{kind}:{error}:{number}+"

    def act(self, what):
        forget_output()
        code, said = self.play(what)
        if os.path.exists("x.folded"):
            read_folded("x.folded")
        if code < 0 and (place := died_in(said)).startswith("lib"):
            raise Elsewhere(place)
        if code == 1 and "line 0, col 0: Out of memory" in said:
            raise Elsewhere("libtinfo: exit(1)")
        if code != 7 and (code < 0 or "sprof: " not in said and "error while loading" not in said):
            raise Wrong(f"exit code {code}: {said[-3000:]}")

    def finish(self):
        pass


# sprof killed instead of a ptrace call: whatever the target was stopped for must reach it.

BEHAVIOURS = os.path.join("..", "behaviours", "behaviours")
HEARD = ["values-of-a-child", "stop-a-process", "forks"]


def kill_at(name, native, number):
    program = Target(BEHAVIOURS, name)
    sprof = harness.Program(
        [tool("strace"), "-f", "-o", "log", f"--inject=ptrace:error=ESRCH:signal=KILL:when={number}",
         SPROF, "attach", "--children", "-p", program.said[0], "-q", "-r", "999", "-o", "x.folded"])
    wait_until(lambda: tracer_of(program.pid) or not sprof.alive(), "sprof attaches")
    program.say("go\n")
    try:
        result = program.finish(LIMIT)
    except AssertionError:
        kill_all(program)
        raise Wrong(f"{name} never ends") from None
    sprof.wait(LIMIT)
    if result.text() != native:
        raise Wrong(f"{name} says {result.text()!r}, not {native!r}")


def native_words(name):
    program = Target(BEHAVIOURS, name)
    program.say("go\n")
    return program.finish().text()


class Kill:
    def __init__(self):
        self.natives = {name: native_words(name) for name in HEARD}

    def list(self, every):
        numbers = range(1, 400 if every else 120, 1 if every else 7)
        return [f"{name}:{number}" for name in HEARD for number in numbers]

    def act(self, what):
        name, number = what.split(":")
        kill_at(name, self.natives[name], number)

    def finish(self):
        pass


TOPICS = {"attach": Attach, "kill": Kill, "run": Run, "report": Report, "top": Top}


class Worker:
    """Tries its share of the faults; what came of them is a line of JSON in a file."""

    def __init__(self, topic):
        self.topic = topic
        self.wrong, self.elsewhere, self.tried = [], collections.Counter(), 0

    def try_one(self, what, act):
        self.tried += 1
        try:
            act()
        except Elsewhere as error:
            self.elsewhere[str(error)] += 1
        except AssertionError as error:
            self.wrong.append(what)
            print(f"WRONG {what}: {error}", flush=True)

    def run(self, share):
        topic = TOPICS[self.topic]()
        for what in share:
            self.try_one(what, lambda what=what: topic.act(what))
        self.try_one("the answer", topic.finish)

    def start(self, share, results):
        """In a process of its own. Returns its pid."""
        pid = os.fork()
        if pid:
            return pid
        harness._run_one(lambda: self.run(share))  # pylint: disable=protected-access
        line = json.dumps([self.wrong, self.elsewhere, self.tried])
        os.write(results, (line + "\n").encode())
        os._exit(0)


def listed(arguments):
    """What is to be tried, in the order in which the program does it."""
    found = []

    def body():
        topic = TOPICS[arguments.topic]()
        found.extend(topic.list(arguments.all))
        topic.finish()

    harness._run_one(body)  # pylint: disable=protected-access
    found = [what for what in found if not arguments.only or arguments.only in what]
    if arguments.slice:
        number, count = map(int, arguments.slice.split("/"))
        found = [what for what in found if zlib.crc32(what.encode()) % count == number % count]
    if arguments.sample and arguments.sample < len(found):
        print(f"seed {arguments.seed}: {arguments.sample} of {len(found)}", flush=True)
        found = random.Random(arguments.seed).sample(found, arguments.sample)
    return found


def try_all(arguments, faults):
    """All workers' results, summed up; a worker that died leaves none."""
    jobs = max(1, min(arguments.jobs, len(faults)))
    with tempfile.TemporaryFile() as file:
        os.set_inheritable(file.fileno(), False)
        pids = [Worker(arguments.topic).start(faults[i::jobs], file.fileno()) for i in range(jobs)]
        for pid in pids:
            os.waitpid(pid, 0)
        file.seek(0)
        results = [json.loads(line) for line in file]
    wrong = [what for result in results for what in result[0]]
    if len(results) < jobs:
        wrong.append("a worker")
    elsewhere = sum((collections.Counter(result[1]) for result in results), collections.Counter())
    return wrong, elsewhere, sum(result[2] for result in results)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("topic", choices=list(TOPICS))
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", help="only injections with this word in them")
    parser.add_argument("--sample", type=int, help="so many of them, at random")
    parser.add_argument("--slice", help="K/N: of N parts of them the Kth")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--jobs", type=int, default=1, help="so many at a time")
    arguments = parser.parse_args()
    if arguments.topic in ("attach", "kill") and not shutil.which("strace"):
        sys.exit(harness.SKIPPED)
    begin = time.monotonic()
    wrong, elsewhere, tried = try_all(arguments, listed(arguments))
    print(f"{arguments.topic}: {tried} faults in {time.monotonic() - begin:.0f} s, "
          f"{len(wrong)} with a wrong effect, deaths in libraries: {dict(elsewhere)}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

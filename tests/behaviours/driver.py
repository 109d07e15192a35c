"""The behaviours of tests/behaviours, natively and under sprof: they print, return and end the same.

    driver.py [--repeat N] [--load] [--jobs N] [--mode run|attach] [--watched] TOPIC | NAME ...

Each is run natively first; what it shows there is what it must show under `sprof run` and, where an
attach is possible before it begins, under `sprof attach`, both at 999 Hz, and some at other rates, too. --load keeps every CPU busy
meanwhile, --jobs shows so many of them at once, --repeat does it all so many times in a row. --watched
takes the program that imports ptrace(), whose system calls are looked at when it starts processes.
SPROF_TEST_SOURCE names the source of running threads' samples (--source).
"""

import argparse
import ctypes
import functools
import itertools
import multiprocessing
import os
import re
import resource
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "e2e"))
import harness  # noqa: E402  pylint: disable=wrong-import-position
from harness import SOURCE, SPROF, Program, Target, run, target  # noqa: E402

PROGRAM = os.path.join("..", "behaviours", "behaviours")
WATCHED = PROGRAM + "-watched"
QUIETLY = ("-q", "-o", "x.folded", *SOURCE)
# A call that moves data may be stopped in more than once.
RATES = dict.fromkeys(("incoming", "transfers"), ("99", "999", "5000"))
RATE = ("999",)

# On a busy machine a short one may end before the first.
NO_SAMPLES = (1, "sprof: no samples: the process or the run ended before the first one\n")
# Of calls that return EINTR at a stop, each with what it prints. Where the kernel hides their first argument,
# sprof can't make them begin anew (docs/stops.md).
BROKEN_OFF = {**dict.fromkeys(("accepts", "full-sockets", "receives", "socket-reads", "epolls", "semtimedops"),
                              r"\d+ EINTR, 0 failed, \d+ early\n"),
              **dict.fromkeys(("sigwaitinfo-values", "sigtimedwait-values"), r"\d+ right, \d+ EINTR, exit 0\n"),
              "eintr-of-epoll-pwait": r"40 signals, \d+ EINTR, 0 others, exit 0\n"}
LAUNCH = "launch"  # the topic of what a program finds at its start


class Shown:
    """What a behaviour has shown: its output, its errors, how it ended."""

    def __init__(self, result, under_run=False):
        self.out, self.err, self.code = result.text(), result.err, result.code
        if under_run and 128 < self.code <= 128 + signal.SIGRTMAX:
            self.code = 128 - self.code

    def __eq__(self, other):
        return vars(self) == vars(other)

    def __str__(self):
        return f"exit {self.code}\n--- stdout\n{self.out}--- stderr\n{self.err}"


def odd_start():
    """In the child: what a program may inherit and usually doesn't."""
    os.nice(3)
    os.umask(0o027)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 4096))
    resource.setrlimit(resource.RLIMIT_NOFILE, (900, 1000))
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2, signal.SIGRTMIN + 1])
    for number in (signal.SIGHUP, signal.SIGPIPE, signal.SIGTSTP, signal.SIGBUS, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_IGN)


def options_of(topic):
    """Descriptors beyond the usual ones, an environment of its own, odd attributes."""
    if topic != LAUNCH:
        return {}
    return {"preexec_fn": odd_start, "restore_signals": False, "close_fds": True,
            "env": {"PATH": os.environ["PATH"], "ODD": "a\nb=c", "EMPTY": "", "DEBUGINFOD_URLS": "x"}}


def program_to_show():
    return WATCHED if "--watched" in sys.argv else PROGRAM


def show(name, before=(), **options):
    """The behaviour from its start to its end, at once."""
    program = Target(program_to_show(), name, before=before, **options)
    program.say("go\n")
    return program.finish()


def show_natively(name, topic):
    return Shown(show(name, **options_of(topic)))


def show_under_run(name, topic, rate):
    return Shown(show(name, before=[SPROF, "run", "-r", rate, *QUIETLY, "--"], **options_of(topic)), True)


def show_under_attach(name, topic, rate):
    """Attached before it begins. When it ends, sprof does, too."""
    program = Target(program_to_show(), name, **options_of(topic))
    pid = int(program.said[0])
    sprof = harness.Attached(pid, "-r", rate, *QUIETLY)
    program.say("go\n")
    result = program.finish()
    ended = sprof.finish()
    assert (ended.code, ended.err) in ((0, ""), NO_SAMPLES), f"sprof attach: {ended.code}, {ended.err}"
    return Shown(result)


MODES = {"run": show_under_run, "attach": show_under_attach}


def check(name, topic, modes):
    """One behaviour, once natively and once in each mode; a list of what differs."""
    native = show_natively(name, topic)
    assert native.code not in (97, 98, 99), f"{name} does not work natively: {native}"
    for mode, rate in itertools.product(modes, RATES.get(topic, RATE)):
        watched = MODES[mode](name, topic, rate)
        if watched != native and not is_beyond_repair(name, watched, native):
            yield f"{name} under {mode} at {rate} Hz:\n{watched}natively:\n{native}"


def all_behaviours():
    """(topic, name) of each."""
    lines = run(target(PROGRAM), "--list").check(0).text().splitlines()
    return [tuple(line.split()) for line in lines]


def chosen(words):
    both = all_behaviours()
    found = [(topic, name) for topic, name in both if not words or topic in words or name in words]
    assert found, f"no such behaviour or topic: {words}"
    return found


PR_SET_PDEATHSIG = 1


def end_with_the_driver():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


@functools.cache
def kernel_hides_first_argument():
    return run(target(PROGRAM), "--first-argument").check(0).text() == "hidden\n"


def is_beyond_repair(name, watched, native):
    """Whether the calls were broken off, and nothing else differs, where the kernel leaves no other choice."""
    form = BROKEN_OFF.get(name)
    is_it = bool(form and re.fullmatch(form, watched.out) and (watched.err, watched.code) == (native.err, native.code)
                 and kernel_hides_first_argument())
    if is_it:
        print(f"{name}: {watched.out.strip()}: this kernel doesn't let sprof repair that", flush=True)
    return is_it


class Load:
    """Every CPU is kept busy while this lives."""

    def __init__(self, wanted):
        count = len(os.sched_getaffinity(0)) if wanted else 0
        self.burners = [Program(["/bin/sh", "-c", "while :; do :; done"], preexec_fn=end_with_the_driver)
                        for _ in range(count)]

    def end(self):
        for burner in self.burners:
            burner.process.kill()
            burner.process.wait()


def in_a_folder(name, topic, modes):
    """The differences, or the failure of the test itself."""
    differences = []

    def body():
        differences.extend(check(name, topic, modes))

    try:
        harness._run_one(body)  # pylint: disable=protected-access
    except AssertionError as error:
        differences.append(f"{name}: {error}")
    return differences


def show_one(task):
    """In a process of its own: the time that a behaviour took in one round, and its differences."""
    number, topic, name, modes = task
    begin = time.monotonic()
    found = in_a_folder(name, topic, modes)
    return number, name, time.monotonic() - begin, found


def show_all(behaviours, modes, arguments):
    """Every round, as they come; the number of differences."""
    tasks = [(number + 1, topic, name, modes) for number in range(arguments.repeat)
             for topic, name in behaviours]
    count = 0
    with multiprocessing.Pool(arguments.jobs) as pool:
        for number, name, seconds, found in pool.imap_unordered(show_one, tasks):
            if arguments.times:
                print(f"{seconds:6.2f} s {name}", flush=True)
            for text in found:
                print(f"DIFFERS in round {number}: {text}", flush=True)
            count += len(found)
    return count


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--times", action="store_true", help="say how long each takes")
    parser.add_argument("--load", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--watched", action="store_true")
    parser.add_argument("--mode", choices=list(MODES))
    parser.add_argument("words", nargs="*")
    return parser.parse_args()


def main():
    arguments = parse()
    modes = [arguments.mode] if arguments.mode else list(MODES)
    behaviours = chosen(arguments.words)
    load = Load(arguments.load)
    harness._started.clear()  # the burners outlive each test
    begin = time.monotonic()
    try:
        differences = show_all(behaviours, modes, arguments)
    finally:
        load.end()
    print(f"{len(behaviours)} behaviours, {arguments.repeat} times, {'/'.join(modes)}: "
          f"{differences} differences in {time.monotonic() - begin:.0f} s")
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()

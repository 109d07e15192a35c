"""A program that does everything at once, and sprof that comes and goes: is killed, ends by itself or
is told to, at random moments. Afterwards no thread of the program is traced or stopped that did not
stop itself, and what it has computed is right.

    torture.py [--kills N] [--seconds S] [--seed N]

By default a few dozen kills. `--kills 2000` is the long run; it takes about ten minutes.
"""

import argparse
import os
import random
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "e2e"))
import harness  # noqa: E402
from harness import (SOURCE, SPROF, Program, Target, status_field, threads_of, tracer_of,  # noqa: E402
                     wait_for_cpu, wait_until)

PROGRAM = os.path.join("..", "torture", "torture")
LONGEST = 0.15  # seconds of sprof's life: from before the first ptrace call to well into sampling
RATES = (49, 199, 999, 2999)


def family_of(pid):
    """The process and its living descendants."""
    return [pid, *harness._descendants(pid)]  # pylint: disable=protected-access


def disturbed(pid):
    """The threads that are traced, or stand in a tracer's stop."""
    found = []
    for process in family_of(pid):
        try:
            for tid in threads_of(process):
                tracer, state = (status_field(process, name, tid) for name in ("TracerPid", "State"))
                if tracer != "0" or state[0] == "t":
                    found.append((tid, tracer, state))
        except (FileNotFoundError, ProcessLookupError):
            pass  # it has ended
    return found


def stopped(pid):
    """The threads of the program itself in a stop: it never stops itself."""
    found = []
    for tid in threads_of(pid):
        try:
            if status_field(pid, "State", tid)[0] in "Tt":
                found.append(tid)
        except (FileNotFoundError, ProcessLookupError):
            pass
    return found


def check_free(pid):
    """Nobody traces it; it runs. Its children stop and go on by its own will, and soon."""
    wait_until(lambda: not disturbed(pid), "the kernel detaches for a dead tracer")
    assert not stopped(pid), f"threads left stopped: {stopped(pid)}"


def let_sprof_come_and_go(pid, moments, counts):
    """One sprof: killed, told to end, or left to its duration."""
    way = moments.choices(("kill", "interrupt", "duration"), (8, 1, 1))[0]
    options = ["-r", str(moments.choice(RATES)), "-q", "-o", "x.folded"]
    if moments.random() < 0.7:
        options.append("--children")
    if way == "duration":
        options += ["-d", f"{moments.randrange(10, 200)}ms"]
    attach = Program([SPROF, "attach", *SOURCE, "-p", pid, *options])
    if way != "duration":
        time.sleep(moments.uniform(0, LONGEST))  # a moment that nothing announces: that is the point
        attach.signal(signal.SIGKILL if way == "kill" else signal.SIGINT)
    attach.wait(30)
    check_free(pid)
    counts[way] += 1
    code = attach.process.returncode
    assert code in {"kill": (-signal.SIGKILL,), "interrupt": (0, -signal.SIGINT),
                    "duration": (0,)}[way], f"{way}: sprof ended with {code}: {attach.stderr()}"


def say_where(pid):
    """Where every thread of the program and its children is: for whoever has to find out why it hangs."""
    for process in family_of(pid):
        for tid in threads_of(process):
            text = [f"{process}/{tid}"]
            for name in ("State", "TracerPid", "SigPnd", "ShdPnd", "SigBlk"):
                text.append(f"{name} {status_field(process, name, tid)}")
            for name in ("wchan", "syscall", "stack"):
                with open(f"/proc/{process}/task/{tid}/{name}", encoding="utf-8") as file:
                    text.append(f"{name} {file.read().strip()}")
            print("; ".join(text), flush=True)


def finish(torture, what, kills=0):
    """Its counts. A kill may break off one wait of the program, and nothing else may."""
    torture.process.stdin.close()
    torture.process.stdin = None
    try:
        torture.wait(60)
    except AssertionError:
        say_where(torture.pid)
        raise
    result = torture.finish()
    assert result.code == 0 and result.text().startswith("right "), (
        f"{what}: exit {result.code}: {result.text()} {result.err}")
    broken_off, *done = [int(word) for word in result.text().split()[1:]]
    assert broken_off <= kills, f"{what}: {broken_off} waits broken off by {kills} kills"
    return broken_off, done


def what_it_said(torture):
    """Whether it has found itself wrong."""
    if torture.alive():
        say_where(torture.pid)
        return "the program lives"
    return f"exit {torture.process.returncode}: {torture.process.stdout.read()}"


def torture_once(seed, kills):
    """A program of its own, attached to until so many kills."""
    moments = random.Random(seed)
    counts = {"kill": 0, "interrupt": 0, "duration": 0}
    torture = Target(PROGRAM, seed)
    while counts["kill"] < kills:
        try:
            let_sprof_come_and_go(torture.pid, moments, counts)
        except AssertionError:
            print(f"seed {seed}, after {counts}: {what_it_said(torture)}", flush=True)
            raise
    return counts, *finish(torture, f"seed {seed}", counts["kill"])


def launched_and_killed(seed):
    """The same, launched by sprof, which is killed once."""
    moments = random.Random(seed)
    run = Target(PROGRAM, seed, before=[SPROF, "run", *SOURCE, "-q", "-r", moments.choice(RATES),
                                        "-o", "x.folded", "--"])
    time.sleep(moments.uniform(0, LONGEST))
    run.signal(signal.SIGKILL)
    wait_until(lambda: run.process.poll() is not None, "sprof dies")
    pid = int(run.said[0])
    check_free(pid)
    run.process.stdin.close()
    text = run.process.stdout.read().decode()
    assert text.startswith("right "), f"seed {seed}: {text}"


def launched(seed):
    """The same, profiled from its start to its end."""
    run = Target(PROGRAM, seed, before=[SPROF, "run", *SOURCE, "-q", "-r", 999, "-o", "x.folded", "--"])
    wait_for_cpu(int(run.said[0]), 0.3)
    return finish(run, f"run, seed {seed}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=40)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    arguments = parser.parse_args()
    kills = waits = 0
    print(f"seed {arguments.seed}", flush=True)
    begin = time.monotonic()

    def body():
        nonlocal kills, waits
        seed = arguments.seed
        while kills < arguments.kills:
            launched(seed)
            launched_and_killed(seed)
            counts, broken_off, done = torture_once(seed, min(50, arguments.kills - kills - 1))
            kills += counts["kill"] + 1
            print(f"seed {seed}: {counts}, {broken_off} waits broken off, done {done}", flush=True)
            waits += broken_off
            seed += 1

    harness._run_one(body)  # pylint: disable=protected-access
    print(f"{kills} kills in {time.monotonic() - begin:.0f} s: no thread left stopped, all results right, "
          f"{waits} waits broken off")


if __name__ == "__main__":
    main()

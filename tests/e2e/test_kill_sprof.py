"""Whatever ends sprof, the target runs on unharmed and finishes with the right result."""

import os
import resource
import signal
import time

from answers import check_answer
from harness import (SPROF, Attached, Program, Target, check_untouched, main, random_numbers, read_folded,
                     require_plain_sprof, tracer_of, wait_for_cpu, wait_until)

KILLS = 60
LONGEST = 0.12  # seconds: from before the first ptrace call to well into sampling


def check_let_go(pid):
    wait_until(lambda: tracer_of(pid) == 0, "the kernel detaches for a dead tracer")
    check_untouched(pid)


def kill_at(pid, number, delay):
    """Kills an attach at a moment after its start that nothing announces: that is the point."""
    attach = Program([SPROF, "attach", "-p", pid, "-r", "499", "-o", f"{number}.folded"])
    time.sleep(delay)
    assert attach.alive(), f"sprof has ended: {attach.stderr()}"
    attach.signal(signal.SIGKILL)
    attach.wait()
    check_let_go(pid)
    return os.path.exists(f"{number}.folded")


def test_sigkill_at_random_moments():
    moments = random_numbers()
    answer = Target("answer", 2)
    for number in range(KILLS):
        assert not kill_at(answer.pid, number, moments.uniform(0, LONGEST)), "a half-written file"
    check_answer(answer.finish().check(0).text())


def test_sigkill_leaves_the_launched_program():
    run = Target("answer", 2, before=[SPROF, "run", "-o", "x.folded", "--"])
    pid = int(run.said[0])
    wait_for_cpu(pid, 0.2)
    run.signal(signal.SIGKILL)
    run.wait()
    check_let_go(pid)
    check_answer(run.finish().check(-signal.SIGKILL).text())


def without_a_core():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def test_crash_of_sprof():
    """By the signals that a wrong access, an abort and their like are."""
    require_plain_sprof("a sanitizer handles these signals")
    answer = Target("answer", 2)
    for number in (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGFPE, signal.SIGSYS):
        attach = Attached(answer.pid, "-r", "999", "-o", "x.folded", preexec_fn=without_a_core)
        wait_for_cpu(answer.pid, 0.1)
        attach.stop(number).check(-number)
        check_let_go(answer.pid)
        assert not os.path.exists("x.folded")
    check_answer(answer.finish().check(0).text())


def test_signals_that_end_an_attach():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        answer = Target("answer", 2)
        attach = Attached(answer.pid, "-o", "x.folded")
        wait_for_cpu(answer.pid, 0.3)
        attach.stop(number).check(0)
        check_let_go(answer.pid)
        read_folded("x.folded").check("step_many")
        check_answer(answer.finish().check(0).text())


if __name__ == "__main__":
    main()

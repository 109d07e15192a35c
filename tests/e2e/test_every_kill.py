"""
SIGKILL of each command, and of each of its processes, at a random moment: the program goes on with its own code and a
right result, and nothing of sprof stays. The one exception is the process that traces while breakpoints are in.
"""

import collections
import fcntl
import os
import pty
import signal
import subprocess
import termios
import time

from harness import (SPROF, Program, Target, check_untouched, main, random_numbers, read_ready, require_machine, target,
                     wait_until)
from test_guardian import check_code, children, has_breakpoint, inherit_orphans, kills

LONGEST = 0.3  # seconds of sprof's life: from before it attaches to well into its work
FAULTS = (signal.SIGTRAP, signal.SIGSEGV, signal.SIGBUS, signal.SIGILL)
FUNCTIONS = "malloc@libc.so.6,free@libc.so.6"


def take_part(moments):
    time.sleep(moments.uniform(0, LONGEST))


def start(program, argv):
    """What is killed, with the descriptor that its program says ready on, or with the program that is there."""
    if program:
        return Program([SPROF, *argv, "-p", program.pid], stdin=subprocess.DEVNULL), None
    read_end, write_end = os.pipe()
    sprof = Program([SPROF, *argv, "--", target("churn"), "--ready", write_end], pass_fds=[write_end])
    os.close(write_end)
    return sprof, read_end


def tracing_process(sprof):
    """The child of the one that waits; None: there is none yet."""
    try:
        with open(f"/proc/{sprof.pid}/task/{sprof.pid}/children", encoding="utf-8") as file:
            for pid in map(int, file.read().split()):
                if os.path.samefile(f"/proc/{pid}/exe", SPROF):
                    return pid
    except FileNotFoundError:
        pass
    return None


def kill(sprof, is_child):
    """The one that was started, or the one that traces."""
    pid = sprof.pid
    if is_child:
        pid = wait_until(lambda: tracing_process(sprof) or not sprof.alive(), "it starts another one")
    assert sprof.alive(), f"sprof has ended: {sprof.stderr()}"
    os.kill(pid, signal.SIGKILL)
    sprof.wait()


def is_gone(pid, may_trap):
    """A process that sprof measures with is killed by its parent's end."""
    ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG)
    if ended is None:
        return False
    allowed = {signal.SIGUSR2, signal.SIGKILL, *(FAULTS if may_trap else ())}
    assert ended.si_code == os.CLD_EXITED or ended.si_status in allowed, f"{pid} was ended by signal {ended.si_status}"
    return True


def expect_others_gone(but, is_child):
    for pid in children() - but:
        wait_until(lambda pid=pid: is_gone(pid, is_child), f"{pid} ends after sprof has been killed")


def attached(argv, moments, is_child, is_in=None):
    """How the program ends that was there before. `is_in`: waits for the breakpoints."""
    churn = Target("churn")
    sprof, _ = start(churn, argv)
    if is_in:
        malloc = int(churn.said[1], 16)
        wait_until(lambda: has_breakpoint(churn.pid, malloc), "breakpoints are put in")
    take_part(moments)
    kill(sprof, is_child)
    sprof.finish()
    expect_others_gone({churn.pid}, is_child)
    if not is_child:
        check_untouched(churn.pid)
        check_code(churn.pid)
    result = churn.finish()
    return result.code, result.text()


def attached_and_in(argv, moments, is_child):
    return attached(argv, moments, is_child, is_in=True)


def churn_of_ours():
    """The program that a killed sprof has started: it has become our child. None: it has ended, or not begun."""
    for pid in children():
        try:
            if os.path.samefile(f"/proc/{pid}/exe", target("churn")):
                return pid
        except FileNotFoundError:
            pass
    return None


def started(argv, moments, is_child):
    """How the program ends that sprof has started; None: it had not."""
    sprof, read_end = start(None, argv)
    take_part(moments)
    kill(sprof, is_child)
    # Whoever is left may start it yet.
    wait_until(lambda: all(pid == churn_of_ours() or is_gone(pid, is_child) for pid in children()), "all others end")
    pid = churn_of_ours()
    if pid and not is_child:
        read_ready(read_end, sprof)
        check_untouched(pid)
        check_code(pid)
    result = sprof.finish()
    os.close(read_end)
    if not pid:
        return None
    _, status = os.waitpid(pid, 0)
    # Where sprof's answer takes the stdout, the program's is the stderr.
    return os.waitstatus_to_exitcode(status), result.text() + sprof.stderr()


def judge(end, is_child):
    """In words. Without its tracer, a thread that comes to a breakpoint ends its program (docs/stops.md)."""
    if end is None:
        return "not started"
    code, text = end
    if is_child and -code in FAULTS:
        return signal.Signals(-code).name
    assert code == 0 and "right\n" in text, f"the program ended with {code} and said {text!r}"
    return "right"


def kill_many(argv, ways=(attached, started), is_child=False):
    """Each of the ways in turn, as often as the environment says."""
    inherit_orphans()
    moments = random_numbers()
    ends = collections.Counter()
    for number in range(kills(10)):
        end = ways[number % len(ways)]([str(word) for word in argv], moments, is_child)
        ends[judge(end, is_child)] += 1
    print(f"{argv[0]}, {'the process that traces' if is_child else 'the process that was started'}: {dict(ends)}")


def breakpoints(*argv, is_child=False):
    require_machine(os.uname().machine == "x86_64", "breakpoints are for x86_64")
    kill_many(argv, (attached, started, attached_and_in), is_child)


def test_run():
    kill_many(["run", "-q", "-r", 499, "-o", "x.folded"], (started,))


def test_attach():
    kill_many(["attach", "-q", "-r", 499, "-o", "x.folded"], (attached,))


def test_calls():
    kill_many(["calls", "-q", "-F", FUNCTIONS, "-o", "calls.txt"])


def test_trace():
    """All calls: a program that sprof starts has a filter for single ones, and ends with sprof (sprof-syscalls(1))."""
    events = ["-e", "raw_syscalls:sys_enter", "-e", "raw_syscalls:sys_exit"]
    kill_many(["trace", "-q", "--source", "ptrace", *events, "-o", "x.txt"])


def test_heap():
    kill_many(["heap", "-q", "-o", "x.folded"])


def test_heap_exact():
    kill_many(["heap", "--exact", "-q", "-o", "x.folded"])


def test_syscalls():
    kill_many(["syscalls", "-q", "--source", "ptrace", "-o", "x.txt"])


def test_mem():
    kill_many(["mem", "-q", "-o", "x.csv"])


def test_rundelay():
    kill_many(["rundelay", "-q"])


def test_dump():
    kill_many(["dump", "--times", 100000, "--interval", "5ms"], (attached,))


def attached_top(argv, moments, is_child):
    """It draws on a terminal."""
    churn = Target("churn")
    fd, side = pty.openpty()
    sprof = Program([SPROF, *argv, "-p", churn.pid], stdin=side, stdout=side, start_new_session=True,
                    env={**os.environ, "TERM": "xterm"}, preexec_fn=lambda: fcntl.ioctl(side, termios.TIOCSCTTY, 0))
    os.close(side)
    take_part(moments)
    kill(sprof, is_child)
    os.close(fd)
    expect_others_gone({churn.pid}, is_child)
    check_untouched(churn.pid)
    check_code(churn.pid)
    result = churn.finish()
    return result.code, result.text()


def test_top():
    kill_many(["top", "-r", 499], (attached_top,))


def test_calls_by_breakpoints():
    breakpoints("calls", "--breakpoints", "-q", "-F", FUNCTIONS, "-o", "calls.txt")


def test_heap_exact_by_breakpoints():
    breakpoints("heap", "--exact", "--breakpoints", "-q", "-o", "x.folded")


def test_heap_rate():
    breakpoints("heap", "--rate", "-q", "-o", "x.folded")


def test_the_tracing_process_of_calls():
    breakpoints("calls", "--breakpoints", "-q", "-F", FUNCTIONS, "-o", "calls.txt", is_child=True)


def test_the_tracing_process_of_heap_exact():
    breakpoints("heap", "--exact", "--breakpoints", "-q", "-o", "x.folded", is_child=True)


def test_the_tracing_process_of_heap_rate():
    breakpoints("heap", "--rate", "-q", "-o", "x.folded", is_child=True)


if __name__ == "__main__":
    main()

"""SIGKILL of sprof while breakpoints are in a program: it goes on with its own code and a right result."""

import ctypes
import os
import re
import signal
import subprocess
import time

from harness import SPROF, Program, Target, main, random_numbers, require_machine, target, tracer_of, wait_until

FUNCTIONS = "malloc@libc.so.6,free@libc.so.6"
LONGEST = 0.2    # seconds from the start of sprof, which puts the breakpoints in meanwhile
IN_PLACE = 0.03  # seconds after that
INT3 = b"\xcc"
PR_SET_CHILD_SUBREAPER = 36


def kills(otherwise):
    return int(os.environ.get("SPROF_TEST_KILLS", otherwise))


def require_breakpoints():
    require_machine(os.uname().machine == "x86_64", "breakpoints are for x86_64")


def inherit_orphans():
    """What a killed sprof leaves becomes a child of this process, which sees how it ends."""
    assert ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0


def calls(*how):
    return [SPROF, "calls", "-q", "--breakpoints", "-F", FUNCTIONS, "-o", "calls.txt", *how]


def children():
    found = set()
    for task in os.listdir("/proc/self/task"):
        with open(f"/proc/self/task/{task}/children", encoding="utf-8") as file:
            found |= set(map(int, file.read().split()))
    return found


def read_memory(pid, start, size):
    fd = os.open(f"/proc/{pid}/mem", os.O_RDONLY)
    try:
        return os.pread(fd, size, start)
    finally:
        os.close(fd)


def check_code(pid, is_padding_used=False):
    """The code is that of its files. Where it was used, the padding at the end of a page stays as it is."""
    with open(f"/proc/{pid}/maps", encoding="utf-8") as file:
        found = re.findall(r"^(\w+)-(\w+) ..x. (\w+) \S+ \d+ +(/.*)$", file.read(), re.MULTILINE)
    assert len(found) >= 2, "no code"
    for start, end, offset, path in found:
        start, size = int(start, 16), int(end, 16) - int(start, 16)
        with open(path, "rb") as file:
            file.seek(int(offset, 16))
            code = file.read(size).ljust(size, b"\0")
        used = len(code.rstrip(b"\0")) if is_padding_used else size
        assert read_memory(pid, start, used) == code[:used], f"{path} is not as its file"


def has_breakpoint(pid, address):
    return read_memory(pid, address, 1) == INT3


def reap(pid):
    """Whether it is gone. What it ended by must not be the trap of a breakpoint, nor another fault."""
    ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG)
    if ended is None:
        return False
    assert ended.si_code == os.CLD_EXITED or ended.si_status == signal.SIGUSR2, \
        f"an orphan was ended by signal {ended.si_status}"
    return True


def expect_nobody_left(but):
    """Whom sprof has left ends by itself. `but`: children that stay."""
    for pid in children() - but:
        wait_until(lambda pid=pid: reap(pid), f"{pid} ends after sprof has been killed")


def kill(sprof):
    alive = sprof.alive()
    sprof.signal(signal.SIGKILL)
    sprof.wait()
    return alive


def wait_for_moment(moments, number, is_in):
    """Anywhere from the start on, and every other time when the breakpoints are certainly there."""
    if number % 2:
        wait_until(is_in, "breakpoints are put in")
        time.sleep(moments.uniform(0, IN_PLACE))
    else:
        time.sleep(moments.uniform(0, LONGEST))


def kill_an_attach(moments, number, *how):
    churn = Target("churn", *how)
    malloc = int(churn.said[1], 16)
    sprof = Program(calls("-p", churn.pid), stdin=subprocess.DEVNULL)
    wait_for_moment(moments, number, lambda: has_breakpoint(churn.pid, malloc))
    assert kill(sprof), f"sprof has ended: {sprof.stderr()}"
    expect_nobody_left({churn.pid})
    assert tracer_of(churn.pid) == 0
    check_code(churn.pid, is_padding_used="filter" in how)
    assert churn.finish().check(0).text() == "right\n"


def started_program():
    """The program that sprof has started, which is our child since sprof's death; None: there is none."""
    for pid in children():
        try:
            if os.path.samefile(f"/proc/{pid}/exe", target("churn")):
                return pid
        except FileNotFoundError:
            pass
    return None


def kill_a_run(moments, number):
    """Returns whether the program had been started."""
    read_end, write_end = os.pipe()
    sprof = Program(calls("--", target("churn"), "--ready", write_end), pass_fds=[write_end])
    os.close(write_end)
    with os.fdopen(read_end) as ready:
        if number % 2:
            words = ready.readline().split()
            assert words[0] == "ready" and has_breakpoint(int(words[1]), int(words[2], 16))
            time.sleep(moments.uniform(0, IN_PLACE))
        else:
            time.sleep(moments.uniform(0, LONGEST))
        assert kill(sprof), f"sprof has ended: {sprof.stderr()}"
        # Whoever is left may start it yet.
        wait_until(lambda: all(pid == started_program() or reap(pid) for pid in children()), "all others end")
        pid = started_program()
        if pid is None:
            assert number % 2 == 0, f"the program has ended: {sprof.stderr()} {children()}"
            return False
        if number % 2 == 0:
            assert ready.readline().startswith("ready"), "the program has ended"
    assert tracer_of(pid) == 0
    check_code(pid)
    assert sprof.finish().check(-signal.SIGKILL).text() == "right\n"
    _, status = os.waitpid(pid, 0)
    assert status == 0, f"the program ended with status {status:#x}"
    return True


def oom_score_of(pid):
    with open(f"/proc/{pid}/oom_score_adj", encoding="utf-8") as file:
        return int(file.read())


def child_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
        (child,) = map(int, file.read().split())
    return child


def test_who_goes_first_where_memory_runs_out():
    """It is the one that may be killed: not the one that traces, nor the program."""
    require_breakpoints()
    read_end, write_end = os.pipe()
    sprof = Program(calls("--", target("churn"), "--ready", write_end), pass_fds=[write_end])
    os.close(write_end)
    with os.fdopen(read_end) as ready:
        program = int(ready.readline().split()[1])
    wait_until(lambda: oom_score_of(sprof.pid) == 1000, "the one that waits offers itself")
    assert oom_score_of(child_of(sprof.pid)) == oom_score_of(program) == oom_score_of("self")
    assert sprof.finish().check(0).text() == "right\n"


def test_attached():
    require_breakpoints()
    inherit_orphans()
    moments = random_numbers()
    for number in range(kills(20)):
        kill_an_attach(moments, number)


def test_attached_to_a_filtered_program():
    """No page for copies can be mapped: they are in the padding of the code."""
    require_breakpoints()
    inherit_orphans()
    moments = random_numbers()
    for number in range(kills(20)):
        kill_an_attach(moments, number, "filter")


def test_started():
    require_breakpoints()
    inherit_orphans()
    moments = random_numbers()
    started = sum(kill_a_run(moments, number) for number in range(kills(20)))
    assert started >= kills(20) // 2


if __name__ == "__main__":
    main()

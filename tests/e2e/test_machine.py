"""Kernels, mounts and programs that sprof can't work with: it says so and does no harm."""

import errno
import os
import platform
import signal

from harness import (SPROF, Program, Target, check_error, check_untouched, main, read_folded, read_profile,
                     require, require_machine, run, sprof, target, tool)
from test_rundelay import forbid


FAILED = 2
NEW_PID_NAMESPACE = ("--pid", "--fork", "--kill-child")


def old_kernel(*command):
    """With the release that the kernel shows to programs that want one of two numbers."""
    return run(tool("setarch"), "--uname-2.6", *command)


def test_old_kernel():
    assert old_kernel("uname", "-r").text().startswith("2.6.")
    for command in (["run", "-o", "x.folded", "--", "touch", "ran"],
                    ["attach", "-p", os.getpid()], ["dump", "-p", os.getpid()]):
        check_error(old_kernel(SPROF, *command), FAILED, r"2\.6\.", r"needs 5\.7")
    assert not os.path.exists("ran") and not os.path.exists("x.folded")


def test_old_kernel_and_saved_profiles():
    """What touches no process works everywhere."""
    sprof("run", "-o", "x.pb.gz", "--", target("spin-two"), 50).check(0)
    old_kernel(SPROF, "report", "x.pb.gz").check(0)


def unshare(*words):
    """In namespaces of its own; the processes that it started end with it."""
    return run(tool("unshare"), *words)


def test_proc_of_another_pid_namespace():
    for command in (["run", "-o", "x.folded", "--", "touch", "ran"],
                    ["attach", "-p", 1, "-d", "100ms"], ["attach", "--name", "sprof", "-d", "100ms"],
                    ["dump", "-p", 1], ["dump", "-p", 1, "--children"], ["heap", "-p", 1], ["calls", "-p", 1, "-F", "malloc"],
                    ["syscalls", "-p", 1], ["trace", "-p", 1, "-e", "sched:off", "-e", "sched:on"],
                    ["mem", "-o", "x.csv", "--", "touch", "ran"], ["mem", "-p", 1, "-d", "100ms"],
                    ["mem", "-p", 1, "--children", "-d", "100ms"],
                    ["rundelay", "--", "touch", "ran"], ["rundelay", "-p", 1, "-d", "100ms"], ["symbols", "-p", 1]):
        result = unshare(*NEW_PID_NAMESPACE, SPROF, *command)
        check_error(result, FAILED, "/proc is not of the pid namespace", "mount")
    assert not os.path.exists("ran") and not os.path.exists("x.folded")


def test_no_proc():
    script = f"umount -l /proc && exec {SPROF} run -- touch ran"
    check_error(unshare("--mount", "sh", "-c", script), FAILED, "/proc")
    assert not os.path.exists("ran")


def test_proc_of_its_own_pid_namespace():
    """As in a container, with a child and a thread."""
    command = f"{target('spin-two')} 200 & {target('spin-two')} 200; wait $!"
    unshare(*NEW_PID_NAMESPACE, "--mount-proc", SPROF, "run", "-r", "999", "-o", "x.folded", "--",
            "sh", "-c", command).check(0)
    read_folded("x.folded").check("spin_three")


PROCESS_VM_READV = {"x86_64": 310, "aarch64": 270}


def test_memory_without_the_call_that_reads_it():
    """Docker forbade it up to 19.03: the file in /proc has the memory, too."""
    program = Target("deep", 3, "sleep")
    without = {"preexec_fn": lambda: forbid(PROCESS_VM_READV[platform.machine()])}
    result = sprof("dump", "-p", program.pid, **without).check(0)
    assert result.text().count("descend") == 3 and "ends early" not in result.text(), result.text()
    # Of the vDSO, which is in no file.
    found = sprof("symbols", "-p", program.pid, "clock_gettime", **without).check(0).text()
    assert "[vdso]" in found, found
    program.finish().check(0)


# Programs of 32 bits.

LINE = "sprof: i386 is a 32-bit program"


def runs_here(program):
    try:
        return run(program, "waits", 3).code == 3
    except OSError as error:
        assert error.errno == errno.ENOEXEC, error
        return False


def i386():
    require(os.path.exists(target("i386")), "the compiler makes no 32-bit programs")
    require_machine(runs_here(target("i386")), "the kernel runs no 32-bit programs")
    return target("i386")


def run_sprof(*command):
    return sprof("run", "-r", "999", "-o", "x.folded", "--stats", "x.json", "--", *command)


def check_left_alone(result, code):
    lines = result.check(code).err.splitlines()
    assert len(lines) == 1 and lines[0].startswith(LINE), result.err


def test_32_bit():
    check_left_alone(run_sprof(i386(), "waits", 5), 5)
    folded, stats = read_profile()
    assert stats["samples"] == 0 and folded.weight("\\[unsampled\\]") == folded.total, folded.stacks


def test_32_bit_killed():
    program = Program([SPROF, "run", "-o", "x.folded", "--", i386(), "ready"])
    assert program.line() == "ready"
    program.signal(signal.SIGTERM)
    program.wait()
    check_left_alone(program.finish(), 128 + signal.SIGTERM)


def test_32_bit_that_outlives_sampling():
    check_left_alone(sprof("run", "-d", "20ms", "-o", "x.folded", "--", i386(), "waits", 6), 6)


def test_32_bit_child():
    """Its parent is profiled, and what that does afterwards."""
    check_left_alone(run_sprof("sh", "-c", f"{i386()} waits 4; {target('spin-two')} 200; exit 7"), 7)
    folded, _ = read_profile()
    folded.check("spin_three")


def test_64_bit_that_becomes_32_bit_and_back():
    for program in ([i386(), "exec", i386(), "waits", "8"],
                    [i386(), "exec", "/bin/sh", "-c", "exit 8"]):
        check_left_alone(run_sprof("sh", "-c", 'exec "$@"', "sh", *program), 8)
    # By a thread that is not the first.
    script = ("import os, sys, threading\n"
              "thread = threading.Thread(target=os.execv, args=(sys.argv[1], sys.argv[1:]))\n"
              "thread.start()\nthread.join()")
    check_left_alone(run_sprof("python3", "-c", script, i386(), "waits", "9"), 9)


def test_attach_to_32_bit():
    program = Program([i386(), "ready"])
    assert program.line() == "ready"
    for command in (["attach", "-d", "1s"], ["dump"]):
        check_error(sprof(*command, "-p", program.pid), FAILED, f"attach to {program.pid}", "32-bit")
        check_untouched(program.pid)
    program.finish().check(0)


if __name__ == "__main__":
    main()

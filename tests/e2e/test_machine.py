"""Kernels, mounts and programs that sprof can't work with: it says so and does no harm."""

import os

from harness import (SPROF, check_error, main, read_folded, run, sprof, target, tool)

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
                    ["attach", "-p", 1, "-d", "100ms"], ["dump", "-p", 1]):
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


if __name__ == "__main__":
    main()

"""
A target whose group has used up its share of the CPUs (cpu.max), so that its threads can't stop for a while; and one
whose group is frozen.
"""

import contextlib
import os

from harness import Skip, Target, attach_for, main, wait_until


def write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def limit_v1(group, quota_us, period_us):
    write(f"{group}/cpu.cfs_period_us", str(period_us))
    write(f"{group}/cpu.cfs_quota_us", str(quota_us))


def limit_v2(group, quota_us, period_us):
    write("/sys/fs/cgroup/cgroup.subtree_control", "+cpu")
    write(f"{group}/cpu.max", f"{quota_us} {period_us}")


@contextlib.contextmanager
def group_of(pid, kinds, what):
    """
    The process in a group of its own, and back in the parent's at the end. `kinds`: (parent, what to do with the new
    group); the first kind that this machine has is taken.
    """
    name = f"sprof-test-{os.getpid()}"
    for parent, prepare in kinds:
        group = f"{parent}/{name}"
        try:
            os.mkdir(group)
        except OSError:
            continue
        try:
            prepare(group)
            write(f"{group}/cgroup.procs", str(pid))
        except OSError:
            os.rmdir(group)
            continue
        break
    else:
        raise Skip(f"no control group with {what} can be made here")
    try:
        yield group
    finally:
        write(f"{parent}/cgroup.procs", str(pid))
        os.rmdir(group)


def throttled(pid, *limits):
    """The process in a group with a CPU limit. `limits`: the quota and its period, in us."""
    return group_of(pid, (("/sys/fs/cgroup/cpu", lambda group: limit_v1(group, *limits)),
                          ("/sys/fs/cgroup", lambda group: limit_v2(group, *limits))), "a CPU limit")


def freezable(pid):
    """The process in a group with a file cgroup.freeze."""
    def prepare(group):
        os.stat(f"{group}/cgroup.freeze")

    return group_of(pid, (("/sys/fs/cgroup/unified", prepare), ("/sys/fs/cgroup", prepare)), "a freezer")


def is_frozen(group):
    with open(f"{group}/cgroup.events", encoding="ascii") as file:
        return "frozen 1" in file.read()


def test_throttled_time_is_no_pause():
    """It runs for 10 of 100 ms, and sprof has no part in that: of the rest, four fifths of the time, nothing is a stop."""
    program = Target("threads", 2, 0)
    with throttled(program.pid, 20000, 100000):
        _, stats = attach_for("4s", program.pid, "-r", "99", "--max-overhead", "10")
    program.finish().check(0)
    print(f"{stats['stops']} stops, {stats['stop_ns_total'] / 1e6:.1f} ms, the longest "
          f"{stats['stop_ns_max'] / 1e6:.2f} ms; {stats['ticks']} ticks, "
          f"{stats['ticks_held_back']} held back, {stats['ticks_missed']} missed")
    assert stats["stop_ns_total"] < 0.5 * stats["duration_ns"], stats
    assert stats["ticks"] > 0, stats


def test_frozen_time_is_stopped():
    """A thread that computed when its group was frozen is in no page fault."""
    program = Target("threads", 1, 0)
    with freezable(program.pid) as group:
        write(f"{group}/cgroup.freeze", "1")
        wait_until(lambda: is_frozen(group), "the group is frozen")
        try:
            folded, stats = attach_for("1s", program.pid, "--weight", "stopped", "--wait-frames")
        finally:
            write(f"{group}/cgroup.freeze", "0")
    program.finish().check(0)
    assert folded.weight("burn") > 0.5 * stats["duration_ns"] / 1e3, (folded.stacks, stats)


if __name__ == "__main__":
    main()

"""A target whose group has used up its share of the CPUs (cpu.max): its threads can't stop for a while."""

import contextlib
import os

from harness import Skip, Target, attach_for, check_near, main

NEEDS_CPUS = True


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
def throttled(pid, quota_us, period_us):
    """The process in a group of its own, and back in the parent's at the end."""
    name = f"sprof-test-{os.getpid()}"
    for parent, limit in (("/sys/fs/cgroup/cpu", limit_v1), ("/sys/fs/cgroup", limit_v2)):
        try:
            os.mkdir(f"{parent}/{name}")
        except OSError:
            continue
        try:
            limit(f"{parent}/{name}", quota_us, period_us)
            write(f"{parent}/{name}/cgroup.procs", str(pid))
        except OSError:
            os.rmdir(f"{parent}/{name}")
            continue
        break
    else:
        raise Skip("no control group with a CPU limit can be made here")
    try:
        yield
    finally:
        write(f"{parent}/cgroup.procs", str(pid))
        os.rmdir(f"{parent}/{name}")


def test_throttled_time_is_no_pause():
    """It runs for 10 of 100 ms, and sprof has no part in that."""
    program = Target("threads", 2, 0)
    with throttled(program.pid, 20000, 100000):
        _, stats = attach_for("4s", program.pid, "-r", "99", "--max-overhead", "10")
    program.finish().check(0)
    print(f"{stats['stops']} stops, {stats['stop_ns_total'] / 1e6:.1f} ms, the longest "
          f"{stats['stop_ns_max'] / 1e6:.2f} ms; {stats['ticks']} ticks, "
          f"{stats['ticks_held_back']} held back, {stats['ticks_missed']} missed")
    assert stats["stop_ns_total"] < 0.05 * stats["duration_ns"], stats
    check_near(stats["ticks"] + stats["ticks_missed"], 4 * 99, 0.25 * 4 * 99, "ticks")


if __name__ == "__main__":
    main()

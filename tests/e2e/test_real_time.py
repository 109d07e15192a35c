"""Threads of the real-time policies, which leave sprof no time on their CPU; and sprof's own policy."""

import os

from harness import (PROFILE, SPROF, Program, Target, main, read_profile, require, run, sprof,
                     target, threads_of, tool, wait_for_cpu, wait_until)

OTHER, FIFO, BATCH, IDLE = 0, 1, 3, 5


def last_cpu():
    """One of the CPUs that we may use; sprof keeps the others."""
    cpus = sorted(os.sched_getaffinity(0))
    require(len(cpus) > 1, "a real-time thread would have the only CPU")
    require(run("chrt", "-f", "1", "true").code == 0, "SCHED_FIFO is not permitted")
    return cpus[-1]


SECONDS = 6  # of which sprof may stand 0.95 s behind the real-time thread, once or twice


def check_ticks(stats):
    planned = stats["rate_hz"] * stats["duration_ns"] / 1e9
    print(f"{stats['ticks']} of {planned:.0f} ticks")
    assert stats["ticks"] > 0.5 * planned, f"most ticks were missed: {stats}"


def test_real_time_thread():
    """It has the CPU for itself; sprof stops it from another one."""
    sprof("run", "-r", "99", *PROFILE, "--", target("real-time"), last_cpu(), SECONDS).check(0)
    folded, stats = read_profile()
    check_ticks(stats)
    assert folded.share("burn_real_time") > 0.8, folded.stacks
    assert stats["stacks_truncated"] <= 1, stats["truncated_reasons"]


def test_ordinary_thread_beside_it():
    """It waits for the CPU that the other has, and sprof must not wait there with it (0.95 s, once or twice)."""
    sprof("run", "-r", "99", *PROFILE, "--", target("real-time"), last_cpu(), SECONDS, "beside").check(0)
    folded, stats = read_profile()
    check_ticks(stats)
    folded.check("burn_real_time", "burn_beside")


def test_real_time_thread_of_another_program():
    """Nothing tells that it is there but that sprof gets no time where it went: it goes there once."""
    cpu = str(last_cpu())
    program = Target("spin-two", before=(tool("taskset"), "-c", cpu))
    other = Target("real-time", cpu, SECONDS + 1)
    sprof("attach", "-p", program.pid, "-d", f"{SECONDS}s", "-r", "99", *PROFILE).check(0)
    _, stats = read_profile()
    other.finish().check(0)
    program.finish().check(0)
    check_ticks(stats)


def policies(pid):
    """Of all threads of a process, those that sprof has started too."""
    found = set()
    for tid in threads_of(pid):
        with open(f"/proc/{pid}/task/{tid}/stat", encoding="utf-8") as file:
            found.add(int(file.read().rpartition(")")[2].split()[41 - 3]))
    return found


def test_own_policy_is_kept():
    program = Target("spin-two")
    last_cpu()
    for option, policy in (("-i", IDLE), ("-b", BATCH), ("-f", FIFO), ("-o", OTHER)):
        priority = "10" if policy == FIFO else "0"
        argv = [tool("chrt"), option, priority, SPROF, "attach", "-p",
                str(program.pid), *PROFILE]
        watcher = Program(argv)
        wait_until(lambda pid=watcher.pid: len(threads_of(pid)) > 1, "sprof has a thread that traces")
        wait_for_cpu(program.pid, 0.2)
        seen = policies(watcher.pid)
        watcher.signal(2)
        watcher.finish().check(0)
        assert seen == {policy}, f"chrt {option} sprof: {seen}"
    program.finish().check(0)


if __name__ == "__main__":
    main()

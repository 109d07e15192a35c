"""The target sees none of the sampling: no system call of it is broken off, and no time-out is late."""

import json

from harness import (PROFILE, ROUNDS, SOURCE, SPROF, Target, attach_for, check_quality, main, median, read_profile,
                     sprof, wait_for_cpu)

NEEDS_CPUS = True

RATE = 999
DUMPS = 40


def check_counts(text):
    """The JSON line of tests/targets/eintr: every kind of call was made, none failed."""
    counts = json.loads(text.splitlines()[-1])
    disturbed = {name: count for name, count in counts.items() if count["eintr"] or count["failed"]}
    assert not disturbed, f"system calls that failed: {disturbed}"
    idle = [name for name, count in counts.items() if count["calls"] < 10]
    assert not idle, f"system calls that were hardly made: {idle}"


def test_no_eintr_natively():
    """What the other tests rest on."""
    eintr = Target("eintr")
    wait_for_cpu(eintr.pid, 0.1)
    check_counts(eintr.finish().check(0).text())


def test_no_eintr_under_attach():
    eintr = Target("eintr")
    folded, stats = attach_for("2s", eintr.pid, "-r", RATE)
    check_counts(eintr.finish().check(0).text())
    check_quality(stats, threads=20)
    folded.check("wait_in")


def test_no_eintr_under_run():
    run = Target("eintr", before=[SPROF, "run", *SOURCE, "-r", RATE, *PROFILE, "--"])
    wait_for_cpu(int(run.said[0]), 0.5)
    check_counts(run.finish().check(0).text())
    check_quality(read_profile()[1], threads=20)


def test_no_eintr_while_attaching_again_and_again():
    """Seizing and letting go must not break off a call either."""
    eintr = Target("eintr")
    for _ in range(10):
        attach_for("50ms", eintr.pid, "-r", RATE)
    check_counts(eintr.finish().check(0).text())


def check_filtered(action, watch):
    """A program whose seccomp filter knows no restart_syscall(2), while watch(pid) looks at it."""
    eintr = Target("eintr", action)
    watch(eintr.pid)
    check_counts(eintr.finish().check(0).text())


def test_a_seccomp_filter_under_attach():
    check_filtered("kill", lambda pid: attach_for("1500ms", pid, "-r", RATE))
    check_filtered("errno", lambda pid: attach_for("1500ms", pid, "-r", RATE))


def test_a_seccomp_filter_under_run():
    for action in ("kill", "errno"):
        run = Target("eintr", action, before=[SPROF, "run", *SOURCE, "-r", RATE, *PROFILE, "--"])
        wait_for_cpu(int(run.said[0]), 0.5)
        check_counts(run.finish().check(0).text())


def test_a_seccomp_filter_and_many_dumps():
    def dump(pid):
        for _ in range(DUMPS):
            sprof("dump", "-p", pid).check(0)

    check_filtered("kill", dump)
    check_filtered("errno", dump)


def timeouts(text):
    """The JSON line of tests/targets/patience, and how late the latest time-out was, in ms."""
    counts = json.loads(text.splitlines()[-1])
    disturbed = {name: count for name, count in counts.items() if count["eintr"] or count["failed"]}
    assert not disturbed, f"system calls that failed: {disturbed}"
    return {name: count["late_us"] / 1000 for name, count in counts.items()}


# Of a socket's time-out, which the kernel's timer wheel rounds up to its next slot (kernel/time/timer.c).
WHEEL_MS = 250 / 8 + 4


def times_late(watched):
    """By how many ms the latest call of each kind came back late."""
    patience = Target("patience")
    if watched:
        attach_for("2s", patience.pid, "-r", RATE)
    else:
        wait_for_cpu(patience.pid, 0.02)
    return timeouts(patience.finish().check(0).text())


def test_no_timeout_is_late():
    """
    A call with a long time-out is neither broken off nor started over. Another program that takes the CPUs for a
    moment makes any call late: the median of some rounds is judged.
    """
    usual = max(WHEEL_MS, *times_late(False).values())
    rounds = [times_late(True) for _ in range(ROUNDS)]
    late = {name: sorted(times[name] for times in rounds) for name in rounds[0]}
    print(f"     ms late, usually up to {usual:.1f}: {late}")
    too_late = {name: times for name, times in late.items() if median(times) > 20 + usual}
    assert not too_late, f"ms late: {too_late}"


if __name__ == "__main__":
    main()

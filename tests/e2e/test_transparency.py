"""The target sees none of the sampling: no system call of it is broken off. (bench/truths/timeouts.py: none is late.)"""

import json

from harness import PROFILE, SOURCE, SPROF, Target, attach_for, check_quality, main, read_profile, sprof, wait_for_cpu

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


if __name__ == "__main__":
    main()

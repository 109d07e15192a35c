"""The target sees none of the sampling: no system call of it is broken off."""

import json

from harness import (PROFILE, SPROF, Target, attach_for, check_quality, main, read_profile,
                     wait_for_cpu)

RATE = 999


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
    folded, stats = attach_for("3s", eintr.pid, "-r", RATE)
    check_counts(eintr.finish().check(0).text())
    check_quality(stats, threads=20)
    folded.check("wait_in")


def test_no_eintr_under_run():
    run = Target("eintr", before=[SPROF, "run", "-r", RATE, *PROFILE, "--"])
    wait_for_cpu(int(run.said[0]), 0.5)
    check_counts(run.finish().check(0).text())
    check_quality(read_profile()[1], threads=20)


def test_no_eintr_while_attaching_again_and_again():
    """Seizing and letting go must not break off a call either."""
    eintr = Target("eintr")
    for _ in range(10):
        attach_for("50ms", eintr.pid, "-r", RATE)
    check_counts(eintr.finish().check(0).text())


if __name__ == "__main__":
    main()

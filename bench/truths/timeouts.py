"""No time-out of the target is late because it was sampled."""

import json

from harness import Target, attach_for, main, wait_for_cpu
from rounds import ROUNDS, median

RATE = 999


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
